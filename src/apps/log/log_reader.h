// Reads frame-time logs by Brokkr, MangoHud, PresentMon, and programs that use PresentMon's layout.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr {

struct FrameLog {
  std::string name;         // file name without extension
  std::string application;  // the application that presented the frames; empty if the layout has none
  std::string swap_chain;   // address of its window, as in the log; empty if the layout has none
  std::vector<double> frame_ms;
  std::vector<double> time_s;                              // per frame, from the log or accumulated
  std::vector<double> geometry_ms, raster_ms, resolve_ms;  // empty, or one per frame
  // One sentence with the number of frames in the file, if the recording was interrupted; empty for a complete log.
  std::string cut_off;
  // One sentence about rows that were left out; empty if none were.
  std::string left_out;
};

// Reads the curves of a file: one for each application, process and swap chain, in the order of their first rows. If
// `application` is not empty, reads only its curves; the name may be in any case, with or without ".exe".
//
// Columns are found by name in any case, wherever the heading stands: msBetweenPresents of PresentMon 1 and FrameView,
// FrameTime (CPUFrameTime, MsBetweenAppStart) and CPUStartTime of PresentMon 2, frametime of MangoHud, whose times are
// microseconds before its version 0.6.9. Fields end at commas, or at semicolons or tabs where the heading does, may
// stand in quotes, and have a decimal point or a decimal comma. Rows whose frame time is NA have no frame.
//
// Times below 1e-6 ms count as none. Lines that end before one of these columns, have too many fields, a time that is
// no number or with one of more than 1e12 ms are an error, but for a last line without its end: its program was ended
// while it wrote, and the line is left out. The manifest beside the log, where there is one, tells whether the
// recording came to its end. Throws std::runtime_error naming file, line, field and remedy.
std::vector<FrameLog> read_frame_logs(const std::filesystem::path& path, std::string_view application = {});

// Reads a file with one curve; throws if it has several.
FrameLog read_frame_log(const std::filesystem::path& path);

}  // namespace brokkr
