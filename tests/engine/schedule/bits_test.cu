// No element remains while its bit is clear, and the block that claims a rasterizer sees the writes of the block before
// it. On the PTX interpreter, with several seeds, each release and acquire on the way is needed for that
// (docs/research/ptx.md).
#include <gtest/gtest.h>

#include <numeric>

#include "bits_workers.h"
#include "machine/cuda_memory.h"

namespace brokkr {
namespace {

constexpr int kBitsBlocks = 4, kBitsBlockWarps = 2;
constexpr uint32_t kBitsRasterizers = 4, kBitsEach = 30, kBitsCapacity = 256;

__global__ void put_and_take_all(const __grid_constant__ schedule_test::BitsPlan plan) {
  Warp w;
  put_and_take(w, plan, blockIdx.x * kBitsBlockWarps + threadIdx.x / 32);
}

TEST(CudaBits, LeaveNoElementBehind) {
  constexpr uint32_t kWarps = kBitsBlocks * kBitsBlockWarps;
  for (int again = 0; again < 5 && !testing::Test::HasFailure(); ++again) {
    const auto queues = cuda_test::allocate(QueueMemory<1>::bytes(int(kBitsRasterizers), kBitsCapacity));
    const auto words = std::static_pointer_cast<uint32_t>(cuda_test::allocate((kBitsRasterizers + 3) * 4));
    schedule_test::BitsPlan plan{};
    plan.queues = QueueMemory<1>::layout(queues.get(), int(kBitsRasterizers), kBitsCapacity);
    plan.bits.claimed = words.get();
    plan.bits.filled = words.get() + 1;
    plan.ready = words.get() + 2;
    plan.taken = words.get() + 3;
    plan.warps = kWarps;
    plan.each = kBitsEach;
    put_and_take_all<<<kBitsBlocks, kBitsBlockWarps * 32>>>(plan);
    cuda_test::wait();
    EXPECT_EQ(std::accumulate(plan.taken, plan.taken + kBitsRasterizers, 0u), kWarps * kBitsEach);
    EXPECT_EQ(*plan.bits.claimed, 0u);
  }
}

}  // namespace
}  // namespace brokkr
