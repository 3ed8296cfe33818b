// Frame files (`.bkf`, versions 1 to 4): one captured frame of an application as clip-space draws.
// docs/reference/frame-format.md describes the files; bkf_fields.h and bkf_programs.h list their content.
//
// No file is trusted: every count, offset and name is checked before it is used, and the returned Frame has passed
// `validate`. An error is a std::runtime_error of one line with file, command, field and remedy. If draws share index
// and vertex ranges in the file, they share them in the Frame, so the decoded blob's size bounds the Frame's size.
// There is one View per target, in the order of the targets, followed by views for draws into layers other than 0. All
// draws use material 0, which is MaterialKind::none.
//
// Positions and varyings of draws with a vertex program are those in the file, or 0 if the file leaves them out;
// shade_vertices (brokkr/vertex_stage.h), which load_frame calls, computes them.
//
// If a frame is written and read, the result is the same frame, except for draws of VertexKind::transform. The writer
// transforms these (view_projection * (model * position)) and makes each view a separate draw. It drops their
// materials, normals and textures, and adjusts the command numbers of references.
//
// Beyond the published keys, the reader accepts "layers" and "format" of a target and "layer" of a draw. The writer
// uses them for frames that are not captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr {

// Limits on the content of a file. The defaults allow ten times the largest known frame.
struct BkfLimits {
  uint64_t file_bytes = uint64_t(2) << 30;
  uint64_t json_bytes = uint64_t(64) << 20;      // decoded
  uint64_t json_values = uint64_t(8) << 20;      // numbers, strings, arrays and objects
  uint64_t blob_bytes = uint64_t(4) << 30;       // decoded
  uint64_t reference_bytes = uint64_t(1) << 30;  // all references together
  uint64_t target_pixels = kMaxTargetPixels;     // all targets together
  uint64_t vertex_bytes = uint64_t(4) << 30;     // attributes, and vertices that the file leaves out
};

// Facts about a frame that only its file states.
struct BkfDetails {
  // By command: true for a draw with a vertex program of which the file also holds positions and varyings. In files of
  // `brokkr capture` they come from the application's driver.
  std::vector<bool> has_vertices;
};

// Uses only memory_limit and progress of `options`. Fills `details` if it is given.
Frame read_bkf(const std::filesystem::path& path, const BkfLimits& limits = {}, const LoadOptions& options = {},
               BkfDetails* details = nullptr);

// Does the same for a file in memory; messages use `name` as the file's name.
Frame read_bkf(std::span<const std::byte> file, std::string_view name, const BkfLimits& limits = {},
               const LoadOptions& options = {}, BkfDetails* details = nullptr);

struct BkfWriteOptions {
  int level = 9;                 // zstd level, 1 (fast) .. 19 (small)
  bool reference_colors = true;  // include the pictures of references
  bool reference_depths = true;
  bool filters = false;  // filter texels, depths and indices where that makes the file smaller (bkf_filters.h)
  // By index in Frame::vertex_inputs: true if the draws with these inputs are written without positions and varyings,
  // because their vertex program computes all of them. Missing entries are false.
  std::vector<bool> leave_out;
  bool leaves_out_vertices(const DrawCommand& draw) const {
    return draw.vertices >= 0 && size_t(draw.vertices) < leave_out.size() && leave_out[size_t(draw.vertices)];
  }
};

// Returns the file's content. Throws std::runtime_error if `validate` rejects the frame.
std::vector<std::byte> bkf_bytes(const Frame& frame, const BkfWriteOptions& options = {});

// Replaces `path` completely or, after an error (std::runtime_error), not at all.
void write_bkf(const Frame& frame, const std::filesystem::path& path, const BkfWriteOptions& options = {});

}  // namespace brokkr
