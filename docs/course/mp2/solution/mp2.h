// MP-2, solved.
#pragma once

#include "common/fixed.h"
#include "mp1.h"

namespace course {

inline Vec4 to_clip(const Mat4& projection, const Mat4& modelview, const Vec4& object) {
  return multiply(projection, multiply(modelview, object));
}

inline Vec4 to_window(const Vec4& clip, const Viewport& viewport) {
  const float inv_w = 1 / clip.w;
  const float half_width = 0.5f * float(viewport.width), half_height = 0.5f * float(viewport.height);
  return {clip.x * inv_w * half_width + (float(viewport.x) + half_width),
          clip.y * inv_w * half_height + (float(viewport.y) + half_height), clip.z * inv_w * 0.5f + 0.5f, inv_w};
}

inline bool is_in_view(const Vec4& clip) {
  const auto is_between = [&](float v) { return -clip.w <= v && v <= clip.w; };
  return is_between(clip.x) && is_between(clip.y) && is_between(clip.z);
}

inline Fixed multiply(Fixed a, Fixed b) { return Fixed(Wide(a) * b >> 32); }
inline Fixed divide(Fixed a, Fixed b) { return Fixed(Wide(a) * kOne / b); }

inline FixedVec4 multiply(const FixedMat4& matrix, const FixedVec4& vector) {
  const auto row = [&](int i) {
    const Fixed(&m)[4] = matrix.m[i];
    return multiply(m[0], vector.x) + multiply(m[1], vector.y) + multiply(m[2], vector.z) + multiply(m[3], vector.w);
  };
  return {row(0), row(1), row(2), row(3)};
}

inline FixedVec4 to_window(const FixedVec4& clip, const Viewport& viewport) {
  // Half of the size may include half a pixel, so it is halved as a fixed-point number.
  const Fixed half_width = viewport.width * kOne / 2, half_height = viewport.height * kOne / 2;
  return {multiply(divide(clip.x, clip.w), half_width) + viewport.x * kOne + half_width,
          multiply(divide(clip.y, clip.w), half_height) + viewport.y * kOne + half_height,
          divide(clip.z, clip.w) / 2 + kOne / 2, divide(kOne, clip.w)};
}

}  // namespace course
