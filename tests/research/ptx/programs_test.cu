// CUDA programs on the interpreter: nvcc's code for arithmetic, calls, locks and collectives, compared with the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "machine/cuda_memory.h"

namespace {

using brokkr::cuda_test::allocate;
using brokkr::cuda_test::wait;

__global__ void sum(const uint32_t* in, unsigned long long* out, int n) {
  __shared__ unsigned long long warp_sums[32];
  unsigned long long s = 0;
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += int(gridDim.x * blockDim.x)) s += in[i];
  for (int step = 16; step > 0; step /= 2) s += __shfl_down_sync(~0u, s, unsigned(step));
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0;
    for (int step = 16; step > 0; step /= 2) s += __shfl_xor_sync(~0u, s, step);
    if (threadIdx.x == 0) atomicAdd(out, s);
  }
}

// Results of many operations, one word each, for comparison with the host's.
struct Case {
  float f, g;
  double d, e;
  int32_t i, j;
  uint64_t u, w;
};
template <class T>
__host__ __device__ void put(uint64_t*& to, T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  *to++ = bits;
}
constexpr int kResults = 48;
__host__ __device__ void compute(const Case& c, uint64_t* r) {
  uint64_t* const begin = r;
  const auto real = [&](float x) { put(r, x != x ? 0.f : x); };
  const auto real64 = [&](double x) { put(r, x != x ? 0. : x); };
  real(c.f + c.g), real(c.f * c.g), real(c.f - c.g), real(c.f / c.g), real(sqrtf(fabsf(c.f)));
  real64(c.d + c.e), real64(c.d * c.e), real64(c.d / c.e), real64(sqrt(fabs(c.d)));
  real(floorf(c.f)), real(ceilf(c.g)), real(truncf(c.f)), real(rintf(c.f)), real64(floor(c.d));
  real(fmaf(c.f, c.g, c.f)), real(float(c.d)), real64(double(c.f)), real(float(c.i)), real(float(c.u)),
      real64(double(c.j));
  const bool numbers = c.f == c.f && c.g == c.g;  // the C library keeps signalling NaN
  real(numbers ? fminf(c.f, c.g) : 0.f), real(numbers ? fmaxf(c.f, c.g) : 0.f);
  put(r, c.i + c.j), put(r, c.i - c.j), put(r, c.i * c.j), put(r, c.j != 0 && c.j != -1 ? c.i / c.j : 0);
  put(r, c.j != 0 && c.j != -1 ? c.i % c.j : 0), put(r, c.u + c.w), put(r, c.u * c.w), put(r, c.w != 0 ? c.u / c.w : 0);
  put(r, c.w != 0 ? c.u % c.w : 0), put(r, c.i >> (c.j & 31)), put(r, uint32_t(c.i) >> (c.j & 31)),
      put(r, c.u << (c.j & 63));
  put(r, int64_t(c.u) >> (c.j & 63)), put(r, c.f < c.g), put(r, c.f >= c.g), put(r, c.d != c.e), put(r, c.i < c.j);
  put(r, uint32_t(c.i) < uint32_t(c.j)), put(r, int64_t(c.u) < int64_t(c.w)), put(r, int64_t(c.i) * c.j);
  put(r, (c.i & c.j) ^ ~(c.i | c.j)), put(r, int8_t(c.i)), put(r, uint16_t(c.j)), put(r, int64_t(int16_t(c.i)));
#if defined(__CUDA_ARCH__)
  put(r, __popcll(c.u) * 4096 + __clz(c.i) * 64 + __clzll(int64_t(c.w))), put(r, __umul64hi(c.u, c.w));
#else
  put(r, __builtin_popcountll(c.u) * 4096 + (c.i ? __builtin_clz(uint32_t(c.i)) : 32) * 64 +
             (c.w ? __builtin_clzll(c.w) : 64));
  put(r, uint64_t((unsigned __int128)(c.u) * c.w >> 64));
#endif
  while (r < begin + kResults) *r++ = 0;
}
__global__ void compute_all(const Case* cases, uint64_t* results, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) compute(cases[i], results + i * kResults);
}

__device__ __noinline__ uint32_t collatz(uint32_t n, int depth) {
  if (n == 1 || depth > 60) return 0;
  return 1 + collatz(n % 2 == 0 ? n / 2 : 3 * n + 1, depth + 1);
}
__global__ void calls(uint32_t* out) { out[threadIdx.x] = collatz(threadIdx.x % 7 + 1, 0); }

// Lanes of a warp that wait for each other: this ends only with independent lanes.
__global__ void lock_by_lane(uint32_t* lock, uint32_t* count) {
  for (;;) {
    if (atomicCAS(lock, 0u, 1u) == 0) {
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0u);
      break;
    }
  }
}

