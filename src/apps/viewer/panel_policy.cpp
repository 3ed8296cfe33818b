// Scheduling: policies with their parameters, the buckets that they chose from, and the work of each block.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/text.h"
#include "viewer/block_timeline.h"
#include "viewer/looks.h"
#include "viewer/option_widget.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

constexpr ImU32 kStageColors[] = {IM_COL32(235, 160, 60, 255), IM_COL32(70, 140, 225, 255), IM_COL32(70, 72, 78, 255)};
static_assert(std::size(kStageColors) == size_t(Stage::count));
constexpr int kMostRows = 160;  // most blocks that are drawn; of more blocks, evenly chosen ones

class PolicyPanel : public Panel {
 public:
  const char* name() const override { return "Policy"; }

  void draw(ViewerState& state) override {
    draw_options(state, true);
    draw_quotas(state.settings.options.quotas);
    draw_fixation(state);
    if (ImGui::CollapsingHeader("What there is to choose from", ImGuiTreeNodeFlags_DefaultOpen)) draw_buckets(state);
    const bool timeline = ImGui::CollapsingHeader("What each block did", ImGuiTreeNodeFlags_DefaultOpen);
    state.settings.options.trace = timeline;
    if (timeline) draw_timeline(state);
    drawn_ = true;
  }

  void on_frame(ViewerState& state) override {
    // Recording costs a little time: it is off while the panel is hidden.
    if (!drawn_) state.settings.options.trace = false;
    drawn_ = false;
    timeline_ = {};
  }

