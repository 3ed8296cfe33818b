// `brokkr bench --log`: writes one line per frame as soon as the frame is drawn.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/workload.h"
#include "brokkr/renderer.h"
#include "cli/bench_measure.h"
#include "log/frame_log.h"
#include "log/manifest.h"

namespace brokkr::app {

// The part of a session that all logs of this command have in common.
LogSession log_session(const std::string& path, LogFormat format, const std::string& camera);

// A log and its manifest during a recording.
class RunningLog {
 public:
  // Writes the heading, and a manifest that marks the log as incomplete. If `session.log` is "-", the log goes to
  // standard output and has no manifest. Replaces existing files. Throws std::runtime_error.
  RunningLog(LogSession session, nlohmann::ordered_json scene, const RenderOptions& options);

  // Adds a frame that `render` drew in `frame_ms`. It was ready `time_s` after the recording began, and `between_ms`
  // after the previous frame. Throws std::runtime_error if the line cannot be written.
  void add(RenderResult result, double frame_ms, double time_s, double between_ms);

  // Writes the final manifest with the results. `ended_by`: see LogSession. Throws std::runtime_error.
  void finish(const MachineLoad& load, const std::string& ended_by);

  const std::vector<double>& frame_ms() const { return frame_ms_; }

 private:
  bool printed() const { return session_.log == "-"; }
  std::ostream& out();

  LogSession session_;
  nlohmann::ordered_json scene_;
  RenderOptions options_;
  std::ofstream file_;
  std::optional<FrameLogWriter> writer_;
  Statistics last_;
  std::vector<double> frame_ms_;
};

// Throws UsageError if the log `path` and its manifest would be the same file.
void check_log_name(const std::string& path);

// Draws `options.frames` frames of the workload without peers, logs them, and prints their statistics. "Present" is the
// end of the call that renders; pictures are not read back. There is no warm-up, so the log's first frames show it.
// Returns the exit code. Throws std::runtime_error.
int write_log(const Workload& workload, const BenchOptions& options, LogFormat format, const std::string& path);

}  // namespace brokkr::app
