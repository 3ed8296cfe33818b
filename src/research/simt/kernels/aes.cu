// AES-128, one 16-byte block per thread [Nist01]; the host provides S-box and round keys.

static __device__ unsigned twice(unsigned byte) { return (byte << 1 ^ ((byte >> 7 & 1) != 0 ? 0x1bu : 0u)) & 255; }

extern "C" __global__ void aes(const unsigned char* sbox, const unsigned char* keys, const unsigned char* in,
                               unsigned char* out, unsigned count) {
  __shared__ unsigned char s[256];
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) s[i] = sbox[i];
  __syncthreads();
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count) return;
  unsigned state[16], next[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) state[i] = in[n * 16 + i] ^ keys[i];
#pragma unroll 1
  for (int round = 1; round <= 10; ++round) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
#pragma unroll
      for (int r = 0; r < 4; ++r) next[4 * c + r] = s[state[4 * ((c + r) & 3) + r]];
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const unsigned a = next[4 * c], b = next[4 * c + 1], d = next[4 * c + 2], e = next[4 * c + 3];
      const unsigned all = a ^ b ^ d ^ e;
      const bool mixes = round < 10;
      state[4 * c] = mixes ? a ^ all ^ twice(a ^ b) : a;
      state[4 * c + 1] = mixes ? b ^ all ^ twice(b ^ d) : b;
      state[4 * c + 2] = mixes ? d ^ all ^ twice(d ^ e) : d;
      state[4 * c + 3] = mixes ? e ^ all ^ twice(e ^ a) : e;
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) state[i] ^= keys[16 * round + i];
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) out[n * 16 + i] = (unsigned char)state[i];
}
