// The thread that calls Renderer::render draws as well, unless a loop of a program could keep it from watching.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "machine/worker_pool.h"
#include "pictures.h"
#include "program_frame.h"

namespace brokkr {
namespace {

using test::ProgramFrame;

// All calls meet, so each has a thread of its own.
TEST(WorkerPool, TheCallerMakesTheFirstCall) {
  WorkerPool pool;
  for (const int count : {1, 3, 2}) {
    std::vector<std::thread::id> threads(static_cast<size_t>(count));
    std::atomic<int> met = 0;
    pool.run(count, [&](int i) {
      threads[size_t(i)] = std::this_thread::get_id();
      ++met;
      while (met < count) std::this_thread::yield();
    });
    EXPECT_EQ(threads[0], std::this_thread::get_id());
    std::sort(threads.begin(), threads.end());
    EXPECT_EQ(std::unique(threads.begin(), threads.end()), threads.end());
  }
}

TEST(WorkerPool, WaitsForThreadsAfterTheCallersOwnCallThrew) {
  WorkerPool pool;
  std::atomic<int> ended = 0;
  std::atomic<bool> thrown = false;
  const std::function<void(int)> work = [&](int i) {
    if (i == 0) {
      thrown = true;
      throw std::runtime_error("as intended");
    }
    while (!thrown) std::this_thread::yield();
    ++ended;
  };
  EXPECT_THROW(pool.run(3, work), std::runtime_error);
  EXPECT_EQ(ended, 2);
}

// Calls that were withdrawn are never made, and the pool waits for all others.
TEST(WorkerPool, WithdrawsCallsThatNoThreadHasBegun) {
  constexpr int kThreads = 16;
  WorkerPool pool;
  int withdrawn = 0;
  for (int round = 0; round < 100 || withdrawn == 0; ++round) {
    std::atomic<int> begun = 0, ended = 0;
    std::atomic<bool> is_over = false;
    const std::function<void(int)> work = [&](int) {
      EXPECT_FALSE(is_over);
      ++begun;
      std::this_thread::yield();
      ++ended;
    };
    pool.start(1 + kThreads, work, WorkerPool::First::caller);
    pool.withdraw();
    EXPECT_TRUE(pool.wait(-1));
    is_over = true;
    EXPECT_EQ(begun, ended);
    withdrawn += kThreads - begun;
  }
  std::atomic<int> calls = 0;
  pool.run(1 + kThreads, [&](int) { ++calls; });
  EXPECT_EQ(calls, 1 + kThreads);
}

#if defined(__linux__)
size_t threads_of_process() { return paths_in("/proc/self/task").size(); }

// Two large triangles, which a launch with one worker draws in more than kMaxFragments (is_short).
Frame large(const std::string& body) {
  ProgramFrame b(2048, 1024);
  const uint32_t program = b.program("out vec4 color0;\nvoid main() { " + body + " }", {});
  b.draw_with(program, b.default_state(), {{0, 0}, {4096, 0}, {0, 2048}});
  return std::move(b.frame);
}

size_t threads_that_draw(const Frame& frame) {
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.workers = 1;
  options.shaders = ShaderCode::interpreted;
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  const size_t before = threads_of_process();
  const RenderResult result = renderer.render(prepared, options, false);
  EXPECT_EQ(result.statistics.fragments_shaded, 2048u * 1024u);
  return threads_of_process() - before;
}

TEST(Caller, DrawsItself) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  EXPECT_EQ(threads_that_draw(large("color0 = vec4(gl_FragCoord.xy / 2048.0, 0.0, 1.0);")), 0u);
}

TEST(Caller, OnlyWatchesIfAProgramHasLoops) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  EXPECT_EQ(threads_that_draw(large("float s = 0.0; for (float i = 0.0; i < gl_FragCoord.x; i += 512.0) s += i;"
                                    " color0 = vec4(s / 4096.0);")),
            1u);
}
#endif

// A launch whose only worker is the caller asks the caller's own function, and ends.
TEST(Caller, LooksWhileItDraws) {
  constexpr int kTriangles = 60000;
  oracle::FrameBuilder b(1920, 1080);
  std::vector<glm::vec4> corners;
  for (int i = 0; i < kTriangles; ++i) {
    const float z = 0.9f - 1.8f * float(i) / kTriangles;
    for (const glm::vec2 p : {glm::vec2(-1, -1), glm::vec2(3, -1), glm::vec2(-1, 3)}) corners.emplace_back(p, z, 1);
  }
  b.draw(b.default_state(), corners);
  for (const MachineKind machine : {MachineKind::cpu, MachineKind::emulated}) {
    RenderOptions options;
    options.machine = machine;
    options.workers = 1;
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(b.frame);
    int asked = 0;
    bool is_caller = true;
    renderer.watch([&, caller = std::this_thread::get_id()] {
      is_caller &= std::this_thread::get_id() == caller;
      return ++asked == 2;
    });
    EXPECT_TRUE(renderer.render(prepared, options).aborted);
    EXPECT_EQ(asked, 2);
    EXPECT_TRUE(is_caller);
    renderer.watch({});
  }
}

}  // namespace
}  // namespace brokkr
