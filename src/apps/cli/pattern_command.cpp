// brokkr pattern: shows a bin pattern as a picture or as text.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/picture.h"
#include "app/text.h"
#include "bin/pattern_image.h"
#include "bin/weighted_pattern.h"
#include "brokkr/pattern.h"
#include "cli/commands.h"
#include "plan/options.h"

namespace brokkr::app {
namespace {

constexpr int kDefaultBins = 32;  // per side, for patterns that do not repeat

void list_patterns(const std::string& json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& pattern : Choices<PatternKind>::all)
    all.push_back({{"name", pattern.name}, {"meaning", pattern.meaning}});
  if (write_document(json, all)) return;
  for (const auto& pattern : Choices<PatternKind>::all) {
    std::cout << fmt::format("{:34}{}\n", pattern.name, pattern.meaning);
  }
}

// Prints the owners of the bins, top row first as in the picture.
void print_table(const Pattern& pattern, int bins_x, int bins_y) {
  const size_t width = std::to_string(pattern.rasterizers - 1).size();
  std::string text;
  for (int y = bins_y - 1; y >= 0; --y) {
    for (int x = 0; x < bins_x; ++x) text += fmt::format("{}{:{}}", x == 0 ? "" : " ", pattern.at(x, y), width);
    text += '\n';
  }
  std::cout << text;
}

// --weights: whole numbers from 1 on.
std::vector<int> weights_of(const std::string& list) {
  std::vector<int> weights;
  for (const std::string& text : split(list)) {
    size_t used = 0;
    int weight = 0;
    try {
      weight = std::stoi(text, &used);
    } catch (const std::exception&) {
    }
    if (used == 0 || used != text.size() || weight < 1 || weight > kMaxRasterizers)
      throw UsageError("--weights: '" + text + "' is not a whole number from 1 to " + std::to_string(kMaxRasterizers) +
                       ", as in 5,5,5,5,4,4");
    weights.push_back(weight);
  }
  if (std::accumulate(weights.begin(), weights.end(), 0) > kMaxRasterizers || weights.size() > size_t(kMaxRasterizers))
    throw UsageError("--weights: their sum is above " + std::to_string(kMaxRasterizers) + "; give smaller ones");
  return weights;
}

// The pattern that the command line describes, as a file would hold it.
SavedPattern chosen_pattern(const Arguments& arguments, const std::string& name) {
  const auto [bins_x, bins_y] = arguments.size("bins");
  const PatternChoice choice = choose_pattern(name);
  if (const SavedPattern* const saved = saved_pattern(choice); saved != nullptr && arguments.has("rasterizers"))
    throw UsageError("--rasterizers: " + name + " is for " + std::to_string(saved->pattern.rasterizers) +
                     "; leave it out");
  const bool is_weighted = arguments.has("weights");
  if (is_weighted && arguments.has("rasterizers"))
    throw UsageError("--weights: there are as many rasterizers as weights; leave --rasterizers out");
  const std::vector<int> weights = is_weighted ? weights_of(arguments.text("weights")) : std::vector<int>{};
  const int parts = is_weighted ? std::accumulate(weights.begin(), weights.end(), 0)
                                : static_cast<int>(arguments.integer("rasterizers", 16));
  SavedPattern chosen{
      .name = pattern_name(choice),
      .description = pattern_name(choice),
      .pattern = make_pattern(choice, parts, bins_x > 0 ? bins_x : kDefaultBins, bins_y > 0 ? bins_y : kDefaultBins,
                              static_cast<uint32_t>(arguments.integer("seed", 1)))};
  if (!is_weighted) return chosen;
  if (chosen.pattern.rasterizers != parts)
    throw UsageError("--weights: their sum is " + std::to_string(parts) + ", and " + name + " is for " +
                     std::to_string(chosen.pattern.rasterizers));
  chosen.pattern = weighted_pattern(chosen.pattern, weights);
  chosen.name = "weighted-" + std::to_string(weights.size());
  chosen.description += ", weights " + arguments.text("weights");
  return chosen;
}

int run_pattern(const Arguments& arguments) {
  const std::string json = arguments.text("json");
  if (arguments.has("list")) {
    list_patterns(json);
    return kSuccess;
  }
  const std::string name = arguments.text("NAME"), picture = arguments.text("output");
  if (name.empty()) throw UsageError("NAME is missing; `brokkr pattern --list` shows them all");
  if (!picture.empty()) require_picture(picture, {".png"}, "--output");
  for (const char* const drawn : {"highlight", "cells"}) {
    if (arguments.has(drawn) && picture.empty())
      throw UsageError(std::string("--") + drawn + ": is for a picture; give -o FILE.png too");
  }
  const SavedPattern chosen = chosen_pattern(arguments, name);
  const Pattern& pattern = chosen.pattern;
  const auto [bins_x, bins_y] = arguments.size("bins");
  const std::string saved_as = arguments.text("save");
  if (!saved_as.empty()) {
    require_ending(saved_as, {".json"}, "--save");
    save_pattern(saved_as, chosen);
  }
  if (!json.empty()) write_out(json, pattern_text(chosen));
  if (!picture.empty()) {
    const PatternImage image = draw_pattern(pattern, {.bins_x = bins_x,
                                                      .bins_y = bins_y,
                                                      .cell = static_cast<int>(arguments.integer("cells", 16)),
                                                      .highlight = arguments.has("highlight")});
    write_pixels(picture, image.width, image.height, image.pixels);
  }
  if (picture == "-" || json == "-") return kSuccess;
  if (const std::string& written = picture.empty() ? saved_as : picture; !written.empty()) {
    std::cout << fmt::format("{}: {} over {}, {}x{} bins\n", written, chosen.name,
                             counted(uint64_t(pattern.rasterizers), "rasterizer"), pattern.width, pattern.height);
  } else if (json.empty()) {
    print_table(pattern, bins_x > 0 ? bins_x : pattern.width, bins_y > 0 ? bins_y : pattern.height);
  }
  return kSuccess;
}

}  // namespace

Command pattern_command() {
  return {"pattern",
          "Draw a bin pattern, which determines the rasterizer of each bin",
          {{.names = "NAME",
            .kind = ValueKind::choice_or_file,
            .value = "NAME",
            .help = "Name of the pattern (see --list), or a FILE that `brokkr patterns` saved",
            .choices = names_of<PatternKind>()},
           flag("--list", "List the patterns"),
           integer_option("-n,--rasterizers", "Rasterizers that share the bins (16)", 1, kMaxRasterizers),
           text_option("--weights", "LIST",
                       "Strengths of the rasterizers, as in 5,5,5,5,4,4: each gets bins in proportion"),
           json_option("Write the pattern as JSON, in the form of --save; with --list: the names"),
           announced(output_option("--save", "FILE.json", "The pattern as a file for --pattern and --rank-pattern")),
           output_option("-o,--output", "FILE.png",
                         "Picture, - for PNG to standard output; without it the table is printed"),
           size_option("--bins", "Bins to show (one period of the pattern)", 1, 4096),
           integer_option("--cells", "Pixels per bin in the picture (16)", 1, 256),
           flag("--highlight", "Colour only the first rasterizer"),
           integer_option("--seed", "Seed of the random patterns (1)", 0, 4294967295.0)},
          run_pattern};
}

}  // namespace brokkr::app
