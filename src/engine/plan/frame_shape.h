// What a PreparedFrame takes for granted of its Frame, which lies with the caller and may have been changed since.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

class FrameShape {
 public:
  FrameShape() = default;
  explicit FrameShape(const Frame& frame);

  // That all lists of the frame are as long as they were, that its targets have their sizes and its views their places.
  // Takes a microsecond. Throws std::invalid_argument naming the field and the remedy.
  void require(const Frame& frame) const;
  // That its commands, and what they were given, say what they said: for whoever reads them again. Throws as `require`.
  void require_commands(const Frame& frame) const;

 private:
  static constexpr size_t kLists = 20;
  std::array<size_t, kLists> sizes_{};
  std::vector<std::array<int, 4>> targets_;           // width, height, layers, a hash of formats
  std::vector<std::pair<uint32_t, uint32_t>> views_;  // target and layer
  uint64_t commands_ = 0;                             // a hash
};

}  // namespace brokkr
