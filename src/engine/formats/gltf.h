// Reads glTF 2.0 scenes [Gltf20], as .gltf (JSON, with the files that it names beside it) or .glb.
//
// The reader is our own, on nlohmann-json and stb_image. Debian has neither tinygltf nor fastgltf; its libassimp is
// large and has a history of crashes on hostile files.
//
// The reader supports: the scene's nodes (matrix or translation, rotation and scale); meshes of triangles, strips and
// fans with POSITION, NORMAL, TEXCOORD_0, TEXCOORD_1 and COLOR_0 of any component type; sparse accessors; data: URIs
// and files in the scene's folder; morph targets and skins in the file's own pose; pbrMetallicRoughness with its
// textures; normal, occlusion and emissive textures; samplers; alphaMode; doubleSided; and the first perspective
// camera, or an orthographic one seen from far away. Nodes with one mesh are instances of one draw. Blended parts are
// drawn back to front, draw by draw, in the order of each view. Faces without normals are flat, as glTF requires.
//
// It follows these extensions: KHR_materials_unlit, KHR_materials_emissive_strength,
// KHR_materials_pbrSpecularGlossiness, KHR_mesh_quantization, KHR_texture_transform, KHR_node_visibility,
// KHR_lights_punctual (one light's direction), EXT_mesh_gpu_instancing, EXT_meshopt_compression (meshoptimizer decodes
// it). Libdraco decodes KHR_draco_mesh_compression. Without it, the plain data beside it is drawn, and a primitive
// without plain data is left out.
//
// Loading::warn names everything that is left out: primitives, nodes, materials and textures with mistakes, points and
// lines, animations, texture coordinates above the second set, and other extensions, whether they are required or not.
// A file is refused if nothing is left to draw or a limit is exceeded. All errors are std::runtime_error; their
// messages name file, field and remedy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "brokkr/frame.h"
#include "brokkr/load.h"
#include "formats/resources.h"

namespace brokkr {

struct GltfLimits {
  uint64_t file_bytes = uint64_t(1) << 32;      // limit for the file and for each file that it names
  uint64_t texture_pixels = uint64_t(1) << 29;  // limit for all textures together
  // The limit of vertices that are copied because their node is scaled by different factors along the axes, which
  // changes their normals.
  uint64_t copied_vertices = uint64_t(1) << 24;
};

Frame read_gltf(const std::filesystem::path& path, const LoadOptions& options, const GltfLimits& limits = {});
// Does the same for a file in memory; messages use `name` as the file's name.
Frame read_gltf(std::span<const std::byte> file, std::string_view name, const ResourceReader& resources,
                const LoadOptions& options, const GltfLimits& limits = {});

}  // namespace brokkr
