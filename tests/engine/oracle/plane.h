// THE NUMERIC CONTRACT: everything that the pipeline and the oracle must compute alike to the last bit, in one place.
// It covers window transform, snapping, viewport clip and depth plane. Each side has its own code for it. The whole
// project is compiled without contraction of multiply and add (-ffp-contract=off).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <glm/vec4.hpp>
#include <optional>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::oracle {

// True if depth is compared bit by bit. If false, two depths agree within `depth_slack`, and a depth test closer than
// that (but not between equal values) leaves the pixel uncertain.
inline constexpr bool kDepthBitExact = true;

inline constexpr int kSubpixels = 256;          // grid steps per pixel
inline constexpr int kCentre = kSubpixels / 2;  // of a pixel, in grid steps
// Window coordinates (pixels) within which there is no guard-band clipping. The range is a little smaller than the
// pipeline's band: to treat a triangle as clipped loses certainty, but the opposite would give wrong results.
inline constexpr float kGuardMin = -8190.0f, kGuardMax = 24574.0f;

struct WindowVertex {
  float x = 0, y = 0, z = 0;  // pixels, pixels, window depth
};

inline WindowVertex to_window(const glm::vec4& clip, const State& state, uint32_t flags) {
  const glm::vec4& viewport = state.viewport;
  const float inv_w = 1.0f / clip.w;
  const float ndc_x = clip.x * inv_w, ndc_y = clip.y * inv_w;
  // Depth-clamped triangles may extend far beyond the depth range; their planes must stay finite.
  const float ndc_z = std::clamp(clip.z * inv_w, -1048576.0f, 1048576.0f);
  const float half_width = 0.5f * viewport.z, half_height = 0.5f * viewport.w;
  const float centre_x = viewport.x + half_width, centre_y = viewport.y + half_height;
  const float near = state.depth_near, far = state.depth_far;
  WindowVertex window;
  window.x = ndc_x * half_width + centre_x;
  window.y = (flags & kOriginUpperLeft ? -ndc_y : ndc_y) * half_height + centre_y;
  window.z = flags & kZeroToOne ? ndc_z * (far - near) + near : ndc_z * (0.5f * (far - near)) + 0.5f * (near + far);
  return window;
}

// On the grid of 1/256 pixel.
struct SnappedVertex {
  int64_t x = 0, y = 0;
  float z = 0;
};

inline SnappedVertex snap(const WindowVertex& window) {
  // x 256 is exact; nearbyint rounds ties to even in the default mode.
  return {int64_t(std::nearbyint(window.x * float(kSubpixels))), int64_t(std::nearbyint(window.y * float(kSubpixels))),
          window.z};
}

// Pixels [left, right) x [bottom, top) that a draw may touch: the intersection of target, scissor, and the pixels whose
// centres lie in the viewport (primitives are clipped to the view volume).
struct PixelRect {
  int left = 0, bottom = 0, right = 0, top = 0;
  bool contains(int x, int y) const { return x >= left && x < right && y >= bottom && y < top; }
};

inline PixelRect drawable_pixels(const State& state, int width, int height) {
  const auto first_centre_from = [](float edge) { return int(std::ceil(double(edge) - 0.5)); };
  const glm::vec4& viewport = state.viewport;
  PixelRect rect{std::max(0, first_centre_from(viewport.x)), std::max(0, first_centre_from(viewport.y)),
                 std::min(width, first_centre_from(viewport.x + viewport.z)),
                 std::min(height, first_centre_from(viewport.y + viewport.w))};
  if (state.scissor) {
    rect.left = std::max(rect.left, state.scissor->x);
    rect.bottom = std::max(rect.bottom, state.scissor->y);
    rect.right = int(std::min(int64_t(rect.right), int64_t(state.scissor->x) + state.scissor->width));
    rect.top = int(std::min(int64_t(rect.top), int64_t(state.scissor->y) + state.scissor->height));
  }
  return rect;
}

// A sample's offset from its pixel's centre, and the largest offset of any sample along an axis, in grid steps.
struct SamplePlace {
  int64_t x = 0, y = 0, reach = 0;
};

