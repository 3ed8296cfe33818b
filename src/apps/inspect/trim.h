// Removes from a frame what its commands do not need: the same pictures from fewer bytes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

struct TrimRequest {
  std::vector<bool> commands;    // by number, whether each command stays; commands beyond the list are removed
  std::vector<bool> references;  // by number, whether each reference stays
};

struct TrimmedFrame {
  Frame frame;
  std::vector<uint32_t> targets;  // by target of `frame`: its number in the original frame
};

// Keeps the selected commands and references, and what these refer to: targets, states, programs, textures, samplers,
// and vertices that an index refers to. Duplicates are stored once. Names, labels and the targets' identifiers stay.
// `frame` must be a valid captured frame without VertexKind::transform draws.
TrimmedFrame trim_frame(const Frame& frame, const TrimRequest& request);

// The sizes of a frame's parts in bytes, by name.
std::vector<std::pair<const char*, uint64_t>> bytes_by_kind(const Frame& frame);

}  // namespace brokkr
