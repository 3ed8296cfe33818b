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

// In a row, as many as there is room for; where some are left out, three dots have them all as their tip.
void draw_status(const std::vector<StatusPart>& parts);

}  // namespace brokkr::viewer
