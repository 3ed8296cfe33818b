// Figures of what the pipeline did under a pattern: times, blocks, sizes of bins.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "lab/pattern_figures.h"

namespace brokkr::lab {
namespace {

using app::AxisScale;
using app::Chart;
using app::Curve;

constexpr const char* kMeasures[] = {"simulated", "measured"};

struct SpeedUp {
  double times = 0;  // the speed relative to Diagonal
  size_t row = 0, diagonal = 0;
};
using Contest = std::tuple<std::string, double, double, std::string>;  // order, rasterizers, bin, pattern

std::map<Contest, std::vector<SpeedUp>> speed_ups(const PatternRows& rows, const std::string& column) {
  using Place = std::tuple<std::string, std::string, double, double>;
  const auto place = [&](size_t i) {
    return Place{rows.text(i, "frame"), rows.text(i, "order"), rows.number(i, "rasterizers"), rows.number(i, "bin")};
  };
  std::map<Place, size_t> base;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows.text(i, "pattern") == "diagonal") base[place(i)] = i;
  }
  std::map<Contest, std::vector<SpeedUp>> found;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto diagonal = base.find(place(i));
    if (diagonal == base.end()) continue;
    const double times = rows.number(diagonal->second, column.c_str()) / rows.number(i, column.c_str());
    if (std::isfinite(times))
      found[{rows.text(i, "order"), rows.number(i, "rasterizers"), rows.number(i, "bin"), rows.text(i, "pattern")}]
          .push_back({times, i, diagonal->second});
  }
  return found;
}

std::vector<double> times_of(const std::vector<SpeedUp>& all) {
  std::vector<double> times;
  for (const SpeedUp& each : all) times.push_back(each.times);
  return times;
}

std::vector<std::pair<double, std::string>> ticks_at(const std::vector<double>& values) {
  std::vector<std::pair<double, std::string>> ticks;
  for (const double value : values) ticks.emplace_back(value, fmt::format("{:g}", value));
  return ticks;
}

// Pearson's coefficient.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = arithmetic_mean(a), mean_b = arithmetic_mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = double(i);
  return ranks;
}

// The table of one measure and order: ms, and how many times as fast as Diagonal.
TextTable table_of_times(const PatternRows& rows, std::map<Contest, std::vector<SpeedUp>>& found,
                         const std::string& measure, const std::string& order) {
  TextTable table{fmt::format("Table 2, {} shading: {} ms (speed-up over Diagonal, harmonic mean)", order, measure),
                  {"rasterizers"},
                  {}};
  const std::vector<double> bins = rows.numbers("bin");
  const std::vector<std::string> patterns = rows.texts("pattern");
  for (const double bin : bins) {
    for (const std::string& pattern : patterns)
      table.head.push_back(fmt::format("{:g}² {}", bin, name_of_pattern(pattern)));
  }
  for (const double count : rows.numbers("rasterizers")) {
    table.rows.push_back({fmt::format("{:g}", count)});
    for (const double bin : bins) {
      for (const std::string& pattern : patterns) {
        std::vector<double> ms;
        const std::vector<SpeedUp>& all = found[{order, count, bin, pattern}];
        for (const SpeedUp& each : all) ms.push_back(rows.number(each.row, (measure + "_ms").c_str()));
        table.rows.back().push_back(
            all.empty() ? "" : fmt::format("{:.1f} ({:.2f})", arithmetic_mean(ms), harmonic_mean(times_of(all))));
      }
    }
  }
  return table;
}

}  // namespace

