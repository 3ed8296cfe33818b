#include "viewer/keys.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "viewer/theme.h"

namespace brokkr::viewer {
namespace {

constexpr const char *kScene = "Scene", *kPipeline = "Pipeline", *kDraws = "Draws", *kCompare = "Compare",
                     *kCamera = "Camera", *kWindow = "Window", *kImage = "Image";

constexpr KeyBinding kBindings[] = {
    {Action::open_file, GLFW_KEY_O, kControl, kScene, "Open"},
    {Action::capture_frame, GLFW_KEY_K, kControl, kScene, "Capture a frame of a program"},
    {Action::reload_file, GLFW_KEY_F5, kNoModifier, kScene, "Reload the scene"},
    {Action::play_sequence, GLFW_KEY_SPACE, kNoModifier, kScene,
     "Play or pause a sequence, an animation or a traced picture"},
    {Action::step_file, GLFW_KEY_RIGHT, kNoModifier, kScene, "Next file of a sequence", 1},
    {Action::step_file, GLFW_KEY_LEFT, kNoModifier, kScene, "Previous file of a sequence", -1},
    {Action::step_pattern, GLFW_KEY_P, kNoModifier, kPipeline, "Next bin pattern", 1},
    {Action::step_pattern, GLFW_KEY_P, kShift, kPipeline, "Previous bin pattern", -1},
    {Action::step_policy, GLFW_KEY_O, kNoModifier, kPipeline, "Next scheduling policy", 1},
    {Action::step_policy, GLFW_KEY_O, kShift, kPipeline, "Previous scheduling policy", -1},
    {Action::step_shading, GLFW_KEY_M, kNoModifier, kPipeline, "Next shading", 1},
    {Action::step_shading, GLFW_KEY_M, kShift, kPipeline, "Previous shading", -1},
    {Action::render_always, GLFW_KEY_R, kNoModifier, kPipeline, "Render continuously, or only after changes"},
    {Action::as_in_paper, GLFW_KEY_K, kNoModifier, kPipeline,
     "As in the paper: 20 rasterizers, static, bins of 64 pixels, owners over the image"},
    {Action::record_log, GLFW_KEY_F9, kNoModifier, kPipeline, "Start or stop a frame-time log"},
    {Action::step_draw, GLFW_KEY_PERIOD, kNoModifier, kDraws, "Show up to the next draw", 1},
    {Action::step_draw, GLFW_KEY_COMMA, kNoModifier, kDraws, "Show up to the previous draw", -1},
    {Action::isolate_draw, GLFW_KEY_I, kNoModifier, kDraws, "Show only the chosen draw, or all"},
    {Action::hide_draw, GLFW_KEY_X, kNoModifier, kDraws, "Hide or show the chosen draw"},
    {Action::show_all_draws, GLFW_KEY_BACKSPACE, kNoModifier, kDraws, "Show all draws"},
    {Action::race_patterns, GLFW_KEY_B, kNoModifier, kCompare, "Start or stop A/B: compare two patterns"},
    {Action::hold_reference, GLFW_KEY_C, kNoModifier, kCompare, "While held: the same frame drawn by OpenGL", 0, 1,
     true},
    {Action::hold_original, GLFW_KEY_G, kNoModifier, kCompare, "While held: the game's own picture", 0, 1, true},
    {Action::hold_difference, GLFW_KEY_V, kNoModifier, kCompare, "While held: the difference from the last of these", 0,
     1, true},
    {Action::recall_bookmark, GLFW_KEY_0, kNoModifier, kCamera, "Recall a bookmark", 0, 10},
    {Action::save_bookmark, GLFW_KEY_0, kControl, kCamera, "Save the camera as a bookmark", 0, 10},
    {Action::camera_home, GLFW_KEY_HOME, kNoModifier, kCamera, "Reset the camera"},
    {Action::copy_camera, GLFW_KEY_C, kControl, kCamera, "Copy the camera as text"},
    {Action::paste_camera, GLFW_KEY_V, kControl, kCamera, "Paste a camera"},
    {Action::show_help, GLFW_KEY_F1, kNoModifier, kWindow, "This help"},
    {Action::show_help, GLFW_KEY_H, kNoModifier, kWindow, "This help"},
    {Action::hide_panels, GLFW_KEY_F2, kNoModifier, kWindow, "Hide or show everything but the image"},
    {Action::show_time_line, GLFW_KEY_T, kNoModifier, kWindow, "Show or hide the time line of the blocks and frames"},
    {Action::scale_interface, GLFW_KEY_EQUAL, kControl, kWindow, "Larger text and widgets", 1},
    {Action::scale_interface, GLFW_KEY_MINUS, kControl, kWindow, "Smaller text and widgets", -1},
    {Action::full_screen, GLFW_KEY_F11, kNoModifier, kWindow, "Full screen"},
    {Action::save_window, GLFW_KEY_F12, kNoModifier, kWindow, "Save the window as PNG"},
    {Action::save_image, GLFW_KEY_F12, kShift, kWindow, "Save only the image, pixel for pixel"},
    {Action::next_panel, GLFW_KEY_TAB, kControl, kWindow, "Next panel"},
    {Action::dismiss, GLFW_KEY_ESCAPE, kNoModifier, kWindow, "Close help, dialog and messages; stop loading"},
    {Action::quit, GLFW_KEY_Q, kControl, kWindow, "Quit"},
    {Action::one_to_one, GLFW_KEY_Z, kNoModifier, kImage, "One image pixel per screen pixel"},
    {Action::fit_image, GLFW_KEY_F, kNoModifier, kImage, "Fit the image to the window"},
    {Action::zoom, GLFW_KEY_EQUAL, kNoModifier, kImage, "Larger", 1},
    {Action::zoom, GLFW_KEY_MINUS, kNoModifier, kImage, "Smaller", -1},
};

// The help sheet lists these; image_area.cpp implements them.
struct Gesture {
  const char *group, *keys, *help;
};
constexpr Gesture kGestures[] = {
    {kCamera, "Left drag", "Orbit (captured frames: the game's camera, or around the unprojected geometry)"},
    {kCamera, "Middle drag", "Pan (captured frames: the image; with Shift the geometry)"},
    {kCamera, "Wheel", "Move closer (captured frames: zoom into the image; with Shift: move closer)"},
    {kCamera, "Ctrl + wheel, Ctrl + middle drag", "Zoom and move the image of any scene"},
    {kCamera, "Right held + W A S D Q E", "Look around and fly; Shift: faster"},
};

constexpr std::pair<int, const char*> kNames[] = {{GLFW_KEY_SPACE, "Space"},       {GLFW_KEY_ESCAPE, "Esc"},
                                                  {GLFW_KEY_TAB, "Tab"},           {GLFW_KEY_BACKSPACE, "Backspace"},
                                                  {GLFW_KEY_RIGHT, "Right arrow"}, {GLFW_KEY_LEFT, "Left arrow"},
                                                  {GLFW_KEY_HOME, "Home"}};

std::string keys_of(const KeyBinding& binding) {
  std::string text = key_text(binding.key, binding.modifiers);
  if (binding.keys > 1) text += " ... " + key_text(binding.key + binding.keys - 1, kNoModifier);
  return text;
}

}  // namespace

std::span<const KeyBinding> key_bindings() { return kBindings; }

int key_that_stands(int key, const char* name, bool has_period) {
  if (key == GLFW_KEY_KP_ADD) return GLFW_KEY_EQUAL;
  if (key == GLFW_KEY_KP_SUBTRACT) return GLFW_KEY_MINUS;
  const bool is_of_text =
      (key > GLFW_KEY_SPACE && key <= GLFW_KEY_GRAVE_ACCENT) || key == GLFW_KEY_WORLD_1 || key == GLFW_KEY_WORLD_2;
  if (!is_of_text || name == nullptr || name[0] <= ' ' || name[0] > '~' || name[1] != '\0') return key;
  const char sign = name[0];
  if (sign >= 'a' && sign <= 'z') return sign - 'a' + GLFW_KEY_A;
  if (sign >= 'A' && sign <= 'Z') return sign;
  if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9 && (sign < '0' || sign > '9')) return key;
  if (sign == '+') return GLFW_KEY_EQUAL;
  if (sign == ';' && !has_period) return GLFW_KEY_PERIOD;
  return sign;
}

