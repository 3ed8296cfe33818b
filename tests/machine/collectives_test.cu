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