PatternFigure figure_of_pipeline(const PatternRows& rows) {
  const std::vector<double> bins = rows.numbers("bin"), counts = rows.numbers("rasterizers");
  PatternFigure result;
  app::Figure figure{.columns = int(std::max<size_t>(2 * bins.size(), 1)), .width = 1240, .chart_height = 360};
  for (const std::string& order : rows.texts("order")) {
    for (const char* measure : kMeasures) {
      std::map<Contest, std::vector<SpeedUp>> found = speed_ups(rows, std::string(measure) + "_ms");
      for (const double bin : bins) {
        Chart chart{.title = fmt::format("{}, {} shading, bins of {:g}", measure, order, bin),
                    .x = {.label = "rasterizers", .scale = AxisScale::log10, .ticks = ticks_at(counts)},
                    .y = {.label = "speed-up over Diagonal", .from = 0.6}};
        for (const std::string& pattern : rows.texts("pattern")) {
          Curve curve{name_of_pattern(pattern), color_of_pattern(pattern), {}, true, true};
          for (const double count : counts) {
            const std::vector<SpeedUp>& all = found[{order, count, bin, pattern}];
            if (!all.empty()) curve.points.push_back({count, harmonic_mean(times_of(all))});
          }
          chart.curves.push_back(std::move(curve));
        }
        figure.charts.push_back(std::move(chart));
      }
      result.tables.push_back(table_of_times(rows, found, measure, order));
    }
  }
  figure.legend = app::legend_of(figure.charts);
  result.figure = std::move(figure);
  return result;
}

PatternFigure figure_of_prediction(const PatternRows& rows) {
  app::Figure figure{.columns = 2, .chart_height = 400};
  TextTable table{
      "Correlation of prediction and simulated speed-up", {"shading", "predictor", "r", "rank r", "points"}, {}};
  const std::map<Contest, std::vector<SpeedUp>> found = speed_ups(rows, "simulated_ms");
  for (const std::string& order : rows.texts("order")) {
    for (const bool by_cv : {true, false}) {
      // The prediction from c_v assumes that the longest rasterizer lies two deviations above the mean.
      const auto predicted = [&](const SpeedUp& s) {
        if (!by_cv) return rows.number(s.diagonal, "imbalance_map") / rows.number(s.row, "imbalance_map");
        return (1 + 2 * rows.number(s.diagonal, "cv_map")) / (1 + 2 * rows.number(s.row, "cv_map"));
      };
      const char* const title = by_cv ? "c_v" : "most / mean of the fragments";
      Chart chart{.x = {.label = fmt::format("predicted speed-up, {}", title)}, .y = {.label = "simulated"}};
      std::vector<double> guesses, results;
      std::map<std::string, Curve> curves;
      for (const auto& [contest, all] : found) {
        const std::string& pattern = std::get<3>(contest);
        if (std::get<0>(contest) != order || pattern == "diagonal") continue;
        Curve& curve = curves.emplace(pattern, Curve{name_of_pattern(pattern), color_of_pattern(pattern), {}, false})
                           .first->second;
        for (const SpeedUp& each : all) {
          const double guess = predicted(each);
          if (!std::isfinite(guess)) continue;
          curve.points.push_back({guess, each.times});
          guesses.push_back(guess);
          results.push_back(each.times);
        }
      }
      for (auto& [pattern, curve] : curves) chart.curves.push_back(std::move(curve));
      const double r = correlation(guesses, results), rank = correlation(ranks_of(guesses), ranks_of(results));
      chart.title = fmt::format("{} shading: r = {:.3f}, rank r = {:.3f}", order, r, rank);
      if (!guesses.empty()) {
        const double low = std::min(std::ranges::min(guesses), std::ranges::min(results)),
                     high = std::max(std::ranges::max(guesses), std::ranges::max(results));
        chart.curves.push_back({"", "#6c757d", {{low, low}, {high, high}}, true, false, true, 1});
      }
      figure.charts.push_back(std::move(chart));
      table.rows.push_back(
          {order, title, fmt::format("{:.3f}", r), fmt::format("{:.3f}", rank), std::to_string(guesses.size())});
    }
  }
  figure.legend = app::legend_of(figure.charts);
  return {std::move(figure), {table}};
}

