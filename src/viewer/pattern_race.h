// A/B of two bin patterns: frames of both in turns, timed on the render thread a pair at a time, so that other frames
// get in between. Part of the panel Pattern.
#pragma once

#include <memory>

#include "brokkr/pattern.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

class PatternRace {
 public:
  PatternRace();
  // Draws the choice of both patterns, the button, and the result so far with its confidence interval
  // (log/frame_statistics.h).
  void draw(ViewerState& state);
  // Called in every UI frame: requests the next pair while the race runs. The race starts anew where the settings have
  // changed, and stops where another scene is shown.
  void next_pair(ViewerState& state);

 private:
  struct Times;
  void start(ViewerState& state);
  void stop();
  void draw_result() const;

  std::shared_ptr<Times> times_;
  std::weak_ptr<const Scene> scene_;
  FrameSettings settings_;
  PatternChoice a_ = PatternKind::diagonal, b_ = PatternKind::van_der_corput;
  bool running_ = false;
};

}  // namespace brokkr::viewer
