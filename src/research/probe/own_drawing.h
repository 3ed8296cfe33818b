// `brokkr probe draw`: a drawing described on the command line.
#pragma once

#include <vector>

#include "app/command.h"
#include "probe/drawing.h"
#include "probe/subject.h"

namespace brokkr::probe {

std::vector<app::Option> drawing_options();

// Throws app::UsageError for contradictory options and slow pixels outside the window, and std::runtime_error that
// names file and line of a list.
Drawing own_drawing(const app::Arguments& arguments, const Costs& costs);

}  // namespace brokkr::probe
