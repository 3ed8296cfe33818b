// A picture of a bin pattern, for `brokkr pattern`, the documentation and the viewer.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/pattern.h"

namespace brokkr {

struct PatternImage {
  int width = 0, height = 0;     // pixels
  std::vector<uint32_t> pixels;  // RGBA8 (0xAABBGGRR), width * height, rows bottom to top
};

struct PatternImageOptions {
  int bins_x = 0, bins_y = 0;  // part of the plane to show, from the lower left bin; 0: one period, 1..4096
  int cell = 16;               // pixels per bin edge, 1..256; from 6 on, cells get a dark line between them
  bool highlight = false;      // only rasterizer 0 in colour, the others in shades of grey
};

// An opaque colour (0xAABBGGRR) for a rasterizer in 0..4095; no two rasterizers share one.
uint32_t rasterizer_color(int rasterizer);

// Throws std::invalid_argument when an option is out of range or the picture exceeds 2^28 pixels.
PatternImage draw_pattern(const Pattern& pattern, const PatternImageOptions& options = {});

}  // namespace brokkr
