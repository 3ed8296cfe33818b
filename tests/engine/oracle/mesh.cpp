#include "oracle/mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "oracle/dice.h"
#include "oracle/frame_builder.h"

namespace brokkr::oracle {
namespace {

struct Point {
  int64_t x = 0, y = 0;  // 1/256 pixel
  bool operator==(const Point&) const = default;
};

using Triangle = std::array<uint32_t, 3>;

int64_t orientation(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// A triangulation that grows by splits at exact integer points: an inner point splits a triangle into three, and a
// point on an edge splits its two triangles into four. It is planar and conforming by construction.
class Triangulation {
 public:
  explicit Triangulation(const std::array<Point, 3>& outline)
      : points_(outline.begin(), outline.end()), triangles_{{0, 1, 2}} {}

  // Returns false if the point is already a vertex, lies outside or on the outline, or would make a triangle lower than
  // `min_height` (1/256 pixel).
  bool insert(const Point& p, double min_height = 0) {
    std::vector<Triangle> before, after;
    const uint32_t number = uint32_t(points_.size());
    for (const Triangle& t : triangles_) {
      std::array<int64_t, 3> side{};
      for (size_t i = 0; i < 3; ++i) side[i] = orientation(points_[t[i]], points_[t[(i + 1) % 3]], p);
      if (std::any_of(side.begin(), side.end(), [](int64_t s) { return s < 0; })) continue;
      const auto zeros = std::count(side.begin(), side.end(), 0);
      if (zeros > 1) return false;
      before.push_back(t);
      for (size_t i = 0; i < 3; ++i) {
        if (side[i] > 0) after.push_back({t[i], t[(i + 1) % 3], number});
      }
    }
    const bool inner = before.size() == 1 && after.size() == 3;
    const bool on_edge = before.size() == 2 && after.size() == 4;
    if (!inner && !on_edge) return false;
    points_.push_back(p);
    const bool thin =
        std::any_of(after.begin(), after.end(), [&](const Triangle& t) { return height(t) < min_height; });
    if (thin) {
      points_.pop_back();
      return false;
    }
    std::erase_if(triangles_,
                  [&](const Triangle& t) { return std::find(before.begin(), before.end(), t) != before.end(); });
    triangles_.insert(triangles_.end(), after.begin(), after.end());
    return true;
  }

  const std::vector<Point>& points() const { return points_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }

 private:
  double height(const Triangle& t) const {
    double longest = 0;
    for (size_t i = 0; i < 3; ++i) {
      const Point &a = points_[t[i]], &b = points_[t[(i + 1) % 3]];
      longest = std::max(longest, std::hypot(double(b.x - a.x), double(b.y - a.y)));
    }
    return double(orientation(points_[t[0]], points_[t[1]], points_[t[2]])) / longest;
  }

  std::vector<Point> points_;
  std::vector<Triangle> triangles_;
};

Frame make_frame(int width, int height, const std::vector<glm::vec4>& positions, const std::vector<uint32_t>& indices) {
  FrameBuilder builder(width, height);
  std::get<ClearCommand>(builder.frame.commands[0]).color = glm::vec4(1);
  State state = builder.default_state();
  state.depth.test = state.depth.write = false;
  const BlendTerm halve{BlendFactor::zero, BlendFactor::constant_color, BlendEquation::add};
  state.blend = BlendState{halve, halve, glm::vec4(0.5f)};
  state.stencil = StencilState{};
  state.stencil->pass = StencilOp::increment;
  builder.draw_indexed(state, positions, indices);
  return std::move(builder.frame);
}

Mesh finish(Dice& dice, int width, int height, const std::vector<glm::vec4>& positions,
            std::vector<Triangle> triangles) {
  std::vector<uint32_t> indices;
  for (size_t i = triangles.size(); i > 0; --i) {
    std::swap(triangles[i - 1], triangles[size_t(dice.below(int(i)))]);
    const uint32_t turn = uint32_t(dice.below(3));
    const bool flip = dice.chance(0.5);  // no culling: both windings must agree on shared edges
    for (uint32_t k = 0; k < 3; ++k) indices.push_back(triangles[i - 1][(turn + (flip ? 3 - k : k)) % 3]);
  }
  return {make_frame(width, height, positions, indices),
          make_frame(width, height, {positions[0], positions[1], positions[2]}, {0, 1, 2})};
}

Point random_point(Dice& dice, MeshKind kind, int width, int height) {
  if (kind == MeshKind::centres) {
    return {int64_t(dice.between(-2, 2 * width + 2)) * 128, int64_t(dice.between(-2, 2 * height + 2)) * 128};
  }
  if (kind == MeshKind::guard_band && dice.chance(0.3)) {
    const int64_t far = int64_t(1) << dice.between(24, 27);  // 2^16 to 2^19 pixels
    return {int64_t(dice.uniform(-1, 1) * double(far)), int64_t(dice.uniform(-1, 1) * double(far))};
  }
  return {dice.between(-512, width * 256 + 512), dice.between(-512, height * 256 + 512)};
}

Mesh flat_mesh(Dice& dice, MeshKind kind, int width, int height) {
  const bool far = kind == MeshKind::guard_band;
  const int64_t margin = far ? int64_t(1) << 27 : 4 * 256, w = width * 256, h = height * 256;
  Triangulation mesh({Point{-margin, -margin}, Point{2 * w + 3 * margin, -margin}, Point{-margin, 2 * h + 3 * margin}});
  const int wanted = far ? 60 : 400;
  for (int inserted = 0, tries = 0; inserted < wanted && tries < 20 * wanted; ++tries) {
    Point p = random_point(dice, kind, width, height);
    if (!far && dice.chance(0.2)) {  // on or very near an edge, for T-shaped neighbourhoods and slivers
      const Triangle t = dice.pick(mesh.triangles());
      const Point &a = mesh.points()[t[0]], &b = mesh.points()[t[1]];
      p = {(a.x + b.x) / 2, (a.y + b.y) / 2};
      if (kind == MeshKind::centres) p = {p.x / 128 * 128, p.y / 128 * 128};
    }
    inserted += mesh.insert(p, far ? 512.0 : 0.0);
  }
  std::vector<glm::vec4> positions;
  for (const Point& p : mesh.points()) {
    const double distance = kind == MeshKind::perspective ? dice.uniform(0.3, 9) : 1;
    positions.push_back(
        clip_at({0, 0, float(width), float(height)}, double(p.x) / 256, double(p.y) / 256, 0, distance));
  }
  return finish(dice, width, height, positions, mesh.triangles());
}

// A jittered triangular lattice over a triangle of the plane (s, t) -> x = s, y = 0.1 s - 0.3, w = t, turned about the
// view axis. z = w - 1 puts the near plane at w = 1/2; the lattice reaches from w = -1.5 to 5. Visible triangles are
// much larger than the grid's cells, so that snapping reverses none.
Mesh near_mesh(Dice& dice, int width, int height) {
  constexpr int kSteps = 20;
  const double angle = dice.uniform(0, 6.283185307179586), c = std::cos(angle), s = std::sin(angle);
  const glm::dvec2 corners[] = {{-7, -1.5}, {7, -1.5}, {dice.uniform(-2, 2), 5}};
  std::vector<glm::vec4> positions;
  const auto add = [&](double i, double j) {
    const glm::dvec2 at =
        corners[0] + (corners[1] - corners[0]) * (i / kSteps) + (corners[2] - corners[0]) * (j / kSteps);
    const double x = at.x, y = 0.1 * at.x - 0.3, w = at.y;
    positions.emplace_back(float(c * x - s * y), float(s * x + c * y), float(w - 1), float(w));
    return uint32_t(positions.size() - 1);
  };
  std::array<std::array<uint32_t, kSteps + 1>, kSteps + 1> number{};
  number[0][0] = add(0, 0);
  number[0][kSteps] = add(kSteps, 0);
  number[kSteps][0] = add(0, kSteps);
  for (int j = 0; j <= kSteps; ++j) {
    for (int i = 0; i + j <= kSteps; ++i) {
      if ((i == 0 && j == 0) || i == kSteps || j == kSteps) continue;
      const bool inner = i > 0 && j > 0 && i + j < kSteps;
      const double jitter = inner ? 0.2 : 0;
      const double at_i = i + dice.uniform(-jitter, jitter), at_j = j + dice.uniform(-jitter, jitter);
      number[size_t(j)][size_t(i)] = add(at_i, at_j);
    }
  }
  std::vector<Triangle> triangles;
  for (size_t j = 0; j < kSteps; ++j) {
    for (size_t i = 0; i + j < kSteps; ++i) {
      triangles.push_back({number[j][i], number[j][i + 1], number[j + 1][i]});
      if (i + j + 1 < kSteps) triangles.push_back({number[j][i + 1], number[j + 1][i + 1], number[j + 1][i]});
    }
  }
  return finish(dice, width, height, positions, triangles);
}

}  // namespace

Mesh make_mesh(uint32_t seed, MeshKind kind, int width, int height) {
  Dice dice(seed * 16 + uint32_t(kind));
  return kind == MeshKind::near_plane ? near_mesh(dice, width, height) : flat_mesh(dice, kind, width, height);
}

}  // namespace brokkr::oracle
