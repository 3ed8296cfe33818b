// Bitonic sort of 512 numbers in a block's shared memory [Batcher68].

extern "C" __global__ void bitonic(unsigned* data) {
  __shared__ unsigned v[512];
  const unsigned i = threadIdx.x;
  unsigned* const own = data + blockIdx.x * 512;
  v[i] = own[i];
  __syncthreads();
  for (unsigned size = 2; size <= 512; size *= 2) {
    for (unsigned step = size / 2; step > 0; step /= 2) {
      const unsigned other = i ^ step;
      if (other > i) {
        if ((i & size) == 0) {
          if (v[i] > v[other]) {
            const unsigned t = v[i];
            v[i] = v[other];
            v[other] = t;
          }
        } else {
          if (v[i] < v[other]) {
            const unsigned t = v[i];
            v[i] = v[other];
            v[other] = t;
          }
        }
      }
      __syncthreads();
    }
  }
  own[i] = v[i];
}
