// What films show: the fragments of one warp, the tiles that stay black behind a slow fragment, and the way in which a
// primitive is filled.
#pragma once

#include <glm/vec2.hpp>
#include <optional>
#include <span>
#include <vector>

#include "probe/subject.h"

namespace brokkr::probe {

// Pixels that were written at the very moment at which this one was: its warp, as far as the subject's clock tells.
// Empty where the subject has no clock.
struct Group {
  int pixels = 0, width = 0, height = 0;  // of their bounding box
};
Group group_of(const Film& film, glm::ivec2 pixel);

// What slow pixels hold up until the moment `now`, a rank: pixels that are not written, though others that come later
// in `undisturbed`, a film of the same drawing without slow ones, are.
struct Stall {
  uint32_t now = 0;
  std::vector<bool> black;  // for each pixel
  int drawn = 0;            // pixels that were written by then, and after the first slow one would have been
};
Stall stall_of(const Film& film, const Film& undisturbed, std::span<const glm::ivec2> slow, uint32_t now);
// The same just before the first of them is written: all wait for it. A stall of nothing where none was written.
Stall stall_of(const Film& film, const Film& undisturbed, std::span<const glm::ivec2> slow);
inline Stall stall_of(const Film& film, const Film& undisturbed, glm::ivec2 slow) {
  return stall_of(film, undisturbed, std::span(&slow, 1));
}

// The runs of black pixels to the right of a pixel in its row.
struct BlackRuns {
  int length = 0;    // pixels, of the second run; 0: there is none
  int distance = 0;  // pixels from the first run's begin to the second one's
};
BlackRuns black_runs(const Film& film, const Stall& stall, glm::ivec2 slow, int tile);

// How a quad that covers the window came to be filled; its triangles are cut at the diagonal from the lower left.
struct Filling {
  double diagonal = 0;      // the part of the first triangle's pixels that were written before half of all
  double rows_at_once = 0;  // rows of tiles that were begun when half of the lowest was written, second triangle
  double turns[2] = {};     // of the triangles' steps from rows of tiles to the next: those that change direction
};
Filling filling_of(const Film& film, int tile);

}  // namespace brokkr::probe
