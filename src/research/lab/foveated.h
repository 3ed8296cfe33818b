// Compares policies for frames that are cut off: picture quality at equal time, near a fixation point and in important
// views.
#pragma once

#include <vector>

#include "brokkr/frame.h"
#include "lab/experiment.h"

namespace brokkr::lab {

struct FoveatedOptions {
  RenderOptions render;         // machine, workers, fixation; the experiment sets policy and budget
  std::vector<double> budgets;  // fractions of a whole frame's time, one or more
  uint32_t runs = 5;            // 1 or more
  int rings = 12;               // 1 or more, from the fixation point to the farthest corner
};

// One row for each machine (name, instruction set and lanes), policy (by its command-line name), budget and part of the
// main target, over all runs:
//   where             "ring": pixels by distance; "view": of one view; "others": of all views but the most important;
//                     "all"
//   frame_ms          mean, with the work that is finished after the budget
//   from_px, to_px    the ring's distances from the fixation point
//   view, priority    where a view is measured
//   psnr_db           of red, green and blue against the whole frame's picture; 99 where they are equal
//   right_percent     pixels that are as in the whole frame's picture
inline constexpr const char* kFoveatedColumns =
    "machine,detail,lanes,policy,where,budget,budget_ms,frame_ms,from_px,to_px,view,priority,pixels,psnr_db,right_"
    "percent";

enum class CutOff : uint8_t {
  foveated,  // fill-level (first in, first out) against foveated, by distance from the fixation point
  // fill-level against priority, by view: the last view of the main target is the most important, all others are equal.
  // Views are distinguished by their layers.
  views,
};

// Adds rows of kFoveatedColumns. Throws std::invalid_argument for options out of range, for a main target that is not
// RGBA8, and for `views` if the main target's views do not cover at least two layers.
void compare_cut_off(CutOff what, const Frame& frame, const FoveatedOptions& options, ResultTable& table,
                     const ShowProgress& progress);

// The same as an experiment on the scene in the options.
template <CutOff what>
void cut_off(const LabRun& run);

}  // namespace brokkr::lab
