// Patterns in the pipeline itself ([Kerbl17, 5], [Kerbl18, 7.5]): the measured work of every rasterizer.
#pragma once

#include <functional>
#include <span>

#include "lab/pattern_measures.h"

namespace brokkr::lab {

// A pattern that takes part in an experiment: one of the book's, or one that was searched.
struct Contender {
  std::string name;
  PatternChoice pattern;
};
void set_pattern(const Contender& contender, int rasterizers, RenderOptions& options);

// Time that the launch's blocks spent on each rasterizer and on geometry, from its trace.
struct RasterizerWork {
  std::vector<double> ms;  // per rasterizer
  double geometry_ms = 0;
  double frame_ms = 0;  // of the launch
  Statistics statistics;

  double total() const;
  double critical() const;  // the longest: the time of a machine with a processor per rasterizer
  double cv() const;
};
RasterizerWork work_of(Statistics statistics);

// Keeps the least time of each rasterizer over several launches with one setting; others only add to it.
void take_least(RasterizerWork& least, RasterizerWork&& other);

// Launches each setting `runs` times in turns, so that other load of the computer affects all of them alike. On the
// CPU, times are processor time of the threads. `launched` is called before every launch.
std::vector<RasterizerWork> measure_work(Renderer& renderer, PreparedFrame& prepared,
                                         std::span<const RenderOptions> settings, int runs,
                                         const std::function<void(size_t)>& launched);

// A processor per rasterizer that also takes part in geometry while it has nothing to rasterize [Kerbl18, Fig. 7.13].
struct BlockShare {
  double raster_ms = 0, geometry_ms = 0, idle_ms = 0;
};
std::vector<BlockShare> simulated_blocks(const std::vector<double>& raster_ms, double geometry_ms);

}  // namespace brokkr::lab
