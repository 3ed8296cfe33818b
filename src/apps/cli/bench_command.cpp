// brokkr bench: milliseconds per frame, compared with other renderers.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/input.h"
#include "app/pipeline_options.h"
#include "app/stop_signals.h"
#include "app/text.h"
#include "app/tool.h"
#include "brokkr/load.h"
#include "cli/bench_ab.h"
#include "cli/bench_compare.h"
#include "cli/bench_log.h"
#include "cli/bench_measure.h"
#include "cli/bench_report.h"
#include "cli/commands.h"
#include "log/machine_facts.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> or_default(const std::vector<std::string>& given, const char* fallback) {
  return given.empty() ? std::vector<std::string>{fallback} : given;
}

// The folder of --captures; without that option, of the environment variable BROKKR_CAPTURES.
std::string captures_folder(const Arguments& arguments) {
  const char* variable = std::getenv("BROKKR_CAPTURES");
  return arguments.text("captures", variable == nullptr ? "" : variable);
}

// A captured frame with programs is drawn with them. If the file cannot be read, its row will report the error.
BenchShading default_shading(const std::string& file) try {
  const bool captured = std::filesystem::path(file).extension() == ".bkf";
  return captured && !load_frame(file, {}).programs.empty() ? BenchShading::program : BenchShading::flat;
} catch (const std::exception&) {
  return BenchShading::flat;
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
  for (const std::string& file : without_folders(arguments.all("FILE"))) {
    for (const BenchShading shading : given.empty() ? std::vector{default_shading(file)} : given)
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

// Removes rows for which a signal left no frame.
void drop_empty(std::vector<BenchRow>& rows) {
  std::erase_if(rows, [](const BenchRow& row) { return row.error.empty() && row.brokkr.medians.empty(); });
}

int compare_results(const Arguments& arguments) {
  const auto& files = arguments.all("FILE");
  if (files.size() != 2) throw UsageError("--compare: name two results, BEFORE.json and AFTER.json");
  const bool logs = is_log_manifest(files[0]) && is_log_manifest(files[1]);
  const Json difference = logs ? log_difference(files[0], files[1]) : bench_difference(files[0], files[1]);
  if (!write_document(arguments.text("json"), difference))
    std::cout << (logs ? log_difference_table(difference) : difference_table(difference));
  return kSuccess;
}

// The options for input and pipeline except --shading, of which this command accepts several values.
std::vector<Option> shared_options() {
  std::vector<Option> all = joined(input_options(), pipeline_options());
  std::erase_if(all, [](const Option& option) { return option.names == "--shading"; });
  return all;
}

bool races(const Arguments& arguments) { return arguments.has("ab") || arguments.has("ab-program"); }

void check_race(const Arguments& arguments) {
  if (arguments.has("pairs") && !races(arguments)) throw UsageError("--pairs: needs --ab or --ab-program");
  if (!races(arguments)) return;
  for (const char* name : {"against", "rounds", "turn", "curves", "curve", "gl-bench", "beside-isa"}) {
    if (arguments.has(name))
      throw UsageError(std::string("--") + name + ": cannot be combined with --ab or --ab-program");
  }
  if (!arguments.has("ab-program")) {
    if (arguments.has("frames")) throw UsageError("--frames: with --ab each turn is one frame; use --pairs");
  } else if (arguments.has("log")) {
    throw UsageError("--log: cannot be combined with --ab-program; --json holds the times of all frames");
  }
  if (arguments.text("log") == "-") throw UsageError("--log -: --ab writes two logs; name a file");
}

void check_combination(const Arguments& arguments) {
  const bool curves = arguments.has("curves") || arguments.has("curve");
  if (arguments.all("FILE").empty() && !arguments.has("suite") && !curves)
    throw UsageError("FILE is missing; name one, or use --suite or --curves");
  if (curves && (arguments.has("suite") || arguments.has("FILE")))
    throw UsageError("--curves has its own workloads; leave out FILE and --suite");
  if (arguments.has("log") && (arguments.has("suite") || curves || arguments.all("FILE").size() != 1))
    throw UsageError("--log: takes one FILE");
  if (arguments.has("log-format") && !arguments.has("log")) throw UsageError("--log-format: needs --log FILE.csv");
  if (arguments.has("captures") && !arguments.has("suite")) throw UsageError("--captures: needs --suite");
  check_race(arguments);
  const bool peers = !races(arguments) && !arguments.has("log") && arguments.text("against", "llvmpipe") != "none";
  if (arguments.has("camera") && peers) throw UsageError("--camera: the peers do not support it; use --against none");
  if (arguments.text("json") == "-" && arguments.text("csv") == "-")
    throw UsageError("--csv: --json already uses standard output; name a file");
}

void check_one_workload(const std::vector<Workload>& all) {
  if (all.size() != 1) throw UsageError("--log: takes one --shading");
}

int race(const Arguments& arguments) {
  const std::vector<Option> known = shared_options();
  const std::array<Arguments, 2> both = {with_options(arguments, "", known),
                                         with_options(arguments, arguments.text("ab"), known)};
  std::array<AbVariant, 2> variants;
  for (size_t i = 0; i < 2; ++i) {
    AbVariant& variant = variants[i];
    variant.words = option_words(both[i], known);
    variant.options = variant.words.empty() ? "the default options" : fmt::format("{}", fmt::join(variant.words, " "));
    variant.render = render_options(both[i].without("shading"));
    variant.workloads = workloads(both[i]);
    if (arguments.has("log")) check_one_workload(variant.workloads);
  }
  if (arguments.has("ab-program")) {
    std::error_code error;
    variants[0].program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) throw std::runtime_error("--ab-program: this program's own file is not known; mount /proc");
    variants[1].program = arguments.text("ab-program");
    if (access(variants[1].program.c_str(), X_OK) != 0)
      throw std::runtime_error("--ab-program " + variants[1].program.string() + ": there is no such program");
  }
  return run_ab(arguments, variants);
}

int run_bench(const Arguments& arguments) {
  if (arguments.has("compare")) return compare_results(arguments);
  check_combination(arguments);
  if (races(arguments)) return race(arguments);
  BenchOptions options;
  options.render = render_options(arguments.without("shading"));  // each workload has its own shading
  options.frames = static_cast<int>(arguments.integer("frames", options.frames));
  options.rounds = static_cast<int>(arguments.integer("rounds", options.rounds));
  options.turn_ms = arguments.real("turn", options.turn_ms);
  options.beside_isa = arguments.text("beside-isa");
  if (arguments.has("log")) {
    const std::vector<Workload> one = workloads(arguments);
    check_one_workload(one);
    return write_log(one.front(), options, *log_format(arguments.text("log-format", "presentmon")),
                     arguments.text("log"));
  }
  const StopSignals signals;
  options.signals = &signals;
  const std::vector<PeerSetup> setups = peer_setups(or_default(arguments.all("against"), "llvmpipe"));
  // Check names before the measurement, so that a wrong name does not waste it.
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
      for (size_t i = 0; i < all.size() && !signals.stopped(); ++i) rows.push_back(bench.measure(all[i], progress));
    }
  }
  if (signals.stopped()) drop_empty(rows);
  document["ended_by"] = signals.stopped() ? Json(signals.name()) : Json();
  document["environment"]["load_after"] = load_average();
  document["results"] = Json::array();
  for (const BenchRow& row : rows) document["results"].push_back(row_json(row));
  if (!curves) document["geomeans"] = geomeans_json(rows);
  const bool prints_json = write_document(arguments.text("json"), document);
  if (arguments.has("csv")) write_out(arguments.text("csv"), rows_csv(rows));
  if (!prints_json && arguments.text("csv") != "-") std::cout << rows_table(rows) << std::flush;
  if (!signals.stopped()) return outcome(rows);
  const bool in_part = !rows.empty() && rows.back().cut_off;
  std::cerr << fmt::format("brokkr: ended by {} after {}{}\n", signals.name(), counted(rows.size(), "workload"),
                           in_part ? ", the last of them incomplete" : "");
  return signals.exit_code();
}

}  // namespace

