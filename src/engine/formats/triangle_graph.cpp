#include "formats/triangle_graph.h"

#include <algorithm>

#include "base/growth.h"

namespace brokkr {
namespace {

// The largest number of triangles that are searched for the other side of an edge, at the end with fewer triangles. A
// mesh with more is a heap of triangles on the same vertices, where the search would take quadratic time.
constexpr size_t kMaxSearch = 64;

}  // namespace

size_t vertex_bound(std::span<const uint32_t> indices) {
  return indices.empty() ? 0 : size_t(*std::max_element(indices.begin(), indices.end())) + 1;
}

VertexTriangles::VertexTriangles(std::span<const uint32_t> indices, const std::function<void()>& watch) {
  constexpr size_t kWatchEvery = 1 << 16;
  const auto look = [&](size_t i) {
    if (watch && i % kWatchEvery == 0) watch();
  };
  size_t vertices = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    look(i);
    vertices = std::max(vertices, size_t(indices[i]) + 1);
  }
  const auto ask = [&] { look(0); };
  fill_in_steps(begin_, vertices + 1, uint32_t(0), ask);
  fill_in_steps(count_, vertices, uint32_t(0), ask);
  fill_in_steps(triangles_, indices.size(), uint32_t(0), ask);
  for (size_t i = 0; i < indices.size(); ++i) {
    look(i);
    ++begin_[indices[i] + 1];
  }
  for (size_t v = 1; v < begin_.size(); ++v) {
    look(v);
    begin_[v] += begin_[v - 1];
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    look(i);
    const uint32_t v = indices[i];
    triangles_[begin_[v] + count_[v]++] = uint32_t(i / 3);
  }
}

void VertexTriangles::remove(uint32_t t, std::span<const uint32_t> indices) {
  for (size_t i = 0; i < 3; ++i) {
    const uint32_t v = indices[size_t(t) * 3 + i];
    uint32_t* list = triangles_.data() + begin_[v];
    // Searches from the end, because most triangles are removed soon after their neighbours.
    for (uint32_t k = count_[v]; k-- > 0;) {
      if (list[k] != t) continue;
      list[k] = list[--count_[v]];
      break;
    }
  }
}

EdgeNeighbors edge_neighbors(std::span<const uint32_t> indices, const VertexTriangles& around) {
  const size_t triangles = indices.size() / 3;
  EdgeNeighbors result(triangles, {kNoTriangle, kNoTriangle, kNoTriangle});
  for (size_t t = 0; t < triangles; ++t) {
    const uint32_t* corner = indices.data() + t * 3;
    for (size_t e = 0; e < 3; ++e) {
      uint32_t a = corner[e], b = corner[(e + 1) % 3];
      if (a == b) continue;
      if (around.count(b) < around.count(a)) std::swap(a, b);
      const auto list = around.triangles(a);
      for (const uint32_t other : list.first(std::min(list.size(), kMaxSearch))) {
        const uint32_t* c = indices.data() + size_t(other) * 3;
        if (other == t || (c[0] != b && c[1] != b && c[2] != b)) continue;
        result[t][e] = other;
        break;
      }
    }
  }
  return result;
}

}  // namespace brokkr
