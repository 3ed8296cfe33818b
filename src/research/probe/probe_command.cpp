// brokkr probe: finds out how a rasterizer schedules fragments by observing it from outside [FragSniffer].

#include "probe/probe_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <vector>

#include "app/command.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "base/file_io.h"
#include "probe/drawing.h"
#include "probe/experiments.h"
#include "probe/g80_model.h"
#include "probe/results.h"
#include "probe/subjects.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

// `brokkr probe draw`: a drawing described on the command line.

namespace {

constexpr const char* kForm = "X,Y[,COST[,BRANCH]]";
constexpr const char* kGroup = "Experiment draw";
constexpr double kMaxCost = 1e9;
constexpr uint64_t kMaxListBytes = 1 << 20;

// Parses "10,20,1000,2"; the defaults are `cost` and branch 1. Throws std::invalid_argument.
SlowPixel parse_slow(const std::string& text, uint32_t cost) {
  uint32_t values[4] = {0, 0, cost, 1};
  const std::vector<std::string> parts = app::split(text);
  const auto refuse = [&] {
    throw std::invalid_argument("'" + text + "' is not " + kForm +
                                " with whole numbers from 0, such as 100,200,1000000,1");
  };
  if (parts.size() < 2 || parts.size() > 4) refuse();
  for (size_t i = 0; i < parts.size(); ++i) {
    const char *const begin = parts[i].data(), *const end = begin + parts[i].size();
    const auto [stopped, error] = std::from_chars(begin, end, values[i]);
    if (error != std::errc() || stopped != end || values[i] > kMaxCost) refuse();
  }
  return {int(values[0]), int(values[1]), values[2], values[3]};
}

// Reads one line per pixel; ignores empty lines and those that begin with #.
void read_list(const std::string& file, uint32_t cost, std::vector<SlowPixel>& slow) {
  const std::vector<std::byte> bytes = read_file(file, kMaxListBytes);
  int number = 0;
  for (const std::string& line : app::split(std::string(as_text(bytes)), '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    try {
      slow.push_back(parse_slow(line, cost));
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(file + ":" + std::to_string(number) + ": " + error.what());
    }
  }
}

}  // namespace

std::vector<app::Option> drawing_options() {
  using namespace app;
  std::vector<Option> all = {
      several(text_option("--slow", kForm, "A fragment that takes COST additions, in branch 1 to 4; may be repeated")),
      file_option("--slow-list", "FILE", std::string("Slow fragments, one line ") + kForm + " for each"),
      choice_option("--primitives", "KIND", "Primitives that fill the window (quads)",
                    {std::begin(kDrawings), std::end(kDrawings)}),
      integer_option("--edge", "Pixels of a primitive or of a square of them (512)", 1, kWindow),
      choice_option("--fill", "ORDER", "Primitives row by row, tile by tile or shuffled (raster)",
                    {"raster", "tiles", "shuffle"}),
      integer_option("--overlap", "Number of copies of each primitive, one over the other (1)", 1, 64),
      integer_option("--calls", "Number of draw calls for the primitives (1)", 1, 1 << 16),
      integer_option("--cost", "Additions of a slow fragment (the subject's own)", 0, kMaxCost),
      integer_option("--background", "Additions of all others (0)", 0, kMaxCost),
      flag("--waits", "Each addition waits for the one before it"),
  };
  for (Option& option : all) option.group = kGroup;
  return all;
}

// Throws app::UsageError for contradictory options and slow pixels outside the window, and std::runtime_error that
// names file and line of a list.
Drawing drawing_of(const app::Arguments& arguments, const Costs& costs) {
  const std::string fill = arguments.text("fill", "raster"), kind = arguments.text("primitives", "quads");
  if (kind == "strip" && (arguments.has("fill") || arguments.has("calls")))
    throw app::UsageError("--primitives strip: one call draws a strip, in a fixed order; leave out --fill and --calls");
  const FillOrder order = fill == "tiles"     ? FillOrder::tiles
                          : fill == "shuffle" ? FillOrder::shuffle
                                              : FillOrder::raster;
  Drawing drawing = drawing_of(kind, int(arguments.integer("edge", kWindow)));
  reorder(drawing, order);
  overlap(drawing, int(arguments.integer("overlap", 1)));
  deal_out(drawing, size_t(arguments.integer("calls", 1)));
  drawing.background = uint32_t(arguments.integer("background", 0));
  drawing.waits = arguments.has("waits");
  const auto cost = uint32_t(arguments.integer("cost", costs.slow));
  try {
    for (const std::string& text : arguments.all("slow")) drawing.slow.push_back(parse_slow(text, cost));
  } catch (const std::invalid_argument& error) {
    throw app::UsageError(std::string("--slow: ") + error.what());
  }
  const std::string list = arguments.text("slow-list");
  if (!list.empty()) read_list(list, cost, drawing.slow);
  try {
    check_drawing(drawing);
  } catch (const std::invalid_argument& error) {
    throw app::UsageError(std::string(list.empty() ? "--slow: " : "--slow-list " + list + ": ") + error.what());
  }
  return drawing;
}

}  // namespace brokkr::probe

