// Hashes of file pieces, as distributed storage identifies its blocks: MD5 of one piece per thread; a piece is a
// multiple of 64 bytes [Rivest92].

static __device__ unsigned turned(unsigned word, unsigned n) { return word << n | word >> (32 - n); }

extern "C" __global__ void storage(const unsigned* data, unsigned words, const unsigned* sines, unsigned* hashes,
                                   unsigned count) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count) return;
  const unsigned* const piece = data + n * words;
  unsigned h[4] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
  for (unsigned at = 0; at <= words; at += 16) {
    unsigned a = h[0], b = h[1], c = h[2], d = h[3];
#pragma unroll 1
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned round = i / 16;
      unsigned f, g, s;
      if (round == 0) {
        f = (b & c) | (~b & d), g = i, s = 7 + 5 * (i & 3);
      } else if (round == 1) {
        f = (d & b) | (~d & c), g = (5 * i + 1) & 15, s = (i & 3) == 0 ? 5 : (i & 3) == 1 ? 9 : (i & 3) == 2 ? 14 : 20;
      } else if (round == 2) {
        f = b ^ c ^ d, g = (3 * i + 5) & 15, s = (i & 3) == 0 ? 4 : (i & 3) == 1 ? 11 : (i & 3) == 2 ? 16 : 23;
      } else {
        f = c ^ (b | ~d), g = (7 * i) & 15, s = (i & 3) == 0 ? 6 : (i & 3) == 1 ? 10 : (i & 3) == 2 ? 15 : 21;
      }
      // Padding after the data: a bit, and the length in bits.
      const unsigned last = g == 0 ? 0x80u : g == 14 ? words * 32 : 0u;
      const unsigned word = at < words ? piece[at + g] : last;
      const unsigned t = d;
      d = c;
      c = b;
      b = b + turned(a + f + sines[i] + word, s);
      a = t;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d;
  }
  for (int i = 0; i < 4; ++i) hashes[n * 4 + i] = h[i];
}
