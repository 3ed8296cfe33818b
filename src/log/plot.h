// Frame-time logs as a picture: time of every frame, and how the times are distributed beside it.
#pragma once

#include <span>
#include <string>

#include "log/log_reader.h"

namespace brokkr {

inline constexpr size_t kMostPlottedLogs = 6;  // more colours than that nobody tells apart

// An SVG of one to kMostPlottedLogs logs on common axes. One log alone shows its percentiles, and its stages' shares
// where it knows them. Frame times far above the others are cut off at the top, marked, and counted. `title` may be
// empty. Throws std::invalid_argument for another number of logs.
std::string plot_frame_times(std::span<const FrameLog> logs, const std::string& title);

}  // namespace brokkr
