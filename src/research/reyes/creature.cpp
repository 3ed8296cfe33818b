// The creature: an animal on four legs with a long tail, modelled as a cage of cubes that is subdivided twice.
#include <algorithm>
#include <cmath>

#include "reyes/cage.h"

namespace brokkr {
namespace animal {

enum Part : uint32_t { kHide, kBelly, kHorn, kParts };

constexpr float kTau = 6.2831853f;
constexpr int kLength = 19, kHeight = 13, kWidth = 5;

struct Box {
  int low[3], high[3];  // in cubes, both ends inclusive
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
    {{6, 0, 1}, {8, 0, 1}, kHorn},      // and feet
    {{6, 0, 3}, {8, 0, 3}, kHorn},      //
    {{11, 1, 1}, {11, 3, 1}, kHide},    // front legs
    {{11, 1, 3}, {11, 3, 3}, kHide},    //
    {{11, 0, 1}, {12, 0, 1}, kHorn},    // and feet
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

}  // namespace brokkr
