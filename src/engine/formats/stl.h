// Reads STL meshes, binary and ascii.
//
// A file of 84 + 50 n bytes that says n is binary, whatever its first word is: programs write "solid" into binary
// headers too. Of other counts the bytes that are there decide. Equal positions become one vertex, so that batches
// reuse them; normals are made anew (with creases, as for OBJ), since those of the file are of faces and often zero.
// Attribute bytes are colours as VisCAM and Magics write them, taken as glTF's COLOR_0. Facets of text may be polygons
// and stand on any lines. Loading::warn names what is left out. All errors are std::runtime_error naming file, field
// and remedy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr {

inline constexpr uint64_t kMaxStlBytes = uint64_t(1) << 32;

Frame read_stl(const std::filesystem::path& path, const LoadOptions& options);
// The same for a file in memory; `name` stands for it in messages.
Frame read_stl(std::span<const std::byte> file, std::string_view name, const LoadOptions& options);

}  // namespace brokkr
