// Reads frame-time logs of Brokkr, of PresentMon and programs with its layout, and of MangoHud.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace brokkr {

struct FrameLog {
  std::string name;         // of the file, without its ending
  std::string application;  // first row's, empty where the layout has none
  std::vector<double> frame_ms;
  std::vector<double> time_s;                              // of each frame, from the log or summed up
  std::vector<double> geometry_ms, raster_ms, resolve_ms;  // empty, or one per frame
  // One sentence where the recording did not come to its end, with the number of frames that the file holds; empty for
  // a whole log.
  std::string cut_off;
};

// Columns are found by name: msBetweenPresents (or MsBetweenPresents, FrameTime) of PresentMon's layouts, frametime of
// MangoHud's, wherever the heading stands. Times below 1e-6 ms count as none. Lines with another number of fields, with
// a time that is no number or with one of more than 1e12 ms are an error, but for a last line without its end: its
// program was ended while it wrote, and the line is left out. The manifest beside the log, where there is one, tells
// whether the recording came to its end. Throws std::runtime_error naming file, line, field and remedy.
FrameLog read_frame_log(const std::filesystem::path& path);

}  // namespace brokkr
