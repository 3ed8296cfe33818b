// A closed mesh like those made from range scans.
#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <vector>

#include "frame/mesh_builder.h"

namespace brokkr {
namespace {

// Signed distance of the figure, negative inside: a tall body with waves of several sizes, a hollow, and a ring that
// grows out of it.
float figure(const glm::vec3& p) {
  const float body = glm::length(p * glm::vec3(1.15f, 0.8f, 1.3f)) - 0.72f;
  const glm::vec2 around(glm::length(glm::vec2(p.x, p.y - 0.15f)) - 0.66f, p.z);
  const float ring = glm::length(around) - 0.13f;
  const float hollow = 0.3f - glm::length(p - glm::vec3(0, -0.75f, 0.35f));
  const float smooth = std::max(std::min(body, ring), hollow);
  if (std::abs(smooth) > 0.08f) return smooth;  // waves are smaller than this
  const float waves = 0.055f * std::sin(7 * p.x + 1) * std::sin(6 * p.y) * std::sin(8 * p.z) +
                      0.018f * std::sin(23 * p.x) * std::sin(19 * p.y + 2) * std::sin(21 * p.z) +
                      0.004f * std::sin(61 * p.x + p.y) * std::sin(67 * p.y) * std::sin(59 * p.z);
  return smooth + waves;
}

class SurfaceNet {
 public:
  SurfaceNet(MeshBuilder& mesh, int cells) : mesh_(mesh), cells_(cells), side_(cells + 1) {
    for (auto& layer : value_) layer.resize(size_t(side_) * size_t(side_));
    for (auto& layer : vertex_) layer.assign(size_t(cells_) * size_t(cells_), kNone);
  }
  void run() {
    sample(0, value_[0]);
    for (int z = 0; z < cells_; ++z) {
      sample(z + 1, value_[1]);
      std::fill(vertex_[1].begin(), vertex_[1].end(), kNone);
      for (int y = 0; y < cells_; ++y) {
        for (int x = 0; x < cells_; ++x) {
          place_vertex(x, y, z);
          join(x, y, z);
        }
      }
      value_[0].swap(value_[1]);
      vertex_[0].swap(vertex_[1]);
    }
  }

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  MeshBuilder& mesh_;
  int cells_, side_;
  std::vector<float> value_[2];      // values at corners below and above the layer of cells
  std::vector<uint32_t> vertex_[2];  // vertex numbers of the previous layer and of this one

  glm::vec3 corner(int x, int y, int z) const {
    return (glm::vec3(float(x), float(y), float(z)) / float(cells_) * 2.0f - 1.0f) * 1.1f;
  }
  void sample(int z, std::vector<float>& layer) const {
    for (int y = 0; y < side_; ++y) {
      mesh_.step();
      for (int x = 0; x < side_; ++x) layer[size_t(y) * size_t(side_) + size_t(x)] = figure(corner(x, y, z));
    }
  }
  float at(int x, int y, int z) const { return value_[z][size_t(y) * size_t(side_) + size_t(x)]; }
  uint32_t& cell(int x, int y, int layer) { return vertex_[layer][size_t(y) * size_t(cells_) + size_t(x)]; }

  // Places the vertex at the mean of the points at which the surface cuts the cell's edges.
  void place_vertex(int x, int y, int z) {
    glm::vec3 sum(0);
    int cuts = 0;
    for (int axis = 0; axis < 3; ++axis) {
      for (int k = 0; k < 4; ++k) {
        int a[3] = {0, 0, 0};
        a[(axis + 1) % 3] = k & 1;
        a[(axis + 2) % 3] = k >> 1;
        int b[3] = {a[0], a[1], a[2]};
        b[axis] = 1;
        const float va = at(x + a[0], y + a[1], a[2]), vb = at(x + b[0], y + b[1], b[2]);
        if ((va < 0) == (vb < 0)) continue;
        const float t = va / (va - vb);
        sum += glm::mix(corner(x + a[0], y + a[1], z + a[2]), corner(x + b[0], y + b[1], z + b[2]), t);
        ++cuts;
      }
    }
    if (cuts == 0) return;
    const glm::vec3 p = sum / float(cuts);
    const float step = 1.1f / float(cells_);
    const glm::vec3 slope(figure(p + glm::vec3(step, 0, 0)) - figure(p - glm::vec3(step, 0, 0)),
                          figure(p + glm::vec3(0, step, 0)) - figure(p - glm::vec3(0, step, 0)),
                          figure(p + glm::vec3(0, 0, step)) - figure(p - glm::vec3(0, 0, step)));
    const float length = glm::length(slope);
    cell(x, y, 1) = mesh_.vertex(p, length > 0 ? slope / length : glm::vec3(0, 1, 0), {p.x, p.y});
  }

  // Adds quads across the three edges at this cell's lowest corner; the other cells at these edges have their vertices.
  void join(int x, int y, int z) {
    const bool inside = at(x, y, 0) < 0;
    if (x > 0 && y > 0 && inside != (at(x, y, 1) < 0)) {
      quad(cell(x - 1, y - 1, 1), cell(x, y - 1, 1), cell(x, y, 1), cell(x - 1, y, 1), inside);
    }
    if (z == 0) return;
    if (y > 0 && inside != (at(x + 1, y, 0) < 0)) {
      quad(cell(x, y - 1, 0), cell(x, y, 0), cell(x, y, 1), cell(x, y - 1, 1), inside);
    }
    if (x > 0 && inside != (at(x, y + 1, 0) < 0)) {
      quad(cell(x - 1, y, 0), cell(x - 1, y, 1), cell(x, y, 1), cell(x, y, 0), inside);
    }
  }
  // Splits the quad along a pseudo-random diagonal: scans have no preferred direction.
  void quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool inside) {
    if (a == kNone || b == kNone || c == kNone || d == kNone) return;
    if (!inside) std::swap(b, d);
    if (hash(a * 3 + c) & 1) {
      mesh_.triangle(a, b, c);
      mesh_.triangle(a, c, d);
    } else {
      mesh_.triangle(b, c, d);
      mesh_.triangle(b, d, a);
    }
  }
};

}  // namespace

void add_scan(MeshBuilder& mesh, int cells) { SurfaceNet(mesh, cells).run(); }

int scan_cells(int triangles) {
  // The number of triangles grows with the square of the cells: 17,600 for 64 cells.
  return std::clamp(int(std::lround(64 * std::sqrt(double(triangles) / 17600))), 8, 2048);
}

}  // namespace brokkr
