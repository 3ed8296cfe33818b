// MP-5, solved.
#pragma once

#include <algorithm>

#include "common/depth_buffer.h"
#include "mp4.h"

namespace course {

inline bool passes(DepthFunction function, uint32_t depth, uint32_t stored) {
  switch (function) {
    case DepthFunction::never: return false;
    case DepthFunction::less: return depth < stored;
    case DepthFunction::equal: return depth == stored;
    case DepthFunction::lequal: return depth <= stored;
    case DepthFunction::greater: return depth > stored;
    case DepthFunction::notequal: return depth != stored;
    case DepthFunction::gequal: return depth >= stored;
    case DepthFunction::always: return true;
  }
  return false;
}

inline uint32_t depth_code_of(Fixed depth) {
  return uint32_t((std::clamp<Fixed>(depth, 0, kOne) * kFarthest + kOne / 2) >> 32);
}

class DepthUnit {
 public:
  DepthUnit(const Draw& draw, const Shape& shape, Framebuffer& framebuffer, DepthBuffer& depths)
      : draw_(draw), shape_(shape), framebuffer_(framebuffer), depths_(depths), colors_(shape, framebuffer) {}

  void start(int x, int y) {
    const Vec4(&w)[3] = shape_.window;
    depth_ = Interpolator(plane_through(shape_.triangle, {w[0].z, w[1].z, w[2].z}, x, y));
    colors_.start(x, y);
  }
  void move(Command command) {
    depth_.move(command);
    colors_.move(command);
  }
  void fragment(int x, int y) {
    const size_t place = address(framebuffer_, x, y);
    const uint32_t depth = depth_code_of(depth_.value());
    if (draw_.depth_test && !passes(draw_.depth, depth, depths_.read(place))) return;
    if (draw_.depth_test && draw_.depth_write) depths_.write(place, depth);
    colors_.fragment(x, y);
  }

 private:
  const Draw& draw_;
  const Shape& shape_;
  Framebuffer& framebuffer_;
  DepthBuffer& depths_;
  ColorUnit colors_;
  Interpolator depth_{{}};
};

}  // namespace course
