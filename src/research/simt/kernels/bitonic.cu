// Bitonic sort of 512 numbers in a block's shared memory [Batcher68].

extern "C" __global__ void bitonic(unsigned* data) {
  __shared__ unsigned values[512];
  const unsigned i = threadIdx.x;
  unsigned* const piece = data + blockIdx.x * 512;
  values[i] = piece[i];
  __syncthreads();
  for (unsigned size = 2; size <= 512; size *= 2) {
    for (unsigned step = size / 2; step > 0; step /= 2) {
      const unsigned other = i ^ step;
      if (other > i) {
        if ((i & size) == 0) {
          if (values[i] > values[other]) {
            const unsigned t = values[i];
            values[i] = values[other];
            values[other] = t;
          }
        } else {
          if (values[i] < values[other]) {
            const unsigned t = values[i];
            values[i] = values[other];
            values[other] = t;
          }
        }
      }
      __syncthreads();
    }
  }
  piece[i] = values[i];
}
