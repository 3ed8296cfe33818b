// The panel for micropolygons: the limit of a frame, the fixation point under the mouse, the content of the picture,
// and the animation.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>

#include "app/text.h"
#include "reyes/painting.h"
#include "viewer/looks.h"

namespace brokkr::viewer {
namespace {

constexpr size_t kHistory = 240;  // frames
// Colours of splitting, stitching and the pipeline.
constexpr ImU32 kPartColors[] = {IM_COL32(235, 160, 60, 255), IM_COL32(150, 200, 110, 255),
                                 IM_COL32(70, 140, 225, 255)};
// The colour of the fixation point differs from the colours of split depth and from those of common scenes.
constexpr ImU32 kGaze = IM_COL32(90, 235, 255, 255);
constexpr ImU32 kMissed = IM_COL32(240, 80, 70, 255), kBudgetLine = IM_COL32(255, 255, 255, 160);

class ReyesPanel : public Panel {
 public:
  const char* name() const override { return "Micropolygons"; }
  Section section() const override { return Section::look; }
  bool applies(const ViewerState& state) const override { return patches_of(state.scene.get()) != nullptr; }
  bool opens_for(const Scene& scene) const override { return patches_of(&scene) != nullptr; }

  bool on_key(ViewerState& state, const KeyEvent& event) override {
    if (event.action != Action::play_sequence || !applies(state)) return false;
    plays_ = !plays_;
    return true;
  }

  // The picture moves during playback. One waiting request is enough.
  void advance(ViewerState& state, bool waits) override {
    const auto now = Clock::now();
    if (applies(state) && (plays_ || orbits_)) {
      if (waits) return;
      const float passed = float(std::min(seconds(now - time_), 0.5));
      if (plays_) {
        float& phase = reyes_of(state.settings).phase;
        phase += passed / period_s_;
        phase -= std::floor(phase);
      }
      if (orbits_) state.camera.turn(orbit_degrees_per_s_ * passed);
    }
    time_ = now;
  }

  void draw(ViewerState& state) override {
    ReyesSettings& s = reyes_of(state.settings);
    draw_limit(s);
    draw_fixation(s);
    if (ImGui::CollapsingHeader("Picture", ImGuiTreeNodeFlags_DefaultOpen)) draw_picture(s);
    if (ImGui::CollapsingHeader("Movement", ImGuiTreeNodeFlags_DefaultOpen)) draw_movement(state);
    if (ImGui::CollapsingHeader("Frames", ImGuiTreeNodeFlags_DefaultOpen)) draw_frames(state);
  }

  void on_frame(ViewerState& state) override {
    const ReyesPainting* const shown = shown_micropolygons(state);
    if (shown == nullptr) return;
    if (scene_.lock() != state.last->scene) frames_.clear();
    scene_ = state.last->scene;
    frames_.push_back(shown->statistics);
    if (frames_.size() > kHistory) frames_.pop_front();
  }

  bool on_click(ViewerState& state, glm::vec2 pixel) override {
    if (gaze_ == Gaze::middle) return false;
    gaze_ = Gaze::fixed;
    look_at(state, pixel);
    return true;
  }

  // The position of the mouse is known in every UI frame.
  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    const ReyesSettings& s = reyes_of(state.settings);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool is_free = !ImGui::IsMouseDown(ImGuiMouseButton_Left) && !ImGui::IsMouseDown(ImGuiMouseButton_Right) &&
                         !ImGui::IsMouseDown(ImGuiMouseButton_Middle);
    if (gaze_ == Gaze::mouse && state.view.hovered && is_free && s.limit != ReyesLimit::none)
      look_at(state, state.view.to_pixel({mouse.x, mouse.y}));
    if (!mark_ || s.limit == ReyesLimit::none) return;
    const ImageView& view = state.view;
    const glm::vec2 at =
        s.fixation ? glm::vec2((*s.fixation)[0], (*s.fixation)[1]) : 0.5f * glm::vec2(view.width, view.height);
    const ImVec2 p = im(view.to_screen(at));
    list.PushClipRect(im(view.area_begin), im(view.area_end), true);
    for (const auto& [color, width] : {std::pair{IM_COL32(0, 0, 0, 190), 4.5f}, std::pair{kGaze, 2.0f}})
      list.AddCircle(p, 14, color, 32, width);
    list.AddCircleFilled(p, 3.5f, IM_COL32(0, 0, 0, 190));
    list.AddCircleFilled(p, 2.5f, kGaze);
    list.PopClipRect();
  }

