#include "app/value_check.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace brokkr::app {
namespace {

template <typename T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool inside(double value, const Option& option) { return value >= option.min && value <= option.max; }

std::string range(const Option& option) {
  const auto plain = [](double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  };
  return plain(option.min) + " to " + plain(option.max);
}

bool is_size(const Option& option, std::string_view value) {
  const size_t cross = value.find('x');
  if (cross == std::string_view::npos) return false;
  const auto width = whole_number<int>(value.substr(0, cross)), height = whole_number<int>(value.substr(cross + 1));
  return width && height && inside(*width, option) && inside(*height, option);
}

}  // namespace

std::string check_value(const Option& option, const std::string& value) {
  const std::string quoted = "'" + value + "'";
  switch (option.kind) {
    case ValueKind::flag:
    case ValueKind::text: return {};
    case ValueKind::file: return value.empty() ? "the file name is empty" : "";
    case ValueKind::integer: {
      const auto number = whole_number<int64_t>(value);
      if (number && inside(static_cast<double>(*number), option)) return {};
      return quoted + " is not a whole number of " + range(option);
    }
    case ValueKind::power_of_two: {
      const auto number = whole_number<int64_t>(value);
      if (number && inside(static_cast<double>(*number), option) && (*number & (*number - 1)) == 0) return {};
      return quoted + " is not a power of two of " + range(option);
    }
    case ValueKind::real: {
      const auto number = whole_number<double>(value);
      if (number && std::isfinite(*number) && inside(*number, option)) return {};
      return quoted + " is not a number of " + range(option);
    }
    case ValueKind::size:
      if (is_size(option, value)) return {};
      return quoted + " is not WIDTHxHEIGHT, each of " + range(option);
    case ValueKind::choice:
    case ValueKind::choice_or_file: {
      const bool file = option.kind == ValueKind::choice_or_file;
      if (file && value.find_first_of("./") != std::string::npos) return {};
      if (std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end()) return {};
      std::string known;
      for (const std::string& choice : option.choices) known += (known.empty() ? "" : ", ") + choice;
      return quoted + " is not one of " + known + (file ? ", nor a file" : "");
    }
  }
  return {};
}

}  // namespace brokkr::app
