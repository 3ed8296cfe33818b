// Frames without what their commands do not need: the same pictures out of fewer bytes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

struct TrimRequest {
  std::vector<bool> commands;    // by number, those that stay; later ones than it has go
  std::vector<bool> references;  // by number, those that stay
};

struct TrimmedFrame {
  Frame frame;
  std::vector<uint32_t> targets;  // by target of `frame`: its number in the frame that it came from
};

// The commands and references that stay, and of all else what these name: targets, states, programs, textures,
// samplers, and vertices that an index leads to. What is there several times is kept once. Names, labels and the
// targets' identifiers stay. `frame` is a valid captured frame: none of its draws is VertexKind::transform.
TrimmedFrame trim_frame(const Frame& frame, const TrimRequest& request);

// The bytes of a frame's parts, by their names.
std::vector<std::pair<const char*, uint64_t>> bytes_by_kind(const Frame& frame);

}  // namespace brokkr
