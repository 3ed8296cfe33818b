#include "app/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace brokkr::app {
namespace {

constexpr double kPi = 3.14159265358979323846;

// One axis: from a value to a place on the drawing.
class Measure {
 public:
  Measure(const Axis& axis, double min, double max, double begin, double end) : axis_(axis) {
    low_ = place(axis.from.value_or(min));
    high_ = place(axis.to.value_or(max));
    if (!(high_ > low_)) high_ = low_ + 1;
    begin_ = begin;
    end_ = end;
  }
  double operator()(double value) const { return begin_ + (end_ - begin_) * (place(value) - low_) / (high_ - low_); }
  bool holds(double value) const {
    const double position = place(value), slack = 1e-9 * (high_ - low_);
    return std::isfinite(position) && position >= low_ - slack && position <= high_ + slack;
  }
  double clamped(double value) const {
    return std::clamp((*this)(value), std::min(begin_, end_), std::max(begin_, end_));
  }

  std::vector<std::pair<double, std::string>> ticks() const {
    if (!axis_.ticks.empty()) return axis_.ticks;
    std::vector<std::pair<double, std::string>> found;
    const auto add = [&](double value) {
      if (holds(value)) found.emplace_back(value, fmt::format("{:.6g}", std::abs(value) < 1e-12 ? 0.0 : value));
    };
    if (axis_.scale == AxisScale::linear) {
      const double raw = (high_ - low_) / 5, power = std::pow(10.0, std::floor(std::log10(raw)));
      double step = 10 * power;
      for (const double factor : {5.0, 2.0, 1.0}) {
        if (factor * power >= raw * (1 - 1e-9)) step = factor * power;
      }
      for (double value = std::ceil(low_ / step - 1e-9) * step; value <= high_ + 1e-9 * step; value += step) add(value);
    } else {
      for (double exponent = std::floor(low_); exponent <= std::ceil(high_); ++exponent)
        add(axis_.scale == AxisScale::log2 ? std::exp2(exponent) : std::pow(10.0, exponent));
    }
    return found;
  }

