#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "bin/pattern_families.h"
#include "bin/row_shift.h"
#include "brokkr/pattern.h"

namespace brokkr::pattern_families {

// Patterns that follow a space-filling curve over the bins [Kerbl17, 4.1]; (0, 0) is the lower left bin.

namespace {

// Moves the bits of a 16-bit value to the even positions of a 32-bit value.
uint32_t spread_bits(uint32_t value) {
  value = (value | value << 8) & 0x00ff00ffu;
  value = (value | value << 4) & 0x0f0f0f0fu;
  value = (value | value << 2) & 0x33333333u;
  return (value | value << 1) & 0x55555555u;
}

// The distance of (x, y) along the Hilbert curve over a side x side square, where side is a power of two. At each
// level, the quadrant adds its share of the curve, and the point is turned into the frame of that quadrant.
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

// The curve covers the smallest power-of-two square that holds the bins.
Pattern hilbert(int rasterizers, int bins_x, int bins_y) {
  uint32_t side = 1;
  while (side < uint32_t(std::max(bins_x, bins_y))) side *= 2;
  return along_curve(rasterizers, bins_x, bins_y,
                     [side](uint32_t x, uint32_t y) { return hilbert_distance(side, x, y); });
}

// Patterns whose rows are the sequence 0..N-1, each rotated by a different shift: diagonal, the fixed shifts [Kerbl17,
// 4.3], the variable shifts [Kerbl17, 4.4] and the G80's map [FragSniffer, conclusions of E1].

namespace {

// Row y is 0..N-1, rotated so that its first bin belongs to rasterizer shifts[y].
Pattern from_row_shifts(int rasterizers, const std::vector<int>& shifts) {
  Pattern pattern{rasterizers, rasterizers, int(shifts.size()), {}};
  pattern.owner.resize(size_t(rasterizers) * shifts.size());
  auto bin = pattern.owner.begin();
  for (const int shift : shifts) {
    const auto middle = bin + (rasterizers - shift);
    std::iota(bin, middle, uint16_t(shift));
    bin += rasterizers;
    std::iota(middle, bin, uint16_t(0));
  }
  return pattern;
}

// k = floor(sqrt N): the number of rows until X-shift repeats, which keeps horizontal and vertical distances similar.
int rows_of_fixed_shift(int rasterizers) {
  int k = int(std::sqrt(double(rasterizers)));
  while (k * k > rasterizers) --k;
  while ((k + 1) * (k + 1) <= rasterizers) ++k;
  return k;
}

// The shift of row i is floor(i * step / k) mod N.
std::vector<int> fixed_shifts(int rasterizers, int step, int rows) {
  const int k = rows_of_fixed_shift(rasterizers);
  std::vector<int> shifts(static_cast<size_t>(rows));
  for (int i = 0; i < rows; ++i) shifts[size_t(i)] = int(int64_t(i) * step / k % rasterizers);
  return shifts;
}

}  // namespace

Pattern diagonal(int rasterizers) {
  std::vector<int> shifts(static_cast<size_t>(rasterizers));
  std::iota(shifts.begin(), shifts.end(), 0);
  return from_row_shifts(rasterizers, shifts);
}

Pattern x_shift(int rasterizers) {
  const int rows = rows_of_fixed_shift(rasterizers);
  return from_row_shifts(rasterizers, fixed_shifts(rasterizers, rasterizers, rows));
}

Pattern y_shift(int rasterizers) {
  const Pattern rows = x_shift(rasterizers);
  Pattern columns{rasterizers, rows.height, rows.width, {}};
  columns.owner.resize(rows.owner.size());
  for (int y = 0; y < columns.height; ++y) {
    for (int x = 0; x < columns.width; ++x) {
      columns.owner[size_t(y) * size_t(columns.width) + size_t(x)] = uint16_t(rows.at(y, x));
    }
  }
  return columns;
}

// [Kerbl17] promises that a column repeats no rasterizer before N rows. With its formula, this is true if k divides N
// or N + 1. For other N, a few shifts of the N rows coincide (N = 10: rows 1 and 9).
Pattern x_shift_offset(int rasterizers) {
  return from_row_shifts(rasterizers, fixed_shifts(rasterizers, rasterizers + 1, rasterizers));
}

Pattern sudoku(int rasterizers, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<int> shifts(static_cast<size_t>(rasterizers));
  std::iota(shifts.begin(), shifts.end(), 0);
  for (size_t i = shifts.size(); i > 1; --i) {  // Fisher-Yates
    std::swap(shifts[i - 1], shifts[draw_below(generator, uint32_t(i))]);
  }
  return from_row_shifts(rasterizers, shifts);
}

// Element i of the sequence times 2^ceil(log2 N) is i with its ceil(log2 N) bits reversed. Shifts that are no
// rasterizer are skipped, so that every shift 0..N-1 remains once.
Pattern van_der_corput(int rasterizers) {
  std::vector<int> shifts(static_cast<size_t>(rasterizers));
  VanDerCorputShift row(static_cast<uint32_t>(rasterizers));
  for (int& shift : shifts) {
    shift = int(row.shift());
    row.next();
  }
  return from_row_shifts(rasterizers, shifts);
}

// The measured shifts are 0 2 4 1 5 3: the even ones ascending, then the odd ones descending (cyclically) from near N/2
// - 2, which is half a period after the last even one. The same rule works for every N; N = 6 gives the measured map.
Pattern g80(int rasterizers) {
  const int evens = (rasterizers + 1) / 2, odds = rasterizers / 2;
  std::vector<int> shifts;
  shifts.reserve(size_t(rasterizers));
  for (int i = 0; i < evens; ++i) shifts.push_back(2 * i);
  for (int i = 0; i < odds; ++i) {
    const int start = rasterizers / 4 - 1 + odds;
    shifts.push_back(2 * ((start + odds - i) % odds) + 1);
  }
  return from_row_shifts(rasterizers, shifts);
}

// Randomised patterns [Kerbl17, 4.2].

namespace {

constexpr uint32_t kDarts = 50;  // candidates per bin [Kerbl17]

// Throwing darts costs about 25 T^4 / N distances for a tile of T x T bins. T = N as in [Kerbl17] would take hours for
// N = 4096. Therefore T is the largest side with T^4 / N <= this budget: N itself up to N = 128, and 256 bins for N =
// 4096 (16 bins of every rasterizer, 128 KiB).
constexpr double kTileBudget = 1 << 21;

int tile_side(int rasterizers) {
  if (double(rasterizers) * rasterizers * rasterizers <= kTileBudget) return rasterizers;
  const int limit = int(std::sqrt(std::sqrt(kTileBudget * rasterizers)));
  for (int side = limit; side > limit * 3 / 4; --side) {
    if (side * side % rasterizers == 0) return side;  // prefers exactly equal shares, if a side nearby has them
  }
  return limit;
}

// The bins of one rasterizer on the torus that the repeating tile forms.
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

// The rasterizers take turns until the tile is full. Each draws up to 50 vacant bins at random, and takes the one that
// is farthest from the bins it already has. Distances wrap around, because the tile repeats.
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
      if (own.x.empty()) break;  // it has no bin yet, so any first dart will do
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

namespace brokkr {

void pattern_families::require_range(const char* subject, const char* field, int value, int min, int max) {
  if (value >= min && value <= max) return;
  throw std::invalid_argument(std::string(subject) + ": " + field + " is " + std::to_string(value) +
                              "; use a value in " + std::to_string(min) + ".." + std::to_string(max));
}

const SavedPattern* saved_pattern(const PatternChoice& choice) {
  const auto* const saved = std::get_if<SavedPatternPointer>(&choice);
  return saved != nullptr ? saved->get() : nullptr;
}

Pattern make_pattern(const PatternChoice& choice, int rasterizers, int bins_x, int bins_y, uint32_t seed) {
  if (const SavedPattern* const saved = saved_pattern(choice)) return saved->pattern;
  namespace make = pattern_families;
  make::require_range("pattern", "rasterizers", rasterizers, 1, kMaxRasterizers);
  make::require_range("pattern", "bins_x", bins_x, 1, kMaxPatternBins);
  make::require_range("pattern", "bins_y", bins_y, 1, kMaxPatternBins);

  const PatternKind kind = std::get<PatternKind>(choice);
  switch (kind) {
    case PatternKind::diagonal: return make::diagonal(rasterizers);
    case PatternKind::z_curve: return make::z_curve(rasterizers, bins_x, bins_y);
    case PatternKind::hilbert: return make::hilbert(rasterizers, bins_x, bins_y);
    case PatternKind::pseudo_random: return make::pseudo_random(rasterizers, bins_x, bins_y, seed);
    case PatternKind::hierarchical_maximized_distance: return make::hierarchical_maximized_distance(rasterizers, seed);
    case PatternKind::x_shift: return make::x_shift(rasterizers);
    case PatternKind::y_shift: return make::y_shift(rasterizers);
    case PatternKind::x_shift_offset: return make::x_shift_offset(rasterizers);
    case PatternKind::sudoku: return make::sudoku(rasterizers, seed);
    case PatternKind::van_der_corput: return make::van_der_corput(rasterizers);
    case PatternKind::g80: return make::g80(rasterizers);
  }
  throw std::invalid_argument("pattern: kind " + std::to_string(int(kind)) + " does not exist");
}

std::string pattern_name(const PatternChoice& choice) {
  const SavedPattern* const saved = saved_pattern(choice);
  return saved != nullptr ? saved->name : name_of(std::get<PatternKind>(choice));
}

PatternChoice choose_pattern(std::string_view text) {
  std::string known;
  for (const auto& kind : Choices<PatternKind>::all) {
    if (text == kind.name) return kind.value;
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  if (text.find_first_of("./") != std::string_view::npos)
    return std::make_shared<const SavedPattern>(load_pattern(text));
  throw std::invalid_argument("'" + std::string(text) + "' is not one of " + known + ", nor a file");
}

}  // namespace brokkr
