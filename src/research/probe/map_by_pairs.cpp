// Determines the map of tiles from pairs of pixels [Kerbl18, Appendix B].
#include <algorithm>
#include <random>

#include "probe/tile_map.h"

namespace brokkr::probe {
namespace {

constexpr int kPoints = 192;           // at the pixels of a pair: many warps of any width
constexpr double kSameFrom = 0.75;     // fraction of the time at one pixel; on different processors it is one half
constexpr int kMostTilesByPairs = 32;  // per side
constexpr int kTurns = 3;              // films in which points must alternate; by chance they do so in one
constexpr int kRounds = 24;            // of points at many pixels
constexpr int kAskedAgain = 32;

class Pairs {
 public:
  Pairs(Subject& subject, PairTest test) : subject_(subject), test_(test) {}

  bool same(glm::ivec2 a, glm::ivec2 b) {
    if (a == b) return true;
    if (test_ == PairTest::time) return cost({a, b}) > kSameFrom * cost({a});
    for (int i = 0; i < kTurns; ++i) {
      const Film film = draw({a, b}, kPoints);
      if (film.order[film.at(a.x, a.y)] != kPoints - 2 || film.order[film.at(b.x, b.y)] != kPoints - 1) return false;
    }
    return true;
  }

  // The entries of `first` that may have the pixel's processor: they are written before the pixel if they precede it,
  // and after it if they follow it.
  std::vector<size_t> candidates(const std::vector<glm::ivec2>& first, glm::ivec2 pixel) {
    std::vector<size_t> all;
    for (size_t i = 0; i < first.size(); ++i) all.push_back(i);
    if (test_ == PairTest::time || first.size() < 2) return all;
    for (const bool last : {true, false}) {
      std::vector<glm::ivec2> pixels = first;
      pixels.insert(last ? pixels.end() : pixels.begin(), pixel);
      const Film film = draw(pixels, kRounds * int(pixels.size()));
      const uint32_t mine = film.order[film.at(pixel.x, pixel.y)];
      std::erase_if(all, [&](size_t i) { return (film.order[film.at(first[i].x, first[i].y)] < mine) != last; });
    }
    return all;
  }

 private:
  Drawing points(const std::vector<glm::ivec2>& pixels, int count) const {
    Drawing drawing = points_at(pixels, count);
    drawing.background = subject_.costs().slow / 10;
    return drawing;
  }
  double cost(const std::vector<glm::ivec2>& pixels) { return subject_.cost(points(pixels, kPoints)); }
  Film draw(const std::vector<glm::ivec2>& pixels, int count) {
    Drawing drawing = points(pixels, count);
    drawing.background /= 100;  // only the order matters
    return subject_.draw(drawing);
  }

  Subject& subject_;
  PairTest test_;
};

// The edge length of the tile at the window's corner along `step`.
int tile_edge(Pairs& pairs, glm::ivec2 step, int size) {
  int low = 0, high = 1;
  while (high < size && pairs.same({0, 0}, step * high)) {
    low = high;
    high *= 2;
  }
  if (high >= size) return size;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (pairs.same({0, 0}, step * middle) ? low : high) = middle;
  }
  return high;
}

glm::ivec2 middle_of(const TileMap& map, int i, int j) {
  return {i * map.tile_x + map.tile_x / 2, j * map.tile_y + map.tile_y / 2};
}

// Tests pairs of tiles again; returns the fraction that contradicts.
double contradicted(Pairs& pairs, const TileMap& map) {
  std::mt19937 random(1);
  int other = 0;
  const auto any = [&] { return glm::ivec2(random() % uint32_t(map.columns), random() % uint32_t(map.rows)); };
  for (int k = 0; k < kAskedAgain; ++k) {
    const glm::ivec2 a = any(), b = any();
    other += pairs.same(middle_of(map, a.x, a.y), middle_of(map, b.x, b.y)) != (map.at(a.x, a.y) == map.at(b.x, b.y));
  }
  return double(other) / kAskedAgain;
}

}  // namespace

TileMap map_by_pairs(Subject& subject, PairTest test, const std::function<void(double)>& shown) {
  Pairs pairs(subject, test);
  TileMap map;
  map.tile_x = tile_edge(pairs, {1, 0}, kWindow);
  map.tile_y = tile_edge(pairs, {0, 1}, kWindow);
  map.columns = std::min(kWindow / map.tile_x, kMostTilesByPairs);
  map.rows = std::min(kWindow / map.tile_y, kMostTilesByPairs);
  std::vector<glm::ivec2> first;  // a pixel in each owner's first tile
  for (int j = 0; j < map.rows; ++j) {
    for (int i = 0; i < map.columns; ++i) {
      shown(double(map.owner.size()) / (double(map.columns) * map.rows));
      const glm::ivec2 pixel = middle_of(map, i, j);
      const std::vector<size_t> maybe = pairs.candidates(first, pixel);
      const auto found =
          std::find_if(maybe.begin(), maybe.end(), [&](size_t k) { return pairs.same(first[k], pixel); });
      map.owner.push_back(int32_t(found == maybe.end() ? first.size() : *found));
      if (found == maybe.end()) first.push_back(pixel);
    }
  }
  renumber(map);
  map.contradicted = contradicted(pairs, map);
  return map;
}

}  // namespace brokkr::probe
