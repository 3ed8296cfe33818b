// Which task a block takes next: policies with their parameters, what they had to choose from, and what each
// block did.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bin/pattern_image.h"
#include "cli/pipeline_options.h"
#include "cli/text.h"
#include "viewer/block_timeline.h"
#include "viewer/option_widget.h"
#include "viewer/panels.h"

namespace brokkr::viewer {
namespace {

constexpr ImU32 kStageColors[] = {IM_COL32(235, 160, 60, 255), IM_COL32(70, 140, 225, 255),
                                  IM_COL32(70, 72, 78, 255)};
static_assert(std::size(kStageColors) == size_t(Stage::count));
constexpr int kMostRows = 160;  // blocks drawn one by one; of more, evenly chosen ones

class PolicyPanel : public Panel {
 public:
  PolicyPanel() : options_(cli::pipeline_options()) {
    std::erase_if(options_, [](const cli::Option& option) { return !is_policy_option(cli::key_of(option)); });
  }
  const char* name() const override { return "Policy"; }

  void draw(ViewerState& state) override {
    for (const cli::Option& option : options_) draw_option(option, state.settings.options);
    draw_fixation(state);
    if (ImGui::CollapsingHeader("What there is to choose from", ImGuiTreeNodeFlags_DefaultOpen))
      draw_buckets(state);
    const bool timeline = ImGui::CollapsingHeader("What each block did", ImGuiTreeNodeFlags_DefaultOpen);
    state.settings.options.trace = timeline;
    if (timeline) draw_timeline(state);
    drawn_ = true;
  }

  void on_frame(ViewerState& state) override {
    // Recording costs a little: not while nobody looks.
    if (!drawn_) state.settings.options.trace = false;
    drawn_ = false;
    timeline_ = {};
  }

  bool on_click(ViewerState& state, glm::vec2 pixel) override {
    if (!setting_fixation_) return false;
    setting_fixation_ = false;
    const ImageView& view = state.view;
    state.fixation = glm::vec2(std::clamp(pixel.x, 0.0f, float(view.width)),
                               std::clamp(pixel.y, 0.0f, float(view.height)));
    return true;
  }

  void draw_over_image(ViewerState& state, ImDrawList& list) override {
    if (!state.fixation) return;
    const glm::vec2 p = state.view.to_screen(*state.fixation);
    const float r = 9;
    for (const auto& [color, width] :
         {std::pair{IM_COL32(0, 0, 0, 200), 4.0f}, std::pair{IM_COL32(255, 220, 60, 255), 2.0f}}) {
      list.AddCircle({p.x, p.y}, r, color, 24, width);
      list.AddLine({p.x - 2 * r, p.y}, {p.x + 2 * r, p.y}, color, width);
      list.AddLine({p.x, p.y - 2 * r}, {p.x, p.y + 2 * r}, color, width);
    }
  }

 private:
  void draw_fixation(ViewerState& state) {
    if (ImGui::Button(setting_fixation_ ? "Click into the image ..." : "Set fixation point"))
      setting_fixation_ = !setting_fixation_;
    if (!state.fixation) return;
    ImGui::SameLine();
    ImGui::Text("%.0f, %.0f", double(state.fixation->x), double(state.fixation->y));
    ImGui::SameLine();
    if (ImGui::SmallButton("Remove")) state.fixation.reset();
  }

  static void bar(const char* label, double part, const std::string& text, ImU32 color) {
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, color);
    ImGui::ProgressBar(float(std::clamp(part, 0.0, 1.0)), {ImGui::GetContentRegionAvail().x * 0.55f, 0},
                       text.c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine();
    ImGui::TextUnformatted(label);
  }

  static void draw_buckets(const ViewerState& state) {
    if (!state.last) return ImGui::TextDisabled("no frame yet");
    const Statistics& s = state.last->result.statistics;
    bar("geometry: batches taken", 1, cli::grouped(s.batches), kStageColors[0]);
    bar("most in one rasterizer's queue", s.batches > 0 ? double(s.queue_peak) / double(s.batches) : 0,
        cli::grouped(s.queue_peak) + " entries", kStageColors[1]);
    ImGui::Text("store: %s blocks at most, admission waited %s times, %s rasterizer visits",
                cli::grouped(s.store_peak).c_str(), cli::grouped(s.admission_waits).c_str(),
                cli::grouped(s.visits).c_str());
  }

  void draw_timeline(const ViewerState& state) {
    if (!state.last || state.last->result.statistics.trace.empty())
      return ImGui::TextDisabled("waiting for a recorded frame");
    const Statistics& s = state.last->result.statistics;
    for (size_t i = 0; i < size_t(Stage::count); ++i) {
      if (i > 0) ImGui::SameLine();
      ImGui::ColorButton(kStageNames[i], ImGui::ColorConvertU32ToFloat4(kStageColors[i]),
                         ImGuiColorEditFlags_NoTooltip, {ImGui::GetFontSize(), ImGui::GetFontSize()});
      ImGui::SameLine();
      double sum = 0;
      for (const BlockTime& block : s.block_times) sum += block.ms[i];
      ImGui::Text("%s %.1f ms", kStageNames[i], sum);
    }
    const float width = ImGui::GetContentRegionAvail().x;
    const int columns = std::max(16, int(width / 2));
    if (timeline_.columns != columns) timeline_ = make_timeline(s, columns);
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
    if (ImGui::IsItemHovered()) {
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      const int block = std::clamp(int((mouse.y - at.y) / height), 0, rows - 1) * t.blocks / rows;
      const BlockTime& time = s.block_times[size_t(block)];
      ImGui::SetTooltip("block %d at %.3f ms\ngeometry %.3f ms, rasterize %.3f ms, idle %.3f ms", block,
                        double((mouse.x - at.x) / width) * t.end_us * 1e-3, time.ms[0], time.ms[1],
                        time.ms[2]);
    }
    ImGui::TextDisabled("0 ... %.2f ms, %d blocks%s", t.end_us * 1e-3, t.blocks,
                        rows < t.blocks ? " (evenly chosen ones)" : "");
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
        list.AddRectFilled({at.x + float(c) * step, std::max(at.y, y - part)},
                           {at.x + float(c + 1) * step, y}, kStageColors[stage]);
        y -= part;
      }
    }
  }

  std::vector<cli::Option> options_;
  BlockTimeline timeline_;
  bool setting_fixation_ = false, drawn_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_policy_panel() { return std::make_unique<PolicyPanel>(); }

}  // namespace brokkr::viewer
