// The costs of a frame's parts on one machine. They are measured here and are the input of the model of many ranks
// (model.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "ranks/settings.h"

namespace brokkr::ranks {

using Clock = std::chrono::steady_clock;

inline double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// The cost of projecting one draw command, on one core.
struct DrawCost {
  uint32_t command = 0;
  uint64_t primitives = 0;
  double project_us = 0;
};

// The cost of the part that one of `ranks` ranks draws: the pipeline's launch for each segment, with the whole machine
// to itself.
struct LaunchCost {
  int ranks = 1, rank = 0;
  ShareMode mode = ShareMode::cpd;
  std::vector<double> segment_ms;
  // The time from the rank's list of primitives to the finished picture on an otherwise idle computer. It includes
  // lists and plans, the start and end of threads, and the launch, but not the clocks that measure segment_ms.
  std::vector<double> whole_ms;
};

struct FrameCosts {
  std::string file;
  int width = 0, height = 0;
  std::vector<double> geometry_ms;       // per segment: processing all of its geometry without drawing a pixel
  std::vector<uint64_t> exchange_bytes;  // per segment: size of the whole planes that are read before it
  std::vector<DrawCost> draws;
  std::vector<LaunchCost> launches;
};

struct Costs {
  std::string machine, isa;
  int workers = 0, max_ranks = 0, bin = 32, repeats = 1;
  double oversleep_us = 0;  // the time by which a short sleep is too long
  std::string pattern;
  std::vector<FrameCosts> frames;
};

// The numbers of ranks to measure: 1, 2, 4, … most.
std::vector<int> rank_counts(int most);

// Measures each cost of up to `costs.max_ranks` ranks `costs.repeats` times and keeps the minimum. Adds the frame, and
// what is known of the machine, to `costs`. Throws what rendering throws.
void measure_costs(const std::string& file, const Frame& frame, const RenderOptions& options,
                   const RankSettings& settings, Costs& costs);

std::string to_json(const Costs& costs);
// Throws std::runtime_error that names file and field.
Costs read_costs(const std::filesystem::path& file);

}  // namespace brokkr::ranks