Command bench_command() {
  const std::vector<Option> own = {
      several(file_option("FILE", "FILE",
                          "Frames (.bkf) and scenes (.obj, .gltf, .glb, .ply, .stl, generated:NAME) to time, or "
                          "folders of them; with --compare two results")),
      flag("--suite", "The bundled frames, those of --captures, and five generated scenes in three shadings"),
      rare(file_option("--captures", "DIR", "Folder of further .bkf for --suite (the environment's BROKKR_CAPTURES)")),
      flag("--curves", "Time frames as a function of triangles, pixels, workers, draws, views and overdraw"),
      rare(several(choice_option("--curve", "NAME",
                                 "Only this curve: triangles, pixels, workers, draws, views, overdraw; may be repeated",
                                 {"triangles", "pixels", "workers", "draws", "views", "overdraw"}))),
      flag("--compare",
           "Compare two results of --json row by row, or the manifests of two logs: BEFORE.json AFTER.json. They did "
           "not run together, so --ab is more reliable"),
      text_option("--ab", "OPTIONS",
                  "Compare in pairs: A is this command, B the same with these options added, as in --ab \"--pattern "
                  "hilbert\"; tells which is faster, or that the difference is not significant"),
      rare(file_option("--ab-program", "PROGRAM",
                       "Compare in pairs: this other build of brokkr draws B; may be combined with --ab")),
      integer_option("--pairs",
                     "Number of pairs of frames for --ab (100), or of pairs of turns for --ab-program, each a process "
                     "that draws --frames frames (12)",
                     1, 1000000),
      several(text_option(
          "--shading", "S",
          "flat, phong, textured (generated scenes), material (as the file says), program (a captured frame's own "
          "programs, the same for the peers); several with commas (a captured frame: program; other files: flat; "
          "--suite: flat,phong,textured)")),
      several(text_option(
          "--against", "PEER",
          "OpenGL renderers to compare with: llvmpipe, lavapipe, gpu, none; several with commas (llvmpipe)")),
      integer_option("--frames", "Frames per turn; a turn of very short frames has more (15)", 1, 1000000),
      integer_option("--rounds", "Turns of each renderer (3)", 1, 1000),
      rare(
          real_option("--turn", "MS", "End a turn after MS milliseconds once three frames are drawn (2000)", 0, 3.6e6)),
      json_option("Write all results, with a description of the computer"),
      announced(output_option("--csv", "FILE", "Write one line per row; - prints it")),
      announced(output_option(
          "--log", "FILE.csv",
          "Draw one FILE --frames times without peers, and write a line for each frame as it is drawn, with "
          "FILE.json beside it; - prints the lines. With --ab: FILE-a.csv and FILE-b.csv",
          ".json")),
      rare(choice_option("--log-format", "F",
                         "Columns of --log: presentmon (PresentMon 1's, then Brokkr's), mangohud (presentmon)",
                         {"presentmon", "mangohud"})),
      rare(choice_option(
          "--beside-isa", "I",
          "Machine cpu: also time this instruction set, alternating with the chosen one, if both run here",
          {"v2", "v3", "v4", "neon"})),
      rare(
          file_option("--gl-bench", "PROGRAM", "The program that draws with OpenGL (brokkr-gl-bench beside this one)")),
  };
  return {"bench", "Time frames, and compare with other renderers", joined(own, shared_options()), run_bench};
}

}  // namespace brokkr::app
