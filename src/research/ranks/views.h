// Whole pictures for each rank: the views of a scene, or frame after frame.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"

namespace brokkr::ranks {

// Leaves the frame with the views rank, rank + ranks, … and their layers, which the picture of each view does not
// depend on. None are left where there are fewer views than ranks. Throws std::invalid_argument for a frame that is not
// made of views each of which has a layer of target 0 to itself.
void keep_views(Frame& frame, int rank, int ranks);

// Of pieces first, first + 1, … of work that ranks take in turn: how many of these `count` are the rank's, and whether
// the last is.
struct Turns {
  uint64_t count = 0;
  bool has_last = false;
};
Turns turns_of(uint64_t first, uint64_t count, int rank, int ranks);

}  // namespace brokkr::ranks
