// Code that the commands with experiments share: results as tables of text, the files they go to, and the options for
// these.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/command.h"
#include "lab/experiment.h"
#include "lab/result_table.h"

namespace brokkr::app {

using lab::ResultTable;

// An object per row. Columns of nothing but numbers hold numbers; cells without a value are left out.
nlohmann::ordered_json json_rows(const ResultTable& table);

// The files that results go to: --output DIR and --json FILE (- for standard output).
class ResultFiles {
 public:
  // Makes the folder first: an error comes before anything is measured. Throws std::runtime_error.
  ResultFiles(std::string command, const Arguments& arguments);

  // Writes DIR/COMMAND-NAME.csv where a folder is asked for and the table has rows.
  void add(const ResultTable& table) const;

  // Writes the document to --json FILE. False where FILE is standard output, to which nothing else may then go.
  bool finish(const nlohmann::ordered_json& document) const;

 private:
  std::string command_, folder_, json_;
};

// -o and --json as ResultFiles reads them.
std::vector<Option> result_options(const std::string& command);

// The experiments that run on a lab machine: EXPERIMENT, --quick, `own`, --machine, --isa, --runs, --seed, --seconds,
// --memory-limit, and where results go. `quick_help` says what is then measured.
std::vector<Option> lab_options(const std::string& command, std::span<const lab::Experiment> experiments,
                                const char* quick_help, std::vector<Option> own, const char* machine_help, int runs);
// `remedy`: what takes less memory.
lab::LabOptions lab_options_of(const Arguments& arguments, uint32_t quick_runs, uint32_t runs, const char* remedy);

// What --machine and --isa say; `--isa emulated` is the emulated machine. Throws UsageError where they contradict.
struct LabPlace {
  std::string machine, isa;
};
LabPlace lab_place_of(const Arguments& arguments);

// Runs experiments and writes, then prints their tables. In the JSON document, rows are lists by experiment, or one
// list of the name `list`. Throws std::runtime_error for the last row with an error, after all is written.
int run_lab(const std::string& command, std::span<const lab::Experiment> experiments,
            const std::vector<std::string>& names, const lab::LabOptions& options, const Arguments& arguments,
            const char* list = nullptr);

// The names of a table of experiments, in its order.
template <class Experiments>
std::vector<std::string> names_of(const Experiments& experiments) {
  std::vector<std::string> names;
  for (const auto& experiment : experiments) names.emplace_back(experiment.name);
  return names;
}

}  // namespace brokkr::app
