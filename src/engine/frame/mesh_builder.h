// Meshes for generated scenes, appended to a Frame's arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include "base/loading.h"
#include "brokkr/camera.h"
#include "brokkr/frame.h"

namespace brokkr {

// A reproducible hash of integers. We do not use the standard library's distributions, because they differ between
// systems.
uint32_t hash(uint32_t value);
float random_unit(uint32_t& state);  // in [0, 1); advances `state`

// Collects the vertices and indices of one draw at the end of a frame's arrays.
class MeshBuilder {
 public:
  // `frame` and `loading` must outlive the builder. The builder reports each vertex to `loading`.
  MeshBuilder(Frame& frame, Loading& loading);

  // Call it during long work that adds no vertices.
  void step() { loading_.step(); }

  uint32_t vertex(const glm::vec3& position, const glm::vec3& normal, const glm::vec2& texcoord);
  void triangle(uint32_t a, uint32_t b, uint32_t c);  // counter-clockwise from outside

  // A box of `size` with its lower centre at `base`; texture coordinates are `texture_scale` per unit.
  void box(const glm::vec3& base, const glm::vec3& size, float texture_scale);
  // A unit sphere from a cube of side * side quads per face, displaced along the normal by sines.
  void displaced_sphere(int side, const glm::vec3& center, float radius, float amplitude);
  // A grid of side * side quads over `size` x `size` units around the origin; y = height(x, z).
  void height_field(int side, float size, const std::function<float(float, float)>& height);

  const Bounds& bounds() const { return bounds_; }
  uint32_t triangles() const { return uint32_t((frame_.indices.size() - first_index_) / 3); }

  // The draw of everything that was added, in all views of the frame, with the frame's first `instances` models.
  DrawCommand draw(uint32_t instances) const;

 private:
  // Calls f(a, b, c, d) with the corners of side * side quads. Their vertices are the last (side + 1)^2, row by row.
  template <typename F>
  void each_quad(int side, F&& f) const;

  Frame& frame_;
  Loading& loading_;
  uint64_t first_vertex_, first_index_;
  Bounds bounds_;
};

// Polygonizes a knotty figure of about two units with surface nets [Gibson98] on `cells`^3 cells. The mesh is closed,
// irregular and numbered slice by slice, like those of range scans. It has a vertex in each cell that the surface
// intersects, and two triangles across each grid edge that it cuts. `cells` is 8 .. 2048.
void add_scan(MeshBuilder& mesh, int cells);
// The number of cells for which add_scan makes about `triangles` triangles.
int scan_cells(int triangles);

// Stone-like tiles with mortar and speckles, size x size texels. `size` is a power of two, and the texture repeats.
Texture tile_texture(int size);

}  // namespace brokkr
