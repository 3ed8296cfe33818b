#include "plan/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/nearest_name.h"

namespace brokkr {
namespace {

// The shortest text that parses back to the same number.
std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : std::string();
}

std::string plain(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? std::to_string(int64_t(value)) : shortest(value);
}

std::string range(const char* kind, double min, double max) {
  return std::string(" is not ") + kind + " of " + plain(min) + " to " + plain(max);
}

const char* kind_of_whole(bool power_of_two) { return power_of_two ? "a power of two" : "a whole number"; }

bool is_power_of_two(double value) { return std::exp2(std::round(std::log2(value))) == value; }

template <class T>
std::string text_of(const T& value) {
  if constexpr (HasChoices<T>) {
    return name_of(value);
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return shortest(double(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, PatternChoice>) {
    const SavedPattern* const saved = saved_pattern(value);
    return saved != nullptr ? saved->file.string() : pattern_name(value);
  } else if constexpr (requires { value.has_value(); }) {
    return value ? text_of(*value) : "";
  } else {
    std::string list;
    for (const auto& each : value) list += (list.empty() ? "" : ",") + text_of(each);
    return list;
  }
}

template <class T>
void read(const OptionInfo& info, std::string_view text, T& value) {
  if constexpr (HasChoices<T>) {
    for (const Choice<T>& choice : Choices<T>::all) {
      if (text == choice.name) return void(value = choice.value);
    }
    refuse_choice(text, names_of<T>());
  } else if constexpr (std::is_integral_v<T>) {
    value = T(whole_number(text, info.min, info.max, info.power_of_two));
  } else if constexpr (std::is_floating_point_v<T>) {
    value = T(real_number(text, info.min, info.max));
  } else if constexpr (std::is_same_v<T, std::string>) {
    const std::vector<std::string> known = names_of<T>(info);
    if (!text.empty() && std::find(known.begin(), known.end(), text) == known.end()) refuse_choice(text, known);
    value = text;
  } else if constexpr (std::is_same_v<T, PatternChoice>) {
    value = choose_pattern(text);
  } else if constexpr (requires { value.has_value(); }) {
    if (text.empty()) return value.reset();
    read(info, text, value.emplace());
  } else {
    T list{};
    const auto parts = split(text);
    if constexpr (requires { list.resize(1); }) list.resize(parts.size());
    if (parts.size() != list.size())
      throw std::invalid_argument("'" + std::string(text) + "' is not " + std::to_string(list.size()) +
                                  " numbers, separated by commas");
    for (size_t i = 0; i < parts.size(); ++i) read(info, parts[i], list[i]);
    value = list;
  }
}

// Returns an error message for the value; empty if it is valid.
template <class T>
std::string problem_of(const OptionInfo& info, const T& value) {
  if constexpr (HasChoices<T>) {
    if (*name_of(value) == 0) return std::to_string(int(value)) + " is none of them";
  } else if constexpr (std::is_arithmetic_v<T>) {
    const char* const kind = std::is_integral_v<T> ? kind_of_whole(info.power_of_two) : "a number";
    const bool inside = double(value) >= info.min && double(value) <= info.max;
    if (!inside || (info.power_of_two && !is_power_of_two(double(value))))
      return text_of(value) + range(kind, info.min, info.max);
  } else if constexpr (std::is_same_v<T, std::string>) {
    // Each machine lists the instruction sets that it has.
  } else if constexpr (std::is_same_v<T, PatternChoice>) {
    // A saved pattern's table is checked once, when it becomes a plan (plan/target_plan.cpp).
    if (saved_pattern(value) != nullptr) return {};
    if (!std::holds_alternative<PatternKind>(value)) return "there is none";
    return problem_of(info, std::get<PatternKind>(value));
  } else if constexpr (requires { value.has_value(); }) {
    return value ? problem_of(info, *value) : "";
  } else {
    for (const auto& each : value) {
      if (std::string problem = problem_of(info, each); !problem.empty()) return problem;
    }
  }
  return {};
}

}  // namespace

int64_t whole_number(std::string_view text, double min, double max, bool power_of_two) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || double(value) < min || double(value) > max || (power_of_two && (value & (value - 1)) != 0))
    throw std::invalid_argument("'" + std::string(text) + "'" + range(kind_of_whole(power_of_two), min, max));
  return value;
}

double real_number(std::string_view text, double min, double max) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= min && value <= max))
    throw std::invalid_argument("'" + std::string(text) + "'" + range("a number", min, max));
  return value;
}

void refuse_choice(std::string_view text, const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
  throw std::invalid_argument("'" + std::string(text) + "' is not one of " + list + did_you_mean(text, known));
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
    if (list.empty()) parts.emplace_back();
  }
  return parts;
}

void set_option(RenderOptions& options, std::string_view name, std::string_view text) {
  bool found = false;
  for_each_option(options, [&](const OptionInfo& info, auto& value) {
    if (info.name != name) return;
    read(info, text, value);
    found = true;
  });
  if (!found) throw std::invalid_argument("there is no option '" + std::string(name) + "'");
}

std::map<std::string, std::string> option_texts(const RenderOptions& options) {
  std::map<std::string, std::string> texts;
  for_each_option(options, [&](const OptionInfo& info, const auto& value) {
    if (const std::string text = text_of(value); !text.empty()) texts[info.name] = text;
  });
  return texts;
}

void check_options(const RenderOptions& options) {
  for_each_option(options, [](const OptionInfo& info, const auto& value) {
    const std::string problem = problem_of(info, value);
    if (!problem.empty()) throw std::invalid_argument(std::string(info.name) + ": " + problem);
  });
  const SavedPattern* const saved = saved_pattern(options.pattern);
  if (saved != nullptr && options.rasterizers > 0 && options.rasterizers != saved->pattern.rasterizers) {
    throw std::invalid_argument("rasterizers: " + std::to_string(options.rasterizers) + ", but pattern " + saved->name +
                                " is for " + std::to_string(saved->pattern.rasterizers) + "; leave the number out");
  }
}

}  // namespace brokkr