// Vulkan's standard sample locations (Vulkan 1.3, 27.3) in 1/16 pixel, with rows counted from the bottom.
inline SamplePlace place_of_sample(int samples, int sample) {
  using Places = std::vector<std::array<int, 2>>;
  static const Places two = {{12, 12}, {4, 4}}, four = {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
                      eight = {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}};
  if (samples == 1) return {};
  const Places& places = samples == 2 ? two : samples == 4 ? four : eight;
  SamplePlace place;
  for (const auto& at : places) {
    for (const int along : at) place.reach = std::max<int64_t>(place.reach, std::abs(along - 8) * 16);
  }
  place.x = (places.at(size_t(sample))[0] - 8) * 16;
  place.y = (places.at(size_t(sample))[1] - 8) * 16;
  return place;
}

// First pixel whose centre is at or beyond a grid coordinate.
inline int first_pixel(int64_t grid) { return int((grid + kCentre - 1) >> 8); }
// Last pixel whose centre is at or before a grid coordinate.
inline int last_pixel(int64_t grid) { return int((grid - kCentre) >> 8); }

// Window depth over a triangle: z = (z0 + a * dx) + b * dy, dx and dy in pixels from the reference pixel. z0 is the
// depth at the reference pixel's sample: (centre + a * x) + b * y for a sample at x, y pixels from the centre.
struct DepthPlane {
  int reference_x = 0, reference_y = 0;
  float a = 0, b = 0, z0 = 0;  // per pixel, per pixel, at the reference

  float unclamped(int x, int y) const { return (z0 + a * float(x - reference_x)) + b * float(y - reference_y); }
};

// Plane through three snapped vertices, not collinear, calculated in double precision and in this order. `reference`:
// the lower left pixel among those of drawable_pixels that may have a sample in the triangle's bounding box. Polygon
// offset counts its units as a 24-bit depth buffer does: 2^-24.
inline DepthPlane depth_plane(const std::array<SnappedVertex, 3>& v, int reference_x, int reference_y,
                              const std::optional<PolygonOffset>& offset, const SamplePlace& sample = {}) {
  const double dx1 = double(v[1].x - v[0].x), dy1 = double(v[1].y - v[0].y);  // 1/256 pixel, exact
  const double dx2 = double(v[2].x - v[0].x), dy2 = double(v[2].y - v[0].y);
  const double dz1 = double(v[1].z) - double(v[0].z), dz2 = double(v[2].z) - double(v[0].z);
  const double scale = double(kSubpixels) / (dx1 * dy2 - dx2 * dy1);
  const double a = (dz1 * dy2 - dz2 * dy1) * scale;
  const double b = (dz2 * dx1 - dz1 * dx2) * scale;
  const double to_x = double(int64_t(reference_x) * kSubpixels + kCentre - v[0].x) / kSubpixels;
  const double to_y = double(int64_t(reference_y) * kSubpixels + kCentre - v[0].y) / kSubpixels;
  double z = (double(v[0].z) + a * to_x) + b * to_y;
  if (offset) {
    const double slope = std::max(std::fabs(a), std::fabs(b));
    z = z + (double(offset->factor) * slope + double(offset->units) * 0x1p-24);
  }
  const float z0 = (float(z) + float(a) * (float(sample.x) / kSubpixels)) + float(b) * (float(sample.y) / kSubpixels);
  return {reference_x, reference_y, float(a), float(b), z0};
}

inline float clamp_depth(float z, const State& state, uint32_t flags) {
  float low = 0, high = 1;
  if (flags & kDepthClamp) {
    low = std::min(state.depth_near, state.depth_far);
    high = std::max(state.depth_near, state.depth_far);
  }
  z = z > low ? z : low;
  return z < high ? z : high;
}

// The largest difference between two evaluations of the plane that differ in their order of operations.
inline float depth_slack(const DepthPlane& plane, int x, int y) {
  if (kDepthBitExact) return 0;
  const float size = 1 + std::fabs(plane.z0) + std::fabs(plane.a * float(x - plane.reference_x)) +
                     std::fabs(plane.b * float(y - plane.reference_y));
  return std::ldexp(size, -22);
}

}  // namespace brokkr::oracle
