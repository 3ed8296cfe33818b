// Texts about a frame's bin pattern that appear outside the Pattern panel: on the status bar and in A/B.
#pragma once

#include <imgui.h>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

// Reasons why patterns cannot differ for this frame, one per line; empty if they can.
std::vector<std::string> pattern_hints(const Rendered& frame);

// Draws one bar per rasterizer in the colour of its bins, as high as its load, and a line at the mean. If there are
// more rasterizers than pixels, each bar shows the maximum of its column.
void draw_load_bars(ImDrawList& list, ImVec2 top_left, ImVec2 size, std::span<const uint64_t> load, double mean);

}  // namespace brokkr::viewer
