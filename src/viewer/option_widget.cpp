#include "viewer/option_widget.h"

#include <imgui.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipeline/options.h"

namespace brokkr::viewer {
namespace {

void draw_help(const OptionInfo& info) {
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 28);
  ImGui::Text("--%s", info.name);
  ImGui::TextUnformatted(info.help);
  if (info.policy) ImGui::TextDisabled("for policy %s", name_of(*info.policy));
  if (info.machine) ImGui::TextDisabled("for machine %s", name_of(*info.machine));
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// A line of an open list. Returns whether the user chose another value than `now`.
template <class T>
bool draw_line(const char* name, const char* meaning, const T& value, T& now) {
  const bool selected = value == now;
  const bool chosen = ImGui::Selectable(name, selected) && !selected;
  if (*meaning != 0 && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", meaning);
  if (selected) ImGui::SetItemDefaultFocus();
  if (chosen) now = value;
  return chosen;
}

template <class T>
constexpr ImGuiDataType kDataType = std::is_same_v<T, float>    ? ImGuiDataType_Float
                                    : std::is_same_v<T, double> ? ImGuiDataType_Double
                                    : std::is_signed_v<T>       ? ImGuiDataType_S32
                                                                : ImGuiDataType_U32;

// Widgets for `count` numbers from `values` on; where `word` is not empty it is shown instead of the numbers.
template <class T>
bool drag(const OptionInfo& info, T* values, int count, const std::string& word) {
  const T low = T(info.min), high = T(info.max);
  // Dragging over millions of values is of no use: Ctrl-click and typing reach the others.
  const float speed = float(std::max(0.05, (std::min(info.max, 1000.0) - std::max(info.min, -1000.0)) / 500));
  std::string format = std::is_floating_point_v<T> ? "%.4g" : std::is_signed_v<T> ? "%d" : "%u";
  if (*info.unit != 0) format += std::string(" ") + info.unit;
  if (!word.empty()) format = word;
  return ImGui::DragScalarN(info.name, kDataType<T>, values, count, speed, &low, &high, format.c_str(),
                            ImGuiSliderFlags_AlwaysClamp);
}

// draw_value is the widget for a field of its type; it returns whether the value changed.

bool draw_value(const OptionInfo& info, bool& value) { return ImGui::Checkbox(info.name, &value); }

template <class E>
requires std::is_enum_v<E>
bool draw_value(const OptionInfo& info, E& value) {
  bool changed = false;
  if (!ImGui::BeginCombo(info.name, name_of(value))) return false;
  for (const Choice<E>& choice : Choices<E>::all)
    changed |= draw_line(choice.name, choice.meaning, choice.value, value);
  ImGui::EndCombo();
  return changed;
}

bool draw_value(const OptionInfo& info, std::string& value) {
  bool changed = false;
  if (!ImGui::BeginCombo(info.name, value.empty() ? info.zero : value.c_str())) return false;
  changed |= draw_line(info.zero, "", std::string(), value);
  for (const std::string& text : split(info.texts)) changed |= draw_line(text.c_str(), "", text, value);
  ImGui::EndCombo();
  return changed;
}

template <class T>
requires std::is_arithmetic_v<T>
bool draw_value(const OptionInfo& info, T& value) {
  if (!info.power_of_two) return drag(info, &value, 1, value == 0 ? info.zero : "");
  bool changed = false;
  if (!ImGui::BeginCombo(info.name, std::to_string(value).c_str())) return false;
  for (T power = 1; power <= T(info.max); power *= 2) {
    if (power >= T(info.min)) changed |= draw_line(std::to_string(power).c_str(), "", power, value);
  }
  ImGui::EndCombo();
  return changed;
}

template <class T, size_t N>
bool draw_value(const OptionInfo& info, std::array<T, N>& value) {
  return drag(info, value.data(), int(N), "");
}

template <class T, size_t N>
bool draw_value(const OptionInfo& info, std::optional<std::array<T, N>>& value) {
  std::array<T, N> numbers = value.value_or(std::array<T, N>{});
  if (!drag(info, numbers.data(), int(N), value ? "" : info.zero)) return false;
  value = numbers;
  return true;
}

// A list of any length is typed as text. Throws std::invalid_argument.
void draw_list(const OptionInfo& info, RenderOptions& options) {
  char buffer[256] = {};
  option_texts(options)[info.name].copy(buffer, sizeof buffer - 1);
  if (ImGui::InputTextWithHint(info.name, info.zero, buffer, sizeof buffer, ImGuiInputTextFlags_EnterReturnsTrue))
    set_option(options, info.name, buffer);
}

}  // namespace

bool draw_pattern_list(const char* label, const SavedPatternPointer& saved, PatternChoice& value) {
  bool changed = false;
  if (!ImGui::BeginCombo(label, pattern_name(value).c_str())) return false;
  for (const auto& kind : Choices<PatternKind>::all)
    changed |= draw_line(kind.name, kind.meaning, PatternChoice(kind.value), value);
  if (saved) changed |= draw_line(saved->name.c_str(), saved->description.c_str(), PatternChoice(saved), value);
  ImGui::EndCombo();
  return changed;
}

void draw_options(ViewerState& state, bool scheduling) {
  for_each_option(state.settings.options, [&]<class T>(const OptionInfo& info, T& value) {
    if ((info.scheduling || info.policy.has_value()) != scheduling) return;
    try {
      if constexpr (std::is_same_v<T, PatternChoice>)
        draw_pattern_list(info.name, state.saved_pattern, value);
      else if constexpr (requires { draw_value(info, value); })
        draw_value(info, value);
      else
        draw_list(info, state.settings.options);
    } catch (const std::exception& error) {
      state.commands.show_error(std::string(info.name) + ": " + error.what());
    }
    draw_help(info);
  });
}

}  // namespace brokkr::viewer
