#include "plan/expand.h"
#include "base/loading.h"
#include "plan/prepare.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace brokkr {
namespace {

bool is_triangles(Topology t) {
  return t == Topology::triangles || t == Topology::triangle_strip || t == Topology::triangle_fan;
}

// The draw's elements as vertex numbers, cut at restarts.
std::vector<std::vector<uint32_t>> element_lists(const Frame& frame, const DrawCommand& draw, Loading& loading) {
  std::vector<std::vector<uint32_t>> lists(1);
  for (uint32_t i = 0; i < draw.element_count; ++i) {
    loading.step(i, draw.element_count);
    const uint32_t vertex = draw.indexed ? frame.indices[draw.first_index + i] : i;
    if (draw.indexed && draw.restart && vertex == 0xffffffffu) {
      lists.emplace_back();
    } else {
      lists.back().push_back(vertex);
    }
  }
  return lists;
}

void append_triangles(Topology topology, const std::vector<uint32_t>& v, std::vector<uint32_t>& out) {
  if (topology == Topology::triangles) {
    out.insert(out.end(), v.begin(), v.begin() + std::ptrdiff_t(v.size() / 3 * 3));
    return;
  }
  for (size_t i = 0; i + 2 < v.size(); ++i) {
    if (topology == Topology::triangle_fan)
      out.insert(out.end(), {v[0], v[i + 1], v[i + 2]});
    else if (i % 2 == 0)
      out.insert(out.end(), {v[i], v[i + 1], v[i + 2]});
    else
      out.insert(out.end(), {v[i + 1], v[i], v[i + 2]});
  }
}

// Clamps a size in pixels. The size becomes a whole number for lines, and for points that are not sprites. Files may
// contain any value, including NaN.
float in_range(float size, bool whole) {
  constexpr float kMaxSize = 255;  // Mesa's software drivers clamp larger points to this size
  if (!(size >= 1)) return 1;
  if (size > kMaxSize) return kMaxSize;
  // OpenGL does not define how halves are rounded. Mesa's software drivers first round the size to 1/256 pixel, then
  // round halves down.
  return whole ? std::ceil(std::nearbyint(size * 256) / 256 - 0.5f) : size;
}

// Tests the winding in clip space. Returns false if a window position is undefined.
bool is_counter_clockwise(const glm::vec4& a, const glm::vec4& b, const glm::vec4& c) {
  const double area = double(a.w) * (double(b.x) * c.y - double(c.x) * b.y) -
                      double(b.w) * (double(a.x) * c.y - double(c.x) * a.y) +
                      double(c.w) * (double(a.x) * b.y - double(b.x) * a.y);
  return area > 0;
}

// The fractions of a line that are clipped at its two ends.
struct CutEnds {
  float first = 0, second = 0;

