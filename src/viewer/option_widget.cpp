#include "viewer/option_widget.h"

#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/pipeline_options.h"
#include "app/value_check.h"

namespace brokkr::viewer {
namespace {

const std::vector<app::Option>& table() {
  static const std::vector<app::Option> options = app::pipeline_options();
  return options;
}

const app::Option* find(const std::string& name) {
  for (const app::Option& option : table()) {
    if (app::key_of(option) == name) return &option;
  }
  return nullptr;
}

RenderOptions from_texts(const std::map<std::string, std::string>& texts, const RenderOptions& before) {
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& [name, text] : texts) values[name] = {text};
  RenderOptions options = app::render_options(app::Arguments(values));
  options.command_limit = before.command_limit;
  options.keep_ids = before.keep_ids;
  options.trace = before.trace;
  return options;
}

void draw_help(const app::Option& option) {
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 28);
  ImGui::TextUnformatted(("--" + app::key_of(option) + " " + option.value).c_str());
  ImGui::TextUnformatted(option.help.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

bool draw_list(const app::Option& option, const std::vector<std::string>& choices, std::string& text) {
  bool changed = false;
  if (ImGui::BeginCombo(app::key_of(option).c_str(), text.empty() ? "automatic" : text.c_str())) {
    for (const std::string& choice : choices) {
      const bool selected = choice == text;
      if (ImGui::Selectable(choice.empty() ? "automatic" : choice.c_str(), selected) && !selected) {
        text = choice;
        changed = true;
      }
      if (selected) ImGui::SetItemDefaultFocus();
    }
    ImGui::EndCombo();
  }
  return changed;
}

// What the help says in the parentheses that follow `mark`; empty where it has none.
std::string in_parentheses(const std::string& help, const std::string& mark) {
  const size_t at = help.rfind(mark);
  if (at == std::string::npos) return {};
  const size_t begin = at + mark.size();
  return help.substr(begin, help.find(')', begin) - begin);
}

// What a number of 0 means where it is none: "never", "automatic"; empty where 0 is 0.
std::string word_for_zero(const std::string& help) {
  const std::string text = in_parentheses(help, "(0: ");
  const bool word = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
  return word ? text : "automatic";
}

bool draw_number(const app::Option& option, std::string& text) {
  const std::string name = app::key_of(option);
  const std::string zero = word_for_zero(option.help);
  // Dragging a bound of millions by pixels is of no use: typing (Ctrl-click) reaches the rest.
  const double most = std::min(option.max, 1000.0);
  if (option.kind == app::ValueKind::real) {
    float value = std::strtof(text.c_str(), nullptr);
    const float speed = float(std::max(0.01, (most - option.min) / 500));
    const std::string format = option.help.starts_with("Milliseconds") ? "%.3g ms" : "%.3g";
    if (!ImGui::DragFloat(name.c_str(), &value, speed, float(option.min), float(option.max),
                          value == 0 && !zero.empty() ? zero.c_str() : format.c_str(), ImGuiSliderFlags_AlwaysClamp))
      return false;
    text = std::to_string(value);
    return true;
  }
  int value = std::atoi(text.c_str());
  const float speed = float(std::max(0.05, (most - option.min) / 500));
  if (!ImGui::DragInt(name.c_str(), &value, speed, int(option.min), int(std::min(option.max, 1e9)),
                      value == 0 && !zero.empty() ? zero.c_str() : "%d", ImGuiSliderFlags_AlwaysClamp))
    return false;
  text = std::to_string(value);
  return true;
}

}  // namespace

void set_option(RenderOptions& options, const std::string& name, const std::string& text) {
  const app::Option* const option = find(name);
  if (option == nullptr) throw std::invalid_argument("there is no option '" + name + "'");
  const std::string error = text.empty() ? "" : app::check_value(*option, text);
  if (!error.empty()) throw std::invalid_argument(name + ": " + error);
  auto texts = app::option_texts(options);
  texts[name] = text;
  if (text.empty()) texts.erase(name);
  options = from_texts(texts, options);
}

void set_options(RenderOptions& options, const std::map<std::string, std::string>& texts) {
  for (const auto& [name, text] : texts) {
    try {
      set_option(options, name, text);
    } catch (const std::exception&) {
      continue;
    }
  }
}

void draw_option(const app::Option& option, ViewerState& state) {
  RenderOptions& options = state.settings.options;
  const std::string name = app::key_of(option);
  const auto texts = app::option_texts(options);
  const auto found = texts.find(name);
  std::string text = found == texts.end() ? "" : found->second;
  bool changed = false;
  if (!option.choices.empty()) {  // a saved pattern is shown by its path
    std::vector<std::string> choices = option.choices;
    const auto standard = app::option_texts({});
    if (standard.find(name) == standard.end()) choices.insert(choices.begin(), "");
    if (choices == std::vector<std::string>{"on", "off"}) {
      bool on = text == "on";
      changed = ImGui::Checkbox(name.c_str(), &on);
      text = on ? "on" : "off";
    } else {
      changed = draw_list(option, choices, text);
    }
  } else if (option.kind == app::ValueKind::power_of_two) {
    std::vector<std::string> powers;
    for (int64_t p = 1; double(p) <= option.max; p *= 2) {
      if (double(p) >= option.min) powers.push_back(std::to_string(p));
    }
    changed = draw_list(option, powers, text);
  } else if (option.kind == app::ValueKind::integer || option.kind == app::ValueKind::real) {
    changed = draw_number(option, text);
  } else {
    char buffer[256] = {};
    text.copy(buffer, sizeof buffer - 1);
    const std::string standard = in_parentheses(option.help, "(");
    changed = ImGui::InputTextWithHint(name.c_str(), standard.c_str(), buffer, sizeof buffer,
                                       ImGuiInputTextFlags_EnterReturnsTrue);
    text = buffer;
  }
  draw_help(option);
  if (!changed) return;
  try {
    set_option(options, name, text);
  } catch (const std::exception& error) {
    state.commands.show_error(error.what());
  }
}

std::string step_choice(RenderOptions& options, const std::string& name, int step) {
  const app::Option* const option = find(name);
  if (option == nullptr || option->choices.empty()) return {};
  const auto& choices = option->choices;
  const auto texts = app::option_texts(options);
  const auto now = std::find(choices.begin(), choices.end(), texts.at(name));
  const auto count = int(choices.size());
  const int next = ((now == choices.end() ? 0 : int(now - choices.begin())) + step + count) % count;
  set_option(options, name, choices[size_t(next)]);
  return choices[size_t(next)];
}

}  // namespace brokkr::viewer
