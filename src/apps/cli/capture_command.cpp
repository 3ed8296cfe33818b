// brokkr capture and brokkr import: frames out of a running OpenGL program, or out of an apitrace recording.
#include <csignal>
#include <filesystem>

#include "app/pipeline_options.h"
#include "cli/capture_run.h"
#include "cli/commands.h"
#include "cli/program_file.h"

namespace brokkr::app {
namespace {

void check_output(const Arguments& arguments) {
  const std::string path = arguments.text("output");
  if (path.find("{}") != path.rfind("{}")) throw UsageError("--output: '" + path + "' has {} twice; it may stand once");
}

int run_capture(const Arguments& arguments) {
  check_output(arguments);
  if (!first_frame(arguments) && !arguments.has("key"))
    throw UsageError("nothing says which frame: give --frame N, --every N or --key KEY");
  return run_captured(arguments, arguments.all("PROGRAM"), arguments.text("application"), SIGTERM);
}

int run_import(const Arguments& arguments) {
  check_output(arguments);
  const std::filesystem::path trace = arguments.text("TRACE");
  std::error_code error;
  if (!std::filesystem::is_regular_file(trace, error))
    throw std::runtime_error(trace.string() + ": there is no such file; name a recording that `apitrace trace` made");
  if (!first_frame(arguments)) throw UsageError("nothing says which frame: give --frame N or --every N");
  const std::string player = arguments.has("egl") ? "eglretrace" : "glretrace";
  if (find_program(player).empty())
    throw std::runtime_error(player + " was not found; install apitrace (Debian package: apitrace)");
  // Benchmark mode does not report OpenGL errors of the recorded program. The player has nothing to save at its end.
  return run_captured(arguments, {player, "-b", trace.string()},
                      arguments.text("application", trace.filename().string()), SIGKILL);
}

// Options that both share, after those of the command.
std::vector<Option> with_shared(std::vector<Option> own) {
  return joined(
      std::move(own),
      {
          output_option("-o,--output", "FILE.bkf",
                        "Frame file to write (frame.bkf); {} stands for the frame's number, which is added where there "
                        "are several"),
          integer_option("--frame", "Frame to capture, counted from 0", 0, 1e12),
          integer_option("--every", "Capture further frames, N frames apart", 1, 1e12),
          integer_option("--count", "Stop after K frames (1; with --every or --key: 0, no limit)", 0, 1e9, "K"),
          text_option("--application", "TEXT", "Name of the application for the file"),
          text_option("--license", "TEXT", "Licence of the frame's content, for the file"),
          flag("--no-programs", "Leave programs out, and what they read: positions, state and depth alone"),
          integer_option("--texture-limit", "Leave textures out beyond this many MiB in a file (1024)", 0, 65536,
                         "MIB"),
          flag("--fast-forward",
               "Draw nothing to the window until 4 frames before the first one: software drivers get there sooner"),
          flag("--check-state", "Read the GL state before and after each recorded call and report differences"),
          real_option("--timeout", "SECONDS", "End the program after this many seconds (no limit)", 0.1, 1e6),
          file_option("--library", "FILE.so",
                      "Capture library (the one beside this program); 32-bit programs need one of their own"),
      });
}

}  // namespace

Command capture_command() {
  return {
      "capture", "Run an OpenGL program and capture frames of it",
      with_shared(
          {needed(several(text_option("PROGRAM", "PROGRAM", "OpenGL program to run, after --, with its arguments"))),
           text_option("--key", "KEY", "Capture when this key goes down: an X11 keysym, e.g. F10"),
           flag("--keep-running", "Leave the program running after the last frame")}),
      run_capture};
}

Command import_command() {
  return {"import", "Capture frames of an apitrace recording while apitrace replays it",
          with_shared({needed(file_option("TRACE", "TRACE", "Recording of apitrace")),
                       flag("--egl", "The recorded program used EGL: replay with eglretrace")}),
          run_import};
}

}  // namespace brokkr::app
