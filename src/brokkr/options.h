// How a frame is rendered. Nothing here changes the picture but what says so: shading, order of commands, budget.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/choices.h"
#include "brokkr/pattern.h"

namespace brokkr {

struct RenderOptions {
  MachineKind machine = MachineKind::automatic;
  std::string isa;          // CPU machine: "", "v2", "v3", "v4", "neon"; "": the best that runs here
  int workers = 0;          // blocks; 0: all cores, or the occupancy query's answer on CUDA
  int warps_per_block = 0;  // emulated machine only, 1..8; 0: 2
  int rasterizers = 0;      // 1..4096; 0: chosen from the main target's size and layers
  int bin = 64;             // bin edge in pixels, a power of two in 8..256
  PatternKind pattern = PatternKind::van_der_corput;
  std::shared_ptr<const SavedPattern> saved_pattern;  // in its place, with as many rasterizers as it has
  Ownership ownership = Ownership::stealing;
  OrderMode order = OrderMode::automatic;
  ReuseMode reuse = ReuseMode::automatic;
  uint32_t vertex_work = 0;  // multiply-adds that every vertex shader run does on top, to stand for a longer one
  Policy policy = Policy::fill_level;
  std::array<uint32_t, 2> quotas{1, 1};  // Policy::fair: of geometry and of rasterization, 1 .. 10^6 in any unit
  // Policy::foveated: a point in pixels of the main target, from its lower left corner; default: its middle.
  std::optional<std::array<float, 2>> fixation;
  // Of Frame::views, in their order; those left out come last.
  std::vector<uint32_t> view_priorities;  // Policy::priority: the highest first
  std::vector<double> view_deadlines_ms;  // Policy::edf: after the frame's begin
  // false: also count the fragments of order-free phases in tiles that are hidden already
  bool hierarchical_depth = true;
  Shading shading = Shading::material;
  int store_blocks = 0;  // triangle store size in blocks of 32 records; 0: default; raised to the minimum
  std::optional<uint32_t> command_limit;  // stop before this command; default: run them all
  bool keep_ids = false;                  // also return visible-primitive and depth-writer identifiers per pixel
  bool thread_time = false;               // CPU: stage times and trace count only time in which the block's thread ran
  bool trace = false;                     // record per-block events
  double frame_budget_ms = 0;             // > 0: ends the launch soon after, with a partial image; 0: never
  bool operator==(const RenderOptions&) const = default;
};

}  // namespace brokkr
