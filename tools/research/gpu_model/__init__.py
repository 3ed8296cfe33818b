"""The parts of tools/research/gpu-model."""
