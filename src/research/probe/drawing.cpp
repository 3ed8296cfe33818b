#include "probe/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>

namespace brokkr::probe {
namespace {

constexpr int kBlock = 16;  // tile side in pixels for FillOrder::tiles

// Lower left corners of the squares that fill the window, row by row.
std::vector<glm::ivec2> corners(int size) {
  std::vector<glm::ivec2> all;
  for (int y = 0; y < kWindow; y += size) {
    for (int x = 0; x < kWindow; x += size) all.push_back({x, y});
  }
  return all;
}

// Returns true if a comes before b in tile order, row by row within a tile.
bool is_before(const glm::vec2& a, const glm::vec2& b) {
  const auto place = [](const glm::vec2& p) {
    const int x = int(std::floor(p.x)), y = int(std::floor(p.y));
    return std::array{y / kBlock, x / kBlock, y, x};
  };
  return place(a) < place(b);
}

void add_line(Drawing& drawing, int x, int y, int length) {
  drawing.vertices.push_back({float(x), float(y) + 0.5f});
  drawing.vertices.push_back({float(x + length), float(y) + 0.5f});
}

void add_point(Drawing& drawing, int x, int y) { drawing.vertices.push_back({float(x) + 0.5f, float(y) + 0.5f}); }

}  // namespace

Drawing covering_triangle() {
  Drawing drawing;
  drawing.vertices = {{0, 0}, {2 * kWindow, 0}, {0, 2 * kWindow}};
  return drawing;
}

Drawing quads(int size, int shift, FillOrder order) {
  Drawing drawing;
  for (const glm::ivec2 corner : corners(size)) {
    const glm::vec2 a(float(corner.x + shift), float(corner.y)), right(float(size), 0), up(0, float(size));
    drawing.vertices.insert(drawing.vertices.end(), {a, a + right + up, a + up, a, a + right, a + right + up});
  }
  reorder(drawing, order);
  return drawing;
}

Drawing strip(int size) {
  Drawing drawing{.kind = PrimitiveKind::strip};
  std::vector<glm::vec2>& all = drawing.vertices;
  for (int y = 0; y < kWindow; y += size) {
    const float low = float(y), high = float(y + size);
    if (y > 0) all.insert(all.end(), {all.back(), glm::vec2(0, high)});
    for (int x = 0; x < kWindow + size; x += size) all.insert(all.end(), {glm::vec2(x, high), glm::vec2(x, low)});
  }
  return drawing;
}

Drawing lines(int length) {
  Drawing drawing{.kind = PrimitiveKind::lines};
  for (int y = 0; y < kWindow; ++y) {
    for (int x = 0; x < kWindow; x += length) add_line(drawing, x, y, length);
  }
  return drawing;
}

Drawing line_stacks(int size) {
  Drawing drawing{.kind = PrimitiveKind::lines};
  for (const glm::ivec2 corner : corners(size)) {
    for (int y = 0; y < size; ++y) add_line(drawing, corner.x, corner.y + y, size);
  }
  return drawing;
}

Drawing point_rows() { return point_squares(kWindow); }

Drawing point_squares(int size) {
  Drawing drawing{.kind = PrimitiveKind::points};
  for (const glm::ivec2 corner : corners(size)) {
    for (int y = 0; y < size; ++y) {
      for (int x = 0; x < size; ++x) add_point(drawing, corner.x + x, corner.y + y);
    }
  }
  return drawing;
}

Drawing spaced_points(int step) {
  Drawing drawing{.kind = PrimitiveKind::points};
  for (int y = 0; y < kWindow; y += step) {
    for (int x = 0; x < kWindow; x += step) add_point(drawing, x, y);
  }
  return drawing;
}

Drawing star_points(const Stars& stars, int kind) {
  Drawing drawing{.kind = PrimitiveKind::points, .stars = stars};
  for (int y = 0; y < kWindow; y += stars.every) {
    for (int x = 0; x < kWindow; x += stars.every) {
      if (stars.branch(x) == uint32_t(kind + 1)) add_point(drawing, x, y);
    }
  }
  return drawing;
}

Drawing points_at(const std::vector<glm::ivec2>& pixels, int count) {
  Drawing drawing{.kind = PrimitiveKind::points};
  for (int i = 0; i < count; ++i) {
    const glm::ivec2 pixel = pixels[size_t(i) % pixels.size()];
    add_point(drawing, pixel.x, pixel.y);
  }
  return drawing;
}

Drawing drawing_of(std::string_view kind, int edge) {
  if (kind == "triangle") return covering_triangle();
  if (kind == "quads") return quads(edge);
  if (kind == "strip") return strip(edge);
  if (kind == "lines") return lines(edge);
  if (kind == "stacks") return line_stacks(edge);
  return point_squares(edge);
}

void reorder(Drawing& drawing, FillOrder order) {
  if (order == FillOrder::raster) return;
  if (drawing.kind == PrimitiveKind::strip) throw std::invalid_argument("the triangles of a strip have one order");
  // Two triangles of a quad stay together because they start at the same corner.
  const size_t count = drawing.vertices_of_primitive() * (drawing.kind == PrimitiveKind::triangles ? 2 : 1);
  const std::vector<glm::vec2> from = drawing.vertices;
  std::vector<size_t> groups;
  for (size_t i = 0; i + count <= from.size(); i += count) groups.push_back(i);
  if (order == FillOrder::tiles) {
    std::stable_sort(groups.begin(), groups.end(), [&](size_t a, size_t b) { return is_before(from[a], from[b]); });
  } else {
    std::mt19937 random(1);
    for (size_t i = groups.size(); i > 1; --i) std::swap(groups[i - 1], groups[random() % i]);
  }
  for (size_t i = 0; i < groups.size(); ++i)
    std::copy_n(from.begin() + ptrdiff_t(groups[i]), count, drawing.vertices.begin() + ptrdiff_t(i * count));
}

void overlap(Drawing& drawing, int times) {
  const std::vector<glm::vec2> from = std::move(drawing.vertices);
  const size_t count = drawing.kind == PrimitiveKind::strip ? from.size() : drawing.vertices_of_primitive();
  drawing.vertices.clear();
  for (size_t i = 0; i + count <= from.size(); i += count) {
    for (int k = 0; k < times; ++k)
      drawing.vertices.insert(drawing.vertices.end(), from.begin() + ptrdiff_t(i), from.begin() + ptrdiff_t(i + count));
  }
}

void deal_out(Drawing& drawing, size_t calls) {
  const size_t all = drawing.primitives(), count = std::min(calls, all);
  drawing.batches.clear();
  for (size_t i = 0; count > 1 && i < count; ++i)
    drawing.batches.push_back(uint32_t(all * (i + 1) / count - all * i / count));
}

void check_drawing(const Drawing& drawing) {
  if (drawing.kind == PrimitiveKind::strip && !drawing.batches.empty())
    throw std::invalid_argument("a strip is drawn in one call");
  if (drawing.mask != Mask::none && drawing.stars.every <= 0)
    throw std::invalid_argument("a mask of stars needs stars");
  if (drawing.slow.size() > size_t(kMaxSlowPixels))
    throw std::invalid_argument(std::to_string(drawing.slow.size()) + " slow pixels: the limit is " +
                                std::to_string(kMaxSlowPixels));
  for (const SlowPixel& pixel : drawing.slow) {
    const std::string name = "slow pixel " + std::to_string(pixel.x) + "," + std::to_string(pixel.y);
    if (pixel.x < 0 || pixel.y < 0 || pixel.x >= drawing.width || pixel.y >= drawing.height)
      throw std::invalid_argument(name + " is outside the window of " + std::to_string(drawing.width) + "x" +
                                  std::to_string(drawing.height) + " pixels");
    if (pixel.branch < 1 || pixel.branch > uint32_t(kMaxBranch))
      throw std::invalid_argument(name + ": branch " + std::to_string(pixel.branch) + " is not one of 1 to " +
                                  std::to_string(kMaxBranch));
  }
}

}  // namespace brokkr::probe
