// The lab's experiments in the pipeline: [Kerbl17, 5], and the cost of small bins.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "lab/pattern_lab.h"
#include "log/frame_statistics.h"

namespace brokkr::lab {
namespace {

constexpr int kTableRasterizers[] = {6, 20, 60, 132, 264};
constexpr int kTableBins[] = {16, 64};
constexpr int kCostBins[] = {8, 16, 32, 64, 128, 256};
constexpr int kBlocks = 20;  // as many as [Kerbl18, Fig. 7.13] shows

const char* order_name(OrderMode order) { return order == OrderMode::strict ? "forward" : "visible"; }

}  // namespace

RenderOptions PatternLab::pipeline_options(Shading shading, OrderMode order, int bin) const {
  RenderOptions o = options_.render;
  o.shading = shading;
  o.order = order;
  o.bin = bin;
  o.frame_budget_ms = 0;
  return o;
}

// The patterns of [Kerbl17, Table 2], and the pattern that was searched without this frame's application, where there
// is one.
std::vector<Contender> PatternLab::contenders(const LabFrame& frame, int rasterizers, int bin) {
  std::vector<Contender> all;
  for (const PatternKind kind :
       {PatternKind::diagonal, PatternKind::hilbert, PatternKind::hierarchical_maximized_distance,
        PatternKind::x_shift_offset, PatternKind::van_der_corput})
    all.push_back({name_of(kind), kind});
  const std::filesystem::path path = searched_file(rasterizers, bin, frame.group);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored))
    all.push_back({"searched", std::make_shared<const SavedPattern>(load_pattern(path))});
  return all;
}

Rows PatternLab::pipeline(LabFrame& frame, OrderMode order) {
  std::vector<RenderOptions> settings;
  std::vector<std::string> names;
  for (const int rasterizers : kTableRasterizers) {
    for (const int bin : kTableBins) {
      for (const Contender& c : contenders(frame, rasterizers, bin)) {
        RenderOptions o = pipeline_options(Shading::multiply_add, order, bin);
        set_pattern(c, rasterizers, o);
        settings.push_back(o);
        names.push_back(c.name);
      }
    }
  }
  const int runs = options_.quick ? 2 : 5;
  const size_t launches = settings.size() * size_t(runs);
  const std::vector<RasterizerWork> all = measure_work(
      renderer_, *frame.prepared, settings, runs, [&](size_t i) { say("launches", double(i) / double(launches)); });
  Rows rows;
  for (size_t i = 0; i < all.size(); ++i) {
    const RasterizerWork& w = all[i];
    const Statistics& s = w.statistics;
    const BinLoads bins = bin_loads(frame.maps.front(), s.bin);
    const PatternLoad map =
        saved_pattern(settings[i].pattern) != nullptr
            ? pattern_load(saved_pattern(settings[i].pattern)->pattern, bins)
            : pattern_load(*book_.get(std::get<PatternKind>(settings[i].pattern), s.rasterizers, bins.x, bins.y, 1),
                           bins);
    const LoadStatistics counted = load_statistics(s.rasterizer_fragments);
    // On a GPU a block runs for every rasterizer; the CPU has too few cores, and the longest one is simulated time.
    const double time = s.machine == "cuda" ? w.frame_ms : w.critical();
    rows.push_back(row(frame.name, order_name(order), s.machine, s.rasterizers, s.bin, names[i], time, w.critical(),
                       w.total(), w.geometry_ms, w.frame_ms, counted.most, counted.total, w.cv(), counted.cv, map.cv,
                       map.imbalance));
  }
  return rows;
}

Rows PatternLab::blocks(LabFrame& frame) {
  std::vector<RenderOptions> settings;
  const std::vector<Contender> all = contenders(frame, kBlocks, 64);
  for (const Contender& c : all) {
    RenderOptions o = pipeline_options(Shading::multiply_add, OrderMode::strict, 64);
    o.ownership = Ownership::fixed;
    set_pattern(c, kBlocks, o);
    settings.push_back(o);
  }
  const int runs = options_.quick ? 2 : 5;
  const std::vector<RasterizerWork> works = measure_work(renderer_, *frame.prepared, settings, runs, [&](size_t i) {
    say("launches", double(i) / double(runs) / double(settings.size()));
  });
  Rows rows;
  for (size_t i = 0; i < works.size(); ++i) {
    int block = 0;
    const auto add = [&](const char* kind, double geometry, double raster, double idle) {
      rows.push_back(row(frame.name, all[i].name, kBlocks, 64, kind, block++, geometry, raster, idle));
    };
    for (const BlockShare& b : simulated_blocks(works[i].ms, works[i].geometry_ms))
      add("simulated", b.geometry_ms, b.raster_ms, b.idle_ms);
    block = 0;
    for (const BlockTime& b : works[i].statistics.block_times)
      add("measured", b.ms[size_t(Stage::geometry)], b.ms[size_t(Stage::rasterize)], b.ms[size_t(Stage::idle)]);
  }
  return rows;
}

