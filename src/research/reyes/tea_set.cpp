// The tea set: the teapot, two cups on saucers, a spoon and a table, as generated patches.
#include <array>
#include <cmath>
#include <initializer_list>

#include "reyes/cage.h"

namespace brokkr {
namespace tea {

// Materials; all points of one material move together.
enum Part : uint32_t { kPot, kCup, kTea, kSaucer, kSpoon, kLight, kDark, kParts };

constexpr float kTau = 6.2831853f;
// A quarter circle as a cubic curve: distance of the inner control points, as a fraction of the radius.
constexpr float kQuarter = 0.5522847f;
const glm::vec3 kFirstCup(3.6f, 0, 2.6f), kSecondCup(-0.6f, 0, 3.7f);

struct ProfilePoint {
  float radius, height;
};

// Adds the surface of revolution of a cubic curve around the axis through `center`: four patches, u around the axis and
// v along the curve.
void add_revolved(PatchScene& scene, const glm::vec3& center, const std::array<ProfilePoint, 4>& curve, Part part) {
  for (int quarter = 0; quarter < 4; ++quarter) {
    for (const ProfilePoint& p : curve) {
      const float r = p.radius, k = kQuarter * r;
      const float x[] = {r, r, k, 0}, z[] = {0, k, r, r};
      for (int i = 0; i < 4; ++i) {
        // Rotates by right angles, exactly.
        const float tx = quarter == 0 ? x[i] : quarter == 1 ? -z[i] : quarter == 2 ? -x[i] : z[i];
        const float tz = quarter == 0 ? z[i] : quarter == 1 ? x[i] : quarter == 2 ? -z[i] : -x[i];
        scene.points.push_back(center + glm::vec3(tx, p.height, tz));
      }
    }
    scene.materials.push_back(part);
  }
}

void add_cup(PatchScene& scene, const glm::vec3& at) {
  constexpr float kFoot = 0.12f;
  const auto up = [&](std::array<ProfilePoint, 4> curve, float by) {
    for (ProfilePoint& p : curve) p.height += by;
    return curve;
  };
  add_revolved(scene, at, {{{0, 0.03f}, {0.6f, 0.03f}, {1.2f, 0.06f}, {1.75f, 0.28f}}}, kSaucer);
  add_revolved(scene, at, {{{1.75f, 0.28f}, {1.85f, 0.32f}, {1.85f, 0.26f}, {1.75f, 0.22f}}}, kSaucer);
  add_revolved(scene, at, {{{1.75f, 0.22f}, {1.2f, 0.01f}, {0.6f, 0}, {0, 0}}}, kSaucer);
  add_revolved(scene, at, up({{{0.5f, 0}, {0.5f, 0.1f}, {0.95f, 0.2f}, {1.05f, 0.6f}}}, kFoot), kCup);
  add_revolved(scene, at, up({{{1.05f, 0.6f}, {1.12f, 0.88f}, {1.1f, 1}, {1.2f, 1.2f}}}, kFoot), kCup);
  add_revolved(scene, at, up({{{1.2f, 1.2f}, {1.22f, 1.25f}, {1.16f, 1.26f}, {1.13f, 1.2f}}}, kFoot), kCup);
  add_revolved(scene, at, up({{{1.13f, 1.2f}, {1.05f, 0.9f}, {1.02f, 0.3f}, {0, 0.15f}}}, kFoot), kCup);
  add_revolved(scene, at, up({{{1.06f, 0.95f}, {0.7f, 0.95f}, {0.35f, 0.95f}, {0, 0.95f}}}, kFoot), kTea);
  const auto is_handle = [](int x, int y, int) { return y == 0 || y == 3 || x == 2 ? int(kCup) : -1; };
  append_patches(scene, cage_of_cubes({3, 4, 1}, is_handle, [&](float x, float y, float z) {
                   const float inward = y < 1.5f ? 0.12f : 0;
                   return at + glm::vec3(0.98f - inward + 0.27f * x, 0.32f + 0.26f * y, 0.26f * (z - 0.5f));
                 }));
}

void add_spoon(PatchScene& scene) {
  // Cells of the spoon: a rising handle, and a bowl with a dent.
  const auto is_spoon = [](int x, int, int z) { return x >= 6 || z == 1 ? int(kSpoon) : -1; };
  append_patches(scene, subdivided(cage_of_cubes({9, 1, 3}, is_spoon, [](float x, float y, float z) {
                   const bool inner = (x == 7 || x == 8) && (z == 1 || z == 2);
                   const float width = x < 6 ? 0.35f : x == 9 || x == 6 ? 0.75f : 1;
                   const float dent = inner ? -0.16f : 0;
                   return glm::vec3(0.3f * (7.5f - x), 0.09f * y + dent, 0.26f * width * (z - 1.5f));
                 })));
}

void add_table(PatchScene& scene) {
  constexpr int kFields = 10;
  constexpr float kSize = 1.6f;
  for (int row = 0; row < kFields; ++row) {
    for (int column = 0; column < kFields; ++column) {
      for (int k = 0; k < int(kPatchPoints); ++k) {
        const float x = float(3 * column + k % 4) / 3 - kFields / 2, z = float(3 * row + 3 - k / 4) / 3 - kFields / 2;
        scene.points.emplace_back(kSize * x + 0.8f, -0.001f, kSize * z + 1.2f);
      }
      scene.materials.push_back((row + column) % 2 == 0 ? kLight : kDark);
    }
  }
}

glm::vec3 turned(const glm::vec3& p, const glm::vec3& around, float angle, int a, int b) {
  const float c = std::cos(angle), s = std::sin(angle);
  glm::vec3 q = p - around;
  const float x = q[a], y = q[b];
  q[a] = c * x - s * y;
  q[b] = s * x + c * y;
  return q + around;
}

glm::vec3 moved(const glm::vec3& point, uint32_t part, float phase) {
  const float turn = kTau * phase;
  if (part == kPot) {
    const float lift = 0.5f - 0.5f * std::cos(turn);
    const glm::vec3 up(0, 1.5f * lift, 0);
    return turned(point, {2, 1, 0}, -0.42f * lift, 0, 1) + up;
  }
  if (part == kSpoon) {
    // It leans in the second cup and stirs.
    const glm::vec3 leaning = turned(point, glm::vec3(0), 0.95f, 0, 1);
    const glm::vec3 stirring = turned(leaning, glm::vec3(0), -turn, 0, 2);
    return stirring + kSecondCup + glm::vec3(0.3f * std::cos(turn), 0.5f, -0.3f * std::sin(turn));
  }
  return point;
}

}  // namespace tea

PatchScene tea_set_scene() {
  using namespace tea;
  PatchScene scene = teapot_scene();
  scene.name = "tea-set";
  scene.palette.resize(kParts);
  scene.palette[kPot] = {{0.55f, 0.68f, 0.74f}, 0.5f};
  scene.palette[kCup] = {{0.9f, 0.88f, 0.84f}, 0.4f};
  scene.palette[kTea] = {{0.5f, 0.26f, 0.1f}, 0.6f};
  scene.palette[kSaucer] = {{0.62f, 0.72f, 0.78f}, 0.4f};
  scene.palette[kSpoon] = {{0.75f, 0.75f, 0.72f}, 0.8f};
  scene.palette[kLight] = {{0.76f, 0.68f, 0.58f}, 0.05f};
  scene.palette[kDark] = {{0.58f, 0.42f, 0.34f}, 0.05f};
  add_cup(scene, kFirstCup);
  add_cup(scene, kSecondCup);
  add_spoon(scene);
  add_table(scene);
  scene.camera = Camera{.eye = {4.6f, 5.6f, 11.2f}, .target = {0.9f, 1.1f, 1.2f}, .fov = 38};
  scene.move = moved;
  return scene;
}

}  // namespace brokkr
