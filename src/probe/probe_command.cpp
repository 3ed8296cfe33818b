// brokkr probe: how a rasterizer schedules fragments, found from outside [FragSniffer].
#include "probe/probe_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/pipeline_options.h"
#include "app/text.h"
#include "probe/experiments.h"
#include "probe/g80_model.h"
#include "probe/own_drawing.h"
#include "probe/parameters.h"
#include "probe/results.h"
#include "probe/tile_map.h"

namespace brokkr::app {
namespace {

using namespace probe;

constexpr const char *kMap = "map", *kDraw = "draw";

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const ExperimentInfo& each : experiments()) names.emplace_back(each.name);
  names.insert(names.end(), {kMap, kDraw});
  return names;
}

void list_experiments() {
  for (const ExperimentInfo& each : experiments()) std::cout << fmt::format("{:<12}{}\n", each.name, each.title);
  std::cout << fmt::format("{:<12}{}\n{:<12}{}\n", kMap, "Which tiles share a processor, and the rule behind it", kDraw,
                           "A drawing of one's own: --slow, --primitives and others");
}

// Experiments in the order of the paper, then the others; all of the paper's where none is named.
std::vector<std::string> chosen(const Arguments& arguments) {
  const std::vector<std::string>& named = arguments.all("EXPERIMENT");
  std::vector<std::string> names = experiment_names();
  std::erase_if(names, [&](const std::string& n) {
    if (named.empty()) return n == kMap || n == kDraw;
    return std::find(named.begin(), named.end(), n) == named.end();
  });
  return names;
}

TileMap find_map(Subject& subject, Progress& progress) {
  return map_by_pairs(subject,
                      [&](double part) { progress.show(fmt::format("pairs of pixels: {:.0f} %", 100 * part)); });
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

std::unique_ptr<Subject> make_subject(const Arguments&) { return std::make_unique<G80Model>(); }

int run_probe(const Arguments& arguments) {
  if (arguments.has("list")) {
    list_experiments();
    return kSuccess;
  }
  const std::vector<std::string> names = chosen(arguments);
  Results results(arguments);
  const std::unique_ptr<Subject> subject = make_subject(arguments);
  Progress progress;
  Bench bench(*subject);
  bench.progress = [&](const std::string& what) { progress.show(what); };
  for (const ExperimentInfo& each : experiments()) {
    if (std::find(names.begin(), names.end(), each.name) == names.end()) continue;
    results.add(each.name, each.title, each.run(bench), *subject);
  }
  for (const std::string& name : names) {
    if (name == kMap) {
      const TileMap map = find_map(*subject, progress);
      results.add_map(subject->name(), map, rule_of(map));
      bench.tile = map.tile_x;
      if (arguments.text("json") != "-") print_parameters(find_parameters(bench), map);
    } else if (name == kDraw) {
      const Drawing drawing = own_drawing(arguments, subject->costs());
      const double cost = subject->cost(drawing), reference = subject->cost(covering_triangle());
      results.add(
          name, "a drawing of one's own",
          {{{"cost", {}, cost, subject->unit()}, {"cost over an empty triangle's", {}, cost / reference, ""}}, drawing},
          *subject);
    }
  }
  results.finish(subject->name());
  return kSuccess;
}

}  // namespace

Command probe_command() {
  const std::vector<Option> own = {
      several(choice_option("EXPERIMENT", "EXPERIMENT", "What to measure (all of the paper: E1.1 to E4.5)",
                            experiment_names())),
      choice_option("--on", "SUBJECT", "What to look at: a model of the G80 (g80)", {"g80"}),
      flag("--list", "Show the experiments"),
  };
  return {"probe", "Find out from outside how a rasterizer schedules fragments",
          joined(joined(own, result_options()), drawing_options()), run_probe};
}

}  // namespace brokkr::app
