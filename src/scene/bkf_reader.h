// Reads frame files (`.bkf`, version 1): one captured frame of an application as clip-space draws.
//
// Nothing in the file is trusted: every count, offset and name is checked before it is used, and the Frame that comes
// back has passed `validate`. Errors are std::runtime_error of one line: file, command, field, remedy. Index and vertex
// ranges that draws share in the file are shared in the Frame, so its size is bounded by the decoded blob's. There is
// one View per target, in the order of the targets, and further ones only for draws into other layers than 0. All draws
// use material 0, which is MaterialKind::none.
//
// Beyond the published keys the reader knows "layers" and "format" of a target and "layer" of a draw, with which
// bkf_writer.h stores frames that did not come from a capture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr {

// What a file may ask for. The defaults hold ten times the largest frame known.
struct BkfLimits {
  uint64_t file_bytes = uint64_t(2) << 30;
  uint64_t json_bytes = uint64_t(64) << 20;      // decoded
  uint64_t json_values = uint64_t(8) << 20;      // numbers, strings, arrays and objects
  uint64_t blob_bytes = uint64_t(4) << 30;       // decoded
  uint64_t reference_bytes = uint64_t(1) << 30;  // of all references together
  uint64_t target_pixels = kMaxTargetPixels;     // of all targets together
};

Frame read_bkf(const std::filesystem::path& path, const BkfLimits& limits = {}, const LoadProgress& progress = {});

// The same for a file in memory; `name` stands for the file in messages.
Frame read_bkf(std::span<const std::byte> file, std::string_view name, const BkfLimits& limits = {},
               const LoadProgress& progress = {});

}  // namespace brokkr
