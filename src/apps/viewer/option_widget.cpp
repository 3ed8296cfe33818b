#include "viewer/option_widget.h"

#include <imgui.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan/options.h"
#include "viewer/looks.h"

namespace brokkr::viewer {
namespace {

constexpr double kMaxOfSlider = 5000;  // an option with more values gets no slider

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

// A drop-down list that shows `shown` while it is closed. Returns true if the user chose another value.
template <class T>
bool draw_list(const char* label, const std::string& shown, const auto& choices, T& value) {
  if (!ImGui::BeginCombo(label, shown.c_str())) return false;
  const T before = value;
  for (const auto& [one, name, meaning] : choices) {
    const bool selected = one == before;
    if (ImGui::Selectable(std::string(name).c_str(), selected)) value = one;
    if (*meaning != 0 && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", meaning);
    if (selected) ImGui::SetItemDefaultFocus();
  }
  ImGui::EndCombo();
  return value != before;
}

// A list entry whose name exists only here.
template <class T>
struct NamedValue {
  T value;
  std::string name;
  const char* meaning = "";
};

template <class T>
constexpr ImGuiDataType kDataType = std::is_same_v<T, float>    ? ImGuiDataType_Float
                                    : std::is_same_v<T, double> ? ImGuiDataType_Double
                                    : std::is_signed_v<T>       ? ImGuiDataType_S32
                                                                : ImGuiDataType_U32;

// The widget for a number: a slider if its range is small, and the number, which can be typed or dragged. A non-empty
// `word` replaces the number.
template <class T>
void draw_number(const OptionInfo& info, T& value, const std::string& word) {
  const T low = T(info.min), high = T(info.max);
  std::string format = std::is_floating_point_v<T> ? "%.4g" : std::is_signed_v<T> ? "%d" : "%u";
  if (*info.unit != 0) format += std::string(" ") + info.unit;
  if (!word.empty()) format = word;
  const float all = ImGui::GetContentRegionAvail().x, gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float number = 7.5f * ImGui::GetFontSize();  // the same in all rows
  const bool has_slider = info.max - info.min <= kMaxOfSlider && all > 2.5f * number;
  const char* const label = row(info.name, has_slider ? number + gap : 0);
  // If the word does not fit, the option's help explains what happens.
  const float room = (has_slider ? number : ImGui::CalcItemWidth()) - 2 * ImGui::GetStyle().FramePadding.x;
  if (!word.empty() && ImGui::CalcTextSize(format.c_str()).x > room) format = "automatic";
  ImGui::BeginGroup();
  ImGui::PushID(label);
  if (has_slider) {
    const ImGuiSliderFlags shape = info.max > 100 ? ImGuiSliderFlags_Logarithmic : 0;
    ImGui::SliderScalar("##slider", kDataType<T>, &value, &low, &high, "", shape | ImGuiSliderFlags_AlwaysClamp);
    ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(number);
  }
  // Nobody drags over millions of values; Ctrl-click and typing reach the others.
  const float speed = float(std::max(0.05, (std::min(info.max, 1000.0) - std::max(info.min, -1000.0)) / 500));
  ImGui::DragScalar("##number", kDataType<T>, &value, speed, &low, &high, format.c_str(), ImGuiSliderFlags_AlwaysClamp);
  ImGui::PopID();
  ImGui::EndGroup();
}

// Widgets for the `count` numbers at `values`.
template <class T>
bool drag(const OptionInfo& info, T* values, int count, const std::string& word) {
  const T low = T(info.min), high = T(info.max);
  const std::string format = !word.empty() ? word : std::is_floating_point_v<T> ? "%.4g" : "%d";
  return ImGui::DragScalarN(row(info.name), kDataType<T>, values, count, 1, &low, &high, format.c_str(),
                            ImGuiSliderFlags_AlwaysClamp);
}

// One overload of draw_value for each type of field.

void draw_value(const OptionInfo& info, bool& value) { check_box(row(info.name), &value); }

template <class E>
requires std::is_enum_v<E>
void draw_value(const OptionInfo& info, E& value) { draw_list(row(info.name), name_of(value), Choices<E>::all, value); }

void draw_value(const OptionInfo& info, std::string& value) {
  std::vector<NamedValue<std::string>> choices = {{"", info.zero}};
  for (const std::string& text : split(info.texts)) choices.push_back({text, text});
  draw_list(row(info.name), value.empty() ? info.zero : value, choices, value);
}

template <class T>
requires std::is_arithmetic_v<T>
void draw_value(const OptionInfo& info, T& value) {
  if (!info.power_of_two) return draw_number(info, value, value == 0 ? info.zero : "");
  std::vector<NamedValue<T>> powers;
  for (T power = 1; power <= T(info.max); power *= 2) {
    if (power >= T(info.min)) powers.push_back({power, std::to_string(power)});
  }
  draw_list(row(info.name), std::to_string(value), powers, value);
}

template <class T, size_t N>
void draw_value(const OptionInfo& info, std::array<T, N>& value) {
  drag(info, value.data(), int(N), "");
}

template <class T, size_t N>
void draw_value(const OptionInfo& info, std::optional<std::array<T, N>>& value) {
  std::array<T, N> numbers = value.value_or(std::array<T, N>{});
  if (drag(info, numbers.data(), int(N), value ? "" : info.zero)) value = numbers;
}

// A list of any length is edited as text. Throws std::invalid_argument.
void draw_text(const OptionInfo& info, RenderOptions& options) {
  char buffer[256] = {};
  option_texts(options)[info.name].copy(buffer, sizeof buffer - 1);
  if (ImGui::InputTextWithHint(row(info.name), info.zero, buffer, sizeof buffer, ImGuiInputTextFlags_EnterReturnsTrue))
    set_option(options, info.name, buffer);
}

}  // namespace

std::vector<Choice<PatternChoice>> pattern_choices(const SavedPatternPointer& saved) {
  std::vector<Choice<PatternChoice>> all;
  for (const auto& kind : Choices<PatternKind>::all) all.push_back({kind.value, kind.name, kind.meaning});
  if (saved) all.push_back({saved, saved->name.c_str(), saved->description.c_str()});
  return all;
}

bool draw_pattern_list(const char* label, const SavedPatternPointer& saved, PatternChoice& value) {
  return draw_list(label, pattern_name(value), pattern_choices(saved), value);
}

void draw_options(ViewerState& state, bool scheduling) {
  // The machine in use, if it is chosen automatically.
  const MachineKind wanted = state.settings.options.machine;
  const std::string machine =
      wanted != MachineKind::automatic || !state.last ? name_of(wanted) : state.last->result.statistics.machine;
  const Policy policy = state.settings.options.policy;
  for_each_option(state.settings.options, [&]<class T>(const OptionInfo& info, T& value) {
    if ((info.scheduling || info.policy.has_value()) != scheduling) return;
    if (info.policy && *info.policy != policy) return;
    if (info.machine && machine != name_of(*info.machine) && machine != name_of(MachineKind::automatic)) return;
    try {
      if constexpr (std::is_same_v<T, PatternChoice>)
        draw_pattern_list(row(info.name), state.saved_pattern, value);
      else if constexpr (requires { draw_value(info, value); })
        draw_value(info, value);
      else
        draw_text(info, state.settings.options);
    } catch (const std::exception& error) {
      state.commands.show_error(std::string(info.name) + ": " + error.what());
    }
    draw_help(info);
  });
}

}  // namespace brokkr::viewer