  // `a`, `b`: signed distances of the two ends to a plane, positive inside.
  void cut(float a, float b) {
    if (a < 0) first = std::max(first, b < 0 ? 1 : a / (a - b));
    if (b < 0) second = std::max(second, a < 0 ? 1 : b / (b - a));
  }
  bool leaves_any() const { return first + second < 1; }
};

// Returns by how much the ends of a line move towards the other end, as fractions of its length. Its parallelogram then
// covers the first pixel if the line leaves that pixel's diamond, and the last pixel if it leaves that one's. `a`, `b`:
// the ends in pixels, different, with y in the direction of the driver's rows. Decides like Mesa's software drivers,
// also where these differ from OpenGL's rule.
std::pair<float, float> diamond_shifts(const glm::vec2& a, const glm::vec2& b) {
  const glm::vec2 way = b - a;
  const bool steep = std::abs(way.y) > std::abs(way.x);
  const int along = steep ? 1 : 0, across = 1 - along;
  const float slope = way[across] / way[along];
  // From the centre of the end's pixel to the end.
  const glm::vec2 first = a - glm::floor(a) - 0.5f;
  glm::vec2 second = b - glm::floor(b) - 0.5f;
  if (second[across] == -0.5f && (steep ? way.x > 0 : way.y > 0)) second[across] = 0.5f;
  const auto is_inside = [](const glm::vec2& end) { return std::abs(end.x) + std::abs(end.y) < 0.5f; };
  // Signs of numbers, where 0 counts as positive; `turned`: of their opposites.
  const auto same = [](float x, float y, bool turned) {
    return turned ? (-x >= 0) == (-y >= 0) : (x >= 0) == (y >= 0);
  };
  const auto meets = [&](const glm::vec2& end, bool from_zero) {
    const float place = end[across] + 0.5f + end[along] * slope;
    return (from_zero ? place >= 0 : place > 0) && place < 1;
  };
  const bool is_before = !same(first[along], way[along], steep);
  const bool draws_first =
      is_inside(first) || (is_before && (!same(first[across], way[across], !steep) || meets(first, false)));
  const bool is_behind = same(second[along], way[along], steep);
  const bool draws_second =
      !is_inside(second) && is_behind && (same(second[across], way[across], !steep) || meets(second, steep));
  const bool covers_first = steep ? (first.y >= 0) == (-way.y >= 0) : (-first.x >= 0) != (-way.x >= 0);
  const bool covers_second = is_behind || second[along] == 0;
  // The end moves to the side of its pixel where the line comes from.
  const auto shift = [&](const glm::vec2& end) { return (-end[along] + (way[along] < 0 ? 0.5f : -0.5f)) / way[along]; };
  return {covers_first != draws_first ? shift(first) : 0, covers_second != draws_second ? -shift(second) : 0};
}

// The triangle that lines or points are generated from.
struct Polygon {
  bool counter_clockwise;
  uint32_t provoking;  // number of the provoking vertex
  double offset;       // polygon offset, in normalized device coordinates
};

double determinant(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) { return glm::dot(a, cross(b, c)); }

// The polygon offset of a triangle whose edges or corners are drawn, in normalized device coordinates. Its slope is
// that of the triangle's plane z = A x + B y + C, which also exists if vertices lie behind the eye.
double offset_of(const State& state, uint32_t flags, const Target& target, const glm::vec4& a, const glm::vec4& b,
                 const glm::vec4& c) {
  const double depths = (double(state.depth_far) - state.depth_near) * ((flags & kZeroToOne) != 0 ? 1 : 0.5);
  if (!state.polygon_offset || depths == 0) return 0;
  double offset = double(state.polygon_offset->units) * offset_unit(target) * 0x1p-24;
  const glm::dvec3 x(a.x, b.x, c.x), y(a.y, b.y, c.y), z(a.z, b.z, c.z), w(a.w, b.w, c.w);
  const double area = determinant(x, y, w);
  if (area != 0 && state.viewport.z != 0 && state.viewport.w != 0) {
    const double along_x = determinant(z, y, w) / area * depths * 2 / state.viewport.z;
    const double along_y = determinant(x, z, w) / area * depths * 2 / state.viewport.w;
    offset += state.polygon_offset->factor * std::max(std::abs(along_x), std::abs(along_y));
  }
  return std::isfinite(offset) ? offset / depths : 0;
}

class Widener {
 public:
  // `target`: the draw's. Mesa turns windows, which have the id 0, upside down.
  Widener(const State& state, uint32_t flags, const Target& target, ExpandedDraw& out)
      : mirrored_((target.id == 0) == ((flags & kOriginUpperLeft) == 0)),
        rectangles_(target.samples > 1 && !state.one_sample),
        smooth_(state.smooth_lines && !rectangles_),
        line_width_(in_range(state.line_width, !smooth_ && !rectangles_)),
        has_far_plane_((flags & kDepthClamp) == 0),
        from_zero_((flags & kZeroToOne) != 0),
        whole_points_(!state.point_sprites && !rectangles_),
        from_below_(state.point_origin_low == ((flags & kOriginUpperLeft) == 0)),
        half_x_(state.viewport.z != 0 ? 1.0f / state.viewport.z : 0),
        half_y_(state.viewport.w != 0 ? 1.0f / state.viewport.w : 0),
        width_(state.viewport.z),
        height_(state.viewport.w),
        left_(state.viewport.x),
        bottom_(state.viewport.y),
        out_(out) {}

  // begin_instance, begin_primitive and begin_polygon say that the following lines and points belong to the next
  // instance, to its next primitive, or to a triangle.
  void begin_instance() { primitive_ = 0; }
  void end_primitive() { ++primitive_; }
  void take(const Polygon& polygon) { polygon_ = polygon; }

  // `vertices`: the vertices of all instances. `size` in pixels.
  void point(const glm::vec4* vertices, uint32_t number, float size) {
    glm::vec4 p = vertices[number];
    if (!(p.w > 0)) return;
    // Triangles and sprites own the samples on their left and lower edges. Points with whole sizes own the samples on
    // their right and upper edges, so we shift them by one step of window positions, 1/256 pixel.
    if (whole_points_) p = p + glm::vec4(half_x_, half_y_, 0, 0) / 128.0f * p.w;
    const float scale = p.w * in_range(size, whole_points_);
    const float x = scale * half_x_, y = from_below_ ? scale * half_y_ : -scale * half_y_;
    const VertexSource source{number, number, 0, polygon_ ? polygon_->provoking : number, primitive_};
    quad({p + glm::vec4(-x, -y, 0, 0), p + glm::vec4(x, -y, 0, 0), p + glm::vec4(x, y, 0, 0),
          p + glm::vec4(-x, y, 0, 0)},
         {source, source, source, source});
  }

