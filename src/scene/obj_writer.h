// Writes scenes as Wavefront OBJ with MTL: what read_obj reads, in the frame's order of draws, triangles and vertices.
#pragma once

#include <filesystem>

#include "brokkr/frame.h"

namespace brokkr {

// Writes `path` and, beside it, its materials (.mtl). Textures stay files: their names are taken to lie in
// `texture_folder` and are written relative to `path`; those that are no files are left out. Throws std::runtime_error
// naming `path` for captured (clip-space) draws, strips, instances and models other than the identity, and where
// writing fails.
void write_obj(const Frame& frame, const std::filesystem::path& path, const std::filesystem::path& texture_folder = {});

}  // namespace brokkr
