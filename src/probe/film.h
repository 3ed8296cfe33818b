// What films show: the fragments of one warp, the tiles that stay black behind a slow fragment, and the way in which a
// primitive is filled.
#pragma once

#include <glm/vec2.hpp>
#include <optional>
#include <vector>

#include "probe/subject.h"

namespace brokkr::probe {

// Pixels that were written at the very moment at which this one was: its warp, as far as the subject's clock tells.
// Empty where the subject has no clock.
struct Group {
  int pixels = 0, width = 0, height = 0;  // of their bounding box
};
Group group_of(const Film& film, glm::ivec2 pixel);

// What a slow pixel holds up: pixels that are written only after it, though others that come later in `undisturbed`, a
// film of the same drawing without it, were written before.
struct Stall {
  std::vector<bool> black;  // for each pixel
  int drawn = 0;            // pixels that were written after it would have been and before it was
};
Stall stall_of(const Film& film, const Film& undisturbed, glm::ivec2 slow);

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
