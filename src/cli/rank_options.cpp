#include "cli/rank_options.h"

#include <stdexcept>

#include "brokkr/choices.h"
#include "brokkr/pattern.h"

namespace brokkr::app {

std::vector<Option> owner_options() {
  std::vector<std::string> patterns;
  for (const auto& choice : Choices<PatternKind>::all) patterns.emplace_back(choice.name);
  return {Option{.names = "--rank-pattern",
                 .kind = ValueKind::choice_or_file,
                 .value = "P",
                 .help = "Which rank owns which square of pixels (diagonal): a pattern as of --pattern, or its FILE",
                 .choices = patterns},
          Option{.names = "--rank-bin",
                 .kind = ValueKind::power_of_two,
                 .value = "N",
                 .help = "Edge of the squares in pixels, a power of two (32)",
                 .min = 8,
                 .max = 256}};
}

void read_owner_options(const Arguments& arguments, ranks::RankSettings& settings) {
  settings.bin = int(arguments.integer("rank-bin", settings.bin));
  if (!arguments.has("rank-pattern")) return;
  try {
    settings.pattern = choose_pattern(arguments.text("rank-pattern"));
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--rank-pattern: ") + error.what());
  }
}

}  // namespace brokkr::app
