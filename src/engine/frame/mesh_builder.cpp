#include "frame/mesh_builder.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <vector>

namespace brokkr {
namespace {

// A displacement of the unit sphere and its gradient. Both depend only on the point, so that neighbouring faces of the
// cube agree on their common edge to the last bit.
struct Displacement {
  float value;
  glm::vec3 gradient;
};

Displacement displacement(const glm::vec3& p, float amplitude) {
  static constexpr float kFrequencies[4][3] = {{3, 5, 2}, {7, -4, 6}, {-11, 13, 9}, {23, 19, -29}};
  Displacement sum{0, glm::vec3(0)};
  for (int i = 0; i < 4; i++) {
    const glm::vec3 frequency(kFrequencies[i][0], kFrequencies[i][1], kFrequencies[i][2]);
    const float weight = amplitude / float(1 << i);
    const float phase = glm::dot(frequency, p) + float(i);
    sum.value += weight * std::sin(phase);
    sum.gradient += weight * std::cos(phase) * frequency;
  }
  return sum;
}

}  // namespace

// The finalizer of MurmurHash3 (public domain): every input bit changes every output bit.
uint32_t hash(uint32_t value) {
  value = (value ^ value >> 16) * 0x85ebca6bu;
  value = (value ^ value >> 13) * 0xc2b2ae35u;
  return value ^ value >> 16;
}

float random_unit(uint32_t& state) {
  state += 0x9e3779b9u;
  return float(hash(state) >> 8) * (1.0f / 16777216.0f);
}

MeshBuilder::MeshBuilder(Frame& frame, Loading& loading)
    : frame_(frame), loading_(loading), first_vertex_(frame.positions.size()), first_index_(frame.indices.size()) {}

uint32_t MeshBuilder::vertex(const glm::vec3& position, const glm::vec3& normal, const glm::vec2& texcoord) {
  loading_.step();
  bounds_.add(position);
  frame_.positions.emplace_back(position, 1.0f);
  frame_.normals.push_back(normal);
  frame_.texcoords.push_back(texcoord);
  return uint32_t(frame_.positions.size() - 1 - first_vertex_);
}

void MeshBuilder::triangle(uint32_t a, uint32_t b, uint32_t c) {
  frame_.indices.insert(frame_.indices.end(), {a, b, c});
}

void MeshBuilder::box(const glm::vec3& base, const glm::vec3& size, float texture_scale) {
  const glm::vec3 center = base + glm::vec3(0, size.y / 2, 0);
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2;
    glm::vec3 normal(0), right(0), up(0);
    normal[axis] = face % 2 ? 1.0f : -1.0f;
    up[axis == 1 ? 2 : 1] = 1;
    right = glm::cross(up, normal);
    const float width = std::abs(glm::dot(right, size)), height = std::abs(glm::dot(up, size));
    uint32_t corners[4];
    for (uint32_t i = 0; i < 4; i++) {
      const glm::vec2 uv(i == 1 || i == 2 ? 1 : 0, i >= 2 ? 1 : 0);
      const glm::vec3 offset = 0.5f * (normal + (2 * uv.x - 1) * right + (2 * uv.y - 1) * up) * size;
      corners[i] = vertex(center + offset, normal, uv * glm::vec2(width, height) * texture_scale);
    }
    triangle(corners[0], corners[1], corners[2]);
    triangle(corners[0], corners[2], corners[3]);
  }
}

template <typename F>
void MeshBuilder::each_quad(int side, F&& f) const {
  const auto row = uint32_t(side + 1), first = uint32_t(frame_.positions.size() - first_vertex_) - row * row;
  for (uint32_t j = 0; j < uint32_t(side); j++) {
    for (uint32_t i = 0; i < uint32_t(side); i++) {
      const uint32_t a = first + j * row + i;
      f(a, a + 1, a + row + 1, a + row);
    }
  }
}

