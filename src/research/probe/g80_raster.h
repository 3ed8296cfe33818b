// The G80 model's rasterizer: superfragments of primitives in the order in which they come into being.
#pragma once

#include <functional>
#include <glm/vec2.hpp>

#include "probe/drawing.h"

namespace brokkr::probe {

// 2 x 2 pixels of one primitive.
struct Superfragment {
  int x = 0, y = 0;      // of its lower left pixel: even
  uint32_t covered = 0;  // bit 2 * row + column: a pixel of the primitive; the others are ghosts
  uint32_t primitive = 0;
};

// Calls `emit` for the superfragments of each primitive, tile by tile of `tile` pixels. Coverage of triangles is exact
// in 1/256 pixel, with the top-left rule.
void rasterize(const Drawing& drawing, int tile, const std::function<void(const Superfragment&)>& emit);

}  // namespace brokkr::probe
