#include "lab/pattern_measures.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace brokkr::lab {
namespace {

// Returns true if the pattern's table depends on a seed; experiments then average over several seeds.
bool is_random(const PatternChoice& choice) {
  const auto* kind = std::get_if<PatternKind>(&choice);
  return kind != nullptr && (*kind == PatternKind::pseudo_random ||
                             *kind == PatternKind::hierarchical_maximized_distance || *kind == PatternKind::sudoku);
}

RasterizerWork work_of(Statistics statistics) {
  RasterizerWork work;
  work.frame_ms = {statistics.launch_ms};
  const bool whole = statistics.trace.empty();
  work.ms.assign(whole ? 1 : size_t(statistics.rasterizers), 0.0);
  for (const TraceEvent& e : statistics.trace) {
    const double ms = (e.end_us - e.begin_us) * 1e-3;
    if (Stage(e.stage) == Stage::geometry) work.geometry_ms += ms;
    if (Stage(e.stage) == Stage::rasterize && e.argument < work.ms.size()) work.ms[e.argument] += ms;
  }
  for (const BlockTime& b : statistics.block_times) {
    if (!whole) break;
    work.geometry_ms += b.ms[size_t(Stage::geometry)];
    work.ms[0] += b.ms[size_t(Stage::rasterize)];
  }
  statistics.trace.clear();
  work.statistics = std::move(statistics);
  return work;
}

}  // namespace

double deviation(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / double(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / double(values.size()));
}

FragmentMap make_map(std::string name, int width, int height, std::vector<uint32_t> count) {
  if (width < 1 || height < 1 || count.size() != size_t(width) * size_t(height)) {
    throw std::invalid_argument("fragment map " + name + ": " + std::to_string(count.size()) + " counts for " +
                                std::to_string(width) + "x" + std::to_string(height) + " pixels");
  }
  FragmentMap map{std::move(name), width, height, std::move(count), 0, 0};
  map.hash = 14695981039346656037u;  // FNV-1a
  const auto add = [&](uint64_t value) { map.hash = (map.hash ^ value) * 1099511628211u; };
  add(uint64_t(width));
  add(uint64_t(height));
  for (const uint32_t c : map.count) {
    map.total += c;
    add(c);
  }
  return map;
}

std::vector<FragmentMap> render_maps(Renderer& renderer, PreparedFrame& prepared, const Frame& frame,
                                     const std::string& name, RenderOptions options) {
  options.shading = Shading::overdraw;
  options.hierarchical_depth = false;
  options.frame_budget_ms = 0;
  RenderResult result = renderer.render(prepared, options);
  std::vector<Layer>& layers = result.targets[main_target(frame)].layers;
  std::vector<FragmentMap> maps;
  for (size_t i = 0; i < layers.size(); ++i) {
    FragmentMap map = make_map(layers.size() == 1 ? name : name + "." + std::to_string(i), layers[i].width,
                               layers[i].height, std::move(layers[i].overdraw));
    if (map.total > 0) maps.push_back(std::move(map));
  }
  return maps;
}

BinLoads bin_loads(const FragmentMap& map, int bin) {
  BinLoads bins;
  bins.bin = bin;
  bins.x = (map.width + bin - 1) / bin;
  bins.y = (map.height + bin - 1) / bin;
  bins.load.assign(size_t(bins.x) * size_t(bins.y), 0);
  for (int y = 0; y < map.height; ++y) {
    const uint32_t* row = map.count.data() + size_t(y) * size_t(map.width);
    uint64_t* out = bins.load.data() + size_t(y / bin) * size_t(bins.x);
    for (int x0 = 0; x0 < map.width; x0 += bin) {
      const int x1 = std::min(x0 + bin, map.width);
      uint64_t sum = 0;
      for (int x = x0; x < x1; ++x) sum += row[x];
      *out++ += sum;
    }
  }
  return bins;
}

std::shared_ptr<const Pattern> PatternBook::get(const PatternChoice& choice, int rasterizers, int x, int y,
                                                uint32_t seed) {
  const auto* kind = std::get_if<PatternKind>(&choice);
  if (kind == nullptr || *kind == PatternKind::z_curve || *kind == PatternKind::hilbert ||
      *kind == PatternKind::pseudo_random)
    return std::make_shared<const Pattern>(make_pattern(choice, rasterizers, x, y, seed));
  const Key key{*kind, rasterizers, is_random(choice) ? seed : 0};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  auto made = std::make_shared<const Pattern>(make_pattern(choice, rasterizers, x, y, seed));
  const std::lock_guard lock(mutex_);
  return known_.emplace(key, std::move(made)).first->second;
}

LoadStatistics pattern_load(PatternBook& book, const PatternChoice& choice, int rasterizers, const BinLoads& bins,
                            uint32_t seed, int seeds) {
  const int draws = is_random(choice) ? seeds : 1;
  LoadStatistics sum;
  sum.imbalance = 0;
  for (int i = 0; i < draws; ++i) {
    const LoadStatistics one = pattern_load(*book.get(choice, rasterizers, bins.x, bins.y, seed + uint32_t(i)), bins);
    sum.mean += one.mean / draws;
    sum.deviation += one.deviation / draws;
    sum.cv += one.cv / draws;
    sum.imbalance += one.imbalance / draws;
  }
  return sum;
}

