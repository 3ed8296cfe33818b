#include "viewer/frame_times.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/text.h"

namespace brokkr::viewer {
namespace {

constexpr size_t kShown = 600;
constexpr size_t kRate = 64;
constexpr ImU32 kLine = IM_COL32(255, 255, 255, 70);

// The height of a time in a plot whose top is `top` milliseconds.
float height_of(const Plot& plot, double ms, double top) {
  return float(std::min(ms / top, 1.0)) * (plot.height - 2) + 1;
}

// Draws readable text over a curve.
void label(const Plot& plot, ImVec2 top_left, const std::string& text) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  plot.list.AddRectFilled(top_left, {top_left.x + size.x, top_left.y + size.y}, kPlotGround);
  plot.list.AddText(top_left, theme::kText, text.c_str());
}

}  // namespace

void FrameTimes::add(double ms) {
  ms_.push_back(ms);
  if (ms_.size() > kShown) ms_.pop_front();
  statistics_ = frame_statistics({ms_.begin(), ms_.end()});
}

double FrameTimes::frames_per_second() const {
  double sum = 0;
  const size_t count = std::min(ms_.size(), kRate);
  for (size_t i = 0; i < count; ++i) sum += ms_[ms_.size() - 1 - i];
  return sum > 0 ? 1000 * double(count) / sum : 0;
}

void FrameTimes::draw_curve(const Plot& plot) const {
  const double top = std::max(statistics_.p99_ms * 1.3, 1e-3);
  const float bottom = plot.top_left.y + plot.height;
  std::vector<ImVec2> points;
  for (size_t i = 0; i < ms_.size(); ++i) {
    const float x = plot.top_left.x + plot.width * (ms_.size() > 1 ? float(i) / float(ms_.size() - 1) : 0.5f);
    points.emplace_back(x, bottom - height_of(plot, ms_[i], top));
  }
  plot.list.AddPolyline(points.data(), int(points.size()), theme::kCurve, 0, 1.5f);
  for (const auto& [name, value] :
       {std::pair<const char*, double>{"median", statistics_.median_ms}, {"p99", statistics_.p99_ms}}) {
    const float y = bottom - height_of(plot, value, top);
    plot.list.AddLine({plot.top_left.x, y}, {plot.top_left.x + plot.width, y}, kLine);
    label(plot, {plot.top_left.x + 4, y - ImGui::GetFontSize() - 1}, name + (" " + app::fixed(value, 2) + " ms"));
  }
  if (plot.hovered >= 0 && !ms_.empty()) ImGui::SetTooltip("%.3f ms", ms_[size_t(plot.hovered * float(ms_.size()))]);
}

void FrameTimes::draw_strip(const char* id, float lines, double budget_ms) const {
  const Plot plot = begin_plot(id, lines);
  if (ms_.empty())
    return label(plot, {plot.top_left.x + 4, plot.top_left.y + 1}, "Frame times: R draws without a pause");
  const FrameStatistics& s = statistics_;
  std::string text;
  for (const auto& [name, value] : {std::pair{"median ", s.median_ms}, {"p95 ", s.p95_ms}, {"p99 ", s.p99_ms}}) {
    const std::string longer = text + (text.empty() ? "" : "   ") + name + app::fixed(value, 2) + " ms";
    if (text.empty() || ImGui::CalcTextSize(longer.c_str()).x + 8 < plot.width) text = longer;
  }
  // One slow frame must not flatten all others.
  const double top = std::max(s.p99_ms * 1.25, 1e-3);
  const float bottom = plot.top_left.y + plot.height, bar = 3;
  const size_t shown = std::min(ms_.size(), size_t(plot.width / bar));
  for (size_t i = 0; i < shown; ++i) {
    const double ms = ms_[ms_.size() - 1 - i];
    const float right = plot.top_left.x + plot.width - bar * float(i);
    plot.list.AddRectFilled({right - bar + 1, bottom - height_of(plot, ms, top)}, {right, bottom},
                            budget_ms > 0 && ms > budget_ms ? theme::kLate : theme::kCurve);
  }
  if (budget_ms > 0 && budget_ms < top) {
    const float y = bottom - height_of(plot, budget_ms, top);
    plot.list.AddLine({plot.top_left.x, y}, {plot.top_left.x + plot.width, y}, theme::kLate);
  }
  label(plot, {plot.top_left.x + 4, plot.top_left.y + 1}, text);
  if (plot.hovered < 0) return;
  const size_t from_right = size_t((1 - plot.hovered) * plot.width / bar);
  if (from_right < shown)
    ImGui::SetTooltip("%.3f ms; the line is at %.2f ms%s", ms_[ms_.size() - 1 - from_right], budget_ms,
                      budget_ms < top ? "" : ", above the strip");
}

}  // namespace brokkr::viewer
