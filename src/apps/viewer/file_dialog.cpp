#include "viewer/file_dialog.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/text.h"
#include "base/file_io.h"
#include "brokkr/load.h"
#include "viewer/bundled.h"
#include "viewer/looks.h"
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
    const bool is_file = it->is_regular_file(ignored);
    const bool has_known_ending =
        is_loadable(name) || is_shader_file(name) || module_of_scene(modules_, name) != nullptr;
    const bool readable = is_folder || (is_file && has_known_ending);
    entries_.push_back({name, is_folder, readable, is_file ? uint64_t(it->file_size(ignored)) : 0});
  }
  if (error) problem_ = folder_ + ": " + error.message();
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.folder != b.folder ? a.folder : a.name < b.name; });
}

std::string why_not_to_open(const std::string& path, const std::vector<Module>& modules) {
  std::error_code error;
  if (module_of_scene(modules, path) != nullptr || path.starts_with("generated:") || fs::is_directory(path, error))
    return {};
  if (!fs::exists(path, error)) return path + ": there is no such file; check its name and folder";
  if (!fs::is_regular_file(path, error))
    return path + ": is a device or a pipe, which could keep the window waiting; name a file";
  if (!is_loadable(path) && !is_shader_file(path))
    return path + ": is not a frame, scene or shader; open .bkf, .obj, .gltf, .glb, .ply, .stl or .frag";
  return {};
}

std::string with_home(const std::string& path) {
  const char* const home = std::getenv("HOME");
  const bool begins_at_home = path == "~" || path.starts_with("~/");
  return begins_at_home && home != nullptr ? home + path.substr(1) : path;
}

void FileDialog::draw_places(const std::vector<std::string>& recent) {
  std::vector<std::pair<std::string, std::string>> places;
  const auto add = [&](const std::string& name, const fs::path& folder) {
    std::error_code error;
    const std::string path = fs::weakly_canonical(folder, error).string();
    const auto same = [&](const auto& place) { return place.second == path; };
    if (!path.empty() && fs::is_directory(path, error) && std::none_of(places.begin(), places.end(), same))
      places.emplace_back(name, path);
  };
  if (const char* const home = std::getenv("HOME"); home != nullptr) add("Home", home);
  add("Current folder", current_folder());
  if (const auto bundled = find_bundled("scenes")) add("Bundled frames", *bundled);
  if (const auto bundled = find_bundled("assets")) add("Bundled scenes", *bundled);
  if (const auto bundled = find_bundled("shaders/examples")) add("Shaders", *bundled);
  for (const std::string& file : recent) {
    const fs::path folder = fs::path(file).parent_path();
    if (!folder.empty()) add(folder.filename().string(), folder);
  }
  add("Computer", "/");
  std::string next;
  for (const auto& [name, path] : places) {
    ImGui::PushID(path.c_str());
    if (ImGui::Selectable(app::printable(name).c_str(), path == folder_)) next = path;
    tip(app::printable(path));
    ImGui::PopID();
  }
  if (!next.empty()) go(next);
}

