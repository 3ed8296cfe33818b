#include "lab/pattern_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace brokkr::lab {
namespace {

constexpr double kCoolest = 1e-4;  // the last temperature, relative to the first
// Initial temperatures, relative to a typical change. They are high enough to leave the start, but not to forget it. A
// tile starts from shifts that are already good.
constexpr double kShiftHeat = 0.2, kTileHeat = 0.02;
constexpr int kTrials = 500;  // moves that determine the first temperature

// The kernel with distances from -side to side - 1, which saves a modulo in the innermost loop.
class Lookup {
 public:
  explicit Lookup(const RowKernel& kernel) : side_(kernel.side), rows_(kernel.rows), value_(2 * kernel.value.size()) {
    const size_t side = size_t(side_);
    for (size_t pair = 0; pair < size_t(rows_) * size_t(rows_); ++pair) {
      double mean = 0;  // subtracted because a constant does not change the order, but would cost digits
      for (size_t d = 0; d < side; ++d) mean += kernel.value[pair * side + d] / double(side);
      for (size_t d = 0; d < 2 * side; ++d)
        value_[pair * 2 * side + d] = float(kernel.value[pair * side + d % side] - mean);
    }
  }
  int rows() const { return rows_; }
  // Element 0 is distance 0; -side .. side - 1 are valid.
  const float* pair(int y0, int y1) const {
    return value_.data() + (size_t(y0) * size_t(rows_) + size_t(y1)) * 2 * size_t(side_) + size_t(side_);
  }

 private:
  int side_, rows_;
  std::vector<float> value_;
};

double uniform(std::mt19937_64& generator) { return double(generator() >> 11) * 0x1p-53; }

// Simulated annealing by the Metropolis rule. Temperatures fall geometrically from `heat` times a typical change.
// Moves::draw(generator) chooses a move, change() is its energy difference, apply() executes it. `better` is called at
// every new optimum.
template <class Moves, class Better>
void anneal(Moves& moves, uint64_t count, double heat, std::mt19937_64& generator, const Better& better) {
  double squares = 0;
  for (int i = 0; i < kTrials; ++i) {
    moves.draw(generator);
    const double change = moves.change();
    squares += change * change / kTrials;
  }
  const double hottest = heat * std::sqrt(squares);
  if (!(hottest > 0)) return;
  double energy = 0, best = 0, temperature = hottest;
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 256 == 0) temperature = hottest * std::pow(kCoolest, double(i) / double(count));
    moves.draw(generator);
    const double change = moves.change();
    if (change > 0 && uniform(generator) >= std::exp(-change / temperature)) continue;
    moves.apply();
    energy += change;
    if (energy < best - 1e-9 * hottest) {
      best = energy;
      better();
    }
  }
}

// Swaps the shifts of two rows; the second may lie outside the rows that a map shows. All rasterizers have the same
// shape, so one represents all.
struct ShiftMoves {
  const Lookup& kernel;
  std::vector<int> shift;
  int a = 0, b = 0;

  void draw(std::mt19937_64& generator) {
    const uint64_t side = shift.size();
    a = int(generator() % uint64_t(kernel.rows()));
    b = int((uint64_t(a) + 1 + generator() % (side - 1)) % side);
  }
  double change() const {
    const int sa = shift[size_t(a)], sb = shift[size_t(b)], rows = kernel.rows();
    double sum = 0;
    for (int y = 0; y < rows; ++y) {
      if (y == a || y == b) continue;
      const int s = shift[size_t(y)];
      const float* from_a = kernel.pair(a, y);
      sum += double(from_a[s - sb] - from_a[s - sa]);
      if (b >= rows) continue;
      const float* from_b = kernel.pair(b, y);
      sum += double(from_b[s - sa] - from_b[s - sb]);
    }
    if (b >= rows) return sum;
    const float* between = kernel.pair(a, b);
    return sum + double(between[sa - sb] - between[sb - sa]);
  }
  void apply() { std::swap(shift[size_t(a)], shift[size_t(b)]); }
};

