// Figures of the experiments on maps of fragments, and what all figures of patterns share.
#include "lab/pattern_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

namespace brokkr::lab {
namespace {

using app::AxisScale;
using app::Chart;
using app::Curve;
using app::Spot;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kReferenceColor = "#6c757d";
constexpr const char* kVanDerCorput = "van-der-corput";

struct PatternLook {
  const char *pattern, *name, *color;
};
constexpr PatternLook kLooks[] = {{"diagonal", "Diagonal", "#6c757d"},
                                  {"z-curve", "Z-curve", "#c1121f"},
                                  {"hilbert", "Hilbert", "#f3722c"},
                                  {"pseudo-random", "pseudo-random (PRUT)", "#8d99ae"},
                                  {"hierarchical-maximized-distance", "HMD", "#2d6a4f"},
                                  {"x-shift", "X-shift", "#7fb7d6"},
                                  {"y-shift", "Y-shift", "#b5838d"},
                                  {"x-shift-offset", "X-shift+offset", "#1d3557"},
                                  {"sudoku", "Sudoku", "#95d5b2"},
                                  {kVanDerCorput, "Van der Corput", "#6a0dad"},
                                  {"g80", "G80", "#f9b233"},
                                  {"searched", "searched tile", "#000000"},
                                  {"searched-shifts", "searched shifts", "#e36bae"}};

const PatternLook* look_of(const std::string& pattern) {
  const auto found = std::ranges::find_if(kLooks, [&](const PatternLook& look) { return pattern == look.pattern; });
  return found == std::end(kLooks) ? nullptr : found;
}

// Values of one curve at `x`, between its points.
double value_at(const std::vector<Spot>& points, double x) {
  const auto right = std::ranges::lower_bound(points, x, {}, &Spot::x);
  if (right == points.begin()) return points.front().y;
  if (right == points.end()) return points.back().y;
  const Spot a = right[-1], b = *right;
  return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
}

Curve level(double value, double from, double to, const std::string& name) {
  return {name, kReferenceColor, {{from, value}, {to, value}}, true, false, true, 1};
}

// The deviation of Diagonal by frame, bin and rasterizers, which others are divided by.
using Setting = std::tuple<std::string, double, double>;
std::map<Setting, double> diagonal_of(const PatternRows& rows, const char* column) {
  std::map<Setting, double> base;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows.text(i, "pattern") == "diagonal")
      base[{rows.text(i, "frame"), rows.number(i, "bin"), rows.number(i, "rasterizers")}] = rows.number(i, column);
  }
  return base;
}

}  // namespace

PatternRows::PatternRows(const Row& columns, Rows rows) : rows_(std::move(rows)) {
  for (size_t i = 0; i < columns.size(); ++i) columns_[columns[i]] = i;
  for (Row& row : rows_) row.resize(columns.size());
}

double PatternRows::number(size_t row, const char* column) const {
  const std::string& cell = text(row, column);
  double value = 0;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return !cell.empty() && read.ec == std::errc() ? value : kNone;
}

std::vector<std::string> PatternRows::texts(const char* column) const {
  std::vector<std::string> found;
  for (size_t i = 0; i < size(); ++i) {
    if (std::ranges::find(found, text(i, column)) == found.end()) found.push_back(text(i, column));
  }
  return found;
}

std::vector<double> PatternRows::numbers(const char* column) const {
  std::vector<double> found;
  for (size_t i = 0; i < size(); ++i) {
    if (std::ranges::find(found, number(i, column)) == found.end()) found.push_back(number(i, column));
  }
  return found;
}

std::string color_of_pattern(const std::string& pattern) {
  const PatternLook* const look = look_of(pattern);
  return look != nullptr ? look->color : "#000000";
}

std::string name_of_pattern(const std::string& pattern) {
  const PatternLook* const look = look_of(pattern);
  return look != nullptr ? look->name : pattern;
}

