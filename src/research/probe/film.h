// Analyses of films: the fragments of one warp, the tiles that stay black behind a slow fragment, and the order in
// which a primitive is filled.
#pragma once

#include <glm/vec2.hpp>
#include <optional>
#include <span>
#include <vector>

#include "probe/subject.h"

namespace brokkr::probe {

// The pixels written at exactly the same time as a given one: its warp, as far as the subject's clock resolves it.
// Empty if the subject has no clock.
struct Group {
  int pixels = 0, width = 0, height = 0;  // pixels; width and height of their bounding box
};
Group group_of(const Film& film, glm::ivec2 pixel);

// The pixels that slow pixels delay at the moment `now`, a rank: those not yet written although later pixels of
// `undisturbed` are. `undisturbed` is a film of the same drawing without slow pixels.
struct Stall {
  uint32_t now = 0;
  std::vector<bool> black;  // per pixel
  int drawn = 0;            // pixels written by then that normally follow the first slow one
};
Stall stall_of(const Film& film, const Film& undisturbed, std::span<const glm::ivec2> slow, uint32_t now);
// The same just before the first slow pixel is written, when all wait for it. Empty if none was written.
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

// How a quad that covers the window was filled; the diagonal from the lower left separates its triangles.
struct Filling {
  double diagonal = 0;  // fraction of the first triangle's pixels among the first half of all writes
  // rows of tiles of the second triangle that had started when half of the lowest row was written
  double rows_at_once = 0;
  double turns[2] = {};  // per triangle: fraction of steps between rows of tiles that change direction
};
Filling filling_of(const Film& film, int tile);

}  // namespace brokkr::probe
