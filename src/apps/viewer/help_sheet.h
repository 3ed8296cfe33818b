// The sheet of keys and mouse gestures (viewer/keys.h) in the middle of the window.
#pragma once

namespace brokkr::viewer {

// Draws it where it is `open`; its cross closes it.
void draw_help_sheet(bool& open);

}  // namespace brokkr::viewer
