// The builders that make_pattern uses, by the families of [Kerbl17, 4]. They are internal to src/engine/bin: arguments
// have already been checked (rasterizers in 1..kMaxRasterizers, bins in 1..kMaxPatternBins).
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "brokkr/pattern.h"

namespace brokkr::pattern_families {

// Throws std::invalid_argument that names the `subject`, the field and the range.
void require_range(const char* subject, const char* field, int value, int min, int max);

// Space-filling curves [Kerbl17, 4.1]. They cover exactly bins_x x bins_y, because the curves do not repeat.
Pattern z_curve(int rasterizers, int bins_x, int bins_y);
Pattern hilbert(int rasterizers, int bins_x, int bins_y);

// Randomized patterns [Kerbl17, 4.2].
Pattern pseudo_random(int rasterizers, int bins_x, int bins_y, uint32_t seed);
Pattern hierarchical_maximized_distance(int rasterizers, uint32_t seed);

// Row (or column) shifts: diagonal, fixed [Kerbl17, 4.3], variable [Kerbl17, 4.4], and the G80's map.
Pattern diagonal(int rasterizers);
Pattern x_shift(int rasterizers);
Pattern y_shift(int rasterizers);
Pattern x_shift_offset(int rasterizers);
Pattern sudoku(int rasterizers, uint32_t seed);
Pattern van_der_corput(int rasterizers);
Pattern g80(int rasterizers);

// Draws a number in 0..count-1, uniformly, by rejection. std::uniform_int_distribution differs between standard
// libraries, but a pattern must be the same everywhere.
inline uint32_t draw_below(std::mt19937& generator, uint32_t count) {
  const uint64_t usable = (uint64_t(1) << 32) / count * count;
  for (;;) {
    const uint64_t value = generator();
    if (value < usable) return uint32_t(value % count);
  }
}

}  // namespace brokkr::pattern_families
