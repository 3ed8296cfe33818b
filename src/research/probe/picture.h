// Writes films and maps as pictures and as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "probe/film.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

// The last rank of a pixel plus one.
double ranks_of(const Film& film);

// The first fraction `part` (0 .. 1) of a film's fragments as RGBA8 pixels, rows bottom to top: early ones dark blue,
// late ones yellow, undrawn pixels black.
std::vector<uint32_t> film_picture(const Film& film, double part);

// A stall: drawn pixels in colours, delayed ones in red, slow pixels and their neighbours white. `ranks`: the rank of
// the last colour; 0: that of the stall's moment.
std::vector<uint32_t> stall_picture(const Film& film, const Stall& stall, std::span<const glm::ivec2> slow,
                                    double ranks = 0);

// A colour for each tile's owner. Tiles of eight or more pixels are separated by dark lines.
std::vector<uint32_t> map_picture(const TileMap& map, int width, int height);

// "x,y,order,time,unit,warp,black" and a line for each drawn pixel; values that the subject does not report are
// omitted. `black`: pixels that a stall delays; empty: no stall.
std::string pixels_csv(const Film& film, const std::vector<bool>& black);

}  // namespace brokkr::probe
