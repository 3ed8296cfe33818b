#include "viewer/block_timeline.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/text.h"
#include "viewer/looks.h"

namespace brokkr::viewer {

TimeRange zoomed(const TimeRange& range, double share, double factor) {
  const double length = std::clamp(range.length() * factor, 1e-5, 1.0);
  const double begin = std::clamp(range.begin + share * (range.length() - length), 0.0, 1 - length);
  return {begin, begin + length};
}

TimeRange panned(const TimeRange& range, double share) {
  const double begin = std::clamp(range.begin + share * range.length(), 0.0, 1 - range.length());
  return {begin, begin + range.length()};
}

BlockTimeline make_timeline(const Statistics& statistics, int columns, const TimeRange& range) {
  BlockTimeline t;
  t.range = range;
  t.blocks = int(statistics.block_times.size());
  t.columns = columns;
  for (const TraceEvent& event : statistics.trace) t.end_us = std::max(t.end_us, event.end_us);
  t.share.resize(size_t(t.blocks) * size_t(columns));
  if (t.end_us <= 0) return t;
  const double from = range.begin * t.end_us, to = range.end * t.end_us, width = (to - from) / columns;
  for (const TraceEvent& event : statistics.trace) {
    if (int(event.block) >= t.blocks || event.stage >= size_t(Stage::count)) continue;
    if (event.end_us < from || event.begin_us > to) continue;
    const int first = int(std::clamp((event.begin_us - from) / width, 0.0, double(columns - 1)));
    const int last = int(std::clamp((event.end_us - from) / width, 0.0, double(columns - 1)));
    for (int c = first; c <= last; ++c) {
      const double begin = std::max(event.begin_us, from + c * width);
      const double end = std::min(event.end_us, from + (c + 1) * width);
      if (end > begin)
        t.share[size_t(event.block) * size_t(columns) + size_t(c)][event.stage] += float((end - begin) / width);
    }
  }
  return t;
}

const TraceEvent* event_at(const Statistics& statistics, uint32_t block, double at_us) {
  for (const TraceEvent& event : statistics.trace) {
    if (event.block == block && event.begin_us <= at_us && at_us < event.end_us) return &event;
  }
  return nullptr;
}

BucketLevels bucket_levels(const Statistics& statistics, double at_us) {
  BucketLevels levels;
  levels.left_us.resize(size_t(statistics.rasterizers));
  levels.whole_us.resize(size_t(statistics.rasterizers));
  for (const TraceEvent& event : statistics.trace) {
    if (Stage(event.stage) == Stage::geometry) {
      levels.geometry_tasks++;
      levels.geometry_left += event.begin_us > at_us;
    } else if (Stage(event.stage) == Stage::rasterize && event.argument < levels.left_us.size()) {
      levels.whole_us[event.argument] += event.end_us - event.begin_us;
      levels.left_us[event.argument] += std::max(0.0, event.end_us - std::max(event.begin_us, at_us));
    }
  }
  return levels;
}

namespace {

static_assert(theme::kStages.size() == size_t(Stage::count));
constexpr int kMaxRows = 160;    // draw at most this many blocks, chosen evenly
constexpr float kMaxRow = 2.2f;  // maximum height of a row, in font sizes

// The tooltip about one moment of a block: its activity then, and its shares of the whole frame.
void draw_moment(const Statistics& s, uint32_t block, double us) {
  std::string text = "block " + std::to_string(block) + " at " + app::fixed(us * 1e-3, 4) + " ms: ";
  if (const TraceEvent* const event = event_at(s, block, us)) {
    text += kStageNames[event->stage];
    if (Stage(event->stage) == Stage::geometry) text += ", batch " + std::to_string(event->argument);
    if (Stage(event->stage) == Stage::rasterize) text += ", rasterizer " + std::to_string(event->argument);
    text += "\nfrom " + app::fixed(event->begin_us * 1e-3, 4) + " to " + app::fixed(event->end_us * 1e-3, 4) +
            " ms: " + app::fixed((event->end_us - event->begin_us) * 1e-3, 4) + " ms";
  } else {
    text += "nothing was recorded";
  }
  text += "\nin the whole frame:";
  for (size_t i = 0; i < size_t(Stage::count); ++i) {
    text += std::string(i > 0 ? ", " : " ") + kStageNames[i] + " " + app::fixed(s.block_times[block].ms[i], 3) + " ms";
  }
  text += "\nwheel: zoom; drag: move; double click: the whole frame";
  ImGui::SetTooltip("%s", text.c_str());
}

}  // namespace

void TimeLine::draw_legend(const Statistics& s) const {
  for (size_t i = 0; i < size_t(Stage::count); ++i) {
    double sum = 0;
    for (const BlockTime& block : s.block_times) sum += block.ms[i];
    if (i > 0) ImGui::SameLine(0, ImGui::GetFontSize());
    swatch(kStageNames[i], ImGui::ColorConvertU32ToFloat4(theme::kStages[i]));
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
    ImGui::Text("%s %.1f ms", kStageNames[i], sum);
  }
  const BlockTimeline& t = timeline_;
  const std::string shown = counted(uint64_t(t.blocks), "block") + ", " +
                            app::fixed(t.range.begin * t.end_us * 1e-3, 2) + " to " +
                            app::fixed(t.range.end * t.end_us * 1e-3, 2) + " ms";
  const float width = ImGui::CalcTextSize(shown.c_str()).x, right = ImGui::GetWindowContentRegionMax().x;
  const float used = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x;
  if (used + 2 * ImGui::GetFontSize() + width > right) return;
  ImGui::SameLine(right - width);
  ImGui::TextDisabled("%s", shown.c_str());
}

void TimeLine::draw(ViewerState& state) {
  state.moment_us = -1;
  if (!state.last || state.last->result.statistics.trace.empty())
    return ImGui::TextDisabled("The time line appears after the next frame.");
  const Statistics& s = state.last->result.statistics;
  const float width = ImGui::GetContentRegionAvail().x;
  const int columns = std::max(16, int(width / 2));
  if (number_ != state.last->number || timeline_.columns != columns || timeline_.range != range_)
    timeline_ = make_timeline(s, columns, range_);
  number_ = state.last->number;
  const BlockTimeline& t = timeline_;
  draw_legend(s);
  const float room = ImGui::GetContentRegionAvail().y;
  const int rows = std::min({t.blocks, kMaxRows, std::max(1, int(room / 2))});
  if (t.blocks == 0 || room < 2) return;
  const float height = std::min(room / float(rows), kMaxRow * ImGui::GetFontSize());
  const ImVec2 top_left = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled(top_left, {top_left.x + width, top_left.y + float(rows) * height},
                                            kPlotGround);
  for (int r = 0; r < rows; ++r)
    draw_block({top_left.x, top_left.y + float(r) * height}, width, height - (height > 5 ? 1.0f : 0.0f),
               int(int64_t(r) * t.blocks / rows));
  ImGui::InvisibleButton("timeline", {width, float(rows) * height});
  ImGui::SetItemUsingMouseWheel();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double across = double((mouse.x - top_left.x) / width);
  move_range(across, width);
  if (!ImGui::IsItemHovered()) return;
  const int block = std::clamp(int((mouse.y - top_left.y) / height), 0, rows - 1) * t.blocks / rows;
  state.moment_us = (t.range.begin + across * t.range.length()) * t.end_us;
  draw_moment(s, uint32_t(block), state.moment_us);
}

// Handles the mouse over the time line, which is the last item. `across`: the mouse's position, 0 (left) to 1.
void TimeLine::move_range(double across, float width) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemHovered() && io.MouseWheel != 0)
    range_ = zoomed(range_, across, std::pow(0.8, double(io.MouseWheel)));
  if (ImGui::IsItemActive() && io.MouseDelta.x != 0) range_ = panned(range_, -double(io.MouseDelta.x / width));
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) range_ = {};
}

// Draws one block: in each column, its stages stacked.
void TimeLine::draw_block(ImVec2 top_left, float width, float height, int block) const {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float step = width / float(timeline_.columns);
  for (int c = 0; c < timeline_.columns; ++c) {
    const auto& share = timeline_.share[size_t(block) * size_t(timeline_.columns) + size_t(c)];
    float y = top_left.y + height;
    for (size_t stage = 0; stage < share.size(); ++stage) {
      const float part = std::min(share[stage], 1.0f) * height;
      if (part < 0.02f) continue;
      list.AddRectFilled({top_left.x + float(c) * step, std::max(top_left.y, y - part)},
                         {top_left.x + float(c + 1) * step, y}, theme::kStages[stage]);
      y -= part;
    }
  }
}

}  // namespace brokkr::viewer
