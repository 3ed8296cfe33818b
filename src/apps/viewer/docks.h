// The layout of the panels. The left dock has the list of draws above the history of a pixel; the right dock shows one
// of four sections. In a narrow window, the draws are a fifth section. Splitters between the docks can be dragged, and
// the layout is remembered.
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
  std::string section = "Pipeline";          // the open section
  std::map<std::string, std::string> open;   // the open panel of each section
  std::array<float, 2> widths{0.2f, 0.26f};  // widths of the left and the right dock, as fractions of the window's
  float share = 0.68f;                       // height of the upper left panel, as a fraction of the dock's
};

// A rectangle of the window, in pixels from its top left corner.
struct Box {
  glm::vec2 begin{0}, end{0};
  glm::vec2 size() const { return end - begin; }
};

struct DockBoxes {
  std::optional<Box> left, right;
  Box image;  // the space left for the image
};

// Two docks need at least this width, in pixels at scale 1.
inline constexpr float kTwoDocks = 1600;

// Lays out the docks in `area`. The image gets at least 30 % of the width. `scale`: of the user interface; `has_draws`,
// `has_sections`: whether there are panels for the left and the right dock.
DockBoxes place_docks(const DockSettings& settings, bool has_draws, bool has_sections, const Box& area, float scale);

class Docks {
 public:
  using Panels = std::vector<std::unique_ptr<Panel>>;

  // The object changes `settings` when the user moves things. Both arguments must outlive it.
  Docks(DockSettings& settings, const Panels& panels) : settings_(settings), panels_(panels) {}

  // Draws the panels, and returns the rest of `area`. Call it in every UI frame.
  Box draw(ViewerState& state, const Box& area, float scale);

  // Returns true if the last `draw` showed the panel.
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
  bool focus_ = false;  // give the keyboard focus to the open panel
};

}  // namespace brokkr::viewer
