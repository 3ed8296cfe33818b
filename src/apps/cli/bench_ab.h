// `brokkr bench --ab`: two variants take turns in one run, so that whatever else the computer does happens to both.
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
  std::string options;  // as a user would write them behind the command
  RenderOptions render;
  std::vector<Workload> workloads;  // the same files and shadings for both variants
  std::filesystem::path program;    // empty: this process draws
  std::vector<std::string> words;   // the options, for that program
};

// One file and shading. Index 0 is A, 1 is B.
struct AbRow {
  Workload workload;
  std::string error;  // where it is not empty, no other value holds
  int width = 0, height = 0, layers = 1;
  uint64_t triangles = 0;
  Race race;
  std::string order;  // for each pair the variant that was drawn first: "ABBA…"
  MachineLoad load;
  std::array<Statistics, 2> last;                         // of this process's frames
  std::optional<bool> same_picture;                       // nothing where other programs drew
  std::array<std::vector<std::vector<double>>, 2> turns;  // of programs: the times of all frames of each turn
};

// `arguments` with the options of `text` on top: words with blanks between them, quoted as in a shell. Throws
// UsageError for what is none of `known`.
Arguments with_options(const Arguments& arguments, const std::string& text, const std::vector<Option>& known);

// The options of `known` that `arguments` has, as words of a command line.
std::vector<std::string> option_words(const Arguments& arguments, const std::vector<Option>& known);

nlohmann::ordered_json ab_json(const AbRow& row);
std::string ab_csv(const std::vector<AbRow>& rows);
std::string ab_table(const std::vector<AbRow>& rows);

// Draws pairs and writes what --json, --csv and --log ask for, or a table. Returns the exit code. Throws UsageError and
// std::runtime_error.
int run_ab(const Arguments& arguments, const std::array<AbVariant, 2>& variants);

}  // namespace brokkr::app
