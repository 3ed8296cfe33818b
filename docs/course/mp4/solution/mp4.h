// MP-4, solved.
#pragma once

#include <algorithm>

#include "common/draw.h"
#include "common/plane.h"

namespace course {

inline Plane plane_through(const Triangle& triangle, const double (&values)[3], int x, int y) {
  const auto pixels = [](int64_t steps) { return double(steps) / kSteps; };
  const double x1 = pixels(triangle.x[1] - triangle.x[0]), y1 = pixels(triangle.y[1] - triangle.y[0]);
  const double x2 = pixels(triangle.x[2] - triangle.x[0]), y2 = pixels(triangle.y[2] - triangle.y[0]);
  const double v1 = values[1] - values[0], v2 = values[2] - values[0], twice_area = x1 * y2 - x2 * y1;
  const double dx = (v1 * y2 - v2 * y1) / twice_area, dy = (v2 * x1 - v1 * x2) / twice_area;
  const double value = values[0] + dx * (x + 0.5 - pixels(triangle.x[0])) + dy * (y + 0.5 - pixels(triangle.y[0]));
  return {to_fixed(value), to_fixed(dx), to_fixed(dy)};
}

class Interpolator {
 public:
  explicit Interpolator(const Plane& plane) : plane_(plane), value_(plane.value), saved_(plane.value) {}
  Fixed value() const { return value_; }

  void move(Command command) {
    switch (command) {
      case Command::move_left: value_ = wrapped_difference(value_, plane_.dx); return;
      case Command::move_right: value_ = wrapped_sum(value_, plane_.dx); return;
      case Command::pop_move_left: value_ = wrapped_difference(saved_, plane_.dx); return;
      case Command::pop_move_right: value_ = wrapped_sum(saved_, plane_.dx); return;
      case Command::push_move_down: saved_ = value_ = wrapped_difference(value_, plane_.dy); return;
    }
  }

 private:
  Plane plane_;
  Fixed value_, saved_;
};

inline uint32_t code_of(Fixed channel) {
  return uint32_t((std::clamp<Fixed>(channel, 0, kOne) * 255 + kOne / 2) >> 32);
}

class ColorUnit {
 public:
  ColorUnit(const Shape& shape, Framebuffer& framebuffer) : shape_(shape), framebuffer_(framebuffer) {}

  void start(int x, int y) {
    const Vertex(&v)[3] = shape_.vertices;
    const auto begin = [&](double a, double b, double c) {
      return Interpolator(plane_through(shape_.triangle, {a, b, c}, x, y));
    };
    red_ = begin(v[0].color.r, v[1].color.r, v[2].color.r);
    green_ = begin(v[0].color.g, v[1].color.g, v[2].color.g);
    blue_ = begin(v[0].color.b, v[1].color.b, v[2].color.b);
  }
  void move(Command command) {
    for (Interpolator* channel : {&red_, &green_, &blue_}) channel->move(command);
  }
  void fragment(int x, int y) {
    framebuffer_.write(address(framebuffer_, x, y),
                       pack(code_of(red_.value()), code_of(green_.value()), code_of(blue_.value())));
  }

 private:
  const Shape& shape_;
  Framebuffer& framebuffer_;
  Interpolator red_{{}}, green_{{}}, blue_{{}};
};

}  // namespace course
