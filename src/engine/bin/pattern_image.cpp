#include "bin/pattern_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "bin/pattern_families.h"

namespace brokkr {
namespace {

constexpr int kLineFrom = 6;  // pixels; separating lines would dominate smaller cells
constexpr uint32_t kLineColor = 0xff202020u;
constexpr int64_t kMaxPatternPixels = int64_t(1) << 28;

void require(const char* field, int value, int min, int max) {
  pattern_families::require_range("pattern image", field, value, min, max);
}

}  // namespace

// Twelve tones that people with any kind of colour blindness can tell apart (M. Krzywinski's palette of 12 colours,
// mk.bcgsc.ca/colorblind), ordered so that neighbours differ most. Further dozens are lighter and darker. The lowest
// three bits of the channels hold the dozen's number, so that no two colours are the same.
uint32_t rasterizer_color(int rasterizer) {
  require("rasterizer", rasterizer, 0, kMaxRasterizers - 1);
  static_assert(kMaxRasterizers <= 12 * 512);
  constexpr std::array<uint32_t, 12> kTones = {0x009f81, 0xffc33b, 0x8400cd, 0x00c2f9, 0xe20134, 0xffb2fd,
                                               0x008df9, 0xff6e3a, 0x9f0162, 0x00fccf, 0xff5aaf, 0xa40122};
  constexpr std::array<double, 7> kLighter = {0, 0.45, -0.4, 0.25, -0.2, 0.6, -0.55};  // towards white or black
  const uint32_t tone = kTones[size_t(rasterizer % 12)];
  const auto dozen = uint32_t(rasterizer / 12);
  const double part = kLighter[dozen % kLighter.size()];
  const auto channel = [&](int shift, uint32_t digit) {
    const double value = double(tone >> shift & 255);
    const double mixed = value + ((part > 0 ? 255 : 0) - value) * std::abs(part);
    return (uint32_t(std::lround(mixed)) & ~7u) | digit;
  };
  return 0xff000000u | channel(0, dozen >> 6) << 16 | channel(8, dozen >> 3 & 7) << 8 | channel(16, dozen & 7);
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

LoadStatistics load_statistics(std::vector<uint64_t> load) {
  LoadStatistics s;
  s.load = std::move(load);
  if (s.load.empty()) return s;
  for (const uint64_t l : s.load) s.total += l;
  const auto [min, max] = std::minmax_element(s.load.begin(), s.load.end());
  s.min_load = *min;
  s.max_load = *max;
  if (s.total == 0) return s;
  const double count = double(s.load.size());
  s.mean = double(s.total) / count;
  double squares = 0;  // sums the differences from the mean, because plain sums of squares would lose digits
  for (const uint64_t l : s.load) squares += (double(l) - s.mean) * (double(l) - s.mean);
  s.deviation = std::sqrt(squares / count);
  s.cv = s.deviation / s.mean;
  s.imbalance = double(s.max_load) / s.mean;
  return s;
}

LoadStatistics load_statistics(const Pattern& pattern, const std::vector<uint64_t>& bin_load, int bins_x, int bins_y) {
  if (bins_x < 0 || bins_y < 0 || bin_load.size() != size_t(bins_x) * size_t(bins_y)) {
    throw std::invalid_argument("load statistics: " + std::to_string(bin_load.size()) + " loads for " +
                                std::to_string(bins_x) + " x " + std::to_string(bins_y) +
                                " bins; give one load per bin");
  }
  std::vector<uint64_t> load(size_t(pattern.rasterizers), 0);
  size_t bin = 0;
  for (int y = 0; y < bins_y; ++y) {
    for (int x = 0; x < bins_x; ++x) load[size_t(pattern.at(x, y))] += bin_load[bin++];
  }
  return load_statistics(std::move(load));
}

}  // namespace brokkr
