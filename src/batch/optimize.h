// Reorders the triangles of an index buffer so that a batch model shades few vertices [Kerbl18, Alg. 3].
//
// Batches are grown from an origin by the triangle of highest priority [Kerbl18, Eq. 6.1]
//   p = k_r R + k_v V + k_d D + k_n N
// R: corners that the batch would find in memory, V: remaining triangles around the corners, D: sum of the distances to
// the batch's triangles over shared edges, N: 1 next to completed batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "batch/batch_model.h"

namespace brokkr {

struct BatchWeights {
  int reuse = 1024, valence = -4, distance = -1, neighborhood = -1;  // [Kerbl18, Eq. 6.2]
  // Distances are followed over `radius` edges, 0 or more; a triangle farther away counts as radius + 1.
  int radius = 6;
};

// The weights of [Kerbl18, Eq. 6.2], and those without D, where k_v = k_n = -3.
inline constexpr BatchWeights kFullWeights{};
inline constexpr BatchWeights kFastWeights{1024, -3, 0, -3, 0};

// The order in which to take the triangles of `indices`, each once. The 16-bit rule of a model is left to
// `keep_pages_apart` (pages.h). Throws std::invalid_argument as predict_batches does, and for weights.valence > 0 or
// weights.neighborhood > 0 (costs are then no longer bounded from below) or a negative radius.
std::vector<uint32_t> batch_order(const BatchModel& model, std::span<const uint32_t> indices,
                                  const BatchWeights& weights = kFullWeights);

}  // namespace brokkr
