// Phases of the commands that write planes without drawing: clears, blits, copies and loads.
#pragma once

#include <vector>

#include "plan/prepare.h"

namespace brokkr {

// The plane of a target in which all of a colour is: kExactPlane in the place of 0 where the target has it.
uint32_t whole_plane(const Frame& frame, uint32_t target, uint32_t color_plane);

// The phases of a command, in their order, with no end yet; none of other commands. `gates` counts those that all
// rasterizers meet at.
std::vector<PhaseRecord> plane_phases(const PreparedFrame::Impl& prepared, const Command& command, bool programs,
                                      uint32_t& gates);

}  // namespace brokkr
