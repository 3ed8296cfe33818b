#include "oracle/shapes.h"

#include <algorithm>
#include <cmath>
#include <glm/vec2.hpp>
#include <limits>
#include <utility>

#include "oracle/frame_builder.h"

namespace brokkr::oracle {
namespace {

class Shaper {
 public:
  Shaper(Dice& dice, const glm::vec4& viewport, int triangles)
      : dice_(dice), viewport_(viewport), triangles_(triangles), flat_(dice.chance(0.4)), affine_(dice.chance(0.5)) {}

  Shape make(ShapeKind kind) {
    switch (kind) {
      case ShapeKind::scattered: list([&] { scattered(dice_.uniform(3, 70)); }); break;
      case ShapeKind::slivers: list([&] { sliver(); }); break;
      case ShapeKind::huge: list([&] { huge(); }, 4); break;
      case ShapeKind::tiny: list([&] { scattered(dice_.uniform(0.05, 2)); }); break;
      case ShapeKind::aligned: list([&] { aligned(); }); break;
      case ShapeKind::fan: fan(); break;
      case ShapeKind::strip: strip(); break;
      case ShapeKind::grid: grid(); break;
      case ShapeKind::broken: list([&] { broken(); }); break;
      case ShapeKind::crossing: list([&] { crossing(); }, 2); break;
      case ShapeKind::guard_band: list([&] { beyond_guard_band(); }, 4); break;
    }
    return std::move(shape_);
  }

 private:
  // A triangle's depth: often equal at all corners and one of few values, so that depths tie exactly.
  void new_depths() {
    const double flat = dice_.between(-3, 3) * 0.25, base = dice_.uniform(-0.8, 0.8);
    for (double& z : depths_) z = flat_ ? flat : std::fmin(std::fmax(base + dice_.uniform(-0.3, 0.3), -0.99), 0.99);
  }

  void vertex(const glm::dvec2& at) {
    const double w = affine_ ? 1 : dice_.uniform(0.25, 8);
    const double z = depths_[shape_.positions.size() % 3];
    shape_.positions.push_back(clip_at(viewport_, at.x, at.y, affine_ ? z : 0.99 * z, w));
  }

  glm::dvec2 somewhere(double margin = 20) {
    return {dice_.uniform(viewport_.x - margin, viewport_.x + viewport_.z + margin),
            dice_.uniform(viewport_.y - margin, viewport_.y + viewport_.w + margin)};
  }
  glm::dvec2 direction() {
    const double angle = dice_.uniform(0, 6.283185307179586);
    return {std::cos(angle), std::sin(angle)};
  }

  // Separate statements: in one expression, the compiler chooses the order in which the operands draw random numbers.
  glm::dvec2 offset(double shortest, double longest) {
    const glm::dvec2 towards = direction();
    return towards * dice_.uniform(shortest, longest);
  }

  template <typename Triangle>
  void list(Triangle triangle, int divisor = 1) {
    for (int i = 0; i < triangles_; i += divisor) {
      new_depths();
      triangle();
    }
  }

  void scattered(double size) {
    const glm::dvec2 centre = somewhere();
    for (int i = 0; i < 3; ++i) vertex(centre + offset(0.2 * size, size));
  }

  void sliver() {
    const glm::dvec2 from = somewhere(), along = offset(5, 250);
    const double part = dice_.uniform(0, 1);
    vertex(from);
    vertex(from + along);
    vertex(from + along * part + offset(0, 0.8));
  }

  void huge() {
    const glm::dvec2 through = somewhere(0);
    for (int i = 0; i < 3; ++i) {
      const double size = std::exp2(dice_.uniform(6, 12.5));
      vertex(through + direction() * size);
    }
  }

  void aligned() {
    const glm::dvec2 corner = somewhere();
    for (int i = 0; i < 3; ++i) {
      const glm::dvec2 step{double(dice_.between(-40, 40)), double(dice_.between(-40, 40))};
      vertex({std::floor(corner.x * 2 + step.x) * 0.5, std::floor(corner.y * 2 + step.y) * 0.5});
    }
  }

  void fan() {
    new_depths();
    shape_.topology = Topology::triangle_fan;
    const glm::dvec2 centre = somewhere(0);
    const double radius = dice_.uniform(10, 120), turn = dice_.chance(0.5) ? 1 : -1;
    vertex(centre);
    for (int i = 0; i <= triangles_; ++i) {
      const double angle = turn * 6.283185307179586 * i / triangles_;
      vertex(centre + glm::dvec2(std::cos(angle), std::sin(angle)) * radius);
    }
    shape_.positions.back() = shape_.positions[1];  // closed
  }

