// MP-2: transforms, division, viewport. Your part: complete the code under YOUR TURN.
#pragma once

#include "common/fixed.h"
#include "mp1.h"

namespace course {

// With float.

// Object to clip space: the modelview matrix, then the projection.
inline Vec4 to_clip(const Mat4& projection, const Mat4& modelview, const Vec4& object) {
  // YOUR TURN 1: use MP-0's multiply
  (void)projection;
  (void)modelview;
  return object;
}

// Clip space to the window: x and y in pixels, depth 0 to 1 (z -1 is nearest: 0), and in w the number 1 / clip.w, which
// MP-6 needs. w is not 0.
inline Vec4 to_window(const Vec4& clip, const Viewport& viewport) {
  // YOUR TURN 2
  (void)viewport;
  return clip;
}

// Returns true if a point is in the view volume: all of x, y, z lie between -w and w.
inline bool is_in_view(const Vec4& clip) {
  // YOUR TURN 3
  (void)clip;
  return false;
}

// With Q32.32: 1 is kOne (common/fixed.h).

// The product, rounded down. It has twice as many bits: compute with Wide.
inline Fixed multiply(Fixed a, Fixed b) {
  // YOUR TURN 4
  (void)b;
  return a;
}

// The quotient, rounded toward zero. b is not 0.
inline Fixed divide(Fixed a, Fixed b) {
  // YOUR TURN 5
  (void)b;
  return a;
}

inline FixedVec4 multiply(const FixedMat4& matrix, const FixedVec4& vector) {
  // YOUR TURN 6
  (void)matrix;
  return vector;
}

// As above, with 1 / clip.w in w. All values are Q32.32: the integer part of x and y is the pixel.
inline FixedVec4 to_window(const FixedVec4& clip, const Viewport& viewport) {
  // YOUR TURN 7
  (void)viewport;
  return clip;
}

}  // namespace course
