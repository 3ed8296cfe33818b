// brokkr render with whole views or whole frames for each rank: for throughput, where a frame's own time does not
// count.
#pragma once

#include "app/command.h"
#include "ranks/rank_options.h"

namespace brokkr::app {

// --ranks views and --ranks frames.
MoreModes spread_modes();
bool is_spread(const Arguments& arguments);

// Runs as one of several ranks; the exit code.
int render_spread(const Arguments& arguments);

}  // namespace brokkr::app
