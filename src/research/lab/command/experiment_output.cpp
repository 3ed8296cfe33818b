#include "lab/command/experiment_output.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

#include "app/input.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "base/file_io.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

// Prints the columns whose values differ between rows, and the paper's finding.
void print(const ResultTable& table, const std::string& paper) {
  std::vector<size_t> shown;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const auto differs = [&](const lab::Row& row) { return row[c] != table.rows.front()[c]; };
    if (std::any_of(table.rows.begin(), table.rows.end(), differs)) shown.push_back(c);
  }
  const auto pick = [&](const lab::Row& cells) {
    lab::Row picked;
    for (const size_t c : shown) picked.push_back(cells[c]);
    return picked;
  };
  lab::Rows rows;
  for (const lab::Row& row : table.rows) rows.push_back(pick(row));
  std::cout << table.name << "\n" << format_table(pick(table.columns), rows);
  if (!paper.empty()) std::cout << "paper: " << paper << "\n";
  std::cout << "\n";
}

}  // namespace

Json json_rows(const ResultTable& table) {
  const auto number = [](const std::string& text) { return Json::parse(text, nullptr, false); };
  Json rows = Json::array();
  rows.get_ref<Json::array_t&>().resize(table.rows.size());
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool numeric = std::all_of(table.rows.begin(), table.rows.end(), [&](const lab::Row& cells) {
      return cells[c].empty() || number(cells[c]).is_number();
    });
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const std::string& text = table.rows[r][c];
      if (!text.empty()) rows[r][table.columns[c]] = numeric ? number(text) : Json(text);
    }
  }
  return rows;
}

ResultFiles::ResultFiles(std::string command, const Arguments& arguments)
    : command_(std::move(command)), folder_(arguments.text("output")), json_(arguments.text("json")) {
  if (!folder_.empty()) make_folder(folder_);
}

void ResultFiles::add(const ResultTable& table) const {
  if (folder_.empty() || table.rows.empty()) return;
  write_text(std::filesystem::path(folder_) / (command_ + "-" + table.name + ".csv"),
             lab::to_csv(table.columns, table.rows));
}

bool ResultFiles::finish(const Json& document) const { return !write_document(json_, document); }

std::vector<Option> result_options(const std::string& command) {
  return {announced(output_option("-o,--output", "DIR", "Also write " + command + "-*.csv into this folder")),
          json_option("Write all results")};
}

std::vector<Option> lab_options(const std::string& command, std::span<const lab::Experiment> experiments,
                                const char* quick_help, std::vector<Option> command_options, const char* machine_help,
                                int runs) {
  const std::vector<Option> first = {
      several(choice_option("EXPERIMENT", "EXPERIMENT", "What to measure (all)", names_of(experiments))),
      flag("--quick", quick_help)};
  const std::vector<Option> last = {
      choice_option("--machine", "M", std::string(machine_help) + " (auto)",
                    {"auto", "cuda", "cpu", "emulated", "simt"}),
      choice_option("--isa", "I", "Machine cpu: instruction set (the best of this processor); emulated is that machine",
                    {"v2", "v3", "v4", "neon", "emulated"}),
      integer_option("--runs", "Runs of each configuration (" + std::to_string(runs) + ")", 1, 1000),
      integer_option("--seed", "Seed of random numbers (1)", 0, 4294967295.0),
      real_option("--seconds", "S", "End a run after S seconds (60)", 0.1, 3600),
      memory_option()};
  return joined(joined(joined(first, command_options), last), result_options(command));
}

lab::LabOptions lab_options_of(const Arguments& arguments, uint32_t quick_runs, uint32_t runs, const char* remedy) {
  lab::LabOptions o;
  o.quick = arguments.has("quick");
  o.runs = uint32_t(arguments.integer("runs", o.quick ? quick_runs : runs));
  o.seed = uint32_t(arguments.integer("seed", 1));
  o.seconds = arguments.real("seconds", 60);
  o.budget = std::make_shared<MemoryBudget>(int(arguments.integer("memory-limit", 0)), remedy);
  return o;
}

LabPlace lab_place_of(const Arguments& arguments) {
  LabPlace place{arguments.text("machine", "auto"), arguments.text("isa")};
  if (place.isa != "emulated") return place;
  if (place.machine != "auto" && place.machine != "emulated") {
    throw UsageError("--isa emulated: --machine " + place.machine + " does not run it; leave --machine out");
  }
  return {"emulated", ""};
}

int run_lab(const std::string& command, std::span<const lab::Experiment> experiments,
            const std::vector<std::string>& names, const lab::LabOptions& options, const Arguments& arguments,
            const char* list) {
  const LabPlace place = lab_place_of(arguments);
  const auto machine = lab::make_lab_machine(place.machine, place.isa);
  machine->tasks().use_budget(options.budget, command);
  const ResultFiles files(command, arguments);
  std::vector<ResultTable> tables;
  {
    Progress progress;
    for (const std::string& name : names) {
      tables.push_back(
          run_experiment(experiments, name, *machine, options, [&](const std::string& what) { progress.show(what); }));
      files.add(tables.back());
    }
  }
  Json document = {{"machine", machine->name},  {"detail", machine->detail},
                   {"lanes", machine->width()}, {"cores", std::thread::hardware_concurrency()},
                   {"seed", options.seed},      {"runs", options.runs}};
  std::string failed;
  size_t ended = 0;
  for (const ResultTable& table : tables) {
    Json& rows = document[list != nullptr ? list : table.name];
    if (rows.is_null()) rows = Json::array();
    for (Json& row : json_rows(table)) {
      if (row.contains("error")) {
        const std::string error = row["error"].get<std::string>();
        if (lab::is_time_limit(error)) {
          ++ended;
        } else {
          failed = table.name + ": " + error;
        }
      }
      rows.push_back(std::move(row));
    }
  }
  if (files.finish(document)) {
    for (const ResultTable& table : tables) {
      const auto experiment = std::find_if(experiments.begin(), experiments.end(),
                                           [&](const lab::Experiment& e) { return table.name == e.name; });
      print(table, experiment == experiments.end() ? "" : experiment->paper);
    }
  }
  if (ended > 0) {
    std::cerr << "warning: " << command << ": " << counted(ended, "configuration")
              << " did not end within the time limit (--seconds); the rows say so\n";
  }
  if (!failed.empty()) throw std::runtime_error(failed);
  return kSuccess;
}

}  // namespace brokkr::app
