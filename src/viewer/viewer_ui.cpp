#include "viewer/viewer_ui.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

#include "cli/text.h"

namespace brokkr::viewer {
namespace {

constexpr ImGuiWindowFlags kBar = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                  ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar |
                                  ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse |
                                  ImGuiWindowFlags_NoBringToFrontOnFocus;

std::string short_name(const std::string& path) {
  if (path.starts_with("generated:")) return path;
  return cli::printable(std::filesystem::path(path).filename().string());
}

bool menu_item(const char* label, const char* key, bool selected = false, bool enabled = true) {
  return ImGui::MenuItem(label, key, selected, enabled);
}

}  // namespace

void ViewerUi::draw() {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  glm::vec2 begin(0), end(window.x, window.y);
  if (v_.show_ui_) {
    draw_menu();
    begin.y = ImGui::GetFrameHeight();
    end.y -= ImGui::GetFrameHeight() + 4;
    draw_status_bar(end.y);
    const float width =
        std::clamp(v_.settings_.side_bar * v_.window_->scale(), 200.0f, std::max(200.0f, window.x * 0.6f));
    end.x -= width;
    draw_side_bar(begin.y, end.y);
    if (v_.sequence_.active()) {
      draw_sequence_bar(end.y, end.x);
      end.y -= ImGui::GetFrameHeightWithSpacing() + 8;
    }
  }
  v_.area_.draw(v_.state_, v_.image_.texture, v_.image_.width, v_.image_.height, begin, end);
  for (const auto& panel : v_.panels_) panel->draw_over_image(v_.state_, *ImGui::GetBackgroundDrawList());
  v_.area_.handle_mouse(v_.state_, *v_.window_, [&](glm::vec2 pixel) {
    for (const auto& panel : v_.panels_) {
      if (panel->on_click(v_.state_, pixel)) return;
    }
  });
  const glm::vec2 center = (begin + end) / 2.0f;
  if (!v_.state_.scene && !v_.loader_->state()) draw_welcome(center);
  draw_loading(center);
  draw_errors({begin.x, end.y}, end.x - begin.x);
  draw_help();
  if (const auto chosen = v_.dialog_.draw()) v_.open({*chosen});
}

void ViewerUi::draw_file_menu() {
  if (menu_item("Open...", "Ctrl+O")) v_.dialog_.open(v_.settings_.folder);
  if (ImGui::BeginMenu("Recent", !v_.settings_.recent.empty())) {
    std::string chosen;
    for (const std::string& file : v_.settings_.recent) {
      if (menu_item(cli::printable(file).c_str(), nullptr)) chosen = file;
    }
    ImGui::EndMenu();
    if (!chosen.empty()) v_.open({chosen});
  }
  if (menu_item("Load again", "F5", false, !v_.file_.empty())) v_.reload();
  ImGui::Separator();
  if (menu_item("Save the window", "F12")) v_.shot_ = Viewer::Shot::window;
  if (menu_item("Save the image", "Shift+F12")) v_.shot_ = Viewer::Shot::image;
  ImGui::Separator();
  if (menu_item("Quit", "Ctrl+Q")) v_.window_->close();
}

void ViewerUi::draw_view_menu() {
  if (menu_item("Fit to window", "F")) v_.area_.fit();
  if (menu_item("One to one", "Z")) v_.area_.one_to_one();
  if (menu_item("Full screen", "F11")) v_.window_->toggle_full_screen();
  if (menu_item("Hide everything else", "F2")) v_.show_ui_ = false;
  ImGui::Separator();
  if (menu_item("Frames keep coming", "R", v_.state_.continuous))
    v_.state_.continuous = !v_.state_.continuous;
  ImGui::Separator();
  for (const auto& panel : v_.panels_) {
    if (menu_item(panel->name(), nullptr, v_.wanted_panel_ == panel->name()))
      v_.wanted_panel_ = panel->name();
  }
}

void ViewerUi::draw_menu() {
  if (!ImGui::BeginMainMenuBar()) return;
  if (ImGui::BeginMenu("File")) {
    draw_file_menu();
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("View")) {
    draw_view_menu();
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Camera")) {
    if (menu_item("As loaded", "Home")) v_.state_.camera.home();
    if (menu_item("Copy as text", "Ctrl+C")) v_.copy_camera();
    if (menu_item("Paste", "Ctrl+V")) v_.paste_camera();
    for (size_t i = 1; i <= 10; ++i) {
      const std::string number = std::to_string(i % 10);
      if (v_.state_.camera.bookmarks[i % 10] && menu_item(("Bookmark " + number).c_str(), number.c_str()))
        v_.state_.camera.recall_bookmark(i % 10);
    }
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Help")) {
    if (menu_item("Keys and mouse", "F1")) v_.show_help_ = true;
    ImGui::EndMenu();
  }
  ImGui::EndMainMenuBar();
}

void ViewerUi::draw_side_bar(float top, float bottom) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float scale = v_.window_->scale();
  const float width = std::clamp(v_.settings_.side_bar * scale, 200.0f, std::max(200.0f, window.x * 0.6f));
  ImGui::SetNextWindowPos({window.x - width, top});
  ImGui::SetNextWindowSize({width, bottom - top});
  if (ImGui::Begin("##side", nullptr, kBar)) {
    // The left edge is a handle.
    ImGui::SetCursorScreenPos({window.x - width, top});
    ImGui::InvisibleButton("##edge", {5 * scale, bottom - top});
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (ImGui::IsItemActive())
      v_.settings_.side_bar =
          std::clamp(v_.settings_.side_bar - ImGui::GetIO().MouseDelta.x / scale, 240.0f, 2000.0f);
    ImGui::SetCursorScreenPos({window.x - width + 10 * scale, top + 6 * scale});
    ImGui::BeginGroup();
    if (ImGui::BeginTabBar("panels", ImGuiTabBarFlags_FittingPolicyScroll)) {
      static std::string shown;  // a tab is chosen by mouse or from outside
      for (const auto& panel : v_.panels_) {
        const bool from_outside = v_.wanted_panel_ == panel->name() && shown != panel->name();
        if (!ImGui::BeginTabItem(panel->name(), nullptr, from_outside ? ImGuiTabItemFlags_SetSelected : 0))
          continue;
        if (!from_outside && (v_.wanted_panel_ == shown || v_.wanted_panel_.empty()))
          v_.wanted_panel_ = panel->name();
        if (v_.wanted_panel_ == panel->name()) shown = panel->name();
        if (ImGui::BeginChild(panel->name(), {0, 0})) {
          ImGui::PushItemWidth(ImGui::GetContentRegionAvail().x * 0.55f);
          panel->draw(v_.state_);
          ImGui::PopItemWidth();
        }
        ImGui::EndChild();
        ImGui::EndTabItem();
      }
      ImGui::EndTabBar();
    }
    ImGui::EndGroup();
  }
  ImGui::End();
}

