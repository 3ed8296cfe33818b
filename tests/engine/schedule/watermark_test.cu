// The watermark: a warp that has read it sees the writes of all tasks below it, and it reaches the last task in any
// order of completion. On the PTX interpreter, with several seeds, each release and acquire on the way is needed for
// that (docs/research/ptx.md).
#include "schedule/watermark.h"

#include <gtest/gtest.h>

#include "machine/cuda_memory.h"

namespace brokkr {
namespace {

constexpr int kBlocks = 4, kBlockWarps = 4;
constexpr uint32_t kWindow = 512;

struct Plan {
  ScheduleTables schedule;
  QueueMemory<1> free_blocks;
  uint32_t* written;   // of each task: its number + 1
  uint32_t* mistakes;  // missing words of tasks below the watermark
  bool wait;           // wait until the watermark reaches the last task
};

// Checks tasks `checked` .. watermark - 1, and returns the watermark.
BROKKR_FN uint32_t check_written(Warp& w, const Plan& plan, uint32_t checked) {
  const uint32_t mark = read_status(w, plan.schedule, plan.free_blocks).watermark;
  for (uint32_t g = checked; g < mark; g += 32) {
    const Mask m = w.first_lanes(int(mark - g));
    const Mask wrong = m && w.load(plan.written + g, m) != as_uint(w.lane()) + (g + 1);
    const int count = w.count(wrong);
    if (count > 0) w.once([&] { device_atomic<uint32_t>(*plan.mistakes).fetch_add(uint32_t(count), kRelaxed); });
  }
  return mark;
}

// Warps take one to three tasks at a time, as decisions of blocks do.
__global__ void take_tasks(const __grid_constant__ Plan plan) {
  Warp w;
  const ScheduleTables& schedule = plan.schedule;
  const uint32_t want = 1 + (blockIdx.x * kBlockWarps + threadIdx.x / 32) % 3;
  uint32_t checked = 0;
  for (;;) {
    const uint32_t first =
        w.uniform([&] { return device_atomic<uint32_t>(schedule.control->next_task).fetch_add(want, kRelaxed); });
    if (first >= schedule.tasks) break;
    const uint32_t count = schedule.tasks - first < want ? schedule.tasks - first : want;
    w.store(plan.written + first, as_uint(w.lane()) + (first + 1), w.first_lanes(int(count)));
    complete_tasks(w, schedule, {first, count, false});
    checked = check_written(w, plan, checked);
  }
  for (int spin = 0; plan.wait && checked < schedule.tasks; ++spin) {
    checked = check_written(w, plan, checked);
    if (w.uniform([&] { return system_atomic<uint32_t>(*schedule.abort).load(kRelaxed); }) != 0) return;
    pause(spin);
  }
}

class CudaWatermark : public testing::TestWithParam<bool> {
 protected:
  void take(uint32_t tasks, bool wait) {
    const auto control = cuda_test::make<ScheduleControl>();
    const auto words = std::static_pointer_cast<uint32_t>(cuda_test::allocate((kWindow + tasks + 2) * 4));
    const auto queue = cuda_test::allocate(QueueMemory<1>::bytes(1, 2));
    Plan plan{};
    plan.schedule.control = control.get();
    plan.schedule.counted = GetParam();
    plan.schedule.task_done = words.get();
    plan.schedule.window = kWindow;
    plan.schedule.tasks = tasks;
    plan.written = words.get() + kWindow;
    plan.mistakes = plan.written + tasks;
    plan.schedule.abort = plan.mistakes + 1;
    plan.free_blocks = QueueMemory<1>::layout(queue.get(), 1, 2);
    plan.wait = wait;
    take_tasks<<<kBlocks, kBlockWarps * 32>>>(plan);
    EXPECT_TRUE(cuda_test::wait(plan.schedule.abort)) << "the watermark does not move";
    EXPECT_EQ(control->watermark, tasks);
    EXPECT_EQ(*plan.mistakes, 0u);
  }
};

TEST_P(CudaWatermark, PublishesAllBelowIt) {
  for (int again = 0; again < 3 && !HasFailure(); ++again) take(300, true);
}

// If two tasks end together, one must find the other, because no later task would find both.
TEST_P(CudaWatermark, ComesToTheLastTask) {
  for (int again = 0; again < 100 && !HasFailure(); ++again) take(2 + uint32_t(again) % 30, false);
}

INSTANTIATE_TEST_SUITE_P(Tasks, CudaWatermark, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Counted" : "InARing"; });

}  // namespace
}  // namespace brokkr
