// The screen without a file: the tour, bundled frames, and recently opened files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/docks.h"
#include "viewer/thumbnails.h"
#include "viewer/tour.h"

namespace brokkr::viewer {

// The user's choice; everything is empty until there is one.
struct StartChoice {
  std::string scene;           // the scene to open
  std::optional<size_t> step;  // the step of the tour to start
  bool open = false, capture = false, close = false;
};

class StartScreen {
 public:
  // `others`: built-in scenes by title.
  StartScreen(std::vector<TourStep> steps, std::vector<std::pair<std::string, std::string>> others)
      : steps_(std::move(steps)), others_(std::move(others)) {}

  // Draws the screen over `room`. `machine`: the machine that draws frames, and the window's renderer. `can_close`:
  // there is a scene behind the screen.
  StartChoice draw(const Box& room, const std::vector<std::string>& recent, const std::string& machine,
                   Thumbnails& thumbnails, bool can_close);

  const std::vector<TourStep>& steps() const { return steps_; }

 private:
  std::vector<TourStep> steps_;
  std::vector<std::pair<std::string, std::string>> others_;
  std::optional<std::vector<std::string>> bundled_;  // searched for when the screen is first shown
};

// A picture with a name below it that acts as a button. Without a picture (null) it says `without`.
bool picture_card(const char* id, const std::string& name, const PanelTexture* picture, const char* without,
                  float width);

}  // namespace brokkr::viewer
