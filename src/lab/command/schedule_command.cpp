// brokkr schedule: the experiments of [Kerbl18, chapter 5].
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/input.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "brokkr/load.h"
#include "lab/command/commands.h"
#include "lab/command/experiment_output.h"
#include "lab/foveated.h"
#include "lab/schedule_experiments.h"

namespace brokkr::app {
namespace {

// The experiment with frames that are cut off; all others run on the machines of the lab.
constexpr const char* kFoveated = "foveated";
constexpr const char* kViews = "views";

// Prints the columns that have values in this table, without those that are the same in all tables.
void print(const ResultTable& table) {
  std::vector<size_t> shown;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c];
    if (name == "experiment" || name == "machine" || name == "detail" || name == "baseline") continue;
    if (std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return !row[c].empty(); })) {
      shown.push_back(c);
    }
  }
  const auto pick = [&](const std::vector<std::string>& cells) {
    std::vector<std::string> picked;
    for (const size_t c : shown) picked.push_back(cells[c]);
    return picked;
  };
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows) rows.push_back(pick(row));
  std::cout << table.name << "\n" << format_table(pick(table.columns), rows) << "\n";
}

lab::ScheduleOptions options_of(const Arguments& arguments) {
  lab::ScheduleOptions o;
  o.quick = arguments.has("quick");
  o.workers = static_cast<uint32_t>(arguments.integer("workers", 0));
  o.decisions = static_cast<uint32_t>(arguments.integer("decisions", o.quick ? 2000 : 10000));
  o.most_tasks = static_cast<uint32_t>(arguments.integer("tasks", 1000000));
  o.runs = static_cast<uint32_t>(arguments.integer("runs", o.quick ? 1 : 3));
  o.seed = static_cast<uint32_t>(arguments.integer("seed", 1));
  o.seconds = arguments.real("seconds", 60);
  return o;
}

// A captured frame has views of its own.
bool is_captured(const std::string& scene) { return scene.ends_with(".bkf"); }

ResultTable measure_frames(const std::string& name, const Arguments& arguments, const lab::ScheduleOptions& o,
                           Progress& progress) {
  const bool views = name == kViews;
  lab::FoveatedOptions options;
  options.render = render_options(arguments);
  options.runs = o.runs;
  if (o.quick) {
    options.budgets = {0.5};
    options.rings = 4;
  }
  const std::string scene = arguments.text("scene", "generated:city");
  LoadOptions load;
  if (views) {
    load.views = static_cast<int>(arguments.integer("views", is_captured(scene) ? 0 : 4));
    load.view_size = static_cast<int>(arguments.integer("view-size", o.quick ? 256 : 720));
  } else if (o.quick) {
    load.width = 640, load.height = 360;
  }
  const Frame frame = load_frame(scene, load);
  ResultTable table{name, lab::foveated_columns(), {}};
  (views ? lab::run_view_priority : lab::run_foveated)(
      frame, options, [&](const lab::FoveatedMeasurement& m) { table.rows.push_back(lab::foveated_cells(m)); },
      [&](const std::string& what) { progress.show(what); });
  return table;
}

ResultTable measure(const std::string& name, lab::LabMachine& machine, const lab::ScheduleOptions& options,
                    Progress& progress, std::string& failed) {
  ResultTable table{name, lab::schedule_columns(), {}};
  lab::run_schedule_experiment(name, machine, options,
                               {.measured =
                                    [&](const lab::ScheduleMeasurement& m) {
                                      table.rows.push_back(lab::schedule_cells(m));
                                      if (!m.error.empty()) failed = name + " " + m.system + ": " + m.error;
                                    },
                                .progress = [&](const std::string& what) { progress.show(what); }});
  return table;
}

// In the order in which they run.
std::vector<std::string> experiment_names() {
  std::vector<std::string> names = names_of(lab::schedule_experiments());
  names.emplace_back(kFoveated);
  names.emplace_back(kViews);
  return names;
}

int run_schedule(const Arguments& arguments) {
  std::vector<std::string> names = arguments.all("EXPERIMENT");
  if (names.empty()) {
    names = experiment_names();
    // Most captured frames have one view, so that the comparison of views runs on them only where it is named.
    if (is_captured(arguments.text("scene"))) std::erase(names, kViews);
  }
  const lab::ScheduleOptions options = options_of(arguments);
  const auto machine = lab::make_lab_machine(arguments.text("machine", "auto"));
  const ResultFiles files("schedule", arguments);
  std::vector<ResultTable> tables;
  std::string failed;
  {
    Progress progress;
    for (const std::string& name : names) {
      tables.push_back(name == kFoveated || name == kViews ? measure_frames(name, arguments, options, progress)
                                                           : measure(name, *machine, options, progress, failed));
      files.add(tables.back());
    }
  }
  nlohmann::ordered_json document = lab_heading(*machine, options.seed, options.runs);
  for (const ResultTable& table : tables) document[table.name] = json_rows(table);
  if (files.finish(document)) {
    for (const ResultTable& table : tables) print(table);
  }
  if (!failed.empty()) throw std::runtime_error(failed);
  return kSuccess;
}

}  // namespace

Command schedule_command() {
  const std::vector<Option> own = {
      integer_option("--workers", "Warps that run tasks, blocks of a frame (one per core, at least 2)", 2, 65536),
      integer_option("--decisions", "Decisions in the experiment with quotas (10000)", 100, 1000000),
      integer_option("--tasks", "Most tasks queued at once in the experiment with accuracy (1000000)", 100, 1000000),
      text_option("--scene", "SCENE", "Frame or scene of the experiments foveated and views (generated:city)"),
      text_option("--fixation", "X,Y", "Fixation point, in pixels from the lower left corner (the middle)"),
      integer_option("--views", "Views in the experiment with views (4)", 2, kMaxTargetLayers),
      integer_option("--view-size", "Pixels per side of each of them (720)", 1, kMaxTargetSize)};
  return {
      "schedule", "Measure scheduling policies beside each other",
      joined(joined(joined(experiment_options(experiment_names(), "Few tasks and points: some seconds for everything"),
                           own),
                    lab_options("Where tasks and frames run", 3)),
             result_options("schedule")),
      run_schedule};
}

}  // namespace brokkr::app
