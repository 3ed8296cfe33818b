// MP-4: colour interpolation. Your part: complete the code under YOUR TURN.
#pragma once

#include "common/draw.h"
#include "common/plane.h"

namespace course {

// The plane through the values of three corners, for a walk that starts at pixel (x, y). Compute in double and round
// once (to_fixed).
inline Plane plane_through(const Triangle& triangle, const double (&values)[3], int x, int y) {
  // YOUR TURN 1
  (void)triangle;
  (void)values;
  (void)x;
  (void)y;
  return {};
}

// A value that follows the walk: one addition or subtraction per command, and no multiplication.
class Interpolator {
 public:
  explicit Interpolator(const Plane& plane) : plane_(plane), value_(plane.value), saved_(plane.value) {}
  Fixed value() const { return value_; }

  void move(Command command) {
    // YOUR TURN 2: wrapped_sum, wrapped_difference (common/fixed.h); common/walk.h says what each command does
    (void)command;
  }

 private:
  Plane plane_;
  Fixed value_, saved_;
};

// A channel in the framebuffer's form: 0 to 1 becomes 0 to 255, rounded to nearest. A value out of range becomes the
// nearest end.
inline uint32_t code_of(Fixed channel) {
  // YOUR TURN 3
  (void)channel;
  return 0;
}

// Walks over a triangle and writes colours between those of its corners.
class ColorUnit {
 public:
  ColorUnit(const Shape& shape, Framebuffer& framebuffer) : shape_(shape), framebuffer_(framebuffer) {}

  void start(int x, int y) {
    const Vertex(&v)[3] = shape_.vertices;
    red_ = Interpolator(plane_through(shape_.triangle, {v[0].color.r, v[1].color.r, v[2].color.r}, x, y));
    // YOUR TURN 4: green and blue, and the two functions below
  }
  void move(Command command) { (void)command; }
  void fragment(int x, int y) {
    (void)x;
    (void)y;
  }

 private:
  const Shape& shape_;
  Framebuffer& framebuffer_;
  Interpolator red_{{}}, green_{{}}, blue_{{}};
};

}  // namespace course