 private:
  enum class Gaze { mouse, fixed, middle };

  static void look_at(ViewerState& state, glm::vec2 pixel) {
    const ImageView& view = state.view;
    if (view.width == 0) return;
    reyes_of(state.settings).fixation = {{std::round(std::clamp(pixel.x, 0.0f, float(view.width))),
                                          std::round(std::clamp(pixel.y, 0.0f, float(view.height)))}};
  }

  static void draw_limit(ReyesSettings& s) {
    constexpr std::pair<ReyesLimit, const char*> kLimits[] = {
        {ReyesLimit::none, "full quality"}, {ReyesLimit::time, "milliseconds"}, {ReyesLimit::splits, "splits"}};
    for (const auto& [limit, text] : kLimits) {
      if (limit != ReyesLimit::none) ImGui::SameLine();
      if (radio(text, s.limit == limit)) s.limit = limit;
    }
    tip("Limit of a frame: none, a time, or a number of splits, which gives the same picture on every computer");
    if (s.limit == ReyesLimit::time) {
      slider_row("per frame", &s.budget_ms, 5, 1000, "%.0f ms", ImGuiSliderFlags_Logarithmic);
    } else if (s.limit == ReyesLimit::splits) {
      int splits = int(s.splits);
      if (slider_row("per frame", &splits, 0, 100000, "%d splits", ImGuiSliderFlags_Logarithmic))
        s.splits = uint32_t(splits);
    }
    if (s.limit == ReyesLimit::none) return;
    int priority = int(s.priority);
    if (ImGui::Combo(row("first are"), &priority, "large pieces\0near pieces\0large and near ones\0"))
      s.priority = SplitPriority(priority);
    tip("Pieces that are split first: by projected size, by distance from the fixation point, or by both");
  }

  void draw_fixation(ReyesSettings& s) {
    if (s.limit == ReyesLimit::none) return;
    int gaze = int(gaze_);
    if (ImGui::Combo(row("fixation"), &gaze, "follows the mouse\0stays where you click\0looks at the centre\0"))
      gaze_ = Gaze(gaze);
    tip("The point that the eye looks at");
    if (gaze_ == Gaze::middle) s.fixation.reset();
    check_row("show a mark", &mark_);
  }

  static void draw_picture(ReyesSettings& s) {
    int shows = int(s.shows);
    if (ImGui::Combo(row("shows"), &shows, "surface\0number of splits\0difference from full quality\0"))
      s.shows = ReyesShows(shows);
    tip("Number of splits: brighter means more");
    if (s.shows == ReyesShows::difference)
      slider_row("gain", &s.gain, 1, kMaxGain, "%.0f times", ImGuiSliderFlags_Logarithmic);
    check_box(row("sides of grids"), &s.grid_lines);
    slider_row("micropolygon", &s.rate, kMinRate, kMaxRate, "%.2f", ImGuiSliderFlags_Logarithmic);
    tip("Maximum side length at full quality, in pixels");
    constexpr uint32_t kGrids[] = {0, 16, 8, 4, 2};
    int grid = int(std::find(std::begin(kGrids), std::end(kGrids), s.grid) - std::begin(kGrids));
    if (ImGui::Combo(row("grid"), &grid, "as the limit allows\00016 x 16\0008 x 8\0004 x 4\0002 x 2\0"))
      s.grid = kGrids[size_t(grid)];
  }

  void draw_movement(ViewerState& state) {
    ReyesSettings& s = reyes_of(state.settings);
    if (ImGui::Button(plays_ ? "Pause" : "Play")) plays_ = !plays_;
    tip("Space");
    slider_row("phase", &s.phase, 0, 1, "%.3f");
    tip("Position in the animation: 0 is its start, 1 its end");
    slider_row("lasts", &period_s_, 1, 60, "%.1f s", ImGuiSliderFlags_Logarithmic);
    check_row("orbit", &orbits_);
    if (orbits_) slider_row("per second", &orbit_degrees_per_s_, -90, 90, "%.0f\u00b0");
  }

