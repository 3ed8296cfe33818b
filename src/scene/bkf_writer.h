// Writes frame files (`.bkf`, version 1): what read_bkf gives back is the same frame.
//
// The format holds clip-space draws. Draws of VertexKind::transform are therefore transformed here, each view as a draw
// of its own (view_projection * (model * position)); their materials, normals and textures are left behind. Command
// numbers of references are moved along.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

struct BkfWriteOptions {
  int level = 9;                 // of zstd, 1 (fast) .. 19 (small)
  bool reference_colors = true;  // include the JPEG pictures of references
  bool reference_depths = true;
};

// The file as bytes. Throws std::runtime_error for a frame that `validate` rejects.
std::vector<std::byte> bkf_bytes(const Frame& frame, const BkfWriteOptions& options = {});

// Replaces `path` as a whole or, on an error (std::runtime_error), not at all.
void write_bkf(const Frame& frame, const std::filesystem::path& path, const BkfWriteOptions& options = {});

}  // namespace brokkr
