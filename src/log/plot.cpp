#include "log/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "log/frame_statistics.h"
#include "log/number_text.h"
#include "log/svg.h"

namespace brokkr {
namespace {

// Told apart by people who see colours differently (Okabe and Ito).
constexpr std::array<const char*, kMostPlottedLogs> kColors = {"#0072b2", "#d55e00", "#009e73",
                                                               "#cc79a7", "#e69f00", "#56b4e9"};
constexpr const char* kInk = "#1f2430";
constexpr const char* kSoftInk = "#6b7280";
constexpr const char* kGrid = "stroke=\"#e5e7eb\" stroke-width=\"1\"";

constexpr double kWidth = 1200, kLeft = 70, kTop = 84, kPlotWidth = 800, kPlotHeight = 400;
constexpr double kGap = 26, kShareLeft = kLeft + kPlotWidth + kGap, kShareWidth = 240;
constexpr double kBottom = kTop + kPlotHeight;
constexpr double kFewestBins = 20, kMostBins = 80;

std::string fill(const char* color, double opacity = 1) {
  return std::string("fill=\"") + color + "\" fill-opacity=\"" + short_number(opacity) + "\"";
}

std::string label(double size, const char* color, const char* anchor = "start", bool bold = false) {
  return "font-size=\"" + short_number(size) + "\" fill=\"" + color + "\" text-anchor=\"" + anchor + "\"" +
         (bold ? " font-weight=\"bold\"" : "");
}

std::string stroke(const char* color, double width, const char* dashes = nullptr) {
  return std::string("fill=\"none\" stroke-linejoin=\"round\" stroke=\"") + color + "\" stroke-width=\"" +
         short_number(width) + "\"" + (dashes ? std::string(" stroke-dasharray=\"") + dashes + "\"" : "");
}

class Plot {
 public:
  Plot(std::span<const FrameLog> logs, const std::string& title)
      : logs_(logs), title_(title), svg_(kWidth, kBottom + 84 + 22 * double(logs.size())) {
    double p99 = 0;
    for (const FrameLog& log : logs) {
      statistics_.push_back(frame_statistics(log.frame_ms));
      const FrameStatistics& s = statistics_.back();
      most_ = std::max(most_, s.most_ms);
      p99 = std::max(p99, s.p99_ms);
      const auto [first, last] = std::minmax_element(log.time_s.begin(), log.time_s.end());
      begin_.push_back(*first - log.frame_ms.front() / 1000);
      seconds_ = std::max(seconds_, *last - begin_.back());
    }
    if (!(seconds_ > 0)) seconds_ = 1;
    // A few frames that are far off should not flatten all others.
    top_ = most_ > 2.5 * p99 && p99 > 0 ? 1.5 * p99 : most_ * 1.08;
    if (!(top_ > 0)) top_ = 1;
  }

  std::string draw() {
    svg_.rect(0, 0, kWidth, kBottom + 84 + 22 * double(logs_.size()), "fill=\"#ffffff\"");
    headings();
    axes();
    share_axis();
    svg_.begin_clip(kLeft, kTop, kPlotWidth, kPlotHeight);
    if (logs_.size() == 1) stages(logs_[0]);
    for (size_t i = logs_.size(); i-- > 0;) frames(i);
    svg_.end_clip();
    for (size_t i = logs_.size(); i-- > 0;) shares(i);
    if (logs_.size() == 1) {
      percentiles();
      stage_legend();
    }
    cut_off();
    table();
    return svg_.finish();
  }

 private:
  double x_of(double seconds) const { return kLeft + kPlotWidth * seconds / seconds_; }
  double y_of(double ms) const { return kBottom - kPlotHeight * ms / top_; }

  void headings() {
    svg_.text(kLeft, 36, title_.empty() ? std::string("Frame times") : title_, label(20, kInk, "start", true));
    svg_.text(kLeft, kTop - 14, "frame time in ms", label(12, kSoftInk));
    svg_.text(kShareLeft, kTop - 14, "share of frames in %", label(12, kSoftInk));
    svg_.text(kLeft + kPlotWidth / 2, kBottom + 36, "time in s", label(12, kSoftInk, "middle"));
  }

