// The program's icon, assets/icon.svg, as pictures for the window. The drawing is part of the program; it holds one
// rounded rectangle as ground and filled polygons, and nothing else is read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace brokkr::viewer {

// The drawing's text.
std::string_view icon_drawing();

// RGBA8 (0xAABBGGRR), `size` rows top to bottom of `size` pixels. Throws std::runtime_error naming the element of
// `drawing` that it does not know.
std::vector<uint32_t> draw_icon(std::string_view drawing, int size);

}  // namespace brokkr::viewer
