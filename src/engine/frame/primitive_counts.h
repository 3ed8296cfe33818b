// Counts the primitives of draws with restart indices. Any number of draws over the same indices are counted with one
// pass over them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// This index ends a primitive if restart is enabled.
inline constexpr uint32_t kRestartIndex = 0xffffffffu;

class PrimitiveCounts {
 public:
  // `frame` must outlive the object.
  explicit PrimitiveCounts(const Frame& frame) : frame_(frame) {}

  // Primitives of one instance, as primitive_count(frame, draw).
  uint64_t of(const DrawCommand& draw);

 private:
  static constexpr size_t kTopologies = size_t(Topology::line_loop) + 1;
  void find_restarts();

  const Frame& frame_;
  bool searched_ = false;
  std::vector<uint64_t> restarts_;  // places of restart indices
  // By topology, if a draw uses it: the number of primitives that end at or before each restart.
  std::array<std::vector<uint64_t>, kTopologies> sums_;
};

}  // namespace brokkr
