// A search for patterns that spread the load of given frames better than those of [Kerbl17], by simulated annealing.
//
// Candidates are N x N tiles in which every row is a permutation of the rasterizers, as in Van der Corput's. What is
// minimised is c_v squared, averaged over the N horizontal placements of the tile over a frame (which for rows that are
// rotated sequences changes nothing). It follows from the correlations of the frame's rows of bins. Training sees these
// correlations averaged over all heights of the screen and mirror images: a pattern is to learn how load is clustered,
// not where it lay in one picture.
#pragma once

#include <functional>

#include "bin/load.h"
#include "lab/pattern_measures.h"

namespace brokkr::lab {

// Correlation of every pair of rows of bins, at all horizontal distances. A tile has `side` rows, of which a map of
// fewer shows only the first `rows`.
struct RowKernel {
  int side = 0, rows = 0;
  std::vector<double> value;  // rows * rows * side: at (y0 * rows + y1) * side + distance
};

// `rows`: at most side.
RowKernel row_kernel(const BinLoads& bins, int side, int rows);

// The kernel with every correlation of two rows replaced by the mean over all pairs of rows as far apart, of the `seen`
// rows that have load, and over both directions. Correlations are weighted by exp(-d^2 / (2 reach^2)) for a distance of
// d bins, since a picture has few pairs of far rows, whose correlations are chance. `reach` 0: all weigh 1.
RowKernel general_kernel(const RowKernel& kernel, int seen, double reach);

// Mean of c_v squared over all horizontal placements of a side x side pattern over side rasterizers whose rows are
// permutations.
double placement_cv2(const Pattern& pattern, const RowKernel& kernel);

// Mean of the kernels, each in units of its own c_v squared under `reference`, so that no frame outweighs another. All
// kernels must have the same side and number of rows.
RowKernel joined_kernel(const std::vector<const RowKernel*>& kernels, const Pattern& reference);

enum class SearchFamily : uint8_t {
  shifts,  // rows are 0 .. N-1 rotated, no two alike: N! candidates
  tile,    // rows are any permutations: N!^N candidates
};

struct SearchSettings {
  SearchFamily family = SearchFamily::tile;
  uint64_t moves = 1000000;
  uint32_t seed = 1;
};

// Anneals from `start`, which is side x side, has permutations as rows and the family's form. Returns the best pattern
// that was met, which on this kernel is never worse than `start`.
Pattern search_pattern(const RowKernel& kernel, const Pattern& start, const SearchSettings& settings);

}  // namespace brokkr::lab
