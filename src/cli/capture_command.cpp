// brokkr capture: frames out of a running OpenGL program.
#include "cli/capture_run.h"

namespace brokkr::app {
namespace {

int run_capture(const Arguments& arguments) {
  CaptureRequest request = capture_request(arguments);
  if (!request.frame && request.key.empty()) {
    throw UsageError("nothing says which frame: give --frame N, --every N or --key KEY");
  }
  return run_captured(request, arguments.all("PROGRAM"));
}

}  // namespace

std::vector<Option> capture_options() {
  return {
      file_option(
          "-o,--output", "FILE.bkf",
          "Frame file to write (frame.bkf); {} stands for the frame's number, which is added where there are several"),
      integer_option("--frame", "Frame to capture, counted from 0", 0, 1e12),
      integer_option("--every", "Capture further frames, N frames apart", 1, 1e12),
      integer_option("--count", "Stop after K frames (1; with --every or --key: 0, no limit)", 0, 1e9, "K"),
      text_option("--application", "TEXT", "Name of the application for the file"),
      text_option("--license", "TEXT", "Licence of the frame's content, for the file"),
      flag("--fast-forward",
           "Draw nothing to the window until 4 frames before the first one: software drivers get there sooner"),
      flag("--check-state", "Read the GL state before and after each recorded call and report differences"),
      real_option("--timeout", "SECONDS", "End the program after this many seconds (no limit)", 0.1, 1e6),
      file_option("--library", "FILE.so",
                  "Capture library (the one beside this program); 32-bit programs need one of their own"),
  };
}

CaptureRequest capture_request(const Arguments& arguments) {
  CaptureRequest request;
  request.output = arguments.text("output", "frame.bkf");
  request.every = arguments.integer("every", 0);
  request.key = arguments.text("key");
  request.application = arguments.text("application");
  request.license = arguments.text("license");
  request.library = arguments.text("library");
  request.fast_forward = arguments.has("fast-forward");
  request.check_state = arguments.has("check-state");
  request.keep_running = arguments.has("keep-running");
  request.patience = arguments.real("timeout", 0);
  if (arguments.has("frame")) {
    request.frame = arguments.integer("frame", 0);
  } else if (request.every > 0) {
    request.frame = request.every;
  }
  const bool unlimited = request.every > 0 || !request.key.empty();
  request.count = arguments.integer("count", unlimited ? 0 : 1);
  return request;
}

Command capture_command() {
  std::vector<Option> options = {
      needed(several(text_option("PROGRAM", "PROGRAM", "OpenGL program to run, after --, with its arguments")))};
  for (Option& option : capture_options()) {
    options.push_back(std::move(option));
    if (options.back().names == "--count") {
      options.push_back(text_option("--key", "KEY", "Capture when this key goes down: an X11 keysym, e.g. F10"));
      options.push_back(flag("--keep-running", "Leave the program running after the last frame"));
    }
  }
  return {"capture", "Run an OpenGL program and capture frames of it", options, run_capture};
}

}  // namespace brokkr::app
