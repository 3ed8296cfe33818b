#include "reyes/patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/nearest_name.h"
#include "base/text_scanner.h"

namespace brokkr {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 30;
constexpr float kMostCoordinate = 1e15f;

struct Named {
  const char* name;
  PatchScene (*make)();
};
constexpr Named kScenes[] = {{"teapot", teapot_scene}, {"tea-set", tea_set_scene}, {"creature", creature_scene}};

// The control points of a side, starting at its first corner.
std::array<glm::vec3, 4> side_of(const glm::vec3* patch, int side) {
  static constexpr int kFirst[] = {0, 12, 0, 3}, kStep[] = {1, 1, 4, 4};
  std::array<glm::vec3, 4> points;
  for (int k = 0; k < 4; ++k) points[size_t(k)] = patch[kFirst[side] + k * kStep[side]];
  return points;
}

std::array<float, 12> numbers_of(const std::array<glm::vec3, 4>& points, bool backwards) {
  std::array<float, 12> numbers;
  for (size_t k = 0; k < 4; ++k) {
    // turns -0 into +0
    for (int c = 0; c < 3; ++c) numbers[3 * k + size_t(c)] = points[backwards ? 3 - k : k][c] + 0.0f;
  }
  return numbers;
}

PatchScene parse(std::span<const std::byte> file, Loading& loading) {
  TextScanner scanner(as_text(file));
  const std::optional<int64_t> count = scanner.number<int64_t>();
  if (!count) fail("field 'patches': the file begins with no number; it should say how many patches follow");
  if (*count < 1) fail("field 'patches': there are {}; name a file with patches", *count);
  // Two degrees and 48 numbers take at least two characters each.
  if (*count > int64_t(kMostPatches) || uint64_t(*count) > file.size() / 100 + 1) {
    fail("field 'patches': {} are more than the file holds, or more than {}; copy the file again", *count,
         kMostPatches);
  }
  PatchScene scene;
  loading.need(uint64_t(*count) * (kPatchPoints * sizeof(glm::vec3) + sizeof(uint32_t)), "patches");
  scene.points.reserve(size_t(*count) * kPatchPoints);
  scene.palette = {{{0.72f, 0.74f, 0.78f}, 0.35f}};
  for (int64_t p = 1; p <= *count; ++p) {
    const std::optional<int> u = scanner.number<int>(), v = scanner.number<int>();
    if (!u || !v)
      fail("field 'patch {}': has no two degrees; {} patches should follow: copy the file again", p, *count);
    if (*u != 3 || *v != 3) {
      fail("field 'patch {}': is of degrees {} and {}; only bicubic patches (3 3) can be read", p, *u, *v);
    }
    for (size_t k = 1; k <= kPatchPoints; ++k) {
      glm::vec3 point(0.0f);
      for (int c = 0; c < 3; ++c) {
        const std::optional<float> number = scanner.number<float>();
        if (!number) fail("field 'patch {}', point {}: has no three numbers; copy the file again", p, k);
        // NaN fails this comparison.
        if (!(std::abs(*number) < kMostCoordinate)) {
          fail("field 'patch {}', point {}: is not finite or beyond 1e15; write the file anew", p, k);
        }
        point[c] = *number + 0.0f;
      }
      scene.points.push_back(point);
    }
  }
  if (!scanner.word().empty()) {
    fail("field 'patches': more follows after the {} that it says; write their number first", *count);
  }
  scene.materials.assign(size_t(*count), 0);
  return scene;
}

}  // namespace

std::vector<glm::vec3> PatchScene::points_at(float phase) const {
  if (!move) return points;
  std::vector<glm::vec3> moved(points.size());
  for (size_t k = 0; k < points.size(); ++k) moved[k] = move(points[k], materials[k / kPatchPoints], phase);
  return moved;
}

Bounds PatchScene::bounds() const {
  Bounds bounds;
  for (const glm::vec3& point : points) bounds.add(point);
  return bounds;
}

std::vector<uint32_t> edge_numbers(const std::vector<glm::vec3>& points) {
  std::map<std::array<float, 12>, uint32_t> known;
  std::vector<uint32_t> edges;
  for (size_t p = 0; p < points.size() / kPatchPoints; ++p) {
    for (int side = 0; side < 4; ++side) {
      const std::array<glm::vec3, 4> its = side_of(&points[p * kPatchPoints], side);
      const std::array<float, 12> ahead = numbers_of(its, false), back = numbers_of(its, true);
      const uint32_t number = known.try_emplace(std::min(ahead, back), uint32_t(known.size())).first->second;
      edges.push_back(number << 1 | uint32_t(back < ahead));
    }
  }
  return edges;
}

PatchScene read_bpt(std::span<const std::byte> file, std::string_view name, Loading& loading) {
  try {
    PatchScene scene = parse(file, loading);
    scene.name = name;
    return scene;
  } catch (const std::runtime_error& error) {
    fail("{}: {}", name, error.what());
  }
}

std::string bpt_text(const PatchScene& scene, float phase) {
  const std::vector<glm::vec3> points = scene.points_at(phase);
  std::string text = fmt::format("{}\n", scene.patches());
  for (size_t k = 0; k < points.size(); ++k) {
    if (k % kPatchPoints == 0) text += "3 3\n";
    text += fmt::format("{} {} {}\n", points[k].x, points[k].y, points[k].z);
  }
  return text;
}

std::vector<std::string> patch_scene_names() {
  std::vector<std::string> names;
  for (const Named& scene : kScenes) names.emplace_back(scene.name);
  return names;
}

PatchScene load_patches(const std::string& name, const LoadOptions& options) {
  for (const Named& scene : kScenes) {
    if (name == scene.name) return scene.make();
  }
  if (name.find_first_of("./") == std::string::npos) {
    fail("'{}' is neither a scene of patches nor a .bpt file{}; scenes are {}", name,
         did_you_mean(name, patch_scene_names()), "teapot, tea-set and creature");
  }
  Loading loading(options);
  const std::vector<std::byte> file = read_file(name, kMostBytes, &loading);
  loading.holds(file.size(), "file");
  return read_bpt(file, name, loading);
}

}  // namespace brokkr
