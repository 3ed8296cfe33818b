#include "probe/drawing.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

namespace brokkr::probe {
namespace {

// Lower left corners of the squares that fill the window.
std::vector<glm::ivec2> corners(int size, FillOrder order) {
  constexpr int kBlock = 16;
  std::vector<glm::ivec2> all;
  for (int y = 0; y < kWindow; y += size) {
    for (int x = 0; x < kWindow; x += size) all.push_back({x, y});
  }
  if (order == FillOrder::tiles) {
    const auto place = [](const glm::ivec2& p) {
      return std::pair{std::pair{p.y / kBlock, p.x / kBlock}, std::pair{p.y, p.x}};
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  } else if (order == FillOrder::shuffle) {
    std::mt19937 random(1);
    for (size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
  }
  return all;
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
  for (const glm::ivec2 corner : corners(size, order)) {
    const glm::vec2 a(float(corner.x + shift), float(corner.y)), right(float(size), 0), up(0, float(size));
    drawing.vertices.insert(drawing.vertices.end(), {a, a + right + up, a + up, a, a + right, a + right + up});
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
  for (const glm::ivec2 corner : corners(size, FillOrder::raster)) {
    for (int y = 0; y < size; ++y) add_line(drawing, corner.x, corner.y + y, size);
  }
  return drawing;
}

Drawing point_rows() { return point_squares(kWindow); }

Drawing point_squares(int size) {
  Drawing drawing{.kind = PrimitiveKind::points};
  for (const glm::ivec2 corner : corners(size, FillOrder::raster)) {
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

Drawing points_at(const std::vector<glm::ivec2>& pixels, int count) {
  Drawing drawing{.kind = PrimitiveKind::points};
  for (int i = 0; i < count; ++i) {
    const glm::ivec2 pixel = pixels[size_t(i) % pixels.size()];
    add_point(drawing, pixel.x, pixel.y);
  }
  return drawing;
}

void check_drawing(const Drawing& drawing) {
  if (drawing.slow.size() > size_t(kMaxSlowPixels))
    throw std::invalid_argument(std::to_string(drawing.slow.size()) + " slow pixels: there is room for " +
                                std::to_string(kMaxSlowPixels));
  for (const SlowPixel& pixel : drawing.slow) {
    const std::string name = "slow pixel " + std::to_string(pixel.x) + "," + std::to_string(pixel.y);
    if (pixel.x < 0 || pixel.y < 0 || pixel.x >= drawing.width || pixel.y >= drawing.height)
      throw std::invalid_argument(name + " is outside of the window of " + std::to_string(drawing.width) + "x" +
                                  std::to_string(drawing.height) + " pixels");
    if (pixel.branch < 1 || pixel.branch > uint32_t(kMaxBranch))
      throw std::invalid_argument(name + ": branch " + std::to_string(pixel.branch) + " is not one of 1 to " +
                                  std::to_string(kMaxBranch));
  }
}

}  // namespace brokkr::probe