  void draw_frames(const ViewerState& state) {
    if (frames_.empty()) return ImGui::TextDisabled("no frame yet");
    const ReyesStatistics& last = frames_.back();
    draw_plot();
    constexpr const char* kParts[] = {"splits", "stitching", "pipeline"};
    const double ms[] = {last.split_ms, last.stitch_ms, last.sample_ms};
    for (size_t i = 0; i < std::size(kParts); ++i)
      legend(kParts[i], kPartColors[i], std::string(kParts[i]) + " " + app::fixed(ms[i], 1) + " ms", i == 0);
    if (!begin_values("micropolygons")) return;
    value_row("frame", app::fixed(last.frame_ms, 1) + " ms" +
                           (last.budget_ms > 0 ? " of " + app::fixed(last.budget_ms, 0) + (last.missed ? ": late" : "")
                                               : std::string()));
    const auto limited = std::count_if(frames_.begin(), frames_.end(), [](const auto& f) { return f.budget_ms > 0; });
    const auto missed = std::count_if(frames_.begin(), frames_.end(), [](const auto& f) { return f.missed; });
    if (limited > 0) value_row("late", std::to_string(missed) + " of the last " + std::to_string(limited));
    value_row("splits",
              app::grouped(last.counts.splits) + ", " + counted(last.counts.stopped, "piece") + " stayed coarse");
    value_row("grids", app::grouped(last.counts.grids) + ", " + app::grouped(last.counts.stitched) + " stitched");
    value_row("triangles", app::grouped(last.triangles) + ", " + counted(last.vertices, "vertex", "vertices"));
    if (const ReyesPainting* const shown = shown_micropolygons(state); shown != nullptr && shown->full_ms > 0)
      value_row("full", app::fixed(shown->full_ms, 1) + " ms at full quality");
    ImGui::EndTable();
  }

  // Draws one bar per frame, the newest at the right, with its parts; red on top if the frame was late.
  void draw_plot() const {
    const Plot plot = begin_plot("times", 6);
    double top = 1;
    for (const ReyesStatistics& f : frames_) top = std::max({top, f.frame_ms, f.budget_ms});
    top *= 1.15;
    const float step = std::max(2.0f, plot.width / float(kHistory)), bottom = plot.top_left.y + plot.height;
    const auto height = [&](double ms) { return float(ms / top) * plot.height; };
    const size_t shown = std::min(frames_.size(), size_t(plot.width / step));
    for (size_t i = 0; i < shown; ++i) {
      const ReyesStatistics& f = frames_[frames_.size() - 1 - i];
      const float right = plot.top_left.x + plot.width - step * float(i),
                  left = right - step + (step > 3 ? 1.0f : 0.0f);
      float y = bottom;
      const double parts[] = {f.split_ms, f.stitch_ms, f.sample_ms};
      for (size_t p = 0; p < std::size(parts); ++p) {
        const float next = std::max(plot.top_left.y, y - height(parts[p]));
        plot.list.AddRectFilled({left, next}, {right, y}, kPartColors[p]);
        y = next;
      }
      if (f.missed) plot.list.AddRectFilled({left, std::max(plot.top_left.y, y - 3)}, {right, y}, kMissed);
      if (f.budget_ms > 0) {
        const float line = bottom - height(f.budget_ms);
        plot.list.AddLine({left, line}, {right, line}, kBudgetLine);
      }
    }
    if (plot.hovered < 0) return;
    const auto from_right = size_t((1 - plot.hovered) * plot.width / step);
    if (from_right >= shown) return;
    const ReyesStatistics& f = frames_[frames_.size() - 1 - from_right];
    ImGui::SetTooltip("%.1f ms: %.1f splits, %.1f stitching, %.1f pipeline", f.frame_ms, f.split_ms, f.stitch_ms,
                      f.sample_ms);
  }

  Gaze gaze_ = Gaze::mouse;
  bool plays_ = false, orbits_ = false;  // the animation runs; the camera orbits
  float period_s_ = 8, orbit_degrees_per_s_ = 20;
  Clock::time_point time_ = Clock::now();  // the moment up to which they have moved
  bool mark_ = true;
  std::deque<ReyesStatistics> frames_;
  std::weak_ptr<const Scene> scene_;
};

}  // namespace

std::unique_ptr<Panel> make_reyes_panel() { return std::make_unique<ReyesPanel>(); }

}  // namespace brokkr::viewer