std::vector<SpacingStep> spacing_steps(const FragmentMap& map, int bin) {
  const BinLoads bins = bin_loads(map, bin);
  const int wide = map.width / bin / 2, high = map.height / bin / 2;  // number of groups
  std::vector<SpacingStep> steps;
  if (wide < 1 || high < 1) return steps;
  for (int i = 0; i == 0 || (2 * i + 2) * bin * 2 <= map.height; ++i) {
    std::vector<double> load(size_t(wide) * size_t(high), 0.0);
    for (int y = 0; y < 2 * high; ++y) {
      for (int x = 0; x < 2 * wide; ++x) {
        // Bins of odd columns and rows were moved: they belong to the group i places back.
        const int group_x = x % 2 == 0 ? x / 2 : ((x / 2 - i) % wide + wide) % wide;
        const int group_y = y % 2 == 0 ? y / 2 : ((y / 2 - i) % high + high) % high;
        load[size_t(group_y) * size_t(wide) + size_t(group_x)] +=
            double(bins.load[size_t(y) * size_t(bins.x) + size_t(x)]);
      }
    }
    const double sigma = deviation(load);
    steps.push_back({2 * i, sigma, i == 0 ? sigma : steps.front().sigma});
  }
  return steps;
}

double orientation_sigma(const FragmentMap& map, int samples, int angle, int row_step) {
  const int half = samples / 2;
  const int first_x = half, last_x = map.width - half, first_y = half, last_y = map.height - half;
  if (first_x >= last_x || first_y >= last_y || map.total == 0) return 0;
  // Bresenham's line: one step along the major axis, the nearest pixel across it.
  const double radians = angle * std::numbers::pi / 180, sx = std::sin(radians), sy = std::cos(radians);
  const bool along_x = std::abs(sx) >= std::abs(sy);
  std::vector<std::ptrdiff_t> offset;
  for (int i = -half; i < samples - half; ++i) {
    const int across = std::min(int(std::floor(i * (along_x ? sy / sx : sx / sy) + 0.5)), samples - half - 1);
    const int dx = along_x ? i : across, dy = along_x ? across : i;
    offset.push_back(std::ptrdiff_t(dy) * map.width + dx);
  }
  const size_t width = size_t(last_x - first_x);
  std::vector<uint32_t> sum(width);
  double total = 0, squares = 0, count = 0;
  const double mean = map.mean() * samples;  // subtracted first, because the squares would cancel
  for (int y = first_y; y < last_y; y += row_step) {
    std::fill(sum.begin(), sum.end(), 0u);
    const uint32_t* row = map.count.data() + size_t(y) * size_t(map.width) + size_t(first_x);
    for (const std::ptrdiff_t o : offset) {
      const uint32_t* from = row + o;
      for (size_t x = 0; x < width; ++x) sum[x] += from[x];
    }
    for (const uint32_t s : sum) {
      const double d = double(s) - mean;
      total += d;
      squares += d * d;
    }
    count += double(width);
  }
  return std::sqrt(std::max(0.0, squares / count - (total / count) * (total / count))) / mean;
}

double RasterizerWork::total() const { return std::accumulate(ms.begin(), ms.end(), 0.0); }
double RasterizerWork::critical() const { return ms.empty() ? 0 : *std::max_element(ms.begin(), ms.end()); }
double RasterizerWork::cv() const { return total() > 0 ? deviation(ms) * double(ms.size()) / total() : 0; }
double RasterizerWork::least_ms() const { return *std::min_element(frame_ms.begin(), frame_ms.end()); }

std::vector<RasterizerWork> measure_work(Renderer& renderer, PreparedFrame& prepared,
                                         std::span<const RenderOptions> settings, int runs,
                                         const std::function<void(size_t)>& launched) {
  std::vector<RasterizerWork> all(settings.size());
  for (int run = 0; run < runs; ++run) {
    for (size_t i = 0; i < settings.size(); ++i) {
      launched(size_t(run) * settings.size() + i);
      RasterizerWork work = work_of(renderer.render(prepared, settings[i], false).statistics);
      RasterizerWork& least = all[i];
      if (run == 0) {
        least = std::move(work);
        continue;
      }
      std::transform(least.ms.begin(), least.ms.end(), work.ms.begin(), least.ms.begin(),
                     [](double a, double b) { return std::min(a, b); });
      least.geometry_ms = std::min(least.geometry_ms, work.geometry_ms);
      least.frame_ms.push_back(work.frame_ms[0]);
    }
  }
  return all;
}

std::vector<BlockShare> simulated_blocks(const std::vector<double>& raster_ms, double geometry_ms) {
  // Geometry goes to the least loaded processors first: find the level up to which it fills them.
  std::vector<double> sorted = raster_ms;
  std::sort(sorted.begin(), sorted.end());
  double level = sorted.empty() ? 0 : sorted.front(), left = geometry_ms;
  for (size_t i = 0; i < sorted.size() && left > 0; ++i) {
    const double next = i + 1 < sorted.size() ? sorted[i + 1] : INFINITY;
    const double step = std::min(left / double(i + 1), next - level);
    level += step;
    left -= step * double(i + 1);
    if (next > level) break;
  }
  const double end = sorted.empty() ? 0 : std::max(level, sorted.back());
  std::vector<BlockShare> blocks;
  for (const double ms : raster_ms) {
    const double geometry = std::max(0.0, level - ms);
    blocks.push_back({ms, geometry, end - ms - geometry});
  }
  return blocks;
}

}  // namespace brokkr::lab
