// The window without a file: the tour, bundled frames, and those that were open before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/docks.h"
#include "viewer/thumbnails.h"
#include "viewer/tour.h"

namespace brokkr::viewer {

// The user's choice; all empty: none yet.
struct StartChoice {
  std::string scene;           // to be opened
  std::optional<size_t> step;  // of the tour
  bool open = false, capture = false, close = false;
};

class StartScreen {
 public:
  // `machine`: what draws frames, and the window. `others`: built-in scenes by their title.
  StartScreen(std::vector<TourStep> steps, std::vector<std::pair<std::string, std::string>> others)
      : steps_(std::move(steps)), others_(std::move(others)) {}

  // Draws it over `room`. `can_close`: there is a scene behind it.
  StartChoice draw(const Box& room, const std::vector<std::string>& recent, const std::string& machine,
                   Thumbnails& thumbnails, bool can_close);

  const std::vector<TourStep>& steps() const { return steps_; }

 private:
  std::vector<TourStep> steps_;
  std::vector<std::pair<std::string, std::string>> others_;
  std::optional<std::vector<std::string>> bundled_;  // looked for once it is shown
};

// A picture with a name below it, that is pressed; null: there is no picture yet.
bool picture_card(const char* id, const std::string& name, const PanelTexture* picture, float width);

}  // namespace brokkr::viewer
