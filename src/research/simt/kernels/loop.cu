// LOOP: two loops in turn whose lengths differ from thread to thread, within an outer one [Steffen12, Fig. 4.3]: who is
// long in the first is short in the second.

extern "C" __global__ void loop(const unsigned* first, const unsigned* second, unsigned* out, unsigned count,
                                unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned v = i;
#pragma unroll 1
  for (unsigned r = 0; r < rounds; ++r) {
    const unsigned a = first[(i + r * 37) % count], b = second[(i + r * 37) % count];
#pragma unroll 1
    for (unsigned k = 0; k < a; ++k) {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) v = (v ^ v >> 7) * 1664525u + j;
    }
#pragma unroll 1
    for (unsigned k = 0; k < b; ++k) {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) v = (v + (v << 5)) ^ (2654435769u + j);
    }
  }
  out[i] = v;
}
