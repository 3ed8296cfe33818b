// Sources of scenes that load_frame knows: PLY and STL meshes, and generated scenes. Generated scenes are the same on
// every computer and need no files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/load.h"
#include "formats/resources.h"

namespace brokkr {

// Reads PLY meshes: ascii, binary_little_endian and binary_big_endian, format 1.0.
//
// The reader is our own. Debian has none for PLY alone. (libassimp reads it among fifty formats, whose readers have a
// history of crashes on hostile files.) A reader that checks each count against the remaining bytes is short.
//
// From `vertex`, it reads x y z, nx ny nz, s t, u v or texture_u texture_v, and red green blue. From `face`, it reads
// the list vertex_indices or vertex_index, of any integer type, where it triangulates polygons of up to 1024 corners;
// the list texcoord of the corners' texture coordinates; red green blue; and texnumber. From `tristrips`, it reads
// vertex_indices. Each `comment TextureFile NAME` is the picture of a material. Files without faces are drawn as
// points. Colours are linear, like glTF's.
//
// Loading::warn names everything that is left out: faces with missing vertices or vertices that are not finite, other
// elements and properties, and the missing end of an incomplete file. All errors are std::runtime_error; their messages
// name file, field and remedy.
struct PlyLimits {
  uint64_t file_bytes = uint64_t(1) << 32;
  uint64_t texture_pixels = uint64_t(1) << 28;
};

Frame read_ply(const std::filesystem::path& path, const LoadOptions& options, const PlyLimits& limits = {});
// Does the same for a file in memory; messages use `name` as the file's name.
Frame read_ply(std::span<const std::byte> file, std::string_view name, const ResourceReader& resources,
               const LoadOptions& options, const PlyLimits& limits = {});

// Reads STL meshes, binary and ascii.
//
// A file is binary if it has 84 + 50 n bytes and says n, whatever its first word is, because programs write "solid"
// into binary headers too. For other counts, the content decides. Equal positions become one vertex, so that batches
// reuse them. Normals are computed (with creases, as for OBJ), because the file's normals belong to faces and are often
// zero. Attribute bytes are colours in the form of VisCAM and Magics, treated like glTF's COLOR_0. Facets of text may
// be polygons and may be split over lines in any way. Loading::warn names everything that is left out. All errors are
// std::runtime_error; their messages name file, field and remedy.

inline constexpr uint64_t kMaxStlBytes = uint64_t(1) << 32;

Frame read_stl(const std::filesystem::path& path, const LoadOptions& options);
// Does the same for a file in memory; messages use `name` as the file's name.
Frame read_stl(std::span<const std::byte> file, std::string_view name, const LoadOptions& options);

// `spec` is "NAME[?key=value&key=value]" with the keys
//   triangles  about how many to make, where the scene has no fixed number (the description says)
//   textured   0 or 1: a generated 1024 x 1024 texture on everything (default 0)
//   instanced  0 or 1: the boxes of `city` as instances of one box (default 0)
//   draws      how many draws to cut the mesh into, at most one per triangle (default 1)
//   depth      how many times the triangles of `overlap-10k` cover the picture (default 10)
// All draws are of VertexKind::transform with normals, texture coordinates and a Blinn-Phong material, except the draw
// of `screen`, which is one triangle in clip space, larger than the picture. Throws std::runtime_error with a message
// that lists the known names or keys.
Frame generate(std::string_view spec, const LoadOptions& options);

// The name of every scene, with a line about it.
std::vector<SceneSource> generated_scenes();

// Throws std::runtime_error, as load_frame does. The message says what can be loaded, or how to convert an apitrace
// recording.
[[noreturn]] void refuse_kind(const std::string& path);

// Calls refuse_kind if the name's ending is unknown, or a generated scene has another name. Reads no file.
void require_known_kind(const std::string& path);

}  // namespace brokkr