  void strip() {
    new_depths();
    shape_.topology = Topology::triangle_strip;
    shape_.restart = true;
    for (int done = 0; done < triangles_;) {
      const int length = dice_.between(1, 40);  // elements; fewer than 3 make no triangle
      glm::dvec2 at = somewhere(0), step = offset(1, 15);
      for (int i = 0; i < length; ++i) {
        shape_.indices.push_back(uint32_t(shape_.positions.size()));
        vertex(at + glm::dvec2(-step.y, step.x) * (i % 2 ? 0.8 : -0.8));
        at += step;
        step += offset(0, 2);
        if (dice_.chance(0.05)) shape_.indices.push_back(shape_.indices.back());  // a degenerate joint
      }
      shape_.indices.push_back(0xffffffffu);
      done += length;
    }
  }

  void grid() {
    new_depths();
    const int side = std::max(2, int(std::sqrt(triangles_ / 2.0)));
    const glm::dvec2 corner = somewhere(0), u = offset(1, 14), v(-u.y, u.x);
    for (int j = 0; j <= side; ++j) {
      for (int i = 0; i <= side; ++i) {
        const glm::dvec2 jitter{dice_.uniform(-0.3, 0.3), dice_.uniform(-0.3, 0.3)};
        vertex(corner + u * (i + jitter.x) + v * (j + jitter.y));
      }
    }
    const auto number = [&](int i, int j) { return uint32_t(j * (side + 1) + i); };
    for (int j = 0; j < side; ++j) {
      for (int i = 0; i < side; ++i) {
        const uint32_t a = number(i, j), b = number(i + 1, j), c = number(i + 1, j + 1), d = number(i, j + 1);
        const bool rising = dice_.chance(0.5);
        const uint32_t quad[] = {a, b, rising ? c : d, rising ? a : b, c, d};
        shape_.indices.insert(shape_.indices.end(), std::begin(quad), std::end(quad));
      }
    }
  }

  float& component(glm::vec4* triangle) {
    const int corner = dice_.below(3);
    return triangle[corner][dice_.below(4)];
  }

  void broken() {
    const size_t first = shape_.positions.size();
    scattered(60);
    glm::vec4* v = &shape_.positions[first];
    switch (dice_.below(7)) {
      case 0: v[1] = v[0]; break;
      case 1: v[2] = v[0] * 0.5f + v[1] * 0.5f; break;
      case 2: component(v) = std::numeric_limits<float>::quiet_NaN(); break;
      case 3: component(v) = std::numeric_limits<float>::infinity(); break;
      case 4: component(v) = -std::numeric_limits<float>::infinity(); break;
      case 5:  // behind the eye, where a division would bring the triangle back into the window
        for (int i = 0; i < 3; ++i) v[i] = -v[i];
        break;
      default: {  // all vertices before the near plane, or all beyond the far plane
        const float side = dice_.chance(0.5) ? 1.5f : -1.5f;
        for (int i = 0; i < 3; ++i) v[i].z = side * v[i].w;
      }
    }
  }

  // Usually a perspective with its near plane at w = 1/2 (z = w - 1), otherwise any depth.
  void crossing() {
    const bool perspective = dice_.chance(0.7);
    const glm::dvec2 centre = somewhere(0);
    for (int i = 0; i < 3; ++i) {
      const double w = dice_.uniform(-1.5, 4);
      const glm::dvec2 at = centre + offset(10, 150);
      glm::vec4 p = clip_at(viewport_, at.x, at.y, 0, w);
      p.z = float(perspective ? w - 1 : dice_.uniform(-1.5, 1.5) * w);
      shape_.positions.push_back(p);
    }
  }

  // Beyond 2^17 pixels or within 2^10, never near the band itself.
  void beyond_guard_band() {
    const glm::dvec2 through = somewhere(0);
    for (int i = 0; i < 3; ++i) {
      const bool far = i == 0 || dice_.chance(0.4);
      const double size = std::exp2(far ? dice_.uniform(17, 20) : dice_.uniform(3, 10));
      vertex(through + direction() * size);
    }
  }

  Dice& dice_;
  glm::vec4 viewport_;
  int triangles_;
  bool flat_, affine_;
  double depths_[3] = {};
  Shape shape_;
};

}  // namespace

Shape make_shape(Dice& dice, ShapeKind kind, const glm::vec4& viewport, int triangles) {
  return Shaper(dice, viewport, triangles).make(kind);
}

}  // namespace brokkr::oracle
