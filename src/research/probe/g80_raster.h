// The G80 model's rasterizer: generates the superfragments of primitives in order.
#pragma once

#include <functional>
#include <glm/vec2.hpp>

#include "probe/drawing.h"

namespace brokkr::probe {

// 2 x 2 pixels of one primitive.
struct Superfragment {
  int x = 0, y = 0;      // of its lower left pixel; both are even
  uint32_t covered = 0;  // bit 2 * row + column: the pixel belongs to the primitive; the others are ghosts
  uint32_t primitive = 0;
};

// Calls `emit` for each primitive's superfragments, tile by tile of `tile` pixels. Triangle coverage is exact in 1/256
// pixel, with the top-left rule.
void rasterize(const Drawing& drawing, int tile, const std::function<void(const Superfragment&)>& emit);

}  // namespace brokkr::probe
