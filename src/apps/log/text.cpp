#include "log/text.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

namespace brokkr {
namespace {

std::string value_text(const nlohmann::ordered_json& value, int decimals) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float() && decimals >= 0) return fmt::format("{:.{}f}", value.get<double>(), decimals);
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const auto& element : value) list += (list.empty() ? "" : " ") + value_text(element, decimals);
  return list;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  return quoted + "\"";
}

std::string csv_row(std::span<const std::string> cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + csv_cell(cells[i]);
  return line + "\n";
}

std::string csv_table(const std::vector<nlohmann::ordered_json>& rows, int decimals) {
  std::string text;
  for (const nlohmann::ordered_json& row : rows) {
    std::vector<std::string> names, values;
    for (const auto& [name, value] : row.items()) {
      names.push_back(name);
      values.push_back(value_text(value, decimals));
    }
    if (text.empty()) text = csv_row(names);
    text += csv_row(values);
  }
  return text;
}

std::string fixed(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

std::string significant(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string shortest(float value) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value);
  return {std::begin(text), end.ptr};
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace brokkr
