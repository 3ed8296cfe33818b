// The owners of the bins that a box covers, found in three ways to answer [Kerbl18, 8.3]: with a look-up in a table for
// each bin, as the pipeline does; with one look-up per row, because rows of many patterns count up by one; and without
// a table (bin/row_shift.h).
#pragma once

#include <cstdint>
#include <span>

#include "brokkr/pattern.h"
#include "lab/covered_walk.h"
#include "lab/experiment.h"

namespace brokkr::lab {

// These functions write the owner of each bin of the box to `out`, row by row from the lower left, and return the
// number of bins. `owner` holds the owners of all bins, bins_x per row. `n` is the number of rasterizers.
uint32_t covered_by_table(std::span<const uint32_t> owner, uint32_t bins_x, const BinBox& box, uint32_t* out);
uint32_t covered_by_row(std::span<const uint32_t> owner, uint32_t bins_x, uint32_t n, const BinBox& box, uint32_t* out);
uint32_t covered_by_offset(uint32_t n, const BinBox& box, uint32_t* out);  // X-shift-offset
uint32_t covered_by_van_der_corput(uint32_t n, const BinBox& box, uint32_t* out);

// Columns pattern,rasterizers,box,way,boxes,ns_per_box: processor time of random boxes of `box` x `box` bins over 120 x
// 68 bins (1080p at bins of 16).
Rows measure_covered_bins(bool quick, uint32_t seed);

}  // namespace brokkr::lab
