// EVEN, LOOP and [Steffen12, Alg. 4]: branches of known shape.

#include <algorithm>
#include <deque>

#include "simt/programs.h"

namespace brokkr::simt {
namespace {

constexpr uint32_t kThreads = 256;

// Same layout as struct BranchWork of branch.cu.
struct BranchWork {
  const uint32_t* data;
  uint32_t* out;
  uint32_t loop1, loop2, loop_end, store, restore, model;
};

uint32_t branch_result(uint32_t value, const BranchWork& w) {
  if (value >= 16) {
    for (uint32_t i = 0; i < w.loop1; ++i) value = value * 5 + 1;
  } else {
    for (uint32_t i = 0; i < w.loop2; ++i) value = (value ^ value >> 3) + value;
  }
  for (uint32_t i = 0; i < w.loop_end; ++i) value = value * 2 + (value >> 31);
  return value;
}

}  // namespace

void run_even(Runner& runner, const ProgramSize& size) {
  const uint32_t count = 4096 * size.scale, rounds = 4;
  Numbers numbers(1);
  std::vector<uint32_t> in(count), expected(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t value = in[i] = numbers.next();
    for (uint32_t r = 0; r < rounds; ++r) {
      const bool even = (value & 1) == 0;
      for (uint32_t k = 0; k < 8; ++k)
        value = even ? value * 1664525u + (k ^ 1013904223u) : (value ^ value >> 7) + (k | 2654435769u);
    }
    expected[i] = value;
  }
  uint32_t* const out = runner.buffer<uint32_t>(count);
  runner.launch("even", {count / kThreads}, {kThreads}, runner.buffer(in), out, count, rounds);
  if (!runner.was_stopped()) expect_same("even", out, expected);
}

void run_loop(Runner& runner, const ProgramSize& size) {
  const uint32_t count = 4096 * size.scale, rounds = 4;
  Numbers numbers(2);
  std::vector<uint32_t> first(count), second(count), expected(count);
  for (uint32_t& value : first) value = 1 + numbers.below(16);
  for (uint32_t i = 0; i < count; ++i) second[i] = 17 - first[i];
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t value = i;
    for (uint32_t r = 0; r < rounds; ++r) {
      for (uint32_t k = 4 * first[(i + r * 37) % count], j = 0; j < k; ++j)
        value = (value ^ value >> 7) * 1664525u + j % 4;
      for (uint32_t k = 4 * second[(i + r * 37) % count], j = 0; j < k; ++j)
        value = (value + (value << 5)) ^ (2654435769u + j % 4);
    }
    expected[i] = value;
  }
  uint32_t* const out = runner.buffer<uint32_t>(count);
  runner.launch("loop", {count / kThreads}, {kThreads}, runner.buffer(first), runner.buffer(second), out, count,
                rounds);
  if (!runner.was_stopped()) expect_same("loop", out, expected);
}

// The lanes of the longer path come first in their warp, or are random. Warps that do not diverge take the shorter
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

// Bitonic sort, breadth-first search, Laplace's equation, queens.

namespace {

constexpr uint32_t kUnreached = ~0u;

// The number of solutions with the given queens in the first rows.
uint32_t count_queens(uint32_t n, std::vector<uint32_t>& columns) {
  const uint32_t row = uint32_t(columns.size());
  if (row == n) return 1;
  uint32_t count = 0;
  for (uint32_t c = 0; c < n; ++c) {
    bool free = true;
    for (uint32_t r = 0; r < row; ++r)
      free &= columns[r] != c && columns[r] + row != c + r && columns[r] + r != c + row;
    if (!free) continue;
    columns.push_back(c);
    count += count_queens(n, columns);
    columns.pop_back();
  }
  return count;
}

struct Graph {
  std::vector<uint32_t> begins{0}, edges;
};

// Most nodes have few neighbours, some have many.
Graph make_graph(uint32_t nodes) {
  Graph g;
  Numbers numbers(3);
  for (uint32_t i = 0; i < nodes; ++i) {
    const uint32_t degree = numbers.below(16) == 0 ? 24 : 1 + numbers.below(5);
    for (uint32_t e = 0; e < degree; ++e) g.edges.push_back(numbers.below(nodes));
    g.begins.push_back(uint32_t(g.edges.size()));
  }
  return g;
}

}  // namespace

void run_bitonic(Runner& runner, const ProgramSize& size) {
  const uint32_t count = 512 * 4 * size.scale;
  Numbers numbers(4);
  std::vector<uint32_t> data(count);
  for (uint32_t& number : data) number = numbers.next();
  uint32_t* const device = runner.buffer(data);
  for (auto at = data.begin(); at != data.end(); at += 512) std::sort(at, at + 512);
  runner.launch("bitonic", {count / 512}, {512}, device);
  if (!runner.was_stopped()) expect_same("bs", device, data);
}

