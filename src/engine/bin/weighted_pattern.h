// Bin patterns for rasterizers, or ranks, of unequal strength, as GPUs whose clusters have unequal numbers of
// processors need them ([Kerbl18, B.1 - B.4]: 5 : 5 : 5 : 5 : 4 : 4).
#pragma once

#include <span>

#include "brokkr/pattern.h"

namespace brokkr {

// A pattern over weights.size() owners, in which owner i has weights[i] of every sum(weights) bins, as `units` shares
// them: `units` is a pattern over sum(weights) equal parts, of which owner i gets weights[i]. Parts are handed out so
// that each owner's are spread over all of them (its j-th is the next free one at (j + 1/2) sum / weight). A balanced
// pattern of units, a family's or a searched one, so gives balanced loads per weight. Throws std::invalid_argument
// unless all weights are 1 or more and their sum is the number of the units' rasterizers.
Pattern weighted_pattern(const Pattern& units, std::span<const int> weights);

// Which owner gets each of sum(weights) parts, as above.
std::vector<uint16_t> hand_out_parts(std::span<const int> weights);

}  // namespace brokkr