Rows PatternLab::cost(LabFrame& frame, Shading shading) {
  struct Setting {
    std::string pattern;
    int asked = 0;
    RenderOptions options;
    std::vector<double> frame_ms;
    RasterizerWork least;
  };
  std::vector<Setting> settings;
  for (const int bin : kCostBins) {
    const RenderOptions base = pipeline_options(shading, OrderMode::automatic, bin);
    for (const int rasterizers : kTableRasterizers) {
      Setting s{"van-der-corput", rasterizers, base, {}, {}};
      set_pattern({"", PatternKind::van_der_corput}, rasterizers, s.options);
      settings.push_back(s);
    }
    // This computer as it is used: any block works for any rasterizer, their number is the pipeline's choice.
    for (const Contender& c : contenders(frame, 0, bin)) {
      Setting s{c.name, 0, base, {}, {}};
      set_pattern(c, 0, s.options);
      settings.push_back(s);
    }
  }
  // A launch that is timed as a whole runs without a trace.
  const auto launch = [&](const RenderOptions& o, bool whole) {
    if (!whole) return std::move(measure_work(renderer_, *frame.prepared, std::span(&o, 1), 1, [](size_t) {})[0]);
    RasterizerWork w;
    w.statistics = renderer_.render(*frame.prepared, o, false).statistics;
    w.frame_ms = w.statistics.launch_ms;
    w.ms.assign(1, 0.0);
    for (const BlockTime& b : w.statistics.block_times) {
      w.geometry_ms += b.ms[size_t(Stage::geometry)];
      w.ms[0] += b.ms[size_t(Stage::rasterize)];
    }
    return w;
  };
  const int runs = options_.quick ? (shading == Shading::flat ? 3 : 2) : 7;
  for (int run = 0; run < runs; ++run) {
    for (size_t i = 0; i < settings.size(); ++i) {
      Setting& s = settings[i];
      say("launches", (double(i) / double(settings.size()) + run) / runs);
      RasterizerWork w = launch(s.options, s.asked == 0);
      s.frame_ms.push_back(w.frame_ms);
      if (run == 0)
        s.least = std::move(w);
      else
        take_least(s.least, std::move(w));
    }
  }
  Rows rows;
  for (const Setting& setting : settings) {
    const RasterizerWork& w = setting.least;
    const Statistics& s = w.statistics;
    rows.push_back(row(frame.name, name_of(shading), s.machine, s.bin, s.rasterizers, setting.asked, setting.pattern,
                       s.triangles_out, s.triangle_rasterizer_pairs, s.triangle_bin_pairs, s.queue_elements,
                       8 * s.queue_elements, s.queue_peak, s.visits, w.geometry_ms, w.total(),
                       setting.asked > 0 ? w.critical() : NAN, median(setting.frame_ms)));
  }
  return rows;
}

// For two kinds of machine. This computer: the times that were measured with the rasterizers that the pipeline chose. A
// machine with a processor per rasterizer, static: the work that was measured at that bin size, shared out as the
// pattern shares out the frame's fragments.
Rows PatternLab::recommend() {
  enum Column {
    kFrame,
    kShading,
    kMachine,
    kBin,
    kRasterizers,
    kAsked,
    kPattern,
    kGeometry = 14,
    kRaster = 15,
    kTime = 17
  };
  const Rows costs = run("cost");
  using Choice = std::pair<int, std::string>;                                                   // bin, pattern
  std::map<std::pair<std::string, std::string>, std::map<Choice, std::vector<double>>> log_ms;  // machine, shading
  for (const auto& frame : frames_) {
    std::map<int, BinLoads> grids;
    for (const int bin : kCostBins) grids.emplace(bin, bin_loads(frame->maps.front(), bin));
    for (const Row& r : costs) {
      if (r[kFrame] != frame->name) continue;
      const int bin = std::stoi(r[kBin]), asked = std::stoi(r[kAsked]);
      if (asked == 0) {
        log_ms[{"this computer", r[kShading]}][{bin, r[kPattern]}].push_back(std::log(std::stod(r[kTime])));
        continue;
      }
      const double geometry = std::stod(r[kGeometry]), raster = std::stod(r[kRaster]);
      auto& choices = log_ms[{std::to_string(asked) + " rasterizers", r[kShading]}];
      const BinLoads& grid = grids.at(bin);
      const auto add = [&](const std::string& name, const PatternLoad& l) {
        choices[{bin, name}].push_back(std::log((geometry + raster * l.imbalance) / asked));
      };
      for (const auto& info : Choices<PatternKind>::all)
        add(info.name, pattern_load(book_, info.value, asked, grid, options_.seed, 2));
      const std::filesystem::path path = searched_file(asked, bin, frame->group);
      std::error_code ignored;
      if (std::filesystem::exists(path, ignored)) add("searched", pattern_load(load_pattern(path).pattern, grid));
    }
  }
  Rows rows;
  for (const auto& [machine, choices] : log_ms) {
    std::vector<std::pair<double, Choice>> ranked;
    for (const auto& [choice, values] : choices) {
      if (values.size() != frames_.size()) continue;  // measured for every frame only
      ranked.emplace_back(std::exp(std::accumulate(values.begin(), values.end(), 0.0) / double(values.size())), choice);
    }
    std::sort(ranked.begin(), ranked.end());
    const auto usual = std::find_if(ranked.begin(), ranked.end(), [](const auto& r) {
      return r.second == Choice{64, "van-der-corput"};
    });
    for (size_t i = 0; i < ranked.size(); ++i) {
      const auto& [ms, choice] = ranked[i];
      rows.push_back(
          row(machine.first, machine.second, i + 1, choice.first, choice.second, ms, usual->first, usual->first / ms));
    }
  }
  return rows;
}

}  // namespace brokkr::lab
