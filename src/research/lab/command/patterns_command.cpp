// brokkr patterns: the experiments on bin patterns of [Kerbl17] ([Kerbl18, chapter 7]), on any frames.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/input.h"
#include "app/picture.h"
#include "app/pipeline_options.h"
#include "app/stop_signals.h"
#include "app/text.h"
#include "base/file_io.h"
#include "bin/pattern_image.h"
#include "brokkr/version.h"
#include "lab/command/experiment_output.h"
#include "lab/lab_machine.h"
#include "lab/pattern_lab.h"
#include "lab/pattern_report.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json listed_experiments() {
  Json all = Json::array();
  for (const lab::PatternExperiment& e : lab::pattern_experiments())
    all.push_back({{"name", e.name}, {"figure", e.figure}, {"title", e.title}});
  return all;
}

void print_experiments() {
  for (const lab::PatternExperiment& e : lab::pattern_experiments()) {
    const std::string figure = *e.figure == '\0' ? "" : fmt::format(" (Fig. {})", e.figure);
    std::cout << fmt::format("{:<13}{}{}\n", e.name, e.title, figure);
  }
}

// Fragments per pixel as a picture: dark without fragments, brighter with the logarithm of their number.
void write_map(const fs::path& path, const lab::FragmentMap& map) {
  const uint32_t most = *std::max_element(map.count.begin(), map.count.end());
  std::vector<uint32_t> pixels;
  pixels.reserve(map.count.size());
  for (const uint32_t c : map.count) {
    const double t = std::log1p(c) / std::log1p(most);
    const auto channel = [](double value) {
      return static_cast<uint32_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
    };
    pixels.push_back(0xff000000u | channel(1.6 * t - 0.8) << 8 | channel(2.2 * t) |
                     channel(0.25 + t - 2.2 * std::abs(t - 0.35)) << 16);
  }
  write_pixels(path.string(), map.width, map.height, pixels);
}

void write_pictures(const fs::path& folder, const lab::PatternLab& laboratory) {
  for (const auto& frame : laboratory.frames()) {
    for (const lab::FragmentMap& map : frame->maps) write_map(folder / ("map-" + map.name + ".png"), map);
  }
  for (const auto& info : Choices<PatternKind>::all) {
    const PatternImage image =
        draw_pattern(make_pattern(info.value, 8, 16, 16), {.bins_x = 16, .bins_y = 16, .cell = 10});
    write_pixels((folder / ("pattern-" + std::string(info.name) + ".png")).string(), image.width, image.height,
                 image.pixels);
  }
}

// The settings of the experiments, for the report.
Json settings_json(const lab::PatternLab& laboratory, const lab::PatternLabOptions& options) {
  Json frames = Json::array();
  for (const auto& frame : laboratory.frames()) {
    uint64_t fragments = 0;
    Json maps = Json::array();
    for (const lab::FragmentMap& map : frame->maps) {
      maps.push_back({{"name", map.name}, {"width", map.width}, {"height", map.height}, {"fragments", map.total}});
      fragments += map.total;
    }
    frames.push_back({{"name", frame->name},
                      {"group", frame->group},
                      {"triangles", triangle_count(frame->frame)},
                      {"fragments", fragments},
                      {"maps", maps}});
  }
  const auto machine = lab::make_lab_machine(name_of(options.render.machine), options.render.isa);
  return {{"kind", "brokkr patterns"}, {"version", BROKKR_VERSION},
          {"machine", machine->name},  {"detail", machine->detail},
          {"lanes", machine->width()}, {"seed", options.seed},
          {"quick", options.quick},    {"workers", options.workers},
          {"frames", frames},          {"experiments", listed_experiments()}};
}

// The chosen experiments, in the order of experiments instead of the command line.
std::vector<std::string> chosen_experiments(const Arguments& arguments) {
  std::vector<std::string> names = names_of(lab::pattern_experiments());
  const auto& only = arguments.all("only");
  if (only.empty()) return names;
  std::erase_if(names, [&](const std::string& n) { return std::find(only.begin(), only.end(), n) == only.end(); });
  return names;
}

// Loads the frames, and writes what describes them.
Json begin_laboratory(lab::PatternLab& laboratory, const lab::PatternLabOptions& options, const Arguments& arguments,
                      Progress& progress) {
  for (const std::string& file : arguments.all("FILE")) {
    Frame frame = load_input(file, arguments, progress);
    laboratory.add(fs::path(file).stem().string(), std::move(frame));
  }
  Json settings = settings_json(laboratory, options);
  write_text(options.folder / "patterns.json", json_text(settings));
  write_pictures(options.folder, laboratory);
  return settings;
}

