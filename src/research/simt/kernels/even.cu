// EVEN: an if and an else of equal length, each taken by every second thread [Steffen12, Table 7.2].

extern "C" __global__ void even(const unsigned* in, unsigned* out, unsigned count, unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned value = in[i];
  for (unsigned r = 0; r < rounds; ++r) {
    // Both paths are too long for nvcc to predicate.
    if ((value & 1) == 0) {
#pragma unroll 1
      for (unsigned k = 0; k < 8; ++k) value = value * 1664525u + (k ^ 1013904223u);
    } else {
#pragma unroll 1
      for (unsigned k = 0; k < 8; ++k) value = (value ^ value >> 7) + (k | 2654435769u);
    }
  }
  out[i] = value;
}
