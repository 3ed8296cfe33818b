#include "lab/pattern_pipeline.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace brokkr::lab {
namespace {

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
