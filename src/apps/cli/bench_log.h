// `brokkr bench --log`: a line per frame, in the file as soon as the frame is drawn.
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

// The part of a session that all logs of this command share.
LogSession log_session(const std::string& path, LogFormat format, const std::string& camera);

// A log and its manifest while they grow.
class RunningLog {
 public:
  // Writes the heading, and a manifest that says that the log is not complete; `session.log` "-" is standard output,
  // and has no manifest. Replaces files of these names. Throws std::runtime_error.
  RunningLog(LogSession session, nlohmann::ordered_json scene, const RenderOptions& options);

  // A frame that the call of `render` drew in `frame_ms` and that was ready `time_s` after the recording began;
  // `between_ms` later than the one before. Throws std::runtime_error where the line cannot be written.
  void add(RenderResult result, double frame_ms, double time_s, double between_ms);

  // The manifest with its results. `ended_by`: LogSession's. Throws std::runtime_error.
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

// Throws UsageError where the manifest of the log `path` would be the log itself.
void check_log_name(const std::string& path);

// Draws `options.frames` frames of the workload without peers and logs them; prints their statistics. "Present" is the
// end of the call that renders, pictures are not read back. There is no warm-up: the first frames of the log show it.
// Returns the exit code. Throws std::runtime_error.
int write_log(const Workload& workload, const BenchOptions& options, LogFormat format, const std::string& path);

}  // namespace brokkr::app
