#include "app/pipeline_options.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "app/text.h"
#include "pipeline/task_machine.h"
#include "plan/options.h"

namespace brokkr::app {
namespace {

// The kind of value that the command line takes for a field of this type.
template <class T>
ValueKind kind_of(const OptionInfo& info) {
  if constexpr (std::is_same_v<T, PatternChoice>) {
    return ValueKind::choice_or_file;
  } else if constexpr (HasChoices<T> || std::is_same_v<T, std::string>) {
    return ValueKind::choice;
  } else if constexpr (std::is_integral_v<T>) {
    return info.power_of_two ? ValueKind::power_of_two : ValueKind::integer;
  } else {
    return std::is_floating_point_v<T> ? ValueKind::real : ValueKind::text;
  }
}

// Help of an option, such as "Policy edf: of each view, in ms (none)".
std::string help_of(const OptionInfo& info, ValueKind kind, const std::string& standard,
                    const std::vector<std::string>& choices) {
  std::string help = info.help;
  const auto condition = [&](const std::string& text) {
    if (std::islower(static_cast<unsigned char>(help[1])) != 0) help[0] = char(std::tolower(help[0]));
    help = text + ": " + help;
  };
  if (info.policy) condition(std::string("Policy ") + name_of(*info.policy));
  if (info.machine) condition(std::string("Machine ") + name_of(*info.machine));
  if (info.power_of_two) help += ", a power of two";
  if (*info.unit != 0) help += std::string(", in ") + info.unit;
  const std::string zero = info.zero;
  const bool number = kind == ValueKind::integer || kind == ValueKind::real;
  if (!zero.empty())
    help += number ? " (0: " + zero + ")" : " (" + zero + ")";
  else if (choices.empty())
    help += " (" + standard + ")";
  for (size_t i = 0; i < choices.size(); ++i) help += (i == 0 ? ": " : ", ") + choices[i];
  if (kind == ValueKind::choice_or_file) help += ", or a FILE that `brokkr patterns` saved";
  return help;
}

// The choices of an option for its help. The levels of x86 say nothing to those who know the names of instructions.
std::vector<std::string> explained(const OptionInfo& info, std::vector<std::string> choices) {
  if (std::string_view(info.name) != option_info::isa.name) return choices;
  for (std::string& choice : choices) {
    for (const auto& [level, instructions] :
         {std::pair{"v2", "SSE4.2"}, std::pair{"v3", "AVX2"}, std::pair{"v4", "AVX-512"}, std::pair{"neon", "ARM"}}) {
      if (choice == level) choice += std::string(" (") + instructions + ")";
    }
  }
  return choices;
}

// The name of an option's value in help: "N" for a number, "LIST" for a list, otherwise the option's initial.
std::string placeholder(const OptionInfo& info, ValueKind kind) {
  if (*info.form != 0) return info.form;
  if (kind == ValueKind::text) return "LIST";
  const bool choice = kind == ValueKind::choice || kind == ValueKind::choice_or_file;
  return choice ? std::string(1, char(std::toupper(info.name[0]))) : "N";
}

}  // namespace

std::vector<Option> pipeline_options() {
  const RenderOptions standard;
  const std::map<std::string, std::string> texts = option_texts(standard);
  std::vector<Option> options;
  for_each_option(standard, [&]<class T>(const OptionInfo& info, const T&) {
    const ValueKind kind = kind_of<T>(info);
    const std::vector<std::string> choices = names_of<T>(info);
    const auto text = texts.find(info.name);
    options.push_back({.names = std::string("--") + info.name,
                       .kind = kind,
                       .value = placeholder(info, kind),
                       .help = help_of(info, kind, text == texts.end() ? "" : text->second, explained(info, choices)),
                       .min = info.min,
                       .max = info.max,
                       .choices = choices,
                       .group = "Pipeline",
                       .rare = info.rare});
  });
  return options;
}

std::vector<Option> picture_options() {
  std::vector<Option> options = pipeline_options();
  for (Option& option : options) {
    if (option.names != std::string("--") + option_info::samples.name) continue;
    option.help =
        "Coverage samples of a pixel, a power of two; pictures show their average (4 for scenes; 1 for "
        "captured frames, which have their own number, for false colours, and where something is measured)";
  }
  return options;
}

void read_options(const Arguments& arguments, RenderOptions& options) {
  for_each_option(options, [&](const OptionInfo& info, const auto&) {
    if (!arguments.has(info.name)) return;
    try {
      set_option(options, info.name, arguments.text(info.name));
    } catch (const std::invalid_argument& error) {
      throw UsageError(std::string("--") + info.name + ": " + error.what());
    }
  });
}

RenderOptions render_options(const Arguments& arguments) {
  RenderOptions options;
  read_options(arguments, options);
  for_each_option(options, [&](const OptionInfo& info, const auto&) {
    if (!arguments.has(info.name) || is_read(info, options)) return;
    const bool is_policy = info.policy && *info.policy != options.policy;
    throw UsageError(fmt::format("--{}: is for --{} {}, and not for {}", info.name, is_policy ? "policy" : "machine",
                                 is_policy ? name_of(*info.policy) : name_of(*info.machine),
                                 is_policy ? name_of(options.policy) : name_of(options.machine)));
  });
  return options;
}

std::vector<Option> joined(std::vector<Option> first, const std::vector<Option>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<Option> simt_options() {
  Option config = text_option("--simt-config", "FILE",
                              "Machine simt: count cycles on this machine, named by `brokkr simt --list` or described "
                              "by a JSON file (none: run fast, without counting)");
  config.group = "Pipeline";
  config.use = FileUse::read;
  config.rare = true;
  return {config};
}

void set_up_simt(const Arguments& arguments, const std::string& machine) {
  if (machine != "simt") {
    if (arguments.has("simt-config")) throw UsageError("--simt-config is for --machine simt");
    return;
  }
  simt_device().set_up(arguments.text("simt-config"), 0);
}

std::string simt_report(const Arguments& arguments) {
  return arguments.has("simt-config") ? simt_device().report() : "";
}

std::vector<std::string> simt_lines(const std::string& report) {
  std::vector<std::string> lines;
  if (report.empty()) return lines;
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(report);
  const auto share = [](double part, double whole) { return fixed(whole > 0 ? 100 * part / whole : 0, 1) + " %"; };
  for (const auto& k : json.at("kernels")) {
    const auto number = [&](const char* name) { return k.at(name).get<double>(); };
    const auto& occupancy = k.at("occupancy");
    double chances = 0;
    for (const auto& [name, n] : occupancy.items()) chances += n.get<double>();
    lines.push_back(fmt::format(
        "{}: {} cycles, {} instructions a cycle, {} lanes used, {} stalled, {} idle, L1 {}, L2 {} hits",
        k.at("kernel").get<std::string>(), grouped(k.at("cycles").get<uint64_t>()),
        fixed(number("instructions_per_cycle"), 2), fixed(100 * number("lanes_used"), 1) + " %",
        share(occupancy.at("stalled").get<double>(), chances), share(occupancy.at("idle").get<double>(), chances),
        share(number("l1_hits"), number("l1_hits") + number("l1_misses")),
        share(number("l2_hits"), number("l2_hits") + number("l2_misses"))));
  }
  return lines;
}

namespace {

template <class Find>
auto each_of(const std::string& list, const std::string& option, Find&& find) try {
  std::vector<std::decay_t<decltype(find(list))>> result;
  for (const std::string& name : split(list)) result.push_back(find(name));
  return result;
} catch (const std::invalid_argument& error) {
  throw UsageError(option + ": " + printable(error.what()));
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const BatchModel& model : batch_models()) names.push_back(model.name);
  return names;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const ReorderInfo& info : reorder_methods()) names.emplace_back(info.name);
  return names;
}

Option model_option() {
  return choice_option("--model", "MODEL", "Batch model to reorder for (nvidia)", model_names());
}

const BatchModel& chosen_model(const Arguments& arguments) { return batch_model(arguments.text("model", "nvidia")); }

std::vector<BatchModel> models_of(const std::string& list, const std::string& option) {
  return each_of(list, option, [](const std::string& name) { return batch_model(name); });
}

std::vector<ReorderInfo> methods_of(const std::string& list, const std::string& option) {
  return each_of(list, option, [](const std::string& name) { return reorder_method(name); });
}

}  // namespace brokkr::app