 private:
  double place(double value) const {
    if (axis_.scale == AxisScale::linear) return value;
    return axis_.scale == AxisScale::log2 ? std::log2(value) : std::log10(value);
  }
  const Axis& axis_;
  double low_ = 0, high_ = 1, begin_ = 0, end_ = 1;
};

struct Range {
  double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
  void add(double value, AxisScale scale) {
    if (!std::isfinite(value) || (scale != AxisScale::linear && value <= 0)) return;
    min = std::min(min, value);
    max = std::max(max, value);
  }
  void widen(AxisScale scale) {
    if (!(max >= min)) min = scale == AxisScale::linear ? 0 : 1, max = min + 1;
    const double room = 0.04 * (max - min);
    if (scale == AxisScale::linear) {
      min = min >= 0 && min < 0.5 * max ? 0 : min - room;
      max += room;
    } else {
      min /= 1.08;
      max *= 1.08;
    }
  }
};

// Cold blue over yellow to hot red.
std::string heat(double value) {
  constexpr std::array<std::array<int, 3>, 5> kSteps = {
      {{49, 54, 149}, {116, 173, 209}, {255, 255, 191}, {244, 109, 67}, {165, 0, 38}}};
  const double position = std::clamp(value, 0.0, 1.0) * double(kSteps.size() - 1);
  const auto step = std::min(size_t(position), kSteps.size() - 2);
  const auto channel = [&](size_t c) {
    return int(std::lround(kSteps[step][c] + (position - double(step)) * (kSteps[step + 1][c] - kSteps[step][c])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

class ChartDrawing {
 public:
  // The chart's place: its upper left corner and its size, with room for labels.
  ChartDrawing(Drawing& drawing, const Chart& chart, Spot corner, double width, double height)
      : drawing_(drawing),
        chart_(chart),
        left_(corner.x + 54),
        top_(corner.y + 30),
        right_(corner.x + width - 14),
        low_(corner.y + height - 46),
        x_(chart.x, ranges().first.min, ranges().first.max, left_, right_),
        y_(chart.y, ranges().second.min, ranges().second.max, low_, top_) {}

  void draw() {
    drawing_.text({(left_ + right_) / 2, top_ - 12}, chart_.title, {13, kInk, Anchor::middle, true});
    if (!chart_.rings.empty()) return wheel();
    axes();
    for (const Band& band : chart_.bands) area(band);
    for (const Bar& bar : chart_.bars) {
      const double a = x_.clamped(bar.x - bar.width / 2), b = x_.clamped(bar.x + bar.width / 2);
      const double low = y_.clamped(bar.from), high = y_.clamped(bar.to);
      drawing_.area({{a, low}, {a, high}, {b, high}, {b, low}}, bar.color);
    }
    for (const Curve& curve : chart_.curves) line(curve);
    if (chart_.has_legend) legend();
  }

 private:
  std::pair<Range, Range> ranges() const {
    Range x, y;
    const auto add = [&](const std::vector<Spot>& points) {
      for (const Spot& p : points) {
        if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
        x.add(p.x, chart_.x.scale);
        y.add(p.y, chart_.y.scale);
      }
    };
    for (const Curve& curve : chart_.curves) add(curve.points);
    for (const Band& band : chart_.bands) add(band.low), add(band.high);
    for (const Bar& bar : chart_.bars) add({{bar.x - bar.width / 2, bar.from}, {bar.x + bar.width / 2, bar.to}});
    x.widen(chart_.x.scale);
    y.widen(chart_.y.scale);
    if (chart_.x.scale == AxisScale::linear && chart_.bars.empty() && x.min != 0) x.min += 0.03 * (x.max - x.min);
    return {x, y};
  }

  void axes() {
    for (const auto& [value, name] : x_.ticks()) {
      if (!x_.holds(value)) continue;
      drawing_.line({{x_(value), top_}, {x_(value), low_}}, kGrid, 1);
      drawing_.text({x_(value), low_ + 16}, name, {11, kNote, Anchor::middle});
    }
    for (const auto& [value, name] : y_.ticks()) {
      if (!y_.holds(value)) continue;
      drawing_.line({{left_, y_(value)}, {right_, y_(value)}}, kGrid, 1);
      drawing_.text({left_ - 6, y_(value) + 4}, name, {11, kNote, Anchor::end});
    }
    drawing_.line({{left_, top_}, {left_, low_}, {right_, low_}}, kNote, 1);
    drawing_.text({(left_ + right_) / 2, low_ + 36}, chart_.x.label, {12, kInk, Anchor::middle});
    drawing_.text({left_ - 40, (top_ + low_) / 2}, chart_.y.label, {12, kInk, Anchor::middle, false, true});
  }

  void area(const Band& band) {
    std::vector<Spot> corners;
    const auto add = [&](const Spot& p) {
      if (std::isfinite(p.x) && std::isfinite(p.y)) corners.push_back({x_.clamped(p.x), y_.clamped(p.y)});
    };
    std::for_each(band.low.begin(), band.low.end(), add);
    std::for_each(band.high.rbegin(), band.high.rend(), add);
    if (corners.size() > 2) drawing_.area(std::move(corners), band.color, 0.18);
  }

  void line(const Curve& curve) {
    std::vector<Spot> points;
    for (const Spot& p : curve.points) {
      if (x_.holds(p.x) && std::isfinite(y_(p.y)) && (curve.joined || y_.holds(p.y)))
        points.push_back({x_(p.x), y_.clamped(p.y)});
    }
    if (curve.joined) drawing_.line(points, curve.color, curve.width, curve.dashed ? 5 : 0, curve.dashed ? 4 : 0);
    if (!curve.marked && curve.joined) return;
    const double r = curve.joined ? 2.6 : 1.8;
    for (const Spot& p : points)
      drawing_.area({{p.x - r, p.y}, {p.x, p.y - r}, {p.x + r, p.y}, {p.x, p.y + r}}, curve.color,
                    curve.joined ? 1 : 0.7);
  }

  void legend() {
    double y = top_ + 12;
    for (const Curve& curve : chart_.curves) {
      if (curve.name.empty()) continue;
      drawing_.line({{right_ - 20, y - 4}, {right_, y - 4}}, curve.color, 2, curve.dashed ? 5 : 0,
                    curve.dashed ? 4 : 0);
      drawing_.text({right_ - 26, y}, curve.name, {11, kInk, Anchor::end});
      y += 15;
    }
  }

  void wheel() {
    const Spot center{(left_ + right_) / 2, (top_ + low_) / 2 + 14};
    const double radius = std::min(right_ - left_, low_ - top_) / 2 + 4;
    const double ring = radius / double(chart_.rings.size() + 1);
    const auto point = [&](double r, double angle) {
      return Spot{center.x + r * std::sin(angle), center.y - r * std::cos(angle)};
    };
    for (size_t i = 0; i < chart_.rings.size(); ++i) {
      const std::vector<double>& values = chart_.rings[i].values;
      const double inner = ring * double(i + 1), outer = inner + 0.92 * ring;
      for (size_t k = 0; k < values.size(); ++k) {
        const double width = 2 * kPi / double(values.size()), begin = (double(k) - 0.52) * width,
                     end = begin + 1.04 * width;
        drawing_.area({point(inner, begin), point(outer, begin), point(outer, end), point(inner, end)},
                      heat(values[k]));
      }
      drawing_.text(point((inner + outer) / 2 - 4, kPi * 0.94), chart_.rings[i].name, {10, kInk, Anchor::middle});
    }
    for (int angle = 0; angle < 360; angle += 45) {
      const double radians = angle * kPi / 180;
      const Spot place = point(radius + 12, radians);
      drawing_.text({place.x, place.y + 4}, fmt::format("{}°", angle), {10, kNote, Anchor::middle});
    }
  }

  Drawing& drawing_;
  const Chart& chart_;
  double left_, top_, right_, low_;
  Measure x_, y_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> legend_of(const std::vector<Chart>& charts) {
  std::vector<std::pair<std::string, std::string>> legend;
  for (const Chart& chart : charts) {
    for (const Curve& curve : chart.curves) {
      const std::pair entry{curve.name, curve.color};
      if (!curve.name.empty() && std::find(legend.begin(), legend.end(), entry) == legend.end())
        legend.push_back(entry);
    }
  }
  return legend;
}

Drawing draw_figure(const Figure& figure) {
  Drawing drawing(figure.width);
  drawing.text({figure.width / 2, 24}, figure.title, {15, kInk, Anchor::middle, true});
  const double width = figure.width / figure.columns, top = 38;
  for (size_t i = 0; i < figure.charts.size(); ++i) {
    const auto column = double(i % size_t(figure.columns)), row = std::floor(double(i) / figure.columns);
    ChartDrawing(drawing, figure.charts[i], {column * width, top + row * figure.chart_height}, width,
                 figure.chart_height)
        .draw();
  }
  const auto columns = size_t(figure.columns);
  const size_t rows = (figure.charts.size() + columns - 1) / columns;
  double y = top + double(rows) * figure.chart_height + 14;
  constexpr double kKey = 24, kGap = 22;
  for (size_t first = 0; first < figure.legend.size();) {  // as many names in a line as there is room for
    size_t end = first;
    double all = -kGap;
    while (end < figure.legend.size()) {
      const double more = kKey + text_width(figure.legend[end].first, {}) + kGap;
      if (end > first && all + more > figure.width - 40) break;
      all += more;
      ++end;
    }
    double x = (figure.width - all) / 2;
    for (; first < end; ++first) {
      const auto& [name, color] = figure.legend[first];
      drawing.line({{x, y - 4}, {x + kKey - 6, y - 4}}, color, 3);
      drawing.text({x + kKey, y}, name, {});
      x += kKey + text_width(name, {}) + kGap;
    }
    y += 20;
  }
  drawing.set_height(y);
  return drawing;
}

}  // namespace brokkr::app
