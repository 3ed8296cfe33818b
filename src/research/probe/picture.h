// Films and maps as pictures and as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "probe/film.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

// One more than the last rank of a pixel.
double ranks_of(const Film& film);

// The first `part` (0 .. 1) of a film's fragments as RGBA8 pixels, rows bottom to top: early ones dark blue, late ones
// yellow, what is not drawn yet black.
std::vector<uint32_t> film_picture(const Film& film, double part);

// The moment of a stall: what is drawn by then, what is held up in red, slow pixels and their neighbours white.
// `ranks`: what colours go up to; 0: to the stall's moment.
std::vector<uint32_t> stall_picture(const Film& film, const Stall& stall, std::span<const glm::ivec2> slow,
                                    double ranks = 0);

// A colour for each tile's owner. Tiles of eight pixels or more have a dark line between them.
std::vector<uint32_t> map_picture(const TileMap& map, int width, int height);

// "x,y,order,time,unit,warp,black" and a line for each pixel that was drawn; what the subject does not tell is left
// out. `black`: pixels that a stall keeps black; empty: there is none.
std::string pixels_csv(const Film& film, const std::vector<bool>& black);

}  // namespace brokkr::probe
