// Plain data that all steps share. Conventions are OpenGL's: clip space -w <= x, y, z <= w, window coordinates in
// pixels with their origin at the bottom left, pixel (x, y) around its centre (x + 1/2, y + 1/2).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace course {

struct Vec4 {
  float x = 0, y = 0, z = 0, w = 1;
};

// Row by row: m[row][column].
struct Mat4 {
  float m[4][4] = {};
};

struct Viewport {
  int x = 0, y = 0, width = 0, height = 0;  // pixels
};

// Channels from 0 to 1.
struct Color {
  float r = 0, g = 0, b = 0;
};

// A colour as the framebuffer stores it: 0xffBBGGRR.
constexpr uint32_t pack(uint32_t r, uint32_t g, uint32_t b) { return 0xff000000u | b << 16 | g << 8 | r; }
inline uint32_t pack(const Color& color) {
  const auto code = [](float v) { return uint32_t((v > 0 ? (v < 1 ? v : 1) : 0) * 255 + 0.5f); };
  return pack(code(color.r), code(color.g), code(color.b));
}

// OpenGL's kinds of primitives that are drawn as points or as triangles.
enum class Mode : uint8_t { points, triangles, triangle_strip, triangle_fan, quads, quad_strip, polygon };

// Three vertices of a draw, by their numbers.
using Corners = std::array<int, 3>;

// OpenGL's eight depth functions.
enum class DepthFunction : uint8_t { never, less, equal, lequal, greater, notequal, gequal, always };

// Pixels, both ends included.
struct Box {
  int left = 0, bottom = 0, right = -1, top = -1;
};

}  // namespace course
