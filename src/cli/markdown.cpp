#include "cli/markdown.h"

namespace brokkr::app {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string row(const Option& option) {
  std::string names = option.names;
  if (const size_t comma = names.find(','); comma != std::string::npos) names.insert(comma + 1, " ");
  if (names.front() == '-' && option.kind != ValueKind::flag) names += " " + option.value;
  return "| `" + names + "` | " + escaped(option.help) + " |\n";
}

}  // namespace

std::string usage(const Command& command) {
  std::string text = "brokkr " + command.name;
  for (const Option& option : command.options) {
    if (option.names.front() == '-') continue;
    const std::string name = option.value + (option.repeat ? "…" : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  return text + " [options]";
}

std::string to_markdown(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& command : commands) {
    text += "\n## " + command.name + "\n\n" + command.summary + ".\n\n```\n" + usage(command) + "\n```\n\n";
    text += "| option | meaning |\n|---|---|\n";
    for (const Option& option : command.options) text += row(option);
  }
  return text;
}

}  // namespace brokkr::app
