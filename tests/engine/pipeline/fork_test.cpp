// Forked processes render like their parents, although a pool's threads do not exist in them.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "in_child.h"
#include "machine/worker_pool.h"
#include "pipeline/task_machine.h"

// ThreadSanitizer allows no threads in a child of a process with several threads.
#if !BROKKR_THREAD_SANITIZER
namespace brokkr {
namespace {

// Returns "good" if `work` is true in a child.
std::string in_child(const std::function<bool()>& work) {
  return test::in_child([&] { return std::string(work() ? "good" : "wrong"); });
}

RenderOptions options_of(MachineKind machine, int workers) {
  RenderOptions options;
  options.machine = machine;
  options.workers = workers;
  return options;
}

class Fork : public testing::TestWithParam<MachineKind> {
 protected:
  RenderOptions options() const { return options_of(GetParam(), 3); }
  bool draws_the_same(Renderer& renderer) const {
    return renderer.render(frame_, options()).targets[0].layers[0].color == expected_;
  }

  const Frame frame_ = load_frame("generated:city?triangles=2000", {.width = 150, .height = 90});
  const std::vector<uint32_t> expected_ = [this] {
    Renderer renderer;
    return renderer.render(frame_, options()).targets[0].layers[0].color;
  }();
};

TEST_P(Fork, AChildDrawsWithTheParentsRenderer) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame_);
  ASSERT_EQ(renderer.render(prepared, options()).targets[0].layers[0].color, expected_);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(in_child([&] { return renderer.render(prepared, options()).targets[0].layers[0].color == expected_; }),
              "good")
        << "the parent's frame";
    EXPECT_EQ(in_child([&] { return draws_the_same(renderer); }), "good") << "a frame of its own";
    EXPECT_TRUE(draws_the_same(renderer)) << "the parent goes on";
  }
}

TEST_P(Fork, AChildsChildDrawsToo) {
  Renderer renderer;
  ASSERT_TRUE(draws_the_same(renderer));
  EXPECT_EQ(in_child([&] {
              if (!draws_the_same(renderer)) return false;
              if (in_child([&] { return draws_the_same(renderer); }) != "good") return false;
              return draws_the_same(renderer);
            }),
            "good");
  EXPECT_EQ(in_child([&] { return in_child([&] { return draws_the_same(renderer); }) == "good"; }), "good")
      << "the child itself has not drawn";
}

// The child runs the destructors of the parent's objects.
TEST_P(Fork, AChildEndsWhatItsParentBegan) {
  auto renderer = std::make_unique<Renderer>();
  ASSERT_TRUE(draws_the_same(*renderer));
  EXPECT_EQ(in_child([&] {
              renderer.reset();
              return true;
            }),
            "good");
  EXPECT_EQ(in_child([&] {
              const bool good = draws_the_same(*renderer);
              renderer.reset();
              return good;
            }),
            "good");
}

// Launches and preparations of other threads are in progress when the process forks.
TEST_P(Fork, OtherThreadsDrawMeanwhile) {
  Renderer renderer, others;
  ASSERT_TRUE(draws_the_same(renderer));
  std::atomic<bool> end{false};
  std::thread other([&] {
    while (!end) draws_the_same(others);
  });
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(in_child([&] { return draws_the_same(renderer); }), "good");
    EXPECT_EQ(in_child([&] {
                Renderer own;
                return draws_the_same(own);
              }),
              "good");
    // The other thread's renderer was busy at the fork.
    EXPECT_EQ(in_child([&] { return draws_the_same(others); }), "good");
  }
  end = true;
  other.join();
}

INSTANTIATE_TEST_SUITE_P(All, Fork, testing::Values(MachineKind::cpu, MachineKind::emulated),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(ForkedPool, RunsAllItsWork) {
  WorkerPool pool;
  const auto runs_all = [&](int count) {
    std::atomic<int> met{0};
    const std::function<void(int)> work = [&](int) {
      ++met;
      while (met < count) std::this_thread::yield();
    };
    pool.start(count, work);
    return pool.wait(-1) && met == count;
  };
  ASSERT_TRUE(runs_all(3));
  EXPECT_EQ(in_child([&] { return runs_all(2) && runs_all(5); }), "good");
  EXPECT_EQ(in_child([&] { return pool.wait(-1); }), "good") << "nothing of the parent's is waited for";
  EXPECT_TRUE(runs_all(4));
}

TEST(ForkedTaskMachine, Runs) {
  const auto machine = make_task_machine("cpu");
  const TaskArray<uint32_t> marks(*machine, 4);
  const TaskKernel<uint32_t*> mark{[](uint32_t* const& all, int warp) { all[warp] += uint32_t(warp) + 1; }, nullptr};
  const auto run = [&] {
    marks.clear();
    return machine->run(mark, marks.data(), 4, {}).end == TaskEnd::done &&
           marks.values() == std::vector<uint32_t>{1, 2, 3, 4};
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(in_child(run), "good");
  EXPECT_TRUE(run());
}

}  // namespace
}  // namespace brokkr
#endif