std::optional<KeyEvent> Keyboard::press(int key, int modifiers) {
  for (const std::span<const KeyBinding> bindings : {key_bindings(), std::span<const KeyBinding>(more_)}) {
    for (const KeyBinding& binding : bindings) {
      const int offset = key - binding.key;
      if (offset < 0 || offset >= binding.keys || binding.modifiers != modifiers) continue;
      if (binding.held) held_.push_back(binding);
      return KeyEvent{binding.action, binding.number + offset};
    }
  }
  return std::nullopt;
}

std::optional<KeyEvent> Keyboard::release(int key) {
  const auto held = std::find_if(held_.begin(), held_.end(), [&](const KeyBinding& b) { return b.key == key; });
  if (held == held_.end()) return std::nullopt;
  const KeyEvent event{held->action, 0, false};
  held_.erase(held);
  return event;
}

std::string key_text(int key, int modifiers) {
  std::string text;
  if (modifiers & kControl) text += "Ctrl+";
  if (modifiers & kAlt) text += "Alt+";
  if (modifiers & kShift) text += "Shift+";
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return text + "F" + std::to_string(key - GLFW_KEY_F1 + 1);
  for (const auto& [named, name] : kNames) {
    if (named == key) return text + name;
  }
  return text + static_cast<char>(key);  // letters, digits and punctuation are ASCII codes
}