std::optional<std::string> FileDialog::draw_entries(Thumbnails& thumbnails) {
  std::optional<std::string> chosen;
  std::string next;
  const float em = ImGui::GetFontSize(), high = 2.6f * em, wide = high * kThumbnailWidth / kThumbnailHeight;
  if (ImGui::Selectable("..")) next = fs::path(folder_).parent_path().string();
  for (const Entry& entry : entries_) {
    if (!entry.readable && !all_) continue;
    const std::string label = entry.folder ? entry.name + "/" : entry.name;
    const std::string path = (fs::path(folder_) / entry.name).string();
    const bool has_picture = entry.readable && !entry.folder && !is_shader_file(entry.name);
    const ImVec2 top_left = ImGui::GetCursorScreenPos();
    const float height = has_picture ? high : ImGui::GetTextLineHeight();
    ImGui::PushID(path.c_str());
    if (ImGui::Selectable("##entry", typed_ == path, ImGuiSelectableFlags_AllowDoubleClick, {0, height})) {
      if (entry.folder) {
        next = path;
      } else {
        typed_ = path;
        problem_ = why_not_to_open(path, modules_);
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) || ImGui::GetIO().NavVisible) chosen = path;
      }
    }
    ImGui::PopID();
    if (!ImGui::IsItemVisible()) continue;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float y = top_left.y + (height - ImGui::GetTextLineHeight()) / 2;
    if (has_picture) {
      const ImVec2 low(top_left.x, top_left.y + 1), end(top_left.x + wide - 2, top_left.y + height - 1);
      list.AddRectFilled(low, end, theme::kPlot);
      if (const PanelTexture* const picture = thumbnails.find(path)) picture->draw(list, low, end);
    }
    list.AddText({top_left.x + (has_picture ? wide + 0.5f * em : 0.0f), y}, entry.readable ? theme::kText : theme::kDim,
                 app::printable(label).c_str());
    if (entry.folder) continue;
    const std::string size = app::grouped((entry.bytes + 1023) / 1024) + " KiB";
    const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    list.AddText({right - ImGui::CalcTextSize(size.c_str()).x, y}, theme::kDim, size.c_str());
  }
  if (!next.empty()) go(next);
  return chosen;
}

std::optional<std::string> FileDialog::draw_generated() {
  std::optional<std::string> chosen;
  if (!ImGui::BeginCombo("##generated", "Generated scene")) return chosen;
  for (const SceneSource& source : scene_sources()) {
    if (!source.name.starts_with("generated:")) continue;
    if (ImGui::Selectable(source.name.c_str())) chosen = source.name;
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
  return chosen;
}

std::optional<std::string> FileDialog::draw(const std::vector<std::string>& recent, Thumbnails& thumbnails) {
  if (!open_) return std::nullopt;
  std::optional<std::string> chosen;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(em * 54, window.x * 0.9f), std::min(em * 38, window.y * 0.85f)},
                           ImGuiCond_Appearing);
  if (ImGui::Begin("Open", &open_, ImGuiWindowFlags_NoCollapse)) {
    ImGui::TextWrapped("%s", app::printable(folder_).c_str());
    const bool narrow = ImGui::GetContentRegionAvail().x < 36 * em;  // hide the places and wrap the buttons
    const float lines = (narrow ? 3.2f : 2.2f) + (problem_.empty() ? 0.0f : 1.0f);
    const float least = 3 * ImGui::GetFrameHeightWithSpacing();
    const float entries =
        std::max(ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeightWithSpacing() * lines, least);
    if (!narrow) {
      if (ImGui::BeginChild("places", {11 * em, entries}, true)) draw_places(recent);
      ImGui::EndChild();
      ImGui::SameLine();
    }
    if (ImGui::BeginChild("entries", {0, entries}, true)) chosen = draw_entries(thumbnails);
    ImGui::EndChild();
    if (ImGui::IsWindowAppearing() || std::exchange(retype_, false)) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##path", "a path, or generated:city", &typed_,
                                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll))
      chosen = with_home(typed_);
    if (!problem_.empty())
      ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme::kBad), "%s", app::printable(problem_).c_str());
    if (ImGui::Button("Open", {6 * em, 0}) && !typed_.empty()) chosen = with_home(typed_);
    ImGui::SameLine();
    if (ImGui::Button("This folder as a sequence")) chosen = folder_;
    ImGui::SameLine();
    check_box("all files", &all_);
    if (!narrow) ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    if (const auto generated = draw_generated()) chosen = generated;
  }
  ImGui::End();
  std::error_code error;
  if (chosen && fs::is_directory(*chosen, error) && *chosen != folder_) {
    go(*chosen);
    typed_.clear();
    return std::nullopt;
  }
  if (chosen && !(problem_ = why_not_to_open(*chosen, modules_)).empty()) {
    retype_ = true;
    return std::nullopt;
  }
  if (chosen) open_ = false;
  return chosen;
}

}  // namespace brokkr::viewer
