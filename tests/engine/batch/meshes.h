// Triangle lists for tests: regular, random, non-manifold, degenerate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace brokkr {

using Indices = std::vector<uint32_t>;

inline Indices grid(uint32_t side) {
  Indices result;
  for (uint32_t y = 0; y < side; ++y) {
    for (uint32_t x = 0; x < side; ++x) {
      const uint32_t a = y * (side + 1) + x, b = a + 1, c = a + side + 1, d = c + 1;
      result.insert(result.end(), {a, b, d, a, d, c});
    }
  }
  return result;
}

// Triangles in random order, vertices numbered at random.
inline Indices shuffled(const Indices& indices, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> number(indices.empty() ? 0 : *std::max_element(indices.begin(), indices.end()) + 1);
  for (uint32_t i = 0; i < number.size(); ++i) number[i] = i;
  std::shuffle(number.begin(), number.end(), random);
  std::vector<uint32_t> order(indices.size() / 3);
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  Indices result;
  for (const uint32_t t : order) {
    for (size_t c = 0; c < 3; ++c) result.push_back(number[indices[size_t(t) * 3 + c]]);
  }
  return result;
}

// Random triangles over `vertices` vertices. Edges have many triangles, and triangles repeat or have no area.
inline Indices soup(uint32_t triangles, uint32_t vertices, uint32_t seed) {
  std::mt19937 random(seed);
  Indices result;
  for (uint32_t i = 0; i < triangles * 3; ++i) result.push_back(uint32_t(random() % vertices));
  return result;
}

// All triangles around one vertex.
inline Indices fan(uint32_t triangles) {
  Indices result;
  for (uint32_t i = 0; i < triangles; ++i) result.insert(result.end(), {0, i + 1, i + 2});
  return result;
}

// Triangles that share no vertices.
inline Indices loose(uint32_t triangles) {
  Indices result;
  for (uint32_t i = 0; i < triangles * 3; ++i) result.push_back(i);
  return result;
}

}  // namespace brokkr
