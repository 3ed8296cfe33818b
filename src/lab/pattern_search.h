// A search for patterns that spread given frames better than those of the paper, by simulated annealing.
//
// Candidates are N x N tiles in which every row is a permutation of the rasterizers, as in Van der Corput's. What is
// minimised is c_v squared, averaged over the N horizontal placements of the tile over a frame (which for rows that are
// rotated sequences changes nothing). It follows from the correlations of the frame's rows of bins. Training sees these
// correlations averaged over all heights of the screen and mirror images: a pattern is to learn how load is clustered,
// not where it lay in one picture.
#pragma once

#include <functional>

#include "bin/load.h"
#include "lab/pattern_map.h"

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
// rows that have load, and over both directions. Correlations fade with distance, as exp(-d^2 / (2 reach^2)) for d
// bins: far ones are few in a picture, and chance. `reach` 0: none fades.
RowKernel general_kernel(const RowKernel& kernel, int seen, double reach);

// Mean of c_v squared over all horizontal placements of a side x side pattern over side rasterizers whose rows are
// permutations.
double placement_cv2(const Pattern& pattern, const RowKernel& kernel);

// Mean of the kernels, each in units of its own c_v squared under `reference`: no frame outweighs another. All of one
// side and number of rows.
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

// Anneals from `start` (side x side, rows permutations; of the family's form) and returns the best that was met, which
// is never worse on the kernel.
Pattern search_pattern(const RowKernel& kernel, const Pattern& start, const SearchSettings& settings);

}  // namespace brokkr::lab
