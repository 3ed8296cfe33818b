// The line at the bottom of the window: what is shown, how long it took, and what drew it.
#pragma once

#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

// About a frame that is shown at `zoom` screen pixels per pixel. `frames_per_second`: 0 where frames do not keep
// coming; `way`: how the picture reaches the window (Presenter::description).
std::vector<StatusPart> status_parts(const Rendered& frame, double frames_per_second, float zoom,
                                     const std::string& way);

// In a row, as many as there is room for; where some are left out, three dots have them all as their tip. `reserved`:
// pixels at the right that others use.
void draw_status(const std::vector<StatusPart>& parts, float reserved = 0);

// The load of each rasterizer and its c_v, at the right end of the line. Returns the width that it takes; 0 where there
// is nothing to show or no room.
float draw_status_load(const Rendered& frame);

}  // namespace brokkr::viewer