// Swaps two bins of a row.
struct TileMoves {
  const Lookup& kernel;
  int side;
  std::vector<int> owner;   // as Pattern::owner
  std::vector<int> column;  // column of rasterizer r in row y: at r * side + y
  int y = 0, x0 = 0, x1 = 0;

  void draw(std::mt19937_64& generator) {
    const uint64_t n = uint64_t(side);
    y = int(generator() % uint64_t(kernel.rows()));
    x0 = int(generator() % n);
    x1 = int((uint64_t(x0) + 1 + generator() % (n - 1)) % n);
  }
  int& at(int x) { return owner[size_t(y) * size_t(side) + size_t(x)]; }
  double change() {
    const int *a = column.data() + size_t(at(x0)) * size_t(side), *b = column.data() + size_t(at(x1)) * size_t(side);
    float sum = 0;
    for (int other = 0; other < kernel.rows(); ++other) {
      if (other == y) continue;
      const float* from = kernel.pair(y, other);
      sum += (from[x1 - a[other]] - from[x0 - a[other]]) + (from[x0 - b[other]] - from[x1 - b[other]]);
    }
    return double(sum);
  }
  void apply() {
    const int a = at(x0), b = at(x1);
    std::swap(at(x0), at(x1));
    column[size_t(a) * size_t(side) + size_t(y)] = x1;
    column[size_t(b) * size_t(side) + size_t(y)] = x0;
  }
};

std::vector<int> columns_of(const Pattern& pattern) {
  const int side = pattern.rasterizers;
  if (pattern.width != side || pattern.height != side)
    throw std::invalid_argument(
        fmt::format("pattern search: a pattern of {} x {} bins over {} rasterizers; it must be square, one bin of each "
                    "in every row",
                    pattern.width, pattern.height, side));
  std::vector<int> column(size_t(side) * size_t(side), -1);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      int& place = column[size_t(pattern.at(x, y)) * size_t(side) + size_t(y)];
      if (place >= 0)
        throw std::invalid_argument(fmt::format("pattern search: row {} has rasterizer {} twice", y, pattern.at(x, y)));
      place = x;
    }
  }
  return column;
}

}  // namespace

RowKernel row_kernel(const BinLoads& bins, int side, int rows) {
  const size_t n = size_t(side), all = size_t(rows);
  RowKernel kernel{side, rows, std::vector<double>(all * all * n, 0.0)};
  std::vector<double> folded(all * n, 0.0);
  double total = 0;
  for (int y = 0; y < bins.y; ++y) {
    if (y % side >= rows) continue;
    for (int x = 0; x < bins.x; ++x) {
      const double load = double(bins.load[size_t(y) * size_t(bins.x) + size_t(x)]);
      folded[size_t(y % side) * n + size_t(x % side)] += load;
      total += load;
    }
  }
  if (!(total > 0)) return kernel;
  const size_t wide = std::min(n, size_t(bins.x));
  // The mean over side placements, times side rasterizers over total^2, is c_v squared (+ 1).
  const double scale = 1 / (total * total);
  for (size_t y0 = 0; y0 < all; ++y0) {
    for (size_t y1 = 0; y1 <= y0; ++y1) {
      double* there = kernel.value.data() + (y0 * all + y1) * n;
      for (size_t x0 = 0; x0 < wide; ++x0) {
        const double load = folded[y0 * n + x0] * scale;
        if (load == 0) continue;
        const double* from = folded.data() + y1 * n;
        for (size_t x1 = 0; x1 <= x0; ++x1) there[x0 - x1] += load * from[x1];
        for (size_t x1 = x0 + 1; x1 < wide; ++x1) there[n + x0 - x1] += load * from[x1];
      }
      if (y0 == y1) continue;
      double* back = kernel.value.data() + (y1 * all + y0) * n;
      for (size_t d = 0; d < n; ++d) back[d] = there[(n - d) % n];
    }
  }
  return kernel;
}

