// What the commands with experiments share: results as tables of text, where they go, and the options for it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/command.h"
#include "lab/lab_machine.h"

namespace brokkr::app {

struct ResultTable {
  std::string name;  // of its file: COMMAND-NAME.csv
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells each as there are columns; empty: no value
};

// An object per row. Columns of nothing but numbers hold numbers; cells without a value are left out.
nlohmann::ordered_json json_rows(const ResultTable& table);

// Where results go besides the terminal: --output DIR and --json FILE (- for standard output).
class ResultFiles {
 public:
  // Makes the folder, so that nothing is measured in vain. Throws std::runtime_error.
  ResultFiles(std::string command, const Arguments& arguments);

  // Writes DIR/COMMAND-NAME.csv where a folder is asked for and the table has rows.
  void add(const ResultTable& table) const;

  // Writes or prints the document where that is asked for. False: standard output is taken.
  bool finish(const nlohmann::ordered_json& document) const;

 private:
  std::string command_, folder_, json_;
};

// -o and --json as ResultFiles reads them.
std::vector<Option> result_options(const std::string& command);

// --machine, --runs, --seed, --seconds of the experiments that run on a lab machine, and its JSON heading.
std::vector<Option> lab_options(const char* machine_help, int runs);
nlohmann::ordered_json lab_heading(const lab::LabMachine& machine, uint32_t seed, uint32_t runs);

// EXPERIMENT and --quick; `quick_help` says how little is then measured.
std::vector<Option> experiment_options(std::vector<std::string> names, const char* quick_help);

// A number with its range.
Option integer_option(const char* name, const char* help, double min, double max);

// Names of a table of experiments, in its order.
template <class Experiments>
std::vector<std::string> names_of(const Experiments& experiments) {
  std::vector<std::string> names;
  for (const auto& experiment : experiments) names.emplace_back(experiment.name);
  return names;
}

}  // namespace brokkr::app
