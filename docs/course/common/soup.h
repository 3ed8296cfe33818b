// Random triangles for the tests: large, small and thin ones, some that leave the picture, and some with corners on
// pixel centres or with shared edges.
#pragma once

#include <cmath>
#include <random>

#include "common/recording.h"

namespace course {

struct SoupOptions {
  int triangles = 150;
  bool perspective = false;  // w from 1 to 4; otherwise 1
  bool depth = false;     // tested with all functions: half of the triangles at one of nine depths, the others tilted
  bool textures = false;  // three sizes
};

class Soup {
 public:
  Soup(uint32_t seed, const SoupOptions& options) : dice_(seed), options_(options) {
    recording_.width = 150;
    recording_.height = 110;
    recording_.clear_color = {0.1f, 0.1f, 0.15f};
    if (options.textures) {
      for (const auto& [width_log2, height_log2] : {std::pair{2, 2}, {4, 1}, {3, 5}})
        add_texture(width_log2, height_log2);
    }
    for (int i = 0; i < options.triangles; ++i) add_triangle(i);
  }
  Recording take() { return std::move(recording_); }

 private:
  float between(float low, float high) { return low + (high - low) * float(dice_() % 65536) / 65536; }

  void add_texture(int width_log2, int height_log2) {
    Texture texture{width_log2, height_log2, {}};
    for (int i = 0; i < 1 << (width_log2 + height_log2); ++i) {
      texture.texels.push_back(pack(dice_() % 256, dice_() % 256, dice_() % 256));
    }
    recording_.textures.push_back(std::move(texture));
  }

  void add_triangle(int number) {
    Draw draw;
    draw.elements = {0, 1, 2};
    const int kind = number % 5;  // 0: large, 1 to 3: small, thin, on centres, 4: beside the last one
    const float x = between(-10, 160), y = between(-10, 120), size = kind == 0 ? 90 : kind == 1 ? 4 : 40;
    const float angle = between(0, 6.28f);
    for (int i = 0; i < 3; ++i) {
      float px = x + between(-size, size), py = y + between(-size, size);
      if (kind == 2) {
        px = x + size * std::cos(angle) * float(i) + between(-0.7f, 0.7f);
        py = y + size * std::sin(angle) * float(i) + between(-0.7f, 0.7f);
      } else if (kind == 3) {
        px = std::floor(px) + 0.5f;
        py = std::floor(py) + 0.5f;
      }
      draw.vertices.push_back(vertex(px, py));
    }
    if (kind == 4) {
      draw.vertices[0] = recording_.draws.back().vertices[1];
      draw.vertices[1] = recording_.draws.back().vertices[0];
    }
    if (options_.depth) set_depth(draw);
    if (options_.textures) draw.texture = int(dice_() % 3);
    recording_.draws.push_back(std::move(draw));
  }

  Vertex vertex(float x, float y) {
    Vertex vertex;
    const float w = options_.perspective ? between(1, 4) : 1;
    vertex.position = {(2 * x / float(recording_.width) - 1) * w, (2 * y / float(recording_.height) - 1) * w, 0, w};
    vertex.color = {between(0, 1), between(0, 1), between(0, 1)};
    vertex.s = between(-2, 2);
    vertex.t = between(-2, 2);
    return vertex;
  }

  void set_depth(Draw& draw) {
    draw.depth_test = true;
    draw.depth = DepthFunction(dice_() % 8);
    draw.depth_write = dice_() % 4 != 0;
    const float level = 0.25f * float(int(dice_() % 9) - 4) * 0.875f;  // avoids ties when rounding to 24 bits
    const bool is_level = recording_.draws.size() % 2 == 1;
    for (Vertex& v : draw.vertices) v.position.z = (is_level ? level : between(-0.9f, 0.9f)) * v.position.w;
  }

  std::mt19937 dice_;
  SoupOptions options_;
  Recording recording_;
};

inline Recording make_soup(uint32_t seed, const SoupOptions& options) { return Soup(seed, options).take(); }

}  // namespace course
