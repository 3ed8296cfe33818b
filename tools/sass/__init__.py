"""Machine code of the CUDA machine's kernel: what tools/sass-cost reads and counts."""
