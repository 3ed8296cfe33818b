#include "reyes/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace brokkr {
namespace {

int channel(uint32_t color, int c) { return int(color >> (8 * c) & 0xffu); }

void require_equal_sizes(const Layer& a, const Layer& b) {
  if (a.width == b.width && a.height == b.height && a.color.size() == b.color.size() && !a.color.empty()) return;
  throw std::invalid_argument("pictures of different sizes cannot be compared");
}

}  // namespace

std::vector<RingError> errors_by_distance(const Layer& full, const Layer& limited, const Point& fixation, int rings) {
  require_equal_sizes(full, limited);
  if (rings < 1) throw std::invalid_argument("errors by distance need a ring");
  const double x = double(fixation[0]), y = double(fixation[1]);
  const double step = std::hypot(std::max(x, full.width - x), std::max(y, full.height - y)) / rings;
  std::vector<RingError> errors(static_cast<size_t>(rings));
  for (int r = 0; r < rings; ++r) errors[size_t(r)] = {.from_px = r * step, .to_px = (r + 1) * step};
  for (size_t i = 0; i < full.color.size(); ++i) {
    const double dx = double(i % size_t(full.width)) + 0.5 - x, dy = double(i / size_t(full.width)) + 0.5 - y;
    RingError& ring = errors[std::min(size_t(rings) - 1, size_t(std::hypot(dx, dy) / step))];
    ++ring.pixels;
    const uint32_t a = full.color[i], b = limited.color[i];
    ring.other_percent += ((a ^ b) & 0xffffffu) != 0 ? 1 : 0;
    for (int c = 0; c < 3; ++c) {
      const double d = channel(a, c) - channel(b, c);
      ring.rmse += d * d;
    }
  }
  for (RingError& ring : errors) {
    if (ring.pixels == 0) continue;
    ring.rmse = std::sqrt(ring.rmse / (3.0 * double(ring.pixels)));
    ring.other_percent *= 100.0 / double(ring.pixels);
  }
  return errors;
}

std::vector<uint32_t> difference_picture(const Layer& a, const Layer& b, double gain) {
  require_equal_sizes(a, b);
  std::vector<uint32_t> pixels(a.color.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = 0xff000000u;
    for (int c = 0; c < 3; ++c) {
      const double d = gain * std::abs(channel(a.color[i], c) - channel(b.color[i], c));
      pixels[i] |= uint32_t(std::min(255.0, d)) << (8 * c);
    }
  }
  return pixels;
}

void draw_ring(std::vector<uint32_t>& pixels, int width, int height, const Point& at, uint32_t color) {
  const double radius = std::max(6.0, 0.03 * std::hypot(width, height)), half = std::max(1.0, radius / 16);
  const int reach = int(radius + half) + 1;
  for (int y = std::max(0, int(at[1]) - reach); y <= std::min(height - 1, int(at[1]) + reach); ++y) {
    for (int x = std::max(0, int(at[0]) - reach); x <= std::min(width - 1, int(at[0]) + reach); ++x) {
      const double distance = std::hypot(x + 0.5 - double(at[0]), y + 0.5 - double(at[1]));
      if (std::abs(distance - radius) <= half) pixels[size_t(y) * size_t(width) + size_t(x)] = color;
    }
  }
}

}  // namespace brokkr
