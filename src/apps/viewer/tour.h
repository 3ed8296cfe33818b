// The tour: each card demonstrates one feature of the window on a suitable scene.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/docks.h"
#include "viewer/keys.h"

namespace brokkr::viewer {

struct TourStep {
  std::string title, summary;       // shown on the card
  std::string text;                 // instructions, shown below the image
  std::vector<std::string> scenes;  // bundled files or built-in names; the first one that exists is used
  std::string panel;                // panel to open; empty: none
  std::string shader;               // a bundled file; empty: none
  bool as_in_paper = false;
  std::optional<KeyEvent> key;  // pressed once the scene is loaded
};

// The viewer's own steps; modules may add more.
std::vector<TourStep> tour_steps();

// The first scene of a step that exists; empty: none.
std::string scene_of(const TourStep& step);

// Draws the step's card at the lower edge of the image's area. Returns the step to show next (possibly `number`), or
// nothing if the tour ends.
std::optional<size_t> draw_tour(const std::vector<TourStep>& steps, size_t number, const Box& room);

}  // namespace brokkr::viewer
