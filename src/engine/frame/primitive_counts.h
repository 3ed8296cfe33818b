// How many primitives draws have, where restart indices cut them: any number of draws over the same indices are counted
// without looking at these again.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// Where draws restart, it ends a primitive.
inline constexpr uint32_t kRestartIndex = 0xffffffffu;

class PrimitiveCounts {
 public:
  // `frame` must outlive it.
  explicit PrimitiveCounts(const Frame& frame) : frame_(frame) {}

  // Of one instance, as primitive_count(frame, draw).
  uint64_t of(const DrawCommand& draw);

 private:
  static constexpr size_t kTopologies = size_t(Topology::line_loop) + 1;
  void find_restarts();

  const Frame& frame_;
  bool searched_ = false;
  std::vector<uint64_t> restarts_;  // places of restart indices
  // Per topology, where a draw has it: primitives of all runs that end at or before each restart.
  std::array<std::vector<uint64_t>, kTopologies> sums_;
};

}  // namespace brokkr