std::string color_between(double part) {
  constexpr int kSteps[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {223, 200, 30}};
  const double at = std::clamp(part, 0.0, 1.0) * 4;
  const int step = std::min(int(at), 3);
  const auto channel = [&](int c) {
    return int(std::lround(kSteps[step][c] + (at - step) * (kSteps[step + 1][c] - kSteps[step][c])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

double arithmetic_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? kNone : sum / double(values.size());
}

double geometric_mean(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) {
    if (value > 0) logs.push_back(std::log(value));
  }
  return std::exp(arithmetic_mean(logs));
}

double harmonic_mean(const std::vector<double>& values) {
  std::vector<double> inverse;
  for (const double value : values) inverse.push_back(1 / value);
  return 1 / arithmetic_mean(inverse);
}

PatternFigure figure_of_spacing(const PatternRows& rows) {
  Chart deviation{.title = "deviation against bins side by side, mean over frames",
                  .x = {.label = "2 x distance / height of the picture"},
                  .y = {.label = "σ / σ_ref", .from = 0, .to = 1.05},
                  .has_legend = true};
  Chart best{.title = "where the deviation is least",
             .x = {.label = "bin size in pixels"},
             .y = {.from = 0, .to = 1.3},
             .has_legend = true};
  Curve place{"best distance / farthest distance", color_of_pattern(kVanDerCorput), {}, true, true},
      depth{"σ / σ_ref there", color_of_pattern("hierarchical-maximized-distance"), {}, true, true};
  TextTable table{"Best distance, means over the frames with room for it",
                  {"bin", "best / farthest distance", "2 x farthest / height", "σ / σ_ref there", "frames"},
                  {}};
  const std::vector<double> bins = rows.numbers("bin");
  for (size_t b = 0; b < bins.size(); ++b) {
    std::map<std::string, std::vector<Spot>> frames;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows.number(i, "bin") == bins[b] && std::isfinite(rows.number(i, "ratio")))
        frames[rows.text(i, "frame")].push_back(
            {2 * rows.number(i, "distance_px") / rows.number(i, "height"), rows.number(i, "ratio")});
    }
    std::erase_if(frames, [](const auto& frame) { return frame.second.size() < 2; });
    if (frames.empty()) continue;
    double end = std::numeric_limits<double>::infinity();
    std::vector<double> places, ends, depths;
    for (auto& [name, points] : frames) {
      std::ranges::sort(points, {}, &Spot::x);
      end = std::min(end, points.back().x);
      const Spot least = *std::ranges::min_element(points, {}, &Spot::y);
      places.push_back(least.x / points.back().x);
      ends.push_back(points.back().x);
      depths.push_back(least.y);
    }
    constexpr int kSteps = 24;
    Curve mean{
        fmt::format("{:g}", bins[b]), color_between(double(b) / double(std::max<size_t>(bins.size() - 1, 1))), {}};
    for (int step = 0; step < kSteps; ++step) {
      const double x = end * step / (kSteps - 1);
      std::vector<double> values;
      for (const auto& [name, points] : frames) values.push_back(value_at(points, x));
      mean.points.push_back({x, arithmetic_mean(values)});
    }
    deviation.curves.push_back(std::move(mean));
    place.points.push_back({bins[b], arithmetic_mean(places)});
    depth.points.push_back({bins[b], arithmetic_mean(depths)});
    table.rows.push_back({fmt::format("{:g}", bins[b]), fmt::format("{:.2f}", arithmetic_mean(places)),
                          fmt::format("{:.2f}", arithmetic_mean(ends)), fmt::format("{:.2f}", arithmetic_mean(depths)),
                          std::to_string(frames.size())});
  }
  best.curves = {std::move(place), std::move(depth)};
  return {app::Figure{.columns = 2, .chart_height = 420, .charts = {std::move(deviation), std::move(best)}}, {table}};
}

