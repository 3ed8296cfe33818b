// brokkr schedule: the experiments of thesis chapter 5.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/json_text.h"
#include "cli/pipeline_options.h"
#include "cli/text.h"
#include "lab/foveated.h"
#include "lab/schedule_experiments.h"
#include "scene/file_io.h"
#include "scene/load.h"

namespace brokkr::cli {
namespace {

constexpr const char* kFoveated = "foveated";

// What an experiment has to say: rows of cells under columns.
struct Table {
  std::string experiment;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

void write_text(const std::filesystem::path& path, const std::string& text) {
  write_file(path, std::as_bytes(std::span(text)));
}

std::string csv(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string safe = cells[i];
      std::replace_if(
          safe.begin(), safe.end(), [](char c) { return c == ',' || c == '"' || c == '\n'; }, ' ');
      text += (i == 0 ? "" : ",") + safe;
    }
    return text + "\n";
  };
  std::string text = line(table.columns);
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::string to_json(const std::vector<Table>& tables, const nlohmann::ordered_json& head) {
  nlohmann::ordered_json json = head;
  for (const Table& table : tables) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& cells : table.rows) {
      nlohmann::ordered_json row;
      for (size_t i = 0; i < table.columns.size(); ++i) {
        const char *begin = cells[i].data(), *end = begin + cells[i].size();
        uint64_t whole = 0;
        double value = 0;
        if (begin == end) continue;
        if (std::from_chars(begin, end, whole).ptr == end) {
          row[table.columns[i]] = whole;
        } else if (std::from_chars(begin, end, value).ptr == end) {
          row[table.columns[i]] = value;
        } else {
          row[table.columns[i]] = cells[i];
        }
      }
      rows.push_back(row);
    }
    json[table.experiment] = rows;
  }
  return json_text(json);
}

// Columns that say something in this table, without what is the same in all tables.
void print(const Table& table) {
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
  std::cout << table.experiment << "\n" << format_table(pick(table.columns), rows) << "\n";
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

Table measure_foveated(const Arguments& arguments, const lab::ScheduleOptions& o, Progress& progress) {
  lab::FoveatedOptions options;
  options.render = render_options(arguments);
  options.runs = o.runs;
  if (o.quick) {
    options.budgets = {0.5};
    options.rings = 4;
  }
  LoadOptions load;
  if (o.quick) load.width = 640, load.height = 360;
  const std::string scene = arguments.text("scene", "generated:city");
  const Frame frame = load_frame(scene, load);
  Table table{kFoveated, lab::foveated_columns(), {}};
  lab::run_foveated(
      frame, options,
      [&](const lab::FoveatedMeasurement& m) { table.rows.push_back(lab::foveated_cells(m)); },
      [&](const std::string& what) { progress.show(what); });
  return table;
}

Table measure(const std::string& name, lab::LabMachine& machine, const lab::ScheduleOptions& options,
              Progress& progress, std::string& failed) {
  Table table{name, lab::schedule_columns(), {}};
  lab::run_schedule_experiment(name, machine, options,
                               {.measured =
                                    [&](const lab::ScheduleMeasurement& m) {
                                      table.rows.push_back(lab::schedule_cells(m));
                                      if (!m.error.empty()) failed = name + " " + m.system + ": " + m.error;
                                    },
                                .progress = [&](const std::string& what) { progress.show(what); }});
  return table;
}

int run_schedule(const Arguments& arguments) {
  std::vector<std::string> names = arguments.all("EXPERIMENT");
  if (names.empty()) {
    for (const lab::ScheduleExperiment& e : lab::schedule_experiments()) names.emplace_back(e.name);
    names.emplace_back(kFoveated);
  }
  const lab::ScheduleOptions options = options_of(arguments);
  const auto machine = lab::make_lab_machine(arguments.text("machine", "auto"));
  const std::string folder = arguments.text("output"), json = arguments.text("json");
  if (!folder.empty()) std::filesystem::create_directories(folder);
  std::vector<Table> tables;
  std::string failed;
  {
    Progress progress;
    for (const std::string& name : names) {
      tables.push_back(name == kFoveated ? measure_foveated(arguments, options, progress)
                                         : measure(name, *machine, options, progress, failed));
      if (!folder.empty()) {
        write_text(std::filesystem::path(folder) / ("schedule-" + name + ".csv"), csv(tables.back()));
      }
    }
  }
  const auto as_json = [&] {
    return to_json(tables, {{"machine", machine->name()},
                            {"detail", machine->detail()},
                            {"cores", std::thread::hardware_concurrency()},
                            {"seed", options.seed},
                            {"runs", options.runs}});
  };
  if (json == "-") {
    std::cout << as_json();
  } else {
    if (!json.empty()) write_text(json, as_json());
    for (const Table& table : tables) print(table);
  }
  if (!failed.empty()) throw std::runtime_error(failed);
  return kSuccess;
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const lab::ScheduleExperiment& e : lab::schedule_experiments()) names.emplace_back(e.name);
  names.emplace_back(kFoveated);
  return names;
}

Option whole(const char* name, const char* help, double min, double max) {
  return {.names = name, .kind = ValueKind::integer, .value = "N", .help = help, .min = min, .max = max};
}

}  // namespace

Command schedule_command() {
  return {
      "schedule",
      "Measure scheduling policies beside each other",
      {{.names = "EXPERIMENT",
        .kind = ValueKind::choice,
        .value = "EXPERIMENT",
        .help = "What to measure (all)",
        .choices = experiment_names(),
        .repeat = true},
       {.names = "--machine",
        .kind = ValueKind::choice,
        .value = "M",
        .help = "Where tasks and frames run (auto)",
        .choices = {"auto", "cuda", "cpu", "emulated"}},
       whole("--workers", "Warps that run tasks, blocks of a frame (one per core, at least 2)", 2, 65536),
       whole("--decisions", "Decisions in the experiment with quotas (10000)", 100, 1000000),
       whole("--tasks", "Most tasks queued at once in the experiment with accuracy (1000000)", 100, 1000000),
       whole("--runs", "Runs of each configuration (3)", 1, 1000),
       whole("--seed", "Seed of what is drawn (1)", 0, 4294967295.0),
       {.names = "--quick", .help = "Few tasks and points: some seconds for everything"},
       {.names = "--scene",
        .kind = ValueKind::text,
        .value = "SCENE",
        .help = "Frame or scene of the foveated experiment (generated:city)"},
       {.names = "--fixation",
        .kind = ValueKind::text,
        .value = "X,Y",
        .help = "Fixation point, in pixels from the lower left corner (the middle)"},
       {.names = "--seconds",
        .kind = ValueKind::real,
        .value = "S",
        .help = "End a run after so long (60)",
        .min = 0.1,
        .max = 3600},
       {.names = "-o,--output",
        .kind = ValueKind::file,
        .value = "DIR",
        .help = "Also write schedule-EXPERIMENT.csv into this folder"},
       {.names = "--json",
        .kind = ValueKind::file,
        .value = "FILE.json",
        .help = "Write all measurements; - prints them instead of the tables"}},
      run_schedule};
}

}  // namespace brokkr::cli
