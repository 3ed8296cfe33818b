#include "cli/bench_log.h"

#include <chrono>
#include <filesystem>
#include <sstream>
#include <utility>

#include "log/frame_statistics.h"
#include "log/machine_facts.h"
#include "log/manifest.h"

namespace brokkr::app {

using Json = nlohmann::ordered_json;

BenchLog frame_log(const Workload& workload, const BenchOptions& options, LogFormat format, const std::string& path,
                   Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  progress.show("loading " + workload.name);
  const Frame frame = load_workload(workload.file, workload.load);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions render = options.render;
  render.shading = workload.brokkr_shading();
  LogSession session;
  session.log = path;
  session.format = format;
  session.camera = workload.load.camera;
  session.begun = utc_now();
  const MachineFacts facts = machine_facts();
  session.source.gpu = facts.gpu;
  session.source.driver = facts.driver;
  Json scene = scene_json(workload.file, frame);

  BenchLog log;
  std::ostringstream csv;
  FrameLogWriter writer(csv, format, session.source);
  Statistics last;
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  for (int i = 0; i < options.frames; ++i) {
    if (i % 64 == 0) progress.show("frame " + std::to_string(i) + " of " + std::to_string(options.frames));
    const Clock::time_point begin = Clock::now();
    RenderResult result = renderer.render(prepared, render, false);
    const Clock::time_point present = Clock::now();
    FrameRecord record;
    record.time_s = ms(present - start) / 1000;
    record.between_presents_ms = record.between_display_change_ms = ms(present - before);
    record.until_render_start_ms = -(result.statistics.launch_ms + result.statistics.read_back_ms);
    record.frame_id = static_cast<uint64_t>(i);
    record.policy = name_of(render.policy);
    fill_record(result.statistics, ms(present - begin), record);
    writer.add(record);
    log.frame_ms.push_back(record.between_presents_ms);
    session.cut_off += result.aborted ? 1 : 0;
    last = std::move(result.statistics);
    before = present;
  }
  log.csv = csv.str();
  log.manifest = manifest_json(session, std::move(scene), render, last, log.frame_ms);
  return log;
}

std::string log_table(const std::string& name, const std::vector<double>& frame_ms) {
  const FrameStatistics s = frame_statistics(frame_ms);
  return format_table({"frame", "frames", "median ms", "p95 ms", "p99 ms", "p99.9 ms", "1 % low fps"},
                      {{printable(name), std::to_string(s.frames), fixed(s.median_ms, 3), fixed(s.p95_ms, 3),
                        fixed(s.p99_ms, 3), fixed(s.p999_ms, 3), fixed(s.one_percent_low_fps, 2)}}) +
         "1 % low = " + kOnePercentLowFormula + "\n";
}

}  // namespace brokkr::app
