// Reads scenes: Wavefront OBJ with MTL materials and textures (tinyobjloader, stb_image).
//
// Each material becomes one draw of VertexKind::transform, opaque ones first, in the order of the MTL file; those with
// `d` below 1 follow, blended and without depth writes. Read from MTL: Kd, Ks, Ke, Ns, d or Tr, map_Kd, map_d. A
// picture with an alpha channel, or map_d, discards fragments with alpha below 0.5 (foliage), unless the material is
// blended. Faces without normals get smooth ones with creases (obj_mesh.h), faces without texture coordinates zeros.
// All errors are std::runtime_error naming file, field and remedy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "brokkr/frame.h"
#include "brokkr/load.h"
#include "scene/obj_mesh.h"

namespace brokkr {

struct ObjLimits {
  uint64_t file_bytes = uint64_t(1) << 30;      // of the OBJ file and of each MTL file and texture
  uint64_t texture_pixels = uint64_t(1) << 29;  // of all textures together
};

// MTL files and textures are looked up from the folder of `path`.
Frame read_obj(const std::filesystem::path& path, const LoadOptions& options, const ObjLimits& limits = {});

// The same for a text in memory; `name` stands for the file in messages.
Frame read_obj(std::string_view text, std::string_view name, const ResourceReader& resources,
               const LoadOptions& options, const ObjLimits& limits = {});

}  // namespace brokkr
