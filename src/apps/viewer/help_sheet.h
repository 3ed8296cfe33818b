// The sheet of keys and mouse gestures (viewer/keys.h) in the middle of the window.
#pragma once

#include <vector>

#include "viewer/keys.h"

namespace brokkr::viewer {

// Draws it where it is `open`; its cross closes it.
void draw_help_sheet(const std::vector<HelpGroup>& groups, bool& open);

}  // namespace brokkr::viewer