  void line(const glm::vec4* vertices, uint32_t first, uint32_t second) {
    glm::vec4 a = vertices[first], b = vertices[second];
    VertexSource from_a{first, second, 0, polygon_ ? polygon_->provoking : first, primitive_};
    VertexSource from_b{second, first, 0, polygon_ ? polygon_->provoking : second, primitive_};
    for (int i = 0; i < 4; ++i) {
      if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return;
    }
    // The part of a line behind the near plane has no window position and cannot be widened. Mesa's software drivers
    // also clip smooth lines before they widen them, so smooth lines end at the window's edge like other lines.
    CutEnds ends;
    ends.cut(a.z + a.w, b.z + b.w);
    if (smooth_) {
      for (int i = 0; i < (has_far_plane_ ? 3 : 2); ++i) {
        ends.cut(a.w - a[i], b.w - b[i]);
        ends.cut(a.w + a[i], b.w + b[i]);
      }
    }
    if (!ends.leaves_any()) return;
    from_a.t = ends.first, from_b.t = ends.second;
    const glm::vec4 way = b - a;
    if (ends.first > 0) a = a + way * ends.first;
    if (ends.second > 0) b = b - way * ends.second;
    if (!(a.w > 0) || !(b.w > 0)) return;
    const float dx = (b.x / b.w - a.x / a.w) * width_, dy = (b.y / b.w - a.y / a.w) * height_;
    if (smooth_) return smooth_line(a, b, 0.5f * dx, 0.5f * dy, {from_a, from_b, from_b, from_a});
    if (!rectangles_) {
      const glm::vec2 begin = pixel_of(a), end = pixel_of(b);
      if (begin == end) return;
      const auto [shift_a, shift_b] = diamond_shifts(begin, end);
      // The same places in clip space.
      const auto in_clip = [](float t, float from, float to) { return t * from / (t * from + (1 - t) * to); };
      const float t_a = in_clip(shift_a, a.w, b.w), t_b = in_clip(shift_b, b.w, a.w),
                  part = 1 - ends.first - ends.second;
      const glm::vec4 whole = b - a;
      a = a + whole * t_a;
      b = b - whole * t_b;
      if (!(a.w > 0) || !(b.w > 0)) return;
      from_a.t += t_a * part;
      from_b.t += t_b * part;
    }
    const bool steep = std::abs(dy) > std::abs(dx);
    glm::vec4 unit = line_width_ * (steep ? glm::vec4(half_x_, 0, 0, 0) : glm::vec4(0, half_y_, 0, 0));
    if (rectangles_) {
      const float length = std::sqrt(dx * dx + dy * dy);
      if (!(length > 0) || !std::isfinite(length)) return;
      unit = line_width_ / length * glm::vec4(-dy * half_x_, dx * half_y_, 0, 0);
    }
    quad({a - unit * a.w, b - unit * b.w, b + unit * b.w, a + unit * a.w}, {from_a, from_b, from_b, from_a});
  }

 private:
  // The window position in pixels, with y in the direction of the driver's rows.
  glm::vec2 pixel_of(const glm::vec4& p) const {
    const glm::vec2 place((p.x / p.w + 1) * 0.5f * width_ + left_, (p.y / p.w + 1) * 0.5f * height_ + bottom_);
    return mirrored_ ? glm::vec2(place.x, -place.y) : place;
  }

  // The corner's z with the polygon's offset. Like Mesa's software drivers, this keeps it between the planes.
  float offset_depth(const glm::vec4& p) const {
    const float lowest = from_zero_ ? 0 : -p.w;
    const float z = p.z + float(polygon_->offset * p.w);
    return std::clamp(z, std::min(lowest, p.z), std::max(p.w, p.z));
  }

