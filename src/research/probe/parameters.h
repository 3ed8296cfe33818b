// What of a subject's build the probe finds by itself.
#pragma once

#include "probe/experiments.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

struct Parameters {
  Group warp;                  // of a covering primitive; no pixels: the subject has no clock
  int multiprocessors = 0;     // that work at the same time, of all owners; 0: not known
  int quad_x = 0, quad_y = 0;  // pixels of one primitive that always run together
  double points_in_warp = 0;   // of as many as a warp has pixels
  double window = 0;           // pixels that are drawn until all wait for a slow one
};

// `bench`: with the subject's tile and period.
Parameters find_parameters(Bench& bench);

}  // namespace brokkr::probe
