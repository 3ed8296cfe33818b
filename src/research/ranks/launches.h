// What several launches of one frame did, as if they were one.
#pragma once

#include "brokkr/statistics.h"

namespace brokkr::ranks {

// Adds a launch that began `begin_ms` after the first one: counts and times are summed, the largest of peaks and memory
// stays, and the traces lie one behind the other.
void add_launch(Statistics& sum, const Statistics& launch, double begin_ms);

}  // namespace brokkr::ranks