std::string ViewerUi::status_text() const {
  const Rendered* const last = v_.state_.last.get();
  if (last == nullptr) return v_.window_->renderer();
  const Statistics& s = last->result.statistics;
  std::string text = short_name(last->scene->path) + "   " + std::to_string(last->width) + " x " +
                     std::to_string(last->height) + "   " + cli::fixed(s.frame_ms, 2) + " ms";
  if (last->result.aborted) text += " (cut off)";
  if (v_.state_.continuous && !v_.frame_times_.empty()) {
    const double sum = std::accumulate(v_.frame_times_.begin(), v_.frame_times_.end(), 0.0);
    text += "   " + cli::fixed(double(v_.frame_times_.size()) / sum, 1) + " frames/s";
  }
  text += "   " + s.machine + (s.isa.empty() ? "" : " " + s.isa) + ", " + std::to_string(s.workers) +
          " workers, " + std::to_string(s.rasterizers) + " rasterizers   " + v_.presenter_->description() +
          "   " + cli::fixed(double(v_.state_.view.zoom) * 100, 0) + " %";
  return text;
}

void ViewerUi::draw_status_bar(float top) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({window.x, window.y - top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8, 3));
  if (ImGui::Begin("##status", nullptr, kBar)) {
    ImGui::TextUnformatted(status_text().c_str());
    if (Clock::now() < v_.note_until_) {
      ImGui::SameLine(0, 30);
      ImGui::TextColored({0.95f, 0.8f, 0.35f, 1}, "%s", cli::printable(v_.note_).c_str());
    } else if (!v_.render_thread_->idle() && !v_.state_.continuous) {
      ImGui::SameLine(0, 30);
      ImGui::TextDisabled("rendering");
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

void ViewerUi::draw_sequence_bar(float bottom, float right) {
  const float height = ImGui::GetFrameHeightWithSpacing() + 8;
  ImGui::SetNextWindowPos({0, bottom - height});
  ImGui::SetNextWindowSize({right, height});
  Sequence& sequence = v_.sequence_;
  if (ImGui::Begin("##sequence", nullptr, kBar)) {
    const auto go = [&](size_t position) {
      sequence.seek(position);
      v_.load_file(sequence.files()[sequence.position()], true);
    };
    if (ImGui::Button(sequence.playing() ? "Pause" : "Play")) {
      if (sequence.playing())
        sequence.pause();
      else
        sequence.play(Clock::now());
    }
    ImGui::SameLine();
    int position = int(sequence.position()) + 1;
    ImGui::SetNextItemWidth(std::max(80.0f, right - 30 * ImGui::GetFontSize()));
    const std::string format = "%d of " + std::to_string(sequence.files().size());
    if (ImGui::SliderInt("##position", &position, 1, int(sequence.files().size()), format.c_str(),
                         ImGuiSliderFlags_AlwaysClamp))
      go(size_t(position - 1));
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", short_name(sequence.files()[sequence.position()]).c_str());
    ImGui::SameLine();
    ImGui::SetNextItemWidth(8 * ImGui::GetFontSize());
    ImGui::SliderFloat("per second", &sequence.speed, 0.1f, 120, "%.1f",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    ImGui::SameLine();
    ImGui::Checkbox("loop", &sequence.loop);
  }
  ImGui::End();
}

void ViewerUi::draw_help_group(const std::string& group) {
  struct Line {
    std::string key, help;
  };
  std::vector<Line> lines;
  float widest = 0;
  for (const KeyBinding& binding : v_.keys_.bindings()) {
    if (binding.group != group) continue;
    const bool digit = binding.gesture.empty() && binding.key >= '0' && binding.key <= '9';
    if (digit && binding.key != '1') continue;  // ten bookmarks are said once
    Line line{binding.gesture.empty() ? key_text(binding.key, binding.modifiers) : binding.gesture,
              binding.help};
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
  if (ImGui::Begin("Keys and mouse", &v_.show_help_,
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    std::vector<std::string> groups;
    for (const KeyBinding& binding : v_.keys_.bindings()) {
      if (std::find(groups.begin(), groups.end(), binding.group) == groups.end())
        groups.push_back(binding.group);
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
    for (const std::string& error : v_.errors_) ImGui::TextUnformatted(cli::printable(error).c_str());
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
                   kBar | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing)) {
    ImGui::Text("Loading %s", short_name(state->path).c_str());
    ImGui::ProgressBar(float(state->part), {-1, 0});
    if (ImGui::Button("Cancel")) v_.loader_->cancel();
  }
  ImGui::End();
}

void ViewerUi::draw_welcome(glm::vec2 center) {
  ImGui::SetNextWindowPos({center.x, center.y}, ImGuiCond_Always, {0.5f, 0.5f});
  if (ImGui::Begin("##welcome", nullptr, kBar | ImGuiWindowFlags_AlwaysAutoResize)) {
    ImGui::TextUnformatted("Drop a frame (.bkf), a scene (.obj) or a folder of frames here, or");
    if (ImGui::Button("Open...")) v_.dialog_.open(v_.settings_.folder);
    ImGui::SameLine();
    if (ImGui::Button("Show a generated scene")) v_.open({"generated:city"});
    std::string chosen;
    for (const std::string& file : v_.settings_.recent) {
      if (ImGui::Selectable(cli::printable(file).c_str())) chosen = file;
    }
    if (!chosen.empty()) v_.open({chosen});
  }
  ImGui::End();
}

}  // namespace brokkr::viewer