  // Draws a rectangle that is half a pixel longer and wider on all sides, as Mesa's software drivers do. (dx, dy) is
  // the vector from a to b in pixels.
  void smooth_line(const glm::vec4& a, const glm::vec4& b, float dx, float dy,
                   const std::array<VertexSource, 4>& sources) {
    const float length = std::sqrt(dx * dx + dy * dy);
    if (!std::isfinite(length)) return;
    const float cosine = length > 0 ? dx / length : 1, sine = length > 0 ? dy / length : 0;
    const float across = line_width_ <= 1 ? 1 : 0.5f * line_width_ + 0.5f;
    const float along = length < 1 ? length : 0.5f * length + 0.5f;
    const auto corner = [&](const glm::vec4& p, float forwards, float left) {
      const float x = forwards * cosine - left * sine, y = forwards * sine + left * cosine;
      return p + glm::vec4(2 * x * half_x_, 2 * y * half_y_, 0, 0) * p.w;
    };
    quad({corner(a, -0.5f, across), corner(b, 0.5f, across), corner(b, 0.5f, -across), corner(a, -0.5f, -across)},
         sources);
    for (const auto& [left, forwards] : {std::pair{1, -1}, {1, 1}, {-1, 1}, {-1, -1}})
      out_.smooth.emplace_back(float(left) * across, across, float(forwards) * along, along);
  }

  void quad(std::array<glm::vec4, 4> corners, const std::array<VertexSource, 4>& sources) {
    if (polygon_ && polygon_->offset != 0) {
      for (glm::vec4& p : corners) p.z = offset_depth(p);
    }
    const uint32_t first = uint32_t(out_.positions.size());
    out_.positions.insert(out_.positions.end(), corners.begin(), corners.end());
    out_.sources.insert(out_.sources.end(), sources.begin(), sources.end());
    // Both triangles of a line begin at its first vertex and end at its second, so either may be the provoking vertex.
    // Mesa divides smooth lines between the right side of the first end and the left side of the second one. In
    // perspective, the diagonal has an effect on the interpolated distances.
    constexpr uint32_t kOneWay[] = {0, 1, 2, 3, 0, 2}, kOtherWay[] = {0, 2, 1, 0, 3, 2};
    constexpr uint32_t kOneWayAcross[] = {3, 0, 1, 3, 1, 2}, kOtherWayAcross[] = {0, 3, 1, 3, 2, 1};
    const bool turns =
        polygon_ && polygon_->counter_clockwise != is_counter_clockwise(corners[0], corners[1], corners[2]);
    const bool across = smooth_ && !mirrored_ && !out_.are_points;
    for (const uint32_t i : across ? (turns ? kOtherWayAcross : kOneWayAcross) : (turns ? kOtherWay : kOneWay))
      out_.indices.push_back(first + i);
  }

  bool mirrored_;
  bool rectangles_;  // pixels have several samples: lines are rectangles, and points squares, of any size
  bool smooth_;
  float line_width_;
  bool has_far_plane_, from_zero_;
  bool whole_points_, from_below_;  // gl_PointCoord's y grows with clip-space y
  float half_x_, half_y_, width_, height_, left_, bottom_;
  ExpandedDraw& out_;
  std::optional<Polygon> polygon_;  // empty unless a triangle is drawn as lines or points
  uint32_t primitive_ = 0;
};

bool is_culled(const State& state, uint32_t flags, bool counter_clockwise) {
  if (state.cull == CullMode::none) return false;
  if (state.cull == CullMode::front_and_back) return true;
  const bool clockwise = (state.front_face == FrontFace::cw) != ((flags & kOriginUpperLeft) != 0);
  return (counter_clockwise != clockwise) == (state.cull == CullMode::front);
}

// Returns the vertex of triangle i of a strip, fan or list that provides its flat values.
size_t provoking_of(Topology topology, bool first, size_t i) {
  if (!first) return 2;
  return topology == Topology::triangle_fan || (topology == Topology::triangle_strip && i % 2 == 1) ? 1 : 0;
}

// Point sizes of a draw, by vertex number.
class PointSizes {
 public:
  PointSizes(const Frame& frame, const DrawCommand& draw, const State& state) : same_(state.point_size) {
    if (draw.inputs < 0) return;
    const DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
    const FragmentProgram& program = frame.programs[inputs.program];
    for (const ProgramVarying& varying : program.varyings) {
      if (varying.name != "gl_PointSize") continue;
      first_ = frame.varyings.data() + inputs.first_varying + varying.offset;
      stride_ = size_t(varying_components(program));
    }
  }
  float size(uint32_t vertex) const { return first_ == nullptr ? same_ : first_[vertex * stride_]; }

