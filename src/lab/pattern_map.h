// The input of pattern experiments: the number of fragments that the pipeline produced at each pixel of a frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/renderer.h"

namespace brokkr::lab {

// One picture: a frame's main target, or one layer of it where the frame has several views.
struct FragmentMap {
  std::string name;             // "minetest"; with several layers "courtyard.3"
  int width = 0, height = 0;    // pixels
  std::vector<uint32_t> count;  // width * height, rows from the bottom: fragments, hidden ones included
  uint64_t total = 0;
  uint64_t hash = 0;  // of size and counts: tells whether results on disk belong to this picture

  double mean() const { return double(total) / (double(width) * height); }
};

// A grid of square bins over a map; those at the right and upper edge may be cut.
struct BinLoads {
  int bin = 0, x = 0, y = 0;   // pixels; bins
  std::vector<uint64_t> load;  // x * y, row by row from the bottom
};

// Fills in `total` and `hash`. Throws std::invalid_argument where the number of counts is not width * height.
FragmentMap make_map(std::string name, int width, int height, std::vector<uint32_t> count);

// Renders the frame once and counts the fragments on its main target; layers without fragments are left out.
std::vector<FragmentMap> render_maps(Renderer& renderer, PreparedFrame& prepared, const Frame& frame,
                                     const std::string& name, RenderOptions options);

// `bin`: edge in pixels, 1 or more.
BinLoads bin_loads(const FragmentMap& map, int bin);

}  // namespace brokkr::lab
