// brokkr bench: milliseconds per frame, beside other renderers.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "app/input.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "app/tool.h"
#include "cli/bench_compare.h"
#include "cli/bench_curves.h"
#include "cli/bench_measure.h"
#include "cli/bench_report.h"
#include "cli/commands.h"
#include "log/frame_log.h"
#include "log/frame_statistics.h"
#include "log/json_text.h"
#include "log/machine_facts.h"
#include "log/manifest.h"
#include "scene/file_io.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

void write_out(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
  } else {
    write_text(path, text);
  }
}

std::vector<std::string> or_default(const std::vector<std::string>& given, const char* fallback) {
  return given.empty() ? std::vector<std::string>{fallback} : given;
}

// The folder of --captures, or of the environment's BROKKR_CAPTURES without that option.
std::string captures_folder(const Arguments& arguments) {
  const char* variable = std::getenv("BROKKR_CAPTURES");
  return arguments.text("captures", variable == nullptr ? "" : variable);
}

std::vector<Workload> workloads(const Arguments& arguments) {
  std::vector<Workload> all;
  const auto given = parse_shadings(arguments.all("shading"));
  if (arguments.has("suite")) {
    const auto shadings =
        given.empty() ? std::vector{BenchShading::flat, BenchShading::phong, BenchShading::textured} : given;
    all = suite_workloads(captures_folder(arguments), shadings);
  }
  const LoadOptions load = load_options(arguments);
  for (const std::string& file : arguments.all("FILE")) {
    for (const BenchShading shading : given.empty() ? std::vector{BenchShading::flat} : given)
      all.push_back(make_workload(file, shading, load));
  }
  return all;
}

// Prints one line that names the failures, after all other output.
int outcome(const std::vector<BenchRow>& rows) {
  size_t failed = 0;
  const BenchRow* first = nullptr;
  for (const BenchRow& row : rows) {
    if (row.error.empty()) continue;
    if (failed++ == 0) first = &row;
  }
  if (failed == 0) return kSuccess;
  const std::string more = failed == 1 ? "" : fmt::format(" (and {} more, see \"error\" in the JSON)", failed - 1);
  throw std::runtime_error(
      fmt::format("{} {}: {}{}", first->workload.name, shading_name(first->workload.shading), first->error, more));
}

int compare_results(const Arguments& arguments) {
  const auto& files = arguments.all("FILE");
  if (files.size() != 2) throw UsageError("--compare: name two results, BEFORE.json and AFTER.json");
  const bool logs = is_log_manifest(files[0]) && is_log_manifest(files[1]);
  const Json difference = logs ? log_difference(files[0], files[1]) : bench_difference(files[0], files[1]);
  if (arguments.has("json")) write_out(arguments.text("json"), json_text(difference));
  if (arguments.text("json") != "-")
    std::cout << (logs ? log_difference_table(difference) : difference_table(difference));
  return kSuccess;
}

struct BenchLog {
  std::string csv;
  Json manifest;
  std::vector<double> frame_ms;
};

// Draws `options.frames` frames and logs each as log/frame_log.h has it; "present" is the end of the call that renders,
// pictures are not read back. There is no warm-up: the first frames of the log show it. `path` names the CSV in the
// manifest.
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
  const MachineFacts facts = machine_facts();
  LogSession session;
  session.log = path;
  session.format = format;
  session.camera = workload.load.camera;
  session.begun = utc_now();
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

int write_log(const Arguments& arguments, const BenchOptions& options) {
  const std::vector<Workload> all = workloads(arguments);
  if (all.size() != 1) throw UsageError("--log: takes one --shading");
  const std::string path = arguments.text("log");
  // The manifest is named after the log: it must not be the same file.
  if (path != "-" && manifest_path(path) == std::filesystem::path(path))
    throw UsageError("--log: '" + path + "' is the manifest's name; end it in .csv");
  BenchLog log;
  {
    Progress progress;
    log = frame_log(all.front(), options, *log_format(arguments.text("log-format", "presentmon")), path, progress);
  }
  write_out(path, log.csv);
  if (path == "-") return kSuccess;
  write_json(manifest_path(path), log.manifest);
  const FrameStatistics s = frame_statistics(log.frame_ms);
  std::cout << format_table(
                   {"frame", "frames", "median ms", "p95 ms", "p99 ms", "p99.9 ms", "1 % low fps"},
                   {{printable(all.front().name), std::to_string(s.frames), fixed(s.median_ms, 3), fixed(s.p95_ms, 3),
                     fixed(s.p99_ms, 3), fixed(s.p999_ms, 3), fixed(s.one_percent_low_fps, 2)}})
            << "1 % low = " << kOnePercentLowFormula << '\n';
  return kSuccess;
}

