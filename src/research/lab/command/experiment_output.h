// Shared by commands with experiments: prints results as text tables, writes their files, and defines the options for
// both.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/command.h"
#include "lab/experiment.h"

namespace brokkr::app {

using lab::ResultTable;

// One object per row. Columns with only numbers hold numbers; cells without a value are omitted.
nlohmann::ordered_json json_rows(const ResultTable& table);

// The output files: --output DIR and --json FILE (- for standard output).
class ResultFiles {
 public:
  // Creates the folder first, so that an error precedes all measurements. Throws std::runtime_error.
  ResultFiles(std::string command, const Arguments& arguments);

  // Writes DIR/COMMAND-NAME.csv if a folder was given and the table has rows.
  void add(const ResultTable& table) const;

  // Writes the document to --json FILE. Returns false if FILE is standard output, to which nothing else may then be
  // written.
  bool finish(const nlohmann::ordered_json& document) const;

 private:
  std::string command_, folder_, json_;
};

// The options -o and --json of ResultFiles.
std::vector<Option> result_options(const std::string& command);

// The options of experiments that run on a lab machine: EXPERIMENT, --quick, `command_options`, --machine, --isa,
// --runs, --seed, --seconds, --memory-limit, and the output files. `quick_help` describes what --quick measures.
std::vector<Option> lab_options(const std::string& command, std::span<const lab::Experiment> experiments,
                                const char* quick_help, std::vector<Option> command_options, const char* machine_help,
                                int runs);
// `remedy`: tells the user how to need less memory.
lab::LabOptions lab_options_of(const Arguments& arguments, uint32_t quick_runs, uint32_t runs, const char* remedy);

// The machine from --machine and --isa; `--isa emulated` is the emulated machine. Throws UsageError if they contradict
// each other.
struct LabPlace {
  std::string machine, isa;
};
LabPlace lab_place_of(const Arguments& arguments);

// Runs experiments, writes their tables and prints them. In the JSON document, rows are lists by experiment, or one
// list named `list`. Throws std::runtime_error for the last row with an error, after everything is written.
int run_lab(const std::string& command, std::span<const lab::Experiment> experiments,
            const std::vector<std::string>& names, const lab::LabOptions& options, const Arguments& arguments,
            const char* list = nullptr);

// The names of the experiments in a table, in order.
template <class Experiments>
std::vector<std::string> names_of(const Experiments& experiments) {
  std::vector<std::string> names;
  for (const auto& experiment : experiments) names.emplace_back(experiment.name);
  return names;
}

// The measuring commands, one per file.
Command queues_command();
Command schedule_command();
Command patterns_command();
Command batches_command();

}  // namespace brokkr::app
