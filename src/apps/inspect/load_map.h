// The distribution of a frame's work, and how evenly a pattern distributes it [Kerbl17, 4.5].
#pragma once

#include <cstdint>
#include <vector>

#include "bin/pattern_image.h"
#include "brokkr/pattern.h"
#include "brokkr/statistics.h"

namespace brokkr {

struct LoadMap {
  int bins_x = 0, bins_y = 0;
  std::vector<uint64_t> bins;  // fragments of each bin of the main target, row by row from the bottom
  uint64_t fullest = 0;        // fragments of the fullest bin
  // Loads of the rasterizers, computed only from `bins` and the pattern.
  LoadStatistics predicted;
  // Loads counted by the rasterizers, which include other targets and layers.
  LoadStatistics counted;
  // Nanoseconds of work for each rasterizer (RenderOptions::trace); empty without a trace.
  LoadStatistics busy;
};

// The map of the last launch, which used this pattern. Statistics without bins (of an aborted launch) give an empty
// map.
LoadMap load_map(const Statistics& statistics, const PatternChoice& pattern);

// The loads that another pattern, or another number of rasterizers, would have for the same bins.
LoadStatistics predict_load(const Statistics& statistics, const PatternChoice& pattern, int rasterizers);

// Colours from 0 to 1: black, violet, red, yellow, white; opaque RGBA8 (0xAABBGGRR). Brighter always means more.
uint32_t heat_color(double share);

}  // namespace brokkr
