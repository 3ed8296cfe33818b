// The viewer's own user interface: menu, side bar with the panels, status bar, sequence bar, help sheet, messages.
#pragma once

#include "viewer/viewer.h"

namespace brokkr::viewer {

class ViewerUi {
 public:
  explicit ViewerUi(Viewer& viewer) : v_(viewer) {}
  // One UI frame, between Window::begin_frame and end_frame.
  void draw();

 private:
  void draw_menu();
  void draw_file_menu();
  void draw_view_menu();
  void draw_camera_menu();
  void menu_item(const char* label, Action action, bool selected = false, bool enabled = true);
  void draw_recent();
  float side_bar_width() const;
  void draw_side_bar(float top, float bottom);
  void draw_status_bar(float top);
  void draw_sequence_bar(float bottom, float right);
  void draw_help();
  static void draw_help_group(const HelpGroup& group);
  void draw_errors(glm::vec2 corner, float width);
  void draw_loading(glm::vec2 center);
  void draw_welcome(glm::vec2 center);
  std::string status_text() const;

  Viewer& v_;
};

}  // namespace brokkr::viewer