  void axes() {
    const double step = tick_step(top_, 8), seconds = tick_step(seconds_, 10);
    for (double ms = 0; ms <= top_; ms += step) {
      svg_.line(kLeft, y_of(ms), kLeft + kPlotWidth, y_of(ms), kGrid);
      svg_.line(kShareLeft, y_of(ms), kShareLeft + kShareWidth, y_of(ms), kGrid);
      svg_.text(kLeft - 8, y_of(ms) + 4, short_number(ms), label(12, kSoftInk, "end"));
    }
    for (double s = 0; s <= seconds_ * (1 + 1e-9); s += seconds)
      svg_.text(x_of(s), kBottom + 18, short_number(s), label(12, kSoftInk, "middle"));
    svg_.line(kLeft, kBottom, kLeft + kPlotWidth, kBottom, "stroke=\"#9ca3af\" stroke-width=\"1\"");
    svg_.line(kShareLeft, kTop, kShareLeft, kBottom, "stroke=\"#9ca3af\" stroke-width=\"1\"");
  }

  // Points of a curve over time; where several frames share a column of pixels, its lowest and highest.
  SvgPoints curve(size_t number, const std::vector<double>& values) const {
    const FrameLog& log = logs_[number];
    SvgPoints points;
    const bool crowded = double(values.size()) > 2 * kPlotWidth;
    for (size_t i = 0; i < values.size();) {
      const double x = x_of(log.time_s[i] - begin_[number]);
      size_t end = i + 1;
      double low = values[i], high = values[i];
      while (crowded && end < values.size() && std::floor(x_of(log.time_s[end] - begin_[number])) == std::floor(x)) {
        low = std::min(low, values[end]);
        high = std::max(high, values[end]);
        ++end;
      }
      points.emplace_back(x, y_of(low));
      if (high > low) points.emplace_back(x, y_of(high));
      i = end;
    }
    return points;
  }

  void frames(size_t number) {
    const SvgPoints points = curve(number, logs_[number].frame_ms);
    svg_.polyline(points, stroke(kColors[number], points.size() > 1000 ? 1 : 1.5));
    if (points.size() > 80) return;
    for (const auto& [x, y] : points) svg_.rect(x - 2, y - 2, 4, 4, fill(kColors[number]));
  }

  // What of a frame its blocks spent in which stage, one upon the other.
  void stages(const FrameLog& log) {
    if (log.geometry_ms.empty() || log.raster_ms.empty()) return;
    const auto area = [&](const std::vector<double>& low, const std::vector<double>& high, const char* color) {
      SvgPoints points = curve(0, high), back = curve(0, low);
      points.insert(points.end(), back.rbegin(), back.rend());
      svg_.polygon(points, fill(color, 0.16));
    };
    std::vector<double> none(log.frame_ms.size(), 0.0), both = log.geometry_ms;
    for (size_t i = 0; i < both.size(); ++i) both[i] += log.raster_ms[i];
    area(none, log.geometry_ms, kColors[2]);
    area(log.geometry_ms, both, kColors[4]);
  }

  void stage_legend() {
    if (logs_[0].geometry_ms.empty() || logs_[0].raster_ms.empty()) return;
    const double x = kLeft + kPlotWidth - 360;
    const auto entry = [&](double at, const char* color, double opacity, const char* text) {
      svg_.rect(at, kTop - 25, 14, 12, fill(color, opacity));
      svg_.text(at + 20, kTop - 14, text, label(12, kSoftInk));
    };
    entry(x, kColors[0], 1, "frame");
    entry(x + 80, kColors[2], 0.3, "geometry");
    entry(x + 180, kColors[4], 0.3, "rasterization (per block)");
  }

  // Share of a log's frames in each of `bins_` equal parts of the axis, in percent. What is cut off is in none.
  std::vector<double> shares_of(const FrameLog& log) const {
    std::vector<double> share(bins_);
    for (const double ms : log.frame_ms) {
      if (ms > top_) continue;
      share[std::min(size_t(ms / top_ * double(bins_)), bins_ - 1)] += 100 / double(log.frame_ms.size());
    }
    return share;
  }

  void shares(size_t number) {
    const std::vector<double> share = shares_of(logs_[number]);
    SvgPoints points{{kShareLeft, kBottom}};
    for (size_t i = 0; i < bins_; ++i) {
      const double x = kShareLeft + kShareWidth * share[i] / most_share_;
      points.emplace_back(x, y_of(top_ * double(i) / double(bins_)));
      points.emplace_back(x, y_of(top_ * double(i + 1) / double(bins_)));
    }
    points.emplace_back(kShareLeft, kTop);
    svg_.polygon(points, fill(kColors[number], logs_.size() == 1 ? 0.35 : 0.18) + " stroke=\"" + kColors[number] +
                             "\" stroke-width=\"1.2\"");
  }

