// Parameters of a subject's hardware that the probe measures.
#pragma once

#include "probe/experiments.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

struct Parameters {
  Group warp;                  // of a covering primitive; without pixels: the subject has no clock
  int multiprocessors = 0;     // working at the same time, over all owners; 0: unknown
  int quad_x = 0, quad_y = 0;  // pixels of a primitive that always run together
  double points_in_warp = 0;   // cost of as many points as a warp has pixels
  double window = 0;           // pixels drawn until all processors wait for a slow one
};

// `bench`: with the subject's tile and period.
Parameters find_parameters(Bench& bench);

}  // namespace brokkr::probe
