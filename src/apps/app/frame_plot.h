// Pictures of frame-time logs.
#pragma once

#include <span>
#include <string>

#include "app/drawing.h"
#include "log/log_reader.h"

namespace brokkr::app {

inline constexpr size_t kMaxPlottedLogs = 6;  // readers cannot tell more colours apart

// The time of every frame on the left, how the times are distributed on the right, and a table of statistics below. One
// log alone shows its percentiles, and the shares of its stages where it has them. Frames far above the others are cut
// off at the top, marked and counted. The same logs give the same drawing. `logs`: 1 to kMaxPlottedLogs; `title` may be
// empty.
Drawing frame_plot(const std::string& title, std::span<const FrameLog> logs);

}  // namespace brokkr::app
