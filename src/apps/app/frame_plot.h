// Plots frame-time logs as SVG.
#pragma once

#include <span>
#include <string>

#include "log/log_reader.h"

namespace brokkr::app {

inline constexpr size_t kMaxPlottedLogs = 6;  // readers cannot tell more colours apart

// Plots the time of every frame on the left, the distribution of the times on the right, and a table of statistics
// below. A single log also shows its percentiles and, if it has them, the shares of its stages. Frames far above the
// others are cut off at the top, marked and counted. Equal logs give equal text. `logs`: 1 to kMaxPlottedLogs; `title`
// may be empty.
std::string frame_plot(const std::string& title, std::span<const FrameLog> logs);

}  // namespace brokkr::app
