// The image in the window: its place, its size, the mouse over it, and the legend of its colours.
#pragma once

#include <imgui.h>

#include <functional>
#include <glm/vec2.hpp>
#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

class Window;

// Screen pixels per image pixel at which the whole image fits into `area` pixels. Beyond 2 it is a whole number, so
// that all pixels of the image are squares of one size.
float fitting_zoom(glm::vec2 size, glm::vec2 area);

class ImageArea {
 public:
  // Called once per UI frame, between ImGui's NewFrame and the panels: lays the image out in the window's part from
  // `begin` to `end` and draws it behind everything. `texture`: OpenGL's name, 0: none.
  void draw(ViewerState& state, unsigned texture, int width, int height, glm::vec2 begin, glm::vec2 end);

  // Camera and zoom under mouse and keys. `click` is called for a press and release at one place.
  void handle_mouse(ViewerState& state, const Window& window, const std::function<void(glm::vec2)>& click);
  // Returns true if the right button is held: frames are then drawn without further events.
  bool flying() const { return drag_ == Drag::fly; }

  void one_to_one() { set_zoom(1, glm::vec2(0)); }
  void fit() { fits_ = true; }
  bool fits() const { return fits_; }
  // Larger or smaller by `factor` around the screen position `around`.
  void zoom(const ViewerState& state, float factor, glm::vec2 around);

 private:
  void drag(ViewerState& state, glm::vec2 moved);
  void set_zoom(float zoom, glm::vec2 offset) {
    fits_ = false;
    zoom_ = zoom;
    offset_ = offset;
  }

  bool fits_ = true;  // the image is as large as its room allows (fitting_zoom)
  float zoom_ = 1;
  glm::vec2 offset_{0};  // of the image's centre from the area's, screen pixels
  enum class Drag { none, maybe_click, orbit, pan_camera, pan_image, fly };
  Drag drag_ = Drag::none;
  int button_ = 0;  // that is held during the drag
  glm::vec2 pressed_at_{0};
};

// A colour of the legend, which lies over the image's lower corners.
struct LegendStep {
  ImU32 color = 0;
  std::string text;  // number, or meaning
};

// The meaning of a shading mode's colours, from the highest to the lowest value; empty if there is nothing to explain.
struct ImageLegend {
  std::string title;  // with the unit
  std::vector<LegendStep> steps;
};
ImageLegend shading_legend(Shading shading);

// Fragments of a bin as colours of heat; `most`: of the fullest one.
ImageLegend heat_legend(uint64_t most);

// Draws it in the lower left corner of the image's area, or in the right one.
void draw_legend(ImDrawList& list, const ImageView& view, const ImageLegend& legend, bool right);

}  // namespace brokkr::viewer
