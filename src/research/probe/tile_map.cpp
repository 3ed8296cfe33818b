#include "probe/tile_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>

namespace brokkr::probe {
namespace {

// The greatest common divisor of all positions at which `changes` holds; `size` if there is none.
template <class Changes>
int spacing(int size, Changes&& changes) {
  int step = 0;
  for (int i = 1; i < size; ++i) {
    if (changes(i)) step = std::gcd(step, i);
  }
  return step == 0 ? size : step;
}

// The smallest shift in 1 .. size / 2 that maps the map to itself, or 0.
template <class Same>
int period(int size, Same&& same) {
  for (int p = 1; p <= size / 2; ++p) {
    if (same(p)) return p;
  }
  return 0;
}

// Finds, for each line j, the shift by which it equals line 0. Returns false if some line has none. at(i, j) runs along
// lines of `length` with `owners` owners.
template <class At>
bool find_shifts(int lines, int length, int owners, At&& at, std::vector<int>& shifts) {
  if (length < owners) return false;
  std::vector<int> place(size_t(owners), -1);
  for (int i = 0; i < owners; ++i) {
    if (at(i, 0) < 0 || place[size_t(at(i, 0))] >= 0) return false;
    place[size_t(at(i, 0))] = i;
  }
  shifts.clear();
  for (int j = 0; j < lines; ++j) {
    if (at(0, j) < 0) return false;
    shifts.push_back(place[size_t(at(0, j))]);
    for (int i = 0; i < length; ++i) {
      if (at(i, j) < 0 || place[size_t(at(i, j))] != (i + shifts.back()) % owners) return false;
    }
  }
  return true;
}

// Returns true if the shifted pattern equals the map, except for the numbering of owners.
bool equals(const TileMap& map, const Pattern& pattern, int move_x, int move_y) {
  std::vector<int> there(size_t(map.owners), -1), here(size_t(pattern.rasterizers), -1);
  for (int j = 0; j < map.rows; ++j) {
    for (int i = 0; i < map.columns; ++i) {
      const int mine = map.at(i, j), other = pattern.at(i + move_x, j + move_y);
      if (mine < 0) continue;
      int &to = there[size_t(mine)], &back = here[size_t(other)];
      if (to < 0 && back < 0) {
        to = other;
        back = mine;
      } else if (to != other || back != mine) {
        return false;
      }
    }
  }
  return true;
}

void find_known(const TileMap& map, MapRule& rule) {
  if (!map.shared || map.owners > kMaxRasterizers) return;
  for (const auto& kind : Choices<PatternKind>::all) {
    const Pattern known = make_pattern(kind.value, map.owners, map.columns, map.rows);
    if (equals(map, known, 0, 0)) {
      rule.equal.emplace_back(kind.name);
      continue;
    }
    bool found = false;
    for (int y = 0; y < std::min(known.height, map.rows) && !found; ++y) {
      for (int x = 0; x < std::min(known.width, map.columns) && !found; ++x) found = equals(map, known, x, y);
    }
    if (found) rule.moved.emplace_back(kind.name);
  }
}

}  // namespace

void renumber(TileMap& map) {
  std::map<int32_t, int32_t> known;
  for (int32_t& owner : map.owner) {
    if (owner >= 0) owner = known.try_emplace(owner, int32_t(known.size())).first->second;
  }
  map.owners = int(known.size());
  const size_t whole = size_t(std::count_if(map.owner.begin(), map.owner.end(), [](int32_t o) { return o >= 0; }));
  map.shared = map.owners == 1 || known.size() < whole;
}

TileMap map_of_units(std::span<const int32_t> unit, int width, int height) {
  if (std::all_of(unit.begin(), unit.end(), [](int32_t u) { return u < 0; }))
    throw std::runtime_error("no pixel reports which processor drew it");
  const auto at = [&](int x, int y) { return unit[size_t(y) * size_t(width) + size_t(x)]; };
  const auto differ = [&](int a, int b) { return a >= 0 && b >= 0 && a != b; };
  TileMap map;
  map.tile_x = spacing(width, [&](int x) {
    for (int y = 0; y < height; ++y) {
      if (differ(at(x - 1, y), at(x, y))) return true;
    }
    return false;
  });
  map.tile_y = spacing(height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      if (differ(at(x, y - 1), at(x, y))) return true;
    }
    return false;
  });
  map.columns = width / map.tile_x;
  map.rows = height / map.tile_y;
  for (int j = 0; j < map.rows; ++j) {
    for (int i = 0; i < map.columns; ++i) {
      int32_t owner = -1;
      for (int y = j * map.tile_y; y < (j + 1) * map.tile_y && owner < 0; ++y) {
        for (int x = i * map.tile_x; x < (i + 1) * map.tile_x && owner < 0; ++x) owner = at(x, y);
      }
      map.owner.push_back(owner);
    }
  }
  renumber(map);
  return map;
}

