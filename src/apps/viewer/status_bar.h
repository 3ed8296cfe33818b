// The line at the bottom of the window: what is shown, how long it took, and which machine drew it.
#pragma once

#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

// Describes a frame that is shown at `zoom` screen pixels per pixel. `frames_per_second`: 0 if frames are not
// continuous; `way`: how the picture reaches the window (Presenter::description).
std::vector<StatusPart> status_parts(const Rendered& frame, double frames_per_second, float zoom,
                                     const std::string& way);

// Draws as many parts as fit in a row. If some do not fit, three dots show all of them as a tooltip. `reserved`: pixels
// at the right that others use.
void draw_status(const std::vector<StatusPart>& parts, float reserved = 0);

// Draws the load of each rasterizer and its c_v at the right end of the line. Returns the width used; 0 if there is
// nothing to show or no space.
float draw_status_load(const Rendered& frame);

}  // namespace brokkr::viewer
