// How policies compare when a frame is cut off: quality of the pictures at equal time, near a fixation point and in
// important views.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "brokkr/renderer.h"

namespace brokkr::lab {

struct FoveatedOptions {
  RenderOptions render;         // machine, workers, fixation; policy and budget are the experiment's
  std::vector<double> budgets;  // parts of a whole frame's time; empty: 0.2, 0.4, 0.6, 0.8
  uint32_t runs = 5;            // 1 or more
  int rings = 12;               // 1 or more, from the fixation point to the farthest corner
};

// The picture of a policy within a part of the main target, over all runs.
struct FoveatedMeasurement {
  std::string policy;  // as the command line names it
  // "ring": pixels by distance; "view": of one view; "others": of all views but the most important; "all".
  std::string where;
  double budget = 0, budget_ms = 0, frame_ms = 0;  // frame_ms: mean, with the work that is finished after the budget
  double from_px = 0, to_px = 0;                   // the ring's distances from the fixation point
  uint32_t view = 0, priority = 0;                 // where a view is measured
  uint64_t pixels = 0;
  double psnr_db = 0;        // of red, green and blue against the whole frame's picture; 99 where they are equal
  double right_percent = 0;  // pixels that are as in the whole frame's picture
};
std::vector<std::string> foveated_columns();
std::vector<std::string> foveated_cells(const FoveatedMeasurement& m);

// fill-level (first in, first out) against foveated, by distance from the fixation point. Throws std::invalid_argument
// for options out of range, and for a main target that is not RGBA8.
void run_foveated(const Frame& frame, const FoveatedOptions& options,
                  const std::function<void(const FoveatedMeasurement&)>& measured,
                  const std::function<void(const std::string&)>& progress);

// fill-level against priority, by view: the last view of the main target is the most important, and all others are
// equal. Views are told apart by their layers. Throws as run_foveated, and where the main target's views do not fill
// two layers or more.
void run_view_priority(const Frame& frame, const FoveatedOptions& options,
                       const std::function<void(const FoveatedMeasurement&)>& measured,
                       const std::function<void(const std::string&)>& progress);

}  // namespace brokkr::lab
