// Scenes for tests: spheres seen by cameras, and random numbers.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "diff/definition.h"

namespace brokkr::diff_test {

inline std::vector<float> to_float(const Numbers& v) { return {v.begin(), v.end()}; }

inline std::vector<float> random_floats(size_t n, uint32_t seed, float low = -1, float high = 1) {
  std::mt19937 random(seed);
  std::vector<float> v(n);
  for (float& x : v) x = low + (high - low) * float(random() >> 8) * 0x1p-24f;
  return v;
}
inline Numbers wide(const std::vector<float>& v) { return {v.begin(), v.end()}; }

inline DiffMesh mesh_of(const Scene& s, const std::vector<float>& pos) {
  return {.pos = pos.data(), .vertices = s.vertices, .tri = s.tri.data(), .triangles = int64_t(s.tri.size() / 3)};
}

// A bumpy sphere seen from `images` sides in perspective. Positions are float32 numbers.
inline Scene sphere(int images, int height, int width, int rings = 7, int sectors = 9) {
  Scene s;
  s.shape = {images, height, width};
  std::vector<std::array<double, 3>> v;
  std::mt19937 random(3);
  const auto bump = [&] { return 0.85 + 0.3 * double(random()) / 4294967296.0; };
  for (int r = 0; r <= rings; ++r) {
    for (int c = 0; c < (r == 0 || r == rings ? 1 : sectors); ++c) {
      const double a = std::numbers::pi * r / rings, b = 2 * std::numbers::pi * c / sectors, k = bump();
      v.push_back({k * std::sin(a) * std::cos(b), k * std::cos(a), k * std::sin(a) * std::sin(b)});
    }
  }
  s.vertices = int(v.size());
  const auto at = [&](int r, int c) {
    return r == 0 ? 0 : r == rings ? s.vertices - 1 : 1 + (r - 1) * sectors + c % sectors;
  };
  for (int r = 0; r < rings; ++r) {
    for (int c = 0; c < sectors; ++c) {
      if (r > 0) s.tri.insert(s.tri.end(), {at(r, c), at(r, c + 1), at(r + 1, c)});
      if (r + 1 < rings) s.tri.insert(s.tri.end(), {at(r, c + 1), at(r + 1, c + 1), at(r + 1, c)});
    }
  }
  for (int i = 0; i < images; ++i) {
    const double turn = 0.4 + 1.1 * i, f = 2.2, near = 0.5, far = 10;
    for (const auto& p : v) {
      const double x = std::cos(turn) * p[0] + std::sin(turn) * p[2],
                   z = -std::sin(turn) * p[0] + std::cos(turn) * p[2] - 3;
      s.pos.push_back(f * x * height / width);
      s.pos.push_back(f * (p[1] + 0.1 * i));
      s.pos.push_back(-(far + near) / (far - near) * z - 2 * far * near / (far - near));
      s.pos.push_back(-z);
    }
  }
  for (double& x : s.pos) x = double(float(x));
  s.opposite.resize(s.tri.size());
  DiffMachine::topology(s.tri.data(), int64_t(s.tri.size() / 3), s.vertices, s.opposite.data());
  s.ids.resize(size_t(s.pixels()));
  DiffMachine machine({.workers = 1});
  const std::vector<float> pos = to_float(s.pos);
  machine.visible(s.shape, mesh_of(s, pos), s.ids.data());
  return s;
}

// The instruction sets of this build that the processor supports.
std::vector<std::string> machines();

}  // namespace brokkr::diff_test
