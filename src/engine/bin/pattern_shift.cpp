// Patterns whose rows are the sequence 0..N-1, each rotated by a shift of its own: diagonal, the fixed shifts [Kerbl17,
// 4.3], the variable shifts [Kerbl17, 4.4] and the G80's map [FragSniffer, conclusions of E1].
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bin/pattern_families.h"

namespace brokkr::pattern_families {
namespace {

// Row y is 0..N-1 rotated so that its first bin belongs to rasterizer shifts[y].
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

// k = floor(sqrt N): rows until X-shift repeats, which keeps horizontal and vertical distance alike.
int rows_of_fixed_shift(int rasterizers) {
  int k = int(std::sqrt(double(rasterizers)));
  while (k * k > rasterizers) --k;
  while ((k + 1) * (k + 1) <= rasterizers) ++k;
  return k;
}

// Shift floor(i * step / k) mod N of row i.
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

// [Kerbl17] promises that a column repeats no rasterizer before N rows. With its formula that holds where k divides N
// or N + 1; for other N a few shifts of the N rows coincide (N = 10: rows 1 and 9).
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

// Element i of the sequence times 2^ceil(log2 N) is i with its ceil(log2 N) bits reversed; shifts that are no
// rasterizer are skipped, which leaves every shift 0..N-1 once.
Pattern van_der_corput(int rasterizers) {
  int bits = 0;
  while ((1 << bits) < rasterizers) ++bits;
  std::vector<int> shifts;
  shifts.reserve(size_t(rasterizers));
  for (int i = 0; i < 1 << bits; ++i) {
    int reversed = 0;
    for (int bit = 0; bit < bits; ++bit) reversed |= (i >> bit & 1) << (bits - 1 - bit);
    if (reversed < rasterizers) shifts.push_back(reversed);
  }
  return from_row_shifts(rasterizers, shifts);
}

// The measured shifts are 0 2 4 1 5 3: the even ones ascending, then the odd ones descending (cyclically) from near N/2
// - 2, which is half a period on from the last even one. The same rule serves every N; N = 6 gives the measured map.
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

}  // namespace brokkr::pattern_families
