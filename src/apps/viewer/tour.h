// The tour: cards that each show one thing that the window can do, on a scene that suits it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/docks.h"
#include "viewer/keys.h"

namespace brokkr::viewer {

struct TourStep {
  std::string title, summary;       // on the card
  std::string text;                 // what to do, under the image
  std::vector<std::string> scenes;  // the first one that is there: bundled files, or built-in names
  std::string panel;                // that opens; empty: none
  std::string shader;               // a bundled file; empty: none
  bool as_in_paper = false;
  std::optional<KeyEvent> key;  // pressed once the scene is there
};

// The viewer's own; modules have more.
std::vector<TourStep> tour_steps();

// The first scene of a step that is there; empty: none.
std::string scene_of(const TourStep& step);

// Draws the step's card at the lower edge of the image's room. Returns the step to go to: `at`, another one, or nothing
// where the tour ends.
std::optional<size_t> draw_tour(const std::vector<TourStep>& steps, size_t at, const Box& room);

}  // namespace brokkr::viewer
