#include "cli/bench_log.h"

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "app/stop_signals.h"
#include "app/text.h"
#include "log/frame_statistics.h"
#include "log/machine_facts.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

void print_statistics(const Workload& workload, const FrameStatistics& s) {
  std::cout << format_table(
                   {"frame", "frames", "median ms", "p95 ms", "p99 ms", "p99.9 ms", "1 % low fps"},
                   {{printable(workload.name), std::to_string(s.frames), fixed(s.median_ms, 3), fixed(s.p95_ms, 3),
                     fixed(s.p99_ms, 3), fixed(s.p999_ms, 3), fixed(s.one_percent_low_fps, 2)}})
            << "1 % low = " << kOnePercentLowFormula << '\n';
}

}  // namespace

LogSession log_session(const std::string& path, LogFormat format, const std::string& camera) {
  const MachineFacts facts = machine_facts();
  LogSession session;
  session.log = path;
  session.format = format;
  session.camera = camera;
  session.begun = utc_now();
  session.source.gpu = facts.gpu;
  session.source.driver = facts.driver;
  return session;
}

RunningLog::RunningLog(LogSession session, Json scene, const RenderOptions& options)
    : session_(std::move(session)), scene_(std::move(scene)), options_(options) {
  if (!printed()) {
    file_.open(session_.log, std::ios::binary | std::ios::trunc);
    if (!file_) throw std::runtime_error(session_.log.string() + ": cannot be written; does its folder exist?");
    write_json(manifest_path(session_.log), begun_manifest_json(session_, scene_, options_));
  }
  writer_.emplace(out(), session_.format, session_.source);
}

std::ostream& RunningLog::out() { return printed() ? std::cout : file_; }

void RunningLog::add(RenderResult result, double frame_ms, double time_s, double between_ms) {
  FrameRecord record;
  record.time_s = time_s;
  record.between_presents_ms = record.between_display_change_ms = between_ms;
  record.until_render_start_ms = -(result.statistics.launch_ms + result.statistics.read_back_ms);
  record.frame_id = frame_ms_.size();
  record.policy = name_of(options_.policy);
  fill_record(result.statistics, frame_ms, record);
  writer_->add(record);
  if (!out()) throw std::runtime_error(session_.log.string() + ": could not be written; is the disk full?");
  frame_ms_.push_back(between_ms);
  session_.cut_off += result.aborted ? 1 : 0;
  last_ = std::move(result.statistics);
}

void RunningLog::finish(const MachineLoad& load, const std::string& ended_by) {
  session_.load = load;
  session_.ended_by = ended_by;
  if (!printed()) write_json(manifest_path(session_.log), manifest_json(session_, scene_, options_, last_, frame_ms_));
}

void check_log_name(const std::string& path) {
  // The manifest's name is derived from the log's name, and must differ from it.
  if (path != "-" && manifest_path(path) == std::filesystem::path(path))
    throw UsageError("--log: '" + path + "' is the manifest's name; end it in .csv");
}

int write_log(const Workload& workload, const BenchOptions& options, LogFormat format, const std::string& path) {
  check_log_name(path);
  std::optional<Progress> progress(std::in_place);
  progress->show("loading " + workload.name);
  const Frame frame = load_workload(workload.file, workload.load);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame, workload.load);
  RenderOptions render = options.render;
  render.shading = workload.brokkr_shading();
  LogSession session = log_session(path, format, workload.load.camera);
  session.asked = static_cast<uint64_t>(options.frames);
  RunningLog log(session, scene_json(workload.file, frame), render);

  const StopSignals signals;
  LoadWatch watch;
  watch.begin();
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  for (int i = 0; i < options.frames && !signals.stopped(); ++i) {
    if (i % 64 == 0) progress->show("frame " + std::to_string(i) + " of " + std::to_string(options.frames));
    const Clock::time_point begin = Clock::now();
    RenderResult result = renderer.render(prepared, render, false);
    const Clock::time_point present = Clock::now();
    log.add(std::move(result), milliseconds(present - begin), milliseconds(present - start) / 1000,
            milliseconds(present - before));
    before = present;
  }
  watch.end();
  progress.reset();
  log.finish(watch.load(), signals.name());
  if (path != "-") print_statistics(workload, frame_statistics(log.frame_ms()));
  if (signals.stopped()) {
    std::cerr << "brokkr: " << printable(path) << " holds " << log.frame_ms().size() << " of " << options.frames
              << " frames: ended by " << signals.name() << '\n';
  }
  return signals.exit_code();
}

}  // namespace brokkr::app
