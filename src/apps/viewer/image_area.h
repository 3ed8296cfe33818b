// The image in the window: its position, its size, the mouse over it, and the legend of its colours.
#pragma once

#include <imgui.h>

#include <functional>
#include <glm/vec2.hpp>
#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

class Window;

// The largest zoom (screen pixels per image pixel) at which the whole image fits into `area` pixels. Above 2 it is a
// whole number, so that all image pixels are squares of equal size.
float fitting_zoom(glm::vec2 size, glm::vec2 area);

class ImageArea {
 public:
  // Lays out the image between `begin` and `end` of the window, and draws it behind everything else. Call it once per
  // UI frame, between ImGui's NewFrame and the panels. `texture`: OpenGL's name; 0: none.
  void draw(ViewerState& state, unsigned texture, int width, int height, glm::vec2 begin, glm::vec2 end);

  // Moves the camera and the zoom by mouse and keys. Calls `click` for a press and release at one place.
  void handle_mouse(ViewerState& state, const Window& window, const std::function<void(glm::vec2)>& click);
  // Returns true if the right button is held; frames are then drawn without further events.
  bool flying() const { return drag_ == Drag::fly; }

  void one_to_one() { set_zoom(1, glm::vec2(0)); }
  void fit() { fits_ = true; }
  bool fits() const { return fits_; }
  // Multiplies the zoom by `factor`; the screen position `around` stays in place.
  void zoom(const ViewerState& state, float factor, glm::vec2 around);

 private:
  void drag(ViewerState& state, glm::vec2 moved);
  void set_zoom(float zoom, glm::vec2 offset) {
    fits_ = false;
    zoom_ = zoom;
    offset_ = offset;
  }

  bool fits_ = true;  // the image is as large as the area allows (fitting_zoom)
  float zoom_ = 1;
  glm::vec2 offset_{0};  // of the image's centre from the area's, in screen pixels
  enum class Drag { none, maybe_click, orbit, pan_camera, pan_image, fly };
  Drag drag_ = Drag::none;
  int button_ = 0;  // the button held during the drag
  glm::vec2 pressed_at_{0};
};

// One colour of the legend, which covers a lower corner of the image.
struct LegendStep {
  ImU32 color = 0;
  std::string text;  // a number or a meaning
};

// Explains the colours of a shading mode, from the highest to the lowest value; empty if there is nothing to explain.
struct ImageLegend {
  std::string title;  // including the unit
  std::vector<LegendStep> steps;
};
ImageLegend shading_legend(Shading shading);

// The legend for the heat map of fragments per bin; `max_fragments`: fragments of the fullest bin.
ImageLegend heat_legend(uint64_t max_fragments);

// Draws the legend in the lower left or right corner of the image's area.
void draw_legend(ImDrawList& list, const ImageView& view, const ImageLegend& legend, bool right);

}  // namespace brokkr::viewer
