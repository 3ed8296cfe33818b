// brokkr pattern: a bin pattern as a picture or as text.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "app/picture.h"
#include "bin/pattern_image.h"
#include "brokkr/pattern.h"
#include "cli/commands.h"
#include "plan/options.h"

namespace brokkr::app {
namespace {

constexpr int kDefaultBins = 32;  // of patterns that do not repeat, per side

void list_patterns() {
  for (const auto& pattern : Choices<PatternKind>::all) {
    std::cout << fmt::format("{:34}{}\n", pattern.name, pattern.meaning);
  }
}

// The owners of the bins, top row first as in the picture.
void print_table(const Pattern& pattern, int bins_x, int bins_y) {
  const size_t width = std::to_string(pattern.rasterizers - 1).size();
  std::string text;
  for (int y = bins_y - 1; y >= 0; --y) {
    for (int x = 0; x < bins_x; ++x) text += fmt::format("{}{:{}}", x == 0 ? "" : " ", pattern.at(x, y), width);
    text += '\n';
  }
  std::cout << text;
}

int run_pattern(const Arguments& arguments) {
  if (arguments.has("list")) {
    list_patterns();
    return kSuccess;
  }
  const std::string name = arguments.text("NAME"), picture = arguments.text("output");
  if (name.empty()) throw UsageError("NAME is missing; `brokkr pattern --list` shows them all");
  if (!picture.empty()) require_picture(picture, {".png"}, "--output");
  const auto [bins_x, bins_y] = arguments.size("bins");
  const PatternChoice choice = choose_pattern(name);
  if (const SavedPattern* const saved = saved_pattern(choice); saved != nullptr && arguments.has("rasterizers"))
    throw UsageError("--rasterizers: " + name + " is for " + std::to_string(saved->pattern.rasterizers) +
                     "; leave it out");
  const Pattern pattern =
      make_pattern(choice, static_cast<int>(arguments.integer("rasterizers", 16)), bins_x > 0 ? bins_x : kDefaultBins,
                   bins_y > 0 ? bins_y : kDefaultBins, static_cast<uint32_t>(arguments.integer("seed", 1)));
  if (picture.empty()) {
    print_table(pattern, bins_x > 0 ? bins_x : pattern.width, bins_y > 0 ? bins_y : pattern.height);
    return kSuccess;
  }
  const PatternImage image = draw_pattern(pattern, {.bins_x = bins_x,
                                                    .bins_y = bins_y,
                                                    .cell = static_cast<int>(arguments.integer("cells", 16)),
                                                    .highlight = arguments.has("highlight")});
  write_pixels(picture, image.width, image.height, image.pixels);
  if (picture == "-") return kSuccess;
  std::cout << picture << ": " << pattern_name(choice) << " over " << pattern.rasterizers << " rasterizers, "
            << pattern.width << "x" << pattern.height << " bins\n";
  return kSuccess;
}

}  // namespace

Command pattern_command() {
  return {"pattern",
          "Draw a bin pattern: which rasterizer owns which bin",
          {{.names = "NAME",
            .kind = ValueKind::choice_or_file,
            .value = "NAME",
            .help = "Name of the pattern (see --list), or a FILE that `brokkr patterns` saved",
            .choices = names_of<PatternKind>()},
           flag("--list", "List the patterns"),
           integer_option("-n,--rasterizers", "Rasterizers that share the bins (16)", 1, kMaxRasterizers),
           output_option("-o,--output", "FILE.png",
                         "Picture, - for PNG to standard output; without it the table is printed"),
           size_option("--bins", "Bins to show (one period of the pattern)", 1, 4096),
           integer_option("--cells", "Pixels per bin in the picture (16)", 1, 256),
           flag("--highlight", "Colour only the first rasterizer"),
           integer_option("--seed", "Seed of the random patterns (1)", 0, 4294967295.0)},
          run_pattern};
}

}  // namespace brokkr::app