  bool on_click(ViewerState& state, glm::vec2 pixel) override {
    if (!setting_fixation_) return false;
    setting_fixation_ = false;
    const ImageView& view = state.view;
    state.settings.options.fixation = {{std::round(std::clamp(pixel.x, 0.0f, float(view.width))),
                                        std::round(std::clamp(pixel.y, 0.0f, float(view.height)))}};
    return true;
  }

  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    const auto& fixation = state.settings.options.fixation;
    if (!fixation) return;
    const glm::vec2 p = state.view.to_screen({(*fixation)[0], (*fixation)[1]});
    const float r = 9;
    for (const auto& [color, width] : {std::pair{IM_COL32(0, 0, 0, 200), 4.0f}, std::pair{kMark, 2.0f}}) {
      list.AddCircle({p.x, p.y}, r, color, 24, width);
      list.AddLine({p.x - 2 * r, p.y}, {p.x + 2 * r, p.y}, color, width);
      list.AddLine({p.x, p.y - 2 * r}, {p.x, p.y + 2 * r}, color, width);
    }
  }

 private:
  // Two quotas, shown as one share.
  static void draw_quotas(Quotas& quotas) {
    int percent = int(std::lround(100.0 * quotas[0] / (double(quotas[0]) + quotas[1])));
    if (ImGui::SliderInt("geometry's share", &percent, 1, 99, "%d %%", ImGuiSliderFlags_AlwaysClamp))
      quotas = {uint32_t(percent), uint32_t(100 - percent)};
  }

  void draw_fixation(ViewerState& state) {
    if (ImGui::Button(setting_fixation_ ? "Click into the image ..." : "Set the fixation point with the mouse"))
      setting_fixation_ = !setting_fixation_;
    if (!state.settings.options.fixation) return;
    ImGui::SameLine();
    if (ImGui::SmallButton("Remove")) state.settings.options.fixation.reset();
  }

  // Draws a bucket: a box that is filled up to `part`.
  static void draw_bucket(ImDrawList& list, ImVec2 low, ImVec2 high, double part, ImU32 color,
                          const std::string& text) {
    list.AddRectFilled(low, high, IM_COL32(44, 46, 52, 255));
    const float level = high.y - (high.y - low.y) * float(std::clamp(part, 0.0, 1.0));
    list.AddRectFilled({low.x, level}, high, color);
    list.AddRect(low, high, IM_COL32(110, 112, 120, 255));
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    list.AddText({(low.x + high.x - size.x) / 2, (low.y + high.y - size.y) / 2}, IM_COL32_WHITE, text.c_str());
  }

  // Draws the hierarchy of a block's decisions, with the work that is left in each bucket at one moment.
  void draw_buckets(const ViewerState& state) {
    if (!state.last) return ImGui::TextDisabled("no frame yet");
    const Statistics& s = state.last->result.statistics;
    wrapped("Fullest queue: " + app::grouped(s.queue_peak) + " entries; store: " + app::grouped(s.store_peak) +
            " blocks at most; admission waited " + app::grouped(s.admission_waits) + " times; " +
            counted(s.visits, "visit"));
    if (s.trace.empty()) return;
    double end = 0;
    for (const TraceEvent& event : s.trace) end = std::max(end, event.end_us);
    const bool hovered = hovered_us_ >= 0;
    ImGui::SliderFloat("moment", &moment_, 0, 1, hovered ? "under the mouse" : "%.2f of the frame",
                       ImGuiSliderFlags_AlwaysClamp);
    const BucketLevels levels = bucket_levels(s, hovered ? hovered_us_ : double(moment_) * end);
    double left = 0, whole = 0, most = 0;
    for (const double us : levels.left_us) left += us;
    for (const double us : levels.whole_us) {
      whole += us;
      most = std::max(most, us);
    }
    const double geometry =
        levels.geometry_tasks > 0 ? double(levels.geometry_left) / double(levels.geometry_tasks) : 0;
    const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImU32 wire = IM_COL32(110, 112, 120, 255);
    const float top = at.y + 2 * line, middle = top + 2.4f * line, bottom = middle + 1.2f * line, leaf = 4 * line;
    list.AddLine({at.x + width / 2, at.y + 1.4f * line}, {at.x + width * 0.2f, top}, wire);
    list.AddLine({at.x + width / 2, at.y + 1.4f * line}, {at.x + width * 0.7f, top}, wire);
    draw_bucket(list, {at.x + width * 0.3f, at.y}, {at.x + width * 0.7f, at.y + 1.4f * line}, 0, 0, "what next?");
    draw_bucket(list, {at.x, top}, {at.x + width * 0.4f, middle}, geometry, kStageColors[0],
                "geometry: " + app::grouped(levels.geometry_left) + " tasks");
    draw_bucket(list, {at.x + width * 0.44f, top}, {at.x + width, middle}, whole > 0 ? left / whole : 0,
                kStageColors[1], "rasterizers: " + app::fixed(left * 1e-3, 2) + " ms");
    list.AddLine({at.x + width * 0.72f, middle}, {at.x + width / 2, bottom}, wire);
    const float step = width / float(std::max<size_t>(levels.left_us.size(), 1));
    for (size_t i = 0; i < levels.left_us.size() && most > 0; ++i) {
      const float x = at.x + float(i) * step, end_x = std::max(x + 1, x + step - (step > 4 ? 1.0f : 0.0f));
      list.AddRectFilled({x, bottom}, {end_x, bottom + leaf}, IM_COL32(44, 46, 52, 255));
      list.AddRectFilled({x, bottom + leaf * float(1 - levels.whole_us[i] / most)}, {end_x, bottom + leaf},
                         IM_COL32(50, 80, 120, 255));
      list.AddRectFilled({x, bottom + leaf * float(1 - levels.left_us[i] / most)}, {end_x, bottom + leaf},
                         kStageColors[1]);
    }
    ImGui::Dummy({width, bottom + leaf - at.y});
    ImGui::TextDisabled("%d rasterizers: time left, of the whole frame's", s.rasterizers);
  }

  void draw_timeline(const ViewerState& state) {
    if (!state.last || state.last->result.statistics.trace.empty())
      return ImGui::TextDisabled("waiting for a recorded frame");
    const Statistics& s = state.last->result.statistics;
    for (size_t i = 0; i < size_t(Stage::count); ++i) {
      double sum = 0;
      for (const BlockTime& block : s.block_times) sum += block.ms[i];
      legend(kStageNames[i], kStageColors[i], std::string(kStageNames[i]) + " " + app::fixed(sum, 1) + " ms", i == 0);
    }
    const float width = ImGui::GetContentRegionAvail().x;
    const int columns = std::max(16, int(width / 2));
    if (timeline_.columns != columns || timeline_.range != range_) timeline_ = make_timeline(s, columns, range_);
    const BlockTimeline& t = timeline_;
    const int rows = std::min(t.blocks, kMostRows);
    if (rows == 0) return;
    const float height = std::clamp(260.0f / float(rows), 3.0f, 34.0f);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (int r = 0; r < rows; ++r)
      draw_block(list, {at.x, at.y + float(r) * height}, width, height - (height > 5 ? 1.0f : 0.0f),
                 int(int64_t(r) * t.blocks / rows));
    ImGui::InvisibleButton("timeline", {width, float(rows) * height});
    ImGui::SetItemUsingMouseWheel();  // the panel does not scroll meanwhile
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const double across = double((mouse.x - at.x) / width);
    move_range(across, width);
    hovered_us_ = -1;
    if (ImGui::IsItemHovered()) {
      const int block = std::clamp(int((mouse.y - at.y) / height), 0, rows - 1) * t.blocks / rows;
      hovered_us_ = (t.range.begin + across * t.range.length()) * t.end_us;
      draw_moment(s, uint32_t(block), hovered_us_);
    }
    ImGui::TextDisabled("%.3f ... %.3f of %.3f ms, %d blocks%s", t.range.begin * t.end_us * 1e-3,
                        t.range.end * t.end_us * 1e-3, t.end_us * 1e-3, t.blocks,
                        rows < t.blocks ? " (evenly chosen ones)" : "");
    ImGui::TextDisabled("wheel: zoom; drag: move; double click: all");
  }

  // Mouse over the time line, which is the last item. `across`: where it is, 0 (left) to 1.
  void move_range(double across, float width) {
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsItemHovered() && io.MouseWheel != 0)
      range_ = zoomed(range_, across, std::pow(0.8, double(io.MouseWheel)));
    if (ImGui::IsItemActive() && io.MouseDelta.x != 0) range_ = panned(range_, -double(io.MouseDelta.x / width));
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) range_ = {};
  }

  // The tip about one moment of a block: what it did then, and in the whole frame.
  static void draw_moment(const Statistics& s, uint32_t block, double us) {
    std::string text = "block " + std::to_string(block) + " at " + app::fixed(us * 1e-3, 4) + " ms: ";
    if (const TraceEvent* const event = event_at(s, block, us)) {
      text += kStageNames[event->stage];
      if (Stage(event->stage) == Stage::geometry) text += ", batch " + std::to_string(event->argument);
      if (Stage(event->stage) == Stage::rasterize) text += ", rasterizer " + std::to_string(event->argument);
      text += "\nfrom " + app::fixed(event->begin_us * 1e-3, 4) + " to " + app::fixed(event->end_us * 1e-3, 4) +
              " ms (" + app::fixed(event->end_us - event->begin_us, 1) + " microseconds)";
    } else {
      text += "nothing was recorded";
    }
    text += "\nin the whole frame:";
    for (size_t i = 0; i < size_t(Stage::count); ++i) {
      text +=
          std::string(i > 0 ? ", " : " ") + kStageNames[i] + " " + app::fixed(s.block_times[block].ms[i], 3) + " ms";
    }
    ImGui::SetTooltip("%s", text.c_str());
  }

  // One block's stages stacked in each column.
  void draw_block(ImDrawList& list, ImVec2 at, float width, float height, int block) const {
    const float step = width / float(timeline_.columns);
    for (int c = 0; c < timeline_.columns; ++c) {
      const auto& share = timeline_.share[size_t(block) * size_t(timeline_.columns) + size_t(c)];
      float y = at.y + height;
      for (size_t stage = 0; stage < share.size(); ++stage) {
        const float part = std::min(share[stage], 1.0f) * height;
        if (part < 0.02f) continue;
        list.AddRectFilled({at.x + float(c) * step, std::max(at.y, y - part)}, {at.x + float(c + 1) * step, y},
                           kStageColors[stage]);
        y -= part;
      }
    }
  }

  BlockTimeline timeline_;
  TimeRange range_;         // that the time line shows
  double hovered_us_ = -1;  // moment of the time line under the mouse
  float moment_ = 0.25f;
  bool setting_fixation_ = false, drawn_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_policy_panel() { return std::make_unique<PolicyPanel>(); }

}  // namespace brokkr::viewer
