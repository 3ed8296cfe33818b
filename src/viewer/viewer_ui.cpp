#include "viewer/viewer_ui.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/text.h"
#include "viewer/looks.h"

namespace brokkr::viewer {
namespace {

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
      if (menu_item(app::printable(file).c_str(), nullptr)) chosen = file;
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
  if (menu_item("Frames keep coming", "R", v_.state_.continuous)) v_.state_.continuous = !v_.state_.continuous;
  ImGui::Separator();
  for (const auto& panel : v_.panels_) {
    if (menu_item(panel->name(), nullptr, v_.wanted_panel_ == panel->name())) v_.wanted_panel_ = panel->name();
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

}  // namespace brokkr::viewer