 private:
  float same_;
  const float* first_ = nullptr;
  size_t stride_ = 0;
};

// An upper bound in bytes for the expanded draw and for the lists that it is built from. A growing list is copied.
uint64_t max_bytes(const DrawCommand& draw, bool as_triangles) {
  constexpr uint64_t kGrowth = 3, kQuad = 4 * (2 * sizeof(glm::vec4) + sizeof(VertexSource)) + 6 * sizeof(uint32_t);
  const uint64_t elements = draw.element_count, list = sizeof(std::vector<uint32_t>) + sizeof(uint32_t);
  if (as_triangles) return kGrowth * elements * (list + 3 * sizeof(uint32_t));
  const uint64_t of_primitive = is_triangles(draw.topology) ? 3 : 1;
  const uint64_t quads = primitive_count(draw.topology, elements) * of_primitive;
  constexpr uint64_t kBeyondAll = uint64_t(1) << 56;
  if (quads > kBeyondAll / kQuad / draw.instances) return kBeyondAll;
  return kGrowth * (elements * list + quads * draw.instances * kQuad);
}

}  // namespace

bool needs_expansion(const DrawCommand& draw, const State& state) {
  return !is_triangles(draw.topology) || state.polygon_mode != PolygonMode::fill || (draw.indexed && draw.restart);
}

ExpandedDraw expand(const Frame& frame, const DrawCommand& draw, const State& state, size_t command, Loading& loading) {
  const bool as_triangles = is_triangles(draw.topology) && state.polygon_mode == PolygonMode::fill;
  loading.check(max_bytes(draw, as_triangles), fmt::format("command {}", command));
  ExpandedDraw out;
  const auto lists = element_lists(frame, draw, loading);
  if (as_triangles) {
    for (const auto& list : lists) append_triangles(draw.topology, list, out.indices);
    out.instances = draw.instances;
    return out;
  }
  if (draw.vertex_kind != VertexKind::clip_space) {
    throw std::runtime_error("command " + std::to_string(command) +
                             ": field 'mode': object-space lines and points cannot be drawn; turn them into triangles");
  }
  out.are_points =
      draw.topology == Topology::points || (is_triangles(draw.topology) && state.polygon_mode == PolygonMode::point);
  const Target& target = frame.targets[frame.views[draw.first_view].target];
  Widener widener(state, draw.flags, target, out);
  const PointSizes sizes(frame, draw, state);
  const glm::vec4* const vertices = frame.positions.data() + draw.first_vertex;
  for (uint32_t instance = 0; instance < draw.instances; ++instance) {
    const uint32_t base = instance * draw.vertex_count;
    const auto line = [&](uint32_t a, uint32_t b) { widener.line(vertices, base + a, base + b); };
    const auto point = [&](uint32_t v) { widener.point(vertices, base + v, sizes.size(base + v)); };
    const auto whole_line = [&](uint32_t a, uint32_t b) {
      line(a, b);
      widener.end_primitive();
    };
    widener.begin_instance();
    for (const auto& list : lists) {
      const size_t n = list.size();
      loading.look(instance, draw.instances);
      if (draw.topology == Topology::points) {
        for (const uint32_t v : list) {
          point(v);
          widener.end_primitive();
        }
      } else if (draw.topology == Topology::lines) {
        for (size_t i = 0; i + 1 < n; i += 2) whole_line(list[i], list[i + 1]);
      } else if (draw.topology == Topology::line_strip || draw.topology == Topology::line_loop) {
        for (size_t i = 0; i + 1 < n; ++i) whole_line(list[i], list[i + 1]);
        if (draw.topology == Topology::line_loop && n > 2) whole_line(list[n - 1], list[0]);
      } else {
        std::vector<uint32_t> triangles;
        append_triangles(draw.topology, list, triangles);
        for (size_t i = 0; i + 2 < triangles.size(); i += 3, widener.end_primitive()) {
          const uint32_t a = triangles[i], b = triangles[i + 1], c = triangles[i + 2];
          const glm::vec4 &p = vertices[base + a], &q = vertices[base + b], &r = vertices[base + c];
          const bool turns_left = is_counter_clockwise(p, q, r);
          if (is_culled(state, draw.flags, turns_left)) continue;
          const size_t flat = provoking_of(draw.topology, (draw.flags & kProvokingFirst) != 0, i / 3);
          widener.take({turns_left, base + triangles[i + flat], offset_of(state, draw.flags, target, p, q, r)});
          if (state.polygon_mode == PolygonMode::point) {
            for (const uint32_t v : {a, b, c}) point(v);
          } else {
            line(a, b);
            line(b, c);
            line(c, a);
          }
        }
      }
    }
  }
  return out;
}

}  // namespace brokkr
