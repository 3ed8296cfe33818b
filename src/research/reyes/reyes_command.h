// The module of micropolygons: `brokkr reyes`, and scenes of patches in `brokkr view`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/module.h"
#include "brokkr/options.h"
#include "brokkr/renderer.h"

namespace brokkr::app {

inline constexpr const char* kPatchScenes = "reyes:";  // prefix of built-in scenes

Module reyes_module();
Command reyes_command();
ViewPart reyes_view_part();

// Returns true if the file name ends in .bpt, in any case.
bool is_patch_file(const std::string& path);

}  // namespace brokkr::app

namespace brokkr {

// Compares pictures drawn within a limit with full quality, and draws overlays.

// The pixels whose distance from the fixation point is from_px to to_px.
struct RingError {
  double from_px = 0, to_px = 0;
  uint64_t pixels = 0;
  double rmse = 0;           // error of 8-bit colours, over all three channels
  double other_percent = 0;  // percentage of pixels with a different colour
};

// Errors in rings of equal width around `fixation` (pixels from the lower left corner) up to the farthest corner. Both
// layers must have the same size. Throws std::invalid_argument.
std::vector<RingError> errors_by_distance(const Layer& full, const Layer& limited, const Point& fixation, int rings);

// |a - b| * gain per channel, opaque.
std::vector<uint32_t> difference_picture(const Layer& a, const Layer& b, double gain);

// Draws a ring around a point in this colour (0xAABBGGRR). The ring's size is proportional to the picture's.
void draw_ring(std::vector<uint32_t>& pixels, int width, int height, const Point& at, uint32_t color);

}  // namespace brokkr
