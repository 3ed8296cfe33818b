// Phases of the commands that write planes without drawing: clears, blits, copies and loads.
#pragma once

#include <vector>

#include "plan/prepare.h"

namespace brokkr {

// The plane that holds a colour exactly: kExactPlane instead of 0 if the target has it.
uint32_t whole_plane(const Frame& frame, uint32_t target, uint32_t color_plane);

// The phases of a command in order, with their end not yet set; empty for other commands. `gates` counts the phases at
// which all rasterizers wait for each other.
std::vector<PhaseRecord> plane_phases(const PreparedFrame::Impl& prepared, const Command& command, bool programs,
                                      uint32_t& gates);

}  // namespace brokkr