PatternFigure figure_of_orientation(const PatternRows& rows) {
  constexpr size_t kShown = 12;
  const std::vector<std::string> frames = rows.texts("frame");
  const std::vector<double> lengths = rows.numbers("samples");
  TextTable table{
      "Lowest and highest normalised deviation, and their angle from the vertical", {"frame", "N", "σ_lo", "σ_hi"}, {}};
  app::Figure figure{.columns = int(std::clamp<size_t>(frames.size(), 1, 4)), .chart_height = 330};
  for (size_t f = 0; f < frames.size(); ++f) {
    Chart wheel{.title = frames[f]};
    for (const double length : lengths) {
      std::vector<Spot> sigma;  // by angle
      for (size_t i = 0; i < rows.size(); ++i) {
        if (rows.text(i, "frame") == frames[f] && rows.number(i, "samples") == length)
          sigma.push_back({rows.number(i, "angle"), rows.number(i, "sigma")});
      }
      if (sigma.empty()) continue;
      std::ranges::sort(sigma, {}, &Spot::x);
      const auto [low, high] = std::ranges::minmax(sigma, {}, &Spot::y);
      app::HeatRing ring{fmt::format("{:g}", length), {}};
      for (int half = 0; half < 2; ++half) {  // a line has the direction of its opposite
        for (const Spot& s : sigma) ring.values.push_back((s.y - low.y) / std::max(high.y - low.y, 1e-12));
      }
      wheel.rings.push_back(std::move(ring));
      table.rows.push_back({frames[f], fmt::format("{:g}", length), fmt::format("{:.2f} ({:g}°)", low.y, low.x),
                            fmt::format("{:.2f} ({:g}°)", high.y, high.x)});
    }
    if (f < kShown && !wheel.rings.empty()) figure.charts.push_back(std::move(wheel));
  }
  return {std::move(figure), {table}};
}

PatternFigure figure_of_families(const PatternRows& rows) {
  struct Family {
    const char* title;
    std::vector<std::string> patterns;
  };
  const Family families[] = {{"space-filling curves (Fig. 7)", {"z-curve", "hilbert"}},
                             {"randomised (Fig. 8)", {"pseudo-random", "hierarchical-maximized-distance"}},
                             {"fixed shift (Fig. 9)", {"x-shift", "y-shift", "x-shift-offset"}},
                             {"variable shift (Fig. 10)", {"sudoku", kVanDerCorput}}};
  const std::map<Setting, double> base = diagonal_of(rows, "sigma");
  // The ratios on all frames, by pattern, rasterizers and bin.
  std::map<std::string, std::map<double, std::map<double, std::vector<double>>>> ratios;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double bin = rows.number(i, "bin"), count = rows.number(i, "rasterizers");
    const auto reference = base.find({rows.text(i, "frame"), bin, count});
    if (reference != base.end() && reference->second > 0)
      ratios[rows.text(i, "pattern")][count][bin].push_back(rows.number(i, "sigma") / reference->second);
  }
  app::Figure figure{.columns = 2, .chart_height = 350};
  for (const Family& family : families) {
    Chart chart{.title = family.title,
                .x = {.label = "rasterizers"},
                .y = {.label = "σ / σ of Diagonal", .from = 0, .to = 3},
                .has_legend = true};
    chart.curves.push_back(level(1, 2, 64, "Diagonal"));
    for (const std::string& pattern : family.patterns) {
      app::Band band{color_of_pattern(pattern), {}, {}};
      Curve mean{name_of_pattern(pattern), color_of_pattern(pattern), {}};
      for (const auto& [count, bins] : ratios[pattern]) {
        std::vector<double> means;
        for (const auto& [bin, values] : bins) means.push_back(arithmetic_mean(values));
        band.low.push_back({count, std::ranges::min(means)});
        band.high.push_back({count, std::ranges::max(means)});
        mean.points.push_back({count, arithmetic_mean(means)});
      }
      chart.bands.push_back(std::move(band));
      chart.curves.push_back(std::move(mean));
    }
    figure.charts.push_back(std::move(chart));
  }
  TextTable table{"σ in units of Diagonal's, geometric mean over frames and bin sizes",
                  {"pattern", "2-8 rasterizers", "9-20", "21-40", "41-64", "all"},
                  {}};
  for (const auto& [pattern, counts] : ratios) {
    std::vector<std::string> cells = {name_of_pattern(pattern)};
    for (const auto& [from, to] : {std::pair(2, 8), {9, 20}, {21, 40}, {41, 64}, {2, 64}}) {
      std::vector<double> values;
      for (const auto& [count, bins] : counts) {
        for (const auto& [bin, each] : bins) {
          if (count >= from && count <= to) values.push_back(arithmetic_mean(each));
        }
      }
      cells.push_back(fmt::format("{:.2f}", geometric_mean(values)));
    }
    table.rows.push_back(std::move(cells));
  }
  std::ranges::sort(table.rows, {}, [](const auto& cells) { return cells.back(); });
  return {std::move(figure), {table}};
}

