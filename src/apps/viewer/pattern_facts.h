// Texts about the bin pattern of a frame outside the panel Pattern: in the status bar and by A/B.
#pragma once

#include <imgui.h>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

// Why patterns may not differ for this frame, a line each; empty where they can.
std::vector<std::string> pattern_hints(const Rendered& frame);

// A bar for each rasterizer, in the colour of its bins, as high as its load; the line is their mean. Where there are
// more rasterizers than pixels, a bar has the highest of its column.
void draw_load_bars(ImDrawList& list, ImVec2 at, ImVec2 size, std::span<const uint64_t> load, double mean);

}  // namespace brokkr::viewer
