#include "oracle/triangle.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace brokkr::oracle {
namespace {

using Vector = std::array<long double, 3>;

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
long double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

bool facing_is_culled(bool counter_clockwise, const State& state, uint32_t flags) {
  // An upper-left origin mirrors the image; the application meant the opposite winding.
  const bool ccw = counter_clockwise != ((flags & kOriginUpperLeft) != 0);
  const bool front = ccw == (state.front_face == FrontFace::ccw);
  return state.cull == CullMode::front_and_back || (state.cull == CullMode::front && front) ||
         (state.cull == CullMode::back && !front);
}

float near_distance(const glm::vec4& v, uint32_t flags) { return flags & kZeroToOne ? v.z : v.z + v.w; }
float far_distance(const glm::vec4& v) { return v.w - v.z; }

// If both ends of a depth's tolerance clamp to the same value, the depth is exact.
Sample sample_at(int x, int y, bool certain, float z, float tolerance, const State& state, uint32_t flags) {
  const float depth = clamp_depth(z, state, flags);
  const bool settled = clamp_depth(z - tolerance, state, flags) == clamp_depth(z + tolerance, state, flags);
  return {x, y, certain, depth, settled ? 0.0f : tolerance};
}

// Without clipping, integers decide coverage exactly.
Fate cover_exactly(const std::array<WindowVertex, 3>& window, const State& state, uint32_t flags,
                   const PixelRect& pixels, const SamplePlace& place, std::vector<Sample>& samples) {
  std::array<SnappedVertex, 3> v{snap(window[0]), snap(window[1]), snap(window[2])};
  // Inside the guard band coordinates have 24 bits and products 50, so 64-bit integers are exact.
  const auto twice_area = [&] { return (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y); };
  const int64_t area = twice_area();
  if (area == 0 || facing_is_culled(area > 0, state, flags)) return Fate::culled;
  if (area < 0) std::swap(v[1], v[2]);

  const auto [low_x, high_x] = std::minmax({v[0].x, v[1].x, v[2].x});
  const auto [low_y, high_y] = std::minmax({v[0].y, v[1].y, v[2].y});
  const int left = std::max(pixels.left, first_pixel(low_x - place.reach));
  const int bottom = std::max(pixels.bottom, first_pixel(low_y - place.reach));
  const int right = std::min(pixels.right - 1, last_pixel(high_x + place.reach));
  const int top = std::min(pixels.top - 1, last_pixel(high_y + place.reach));
  if (left > right || bottom > top) return Fate::drawn;

  const DepthPlane plane = depth_plane(v, left, bottom, state.polygon_offset, place);
  for (int y = bottom; y <= top; ++y) {
    for (int x = left; x <= right; ++x) {
      const int64_t px = int64_t(x) * kSubpixels + kCentre + place.x;
      const int64_t py = int64_t(y) * kSubpixels + kCentre + place.y;
      bool inside = true;
      for (size_t i = 0; i < 3; ++i) {
        const SnappedVertex& a = v[i];
        const SnappedVertex& b = v[(i + 1) % 3];
        const int64_t side = (b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x);
        // Counter-clockwise: a left edge goes down, a bottom edge goes right, a top edge left.
        const bool owner = flags & kOriginUpperLeft ? b.x < a.x : b.x > a.x;
        const bool inclusive = b.y < a.y || (b.y == a.y && owner);
        inside = inside && (side > 0 || (side == 0 && inclusive));
      }
      if (!inside) continue;
      samples.push_back(sample_at(x, y, true, plane.unclamped(x, y), depth_slack(plane, x, y), state, flags));
    }
  }
  return Fate::drawn;
}

// A half plane of the window: positive inside, in pixels from its border.
struct HalfPlane {
  long double x = 0, y = 0, one = 0;