MapRule rule_of(const TileMap& map) {
  MapRule rule;
  const auto same = [&](int dx, int dy) {
    for (int j = 0; j + dy < map.rows; ++j) {
      for (int i = 0; i + dx < map.columns; ++i) {
        if (map.at(i, j) != map.at(i + dx, j + dy)) return false;
      }
    }
    return true;
  };
  rule.period_x = period(map.columns, [&](int p) { return same(p, 0); });
  rule.period_y = period(map.rows, [&](int p) { return same(0, p); });
  const auto by_row = [&](int i, int j) { return map.at(i, j); };
  const auto by_column = [&](int i, int j) { return map.at(j, i); };
  rule.by_rows = map.shared && find_shifts(map.rows, map.columns, map.owners, by_row, rule.shifts);
  if (!rule.by_rows)
    rule.by_columns = map.shared && find_shifts(map.columns, map.rows, map.owners, by_column, rule.shifts);
  const int repeated = rule.by_rows ? rule.period_y : rule.period_x;
  if (!rule.by_rows && !rule.by_columns) rule.shifts.clear();
  if (repeated > 0 && size_t(repeated) < rule.shifts.size()) rule.shifts.resize(size_t(repeated));
  find_known(map, rule);
  return rule;
}

std::string formula(const TileMap& map, const MapRule& rule) {
  if (!map.shared) return "no owner: no two tiles wait for each other";
  if (map.owners == 1) return "owner(i, j) = 0";
  if (rule.by_rows)
    return fmt::format("owner(i, j) = (i + N(j)) mod {}, N = {{{}}}", map.owners, fmt::join(rule.shifts, ", "));
  if (rule.by_columns)
    return fmt::format("owner(i, j) = (j + N(i)) mod {}, N = {{{}}}", map.owners, fmt::join(rule.shifts, ", "));
  return fmt::format("a table of {} x {} tiles; neither rows nor columns are shifts of each other",
                     rule.period_x > 0 ? rule.period_x : map.columns, rule.period_y > 0 ? rule.period_y : map.rows);
}

Pattern pattern_of(const TileMap& map, const MapRule& rule) {
  Pattern pattern;
  pattern.rasterizers = map.owners;
  pattern.width = rule.period_x > 0 ? rule.period_x : map.columns;
  pattern.height = rule.period_y > 0 ? rule.period_y : map.rows;
  for (int j = 0; j < pattern.height; ++j) {
    for (int i = 0; i < pattern.width; ++i) pattern.owner.push_back(uint16_t(std::max(0, map.at(i, j))));
  }
  return pattern;
}

// Determines the map of tiles from pairs of pixels [Kerbl18, Appendix B].

namespace {

constexpr int kPoints = 192;          // number of points at the pixels of a pair, enough for many warps of any width
constexpr double kSameFrom = 0.75;    // fraction of the time at one pixel; on different processors the time is one half
constexpr int kMaxTilesByPairs = 32;  // per side
constexpr int kTurns = 3;    // number of films in which points must alternate; by chance, they do so in one film
constexpr int kRounds = 24;  // rounds of points at many pixels
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

  // The entries of `first` whose processor may be that of the pixel: they are written before the pixel if they precede
  // it, and after it if they follow it.
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

// The edge length of the tile at the window's corner, in the direction of `step`.
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

// Tests pairs of tiles again. Returns the fraction with a contradictory result.
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
  map.columns = std::min(kWindow / map.tile_x, kMaxTilesByPairs);
  map.rows = std::min(kWindow / map.tile_y, kMaxTilesByPairs);
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

namespace {

constexpr int kTileSizes[] = {16, 32, 8, 64, 4};

// Disjoint sets of units, represented by their cluster's first unit.
class UnitSets {
 public:
  int32_t first(int32_t unit) {
    int32_t& to = first_.try_emplace(unit, unit).first->second;
    return to == unit ? unit : to = first(to);
  }
  void join(int32_t a, int32_t b) { first_[first(a)] = first(b); }
  size_t units() const { return first_.size(); }
  size_t clusters() {
    return size_t(
        std::count_if(first_.begin(), first_.end(), [](const auto& each) { return each.first == each.second; }));
  }

 private:
  std::map<int32_t, int32_t> first_;
};

UnitSets sets_of(std::span<const int32_t> unit, int width, int height, int tile) {
  UnitSets sets;
  const int columns = (width + tile - 1) / tile;
  std::vector<int32_t> seen(size_t(columns) * size_t((height + tile - 1) / tile), -1);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int32_t here = unit[size_t(y) * size_t(width) + size_t(x)];
      if (here < 0) continue;
      int32_t& there = seen[size_t(y / tile) * size_t(columns) + size_t(x / tile)];
      if (there < 0) there = here;
      sets.join(here, there);
    }
  }
  return sets;
}

}  // namespace

std::vector<int32_t> clusters_of(std::span<const int32_t> unit, int width, int height) {
  std::vector<int32_t> plane(unit.begin(), unit.end());
  for (const int tile : kTileSizes) {
    UnitSets sets = sets_of(unit, width, height, tile);
    const size_t clusters = sets.clusters();
    if (clusters <= 1 || clusters == sets.units()) continue;
    for (int32_t& each : plane) each = each < 0 ? -1 : sets.first(each);
    break;
  }
  return plane;
}

}  // namespace brokkr::probe
