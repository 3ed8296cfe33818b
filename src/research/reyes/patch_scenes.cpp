// Generated scenes of patches.

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "reyes/patches.h"

namespace brokkr {

// The creature: an animal on four legs with a long tail, modelled as a cage of cubes that is subdivided twice.

namespace animal {

enum Part : uint32_t { kHide, kBelly, kHorn, kParts };

constexpr float kTau = 6.2831853f;
constexpr int kLength = 19, kHeight = 13, kWidth = 5;

struct Box {
  int low[3], high[3];  // in cubes; both ends are inclusive
  Part part;
};
// From tail to snout along x, up along y, across along z.
constexpr Box kBoxes[] = {
    {{0, 5, 2}, {5, 5, 2}, kHide},      // tail
    {{6, 4, 1}, {12, 4, 3}, kBelly},    // belly
    {{6, 5, 1}, {12, 6, 3}, kHide},     // body
    {{10, 7, 1}, {12, 7, 3}, kHide},    // shoulders
    {{6, 1, 1}, {7, 3, 1}, kHide},      // hind legs
    {{6, 1, 3}, {7, 3, 3}, kHide},      //
    {{6, 0, 1}, {8, 0, 1}, kHorn},      // their feet
    {{6, 0, 3}, {8, 0, 3}, kHorn},      //
    {{11, 1, 1}, {11, 3, 1}, kHide},    // front legs
    {{11, 1, 3}, {11, 3, 3}, kHide},    //
    {{11, 0, 1}, {12, 0, 1}, kHorn},    // their feet
    {{11, 0, 3}, {12, 0, 3}, kHorn},    //
    {{12, 8, 2}, {13, 8, 2}, kHide},    // neck
    {{13, 7, 2}, {13, 7, 2}, kHide},    //
    {{13, 9, 1}, {15, 10, 3}, kHide},   // head
    {{16, 9, 2}, {17, 9, 2}, kBelly},   // snout
    {{13, 11, 1}, {13, 12, 1}, kHorn},  // ears
    {{13, 11, 3}, {13, 12, 3}, kHorn},  //
    {{7, 7, 2}, {7, 7, 2}, kHorn},      // spikes
    {{9, 7, 2}, {9, 7, 2}, kHorn},      //
};

int cube_at(int x, int y, int z) {
  for (const Box& box : kBoxes) {
    const int at[] = {x, y, z};
    bool inside = true;
    for (int c = 0; c < 3; ++c) inside = inside && at[c] >= box.low[c] && at[c] <= box.high[c];
    if (inside) return int(box.part);
  }
  return -1;
}

// Moves a corner of the cage to the animal's shape: the tail tapers and hangs, the body is round, the legs are slim,
// ears and spikes are pointed.
glm::vec3 placed(float x, float y, float z) {
  const float across = z - 2.5f;
  glm::vec3 p(x, y, across);
  if (x <= 6) {
    const float along = x / 6, thick = 0.18f + 0.82f * along;
    p.y = 5.5f + (y - 5.5f) * thick - 2.4f * (1 - along) * (1 - along);
    p.z = across * thick;
  } else if (y >= 4 && y <= 8 && x <= 13) {
    const float middle = (x - 9.5f) / 3.5f;
    p.z = across * (1.2f - 0.2f * middle * middle) * (1 - 0.09f * (y - 5.5f) * (y - 5.5f));
    p.y += 0.25f * (1 - middle * middle) * (y > 5 ? 1.0f : -1.0f);
  }
  if (y < 4 && x > 5) p.x += 0.25f * (x - (x < 9.5f ? 7.0f : 11.5f)) - 0.12f * (4 - y) * (x < 9.5f ? 1.0f : -1.0f);
  if (y > 11) p.x -= 0.5f * (y - 11), p.z *= 1 + 0.3f * (y - 11);
  if (x > 16) p.z *= 0.75f, p.y += 0.2f * (x > 17 ? 1.0f : 0.0f);
  return 0.5f * p;
}

float smooth(float from, float to, float at) {
  const float t = std::clamp((at - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// The animal walks on the spot: its legs swing against each other, the tail follows, and the head nods.
glm::vec3 moved(const glm::vec3& point, uint32_t, float phase) {
  const float turn = kTau * phase, step = 2 * turn;
  glm::vec3 p = point;
  const float leg = smooth(2.2f, 0.2f, point.y) * smooth(2.6f, 3.2f, point.x);
  const float side = point.z > 0 ? 1.0f : -1.0f, pair = point.x < 4.75f ? 1.0f : -1.0f;
  p.x += 0.35f * leg * side * pair * std::sin(step);
  p.y += 0.12f * leg * std::max(0.0f, side * pair * std::cos(step));
  const float tail = smooth(3.2f, 0, point.x);
  p.z += 1.1f * tail * std::sin(turn - 1.5f * tail);
  p.y += 0.3f * tail * std::sin(step);
  const float head = smooth(6, 7.5f, point.x) * smooth(3.6f, 4.6f, point.y);
  p.y += 0.18f * head * std::sin(step);
  p.z += 0.3f * head * std::sin(turn);
  return p;
}

}  // namespace animal

PatchScene creature_scene() {
  using namespace animal;
  PatchScene scene;
  scene.name = "creature";
  scene.palette.resize(kParts);
  scene.palette[kHide] = {{0.46f, 0.6f, 0.34f}, 0.3f, 3};
  scene.palette[kBelly] = {{0.86f, 0.76f, 0.54f}, 0.2f, 2};
  scene.palette[kHorn] = {{0.62f, 0.36f, 0.26f}, 0.5f};
  append_patches(scene, subdivided(subdivided(cage_of_cubes({kLength, kHeight, kWidth}, cube_at, placed))));
  scene.camera = Camera{.eye = {8.2f, 4.8f, 10.4f}, .target = {4.7f, 3, 0}, .fov = 38};
  scene.move = moved;
  return scene;
}

// Martin Newell's teapot (1975): 32 patches. The table omits those that mirroring generates.

namespace {

constexpr float kPoints[][3] = {{0.2f, 0, 2.7f},
                                {0.2f, -0.112f, 2.7f},
                                {0.112f, -0.2f, 2.7f},
                                {0, -0.2f, 2.7f},
                                {1.3375f, 0, 2.53125f},
                                {1.3375f, -0.749f, 2.53125f},
                                {0.749f, -1.3375f, 2.53125f},
                                {0, -1.3375f, 2.53125f},
                                {1.4375f, 0, 2.53125f},
                                {1.4375f, -0.805f, 2.53125f},
                                {0.805f, -1.4375f, 2.53125f},
                                {0, -1.4375f, 2.53125f},
                                {1.5f, 0, 2.4f},
                                {1.5f, -0.84f, 2.4f},
                                {0.84f, -1.5f, 2.4f},
                                {0, -1.5f, 2.4f},
                                {1.75f, 0, 1.875f},
                                {1.75f, -0.98f, 1.875f},
                                {0.98f, -1.75f, 1.875f},
                                {0, -1.75f, 1.875f},
                                {2, 0, 1.35f},
                                {2, -1.12f, 1.35f},
                                {1.12f, -2, 1.35f},
                                {0, -2, 1.35f},
                                {2, 0, 0.9f},
                                {2, -1.12f, 0.9f},
                                {1.12f, -2, 0.9f},
                                {0, -2, 0.9f},
                                {-2, 0, 0.9f},
                                {2, 0, 0.45f},
                                {2, -1.12f, 0.45f},
                                {1.12f, -2, 0.45f},
                                {0, -2, 0.45f},
                                {1.5f, 0, 0.225f},
                                {1.5f, -0.84f, 0.225f},
                                {0.84f, -1.5f, 0.225f},
                                {0, -1.5f, 0.225f},
                                {1.5f, 0, 0.15f},
                                {1.5f, -0.84f, 0.15f},
                                {0.84f, -1.5f, 0.15f},
                                {0, -1.5f, 0.15f},
                                {-1.6f, 0, 2.025f},
                                {-1.6f, -0.3f, 2.025f},
                                {-1.5f, -0.3f, 2.25f},
                                {-1.5f, 0, 2.25f},
                                {-2.3f, 0, 2.025f},
                                {-2.3f, -0.3f, 2.025f},
                                {-2.5f, -0.3f, 2.25f},
                                {-2.5f, 0, 2.25f},
                                {-2.7f, 0, 2.025f},
                                {-2.7f, -0.3f, 2.025f},
                                {-3, -0.3f, 2.25f},
                                {-3, 0, 2.25f},
                                {-2.7f, 0, 1.8f},
                                {-2.7f, -0.3f, 1.8f},
                                {-3, -0.3f, 1.8f},
                                {-3, 0, 1.8f},
                                {-2.7f, 0, 1.575f},
                                {-2.7f, -0.3f, 1.575f},
                                {-3, -0.3f, 1.35f},
                                {-3, 0, 1.35f},
                                {-2.5f, 0, 1.125f},
                                {-2.5f, -0.3f, 1.125f},
                                {-2.65f, -0.3f, 0.9375f},
                                {-2.65f, 0, 0.9375f},
                                {-2, -0.3f, 0.9f},
                                {-1.9f, -0.3f, 0.6f},
                                {-1.9f, 0, 0.6f},
                                {1.7f, 0, 1.425f},
                                {1.7f, -0.66f, 1.425f},
                                {1.7f, -0.66f, 0.6f},
                                {1.7f, 0, 0.6f},
                                {2.6f, 0, 1.425f},
                                {2.6f, -0.66f, 1.425f},
                                {3.1f, -0.66f, 0.825f},
                                {3.1f, 0, 0.825f},
                                {2.3f, 0, 2.1f},
                                {2.3f, -0.25f, 2.1f},
                                {2.4f, -0.25f, 2.025f},
                                {2.4f, 0, 2.025f},
                                {2.7f, 0, 2.4f},
                                {2.7f, -0.25f, 2.4f},
                                {3.3f, -0.25f, 2.4f},
                                {3.3f, 0, 2.4f},
                                {2.8f, 0, 2.475f},
                                {2.8f, -0.25f, 2.475f},
                                {3.525f, -0.25f, 2.49375f},
                                {3.525f, 0, 2.49375f},
                                {2.9f, 0, 2.475f},
                                {2.9f, -0.15f, 2.475f},
                                {3.45f, -0.15f, 2.5125f},
                                {3.45f, 0, 2.5125f},
                                {2.8f, 0, 2.4f},
                                {2.8f, -0.15f, 2.4f},
                                {3.2f, -0.15f, 2.4f},
                                {3.2f, 0, 2.4f},
                                {0, 0, 3.15f},
                                {0.8f, 0, 3.15f},
                                {0.8f, -0.45f, 3.15f},
                                {0.45f, -0.8f, 3.15f},
                                {0, -0.8f, 3.15f},
                                {0, 0, 2.85f},
                                {1.4f, 0, 2.4f},
                                {1.4f, -0.784f, 2.4f},
                                {0.784f, -1.4f, 2.4f},
                                {0, -1.4f, 2.4f},
                                {0.4f, 0, 2.55f},
                                {0.4f, -0.224f, 2.55f},
                                {0.224f, -0.4f, 2.55f},
                                {0, -0.4f, 2.55f},
                                {1.3f, 0, 2.55f},
                                {1.3f, -0.728f, 2.55f},
                                {0.728f, -1.3f, 2.55f},
                                {0, -1.3f, 2.55f},
                                {1.3f, 0, 2.4f},
                                {1.3f, -0.728f, 2.4f},
                                {0.728f, -1.3f, 2.4f},
                                {0, -1.3f, 2.4f},
                                {0, 0, 0},
                                {1.425f, -0.798f, 0},
                                {1.5f, 0, 0.075f},
                                {1.425f, 0, 0},
                                {0.798f, -1.425f, 0},
                                {0, -1.5f, 0.075f},
                                {0, -1.425f, 0},
                                {1.5f, -0.84f, 0.075f},
                                {0.84f, -1.5f, 0.075f}};

// First patches of a quarter (rim, body, lid, bottom), then patches of a half (handle, spout).
constexpr int kQuarters = 6, kHalves = 4;
constexpr int kPatches[kQuarters + kHalves][kPatchPoints] = {
    {102, 103, 104, 105, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27},
    {24, 25, 26, 27, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40},
    {96, 96, 96, 96, 97, 98, 99, 100, 101, 101, 101, 101, 0, 1, 2, 3},
    {0, 1, 2, 3, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117},
    {118, 118, 118, 118, 124, 122, 119, 121, 123, 126, 125, 120, 40, 39, 38, 37},
    {41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56},
    {53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 28, 65, 66, 67},
    {68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83},
    {80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95}};

}  // namespace

// The table's z axis, which points up, becomes y.
PatchScene teapot_scene() {
  PatchScene scene;
  scene.name = "teapot";
  scene.palette = {{{0.78f, 0.66f, 0.5f}, 0.45f}};
  for (int k = 0; k < kQuarters + kHalves; ++k) {
    const int mirrors = k < kQuarters ? 4 : 2;
    for (int mirror = 0; mirror < mirrors; ++mirror) {
      const float x = mirror >= 2 ? -1.0f : 1.0f, y = mirror % 2 == 1 ? -1.0f : 1.0f;
      for (const int point : kPatches[k]) {
        const float* p = kPoints[point];
        scene.points.push_back(glm::vec3(x * p[0], p[2], -y * p[1]) + 0.0f);  // turns -0 into +0
      }
      scene.materials.push_back(0);
    }
  }
  return scene;
}

// The tea set: the teapot, two cups on saucers, a spoon and a table, as generated patches.

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
    // The spoon leans in the second cup and stirs.
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
