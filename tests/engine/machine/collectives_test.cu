// Every collective and lane function of the CUDA machine against scalar answers.
#include <gtest/gtest.h>

#include "block_answers.h"
#include "block_oracle.h"
#include "cuda_memory.h"
#include "lane_answers.h"
#include "lane_oracle.h"

namespace brokkr::machine_test {
namespace {

__global__ void answer_kernel(const LaneInput* in, LaneAnswers* out) {
  Warp w;
  machine_workers::answer(w, *in, *out);
}

__global__ void share_keys_kernel(const BlockInput* in, BlockAnswers* out) {
  __shared__ machine_workers::Keys keys;
  Block<machine_workers::Keys> block;
  block.warps = int(blockDim.x / 32);
  block.warp.index = int(threadIdx.x / 32);
  block.shared = &keys;
  machine_workers::share_keys(block, *in, *out);
}

// The result of every operation on one word, and the word afterwards.
template <class T>
struct AtomicAnswers {
  T word;
  T loaded[2], added[4], subtracted, ored, anded, exchanged, expected[2];
  bool same[2];
  T left[8];
};

template <class T>
__global__ void atomics_kernel(AtomicAnswers<T>* out, T value) {
  device_atomic<T> a(out->word);
  T* left = out->left;
  a.store(value, kRelaxed);
  out->loaded[0] = a.load(kRelaxed);
  out->added[0] = a.fetch_add(1, kRelaxed);
  out->added[1] = a.fetch_add(2, kAcquire);
  out->added[2] = a.fetch_add(3, kRelease);
  out->added[3] = a.fetch_add(4, kAcqRel);
  *left++ = out->word;
  out->subtracted = a.fetch_sub(10, kAcqRel);
  *left++ = out->word;
  out->ored = a.fetch_or(T(15), kRelaxed);
  *left++ = out->word;
  out->anded = a.fetch_and(~T(3), kRelease);
  *left++ = out->word;
  out->exchanged = a.exchange(7, kSeqCst);
  *left++ = out->word;
  out->expected[0] = 8;
  out->same[0] = a.compare_exchange_strong(out->expected[0], 9, kAcquire, kRelaxed);
  *left++ = out->word;
  out->expected[1] = 7;
  out->same[1] = a.compare_exchange_weak(out->expected[1], value, kRelaxed);
  *left++ = out->word;
  a.store(5, kRelease);
  out->loaded[1] = system_atomic<T>(out->word).load(kAcquire);
  *left++ = out->word;
}

template <class T>
void expect_atomics(T value) {
  const auto out = cuda_test::make<AtomicAnswers<T>>();
  atomics_kernel<T><<<1, 1>>>(out.get(), value);
  cuda_test::wait();
  EXPECT_EQ(out->loaded[0], value);
  for (int i = 0, sum = 0; i < 4; sum += ++i) EXPECT_EQ(out->added[i], value + T(sum));
  EXPECT_EQ(out->subtracted, value + 10);
  EXPECT_EQ(out->ored, value);
  EXPECT_EQ(out->anded, value | 15);
  EXPECT_EQ(out->exchanged, (value | 15) & ~T(3));
  EXPECT_FALSE(out->same[0]);
  EXPECT_EQ(out->expected[0], T(7));
  EXPECT_TRUE(out->same[1]);
  EXPECT_EQ(out->expected[1], T(7));
  EXPECT_EQ(out->loaded[1], T(5));
  const T left[] = {value + 10, value, value | 15, (value | 15) & ~T(3), 7, 7, value, 5};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out->left[i], left[i]) << "step " << i;
}

TEST(Cuda, AtomicsOfGlobalMemory) {
  expect_atomics<uint32_t>(0x80000040u);
  expect_atomics<uint64_t>(0x8000000080000040u);
}

TEST(Cuda, AnswersAsScalarsDo) {
  const auto in = cuda_test::make<LaneInput>();
  const auto out = cuda_test::make<LaneAnswers>();
  for (uint32_t seed = 0; seed < 500; ++seed) {
    *in = random_input(seed, 32);
    clear(*out);
    answer_kernel<<<1, 32>>>(in.get(), out.get());
    cuda_test::wait();
    ASSERT_EQ(check(32, *in, *out), "") << "case " << seed;
  }
}

TEST(Cuda, WarpsOfABlockShareAKeyBuffer) {
  const auto in = cuda_test::make<BlockInput>();
  for (uint32_t seed = 0; seed < 20; ++seed) {
    *in = random_block_input(seed);
    for (int warps = 1; warps <= 32; warps *= 2) {
      const auto out = cuda_test::make<BlockAnswers>();
      share_keys_kernel<<<1, 32 * warps>>>(in.get(), out.get());
      cuda_test::wait();
      ASSERT_EQ(check(*in, *out, warps), "") << "case " << seed << ", " << warps << " warps";
    }
  }
}

}  // namespace
}  // namespace brokkr::machine_test
