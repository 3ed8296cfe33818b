"""Steps of tools/gpu-check."""