void run_search(Runner& runner, const ProgramSize& size) {
  const uint32_t nodes = 4096 * size.scale;
  const Graph g = make_graph(nodes);
  std::vector<uint32_t> expected(nodes, kUnreached);
  std::deque<uint32_t> queue = {0};
  expected[0] = 0;
  while (!queue.empty()) {
    const uint32_t at = queue.front();
    queue.pop_front();
    for (uint32_t e = g.begins[at]; e < g.begins[at + 1]; ++e) {
      if (expected[g.edges[e]] != kUnreached) continue;
      expected[g.edges[e]] = expected[at] + 1;
      queue.push_back(g.edges[e]);
    }
  }
  std::vector<uint32_t> levels(nodes, kUnreached);
  levels[0] = 0;
  const uint32_t *const begins = runner.buffer(g.begins), *const edges = runner.buffer(g.edges);
  uint32_t *const device = runner.buffer(levels), *const found = runner.buffer<uint32_t>(1);
  for (uint32_t level = 0; level == 0 || *found != 0; ++level) {
    *found = 0;
    runner.launch("search", {nodes / 256}, {256}, begins, edges, device, found, nodes, level);
    if (runner.was_stopped()) return;
  }
  expect_same("bfs", device, expected);
}

void run_laplace(Runner& runner, const ProgramSize& size) {
  const int nx = 100, ny = 12 * int(size.scale), nz = 8, plane = nx * ny;
  Numbers numbers(5);
  std::vector<float> from(size_t(plane * nz));
  for (float& value : from) value = numbers.unit();
  std::vector<float> expected = from;
  for (int z = 1; z + 1 < nz; ++z) {
    for (int y = 1; y + 1 < ny; ++y) {
      for (int x = 1; x + 1 < nx; ++x) {
        const float* const f = &from[size_t(x + y * nx + z * plane)];
        expected[size_t(x + y * nx + z * plane)] =
            (f[-1] + f[1] + f[-nx] + f[nx] + f[-plane] + f[plane]) * (1.0f / 6.0f);
      }
    }
  }
  float* const to = runner.buffer<float>(from.size());
  runner.launch("laplace", {(uint32_t(nx) + 31) / 32, (uint32_t(ny) + 3) / 4}, {32, 4}, runner.buffer(from), to, nx, ny,
                nz);
  if (!runner.was_stopped()) expect_same("lps", to, expected);
}

void run_queens(Runner& runner, const ProgramSize& size) {
  const uint32_t n = std::min(7 + size.scale, 14u);
  std::vector<uint32_t> columns;
  const std::vector<uint32_t> expected = {count_queens(n, columns)};
  uint32_t* const solutions = runner.buffer<uint32_t>(1);
  runner.launch("queens", {(n * n + 63) / 64}, {64}, n, solutions);
  if (!runner.was_stopped()) expect_same("nqu", solutions, expected);
}

// A neural network.
void run_neural(Runner& runner, const ProgramSize& size) {
  const uint32_t samples = 28 * size.scale;
  constexpr uint32_t kLayers[] = {64, 100, 50, 10};
  Numbers numbers(9);
  std::vector<float> values(samples * kLayers[0]);
  for (float& value : values) value = numbers.unit() - 0.5f;
  const float* device = runner.buffer(values);
  for (uint32_t layer = 0; layer < 3; ++layer) {
    const uint32_t inputs = kLayers[layer], neurons = kLayers[layer + 1];
    std::vector<float> weights(neurons * (inputs + 1)), next;
    for (float& w : weights) w = numbers.unit() - 0.5f;
    for (uint32_t s = 0; s < samples; ++s) {
      for (uint32_t n = 0; n < neurons; ++n) {
        float sum = weights[n * (inputs + 1) + inputs];
        for (uint32_t k = 0; k < inputs; ++k) sum += weights[n * (inputs + 1) + k] * values[s * inputs + k];
        next.push_back(sum / (1.0f + (sum < 0.0f ? -sum : sum)));
      }
    }
    float* const out = runner.buffer<float>(next.size());
    runner.launch("neural", {(neurons * samples + 127) / 128}, {128}, runner.buffer(weights), device, out, inputs,
                  neurons, samples);
    device = out;
    values = next;
  }
  if (!runner.was_stopped()) expect_same("nn", device, values);
}

}  // namespace brokkr::simt