namespace brokkr::app {
namespace {

using namespace probe;

constexpr int kRuns = 3;
constexpr double kContradictions = 0.05;  // fraction of pairs; more contradictions cause a warning
constexpr const char *kMap = "map", *kDraw = "draw";

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const ExperimentInfo& each : experiments()) names.emplace_back(each.name);
  for (const ExperimentInfo& each : situations()) names.emplace_back(each.name);
  names.insert(names.end(), {kMap, kDraw});
  return names;
}

void list_experiments() {
  for (const auto& all : {experiments(), situations()}) {
    for (const ExperimentInfo& each : all) std::cout << fmt::format("{:<12}{}\n", each.name, each.title);
  }
  std::cout << fmt::format("{:<12}{}\n{:<12}{}\n", kMap, "Which tiles share a processor, and the rule behind it", kDraw,
                           "Your own drawing: --slow, --primitives and others");
}

// The chosen experiments: those of the paper in its order, then the others. Without a name, all experiments of the
// paper.
std::vector<std::string> chosen(const Arguments& arguments) {
  const std::vector<std::string>& named = arguments.all("EXPERIMENT");
  std::vector<std::string> names = experiment_names();
  std::erase_if(names, [&](const std::string& n) {
    if (named.empty()) return n[0] != 'E';
    return std::find(named.begin(), named.end(), n) == named.end();
  });
  return names;
}

// Refuses options of an experiment that is not chosen.
void refuse_without(const Arguments& arguments, const std::vector<std::string>& names, const char* experiment,
                    const std::vector<Option>& options) {
  if (std::find(names.begin(), names.end(), experiment) != names.end()) return;
  for (const Option& option : options) {
    if (arguments.has(key_of(option)))
      throw UsageError("--" + key_of(option) + " belongs to the experiment " + experiment +
                       "; name it, or leave out the option");
  }
}

TileMap find_map(Subject& subject, const Arguments& arguments, Progress& progress) {
  if (arguments.text("on") == "brokkr") return map_of_pipeline(render_options(arguments));
  const Film film = subject.draw(covering_triangle());
  if (!film.unit.empty()) return map_of_units(clusters_of(film.unit, film.width, film.height), film.width, film.height);
  const std::string by = arguments.text("by", subject.is_in_order() ? "order" : "time");
  const TileMap map = map_by_pairs(subject, by == "order" ? PairTest::order : PairTest::time, [&](double part) {
    progress.show(fmt::format("pairs of pixels: {:.0f} %", 100 * part));
  });
  if (map.contradicted > kContradictions)
    warn(
        fmt::format("{:.0f} % of the pairs of pixels gave a different result when they were measured again, so this "
                    "map is unreliable; measure while nothing else runs, or with more --runs",
                    100 * map.contradicted));
  return map;
}

void print_parameters(const Parameters& p, const TileMap& map) {
  const auto line = [](const char* what, const std::string& value) {
    std::cout << fmt::format("{:<9}{}\n", what, value);
  };
  line("quad", fmt::format("{} x {} pixels of one primitive", p.quad_x, p.quad_y));
  line("window", fmt::format("{:.0f} pixels until all wait for one", p.window));
  if (p.warp.pixels == 0) return;
  line("warp", fmt::format("{} fragments, {} x {}", p.warp.pixels, p.warp.width, p.warp.height));
  line("points", fmt::format("{:.2g} in a warp", p.points_in_warp));
  line("parallel", fmt::format("{} warps, {:.3g} of each owner", p.multiprocessors,
                               double(p.multiprocessors) / std::max(1, map.owners)));
}