void check_combination(const Arguments& arguments) {
  const bool curves = arguments.has("curves") || arguments.has("curve");
  if (arguments.all("FILE").empty() && !arguments.has("suite") && !curves)
    throw UsageError("FILE is missing; or use --suite or --curves");
  if (curves && (arguments.has("suite") || arguments.has("FILE")))
    throw UsageError("--curves has workloads of its own; leave out FILE and --suite");
  if (arguments.has("log") && (arguments.has("suite") || curves || arguments.all("FILE").size() != 1))
    throw UsageError("--log: takes one FILE");
  if (arguments.has("log-format") && !arguments.has("log")) throw UsageError("--log-format: needs --log FILE.csv");
  if (arguments.has("camera") && !arguments.has("log") && arguments.text("against", "llvmpipe") != "none")
    throw UsageError("--camera: the peers have none; use --against none");
  if (arguments.text("json") == "-" && arguments.text("csv") == "-")
    throw UsageError("--csv: standard output is taken by --json");
}

int run_bench(const Arguments& arguments) {
  if (arguments.has("compare")) return compare_results(arguments);
  check_combination(arguments);
  BenchOptions options;
  options.render = render_options(arguments.without("shading"));  // each workload has its own
  options.frames = static_cast<int>(arguments.integer("frames", options.frames));
  options.rounds = static_cast<int>(arguments.integer("rounds", options.rounds));
  options.turn_ms = arguments.real("turn", options.turn_ms);
  if (arguments.has("log")) return write_log(arguments, options);
  const std::vector<PeerSetup> setups = peer_setups(or_default(arguments.all("against"), "llvmpipe"));
  // before anything is measured: a wrong name should not cost the measurements
  const std::vector<Workload> all = workloads(arguments);
  const std::filesystem::path program = setups.empty() ? "" : find_peer_program(arguments.text("gl-bench"));
  const TemporaryFolder folder;

  const bool curves = arguments.has("curves") || arguments.has("curve");
  Json document = {{"kind", "brokkr bench"}, {"format", kBenchFormat}};
  std::vector<BenchRow> rows;
  {
    Progress progress;
    progress.show("starting");
    if (curves) {
      const CurveRun run = run_curves(arguments.all("curve"), options, setups, program, folder.path(), progress);
      document["environment"] = run.environment;
      rows = run.rows;
    } else {
      Bench bench(options, setups, program, folder.path());
      document["environment"] = bench_environment(bench);
      for (const Workload& workload : all) rows.push_back(bench.measure(workload, progress));
    }
  }
  document["environment"]["load_after"] = load_average();
  document["results"] = Json::array();
  for (const BenchRow& row : rows) document["results"].push_back(row_json(row));
  if (!curves) document["geomeans"] = geomeans_json(rows);
  if (arguments.has("json")) write_out(arguments.text("json"), json_text(document));
  if (arguments.has("csv")) write_out(arguments.text("csv"), rows_csv(rows));
  if (arguments.text("json") != "-" && arguments.text("csv") != "-") std::cout << rows_table(rows) << std::flush;
  return outcome(rows);
}

// The options of input and pipeline without --shading, for which this command takes several values.
std::vector<Option> shared_options() {
  std::vector<Option> all = joined(input_options(), pipeline_options());
  std::erase_if(all, [](const Option& option) { return option.names == "--shading"; });
  return all;
}

}  // namespace

Command bench_command() {
  const std::vector<Option> own = {
      several(file_option("FILE", "FILE",
                          "Frames (.bkf) and scenes (.obj, generated:NAME) to time; with --compare two results")),
      flag("--suite", "The bundled frames, those of --captures, and five generated scenes in three shadings"),
      file_option("--captures", "DIR", "Folder of further .bkf for --suite (the environment's BROKKR_CAPTURES)"),
      flag("--curves", "Times against triangles, pixels, workers, draws, views and overdraw"),
      several(choice_option("--curve", "NAME",
                            "Only this curve: triangles, pixels, workers, draws, views, overdraw; may be repeated",
                            {"triangles", "pixels", "workers", "draws", "views", "overdraw"})),
      flag("--compare",
           "Compare two results of --json row by row, or the manifests of two logs: BEFORE.json AFTER.json"),
      several(text_option(
          "--shading", "S",
          "flat, phong, textured (generated scenes), material (as the file says); several with commas (FILE: "
          "flat; --suite: flat,phong,textured)")),
      several(text_option(
          "--against", "PEER",
          "OpenGL renderers to compare with: llvmpipe, lavapipe, gpu, none; several with commas (llvmpipe)")),
      integer_option("--frames", "Frames per turn; a turn of very short frames has more (15)", 1, 1000000),
      integer_option("--rounds", "Turns of each renderer (3)", 1, 1000),
      real_option("--turn", "MS", "End a turn after MS milliseconds once three frames are drawn (2000)", 0, 3.6e6),
      file_option("--json", "FILE", "Write every number and where it was taken; - prints it"),
      file_option("--csv", "FILE", "Write one line per row; - prints it"),
      file_option("--log", "FILE.csv",
                  "Draw one FILE --frames times without peers and write a line per frame, and FILE.json beside it; - "
                  "prints the lines"),
      choice_option("--log-format", "F",
                    "Columns of --log: presentmon (PresentMon 1's, then Brokkr's), mangohud (presentmon)",
                    {"presentmon", "mangohud"}),
      file_option("--gl-bench", "PROGRAM", "The program that draws with OpenGL (brokkr-gl-bench beside this one)"),
  };
  return {"bench", "Time frames, beside other renderers", joined(own, shared_options()), run_bench};
}

}  // namespace brokkr::app
