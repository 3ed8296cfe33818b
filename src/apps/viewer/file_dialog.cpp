#include "viewer/file_dialog.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "app/text.h"
#include "brokkr/load.h"
#include "viewer/shader_control.h"

namespace brokkr::viewer {

namespace fs = std::filesystem;

void FileDialog::open(const std::string& folder) {
  open_ = true;
  typed_.clear();
  std::error_code error;
  go(folder.empty() || !fs::is_directory(folder, error) ? fs::current_path(error).string() : folder);
}

void FileDialog::go(const std::string& folder) {
  std::error_code error;
  folder_ = fs::weakly_canonical(folder, error).string();
  if (error) folder_ = folder;
  entries_.clear();
  problem_.clear();
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    const bool is_folder = it->is_directory(ignored);
    if (!is_folder && !is_loadable(name) && !is_shader_file(name) && module_of_scene(modules_, name) == nullptr)
      continue;
    entries_.push_back({name, is_folder, is_folder ? 0 : uint64_t(it->file_size(ignored))});
  }
  if (error) problem_ = folder_ + ": " + error.message();
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.folder != b.folder ? a.folder : a.name < b.name; });
}

std::optional<std::string> FileDialog::draw_entries() {
  std::optional<std::string> chosen;
  std::string next;
  if (ImGui::Selectable("..")) next = fs::path(folder_).parent_path().string();
  for (const Entry& entry : entries_) {
    const std::string label = entry.folder ? entry.name + "/" : entry.name;
    const std::string path = (fs::path(folder_) / entry.name).string();
    if (ImGui::Selectable(label.c_str(), false, ImGuiSelectableFlags_AllowDoubleClick)) {
      if (entry.folder) {
        next = path;
      } else {
        typed_ = path;
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) chosen = path;
      }
    }
    if (!entry.folder) {
      const std::string size = app::grouped(entry.bytes / 1024) + " KiB";
      ImGui::SameLine(ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(size.c_str()).x);
      ImGui::TextDisabled("%s", size.c_str());
    }
  }
  if (!next.empty()) go(next);
  return chosen;
}

std::optional<std::string> FileDialog::draw() {
  if (!open_) return std::nullopt;
  std::optional<std::string> chosen;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(em * 44, window.x * 0.9f), std::min(em * 34, window.y * 0.85f)},
                           ImGuiCond_Appearing);
  if (ImGui::Begin("Open", &open_, ImGuiWindowFlags_NoCollapse)) {
    ImGui::TextWrapped("%s", app::printable(folder_).c_str());
    const bool narrow = ImGui::GetContentRegionAvail().x < 30 * em;  // buttons and list then have a line each
    const float below = ImGui::GetFrameHeightWithSpacing() * (narrow ? 4.0f : 3.0f);
    const float least = 3 * ImGui::GetFrameHeightWithSpacing();
    const float entries = std::max(ImGui::GetContentRegionAvail().y - below, least);
    if (ImGui::BeginChild("entries", {0, entries}, true)) chosen = draw_entries();
    ImGui::EndChild();
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##path", "a path, or generated:city", &typed_, ImGuiInputTextFlags_EnterReturnsTrue))
      chosen = typed_;
    if (ImGui::Button("Open") && !typed_.empty()) chosen = typed_;
    ImGui::SameLine();
    if (ImGui::Button("This folder as a sequence")) chosen = folder_;
    if (!narrow) ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    if (ImGui::BeginCombo("##generated", "Generated scene", ImGuiComboFlags_NoArrowButton)) {
      for (const SceneSource& source : scene_sources()) {
        if (source.name.starts_with("generated:") && ImGui::Selectable(source.name.c_str())) chosen = source.name;
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", source.description.c_str());
      }
      for (const Module& module : modules_) {
        if (!module.scenes) continue;
        for (const std::string& scene : module.scenes->built_in) {
          if (ImGui::Selectable(scene.c_str())) chosen = scene;
          if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", module.scenes->description.c_str());
        }
      }
      ImGui::EndCombo();
    }
    if (!problem_.empty()) ImGui::TextDisabled("%s", app::printable(problem_).c_str());
  }
  ImGui::End();
  std::error_code error;
  if (chosen && fs::is_directory(*chosen, error) && *chosen != folder_) {
    go(*chosen);
    typed_.clear();
    return std::nullopt;
  }
  if (chosen) open_ = false;
  return chosen;
}

}  // namespace brokkr::viewer
