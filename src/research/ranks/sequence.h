// Divides a frame's commands for several ranks: segments with exchanges of targets between them, and the merges of
// draws in each segment.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/renderer.h"
#include "plan/part.h"
#include "plan/prepare.h"

namespace brokkr::ranks {

struct PlaneUse {
  uint32_t target = 0;
  uint32_t planes = 0;  // PlaneBit
  bool operator==(const PlaneUse&) const = default;
};

// Commands that ranks run without needing what others draw.
struct Segment {
  uint32_t first_command = 0, end_command = 0;
  // Planes that the first command reads and that ranks have changed since the last exchange; they are broadcast before
  // it.
  std::vector<PlaneUse> exchanged;
};
// `programs`: draws run their own programs, which may read planes as textures.
std::vector<Segment> cut_segments(const PreparedFrame::Impl& frame, bool programs, uint32_t command_limit);

// Consecutive draws whose primitives are distributed as if they were one draw.
struct Merge {
  size_t first_run = 0, end_run = 0;  // indices into the runs of the whole frame
  std::vector<uint64_t> before;       // per run: number of primitives of the merge before it
  uint64_t primitives = 0;
  uint32_t draws = 0;
};
// The merges of a segment. Draws join a merge until it has more than `threshold` primitives.
std::vector<Merge> merge_draws(const GivenDraws& whole, const Segment& segment, uint32_t threshold);

// The consecutive primitives of a merge that a rank projects.
struct Share {
  uint64_t begin = 0, end = 0;
};
Share share_of(const Merge& merge, int rank, int ranks);

// A layer of a target in grey, in which each square has the tint of its owner. Rows run bottom to top.
std::vector<uint32_t> tint_by_owner(const Layer& layer, uint32_t target, const OwnedBins& owners);

}  // namespace brokkr::ranks
