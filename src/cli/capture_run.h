// Runs a program under the capture layer and waits for the frames asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"

namespace brokkr::app {

// The frames that a run captures. Frames count from 0: frame N is drawn between swap N and the next one.
struct CaptureRequest {
  std::string output;  // "{}": the frame's number
  std::optional<int64_t> frame;
  int64_t every = 0;  // distance of further frames
  int64_t count = 1;  // 0: no limit
  std::string key, application, license, library;
  bool fast_forward = false, check_state = false, keep_running = false;
  double patience = 0;  // seconds to wait for the last frame; 0: for ever
  bool kill = false;    // end the program at once, since it has nothing to save
};

// Options that capture and import share, and the request that they give.
std::vector<Option> capture_options();
CaptureRequest capture_request(const Arguments& arguments);

// The layer beside this program: in its build tree, or where `cmake --install` puts it. Throws where there is none.
std::filesystem::path find_capture_library(const std::string& given);

// The file of `program`, which is a path or a name to be looked up in PATH. Empty where there is no such program.
std::filesystem::path find_program(const std::string& program);

// Runs `command` (program first) until the frames are written, or it ends by itself; prints one line per frame. Returns
// the exit code.
int run_captured(const CaptureRequest& request, const std::vector<std::string>& command);

}  // namespace brokkr::app
