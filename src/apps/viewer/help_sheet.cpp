#include "viewer/help_sheet.h"

#include <imgui.h>

#include <algorithm>

namespace brokkr::viewer {
namespace {

void draw_help_group(const HelpGroup& group) {
  float widest = 0;
  for (const HelpGroup::Line& line : group.lines) widest = std::max(widest, ImGui::CalcTextSize(line.keys.c_str()).x);
  ImGui::TextColored({0.55f, 0.75f, 1, 1}, "%s", group.name.c_str());
  const float em = ImGui::GetFontSize(), column = std::min(widest + em, 15 * em);
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
  ImGui::SetNextWindowSize({std::min(window.x * 0.95f, 74 * em), std::min(window.y * 0.95f, 46 * em)});
  if (ImGui::Begin("Keys and mouse", &open, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    size_t all = 0, drawn = 0;
    for (const HelpGroup& group : groups) all += group.lines.size();
    // Half of the lines to the left, the rest to the right; a narrow window has all in one column.
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
