// Patterns in the pipeline itself ([Kerbl17, 5], [Kerbl18, 7.5]): the measured work of every rasterizer.
#pragma once

#include <functional>
#include <span>

#include "lab/pattern_measures.h"

namespace brokkr::lab {

// Time that the launch's blocks spent on each rasterizer and on geometry, from its trace; without a trace, on all
// rasterizers together.
struct RasterizerWork {
  std::vector<double> ms;  // per rasterizer
  double geometry_ms = 0;
  std::vector<double> frame_ms;  // of each launch
  Statistics statistics;         // of the first launch, without the trace

  double total() const;
  double critical() const;  // the longest: the time of a machine with a processor per rasterizer
  double cv() const;
  double least_ms() const;  // of the launches
};

// Launches each setting `runs` times in turns, so that other load of the computer affects all of them alike, and keeps
// the least time of each rasterizer and of geometry: other load only adds to it. `launched` is called before every
// launch.
std::vector<RasterizerWork> measure_work(Renderer& renderer, PreparedFrame& prepared,
                                         std::span<const RenderOptions> settings, int runs,
                                         const std::function<void(size_t)>& launched);

// A processor per rasterizer that also takes part in geometry while it has nothing to rasterize [Kerbl18, Fig. 7.13].
struct BlockShare {
  double raster_ms = 0, geometry_ms = 0, idle_ms = 0;
};
std::vector<BlockShare> simulated_blocks(const std::vector<double>& raster_ms, double geometry_ms);

}  // namespace brokkr::lab
