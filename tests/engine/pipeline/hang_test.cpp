// A frame that hangs: its words report it, and every wait of its blocks ends when they are told to leave.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "machine/zeroed_memory.h"
#include "pipeline/cpu_machine.h"
#include "plan/frame_words.h"
#include "plan/prepare.h"

namespace brokkr {
namespace {

// A launch on a CPU machine whose memory a test can damage before it begins.
class Launch {
 public:
  explicit Launch(const std::string& isa) : kernel_(*find_cpu_kernel(isa == "native" ? best_cpu_isa() : isa)) {
    LoadOptions load;
    load.width = 160;
    load.height = 90;
    frame_ = load_frame("generated:overlap-10k?triangles=500", load);
    prepared_.emplace(renderer_.prepare(frame_));
    LaunchShape shape;
    shape.blocks = 2;
    shape.warps = std::min(kernel_.max_warps, 2);
    shape.width = kernel_.width;
    shape.shared_bytes = (kernel_.shared_bytes + 63) / 64 * 64;
    PreparedFrame::Impl& impl = PreparedFrame::Impl::of(*prepared_);
    RenderOptions options;
    options.shading = Shading::flat;
    plan_ = impl.plans.get(impl, plan_key(impl, options, shape));
    memory_.emplace(plan_->memory);
    fill_free_blocks(memory_->free_blocks(), plan_->memory.store_blocks);
    data_ = memory_->data(*plan_, host_tables(impl, *plan_), options, &abort_);
    std::fill_n(data_.raster.targets.region_state.get(), plan_->memory.regions, initial_region());
  }
  // A failed test would leave threads that never end.
  ~Launch() { EXPECT_TRUE(started_ && ends_within(0)); }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  QueueMemory<1> free_blocks() const { return memory_->free_blocks(); }
  QueueMemory<2> queues() const { return memory_->queues(); }
  FrameWords words() const {
    return {data_.schedule.control,
            data_.raster.rasterizers,
            data_.raster.bits.claimed,
            data_.raster.queues.control,
            data_.raster.stock.free_blocks.control,
            &abort_.level,
            data_.schedule.tasks,
            data_.schedule.rasterizers,
            data_.raster.frame.phase_count};
  }

  void start() {
    const LaunchShape& shape = plan_->shape;
    const CpuLaunch launch{&data_, memory_->shared.as<std::byte>(), shape.shared_bytes, shape.blocks, shape.warps};
    work_ = [this, launch](int i) { kernel_.run_warp(launch, i / launch.warps, i % launch.warps); };
    pool_.start(shape.blocks * shape.warps, work_);
    started_ = true;
  }
  bool ends_within(double ms) { return pool_.wait(ms); }
  void request(AbortLevel level) {
    std::atomic_ref<uint32_t>(abort_.level).store(level);
    std::atomic_ref<uint32_t>(abort_.leave).store(level >= kAbortLeave);
  }

 private:
  const CpuKernel& kernel_;
  Frame frame_;
  Renderer renderer_;
  std::optional<PreparedFrame> prepared_;
  std::shared_ptr<const LaunchPlan> plan_;
  std::optional<LaunchMemory<ZeroedMemory>> memory_;
  LaunchData data_{};
  AbortWords abort_{};
  bool started_ = false;
  std::function<void(int)> work_;
  WorkerPool pool_;
};

constexpr double kAMinute = 60000;
constexpr uint32_t kNobodysTicket = 77;

class Hang : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!cpu_supports(GetParam())) GTEST_SKIP() << GetParam() << " does not run here";
  }
  // Expects a launch that waits forever until it is told to leave.
  static void expect_that_it_leaves(Launch& launch) {
    launch.start();
    EXPECT_FALSE(launch.ends_within(50));
    launch.request(kAbortFinish);
    EXPECT_FALSE(launch.ends_within(50)) << "what is queued is lost";
    launch.request(kAbortLeave);
    ASSERT_TRUE(launch.ends_within(kAMinute));
    // Not during the run: the report reads the copy of a device's words without atomics.
    const std::string report = report_text(launch.words());
    EXPECT_NE(report.find(fmt::format("abort word {}\n", kAbortLeave)), std::string::npos) << report;
    EXPECT_EQ(report.find("rasterizers: 0 in all"), std::string::npos) << report;
  }
};

