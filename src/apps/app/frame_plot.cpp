#include "app/frame_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "log/frame_statistics.h"

namespace brokkr::app {
namespace {

// Colours that people with colour blindness can tell apart (Okabe and Ito).
constexpr std::array<const char*, kMaxPlottedLogs> kColors = {"#0072b2", "#d55e00", "#009e73",
                                                              "#cc79a7", "#e69f00", "#56b4e9"};
constexpr const char *kGeometry = "#009e73", *kRaster = "#e69f00";

constexpr double kWidth = 1080, kTop = 64, kHeight = 340, kLeft = 70, kTimes = 690, kGap = 26, kShares = 240;
constexpr double kRow = 22;

// A step of 1, 2 or 5 times a power of ten that divides `range` into at most `parts`.
double step_of(double range, int parts) {
  const double raw = range / parts, power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

class Picture {
 public:
  Picture(const std::string& title, std::span<const FrameLog> logs) : logs_(logs) {
    for (const FrameLog& log : logs) {
      statistics_.push_back(frame_statistics(log.frame_ms));
      begins_.push_back(*std::ranges::min_element(log.time_s) - log.frame_ms.front() / 1000);
      end_ = std::max(end_, *std::ranges::max_element(log.time_s) - begins_.back());
    }
    if (!(end_ > 0)) end_ = 1;
    double max_ms = 0, p99 = 0;
    for (const FrameStatistics& s : statistics_) {
      max_ms = std::max(max_ms, s.max_ms);
      p99 = std::max(p99, s.p99_ms);
    }
    max_ms_ = max_ms;
    // A few extreme frames must not flatten the curve of all others.
    if (max_ms > 0) top_ = std::max(max_ms > 2.5 * p99 && p99 > 0 ? 1.5 * p99 : 1.08 * max_ms, 1e-6);
    text({16, 30}, title.empty() ? "Frame times" : title, Anchor::start, 18, kInk, true);
  }

  Drawing draw() {
    axes();
    if (logs_.size() == 1) stages(logs_[0]);
    for (size_t i = logs_.size(); i-- > 0;) {
      times(i);
      shares(i);
    }
    if (logs_.size() == 1) percentiles(statistics_[0]);
    cut_off();
    drawing_.set_height(table());
    return std::move(drawing_);
  }

 private:
  static constexpr double kSharesLeft = kLeft + kTimes + kGap, kBottom = kTop + kHeight;

  double x_of(double seconds) const { return kLeft + kTimes * seconds / end_; }
  double y_of(double ms) const { return kBottom - kHeight * std::min(ms, top_) / top_; }

  void text(Spot origin, const std::string& words, Anchor anchor, double size, const char* color, bool bold = false) {
    drawing_.text(origin, words, {size, color, anchor, bold});
  }
  void line(Spot begin, Spot end, const char* color, double width, double dash = 0, double gap = 0) {
    drawing_.line({begin, end}, color, width, dash, gap);
  }
  void box(double left, double top, double width, double height, const char* color, double opacity = 1) {
    drawing_.area({{left, top}, {left + width, top}, {left + width, top + height}, {left, top + height}}, color,
                  opacity);
  }

  void axes() {
    const double step = step_of(top_, 8);
    for (double ms = 0; ms <= top_ * (1 + 1e-9); ms += step) {
      line({kLeft, y_of(ms)}, {kLeft + kTimes, y_of(ms)}, kGrid, 1);
      line({kSharesLeft, y_of(ms)}, {kSharesLeft + kShares, y_of(ms)}, kGrid, 1);
      text({kLeft - 8, y_of(ms) + 4}, fmt::format("{:.6g}", ms), Anchor::end, 12, kNote);
    }
    const double seconds = step_of(end_, 8);
    for (double s = 0; s <= end_ * (1 + 1e-9); s += seconds)
      text({x_of(s), kBottom + 18}, fmt::format("{:.6g}", s), Anchor::middle, 12, kNote);
    for (const double left : {kLeft, kSharesLeft}) line({left, kTop}, {left, kBottom}, kNote, 1);
    line({kLeft, kBottom}, {kLeft + kTimes, kBottom}, kNote, 1);
    line({kSharesLeft, kBottom}, {kSharesLeft + kShares, kBottom}, kNote, 1);
    text({kLeft + kTimes / 2, kBottom + 38}, "time in s", Anchor::middle, 12, kInk);
    drawing_.text({18, kTop + kHeight / 2}, "frame time in ms",
                  {.size = 12, .color = kInk, .anchor = Anchor::middle, .upright = true});
    text({kSharesLeft + kShares / 2, kBottom + 38}, "share of frames in %", Anchor::middle, 12, kInk);
  }

  // A long log has more frames than the picture has columns: each half pixel shows its least and its greatest time.
  std::vector<Spot> curve(const FrameLog& log, double begin, std::span<const double> ms) const {
    std::vector<Spot> points;
    const auto add = [&](double seconds, double value) { points.push_back({x_of(seconds), y_of(value)}); };
    const size_t count = ms.size();
    if (count <= 2 * size_t(kTimes)) {
      for (size_t i = 0; i < count; ++i) add(log.time_s[i] - begin, ms[i]);
      return points;
    }
    for (size_t first = 0; first < count;) {
      const auto column = [&](size_t i) { return std::floor(2 * x_of(log.time_s[i] - begin)); };
      size_t last = first, lowest = first, highest = first;
      while (last < count && column(last) == column(first)) {
        if (ms[last] < ms[lowest]) lowest = last;
        if (ms[last] > ms[highest]) highest = last;
        ++last;
      }
      add(log.time_s[std::min(lowest, highest)] - begin, ms[std::min(lowest, highest)]);
      if (lowest != highest) add(log.time_s[std::max(lowest, highest)] - begin, ms[std::max(lowest, highest)]);
      first = last;
    }
    return points;
  }

  void times(size_t number) {
    const FrameLog& log = logs_[number];
    const char* const color = kColors[number];
    drawing_.line(curve(log, begins_[number], log.frame_ms), color, log.frame_ms.size() <= 1000 ? 1.8 : 1.1);
    const bool few = log.frame_ms.size() <= 80;
    for (size_t i = 0; i < log.frame_ms.size(); ++i) {
      const double x = x_of(log.time_s[i] - begins_[number]), y = y_of(log.frame_ms[i]);
      if (log.frame_ms[i] > top_) {
        drawing_.area({{x, y + 4}, {x - 5, y - 4}, {x + 5, y - 4}}, color);
      } else if (few) {
        box(x - 2.5, y - 2.5, 5, 5, color);
      }
    }
  }

  void stages(const FrameLog& log) {
    if (log.geometry_ms.empty() || log.raster_ms.empty()) return;
    std::vector<double> both = log.geometry_ms;
    const std::vector<double> none(both.size(), 0.0);
    for (size_t i = 0; i < both.size(); ++i) both[i] += log.raster_ms[i];
    const auto area = [&](const std::vector<double>& low, const std::vector<double>& high, const char* color) {
      std::vector<Spot> corners = curve(log, begins_[0], high);
      const std::vector<Spot> base = curve(log, begins_[0], low);
      corners.insert(corners.end(), base.rbegin(), base.rend());
      drawing_.area(std::move(corners), color, 0.18);
    };
    area(none, log.geometry_ms, kGeometry);
    area(log.geometry_ms, both, kRaster);
    double x = kLeft + kTimes;
    for (const auto& [name, color] :
         {std::pair("rasterization (per block)", kRaster), std::pair("geometry", kGeometry)}) {
      text({x, kTop - 10}, name, Anchor::end, 12, kInk);
      x -= text_width(name, {.size = 12}) + 8;
      box(x - 12, kTop - 19, 12, 10, color, 0.4);
      x -= 26;
    }
  }

  void shares(size_t number) {
    const FrameLog& log = logs_[number];
    size_t longest = 0;
    for (const FrameLog& each : logs_) longest = std::max(longest, each.frame_ms.size());
    const auto bins = size_t(std::clamp(4 * std::sqrt(double(longest)), 20.0, 80.0));
    const auto counted = [&](const FrameLog& counted_log) {
      std::vector<double> share(bins);
      for (const double ms : counted_log.frame_ms) {
        if (ms <= top_)
          share[std::min(size_t(ms / top_ * double(bins)), bins - 1)] += 100.0 / double(counted_log.frame_ms.size());
      }
      return share;
    };
    double max_share = 0;
    for (const FrameLog& each : logs_) max_share = std::max(max_share, std::ranges::max(counted(each)));
    if (!(max_share > 0)) return;
    if (number + 1 == logs_.size()) {  // the first curve drawn
      const double step = step_of(max_share, 4);
      for (double share = 0; share <= max_share * (1 + 1e-9); share += step)
        text({kSharesLeft + kShares * share / max_share, kBottom + 18}, fmt::format("{:.4g}", share), Anchor::middle,
             12, kNote);
    }
    const std::vector<double> share = counted(log);
    std::vector<Spot> corners = {{kSharesLeft, kBottom}};
    for (size_t i = 0; i < bins; ++i) {
      const double x = kSharesLeft + kShares * share[i] / max_share;
      corners.push_back({x, y_of(top_ * double(i) / double(bins))});
      corners.push_back({x, y_of(top_ * double(i + 1) / double(bins))});
    }
    corners.push_back({kSharesLeft, kTop});
    drawing_.area(corners, kColors[number], logs_.size() == 1 ? 0.35 : 0.18);
    corners.push_back(corners.front());
    drawing_.line(std::move(corners), kColors[number], 1);
  }

  void percentiles(const FrameStatistics& s) {
    double last = std::numeric_limits<double>::infinity();  // labels keep their distance
    for (const auto& [name, ms] : {std::pair("median", s.median_ms), std::pair("p95", s.p95_ms),
                                   std::pair("p99", s.p99_ms), std::pair("p99.9", s.p999_ms)}) {
      if (ms > top_) continue;
      line({kLeft, y_of(ms)}, {kLeft + kTimes, y_of(ms)}, kInk, 0.8, 5, 4);
      line({kSharesLeft, y_of(ms)}, {kSharesLeft + kShares, y_of(ms)}, kInk, 0.8, 5, 4);
      const double y = std::min(y_of(ms) - 3, last - 12);
      if (y < kTop + 8) continue;
      text({kSharesLeft + kShares, y}, fmt::format("{} {:.2f}", name, ms), Anchor::end, 11, kInk);
      last = y;
    }
  }

  void cut_off() {
    size_t above = 0;
    for (const FrameLog& log : logs_)
      above += size_t(std::ranges::count_if(log.frame_ms, [&](double ms) { return ms > top_; }));
    if (above == 0) return;
    const std::string which = above == 1 ? "1 frame above, " : fmt::format("{} frames above, up to ", above);
    text({kLeft, kTop - 10}, fmt::format("{}{:.4g} ms", which, max_ms_), Anchor::start, 12, kInk);
  }

  // Returns the height of the picture.
  double table() {
    struct Column {
      const char* name;
      double FrameStatistics::*value;
      int digits;
    };
    constexpr std::array<Column, 6> kColumns = {{{"median ms", &FrameStatistics::median_ms, 3},
                                                 {"p95 ms", &FrameStatistics::p95_ms, 3},
                                                 {"p99 ms", &FrameStatistics::p99_ms, 3},
                                                 {"p99.9 ms", &FrameStatistics::p999_ms, 3},
                                                 {"max ms", &FrameStatistics::max_ms, 3},
                                                 {"1 % low fps", &FrameStatistics::one_percent_low_fps, 2}}};
    constexpr double kNames = 300, kColumn = 108;
    double y = kBottom + 74;
    text({kNames + kColumn * 0.9, y}, "frames", Anchor::end, 12, kNote);
    for (size_t c = 0; c < kColumns.size(); ++c)
      text({kNames + kColumn * (double(c) + 1.9), y}, kColumns[c].name, Anchor::end, 12, kNote);
    for (size_t i = 0; i < logs_.size(); ++i) {
      y += kRow;
      const std::string& name = logs_[i].name;
      text({kNames, y}, name.size() <= 40 ? name : name.substr(0, 37) + "...", Anchor::end, 12, kColors[i], true);
      text({kNames + kColumn * 0.9, y}, std::to_string(statistics_[i].frames), Anchor::end, 12, kInk);
      for (size_t c = 0; c < kColumns.size(); ++c)
        text({kNames + kColumn * (double(c) + 1.9), y},
             fmt::format("{:.{}f}", statistics_[i].*kColumns[c].value, kColumns[c].digits), Anchor::end, 12, kInk);
    }
    return y + 20;
  }

  std::span<const FrameLog> logs_;
  std::vector<FrameStatistics> statistics_;
  std::vector<double> begins_;
  double end_ = 0, top_ = 1, max_ms_ = 0;
  Drawing drawing_{kWidth};
};

}  // namespace

Drawing frame_plot(const std::string& title, std::span<const FrameLog> logs) { return Picture(title, logs).draw(); }

}  // namespace brokkr::app
