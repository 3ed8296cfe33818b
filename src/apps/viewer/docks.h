// Where the panels are: two docks at each side of the image, one above the other, with a tab for each panel. A tab is
// dragged to another dock, columns and docks are separated by bars that are dragged, and all of it is remembered.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec2.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

enum class Dock : uint8_t { left, left_below, right, right_below };
inline constexpr std::array<const char*, 4> kDockNames = {"left", "left below", "right", "right below"};
inline constexpr size_t kDocks = kDockNames.size();

struct DockSettings {
  std::map<std::string, std::string> places;  // a dock's name by panel; other panels are in the right one
  std::map<std::string, std::string> open;    // the open panel of a dock, by the dock's name
  std::array<float, 2> widths{400, 400};      // of the left and the right column, pixels at scale 1
  std::array<float, 2> shares{0.5f, 0.5f};    // of the column's height that its upper dock has, where it has two
};

// A part of the window, in pixels from its top left.
struct Box {
  glm::vec2 begin{0}, end{0};
  glm::vec2 size() const { return end - begin; }
  bool holds(glm::vec2 p) const { return p.x >= begin.x && p.y >= begin.y && p.x < end.x && p.y < end.y; }
};

struct DockBoxes {
  std::array<std::optional<Box>, kDocks> docks;  // of those that have panels
  Box image;                                     // what is left between the columns
};

// Lays the docks out in `area`. At least 30 % of its width is the image's. `scale`: of the user interface.
DockBoxes place_docks(const DockSettings& settings, const std::array<bool, kDocks>& used, const Box& area, float scale);

class Docks {
 public:
  using Panels = std::vector<std::unique_ptr<Panel>>;

  // `settings` are changed as the user moves things, and must outlive the object.
  explicit Docks(DockSettings& settings) : settings_(settings) {}

  // Draws the panels, and returns the part of `area` that they leave free. In every UI frame.
  Box draw(const Panels& panels, ViewerState& state, const Box& area, float scale);

  Dock dock_of(const std::string& panel) const;
  // Whether its dock shows it.
  bool is_open(const std::string& panel) const;
  void open(const std::string& panel);
  // Moves the panel to the dock and opens it there.
  void move(const std::string& panel, Dock dock);

 private:
  void draw_dock(const Panels& panels, ViewerState& state, Dock dock, const Box& box);
  void draw_tabs(const std::vector<Panel*>& here, const std::string& open);
  void draw_tab(const std::string& panel, bool open);
  void draw_handles(const DockBoxes& boxes, Dock dock, const Box& area, float scale);
  void draw_drop_zones(const Box& area);

  DockSettings& settings_;
  std::string dragged_;  // the panel whose tab is dragged; empty: none
};

}  // namespace brokkr::viewer
