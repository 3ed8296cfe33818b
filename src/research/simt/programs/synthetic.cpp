// EVEN, LOOP and [Steffen12, Alg. 4]: branches of known shape.
#include "simt/programs.h"
#include "simt/programs/expect.h"

namespace brokkr::simt {
namespace {

constexpr uint32_t kThreads = 256;

// Same layout as struct BranchWork of branch.cu.
struct BranchWork {
  const uint32_t* data;
  uint32_t* out;
  uint32_t loop1, loop2, loop_end, store, restore, model;
};

uint32_t branch_result(uint32_t v, const BranchWork& w) {
  if (v >= 16) {
    for (uint32_t i = 0; i < w.loop1; ++i) v = v * 5 + 1;
  } else {
    for (uint32_t i = 0; i < w.loop2; ++i) v = (v ^ v >> 3) + v;
  }
  for (uint32_t i = 0; i < w.loop_end; ++i) v = v * 2 + (v >> 31);
  return v;
}

}  // namespace

void run_even(Runner& runner, const ProgramSize& size) {
  const uint32_t count = 4096 * size.scale, rounds = 4;
  Numbers numbers(1);
  std::vector<uint32_t> in(count), expected(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t v = in[i] = numbers.next();
    for (uint32_t r = 0; r < rounds; ++r) {
      const bool even = (v & 1) == 0;
      for (uint32_t k = 0; k < 8; ++k) v = even ? v * 1664525u + (k ^ 1013904223u) : (v ^ v >> 7) + (k | 2654435769u);
    }
    expected[i] = v;
  }
  uint32_t* const out = runner.buffer<uint32_t>(count);
  runner.launch("even", {count / kThreads}, {kThreads}, runner.buffer(in), out, count, rounds);
  if (!runner.was_stopped()) expect_same("even", out, expected);
}

void run_loop(Runner& runner, const ProgramSize& size) {
  const uint32_t count = 4096 * size.scale, rounds = 4;
  Numbers numbers(2);
  std::vector<uint32_t> first(count), second(count), expected(count);
  for (uint32_t& v : first) v = 1 + numbers.below(16);
  for (uint32_t i = 0; i < count; ++i) second[i] = 17 - first[i];
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t v = i;
    for (uint32_t r = 0; r < rounds; ++r) {
      for (uint32_t k = 4 * first[(i + r * 37) % count], j = 0; j < k; ++j) v = (v ^ v >> 7) * 1664525u + j % 4;
      for (uint32_t k = 4 * second[(i + r * 37) % count], j = 0; j < k; ++j) v = (v + (v << 5)) ^ (2654435769u + j % 4);
    }
    expected[i] = v;
  }
  uint32_t* const out = runner.buffer<uint32_t>(count);
  runner.launch("loop", {count / kThreads}, {kThreads}, runner.buffer(first), runner.buffer(second), out, count,
                rounds);
  if (!runner.was_stopped()) expect_same("loop", out, expected);
}

// Lanes of the longer path come first in their warp, or are drawn at random; warps that do not diverge take the shorter
// path.
void run_branch(Runner& runner, const BranchRun& run) {
  const uint32_t count = run.warps * 32;
  Numbers numbers(3);
  std::vector<uint32_t> data(count), expected(count);
  for (uint32_t i = 0; i < count; ++i) {
    const bool diverges = i / 32 * 100 < run.warps_percent * run.warps;
    const bool is_long = run.drawn ? numbers.below(100) < run.long_percent : i % 32 * 100 < run.long_percent * 32;
    data[i] = diverges && is_long ? 16 + i % 7 : i % 13;
  }
  BranchWork w{runner.buffer(data),
               runner.buffer<uint32_t>(count),
               run.shorter * run.ratio,
               run.shorter,
               run.end,
               12,
               10,
               run.model};
  for (uint32_t i = 0; i < count; ++i) expected[i] = branch_result(data[i], w);
  runner.launch(run.model == 0 ? "branch" : "branch_begin", {1}, {count}, w);
  if (!runner.was_stopped()) expect_same("branch", w.out, expected);
}

void run_branch_stack(Runner& runner, const ProgramSize& size) { run_branch(runner, {.shorter = 20 * size.scale}); }
void run_branch_model(Runner& runner, const ProgramSize& size) {
  run_branch(runner, {.shorter = 20 * size.scale, .model = 1});
}

}  // namespace brokkr::simt
