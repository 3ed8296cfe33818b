// Places of the panels: the draws and the history of a pixel at the left of the image, one above the other, and one of
// four sections at its right. A narrow window has the draws as a fifth section. Bars between them are dragged, and all
// of it is remembered.
#pragma once

#include <array>
#include <glm/vec2.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

struct DockSettings {
  std::string section = "Pipeline";          // the open one
  std::map<std::string, std::string> open;   // the open panel of a section, by the section's name
  std::array<float, 2> widths{0.2f, 0.26f};  // of the left and the right dock, of the window's
  float share = 0.68f;                       // of the left dock's height that its upper panel has
};

// A part of the window, in pixels from its top left.
struct Box {
  glm::vec2 begin{0}, end{0};
  glm::vec2 size() const { return end - begin; }
};

struct DockBoxes {
  std::optional<Box> left, right;
  Box image;  // what is left between them
};

// The least width, in pixels at scale 1, of an area with two docks.
inline constexpr float kTwoDocks = 1600;

// Lays the docks out in `area`. At least 30 % of its width is the image's. `scale`: of the user interface; `has_draws`,
// `has_sections`: whether there are panels for each.
DockBoxes place_docks(const DockSettings& settings, bool has_draws, bool has_sections, const Box& area, float scale);

class Docks {
 public:
  using Panels = std::vector<std::unique_ptr<Panel>>;

  // `settings` are changed as the user moves things. Both must outlive the object.
  Docks(DockSettings& settings, const Panels& panels) : settings_(settings), panels_(panels) {}

  // Draws the panels, and returns the part of `area` that they leave free. In every UI frame.
  Box draw(ViewerState& state, const Box& area, float scale);

  // Returns true if it is on the screen, by the last `draw`.
  bool is_open(const std::string& panel) const;
  void open(const std::string& panel);

 private:
  std::vector<Panel*> panels_of(Section section, const ViewerState& state) const;
  void draw_stack(ViewerState& state, const Box& box, float scale);
  void draw_sections(ViewerState& state, const Box& box, bool with_draws, float scale);
  void draw_width_bar(const Box& box, bool is_left, const Box& area, float scale);

  DockSettings& settings_;
  const Panels& panels_;
  bool two_docks_ = false;
  bool focus_ = false;  // the open panel takes the keyboard
};

}  // namespace brokkr::viewer