PatternFigure figure_of_blocks(const PatternRows& rows) {
  struct Stage {
    const char *name, *color;
  };
  constexpr Stage kStages[] = {{"raster", "#1d3557"}, {"geometry", "#f3722c"}, {"idle", "#d5d8de"}};
  const auto ms = [&](size_t row, const char* measure, const Stage& stage) {
    return rows.number(row, fmt::format("{}_{}_ms", measure, stage.name).c_str());
  };
  const auto end_of = [&](const std::string& frame, const std::string& pattern) {
    double end = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      double all = 0;
      for (const Stage& stage : kStages) all += ms(i, kMeasures[0], stage);
      if (rows.text(i, "frame") == frame && rows.text(i, "pattern") == pattern && std::isfinite(all))
        end = std::max(end, all);
    }
    return end;
  };
  std::string shown;  // where the pattern matters most
  double most = -1;
  for (const std::string& frame : rows.texts("frame")) {
    const double ratio = end_of(frame, "diagonal") / std::max(end_of(frame, "van-der-corput"), 1e-9);
    if (ratio > most) shown = frame, most = ratio;
  }
  PatternFigure result;
  app::Figure figure{.columns = 4, .width = 1240, .chart_height = 360};
  for (const char* measure : kMeasures) {
    for (const char* pattern : {"diagonal", "van-der-corput"}) {
      Chart chart{.title = fmt::format("{}, {}", name_of_pattern(pattern), measure),
                  .x = {.label = measure == kMeasures[0] ? "processor per rasterizer" : "block that ran"},
                  .y = {.label = "ms", .from = 0}};
      for (size_t i = 0; i < rows.size(); ++i) {
        if (rows.text(i, "frame") != shown || rows.text(i, "pattern") != pattern) continue;
        double at = 0;
        for (const Stage& stage : kStages) {
          const double part = ms(i, measure, stage);
          if (!std::isfinite(part)) continue;
          chart.bars.push_back({rows.number(i, "block"), 0.8, at, at + part, stage.color});
          at += part;
        }
      }
      figure.charts.push_back(std::move(chart));
    }
    TextTable table{fmt::format("Fig. 7.13, {}: 20 rasterizers, bins of 64²", measure),
                    {"frame", "pattern", "ms", "raster", "geometry", "idle"},
                    {}};
    for (const std::string& frame : rows.texts("frame")) {
      for (const std::string& pattern : rows.texts("pattern")) {
        std::array<double, 3> sums{};
        int blocks = 0;
        for (size_t i = 0; i < rows.size(); ++i) {
          if (rows.text(i, "frame") != frame || rows.text(i, "pattern") != pattern) continue;
          if (!std::isfinite(ms(i, measure, kStages[0]))) continue;
          for (size_t s = 0; s < sums.size(); ++s) sums[s] += ms(i, measure, kStages[s]);
          ++blocks;
        }
        const double all = sums[0] + sums[1] + sums[2];
        if (blocks == 0 || !(all > 0)) continue;
        table.rows.push_back({frame, name_of_pattern(pattern), fmt::format("{:.1f}", all / blocks)});
        for (const double sum : sums) table.rows.back().push_back(fmt::format("{:.1f} %", 100 * sum / all));
      }
    }
    result.tables.push_back(std::move(table));
  }
  for (const Stage& stage : kStages) figure.legend.emplace_back(stage.name, stage.color);
  figure.title = shown;
  result.figure = std::move(figure);
  return result;
}

