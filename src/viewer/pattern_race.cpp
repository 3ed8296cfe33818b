#include "viewer/pattern_race.h"

#include <imgui.h>

#include <cmath>
#include <mutex>
#include <vector>

#include "log/frame_statistics.h"
#include "viewer/option_widget.h"
#include "viewer/render_job.h"

namespace brokkr::viewer {
namespace {

constexpr size_t kMostPairs = 2000;

}  // namespace

struct PatternRace::Times {
  std::mutex mutex;
  bool waiting = false;
  std::vector<double> a_ms, b_ms;
  bool warm = false;  // the first pair takes memory and is left out
};

PatternRace::PatternRace() : times_(std::make_shared<Times>()) {}

void PatternRace::draw(ViewerState& state) {
  const bool other_a = draw_pattern_list("A", state.saved_pattern, a_),
             other_b = draw_pattern_list("B", state.saved_pattern, b_);
  if (other_a || other_b) stop();
  if (running_) {
    if (ImGui::Button("Stop")) running_ = false;
  } else if (ImGui::Button("Alternate frames of A and B")) {
    start(state);
  }
  draw_result();
}

void PatternRace::draw_result() const {
  const std::lock_guard lock(times_->mutex);
  if (times_->a_ms.empty()) return;
  const RatioEstimate r = paired_ratio(times_->a_ms, times_->b_ms);
  ImGui::Text("%zu pairs, median A %.3f ms, B %.3f ms", r.frames, frame_statistics(times_->a_ms).median_ms,
              frame_statistics(times_->b_ms).median_ms);
  if (!std::isfinite(r.high)) return ImGui::TextDisabled("too few for an interval");
  ImGui::Text("A / B = %.4f (%.4f to %.4f, %.0f %% confidence)", r.ratio, r.low, r.high, 100 * r.confidence);
  ImGui::TextUnformatted(r.low > 1 ? "B is faster" : r.high < 1 ? "A is faster" : "no difference can be told");
}

void PatternRace::start(ViewerState& state) {
  times_ = std::make_shared<Times>();
  settings_ = state.settings;
  scene_ = state.scene;
  running_ = true;
}

void PatternRace::stop() {
  running_ = false;
  times_ = std::make_shared<Times>();
}

void PatternRace::next_pair(ViewerState& state) {
  if (!running_) return;
  if (scene_.lock() != state.scene) return stop();
  if (!(settings_ == state.settings)) start(state);  // the timed frames were drawn with other settings
  {
    const std::lock_guard lock(times_->mutex);
    if (times_->a_ms.size() >= kMostPairs) {
      running_ = false;
      return;
    }
    if (times_->waiting) return;
    times_->waiting = true;
  }
  state.commands.run(
      [times = times_, guard = when_gone(times_), a = a_, b = b_, &commands = state.commands](RenderContext& c) {
        RenderOptions options = c.settings.options;
        options.trace = options.keep_ids = false;
        const auto time = [&](const PatternChoice& pattern) {
          options.pattern = pattern;
          const auto begin = Clock::now();
          const bool whole = !c.renderer.render(c.prepared, options, false).aborted;
          return whole ? milliseconds(Clock::now() - begin) : 0.0;
        };
        const bool swapped = times->a_ms.size() % 2 == 1;  // the two patterns take turns in being first of a pair
        double a_ms = 0, b_ms = 0;
        if (swapped) b_ms = time(b);
        a_ms = time(a);
        if (!swapped) b_ms = time(b);
        {
          const std::lock_guard lock(times->mutex);
          times->waiting = false;
          if (times->warm && a_ms > 0 && b_ms > 0) {
            times->a_ms.push_back(a_ms);
            times->b_ms.push_back(b_ms);
          }
          times->warm = true;
        }
        commands.wake();
      });
}

}  // namespace brokkr::viewer