PatternFigure figure_of_variation(const PatternRows& rows) {
  app::Figure figure{.columns = 3, .width = 1170, .chart_height = 400};
  TextTable table{"c_v, mean over the frames", {"bin", "pattern", "4 rasterizers", "10", "18", "20", "30", "60"}, {}};
  for (const double bin : {16.0, 64.0, 128.0}) {
    Chart chart{.title = fmt::format("bins of {0:g} x {0:g}", bin),
                .x = {.label = "rasterizers"},
                .y = {.label = "c_v in %", .from = 0}};
    for (const char* pattern :
         {"diagonal", "hilbert", "hierarchical-maximized-distance", "x-shift-offset", kVanDerCorput}) {
      std::map<double, std::vector<double>> found;
      for (size_t i = 0; i < rows.size(); ++i) {
        if (rows.number(i, "bin") == bin && rows.text(i, "pattern") == pattern)
          found[rows.number(i, "rasterizers")].push_back(100 * rows.number(i, "cv"));
      }
      Curve mean{name_of_pattern(pattern), color_of_pattern(pattern), {}};
      for (const auto& [count, values] : found) mean.points.push_back({count, arithmetic_mean(values)});
      chart.curves.push_back(std::move(mean));
      std::vector<std::string> cells = {fmt::format("{:g}", bin), name_of_pattern(pattern)};
      for (const double count : {4, 10, 18, 20, 30, 60})
        cells.push_back(fmt::format("{:.2f} %", arithmetic_mean(found[count])));
      table.rows.push_back(std::move(cells));
    }
    figure.charts.push_back(std::move(chart));
  }
  figure.legend = app::legend_of(figure.charts);
  return {std::move(figure), {table}};
}

PatternFigure figure_of_partition(const PatternRows& rows) {
  const std::vector<double> partitions = rows.numbers("partitions");
  const double finest = partitions.empty() ? 0 : std::ranges::max(partitions);
  std::set<std::string> full;  // frames that have as many triangles as the finest partition needs
  std::vector<std::pair<double, double>> settings;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows.number(i, "partitions") == finest) full.insert(rows.text(i, "frame"));
    const std::pair setting{rows.number(i, "rasterizers"), rows.number(i, "bin")};
    if (std::ranges::find(settings, setting) == settings.end()) settings.push_back(setting);
  }
  app::Figure figure{.columns = int(std::max<size_t>(settings.size(), 1)), .width = 1240, .chart_height = 340};
  std::vector<Chart> absolute, relative;
  for (const auto& [count, bin] : settings) {
    std::map<std::string, std::map<double, std::vector<double>>> found;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows.number(i, "rasterizers") == count && rows.number(i, "bin") == bin &&
          full.contains(rows.text(i, "frame")))
        found[rows.text(i, "pattern")][rows.number(i, "partitions")].push_back(rows.number(i, "cv"));
    }
    Chart deviations{.title = fmt::format("{:g} rasterizers, bins of {:g}", count, bin),
                     .x = {.label = "batches M", .scale = AxisScale::log10},
                     .y = {.label = "c_v"}};
    Chart ratios = deviations;
    ratios.y.label = "c_v / Van der Corput's";
    for (const auto& [pattern, values] : found) {
      Curve mean{name_of_pattern(pattern), color_of_pattern(pattern), {}};
      Curve ratio = mean;
      for (const auto& [m, cvs] : values) {
        mean.points.push_back({m, arithmetic_mean(cvs)});
        ratio.points.push_back({m, arithmetic_mean(cvs) / arithmetic_mean(found[kVanDerCorput][m])});
      }
      deviations.curves.push_back(std::move(mean));
      ratios.curves.push_back(std::move(ratio));
    }
    absolute.push_back(std::move(deviations));
    relative.push_back(std::move(ratios));
  }
  figure.charts = std::move(absolute);
  figure.charts.insert(figure.charts.end(), relative.begin(), relative.end());
  figure.legend = app::legend_of(figure.charts);
  return {std::move(figure), {}};
}

