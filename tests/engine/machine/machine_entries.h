// The builds of the machine tests, one per instruction set (collectives_kernel.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "block_case.h"
#include "lane_case.h"

namespace brokkr::machine_test {

inline constexpr int kCallers = 4, kCollectives = 17;

struct MachineEntries {
  int width;
  int max_warps;   // per block
  size_t storage;  // bytes that the warps of a block share, zeroed, aligned to 64
  void (*answer)(const LaneInput&, LaneAnswers&);
  void (*share_keys)(const BlockInput&, BlockAnswers&, void* storage, int warps, int warp);
  // to[i] = from[i] + 1 for each bit i of `mask`; touches no other word.
  void (*increment_masked)(const uint32_t* from, uint32_t* to, uint32_t mask);
  // Calls a collective from one lane alone: 0 <= caller < kCallers, 0 <= collective < kCollectives.
  void (*act_alone)(int caller, int collective);
  // The number of vectors of colours in [0, 1] that have another code in the table (target/srgb_codes.h) than by the
  // formula: all colours within 64 floats of a step, and every 509th float.
  uint32_t (*wrong_srgb_codes)();
  // The number of vectors of codes that have another colour in the table than by the formula.
  uint32_t (*wrong_srgb_lights)();
};

}  // namespace brokkr::machine_test
