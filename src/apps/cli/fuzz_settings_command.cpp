// brokkr fuzz-settings: draws a frame with random settings, none of which may change the picture.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/input.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "cli/commands.h"
#include "inspect/settings_check.h"
#include "log/text.h"
#include "plan/options.h"

namespace brokkr::app {
namespace {

constexpr int64_t kRuns = 100;

// Quotes a word so that a shell reads it back.
std::string shell_word(const std::string& text) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// The file and the loading and drawing options that the user gave, in the form that `brokkr render` takes.
std::string given_text(const Arguments& arguments) {
  std::string text = shell_word(arguments.text("FILE"));
  for (const Option& option : joined(input_options(), pipeline_options())) {
    const std::string name = key_of(option);
    if (arguments.has(name)) text += " --" + name + " " + shell_word(arguments.text(name));
  }
  return text;
}

struct Report {
  int64_t runs = 0;  // completed
  std::optional<PictureDifference> difference;
  std::vector<std::string> commands;  // commands that reproduce the difference
};

// Commands that draw two pictures that show the difference, and compare them.
std::vector<std::string> showing_commands(const Arguments& arguments, const Frame& frame,
                                          const PictureDifference& found, const std::string& settings) {
  const std::string command = "brokkr render " + given_text(arguments);
  if (!found.refusal.empty()) return {command + settings + " --no-output"};
  const std::string what = found.what;
  const std::string place = fmt::format(" --target {} --layer {}", frame.targets[found.target].id, found.layer);
  const char* const aov = what == "depth"              ? "depth"
                          : what == "coverage"         ? "overdraw"
                          : what == "visible triangle" ? "triangle"
                                                       : "";
  const auto writes = [&](const std::string& name) {
    return *aov != 0 ? fmt::format(" --no-output --aov {}={}.pfm", aov, name) : fmt::format(" -o {}.png", name);
  };
  const char* const kind = *aov != 0 ? "pfm" : "png";
  return {command + settings + place + writes("different"), command + place + writes("expected"),
          fmt::format("brokkr compare expected.{} different.{}", kind, kind)};
}

Report check(const Arguments& arguments, Frame& frame) {
  Report report;
  Progress progress;
  frame = load_input(arguments.text("FILE"), arguments, progress);
  RenderOptions base;  // machine and policy may be random, so each option is allowed
  read_options(arguments, base);
  if (base.frame_budget_ms > 0)
    throw UsageError("--budget: a frame that is cut off has no complete picture to compare; leave it out");
  std::set<std::string> kept;
  if (saved_pattern(base.pattern) != nullptr) kept.insert(option_info::rasterizers.name);
  for_each_option(base, [&](const OptionInfo& info, const auto&) {
    if (arguments.has(info.name)) kept.insert(info.name);
  });
  progress.show("rendering with the given settings");
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame, load_options(arguments));
  const SettingsCheck settings([&](const RenderOptions& o) { return renderer.render(prepared, o).targets; }, base);
  const int64_t runs = arguments.integer("runs", kRuns);
  Lot lot(uint64_t(arguments.integer("seed", 1)));
  while (report.runs < runs && !report.difference) {
    RenderOptions options = random_settings(base, kept, frame, lot);
    progress.show(fmt::format("{} of {}:{}", ++report.runs, runs, settings_text(options, base)));
    report.difference = settings.difference(options);
    if (!report.difference) continue;
    progress.show("reducing the settings");
    options = settings.fewest(options);
    if (const auto again = settings.difference(options)) report.difference = again;
    report.commands = showing_commands(arguments, frame, *report.difference, settings_text(options, base));
  }
  return report;
}

nlohmann::ordered_json to_json(const Arguments& arguments, const Frame& frame, const Report& report) {
  nlohmann::ordered_json json = {{"file", arguments.text("FILE")},
                                 {"seed", arguments.integer("seed", 1)},
                                 {"runs", report.runs},
                                 {"passed", !report.difference},
                                 {"difference", nullptr}};
  if (!report.difference) return json;
  const PictureDifference& found = *report.difference;
  json["difference"] = {{"what", found.what}, {"commands", report.commands}};
  if (!found.refusal.empty()) {
    json["difference"]["refusal"] = found.refusal;
  } else {
    json["difference"].update({{"target", frame.targets[found.target].id},
                               {"layer", found.layer},
                               {"pixels", found.pixels},
                               {"first", {found.x, found.y}}});
  }
  return json;
}

void print(const Arguments& arguments, const Frame& frame, const Report& report) {
  const std::string file = printable(arguments.text("FILE"));
  if (!report.difference) {
    std::cout << fmt::format(
        "{}: {} settings of seed {} drew the same bits: colour, depth, stencil, identifiers, "
        "coverage\n",
        file, report.runs, arguments.integer("seed", 1));
    return;
  }
  const PictureDifference& found = *report.difference;
  if (!found.refusal.empty()) {
    std::cout << file << ": settings " << report.runs << " are refused: " << printable(found.refusal) << '\n';
  } else {
    std::cout << fmt::format("{}: settings {} change the {} of {} pixels of target {}, layer {}, first at ({}, {})\n",
                             file, report.runs, found.what, grouped(found.pixels), frame.targets[found.target].id,
                             found.layer, found.x, found.y);
  }
  for (const std::string& command : report.commands) std::cout << "  " << printable(command) << '\n';
}

int run_fuzz_settings(const Arguments& arguments) {
  Frame frame;
  const Report report = check(arguments, frame);
  if (!write_document(arguments.text("json"), to_json(arguments, frame, report))) print(arguments, frame, report);
  return report.difference ? kFailure : kSuccess;
}

}  // namespace

Command fuzz_settings_command() {
  const std::vector<Option> own = {
      needed(file_option("FILE", "FILE", "Frame (.bkf) or scene (.obj, .gltf, .glb, .ply, .stl, generated:NAME)")),
      integer_option("--runs", "Random settings to draw the frame with (100)", 1, 1000000000),
      integer_option("--seed", "Another seed gives other settings (1)", 0, 4294967295.0, "S"),
      json_option("Write the result as JSON"),
  };
  return {"fuzz-settings",
          "Draw a frame with random settings, and fail if one changes a bit of the picture; pipeline options on the "
          "command line stay fixed",
          joined(joined(own, input_options()), pipeline_options()), run_fuzz_settings};
}

}  // namespace brokkr::app