// The options of the pipeline, except those that the probe sets itself.
std::vector<Option> pipeline_of_subject() {
  const std::vector<std::string> excluded = {"--ownership", "--shading", "--shaders", "--budget"};
  std::vector<Option> all = pipeline_options();
  std::erase_if(
      all, [&](const Option& o) { return std::find(excluded.begin(), excluded.end(), o.names) != excluded.end(); });
  for (Option& option : all) option.group = "With --on brokkr";
  return all;
}

// Refuses options of the pipeline for any other subject.
void refuse_options(const Arguments& arguments, const std::string& subject) {
  for (const Option& option : pipeline_of_subject()) {
    if (arguments.has(key_of(option)))
      throw UsageError("--" + key_of(option) + " belongs to --on brokkr; leave it out with --on " + subject);
  }
}

std::unique_ptr<Subject> make_subject(const Arguments& arguments) {
  const std::string on = arguments.text("on", "g80");
  if (on == "brokkr") return std::make_unique<BrokkrSubject>(render_options(arguments));
  refuse_options(arguments, on);
  if (on == "driver")
    return std::make_unique<DriverSubject>(arguments.text("device"), int(arguments.integer("runs", kRuns)));
  return std::make_unique<G80Model>();
}

int run_probe(const Arguments& arguments) {
  if (arguments.has("list")) {
    list_experiments();
    return kSuccess;
  }
  const std::vector<std::string> names = chosen(arguments);
  refuse_without(arguments, names, kDraw, drawing_options());
  refuse_without(arguments, names, kMap, {flag("--save", ""), flag("--by", "")});
  Results results(arguments);
  const std::unique_ptr<Subject> subject = make_subject(arguments);
  Progress progress;
  Bench bench(*subject);
  if (arguments.text("on") == "brokkr") bench.tile = int(arguments.integer("bin", RenderOptions().bin));
  bench.progress = [&](const std::string& what) { progress.show(what); };
  for (const auto& all : {experiments(), situations()}) {
    for (const ExperimentInfo& each : all) {
      if (std::find(names.begin(), names.end(), each.name) == names.end()) continue;
      results.add(each.name, each.title, each.run(bench), *subject);
    }
  }
  for (const std::string& name : names) {
    if (name == kMap) {
      const TileMap map = find_map(*subject, arguments, progress);
      results.add_map(subject->name(), map, rule_of(map));
      // The parameters of the pipeline are known, and a CPU driver has none of these.
      if (arguments.text("on") == "brokkr" || subject->is_in_order()) continue;
      bench.tile = map.tile_x;
      if (arguments.text("json") != "-") print_parameters(find_parameters(bench), map);
    } else if (name == kDraw) {
      const Drawing drawing = drawing_of(arguments, subject->costs());
      Drawing reference = covering_triangle();
      reference.background = drawing.background;
      const double cost = subject->cost(drawing), over = cost / subject->cost(reference);
      results.add(
          name, "your own drawing",
          {{{"cost", {}, cost, subject->unit()},
            {"relative to a triangle that covers the window", {}, over, "ref", true, "of the same --background"}},
           drawing},
          *subject);
    }
  }
  results.finish(subject->name());
  return kSuccess;
}

}  // namespace

Command probe_command() {
  const std::vector<Option> command_options = {
      several(choice_option("EXPERIMENT", "EXPERIMENT", "Experiments to run (E1.1 to E4.5)", experiment_names())),
      choice_option("--on", "SUBJECT", "Subject: an OpenGL driver, the pipeline, or a model of the G80 (g80)",
                    {"driver", "brokkr", "g80"}),
      text_option("--device", "D",
                  "With --on driver: software, or the number of an EGL device (a GPU, otherwise software)"),
      integer_option("--runs", "With --on driver: number of measurements; their minimum is the cost (3)", 1, 1000),
      choice_option("--by", "TEST",
                    "Experiment map, if the subject does not report which processor draws a pixel: compare pairs of "
                    "pixels by the time or by the order of their points (order for CPU drivers, otherwise time)",
                    {"time", "order"}),
      flag("--list", "List the experiments"),
  };
  return {"probe", "Find out how a rasterizer schedules fragments by observing it from outside",
          joined(joined(joined(command_options, result_options()), drawing_options()), pipeline_of_subject()),
          run_probe};
}

}  // namespace brokkr::app
