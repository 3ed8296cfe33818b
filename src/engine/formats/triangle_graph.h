// Finds the triangles that meet at a vertex and across an edge. The triangle list may be non-manifold, degenerate or in
// pieces.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace brokkr {

inline constexpr uint32_t kNoTriangle = 0xffffffffu;

// One more than the largest index; 0 for none.
size_t vertex_bound(std::span<const uint32_t> indices);

// The remaining triangles around each vertex.
class VertexTriangles {
 public:
  // If `watch` is given, it is called occasionally, and may throw.
  explicit VertexTriangles(std::span<const uint32_t> indices, const std::function<void()>& watch = {});

  std::span<const uint32_t> triangles(uint32_t vertex) const {
    return {triangles_.data() + begin_[vertex], count_[vertex]};
  }
  // The number of remaining triangles' corners at `vertex`.
  uint32_t count(uint32_t vertex) const { return count_[vertex]; }
  size_t vertices() const { return count_.size(); }
  // Removes triangle `t` from the lists of its corners.
  void remove(uint32_t t, std::span<const uint32_t> indices);

 private:
  std::vector<uint32_t> begin_, count_, triangles_;
};

// For each triangle and edge (corner e to e + 1), another triangle with that edge, or kNoTriangle. If more than two
// triangles share an edge, each refers to one of the others.
using EdgeNeighbors = std::vector<std::array<uint32_t, 3>>;
EdgeNeighbors edge_neighbors(std::span<const uint32_t> indices, const VertexTriangles& around);

}  // namespace brokkr
