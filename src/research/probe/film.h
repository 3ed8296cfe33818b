// Analyses films: the fragments of one warp, the tiles that stay black behind a slow fragment, and the order in which a
// primitive is filled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <glm/vec2.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/drawing.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

// The pixels written at exactly the same time as a given one: its warp, as far as the subject's clock resolves it.
// Empty if the subject has no clock.
struct Group {
  int pixels = 0, width = 0, height = 0;  // pixels; width and height of their bounding box
};
Group group_of(const Film& film, glm::ivec2 pixel);

// The pixels that slow pixels delay at rank `now`: those that are not yet written although pixels that come later in
// `undisturbed` are. `undisturbed` is a film of the same drawing without slow pixels.
struct Stall {
  uint32_t now = 0;
  std::vector<bool> black;  // per pixel
  int drawn = 0;            // pixels written by then that normally follow the first slow one
};
Stall stall_of(const Film& film, const Film& undisturbed, std::span<const glm::ivec2> slow, uint32_t now);
// The stall just before the first slow pixel is written, when all processors wait for it. Empty if none was written.
Stall stall_of(const Film& film, const Film& undisturbed, std::span<const glm::ivec2> slow);
inline Stall stall_of(const Film& film, const Film& undisturbed, glm::ivec2 slow) {
  return stall_of(film, undisturbed, std::span(&slow, 1));
}

// The runs of black pixels to the right of a pixel in its row.
struct BlackRuns {
  int length = 0;    // length of the second run in pixels; 0: there is none
  int distance = 0;  // pixels from the start of the first run to the start of the second
};
BlackRuns black_runs(const Film& film, const Stall& stall, glm::ivec2 slow, int tile);

// The order in which a quad that covers the window is filled. The diagonal from the lower left corner separates its
// triangles.
struct Filling {
  double diagonal = 0;  // fraction of the first triangle's pixels among the first half of all writes
  // rows of tiles of the second triangle that had started when half of the lowest row was written
  double rows_at_once = 0;
  double turns[2] = {};  // per triangle: fraction of steps between rows of tiles that change direction
};
Filling filling_of(const Film& film, int tile);

// Writes films and maps as pictures and as text.

// The last rank of a pixel plus one.
double ranks_of(const Film& film);

// The first fraction `part` (0 .. 1) of a film's fragments as RGBA8 pixels, rows bottom to top: early ones dark blue,
// late ones yellow, undrawn pixels black.
std::vector<uint32_t> film_picture(const Film& film, double part);

// A stall: drawn pixels in colours, delayed ones in red, slow pixels and their neighbours white. `ranks`: the rank of
// the last colour; 0: that of the stall's moment.
std::vector<uint32_t> stall_picture(const Film& film, const Stall& stall, std::span<const glm::ivec2> slow,
                                    double ranks = 0);

// The warp of a pixel, as group_of finds it [FragSniffer, Fig. 6]. The pixel is red, the other pixels of its warp are
// white, and the rest has the colours of film_picture. The picture is enlarged `zoom` times (1 or more); if `zoom` is 4
// or more, dark lines separate the pixels. Shows kWarpWindow x kWarpWindow pixels around it, fewer at the film's edges.
// Empty if the subject has no clock.
struct WarpPicture {
  int width = 0, height = 0;     // size of the picture
  std::vector<uint32_t> pixels;  // RGBA8, rows bottom to top
};
inline constexpr int kWarpWindow = 48;
WarpPicture warp_picture(const Film& film, glm::ivec2 pixel, int zoom);

// A colour for each tile's owner. Tiles of eight or more pixels are separated by dark lines.
std::vector<uint32_t> map_picture(const TileMap& map, int width, int height);

// "x,y,order,time,unit,warp,black" and a line for each drawn pixel; values that the subject does not report are
// omitted. `black`: pixels that a stall delays; empty: no stall.
std::string pixels_csv(const Film& film, const std::vector<bool>& black);

// Observes a drawing in progress: its film, and the pixels that its slow fragments delay.
struct Watched {
  Film film;
  Film undisturbed;              // the same drawing without slow fragments; empty if it has none
  std::vector<glm::ivec2> slow;  // slow pixels that were drawn
  Stall stall;  // the stall at which all processors wait for the first of them; empty if there are none

  // The fraction (0 .. 1) of the film's fragments at which all processors wait; 0: never.
  double stall_part() const;
  // The first fraction `part` of the film's fragments. Delayed pixels are red until the first slow one is written.
  std::vector<uint32_t> picture(double part) const;
};

// Draws the drawing, and again without slow fragments if it has any. Throws as the subject does.
Watched watch(Subject& subject, const Drawing& drawing);

}  // namespace brokkr::probe