PatternFigure figure_of_search(const PatternRows& rows) {
  const PatternRows seen_by_none = rows.only([&](size_t i) { return rows.number(i, "unseen") == 1; });
  const PatternRows& chosen = seen_by_none.size() > 0 ? seen_by_none : rows;
  std::map<std::pair<double, double>, std::map<std::string, std::map<std::string, double>>>
      cv;  // setting, pattern, frame
  for (size_t i = 0; i < chosen.size(); ++i)
    cv[{chosen.number(i, "rasterizers"), chosen.number(i, "bin")}][chosen.text(i, "pattern")][chosen.text(i, "frame")] =
        chosen.number(i, "cv");
  const std::vector<std::string> patterns = {"diagonal",    "hilbert",         "sudoku",  "x-shift-offset",
                                             kVanDerCorput, "searched-shifts", "searched"};
  Chart chart{.title = "c_v in units of Van der Corput's" +
                       std::string(seen_by_none.size() > 0 ? " on frames that the search has not seen" : ""),
              .x = {.label = "rasterizers, bin size", .from = -0.6, .to = double(cv.size()) - 0.4},
              .y = {.from = 0, .to = 2.5}};
  TextTable table{"c_v in units of Van der Corput's, geometric mean", {"rasterizers", "bin"}, {}};
  for (const std::string& pattern : patterns) table.head.push_back(name_of_pattern(pattern));
  const double width = 0.8 / double(patterns.size());
  double place = 0;
  for (auto& [setting, found] : cv) {
    table.rows.push_back({fmt::format("{:g}", setting.first), fmt::format("{:g}", setting.second)});
    for (size_t k = 0; k < patterns.size(); ++k) {
      std::vector<double> ratios;
      for (const auto& [frame, value] : found[patterns[k]]) ratios.push_back(value / found[kVanDerCorput][frame]);
      const double mean = geometric_mean(ratios);
      table.rows.back().push_back(std::isfinite(mean) ? fmt::format("{:.2f}", mean) : "");
      if (std::isfinite(mean))
        chart.bars.push_back({place + (double(k) - double(patterns.size()) / 2 + 0.5) * width, width, 0, mean,
                              color_of_pattern(patterns[k])});
    }
    chart.x.ticks.emplace_back(place, fmt::format("{:g}, {:g}²", setting.first, setting.second));
    place += 1;
  }
  chart.curves.push_back(level(1, -0.6, double(cv.size()) - 0.4, ""));
  app::Figure figure{.chart_height = 420, .charts = {std::move(chart)}};
  for (const std::string& pattern : patterns)
    figure.legend.emplace_back(name_of_pattern(pattern), color_of_pattern(pattern));
  return {std::move(figure), {table}};
}

std::vector<PatternDrawing> pattern_drawings() {
  return {{"spacing", "spacing", figure_of_spacing},       {"orientation", "orientation", figure_of_orientation},
          {"families", "load", figure_of_families},        {"variation", "load", figure_of_variation},
          {"partition", "partition", figure_of_partition}, {"search", "search", figure_of_search},
          {"pipeline", "pipeline", figure_of_pipeline},    {"prediction", "pipeline", figure_of_prediction},
          {"blocks", "blocks", figure_of_blocks},          {"cost", "cost", figure_of_cost},
          {"recommend", "recommend", figure_of_recommend}};
}

}  // namespace brokkr::lab
