"""The parts of tools/gpu-model."""
