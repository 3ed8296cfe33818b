// N queens by backtracking over bit sets of columns and diagonals. Each thread starts with the first two rows' queens
// and has its own stack.

extern "C" __global__ void queens(unsigned n, unsigned* solutions) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const unsigned all = (1u << n) - 1, first = 1u << i % n, second = 1u << i / n;
  if ((second & (first | first << 1 | first >> 1)) != 0) return;
  unsigned columns[16], left[16], right[16], open[16];
  int row = 2;
  columns[2] = first | second;
  left[2] = (first << 2 | second << 1) & all;
  right[2] = first >> 2 | second >> 1;
  open[2] = all & ~(columns[2] | left[2] | right[2]);
  unsigned count = 0;
  while (row >= 2) {
    const unsigned bit = open[row] & (0u - open[row]);
    if (bit == 0) {
      --row;
      continue;
    }
    open[row] ^= bit;
    if (row + 1 == int(n)) {
      ++count;
      continue;
    }
    columns[row + 1] = columns[row] | bit;
    left[row + 1] = (left[row] | bit) << 1 & all;
    right[row + 1] = (right[row] | bit) >> 1;
    ++row;
    open[row] = all & ~(columns[row] | left[row] | right[row]);
  }
  atomicAdd(solutions, count);
}