  HalfPlane(const Vector& v, long double sign) : x(v[0] * sign), y(v[1] * sign), one(v[2] * sign) {
    const long double length = std::sqrt(x * x + y * y);
    if (length > 0) {
      x /= length;
      y /= length;
      one /= length;
    } else {  // the same everywhere
      one = one > 0 ? INFINITY : one < 0 ? -INFINITY : 0;
    }
  }
  long double distance(long double px, long double py) const { return x * px + y * py + one; }
};

// With clipping: two-dimensional homogeneous rasterization [Olano97] of the whole triangle, which needs no clipping. If
// the vertices (x, y, w) in window space are the rows of a matrix, the columns of its inverse are the barycentrics over
// w. A sample is inside if no barycentric and neither the near nor the far distance is negative.
Fate cover_homogeneously(const std::array<glm::vec4, 3>& clip, const State& state, uint32_t flags,
                         const PixelRect& pixels, double tolerance, const SamplePlace& place,
                         std::vector<Sample>& samples) {
  const long double half_width = 0.5L * state.viewport.z, half_height = 0.5L * state.viewport.w;
  const long double centre_x = state.viewport.x + half_width, centre_y = state.viewport.y + half_height;
  const long double up = flags & kOriginUpperLeft ? -1 : 1;
  std::array<Vector, 3> v;
  for (size_t i = 0; i < 3; ++i) {
    const long double x = clip[i].x, y = clip[i].y, w = clip[i].w;
    v[i] = {x * half_width + w * centre_x, up * y * half_height + w * centre_y, w};
  }
  const std::array<Vector, 3> column{cross(v[1], v[2]), cross(v[2], v[0]), cross(v[0], v[1])};
  const long double determinant = dot(v[0], column[0]);
  if (determinant == 0 || facing_is_culled(determinant > 0, state, flags)) return Fate::culled;

  const auto combine = [&](auto&& value) {  // linear functional of the sample: sum of value_k * barycentric_k / w
    Vector sum{};
    for (size_t k = 0; k < 3; ++k) {
      for (size_t i = 0; i < 3; ++i) sum[i] += static_cast<long double>(value(clip[k])) * column[k][i];
    }
    return sum;
  };
  const long double sign = determinant > 0 ? 1 : -1;
  std::vector<HalfPlane> borders;
  for (const Vector& c : column) borders.emplace_back(c, sign);
  if (!(flags & kDepthClamp)) {
    const auto outside = [&](auto&& distance) {
      return std::any_of(clip.begin(), clip.end(), [&](const glm::vec4& p) { return distance(p) < 0; });
    };
    const auto near = [&](const glm::vec4& p) { return near_distance(p, flags); };
    if (outside(near)) borders.emplace_back(combine(near), sign);
    if (outside(far_distance)) borders.emplace_back(combine(far_distance), sign);
  }

  // z / w is linear over the window too.
  Vector ndc = combine([](const glm::vec4& p) { return p.z; });
  for (long double& c : ndc) c /= determinant;
  const long double near = state.depth_near, far = state.depth_far;
  const long double scale = flags & kZeroToOne ? far - near : (far - near) / 2;
  long double bias = flags & kZeroToOne ? near : (near + far) / 2;
  const long double slope = (std::fabs(ndc[0]) + std::fabs(ndc[1])) * std::fabs(scale);
  // Vertices may be off by the tolerance, and the depth by its change over that distance.
  float depth_tolerance = float(slope * tolerance * 2) + std::ldexp(1.0f, -19);
  if (state.polygon_offset) {
    const long double steepest = std::max(std::fabs(ndc[0]), std::fabs(ndc[1])) * std::fabs(scale);
    bias += steepest * state.polygon_offset->factor + state.polygon_offset->units * 0x1p-24L;
    // A clipped triangle's parts take the slope from their own snapped corners.
    depth_tolerance += float(slope * std::fabs(state.polygon_offset->factor) * 0.05L);
  }

  const auto nearest_border = [&](long double px, long double py) {
    long double nearest = INFINITY;
    for (const HalfPlane& border : borders) nearest = std::min(nearest, border.distance(px, py));
    return nearest;
  };
  // Skips blocks that lie outside as a whole: no distance changes by more than one per pixel.
  constexpr int kBlock = 16;
  for (int block_y = pixels.bottom; block_y < pixels.top; block_y += kBlock) {
    for (int block_x = pixels.left; block_x < pixels.right; block_x += kBlock) {
      if (nearest_border(block_x + kBlock / 2, block_y + kBlock / 2) < -kBlock) continue;
      for (int y = block_y; y < std::min(block_y + kBlock, pixels.top); ++y) {
        for (int x = block_x; x < std::min(block_x + kBlock, pixels.right); ++x) {
          const long double px = x + 0.5L + static_cast<long double>(place.x) / kSubpixels;
          const long double py = y + 0.5L + static_cast<long double>(place.y) / kSubpixels;
          const long double nearest = nearest_border(px, py);
          if (nearest < -tolerance) continue;
          const float z = float((ndc[0] * px + ndc[1] * py + ndc[2]) * scale + bias);
          samples.push_back(sample_at(x, y, nearest > tolerance, z, depth_tolerance, state, flags));
        }
      }
    }
  }
  return Fate::clipped;
}

}  // namespace

Fate cover(const std::array<glm::vec4, 3>& clip, const State& state, uint32_t flags, const PixelRect& pixels,
           double clip_tolerance, std::vector<Sample>& samples, const SamplePlace& place) {
  bool needs_clipping = false;
  std::array<WindowVertex, 3> window;
  int behind_eye = 0, before_near = 0, beyond_far = 0;
  int left = 0, right = 0, below = 0, above = 0;  // of the view volume
  for (size_t i = 0; i < 3; ++i) {
    const glm::vec4& p = clip[i];
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z) || !std::isfinite(p.w)) {
      return Fate::culled;
    }
    window[i] = to_window(p, state, flags);
    const bool within_guard_band =  // false for NaN as well
        window[i].x >= kGuardMin && window[i].x <= kGuardMax && window[i].y >= kGuardMin && window[i].y <= kGuardMax;
    behind_eye += !(p.w > 0);
    left += p.x < -p.w;
    right += p.x > p.w;
    below += p.y < -p.w;
    above += p.y > p.w;
    if (!(flags & kDepthClamp)) {
      before_near += near_distance(p, flags) < 0;
      beyond_far += far_distance(p) < 0;
    }
    needs_clipping = needs_clipping || !within_guard_band;
  }
  if (behind_eye == 3 || before_near == 3 || beyond_far == 3) return Fate::culled;
  // The view volume may end between the centre of a pixel and its samples.
  if (left == 3 || right == 3 || below == 3 || above == 3) return Fate::culled;
  needs_clipping = needs_clipping || behind_eye + before_near + beyond_far > 0;
  return needs_clipping ? cover_homogeneously(clip, state, flags, pixels, clip_tolerance, place, samples)
                        : cover_exactly(window, state, flags, pixels, place, samples);
}

}  // namespace brokkr::oracle
