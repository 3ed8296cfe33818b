// Reads glTF 2.0 scenes [Gltf20], as .gltf (JSON, with what it names beside it) or .glb.
//
// The reader is our own, on nlohmann-json and stb_image: Debian has neither tinygltf nor fastgltf, and libassimp, which
// it has, is large and has a history of crashing on hostile files.
//
// Read are: the scene's nodes (matrix or translation, rotation and scale), meshes of triangles, strips and fans with
// POSITION, NORMAL, TEXCOORD_0, TEXCOORD_1 and COLOR_0 of any component type, sparse accessors, data: URIs and files in
// the scene's folder, morph targets and skins in the file's own pose, pbrMetallicRoughness with its textures, normal,
// occlusion and emissive textures, samplers, alphaMode, doubleSided, and the first perspective camera, or an
// orthographic one from afar. Nodes with one mesh are instances of one draw; what is blended is drawn back to front,
// draw by draw, as each view sees it. Faces without normals are flat, as glTF says.
//
// Extensions that are followed: KHR_materials_unlit, KHR_materials_emissive_strength,
// KHR_materials_pbrSpecularGlossiness, KHR_mesh_quantization, KHR_texture_transform, KHR_node_visibility,
// KHR_lights_punctual (one light's direction), EXT_mesh_gpu_instancing, EXT_meshopt_compression (meshoptimizer decodes
// it). KHR_draco_mesh_compression is drawn from the plain data beside it, and a primitive without any is left out.
//
// Loading::warn names what is left out: primitives, nodes, materials and textures with mistakes, points and lines,
// animations, texture coordinates above the second set, other extensions, required or not. A file is refused where
// nothing is left to draw or a limit is passed. All errors are std::runtime_error naming file, field and remedy.
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
  uint64_t file_bytes = uint64_t(1) << 32;      // of the file, and of each file that it names
  uint64_t texture_pixels = uint64_t(1) << 29;  // of all textures together
  // Vertices that are copied since their node is scaled by different factors along the axes, which normals do not
  // follow.
  uint64_t copied_vertices = uint64_t(1) << 24;
};

Frame read_gltf(const std::filesystem::path& path, const LoadOptions& options, const GltfLimits& limits = {});
// The same for a file in memory; `name` stands for it in messages.
Frame read_gltf(std::span<const std::byte> file, std::string_view name, const ResourceReader& resources,
                const LoadOptions& options, const GltfLimits& limits = {});

}  // namespace brokkr