TEST_P(Hang, ALostFreeBlockIsNotWaitedForOnceBlocksAreToLeave) {
  Launch launch(GetParam());
  const QueueMemory<1> free = launch.free_blocks();
  for (uint32_t i = 0; i < free.capacity; ++i) free.slots[size_t(i) * QueueMemory<1>::kSlotWords] = kNobodysTicket;
  expect_that_it_leaves(launch);
}

TEST_P(Hang, ALostPlaceInAQueueIsNotWaitedForOnceBlocksAreToLeave) {
  Launch launch(GetParam());
  const QueueMemory<2> queues = launch.queues();
  for (size_t i = 0; i < size_t(queues.queues) * queues.capacity; ++i)
    queues.slots[i * QueueMemory<2>::kSlotWords] = kNobodysTicket;
  expect_that_it_leaves(launch);
}

TEST_P(Hang, AFrameThatEndsHasWordsThatSaySo) {
  Launch launch(GetParam());
  const uint64_t begin = progress_of(launch.words());
  launch.start();
  ASSERT_TRUE(launch.ends_within(kAMinute));
  const FrameWords words = launch.words();
  EXPECT_NE(progress_of(words), begin);
  const std::string tasks = std::to_string(words.tasks), rasterizers = std::to_string(words.rasterizers);
  EXPECT_EQ(progress_text(words), tasks + " of " + tasks + " tasks are complete, " + rasterizers + " of " +
                                      rasterizers + " rasterizers have finished");
  const std::string report = report_text(words);
  EXPECT_NE(report.find("rasterizers: " + rasterizers + " in all, " + rasterizers + " finished"), std::string::npos);
  EXPECT_EQ(report.find("no block works for it"), std::string::npos) << report;
}

INSTANTIATE_TEST_SUITE_P(Machines, Hang, testing::Values("native", "emulated"),
                         [](const auto& isa) { return std::string(isa.param); });

// Polling and claiming are not progress; everything else is.
TEST(FrameWords, ProgressIsWhatBringsTheEndNearer) {
  ScheduleControl control{};
  RasterizerState rasterizer[2] = {};
  QueueControl queue[2] = {}, free{};
  uint32_t claimed = 0, abort = 0;
  const FrameWords words{&control, rasterizer, &claimed, queue, &free, &abort, 40, 2, 3};
  const uint64_t before = progress_of(words);
  claimed = 1u << 1;
  free.count = 7, free.head = 3, free.tail = 9;
  control.share[0] = 1000;
  queue[0].count = 1;
  EXPECT_EQ(progress_of(words), before);
  const auto changes = [&](auto& word) {
    ++word;
    const bool other = progress_of(words) != before;
    --word;
    return other;
  };
  EXPECT_TRUE(changes(control.next_task));
  EXPECT_TRUE(changes(control.watermark));
  EXPECT_TRUE(changes(control.completed));
  EXPECT_TRUE(changes(control.finished));
  EXPECT_TRUE(changes(rasterizer[1].phase));
  EXPECT_TRUE(changes(rasterizer[1].pending));
  EXPECT_TRUE(changes(rasterizer[1].fragments));
  EXPECT_TRUE(changes(queue[1].head));
  EXPECT_TRUE(changes(queue[1].tail));
  control.completed = 12, control.finished = 1, rasterizer[0].phase = 3;
  EXPECT_EQ(progress_text(words), "12 of 40 tasks are complete, 1 of 2 rasterizers have finished");
  EXPECT_EQ(report_text(words),
            "  abort word 0\n"
            "  tasks: 40 in all, 0 taken, 12 complete, watermark 0\n"
            "  rasterizers: 2 in all, 1 finished\n"
            "  free blocks of the triangle store: 7 elements, 9 put, 3 taken\n"
            "  rasterizer 1: a block works for it, phase 0 of 3, goes on at batch 0, 0 pending, queue of 0 elements, 0 "
            "put, 0 taken\n");
}

}  // namespace
}  // namespace brokkr
