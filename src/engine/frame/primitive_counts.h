// Counts the primitives of draws with restart indices. One pass over the indices serves any number of draws that share
// them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// If restart is enabled, this index ends a primitive.
inline constexpr uint32_t kRestartIndex = 0xffffffffu;

class PrimitiveCounts {
 public:
  // `frame` must outlive the object.
  explicit PrimitiveCounts(const Frame& frame) : frame_(frame) {}

  // The primitives of one instance, equal to primitive_count(frame, draw).
  uint64_t count(const DrawCommand& draw);

 private:
  static constexpr size_t kTopologies = size_t(Topology::line_loop) + 1;
  void find_restarts();

  const Frame& frame_;
  bool searched_ = false;
  std::vector<uint64_t> restarts_;  // positions of restart indices
  // For each topology that a draw uses: the number of primitives that end at or before each restart.
  std::array<std::vector<uint64_t>, kTopologies> sums_;
};

}  // namespace brokkr
