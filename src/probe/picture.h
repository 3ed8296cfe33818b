// Films and maps as pictures and as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "probe/film.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

// The first `part` (0 .. 1) of a film's fragments as RGBA8 pixels, rows bottom to top: early ones dark blue, late ones
// yellow, what is not drawn yet black.
std::vector<uint32_t> film_picture(const Film& film, double part);

// The moment at which all wait for a slow pixel: black ones are red, the slow one and its neighbours white.
std::vector<uint32_t> stall_picture(const Film& film, const Stall& stall, glm::ivec2 slow);

// A colour for each tile's owner.
std::vector<uint32_t> map_picture(const TileMap& map, int width, int height);

// "x,y,order,time,unit,warp" and a line for each pixel that was drawn; what the subject does not tell is left out.
std::string pixels_csv(const Film& film);

}  // namespace brokkr::probe
