// LOOP: two consecutive loops inside an outer one, with lengths that differ between threads [Steffen12, Fig. 4.3]: a
// thread that is slow in the first loop is fast in the second.

extern "C" __global__ void loop(const unsigned* first, const unsigned* second, unsigned* out, unsigned count,
                                unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned value = i;
#pragma unroll 1
  for (unsigned r = 0; r < rounds; ++r) {
    const unsigned a = first[(i + r * 37) % count], b = second[(i + r * 37) % count];
#pragma unroll 1
    for (unsigned k = 0; k < a; ++k) {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) value = (value ^ value >> 7) * 1664525u + j;
    }
#pragma unroll 1
    for (unsigned k = 0; k < b; ++k) {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) value = (value + (value << 5)) ^ (2654435769u + j);
    }
  }
  out[i] = value;
}
