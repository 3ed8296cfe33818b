// Randomised patterns [Kerbl17, 4.2].
#include <algorithm>
#include <cmath>
#include <limits>

#include "bin/pattern_families.h"

namespace brokkr::pattern_families {
namespace {

constexpr uint32_t kDarts = 50;  // candidates per bin [Kerbl17]

// Cost of the dart throwing is about 25 T^4 / N distances for a tile of T x T bins. T = N as in [Kerbl17] would cost
// hours for N = 4096, so T is the largest side with T^4 / N <= this budget: N itself up to N = 128, 256 bins for N =
// 4096 (16 bins of every rasterizer, 128 KiB).
constexpr double kTileBudget = 1 << 21;

int tile_side(int rasterizers) {
  if (double(rasterizers) * rasterizers * rasterizers <= kTileBudget) return rasterizers;
  const int limit = int(std::sqrt(std::sqrt(kTileBudget * rasterizers)));
  for (int side = limit; side > limit * 3 / 4; --side) {
    if (side * side % rasterizers == 0) return side;  // exactly equal shares, where a side nearby gives them
  }
  return limit;
}

// Bins of one rasterizer, on the torus that the repeating tile is.
struct Placed {
  std::vector<int> x, y;

  int squared_distance_to_nearest(int px, int py, int side) const {
    int nearest = std::numeric_limits<int>::max();
    for (size_t i = 0; i < x.size(); ++i) {
      const int ax = std::abs(px - x[i]), ay = std::abs(py - y[i]);
      const int dx = std::min(ax, side - ax), dy = std::min(ay, side - ay);
      nearest = std::min(nearest, dx * dx + dy * dy);
    }
    return nearest;
  }
};

}  // namespace

Pattern pseudo_random(int rasterizers, int bins_x, int bins_y, uint32_t seed) {
  std::mt19937 generator(seed);
  Pattern pattern{rasterizers, bins_x, bins_y, {}};
  pattern.owner.resize(size_t(bins_x) * size_t(bins_y));
  for (uint16_t& owner : pattern.owner) owner = uint16_t(draw_below(generator, uint32_t(rasterizers)));
  return pattern;
}

// The rasterizers take turns until the tile is full; each takes, of up to 50 vacant bins drawn at random, the one
// farthest from those it has. Distances wrap around, because the tile repeats.
Pattern hierarchical_maximized_distance(int rasterizers, uint32_t seed) {
  const int side = tile_side(rasterizers);
  const size_t bins = size_t(side) * size_t(side);
  Pattern pattern{rasterizers, side, side, {}};
  pattern.owner.resize(bins);

  std::mt19937 generator(seed);
  std::vector<Placed> placed(static_cast<size_t>(rasterizers));
  std::vector<uint32_t> vacant(bins);
  for (size_t i = 0; i < bins; ++i) vacant[i] = uint32_t(i);

  for (size_t turn = 0; turn < bins; ++turn) {
    const size_t rasterizer = turn % size_t(rasterizers);
    Placed& own = placed[rasterizer];
    const uint32_t count = uint32_t(vacant.size());
    size_t best = 0;
    int best_distance = -1;
    for (uint32_t dart = 0; dart < std::min(kDarts, count); ++dart) {
      const size_t candidate = count <= kDarts ? dart : draw_below(generator, count);
      const int x = int(vacant[candidate] % uint32_t(side)), y = int(vacant[candidate] / uint32_t(side));
      const int distance = own.squared_distance_to_nearest(x, y, side);
      if (distance <= best_distance) continue;
      best = candidate;
      best_distance = distance;
      if (own.x.empty()) break;  // no bin of its own yet: any first dart will do
    }
    const uint32_t bin = vacant[best];
    pattern.owner[bin] = uint16_t(rasterizer);
    own.x.push_back(int(bin % uint32_t(side)));
    own.y.push_back(int(bin / uint32_t(side)));
    vacant[best] = vacant.back();
    vacant.pop_back();
  }
  return pattern;
}

}  // namespace brokkr::pattern_families
