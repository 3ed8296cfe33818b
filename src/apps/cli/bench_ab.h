// `brokkr bench --ab`: two variants alternate within one run, so that any other load on the computer affects both
// alike.
#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/workload.h"
#include "brokkr/renderer.h"
#include "log/frame_statistics.h"

namespace brokkr::app {

struct AbVariant {
  std::string options;  // as a user would write them after the command
  RenderOptions render;
  std::vector<Workload> workloads;  // the same files and shadings for both variants
  std::filesystem::path program;    // the program that draws this variant; empty: this process
  std::vector<std::string> words;   // the options to pass to that program
};

// One file and shading. Index 0 is A, 1 is B.
struct AbRow {
  Workload workload;
  std::string error;  // if not empty, no other value is valid
  int width = 0, height = 0, layers = 1;
  uint64_t triangles = 0;
  Race race;
  std::string order;  // the variant drawn first in each pair: "ABBA…"
  MachineLoad load;
  std::array<Statistics, 2> last;                         // of the last frames that this process drew
  std::optional<bool> same_picture;                       // empty if other programs drew
  std::array<std::vector<std::vector<double>>, 2> turns;  // for other programs: the frame times of each turn
};

// `arguments` overridden by the options in `text`: words separated by blanks, quoted as in a shell. Throws UsageError
// for an option that is not in `known`.
Arguments with_options(const Arguments& arguments, const std::string& text, const std::vector<Option>& known);

// The options in `arguments` that `known` lists, as words of a command line.
std::vector<std::string> option_words(const Arguments& arguments, const std::vector<Option>& known);

nlohmann::ordered_json ab_json(const AbRow& row);
std::string ab_csv(const std::vector<AbRow>& rows);
std::string ab_table(const std::vector<AbRow>& rows);

// Draws the pairs and writes what --json, --csv and --log ask for, or a table. Returns the exit code. Throws UsageError
// and std::runtime_error.
int run_ab(const Arguments& arguments, const std::array<AbVariant, 2>& variants);

}  // namespace brokkr::app
