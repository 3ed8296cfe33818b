// How pictures with a limit differ from full quality, and what is drawn on top of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "brokkr/options.h"
#include "brokkr/renderer.h"

namespace brokkr {

// Pixels at a distance of from_px up to to_px from the fixation point.
struct RingError {
  double from_px = 0, to_px = 0;
  uint64_t pixels = 0;
  double rmse = 0;           // of 8-bit colours, over the three channels
  double other_percent = 0;  // pixels of another colour
};

// By rings of equal width around `fixation` (pixels from the lower left corner) up to the farthest corner. Both layers
// must be of one size. Throws std::invalid_argument.
std::vector<RingError> errors_by_distance(const Layer& full, const Layer& limited, const Point& fixation, int rings);

// |a - b| * gain for each channel, opaque.
std::vector<uint32_t> difference_picture(const Layer& a, const Layer& b, double gain);

// A ring around a point, of this colour (0xAABBGGRR). Its size follows the picture's.
void draw_ring(std::vector<uint32_t>& pixels, int width, int height, const Point& at, uint32_t color);

}  // namespace brokkr
