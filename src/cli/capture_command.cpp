// brokkr capture: frames out of a running OpenGL program.
#include "cli/capture_run.h"
#include "cli/cli.h"

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
      {.names = "-o,--output",
       .kind = ValueKind::file,
       .value = "FILE.bkf",
       .help =
           "Frame file to write (frame.bkf); {} stands for the frame's number, which is added where there are several"},
      {.names = "--frame",
       .kind = ValueKind::integer,
       .value = "N",
       .help = "Frame to capture, counted from 0",
       .min = 0,
       .max = 1e12},
      {.names = "--every",
       .kind = ValueKind::integer,
       .value = "N",
       .help = "Capture further frames, N frames apart",
       .min = 1,
       .max = 1e12},
      {.names = "--count",
       .kind = ValueKind::integer,
       .value = "K",
       .help = "Stop after K frames (1; with --every or --key: 0, no limit)",
       .min = 0,
       .max = 1e9},
      {.names = "--application",
       .kind = ValueKind::text,
       .value = "TEXT",
       .help = "Name of the application for the file"},
      {.names = "--license",
       .kind = ValueKind::text,
       .value = "TEXT",
       .help = "Licence of the frame's content, for the file"},
      {.names = "--fast-forward",
       .help = "Draw nothing to the window until 4 frames before the first one: software drivers get there sooner"},
      {.names = "--check-state",
       .help = "Read the GL state before and after each recorded call and report differences"},
      {.names = "--timeout",
       .kind = ValueKind::real,
       .value = "SECONDS",
       .help = "End the program after this many seconds (no limit)",
       .min = 0.1,
       .max = 1e6},
      {.names = "--library",
       .kind = ValueKind::file,
       .value = "FILE.so",
       .help = "Capture library (the one beside this program); 32-bit programs need one of their own"},
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
  std::vector<Option> options = {{.names = "PROGRAM",
                                  .kind = ValueKind::text,
                                  .value = "PROGRAM",
                                  .help = "OpenGL program to run, after --, with its arguments",
                                  .repeat = true,
                                  .required = true}};
  for (Option& option : capture_options()) {
    options.push_back(std::move(option));
    if (options.back().names == "--count") {
      options.push_back({.names = "--key",
                         .kind = ValueKind::text,
                         .value = "KEY",
                         .help = "Capture when this key goes down: an X11 keysym, e.g. F10"});
      options.push_back({.names = "--keep-running", .help = "Leave the program running after the last frame"});
    }
  }
  return {"capture", "Run an OpenGL program and capture frames of it", options, run_capture};
}

}  // namespace brokkr::app
