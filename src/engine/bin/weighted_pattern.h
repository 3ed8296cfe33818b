// Bin patterns for rasterizers or ranks of unequal strength. GPUs whose clusters have unequal numbers of processors
// need them ([Kerbl18, B.1 - B.4]: 5 : 5 : 5 : 5 : 4 : 4).
#pragma once

#include <span>

#include "brokkr/pattern.h"

namespace brokkr {

// A pattern over weights.size() owners. `units` is a pattern over sum(weights) equal parts, and owner i gets weights[i]
// of them. The parts of an owner are spread over all parts: its j-th part is the next free one at (j + 1/2) sum /
// weight. If the pattern of the units is balanced, each owner's load is proportional to its weight. Throws
// std::invalid_argument unless all weights are 1 or more and their sum is the number of the units' rasterizers.
Pattern weighted_pattern(const Pattern& units, std::span<const int> weights);

// The owner of each of the sum(weights) parts, as above.
std::vector<uint16_t> hand_out_parts(std::span<const int> weights);

}  // namespace brokkr
