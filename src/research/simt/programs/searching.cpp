// Bitonic sort, breadth-first search, Laplace's equation, queens.
#include <algorithm>
#include <deque>

#include "simt/programs.h"
#include "simt/programs/expect.h"

namespace brokkr::simt {
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
  for (uint32_t& v : data) v = numbers.next();
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
  for (float& v : from) v = numbers.unit();
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

}  // namespace brokkr::simt
