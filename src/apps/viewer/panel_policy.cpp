// Scheduling: policies with their parameters, and the buckets that they choose from.
#include <imgui.h>

#include <algorithm>
#include <array>
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

constexpr ImU32 kEmpty = IM_COL32(44, 46, 52, 255);   // an empty bucket
constexpr ImU32 kWhole = IM_COL32(50, 80, 120, 255);  // a rasterizer's work in the whole frame

class PolicyPanel : public Panel {
 public:
  const char* name() const override { return "Policy"; }
  Section section() const override { return Section::pipeline; }

  void draw(ViewerState& state) override {
    draw_options(state, true);
    const Policy policy = state.settings.options.policy;
    if (policy == Policy::fair) draw_quotas(state.settings.options.quotas);
    if (policy == Policy::foveated) draw_fixation(state);
    group_header("Queues at a moment");
    draw_buckets(state);
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
  // Edits both quotas as one percentage.
  static void draw_quotas(Quotas& quotas) {
    int percent = int(std::lround(100.0 * quotas[0] / (double(quotas[0]) + quotas[1])));
    if (slider_row("geometry's share", &percent, 1, 99, "%d %%")) quotas = {uint32_t(percent), uint32_t(100 - percent)};
  }

  void draw_fixation(ViewerState& state) {
    if (ImGui::Button(setting_fixation_ ? "Click into the image ..." : "Set the fixation point with the mouse"))
      setting_fixation_ = !setting_fixation_;
    if (!state.settings.options.fixation) return;
    ImGui::SameLine();
    if (ImGui::SmallButton("Remove")) state.settings.options.fixation.reset();
  }

  // Draws a bucket as a box with two lines of text, which is filled up to the fraction `part` in the colours of a
  // stage.
  static void draw_bucket(ImDrawList& list, ImVec2 low, ImVec2 high, double part, size_t stage,
                          const std::array<std::string, 2>& lines) {
    list.AddRectFilled(low, high, kEmpty);
    const float level = high.y - (high.y - low.y) * float(std::clamp(part, 0.0, 1.0));
    if (part > 0) {
      list.AddRectFilled({low.x, level}, high, theme::kStageGrounds[stage]);
      list.AddRectFilled({low.x, level}, {low.x + 0.3f * ImGui::GetFontSize(), high.y}, theme::kStages[stage]);
    }
    list.AddRect(low, high, theme::kLine);
    const float line = ImGui::GetTextLineHeight(), count = lines[1].empty() ? 1.0f : 2.0f;
    float y = (low.y + high.y - count * line) / 2;
    for (const std::string& text : lines) {
      list.AddText({(low.x + high.x - ImGui::CalcTextSize(text.c_str()).x) / 2, y}, theme::kText, text.c_str());
      y += line;
    }
  }

  // Draws the hierarchy of a block's decisions, with the remaining work in each bucket at one moment.
  void draw_buckets(const ViewerState& state) {
    if (!state.last) return ImGui::TextDisabled("no frame yet");
    const Statistics& s = state.last->result.statistics;
    wrapped("Fullest queue: " + app::grouped(s.queue_peak) + " entries; store: " + app::grouped(s.store_peak) +
            " blocks at the peak; admission waited " + app::grouped(s.admission_waits) + " times; " +
            counted(s.visits, "visit"));
    if (s.trace.empty()) return;
    double end = 0;
    for (const TraceEvent& event : s.trace) end = std::max(end, event.end_us);
    const bool hovered = state.moment_us >= 0;
    slider_row("moment", &moment_, 0, 1, hovered ? "mouse" : "%.2f");
    tip("A moment of the frame: 0 is its start, 1 its end. Pointing at the time line also chooses a moment");
    const BucketLevels levels = bucket_levels(s, hovered ? state.moment_us : double(moment_) * end);
    double left = 0, whole = 0, max_us = 0;
    for (const double us : levels.left_us) left += us;
    for (const double us : levels.whole_us) {
      whole += us;
      max_us = std::max(max_us, us);
    }
    const double geometry =
        levels.geometry_tasks > 0 ? double(levels.geometry_left) / double(levels.geometry_tasks) : 0;
    const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
    const ImVec2 top_left = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImU32 wire = theme::kLine;
    const float top = top_left.y + 2 * line, middle = top + 2.4f * line, bottom = middle + 1.2f * line, leaf = 4 * line;
    list.AddLine({top_left.x + width / 2, top_left.y + 1.4f * line}, {top_left.x + width * 0.2f, top}, wire);
    list.AddLine({top_left.x + width / 2, top_left.y + 1.4f * line}, {top_left.x + width * 0.7f, top}, wire);
    draw_bucket(list, {top_left.x + width * 0.3f, top_left.y}, {top_left.x + width * 0.7f, top_left.y + 1.4f * line}, 0,
                0, {"what next?", ""});
    draw_bucket(list, {top_left.x, top}, {top_left.x + width * 0.4f, middle}, geometry, 0,
                {"geometry", counted(levels.geometry_left, "task")});
    draw_bucket(list, {top_left.x + width * 0.44f, top}, {top_left.x + width, middle}, whole > 0 ? left / whole : 0, 1,
                {"rasterizers", app::fixed(left * 1e-3, 2) + " ms"});
    list.AddLine({top_left.x + width * 0.72f, middle}, {top_left.x + width / 2, bottom}, wire);
    const float step = width / float(std::max<size_t>(levels.left_us.size(), 1));
    for (size_t i = 0; i < levels.left_us.size() && max_us > 0; ++i) {
      const float x = top_left.x + float(i) * step, end_x = std::max(x + 1, x + step - (step > 4 ? 1.0f : 0.0f));
      list.AddRectFilled({x, bottom}, {end_x, bottom + leaf}, kEmpty);
      list.AddRectFilled({x, bottom + leaf * float(1 - levels.whole_us[i] / max_us)}, {end_x, bottom + leaf}, kWhole);
      list.AddRectFilled({x, bottom + leaf * float(1 - levels.left_us[i] / max_us)}, {end_x, bottom + leaf},
                         theme::kStages[1]);
    }
    ImGui::Dummy({width, bottom + leaf - top_left.y});
    ImGui::PushStyleColor(ImGuiCol_Text, theme::kDim);
    ImGui::TextWrapped("%d rasterizers: remaining time, out of the time in the whole frame", s.rasterizers);
    ImGui::PopStyleColor();
  }

  float moment_ = 0.25f;
  bool setting_fixation_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_policy_panel() { return std::make_unique<PolicyPanel>(); }

}  // namespace brokkr::viewer
