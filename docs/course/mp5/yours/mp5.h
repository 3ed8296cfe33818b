// MP-5: the eight depth functions. Your part: complete the code under YOUR TURN.
#pragma once

#include "common/depth_buffer.h"
#include "mp4.h"

namespace course {

// Returns true if a fragment's depth passes against the stored depth: `less` passes nearer, that is smaller, depths.
inline bool passes(DepthFunction function, uint32_t depth, uint32_t stored) {
  // YOUR TURN 1
  (void)function;
  (void)depth;
  (void)stored;
  return true;
}

// A depth in the depth buffer's form: 0 to 1 becomes 0 to kFarthest, rounded to nearest. A value out of range becomes
// the nearest end.
inline uint32_t depth_code_of(Fixed depth) {
  // YOUR TURN 2
  (void)depth;
  return 0;
}

// Tests each fragment of a triangle, and writes colour and depth of those that pass. The depth is interpolated like the
// colours; shape.window[i].z is the depth of corner i. Without draw.depth_test everything passes, and no depth is
// written; without draw.depth_write the depth is unchanged.
class DepthUnit {
 public:
  DepthUnit(const Draw& draw, const Shape& shape, Framebuffer& framebuffer, DepthBuffer& depths)
      : draw_(draw), shape_(shape), framebuffer_(framebuffer), depths_(depths), colors_(shape, framebuffer) {}

  void start(int x, int y) { colors_.start(x, y); }
  void move(Command command) { colors_.move(command); }
  void fragment(int x, int y) {
    // YOUR TURN 3: also in start and move
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
