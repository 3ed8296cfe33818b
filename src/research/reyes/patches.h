// Scenes of bicubic Bezier patches for `brokkr reyes`, read from files (.bpt) or generated here.
//
// A patch has 16 control points; point i + 4 j lies i thirds along u and j thirds along v. Patches are neighbours if
// the four control points of a side are equal to the bit, in the same or in opposite order. Animation preserves that,
// because equal points move equally.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <glm/vec3.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/loading.h"
#include "brokkr/load.h"
#include "frame/camera.h"

namespace brokkr {

inline constexpr size_t kPatchPoints = 16;
inline constexpr uint32_t kMostPatches = 1u << 20;

// The material of a part's surface.
struct PatchMaterial {
  glm::vec3 color{0.8f};  // 0..1
  float gloss = 0.25f;    // strength of the highlight, 0..1
  float scales = 0;       // number of a reptile's scales on a patch, along u and along v: an integer
};

struct PatchScene {
  std::string name;
  std::vector<glm::vec3> points;    // [patches][kPatchPoints], at rest
  std::vector<uint32_t> materials;  // per patch
  std::vector<PatchMaterial> palette;
  std::optional<Camera> camera;  // without one, a camera is fitted to the patches at rest
  // Moves a point of a patch with this material; `phase` is 0..1, and 1 equals 0. Empty: the scene is static.
  std::function<glm::vec3(const glm::vec3& point, uint32_t material, float phase)> move;

  uint32_t patches() const { return uint32_t(points.size() / kPatchPoints); }
  std::vector<glm::vec3> points_at(float phase) const;
  Bounds bounds() const;
};

// Numbers the sides where patches meet: for each patch, its sides v = 0, v = 1, u = 0 and u = 1 as number << 1; bit 0
// is set if the side runs opposite to the edge's own direction. Equal sides have equal numbers.
std::vector<uint32_t> edge_numbers(const std::vector<glm::vec3>& points);

// `name`: "teapot", "tea-set" or "creature", or the path of a .bpt file. Only memory_limit of `options` is used. Throws
// std::runtime_error that names file, field and remedy.
PatchScene load_patches(const std::string& name, const LoadOptions& options = {});
// The names that load_patches accepts.
std::vector<std::string> patch_scene_names();

// Reads the text form of patches: their number, then for each one "3 3" and 16 lines of three numbers. Throws
// std::runtime_error that names file, field and remedy, also if `loading` has no memory for them.
PatchScene read_bpt(std::span<const std::byte> file, std::string_view name, Loading& loading);
// The patches of a scene at a phase, in that form.
std::string bpt_text(const PatchScene& scene, float phase);

PatchScene teapot_scene();
// A teapot, two cups on saucers and a spoon: the pot pours a little, the spoon stirs.
PatchScene tea_set_scene();
// An animal, whose control cage (reyes/cage.h) moves its tail, legs and head.
PatchScene creature_scene();

}  // namespace brokkr
