// Properties of frames that patterns should respect: clusters ([Kerbl17, 3.2], [Kerbl18, 7.3.2]) and orientation
// ([Kerbl17, 3.3], [Kerbl18, 7.3.3]).
#pragma once

#include "lab/pattern_map.h"

namespace brokkr::lab {

// Groups of four bins, one rasterizer each, drawn apart step by step.
struct SpacingStep {
  int distance = 0;      // slots that bins of a group were moved apart: 0, 2, 4, ...
  double sigma = 0;      // of the groups' loads, in fragments
  double reference = 0;  // sigma at distance 0
};
// Steps until a group would reach over more than half of the map's height. Bins move within the whole groups that the
// map has and wrap around; bins at the edges that form no whole group take no part. Empty where the map has no group.
std::vector<SpacingStep> spacing_steps(const FragmentMap& map, int bin);

// Deviation of the fragments on lines of `samples` pixels through the middle of every samples x samples window (of
// every `row_step`-th row), in units of the mean, normalised per pixel as in [Kerbl17]. `angle` in degrees from the
// vertical, as in [Kerbl17, Table 1]: 0 vertical, 90 horizontal. 0 where the map is smaller than the window.
double orientation_sigma(const FragmentMap& map, int samples, int angle, int row_step);

}  // namespace brokkr::lab
