// Searches by simulated annealing for patterns that balance the load of given frames better than those of [Kerbl17].
//
// Candidates are N x N tiles in which every row is a permutation of the rasterizers, as in Van der Corput's. The
// objective is c_v squared, averaged over the N horizontal placements of the tile over a frame (for rows that are
// rotated sequences all placements are equal). It can be computed from the correlations of the frame's rows of bins.
// Training uses these correlations averaged over all heights of the screen and mirror images: a pattern should learn
// how load is clustered, not where it was in one picture.
#pragma once

#include <functional>

#include "bin/pattern_image.h"
#include "lab/pattern_measures.h"

namespace brokkr::lab {

// Correlations of all pairs of rows of bins, at all horizontal distances. A tile has `side` rows; a map with fewer
// shows only the first `rows`.
struct RowKernel {
  int side = 0, rows = 0;
  std::vector<double> value;  // rows * rows * side: at (y0 * rows + y1) * side + distance
};

// `rows`: at most side.
RowKernel row_kernel(const BinLoads& bins, int side, int rows);

// Replaces every correlation of two rows by the mean over all pairs of rows at the same distance, among the `seen` rows
// with load, and over both directions. Correlations at a distance of d bins have the weight exp(-d^2 / (2 reach^2)),
// because a picture has few pairs of distant rows, whose correlations are random. `reach` 0: all weights are 1.
RowKernel general_kernel(const RowKernel& kernel, int seen, double reach);

// The mean of c_v squared over all horizontal placements of a side x side pattern over side rasterizers; its rows must
// be permutations.
double placement_cv2(const Pattern& pattern, const RowKernel& kernel);

// The mean of the kernels, each divided by its own c_v squared under `reference`, so that no frame outweighs another.
// All kernels must have the same side and number of rows.
RowKernel joined_kernel(const std::vector<const RowKernel*>& kernels, const Pattern& reference);

enum class SearchFamily : uint8_t {
  shifts,  // rows are 0 .. N-1 rotated, all different: N! candidates
  tile,    // rows are arbitrary permutations: N!^N candidates
};

struct SearchSettings {
  SearchFamily family = SearchFamily::tile;
  uint64_t moves = 1000000;
  uint32_t seed = 1;
};

// Anneals from `start`, a side x side pattern of the family whose rows are permutations. Returns the best pattern
// found, which on this kernel is never worse than `start`.
Pattern search_pattern(const RowKernel& kernel, const Pattern& start, const SearchSettings& settings);

}  // namespace brokkr::lab