RowKernel general_kernel(const RowKernel& kernel, int seen, double reach) {
  const size_t n = size_t(kernel.side), rows = size_t(kernel.rows), used = std::min(size_t(seen), rows);
  RowKernel general{kernel.side, kernel.rows, std::vector<double>(kernel.value.size(), 0.0)};
  const auto at = [&](size_t y0, size_t y1) { return (y0 * rows + y1) * n; };
  std::vector<double> mean(n);
  for (size_t apart = 0; apart < used; ++apart) {
    std::fill(mean.begin(), mean.end(), 0.0);
    double level = 0;
    for (size_t y = 0; y + apart < used; ++y) {
      const double* pair = kernel.value.data() + at(y + apart, y);
      for (size_t d = 0; d < n; ++d) {
        mean[d] += (pair[d] + pair[(n - d) % n]) / double(2 * (used - apart));
        level += pair[d] / double(n * (used - apart));
      }
    }
    if (reach > 0) {
      for (size_t d = 0; d < n; ++d) {
        const double x = double(std::min(d, n - d)), y = double(apart);
        mean[d] = level + (mean[d] - level) * std::exp(-(x * x + y * y) / (2 * reach * reach));
      }
    }
    for (size_t y = 0; y + apart < used; ++y) {
      std::copy(mean.begin(), mean.end(), general.value.begin() + std::ptrdiff_t(at(y + apart, y)));
      std::copy(mean.begin(), mean.end(), general.value.begin() + std::ptrdiff_t(at(y, y + apart)));
    }
  }
  return general;
}

double placement_cv2(const Pattern& pattern, const RowKernel& kernel) {
  const int side = kernel.side;
  const std::vector<int> column = columns_of(pattern);
  double sum = 0;
  for (int r = 0; r < side; ++r) {
    const int* x = column.data() + size_t(r) * size_t(side);
    for (int y0 = 0; y0 < kernel.rows; ++y0) {
      const double* pair = kernel.value.data() + size_t(y0) * size_t(kernel.rows) * size_t(side);
      for (int y1 = 0; y1 < kernel.rows; ++y1, pair += side) sum += pair[(x[y0] - x[y1] + side) % side];
    }
  }
  return sum - 1;
}

RowKernel joined_kernel(const std::vector<const RowKernel*>& kernels, const Pattern& reference) {
  RowKernel sum{kernels.front()->side, kernels.front()->rows, std::vector<double>(kernels.front()->value.size(), 0.0)};
  for (const RowKernel* kernel : kernels) {
    const double cv2 = placement_cv2(reference, *kernel);
    if (!(cv2 > 0)) continue;
    const double weight = 1 / (cv2 * double(kernels.size()));
    for (size_t i = 0; i < sum.value.size(); ++i) sum.value[i] += weight * kernel->value[i];
  }
  return sum;
}

Pattern search_pattern(const RowKernel& kernel, const Pattern& start, const SearchSettings& settings) {
  const std::vector<int> column = columns_of(start);
  Pattern best = start;
  const int side = start.rasterizers;
  if (side < 2) return best;
  const Lookup lookup(kernel);
  std::mt19937_64 generator(settings.seed);
  if (settings.family == SearchFamily::shifts) {
    // Row y holds rasterizer 0 shifted by shift[y]: entry x is x + shift[y].
    ShiftMoves moves{lookup, {}, 0, 0};
    for (int y = 0; y < side; ++y) moves.shift.push_back(start.at(0, y));
    std::vector<int> found = moves.shift;
    anneal(moves, settings.moves, kShiftHeat, generator, [&] { found = moves.shift; });
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x)
        best.owner[size_t(y) * size_t(side) + size_t(x)] = uint16_t((x + found[size_t(y)]) % side);
    }
    return best;
  }
  TileMoves moves{lookup, side, {start.owner.begin(), start.owner.end()}, column, 0, 0, 0};
  std::vector<int> found = moves.owner;
  anneal(moves, settings.moves, kTileHeat, generator, [&] { found = moves.owner; });
  best.owner.assign(found.begin(), found.end());
  return best;
}

}  // namespace brokkr::lab
