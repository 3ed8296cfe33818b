// Drawings for a subject: primitives in pixels, and the shader cost of each fragment [FragSniffer, 3].
#pragma once

#include <algorithm>
#include <cstdint>
#include <glm/vec2.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr::probe {

inline constexpr int kWindow = 512;        // pixels per side: a multiple of every tile size
inline constexpr int kMaxSlowPixels = 64;  // limit of the shaders' uniforms
inline constexpr int kMaxBranch = 4;       // branches 1 .. 4 in addition to the background's 0

// strip: each vertex except the first two completes a triangle.
enum class PrimitiveKind : uint8_t { triangles, lines, points, strip };

// A slow fragment. Fragments of different branches are behind different conditions of the shader.
struct SlowPixel {
  int x = 0, y = 0;     // from the lower left corner
  uint32_t cost = 0;    // number of dependent additions
  uint32_t branch = 1;  // 1 .. kMaxBranch
};

// Slow fragments all over the window, at every `every`-th column and row. The `kinds` branches alternate along a row.
struct Stars {
  int every = 0;  // pixels; 0: none
  uint32_t cost = 0;
  int kinds = 1;  // 1 .. kMaxBranch: uses branches 1 to this one

  bool at(int x, int y) const { return every > 0 && x % every == 0 && y % every == 0; }
  uint32_t branch(int x) const { return uint32_t(1 + x / every % kinds); }
};

// The pixels that pass an early depth test. The others are not shaded.
enum class Mask : uint8_t { none, only_stars, all_but_stars };

struct Drawing {
  int width = kWindow, height = kWindow;
  PrimitiveKind kind = PrimitiveKind::triangles;
  std::vector<glm::vec2> vertices = {};  // pixels; three, two or one per primitive
  std::vector<uint32_t> batches = {};    // primitives per draw call; empty: one call; not for strips
  uint32_t background = 0;               // additions of every fragment that is not slow
  std::vector<SlowPixel> slow = {};
  Stars stars = {};
  Mask mask = Mask::none;
  bool waits = false;  // each addition waits for the previous one, so that warps alternate on a multiprocessor

  // The number of vertices that a primitive does not share with the next one.
  size_t vertices_of_primitive() const { return kind == PrimitiveKind::strip ? 1 : 3 - size_t(kind); }
  size_t primitives() const {
    const size_t all = vertices.size() / vertices_of_primitive();
    return kind == PrimitiveKind::strip ? std::max<size_t>(all, 2) - 2 : all;
  }
};

// The order in which small primitives fill the window: row by row; tile by tile of 16 x 16; or shuffled, always the
// same way.
enum class FillOrder : uint8_t { raster, tiles, shuffle };

// A triangle that covers the window: the reference for all costs.
Drawing covering_triangle();
// Squares of `size` pixels, two triangles each, shifted right by `shift`; size 512 gives one quad. The window clips the
// last squares of a row.
Drawing quads(int size, int shift = 0, FillOrder order = FillOrder::raster);
// The same squares, row by row, as one strip; degenerate triangles connect its rows.
Drawing strip(int size);
// Rows of horizontal lines of `length` pixels, from bottom to top.
Drawing lines(int length);
// Stacks of `size` lines of `size` pixels, from left to right and from bottom to top.
Drawing line_stacks(int size);
// A point for each pixel, row by row; then squares of `size` x `size` points, one after another.
Drawing point_rows();
Drawing point_squares(int size);
// A point in every `step`-th column and row.
Drawing spaced_points(int step);
// A point at each star of one kind, 0 .. kinds - 1.
Drawing star_points(const Stars& stars, int kind);
// `count` points in total, cycling through these pixels.
Drawing points_at(const std::vector<glm::ivec2>& pixels, int count);

// Drawings by name: a covering triangle, or quads, a strip, lines, stacks of lines or squares of points of `edge`
// pixels.
inline constexpr const char* kDrawings[] = {"triangle", "quads", "strip", "lines", "stacks", "points"};
Drawing drawing_of(std::string_view kind, int edge);

// Reorders a drawing's primitives: by the tile of their first corner, or shuffled. Throws std::invalid_argument for a
// strip, whose order is fixed.
void reorder(Drawing& drawing, FillOrder order);
// Draws each primitive `times` times in place. A strip is repeated as a whole.
void overlap(Drawing& drawing, int times);

// Splits the drawing into calls of equal numbers of primitives; there are at most as many calls as primitives.
void deal_out(Drawing& drawing, size_t calls);

// Throws std::invalid_argument that names the error: a pixel outside the window, too many slow pixels, an unknown
// branch.
void check_drawing(const Drawing& drawing);

// The probe's subject: something that draws and can be observed only from outside.

inline constexpr uint32_t kNever = ~0u;

// The record of one drawing. Planes have one value per pixel, row by row from the bottom. Planes that a subject cannot
// observe are empty. If a pixel is drawn several times, the last time counts.
struct Film {
  int width = 0, height = 0;
  double cost = 0;                   // cost of the whole drawing in the subject's unit
  std::vector<uint32_t> order = {};  // the pixel's rank among all fragments; kNever: not drawn
  std::vector<double> time = {};     // time of the write, in the unit of `cost`; 0: start of the drawing
  std::vector<int32_t> unit = {};    // the processor that drew it; -1: unknown
  std::vector<int32_t> warp = {};    // the warp that drew it

  size_t at(int x, int y) const { return size_t(y) * size_t(width) + size_t(x); }
};

// The additions of a slow fragment, and of all others if they are not free.
struct Costs {
  uint32_t slow = 1000000, background = 100000;
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string name() const = 0;  // name of the driver, the machine or the model
  virtual const char* unit() const = 0;  // unit of costs and times: "ms"
  virtual Costs costs() const { return {}; }
  // Returns true if each processor runs its fragments one after another, in the order of the primitives, as CPU drivers
  // do.
  virtual bool is_in_order() const { return false; }
  virtual Film draw(const Drawing& drawing) = 0;
  // Measures only the time; may repeat the measurement.
  virtual double cost(const Drawing& drawing) { return draw(drawing).cost; }
};

}  // namespace brokkr::probe