  void share_axis() {
    size_t most_frames = 0;
    for (const FrameLog& log : logs_) most_frames = std::max(most_frames, log.frame_ms.size());
    bins_ = size_t(std::clamp(4 * std::sqrt(double(most_frames)), kFewestBins, kMostBins));
    double most = 0;
    for (const FrameLog& log : logs_) {
      const std::vector<double> share = shares_of(log);
      most = std::max(most, *std::max_element(share.begin(), share.end()));
    }
    most_share_ = most > 0 ? most * 1.05 : 1;
    const double step = tick_step(most_share_, 4);
    for (double s = 0; s <= most_share_; s += step)
      svg_.text(kShareLeft + kShareWidth * s / most_share_, kBottom + 18, short_number(s),
                label(12, kSoftInk, "middle"));
  }

  void percentiles() {
    const FrameStatistics& s = statistics_[0];
    double last = 1e9;  // labels keep their distance
    for (const auto& [name, ms] : {std::pair<const char*, double>{"median", s.median_ms},
                                   {"p95", s.p95_ms},
                                   {"p99", s.p99_ms},
                                   {"p99.9", s.p999_ms}}) {
      if (ms > top_) continue;
      svg_.line(kLeft, y_of(ms), kShareLeft + kShareWidth, y_of(ms), stroke(kInk, 0.8, "5 4"));
      const double y = std::min(y_of(ms) - 4, last - 13);
      if (y < kTop + 8) continue;
      svg_.text(kShareLeft + kShareWidth, y, std::string(name) + " " + fixed(ms, 2), label(11, kInk, "end"));
      last = y;
    }
  }

  void cut_off() {
    size_t count = 0;
    for (size_t number = 0; number < logs_.size(); ++number) {
      const FrameLog& log = logs_[number];
      for (size_t i = 0; i < log.frame_ms.size(); ++i) {
        if (log.frame_ms[i] <= top_) continue;
        const double x = x_of(log.time_s[i] - begin_[number]);
        if (count++ < 2000) svg_.polygon({{x - 4, kTop - 1}, {x + 4, kTop - 1}, {x, kTop - 8}}, fill(kColors[number]));
      }
    }
    if (count == 0) return;
    svg_.text(
        kLeft + 110, kTop - 14,
        std::to_string(count) + (count == 1 ? " frame above, " : " frames above, up to ") + short_number(most_) + " ms",
        label(12, kInk));
  }

  void table() {
    const std::array<const char*, 7> heading = {"frames",   "median ms", "p95 ms",     "p99 ms",
                                                "p99.9 ms", "most ms",   "1 % low fps"};
    const double y0 = kBottom + 66, first = 470, step = 102;
    for (size_t c = 0; c < heading.size(); ++c)
      svg_.text(first + step * double(c), y0, heading[c], label(12, kSoftInk, "end"));
    for (size_t i = 0; i < logs_.size(); ++i) {
      const FrameStatistics& s = statistics_[i];
      const double y = y0 + 22 * double(i + 1);
      svg_.rect(kLeft, y - 11, 14, 12, fill(kColors[i]));
      std::string name = logs_[i].name;
      if (name.size() > 40) name = name.substr(0, 37) + "...";
      svg_.text(kLeft + 22, y, name, label(13, kInk));
      const std::array<std::string, 7> cells = {std::to_string(s.frames),
                                                fixed(s.median_ms, 3),
                                                fixed(s.p95_ms, 3),
                                                fixed(s.p99_ms, 3),
                                                fixed(s.p999_ms, 3),
                                                fixed(s.most_ms, 3),
                                                fixed(s.one_percent_low_fps, 2)};
      for (size_t c = 0; c < cells.size(); ++c)
        svg_.text(first + step * double(c), y, cells[c], label(13, kInk, "end"));
    }
  }

  std::span<const FrameLog> logs_;
  std::string title_;
  SvgWriter svg_;
  std::vector<FrameStatistics> statistics_;
  std::vector<double> begin_;  // seconds at which each log's first frame began
  double seconds_ = 0, most_ = 0, top_ = 1, most_share_ = 1;
  size_t bins_ = 1;
};

}  // namespace

std::string plot_frame_times(std::span<const FrameLog> logs, const std::string& title) {
  if (logs.empty() || logs.size() > kMostPlottedLogs) {
    throw std::invalid_argument("plot: " + std::to_string(logs.size()) + " logs; name 1 to " +
                                std::to_string(kMostPlottedLogs));
  }
  return Plot(logs, title).draw();
}

}  // namespace brokkr