std::string key_text(Action action) {
  for (const KeyBinding& binding : kBindings) {
    if (binding.action == action) return keys_of(binding);
  }
  return {};
}

std::vector<HelpGroup> help_groups(std::span<const KeyBinding> more) {
  std::vector<HelpGroup> groups;
  const auto add = [&](const char* group, const std::string& keys, const char* help) {
    const auto named = [&](const HelpGroup& other) { return other.name == group; };
    auto known = std::find_if(groups.begin(), groups.end(), named);
    if (known == groups.end()) known = groups.insert(known, {group, {}});
    known->lines.push_back({keys, help});
  };
  for (const KeyBinding& binding : kBindings) add(binding.group, keys_of(binding), binding.help);
  for (const KeyBinding& binding : more) add(binding.group, keys_of(binding), binding.help);
  for (const Gesture& gesture : kGestures) add(gesture.group, gesture.keys, gesture.help);
  return groups;
}

namespace {

void draw_help_group(const HelpGroup& group) {
  const float em = ImGui::GetFontSize(), column = 10.5f * em;  // longer keys wrap
  ImGui::PushFont(theme::heading());
  ImGui::TextUnformatted(group.name.c_str());
  ImGui::PopFont();
  if (ImGui::BeginTable(group.name.c_str(), 2)) {
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, column);
    ImGui::TableSetupColumn("help", ImGuiTableColumnFlags_WidthStretch);
    for (const HelpGroup::Line& line : group.lines) {
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", line.keys.c_str());
      ImGui::TableNextColumn();
      ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
      ImGui::TextWrapped("%s", line.help.c_str());
      ImGui::PopStyleColor();
    }
    ImGui::EndTable();
  }
  ImGui::Dummy({0, 0.5f * em});
}

}  // namespace

void draw_help_sheet(const std::vector<HelpGroup>& groups, bool& open) {
  if (!open) return;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(window.x * 0.95f, 74 * em), std::min(window.y * 0.95f, 56 * em)});
  if (ImGui::Begin("Keys and mouse", &open, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    size_t all = 0, drawn = 0;
    for (const HelpGroup& group : groups) all += group.lines.size();
    // The first half of the lines goes to the left, the rest to the right; a narrow window has one column.
    const int columns = window.x > 50 * em ? 2 : 1;
    if (ImGui::BeginTable("groups", columns, ImGuiTableFlags_SizingStretchSame)) {
      ImGui::TableNextColumn();
      for (const HelpGroup& group : groups) {
        if (columns == 2 && ImGui::TableGetColumnIndex() == 0 && drawn + group.lines.size() / 2 > all / 2) {
          ImGui::TableNextColumn();
        }
        draw_help_group(group);
        drawn += group.lines.size();
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
}

}  // namespace brokkr::viewer
