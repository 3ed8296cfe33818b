// MP-5: the eight depth functions. Your part: fill in what stands under YOUR TURN.
#pragma once

#include "common/depth_buffer.h"
#include "mp4.h"

namespace course {

// Whether a fragment's depth passes against the one that is stored: `less` passes what is nearer, which is smaller.
inline bool passes(DepthFunction function, uint32_t depth, uint32_t stored) {
  // YOUR TURN 1
  (void)function;
  (void)depth;
  (void)stored;
  return true;
}

// A depth as the depth buffer stores it: 0 to 1 becomes 0 to kFarthest, nearest; what is out of range, the nearest end.
inline uint32_t depth_code_of(Fixed depth) {
  // YOUR TURN 2
  (void)depth;
  return 0;
}

// Tests each fragment of a triangle, and writes colour and depth of those that pass. Its depth is interpolated as the
// colours are; shape.window[i].z is that of corner i. Without draw.depth_test everything passes, and no depth is
// written; without draw.depth_write the depth stays as it was.
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
