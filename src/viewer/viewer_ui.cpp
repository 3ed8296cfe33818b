#include "viewer/viewer_ui.h"

#include <imgui.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "app/text.h"
#include "viewer/looks.h"
#include "viewer/names.h"

namespace brokkr::viewer {
void ViewerUi::draw() {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  glm::vec2 begin(0), end(window.x, window.y);
  if (v_.show_ui_) {
    draw_menu();
    begin.y = ImGui::GetFrameHeight();
    end.y -= ImGui::GetFrameHeight() + 4;
    draw_status_bar(end.y);
    end.x -= side_bar_width();
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

// A menu item that does what its key does.
void ViewerUi::menu_item(const char* label, Action action, bool selected, bool enabled) {
  if (ImGui::MenuItem(label, key_text(action).c_str(), selected, enabled)) v_.act({action});
}

void ViewerUi::draw_recent() {
  std::string chosen;
  for (const std::string& file : v_.settings_.recent) {
    if (ImGui::Selectable(app::printable(file).c_str())) chosen = file;
  }
  if (!chosen.empty()) v_.open({chosen});
}

void ViewerUi::draw_file_menu() {
  menu_item("Open...", Action::open_file);
  if (ImGui::BeginMenu("Recent", !v_.settings_.recent.empty())) {
    draw_recent();
    ImGui::EndMenu();
  }
  menu_item("Load again", Action::reload_file, false, !v_.file_.empty());
  ImGui::Separator();
  menu_item("Save the window", Action::save_window);
  menu_item("Save the image", Action::save_image);
  ImGui::Separator();
  menu_item("Quit", Action::quit);
}

void ViewerUi::draw_view_menu() {
  menu_item("Fit to window", Action::fit_image);
  menu_item("One to one", Action::one_to_one);
  menu_item("Full screen", Action::full_screen);
  menu_item("Hide everything else", Action::hide_panels);
  ImGui::Separator();
  menu_item("Frames keep coming", Action::render_always, v_.state_.continuous);
  ImGui::Separator();
  for (const auto& panel : v_.panels_) {
    if (ImGui::MenuItem(panel->name(), nullptr, v_.wanted_panel_ == panel->name())) v_.wanted_panel_ = panel->name();
  }
}

void ViewerUi::draw_camera_menu() {
  menu_item("As loaded", Action::camera_home);
  menu_item("Copy as text", Action::copy_camera);
  menu_item("Paste", Action::paste_camera);
  for (int i = 1; i <= 10; ++i) {
    const int number = i % 10;
    const std::string text = std::to_string(number);
    if (v_.state_.camera.bookmarks[size_t(number)] && ImGui::MenuItem(("Bookmark " + text).c_str(), text.c_str()))
      v_.act({Action::recall_bookmark, number});
  }
}

void ViewerUi::draw_menu() {
  if (!ImGui::BeginMainMenuBar()) return;
  const auto menu = [this](const char* title, void (ViewerUi::*items)()) {
    if (!ImGui::BeginMenu(title)) return;
    (this->*items)();
    ImGui::EndMenu();
  };
  menu("File", &ViewerUi::draw_file_menu);
  menu("View", &ViewerUi::draw_view_menu);
  menu("Camera", &ViewerUi::draw_camera_menu);
  if (ImGui::BeginMenu("Help")) {
    menu_item("Keys and mouse", Action::show_help);
    ImGui::EndMenu();
  }
  ImGui::EndMainMenuBar();
}

float ViewerUi::side_bar_width() const {
  const float most = std::max(200.0f, ImGui::GetIO().DisplaySize.x * 0.6f);
  return std::clamp(v_.settings_.side_bar * v_.window_->scale(), 200.0f, most);
}

void ViewerUi::draw_side_bar(float top, float bottom) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float scale = v_.window_->scale();
  const float width = side_bar_width();
  ImGui::SetNextWindowPos({window.x - width, top});
  ImGui::SetNextWindowSize({width, bottom - top});
  if (ImGui::Begin("##side", nullptr, kBarFlags)) {
    // The left edge is a handle.
    ImGui::SetCursorScreenPos({window.x - width, top});
    ImGui::InvisibleButton("##edge", {5 * scale, bottom - top});
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (ImGui::IsItemActive())
      v_.settings_.side_bar = std::clamp(v_.settings_.side_bar - ImGui::GetIO().MouseDelta.x / scale, 240.0f, 2000.0f);
    ImGui::SetCursorScreenPos({window.x - width + 10 * scale, top + 6 * scale});
    ImGui::BeginGroup();
    if (ImGui::BeginTabBar("panels", ImGuiTabBarFlags_FittingPolicyScroll)) {
      static std::string shown;  // a tab is chosen by mouse or from outside
      for (const auto& panel : v_.panels_) {
        const bool from_outside = v_.wanted_panel_ == panel->name() && shown != panel->name();
        if (!ImGui::BeginTabItem(panel->name(), nullptr, from_outside ? ImGuiTabItemFlags_SetSelected : 0)) continue;
        if (!from_outside && (v_.wanted_panel_ == shown || v_.wanted_panel_.empty())) v_.wanted_panel_ = panel->name();
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
  std::string text = display_name(last->scene->path) + "   " + std::to_string(last->width) + " x " +
                     std::to_string(last->height) + "   " + app::fixed(s.frame_ms, 2) + " ms";
  if (last->result.aborted) text += " (cut off)";
  if (v_.state_.continuous && !v_.frame_times_.empty()) {
    const double sum = std::accumulate(v_.frame_times_.begin(), v_.frame_times_.end(), 0.0);
    text += "   " + app::fixed(double(v_.frame_times_.size()) / sum, 1) + " frames/s";
  }
  text += "   " + s.machine + (s.isa.empty() ? "" : " " + s.isa) + ", " + std::to_string(s.workers) + " workers, " +
          std::to_string(s.rasterizers) + " rasterizers   " + v_.presenter_->description() + "   " +
          app::fixed(double(v_.state_.view.zoom) * 100, 0) + " %";
  return text;
}

void ViewerUi::draw_status_bar(float top) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({window.x, window.y - top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8, 3));
  if (ImGui::Begin("##status", nullptr, kBarFlags)) {
    ImGui::TextUnformatted(status_text().c_str());
    if (Clock::now() < v_.note_until_) {
      ImGui::SameLine(0, 30);
      ImGui::TextColored(kNotice, "%s", app::printable(v_.note_).c_str());
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
  if (ImGui::Begin("##sequence", nullptr, kBarFlags)) {
    if (ImGui::Button(sequence.playing() ? "Pause" : "Play")) v_.act({Action::play_sequence});
    ImGui::SameLine();
    int position = int(sequence.position()) + 1;
    ImGui::SetNextItemWidth(std::max(80.0f, right - 30 * ImGui::GetFontSize()));
    const std::string format = "%d of " + std::to_string(sequence.files().size());
    if (ImGui::SliderInt("##position", &position, 1, int(sequence.files().size()), format.c_str(),
                         ImGuiSliderFlags_AlwaysClamp)) {
      sequence.seek(size_t(position - 1));
      v_.load_file(sequence.files()[sequence.position()], true);
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", display_name(sequence.files()[sequence.position()]).c_str());
    ImGui::SameLine();
    ImGui::SetNextItemWidth(8 * ImGui::GetFontSize());
    ImGui::SliderFloat("per second", &sequence.speed, 0.1f, 120, "%.1f",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    ImGui::SameLine();
    ImGui::Checkbox("loop", &sequence.loop);
  }
  ImGui::End();
}

void ViewerUi::draw_help_group(const HelpGroup& group) {
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

void ViewerUi::draw_help() {
  if (!v_.show_help_) return;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(window.x * 0.95f, 74 * em), std::min(window.y * 0.95f, 46 * em)});
  if (ImGui::Begin("Keys and mouse", &v_.show_help_, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    static const std::vector<HelpGroup> groups = help_groups();
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
    if (ImGui::Button("Open...")) v_.act({Action::open_file});
    ImGui::SameLine();
    if (ImGui::Button("Show a generated scene")) v_.open({"generated:city"});
    draw_recent();
  }
  ImGui::End();
}

}  // namespace brokkr::viewer