PatternFigure figure_of_cost(const PatternRows& rows) {
  const std::vector<std::string> frames = rows.texts("frame");
  std::vector<double> bins = rows.numbers("bin");
  std::ranges::sort(bins);
  // Geometric mean over frames of `value(row)`, at a bin.
  const auto mean_at = [&](double bin, const auto& is_of, const auto& value) {
    std::vector<double> values;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows.number(i, "bin") == bin && is_of(i)) values.push_back(value(i));
    }
    return geometric_mean(values);
  };
  const app::Axis sizes{.label = "bin size in pixels", .scale = AxisScale::log2, .ticks = ticks_at(bins)};
  Chart pairs{.title = "(triangle, rasterizer) pairs", .x = sizes, .y = {.label = "pairs per triangle", .from = 0}};
  Chart traffic{.title = "queue traffic", .x = sizes, .y = {.label = "bytes per triangle", .from = 0}};
  Chart work{.title = "work of all blocks, one colour", .x = sizes, .y = {.label = "in units of 64² bins", .from = 0}};
  Chart time{.title = "time of a frame on this computer",
             .x = sizes,
             .y = {.label = "in units of 64² bins", .from = 0},
             .has_legend = true};
  std::vector<double> counts = rows.numbers("asked");
  std::erase(counts, 0.0);
  for (size_t k = 0; k < counts.size(); ++k) {
    const auto is_of = [&](size_t i) {
      return rows.text(i, "shading") == "flat" && rows.number(i, "asked") == counts[k];
    };
    const std::string color = color_between(double(k) / double(std::max<size_t>(counts.size() - 1, 1)));
    const auto per_triangle = [&](const char* column) {
      return [&rows, column](size_t i) { return rows.number(i, column) / rows.number(i, "triangles"); };
    };
    const auto all_work = [&](size_t i) { return rows.number(i, "raster_ms") + rows.number(i, "geometry_ms"); };
    Curve a{fmt::format("{:g} rasterizers", counts[k]), color, {}, true, true};
    Curve b = a, c = a;
    for (const double bin : bins) {
      a.points.push_back({bin, mean_at(bin, is_of, per_triangle("rasterizer_pairs"))});
      b.points.push_back({bin, mean_at(bin, is_of, per_triangle("queue_bytes"))});
      c.points.push_back({bin, mean_at(bin, is_of, all_work) / mean_at(64, is_of, all_work)});
    }
    pairs.curves.push_back(std::move(a));
    traffic.curves.push_back(std::move(b));
    work.curves.push_back(std::move(c));
  }
  for (const char* shading : {"flat", "multiply-add"}) {
    const auto is_of = [&](size_t i) {
      return rows.text(i, "shading") == shading && rows.number(i, "asked") == 0 &&
             rows.text(i, "pattern") == "van-der-corput";
    };
    const auto frame_ms = [&](size_t i) { return rows.number(i, "frame_ms"); };
    Curve curve{shading, *shading == 'f' ? "#6a0dad" : "#f3722c", {}, true, true, *shading != 'f'};
    for (const double bin : bins)
      curve.points.push_back({bin, mean_at(bin, is_of, frame_ms) / mean_at(64, is_of, frame_ms)});
    time.curves.push_back(std::move(curve));
  }
  app::Figure figure{.columns = 2, .chart_height = 340};
  figure.legend = app::legend_of({pairs});
  figure.charts = {std::move(pairs), std::move(traffic), std::move(work), std::move(time)};
  return {std::move(figure), {}};
}

PatternFigure figure_of_recommend(const PatternRows& rows) {
  constexpr double kBest = 3;
  TextTable table{"The best three for every machine (default: Van der Corput, 64²)",
                  {"machine", "shading", "rank", "bin", "pattern", "measured ms", "measured ms, default",
                   "simulated ms", "simulated ms, default", "times as fast"},
                  {}};
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows.number(i, "rank") > kBest) continue;
    std::vector<std::string> cells = {rows.text(i, "machine"), rows.text(i, "shading"), rows.text(i, "rank"),
                                      rows.text(i, "bin"), name_of_pattern(rows.text(i, "pattern"))};
    for (const char* column : {"measured_ms", "measured_default_ms", "simulated_ms", "simulated_default_ms", "gain"}) {
      const double value = rows.number(i, column);
      cells.push_back(std::isfinite(value) ? fmt::format("{:.2f}", value) : "");
    }
    table.rows.push_back(std::move(cells));
  }
  return {std::nullopt, {table}};
}

}  // namespace brokkr::lab
