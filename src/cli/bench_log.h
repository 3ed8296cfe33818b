// One line per frame.
#pragma once

#include <string>

#include "cli/bench_measure.h"
#include "cli/bench_workload.h"

namespace brokkr::cli {

// CSV of `options.frames` frames: frame, ms (whole call), launch_ms, geometry_ms and raster_ms (of all
// workers together), triangles (that reach a bin), fragments, fragments_shaded. No warm-up: the first frames
// show it.
std::string frame_log(const Workload& workload, const BenchOptions& options, Progress& progress);

}  // namespace brokkr::cli
