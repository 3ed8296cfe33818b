// What the probe has a subject draw: primitives in pixels, and how long the shader of each fragment takes [FragSniffer,
// 3].
#pragma once

#include <algorithm>
#include <cstdint>
#include <glm/vec2.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr::probe {

inline constexpr int kWindow = 512;        // pixels a side: a multiple of all tiles
inline constexpr int kMaxSlowPixels = 64;  // what shaders have room for
inline constexpr int kMaxBranch = 4;       // branches 1 .. 4 beside the background's 0

// strip: each vertex but the first two is the last one of a triangle.
enum class PrimitiveKind : uint8_t { triangles, lines, points, strip };

// A fragment that takes long. Fragments of different branches stand behind different conditions of the shader.
struct SlowPixel {
  int x = 0, y = 0;     // from the lower left corner
  uint32_t cost = 0;    // additions, one after another
  uint32_t branch = 1;  // 1 .. kMaxBranch
};

// Slow fragments all over the window: at every `every`-th column and row. Those of `kinds` take turns along a row.
struct Stars {
  int every = 0;  // pixels; 0: there are none
  uint32_t cost = 0;
  int kinds = 1;  // 1 .. kMaxBranch: branches 1 to this

  bool at(int x, int y) const { return every > 0 && x % every == 0 && y % every == 0; }
  uint32_t branch(int x) const { return uint32_t(1 + x / every % kinds); }
};

// Which pixels an early test lets pass, so that nothing is shaded at the others: depths that were there before.
enum class Mask : uint8_t { none, only_stars, all_but_stars };

struct Drawing {
  int width = kWindow, height = kWindow;
  PrimitiveKind kind = PrimitiveKind::triangles;
  std::vector<glm::vec2> vertices = {};  // pixels; three, two or one a primitive
  std::vector<uint32_t> batches = {};    // primitives of each drawing call; empty: one call; not of a strip
  uint32_t background = 0;               // additions of all fragments that are not slow
  std::vector<SlowPixel> slow = {};
  Stars stars = {};
  Mask mask = Mask::none;
  bool waits = false;  // each addition waits for the one before it, so that warps take turns on a multiprocessor

  // Vertices of a primitive that the next one does not have.
  size_t vertices_of_primitive() const { return kind == PrimitiveKind::strip ? 1 : 3 - size_t(kind); }
  size_t primitives() const {
    const size_t all = vertices.size() / vertices_of_primitive();
    return kind == PrimitiveKind::strip ? std::max<size_t>(all, 2) - 2 : all;
  }
};

// The order in which small primitives fill the window: row by row; tile by tile of 16 x 16; or shuffled, always alike.
enum class FillOrder : uint8_t { raster, tiles, shuffle };

// A triangle that covers the window: the reference of all costs.
Drawing covering_triangle();
// Squares of `size` pixels, two triangles each, moved to the right by `shift`; size 512: one quad. The last parts of a
// row are cut off by the window.
Drawing quads(int size, int shift = 0, FillOrder order = FillOrder::raster);
// The same squares, row by row, as one strip: its rows hang together by triangles without an area.
Drawing strip(int size);
// Rows of horizontal lines of `length`, from bottom to top.
Drawing lines(int length);
// Stacks of `size` lines of that length, from left to right and from bottom to top.
Drawing line_stacks(int size);
// A point for each pixel, row by row; of squares of `size` pixels one after another.
Drawing point_rows();
Drawing point_squares(int size);
// A point in each `step`-th column and row.
Drawing spaced_points(int step);
// A point at each star of these; of one kind: 0 .. kinds - 1.
Drawing star_points(const Stars& stars, int kind);
// `count` points in all, in turn at these pixels.
Drawing points_at(const std::vector<glm::ivec2>& pixels, int count);

// By name: a covering triangle, or quads, a strip, lines, stacks of lines or squares of points of `edge` pixels.
inline constexpr const char* kDrawings[] = {"triangle", "quads", "strip", "lines", "stacks", "points"};
Drawing drawing_of(std::string_view kind, int edge);

// The primitives of a drawing in another order: by the tiles that their first corners lie in, or shuffled. Throws
// std::invalid_argument for a strip, whose primitives have but one.
void reorder(Drawing& drawing, FillOrder order);
// Each primitive `times` times, one over the other. A strip is drawn again as a whole.
void overlap(Drawing& drawing, int times);

// Drawing calls of as many primitives each as can be; no more calls than primitives.
void deal_out(Drawing& drawing, size_t calls);

// Throws std::invalid_argument that names what is wrong: a pixel outside of the window, too many of them, a branch that
// there is not.
void check_drawing(const Drawing& drawing);

}  // namespace brokkr::probe
