// The walks over the bins of a box that lab/covered_bins.h compares, for CPUs and for CUDA
// (tools/research/covered-sass).
#pragma once

#include <cstdint>

#include "bin/row_shift.h"

namespace brokkr::lab {

struct BinBox {
  uint32_t x0, y0, x1, y1;  // bins, both ends included
};

// Writes one row's run of owners from `first` on. Returns the place after it.
constexpr uint32_t* write_run(uint32_t first, uint32_t count, uint32_t n, uint32_t* out) {
  for (uint32_t i = 0; i < count; ++i) {
    *out++ = first;
    first = first + 1 == n ? 0 : first + 1;
  }
  return out;
}

// `owner` has bins_x owners per row; all functions return the place after the last owner.
constexpr uint32_t* walk_table(const uint32_t* owner, uint32_t bins_x, const BinBox& box, uint32_t* out) {
  for (uint32_t y = box.y0; y <= box.y1; ++y) {
    for (uint32_t x = box.x0; x <= box.x1; ++x) *out++ = owner[uint64_t(y) * bins_x + x];
  }
  return out;
}

constexpr uint32_t* walk_rows(const uint32_t* owner, uint32_t bins_x, uint32_t n, const BinBox& box, uint32_t* out) {
  for (uint32_t y = box.y0; y <= box.y1; ++y)
    out = write_run(owner[uint64_t(y) * bins_x + box.x0], box.x1 - box.x0 + 1, n, out);
  return out;
}

// `row`: an OffsetShift or a VanDerCorputShift of n rasterizers.
template <class Shift>
constexpr uint32_t* walk_shifts(Shift row, uint32_t n, const BinBox& box, uint32_t* out) {
  const uint32_t wide = box.x1 - box.x0 + 1, left = box.x0 % n;
  row.start(box.y0);
  for (uint32_t y = box.y0; y <= box.y1; ++y, row.next()) {
    const uint32_t sum = left + row.shift();
    out = write_run(sum >= n ? sum - n : sum, wide, n, out);
  }
  return out;
}

}  // namespace brokkr::lab