void MeshBuilder::displaced_sphere(int side, const glm::vec3& center, float radius, float amplitude) {
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2;
    for (int j = 0; j <= side; j++) {
      for (int i = 0; i <= side; i++) {
        glm::vec3 p(0);
        p[axis] = face % 2 ? 1.0f : -1.0f;
        // Equal angles, unlike equal steps, give triangles of similar size. Both ends are set explicitly, because
        // tan(pi / 4) need not be 1.
        const auto step = [&](int k) {
          return k == 0 ? -1.0f : k == side ? 1.0f : std::tan(0.78539816f * (2 * float(k) / float(side) - 1));
        };
        p[(axis + 1) % 3] = step(i);
        p[(axis + 2) % 3] = step(j);
        p = glm::normalize(p);
        const Displacement d = displacement(p, amplitude);
        const glm::vec3 tangential = d.gradient - glm::dot(d.gradient, p) * p;
        const glm::vec3 normal = glm::normalize(p - tangential / (1 + d.value));
        const glm::vec2 uv = 2.0f * glm::vec2(float(i), float(j)) / float(side);
        vertex(center + radius * (1 + d.value) * p, normal, uv);
      }
    }
    each_quad(side, [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
      const bool turned = face % 2 == 0;
      triangle(a, turned ? c : b, turned ? b : c);
      triangle(a, turned ? d : c, turned ? c : d);
    });
  }
}

void MeshBuilder::height_field(int side, float size, const std::function<float(float, float)>& height) {
  const float step = size / float(side);
  for (int j = 0; j <= side; j++) {
    for (int i = 0; i <= side; i++) {
      const float x = float(i) * step - size / 2, z = float(j) * step - size / 2;
      const float slope_x = (height(x + step, z) - height(x - step, z)) / (2 * step);
      const float slope_z = (height(x, z + step) - height(x, z - step)) / (2 * step);
      const glm::vec3 normal = glm::normalize(glm::vec3(-slope_x, 1, -slope_z));
      vertex({x, height(x, z), z}, normal, glm::vec2(x, z) * 0.25f);
    }
  }
  each_quad(side, [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    triangle(a, d, c);
    triangle(a, c, b);
  });
}

DrawCommand MeshBuilder::draw(uint32_t instances) const {
  DrawCommand draw;
  draw.view_count = uint32_t(frame_.views.size());
  draw.vertex_kind = VertexKind::transform;
  draw.indexed = true;
  draw.first_index = first_index_;
  draw.element_count = uint32_t(frame_.indices.size() - first_index_);
  draw.first_vertex = first_vertex_;
  draw.vertex_count = uint32_t(frame_.positions.size() - first_vertex_);
  draw.instances = instances;
  return draw;
}

Texture tile_texture(int size) {
  Texture texture;
  texture.name = "tiles";
  texture.width = texture.height = size;
  texture.texels.resize(size_t(size) * size_t(size));
  const int tile = std::max(size / 8, 4), joint = std::max(tile / 24, 1);
  for (int y = 0; y < size; y++) {
    const int course = y / tile;
    for (int x = 0; x < size; x++) {
      const int shifted = (x + (course % 2) * tile / 2) % size;
      const bool mortar = y % tile < joint || shifted % tile < joint;
      const uint32_t tone = hash(uint32_t(course * 64 + shifted / tile)) % 48;
      const uint32_t speckle = hash(uint32_t(y * size + x) + 77u) % 24;
      const uint32_t level = mortar ? 60 + speckle : 150 + tone + speckle;
      texture.texels[size_t(y) * size_t(size) + size_t(x)] =
          level | (level * 15 / 16) << 8 | (level * 13 / 16) << 16 | 0xff000000u;
    }
  }
  return texture;
}

// A closed mesh that resembles those made from range scans.

namespace {

// The signed distance of the figure, negative inside. The figure is a tall body with waves of several sizes, a hollow,
// and a ring that grows out of it.
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

  // Adds quads across the three edges at this cell's lowest corner. The other cells at these edges already have their
  // vertices.
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
  // The number of triangles grows with the square of the number of cells: 17,600 for 64 cells.
  return std::clamp(int(std::lround(64 * std::sqrt(double(triangles) / 17600))), 8, 2048);
}

}  // namespace brokkr
