// Patterns that follow a space-filling curve over the bins [Kerbl17, 4.1]; (0, 0) is the lower left bin.
#include <algorithm>
#include <utility>

#include "bin/pattern_families.h"

namespace brokkr::pattern_families {
namespace {

// Bits of a 16-bit value moved to the even positions of a 32-bit one.
uint32_t spread_bits(uint32_t value) {
  value = (value | value << 8) & 0x00ff00ffu;
  value = (value | value << 4) & 0x0f0f0f0fu;
  value = (value | value << 2) & 0x33333333u;
  return (value | value << 1) & 0x55555555u;
}

// Distance of (x, y) along the Hilbert curve over a side x side square, side a power of two: at each level the quadrant
// adds its share of the curve, and the point is turned into the frame of that quadrant.
uint32_t hilbert_distance(uint32_t side, uint32_t x, uint32_t y) {
  uint32_t distance = 0;
  for (uint32_t half = side / 2; half > 0; half /= 2) {
    const uint32_t right = (x & half) != 0, top = (y & half) != 0;
    distance += half * half * ((3 * right) ^ top);
    x &= half - 1;
    y &= half - 1;
    if (!top) {
      if (right) {
        x = half - 1 - x;
        y = half - 1 - y;
      }
      std::swap(x, y);
    }
  }
  return distance;
}

template <typename Distance>
Pattern along_curve(int rasterizers, int bins_x, int bins_y, Distance distance) {
  Pattern pattern{rasterizers, bins_x, bins_y, {}};
  pattern.owner.reserve(size_t(bins_x) * size_t(bins_y));
  for (int y = 0; y < bins_y; ++y) {
    for (int x = 0; x < bins_x; ++x) {
      pattern.owner.push_back(uint16_t(distance(uint32_t(x), uint32_t(y)) % uint32_t(rasterizers)));
    }
  }
  return pattern;
}

}  // namespace

Pattern z_curve(int rasterizers, int bins_x, int bins_y) {
  return along_curve(rasterizers, bins_x, bins_y,
                     [](uint32_t x, uint32_t y) { return spread_bits(x) | spread_bits(y) << 1; });
}

// The curve is the one over the smallest power-of-two square that holds the bins.
Pattern hilbert(int rasterizers, int bins_x, int bins_y) {
  uint32_t side = 1;
  while (side < uint32_t(std::max(bins_x, bins_y))) side *= 2;
  return along_curve(rasterizers, bins_x, bins_y,
                     [side](uint32_t x, uint32_t y) { return hilbert_distance(side, x, y); });
}

}  // namespace brokkr::pattern_families
