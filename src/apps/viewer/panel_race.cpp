// A/B of two bin patterns.
#include <imgui.h>

#include <array>
#include <string>

#include "log/frame_statistics.h"
#include "log/machine_facts.h"
#include "viewer/looks.h"
#include "viewer/option_widget.h"
#include "viewer/panel.h"
#include "viewer/pattern_facts.h"

namespace brokkr::viewer {
namespace {

// Compares two patterns: frames of both alternate, and the render thread times one pair at a time, so that other frames
// can be drawn in between.
class PatternRace {
 public:
  // Draws the choice of patterns, the button and the result so far.
  void draw(ViewerState& state) {
    wrapped("Two patterns draw the frame alternately, and each pair of times is compared.");
    const bool other_a = draw_pattern_list(row("A"), state.saved_pattern, patterns_[0]),
               other_b = draw_pattern_list(row("B"), state.saved_pattern, patterns_[1]);
    if (other_a || other_b) stop();
    if (ImGui::Button(running_ ? "Stop (B)" : "Start (B)")) toggle(state);
    draw_hints(state);
    draw_result();
  }

  // Requests the next pair in every UI frame while the comparison runs. It restarts if the settings change and stops if
  // another scene is shown.
  void next_pair(ViewerState& state) {
    if (!running_) return;
    if (scene_.lock() != state.scene) return stop();
    if (settings_ != state.settings) start(state);  // the times so far belong to other settings
    const size_t pairs = times_->race.ms[0].size();
    running_ = pairs < kMaxPairs;
    if (!running_ || !under_way_.expired()) return;
    const size_t first = pairs % 2;  // the patterns alternate in coming first
    under_way_ = state.commands.run([times = times_, patterns = patterns_, first](RenderContext& c) -> RenderAnswer {
      RenderOptions options = c.settings.options;
      options.trace = options.keep_ids = false;
      std::array<double, 2> ms{};
      std::array<std::string, 2> drawn;
      times->watch.begin();
      for (const size_t i : {first, 1 - first}) {
        options.pattern = patterns[i];
        const auto begin = Clock::now();
        const RenderResult result = c.renderer.render(c.prepared, options, false);
        ms[i] = milliseconds(Clock::now() - begin);
        drawn[i] = result.statistics.pattern;
        if (result.aborted) return {};
      }
      times->watch.end();
      return [times, ms, drawn, load = times->watch.load()] {
        for (size_t i = 0; i < 2 && times->warm; ++i) times->race.ms[i].push_back(ms[i]);
        times->load = load;
        times->drawn = drawn;
        times->warm = true;
      };
    });
  }

  void toggle(ViewerState& state) {
    if (!running_ && state.last)
      start(state);
    else
      running_ = false;
  }
  bool is_running() const { return running_; }

 private:
  static constexpr size_t kMaxPairs = 2000;

  struct Times {
    Race race;
    LoadWatch watch;  // for the render thread
    MachineLoad load;
    std::array<std::string, 2> drawn;  // names of the patterns that the launches reported
    bool warm = false;                 // the first pair allocates memory and is not counted
  };

  static void draw_hints(const ViewerState& state) {
    if (!state.last) return;
    ImGui::PushStyleColor(ImGuiCol_Text, kNotice);
    for (const std::string& hint : pattern_hints(*state.last)) wrapped(hint);
    ImGui::PopStyleColor();
  }

  void draw_result() const {
    const Race& race = times_->race;
    if (race.ms[0].empty()) return;
    group_header("Result");
    if (ImGui::BeginTable("race", 3, ImGuiTableFlags_SizingFixedFit)) {
      for (size_t i = 0; i < 2; ++i) {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(i == 0 ? "A" : "B");
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(times_->drawn[i].c_str());
        ImGui::TableNextColumn();
        ImGui::Text("median %.3f ms", median(race.ms[i]));
      }
      ImGui::EndTable();
    }
    const RatioEstimate r = race_ratio(race);
    ImGui::Text("%zu pairs", r.frames);
    ImGui::TextUnformatted(ratio_text(r).c_str());
    ImGui::TextUnformatted(verdict_text(verdict(r)));
    for (const std::string& warning : race_warnings(race, times_->load)) ImGui::TextWrapped("%s", warning.c_str());
  }

  void start(ViewerState& state) {
    times_ = std::make_shared<Times>();
    settings_ = state.settings;
    scene_ = state.scene;
    running_ = true;
  }

  void stop() {
    running_ = false;
    times_ = std::make_shared<Times>();
  }

  std::shared_ptr<Times> times_ = std::make_shared<Times>();
  std::weak_ptr<const RenderJob> under_way_;
  std::weak_ptr<const Scene> scene_;
  FrameSettings settings_;
  std::array<PatternChoice, 2> patterns_{PatternKind::diagonal, PatternKind::van_der_corput};
  bool running_ = false;
};

class RacePanel : public Panel {
 public:
  const char* name() const override { return "A/B"; }
  Section section() const override { return Section::compare; }

  void draw(ViewerState& state) override { race_.draw(state); }
  void draw_over_image(ViewerState& state, ImDrawList&) override { race_.next_pair(state); }
  bool on_key(ViewerState& state, const KeyEvent& event) override {
    if (event.action != Action::race_patterns) return false;
    race_.toggle(state);
    return true;
  }

 private:
  PatternRace race_;
};

}  // namespace

std::unique_ptr<Panel> make_race_panel() { return std::make_unique<RacePanel>(); }

}  // namespace brokkr::viewer