__global__ void collectives(uint32_t* out) {
  const uint32_t lane = threadIdx.x & 31;
  const uint32_t evens = __ballot_sync(~0u, lane % 2 == 0);
  out[threadIdx.x * 8 + 0] = evens;
#if __CUDA_ARCH__ >= 800  // older GPUs have no such instruction
  out[threadIdx.x * 8 + 1] = __reduce_add_sync(~0u, lane);
  out[threadIdx.x * 8 + 2] = uint32_t(__reduce_min_sync(~0u, int(lane) - 16));
#else
  out[threadIdx.x * 8 + 1] = 31 * 32 / 2;
  out[threadIdx.x * 8 + 2] = uint32_t(-16);
#endif
  out[threadIdx.x * 8 + 3] = __match_any_sync(~0u, lane / 4);
  // Half warps that diverge and meet in separate collectives.
  uint32_t shuffled;
  if (lane % 2 == 0)
    shuffled = __shfl_sync(0x55555555u, lane, 2) + 100;
  else
    shuffled = __shfl_sync(0xaaaaaaaau, lane, 3) + 200;
  out[threadIdx.x * 8 + 4] = shuffled;
  out[threadIdx.x * 8 + 5] = uint32_t(__syncthreads_count(lane < 3));
  out[threadIdx.x * 8 + 6] = uint32_t(__any_sync(~0u, lane == 31) + 2 * __all_sync(~0u, lane < 31));
  out[threadIdx.x * 8 + 7] = __shfl_up_sync(~0u, lane, 1, 8);
}

template <class T>
std::shared_ptr<T> array_of(size_t count) {
  return std::static_pointer_cast<T>(allocate(count * sizeof(T)));
}

TEST(PtxPrograms, WarpsAndBlocksAddUp) {
  const int n = 100000;
  const auto in = array_of<uint32_t>(n);
  const auto out = array_of<unsigned long long>(1);
  unsigned long long expected = 0;
  for (int i = 0; i < n; ++i) expected += in.get()[i] = uint32_t(i) * 2654435761u;
  sum<<<5, 256>>>(in.get(), out.get(), n);
  wait();
  EXPECT_EQ(*out, expected);
}

TEST(PtxPrograms, ArithmeticIsTheHosts) {
  const int n = 20000;
  const auto cases = array_of<Case>(n);
  const auto results = array_of<uint64_t>(size_t(n) * kResults);
  std::mt19937_64 random(1);
  for (int i = 0; i < n; ++i) {
    const auto number = [&] {
      const uint32_t bits = uint32_t(random());
      float x;
      std::memcpy(&x, &bits, 4);
      return i % 3 == 0 ? x : float(int32_t(bits)) / 65536;
    };
    Case& c = cases.get()[i];
    c.f = number(), c.g = number(), c.d = double(number()) * 1.1, c.e = double(number());
    c.i = int32_t(random()) >> (random() % 32), c.j = int32_t(random()) >> (random() % 32);
    c.u = random() >> (random() % 64), c.w = random() >> (random() % 64);
  }
  compute_all<<<(n + 255) / 256, 256>>>(cases.get(), results.get(), n);
  wait();
  std::vector<int> bad(kResults);
  for (int i = 0; i < n; ++i) {
    uint64_t expected[kResults];
    compute(cases.get()[i], expected);
    for (int j = 0; j < kResults; ++j) bad[size_t(j)] += expected[j] != results.get()[size_t(i) * kResults + size_t(j)];
  }
  for (int j = 0; j < kResults; ++j) EXPECT_EQ(bad[size_t(j)], 0) << "operation " << j;
}

TEST(PtxPrograms, FunctionsCallThemselves) {
  const auto out = array_of<uint32_t>(64);
  calls<<<1, 64>>>(out.get());
  wait();
  const uint32_t expected[7] = {0, 1, 7, 2, 5, 8, 16};
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out.get()[i], expected[i % 7]) << i;
}

TEST(PtxPrograms, LanesLockEachOtherOut) {
  const auto words = array_of<uint32_t>(2);
  lock_by_lane<<<2, 64>>>(words.get(), words.get() + 1);
  wait();
  EXPECT_EQ(words.get()[1], 128u);
}

TEST(PtxPrograms, Collectives) {
  const auto out = array_of<uint32_t>(64 * 8);
  collectives<<<1, 64>>>(out.get());
  wait();
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t l = i % 32, *const o = out.get() + i * 8;
    const std::vector<uint32_t> expected = {
        0x55555555u, 496, uint32_t(-16), 15u << (l / 4 * 4), l % 2 == 0 ? 102u : 203u, 6, 1, l % 8 == 0 ? l : l - 1};
    EXPECT_EQ(std::vector<uint32_t>(o, o + 8), expected) << "thread " << i;
  }
}

}  // namespace