// Runs the experiments. `prints`: names their files and the paper's findings. `progress` throws Stopped on a signal.
Json run_laboratory(const lab::PatternLabOptions& options, const Arguments& arguments, Progress& progress,
                    bool prints) {
  lab::PatternLab laboratory(options, [&](const std::string& what) {
    progress.show(what);
    StopSignals::check();
  });
  Json document = begin_laboratory(laboratory, options, arguments, progress);
  const Json settings = document;
  document["results"] = Json::object();
  std::map<std::string, lab::PatternRows> rows;
  for (const std::string& name : chosen_experiments(arguments)) {
    lab::Rows found = laboratory.run(name);
    if (prints)
      std::cout << (options.folder / ("patterns-" + name + ".csv")).string() << ": " << found.size() << " rows\n";
    for (const lab::PatternExperiment& e : lab::pattern_experiments()) {
      if (e.name != name) continue;
      if (prints && *e.paper != '\0') std::cout << "  paper: " << e.paper << '\n';
      document["results"][name] = json_rows({name, split(e.columns), found});
      rows.emplace(name, lab::PatternRows(split(e.columns), std::move(found)));
    }
    std::cout << std::flush;
  }
  if (prints && laboratory.reused() > 0)
    std::cout << laboratory.reused() << " parts were already measured; remove " << (options.folder / "parts").string()
              << " to measure them again\n";
  if (!arguments.has("no-plots")) {
    progress.show("drawing the report");
    const fs::path page = lab::write_pattern_report(options.folder, settings, rows);
    if (prints) std::cout << page.string() << '\n';
  }
  return document;
}

int run_patterns(const Arguments& arguments) {
  const std::string json = arguments.text("json");
  if (arguments.has("list")) {
    if (!write_document(json, listed_experiments())) print_experiments();
    return kSuccess;
  }
  if (arguments.all("FILE").empty())
    throw UsageError("FILE is missing; name frames (.bkf) or scenes (.obj, .gltf, .glb, .ply, .stl, generated:NAME)");
  lab::PatternLabOptions options;
  options.folder = arguments.text("output", "patterns-lab");
  options.seed = static_cast<uint32_t>(arguments.integer("seed", 1));
  options.quick = arguments.has("quick");
  options.workers = static_cast<int>(arguments.integer("workers", 0));
  options.render = render_options(arguments);
  const StopSignals signals;
  try {
    Progress progress;
    write_document(json, run_laboratory(options, arguments, progress, json != "-"));
  } catch (Stopped& stopped) {
    stopped.line = fmt::format("ended by {}; the same command continues with what is finished in {}", stopped.signal,
                               (options.folder / "parts").string());
    throw;
  }
  return kSuccess;
}

// The pipeline's options, except those that experiments set.
std::vector<Option> shared_options() {
  std::vector<Option> all = joined(input_options(), pipeline_options());
  const std::vector<std::string> excluded = {"--rasterizers",        "--bin",     "--pattern", "--order",
                                             "--hierarchical-depth", "--shading", "--budget"};
  std::erase_if(
      all, [&](const Option& o) { return std::find(excluded.begin(), excluded.end(), o.names) != excluded.end(); });
  return all;
}

}  // namespace

Command patterns_command() {
  const std::vector<Option> command_options = {
      several(file_option("FILE", "FILE",
                          "Frames (.bkf) and scenes (.obj, .gltf, .glb, .ply, .stl, generated:NAME) to measure")),
      flag("--list", "List the experiments"),
      output_option(
          "-o,--output", "DIR",
          "Folder for numbers, plots, report and searched patterns (patterns-lab); finished parts in it are reused"),
      several(choice_option("--only", "EXPERIMENT", "Only this experiment; may be repeated",
                            names_of(lab::pattern_experiments()))),
      flag("--quick", "Fewer seeds, batches, runs and moves: some minutes for the bundled frames"),
      integer_option("--seed", "Seed of the random patterns and of the search (1)", 0, 4294967295.0),
      flag("--no-plots", "Write only numbers"),
      json_option("Write the settings and all rows as JSON"),
  };
  return {"patterns", "Measure bin patterns on frames, and search for better ones",
          joined(command_options, shared_options()), run_patterns};
}

}  // namespace brokkr::app
