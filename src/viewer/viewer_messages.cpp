// The windows over the image: help, errors, the progress of a load, the choice at the start.
#include "viewer/viewer_ui.h"

#include <imgui.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/text.h"
#include "viewer/looks.h"
#include "viewer/names.h"

namespace brokkr::viewer {

void ViewerUi::draw_help_group(const std::string& group) {
  struct Line {
    std::string key, help;
  };
  std::vector<Line> lines;
  float widest = 0;
  for (const KeyBinding& binding : v_.keys_.bindings()) {
    if (binding.group != group) continue;
    const bool digit = binding.gesture.empty() && binding.key >= '0' && binding.key <= '9';
    if (digit && binding.key != '1') continue;  // one line stands for ten bookmarks
    Line line{binding.gesture.empty() ? key_text(binding.key, binding.modifiers) : binding.gesture, binding.help};
    if (digit) {
      line.key += " ... 0";
      line.help += " ... 0";
    }
    widest = std::max(widest, ImGui::CalcTextSize(line.key.c_str()).x);
    lines.push_back(std::move(line));
  }
  ImGui::TextColored({0.55f, 0.75f, 1, 1}, "%s", group.c_str());
  const float em = ImGui::GetFontSize(), column = std::min(widest + em, 15 * em);
  if (ImGui::BeginTable(group.c_str(), 2)) {
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, column);
    ImGui::TableSetupColumn("help", ImGuiTableColumnFlags_WidthStretch);
    for (const Line& line : lines) {
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", line.key.c_str());
      ImGui::TableNextColumn();
      ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
      ImGui::TextWrapped("%s", line.help.c_str());
      ImGui::PopStyleColor();
    }
    ImGui::EndTable();
  }
  ImGui::Dummy({0, 0.5f * em});
}

void ViewerUi::draw_help() {
  if (!v_.show_help_) return;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(window.x * 0.95f, 74 * em), std::min(window.y * 0.95f, 46 * em)});
  if (ImGui::Begin("Keys and mouse", &v_.show_help_, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    std::vector<std::string> groups;
    for (const KeyBinding& binding : v_.keys_.bindings()) {
      if (std::find(groups.begin(), groups.end(), binding.group) == groups.end()) groups.push_back(binding.group);
    }
    // Half of the lines to the left, the rest to the right; a narrow window has all in one column.
    const size_t columns = window.x > 50 * em ? 2 : 1;
    if (ImGui::BeginTable("groups", int(columns), ImGuiTableFlags_SizingStretchSame)) {
      size_t lines = 0;
      const size_t half = (v_.keys_.bindings().size() - 18) / columns;
      ImGui::TableNextColumn();
      for (const std::string& group : groups) {
        if (columns == 2 && lines >= half && ImGui::TableGetColumnIndex() == 0) ImGui::TableNextColumn();
        draw_help_group(group);
        for (const KeyBinding& binding : v_.keys_.bindings())
          lines += binding.group == group && !(binding.key >= '2' && binding.key <= '9');
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
}

void ViewerUi::draw_errors(glm::vec2 corner, float width) {
  if (v_.errors_.empty()) return;
  ImGui::SetNextWindowPos({corner.x + 10, corner.y - 10}, ImGuiCond_Always, {0, 1});
  ImGui::SetNextWindowSize({std::min(width - 20, 50 * ImGui::GetFontSize()), 0});
  bool open = true;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, {0.30f, 0.10f, 0.10f, 0.96f});
  ImGui::PushStyleColor(ImGuiCol_TitleBgActive, {0.55f, 0.15f, 0.15f, 1});
  ImGui::PushStyleColor(ImGuiCol_TitleBg, {0.55f, 0.15f, 0.15f, 1});
  if (ImGui::Begin("Error", &open,
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing)) {
    ImGui::PushTextWrapPos(0);
    for (const std::string& error : v_.errors_) ImGui::TextUnformatted(app::printable(error).c_str());
    ImGui::PopTextWrapPos();
    if (ImGui::SmallButton("Close")) open = false;
  }
  ImGui::End();
  ImGui::PopStyleColor(3);
  if (!open) v_.errors_.clear();
}

void ViewerUi::draw_loading(glm::vec2 center) {
  const std::optional<LoadState> state = v_.loader_->state();
  if (!state || v_.sequence_.playing()) return;
  ImGui::SetNextWindowPos({center.x, center.y}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({30 * ImGui::GetFontSize(), 0});
  if (ImGui::Begin("##loading", nullptr,
                   kBarFlags | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing)) {
    ImGui::Text("Loading %s", display_name(state->path).c_str());
    ImGui::ProgressBar(float(state->part), {-1, 0});
    if (ImGui::Button("Cancel")) v_.loader_->cancel();
  }
  ImGui::End();
}

void ViewerUi::draw_welcome(glm::vec2 center) {
  ImGui::SetNextWindowPos({center.x, center.y}, ImGuiCond_Always, {0.5f, 0.5f});
  if (ImGui::Begin("##welcome", nullptr, kBarFlags | ImGuiWindowFlags_AlwaysAutoResize)) {
    ImGui::TextUnformatted("Drop a frame (.bkf), a scene (.obj) or a folder of frames here, or");
    if (ImGui::Button("Open...")) v_.dialog_.open(v_.settings_.folder);
    ImGui::SameLine();
    if (ImGui::Button("Show a generated scene")) v_.open({"generated:city"});
    std::string chosen;
    for (const std::string& file : v_.settings_.recent) {
      if (ImGui::Selectable(app::printable(file).c_str())) chosen = file;
    }
    if (!chosen.empty()) v_.open({chosen});
  }
  ImGui::End();
}

}  // namespace brokkr::viewer
