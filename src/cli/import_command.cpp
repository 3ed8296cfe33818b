// brokkr import: frames out of an apitrace recording.
#include <filesystem>

#include "cli/capture_run.h"

namespace brokkr::app {
namespace {

int run_import(const Arguments& arguments) {
  CaptureRequest request = capture_request(arguments);
  const std::string trace = arguments.text("TRACE");
  std::error_code error;
  if (!std::filesystem::is_regular_file(trace, error)) {
    throw std::runtime_error(trace + ": there is no such file; name a recording that `apitrace trace` made");
  }
  if (!request.frame) throw UsageError("nothing says which frame: give --frame N or --every N");
  const std::string player = arguments.has("egl") ? "eglretrace" : "glretrace";
  if (find_program(player).empty()) {
    throw std::runtime_error(player + " was not found; install apitrace (Debian package: apitrace)");
  }
  if (request.application.empty()) request.application = std::filesystem::path(trace).filename().string();
  request.kill = true;
  // Benchmark mode does not report OpenGL errors of the recorded program.
  return run_captured(request, {player, "-b", trace});
}

}  // namespace

Command import_command() {
  std::vector<Option> options = {needed(file_option("TRACE", "TRACE", "Recording of apitrace")),
                                 flag("--egl", "The recorded program used EGL: replay with eglretrace")};
  for (Option& option : capture_options()) options.push_back(std::move(option));
  return {"import", "Capture frames of an apitrace recording while apitrace replays it", options, run_import};
}

}  // namespace brokkr::app
