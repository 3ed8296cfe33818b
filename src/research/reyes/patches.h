// Scenes of bicubic Bezier patches for `brokkr reyes`, read from files (.bpt) or generated here.
//
// A patch has 16 control points; point i + 4 j lies i thirds along u and j thirds along v. Patches are neighbours if
// the four control points of a side are equal to the bit, in the same or in opposite order. Animation preserves that,
// because equal points move equally.
#pragma once

#include <array>
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
#include "brokkr/camera.h"
#include "brokkr/load.h"

namespace brokkr {

inline constexpr size_t kPatchPoints = 16;
inline constexpr uint32_t kMaxPatches = 1u << 20;

// The material of a part's surface.
struct PatchMaterial {
  glm::vec3 color{0.8f};  // 0..1
  float gloss = 0.25f;    // strength of the highlight, 0..1
  float scales = 0;       // number of reptile scales on a patch, along u and along v: an integer
};

struct PatchScene {
  std::string name;
  std::vector<glm::vec3> points;    // [patches][kPatchPoints], at rest
  std::vector<uint32_t> materials;  // per patch
  std::vector<PatchMaterial> palette;
  std::optional<Camera> camera;  // by default, a camera is fitted to the patches at rest
  // Moves a point of a patch with this material; `phase` is 0..1, and 1 equals 0. Empty: the scene is static.
  std::function<glm::vec3(const glm::vec3& point, uint32_t material, float phase)> move;

  uint32_t patches() const { return uint32_t(points.size() / kPatchPoints); }
  std::vector<glm::vec3> points_at(float phase) const;
  Bounds bounds() const;
};

// Numbers the sides at which patches meet: for each patch, its sides v = 0, v = 1, u = 0 and u = 1 as number << 1; bit
// 0 is set if the side runs opposite to the edge's direction. Equal sides have equal numbers.
std::vector<uint32_t> edge_numbers(const std::vector<glm::vec3>& points);

// `name`: "teapot", "tea-set" or "creature", or the path of a .bpt file. Only memory_limit of `options` is used. Throws
// std::runtime_error that names file, field and remedy.
PatchScene load_patches(const std::string& name, const LoadOptions& options = {});
// The names that load_patches accepts.
std::vector<std::string> patch_scene_names();

// Reads the text form of patches: their number, then for each patch "3 3" and 16 lines of three numbers. Throws
// std::runtime_error that names file, field and remedy, also if `loading` does not have enough memory.
PatchScene read_bpt(std::span<const std::byte> file, std::string_view name, Loading& loading);
// The patches of a scene at a phase, in the same text form.
std::string bpt_text(const PatchScene& scene, float phase);

PatchScene teapot_scene();
// A teapot, two cups on saucers and a spoon: the pot pours a little, the spoon stirs.
PatchScene tea_set_scene();
// An animal, whose control cage (reyes/cage.h) moves its tail, legs and head.
PatchScene creature_scene();

// Catmull-Clark control cages, and their conversion to bicubic patches.
//
// A face whose corners all have four neighbours is a uniform bicubic B-spline patch and is converted exactly. Around
// other corners the limit surface is not polynomial; there the patch is the geometry patch of [Loop08]. With n faces
// around a corner p, the face's neighbours e1 and e2 of p, and the opposite corner d:
//
//   inner point   (n p + 2 e1 + 2 e2 + d) / (n + 5)
//   edge point    the mean of the inner points of the two faces beside the edge, at that end of it
//   corner point  the mean of the inner points of all faces around the corner: the limit of subdivision
//
// For n = 4 these equal the B-spline's points. Each is computed once and shared by all patches that use it, so patches
// meet without cracks, to the bit. Across edges at corners with n other than 4, tangents differ slightly.

// A closed surface of quadrilateral faces, counter-clockwise from outside.
struct Cage {
  std::vector<glm::vec3> points;
  std::vector<std::array<uint32_t, 4>> faces;
  std::vector<uint32_t> materials;  // per face
};

// One step of Catmull-Clark subdivision: each face becomes four. Throws std::runtime_error if the cage is not closed.
Cage subdivided(const Cage& cage);

// Appends a patch to the scene for each face of the cage. Throws std::runtime_error if the cage is not closed.
void append_patches(PatchScene& scene, const Cage& cage);

// The surface of the unit cubes for which `material` is not negative, with corners at `place(x, y, z)`. Two cubes must
// not share only an edge or only a corner. 0 <= x, y, z < `size`.
Cage cage_of_cubes(const std::array<int, 3>& size, const std::function<int(int x, int y, int z)>& material,
                   const std::function<glm::vec3(float x, float y, float z)>& place);

}  // namespace brokkr
