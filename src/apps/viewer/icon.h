// The program's icon, assets/icon.svg, as pictures for the window. The program embeds the drawing. It supports one
// rounded rectangle as background and filled polygons.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace brokkr::viewer {

// The SVG text.
std::string_view icon_drawing();

// Returns RGBA8 (0xAABBGGRR), `size` rows of `size` pixels, top to bottom. Throws std::runtime_error that names an
// unsupported element of `drawing`.
std::vector<uint32_t> draw_icon(std::string_view drawing, int size);

}  // namespace brokkr::viewer
