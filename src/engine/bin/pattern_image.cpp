#include "bin/pattern_image.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bin/pattern_families.h"

namespace brokkr {
namespace {

constexpr int kLineFrom = 6;  // pixels: smaller cells would drown in their separating lines
constexpr uint32_t kLineColor = 0xff202020u;
constexpr int64_t kMaxPatternPixels = int64_t(1) << 28;

double fraction(double value) { return value - std::floor(value); }

uint32_t from_hsv(double hue, double saturation, double value) {
  const auto channel = [&](double n) {
    const double k = std::fmod(n + hue * 6, 6.0);
    const double v = value - value * saturation * std::clamp(std::min(k, 4 - k), 0.0, 1.0);
    return uint32_t(std::lround(v * 255));
  };
  return 0xff000000u | channel(1) << 16 | channel(3) << 8 | channel(5);
}

void require(const char* field, int value, int least, int most) {
  pattern_families::require_range("pattern image", field, value, least, most);
}

}  // namespace

// The additive recurrence of the plastic constant's three-dimensional relative (x^4 = x + 1) spreads hue, saturation
// and value evenly, whatever the number of rasterizers.
uint32_t rasterizer_color(int rasterizer) {
  require("rasterizer", rasterizer, 0, kMaxRasterizers - 1);
  constexpr double kRoot = 1.2207440846057596;
  const double i = rasterizer;
  const double hue = fraction(i / kRoot);
  const double saturation = 0.45 + 0.5 * fraction(0.9 + i / (kRoot * kRoot));
  const double value = 0.55 + 0.45 * fraction(0.8 + i / (kRoot * kRoot * kRoot));
  return from_hsv(hue, saturation, value);
}

PatternImage draw_pattern(const Pattern& pattern, const PatternImageOptions& options) {
  const int bins_x = options.bins_x == 0 ? pattern.width : options.bins_x;
  const int bins_y = options.bins_y == 0 ? pattern.height : options.bins_y;
  require("bins_x", bins_x, 1, kMaxPatternBins);
  require("bins_y", bins_y, 1, kMaxPatternBins);
  require("cell", options.cell, 1, 256);
  if (int64_t(bins_x) * options.cell * bins_y * options.cell > kMaxPatternPixels) {
    throw std::invalid_argument("pattern image: " + std::to_string(bins_x) + " x " + std::to_string(bins_y) +
                                " bins of cell " + std::to_string(options.cell) +
                                " exceed 2^28 pixels; use a smaller cell");
  }

  std::vector<uint32_t> colors(size_t(pattern.rasterizers));
  for (int r = 0; r < pattern.rasterizers; ++r) {
    colors[size_t(r)] = rasterizer_color(r);
    if (options.highlight && r > 0) {
      const uint32_t grey = 150 + (colors[size_t(r)] >> 8 & 0xff) / 4;
      colors[size_t(r)] = 0xff000000u | grey * 0x010101u;
    }
  }

  PatternImage image{bins_x * options.cell, bins_y * options.cell, {}};
  image.pixels.reserve(size_t(image.width) * size_t(image.height));
  const bool lines = options.cell >= kLineFrom;
  for (int y = 0; y < image.height; ++y) {
    const bool line_row = lines && y % options.cell == options.cell - 1;
    for (int x = 0; x < image.width; ++x) {
      const bool line = line_row || (lines && x % options.cell == options.cell - 1);
      const int owner = pattern.at(x / options.cell, y / options.cell);
      image.pixels.push_back(line ? kLineColor : colors[size_t(owner)]);
    }
  }
  return image;
}

}  // namespace brokkr
