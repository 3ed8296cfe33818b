#include "brokkr/statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/counted.h"
#include "pipeline/machine_backend.h"

namespace brokkr {
namespace {

using Json = nlohmann::ordered_json;

// Name and value.
#define BROKKR_SCALAR(field) \
  { #field, s.field }
Json scalars(const Statistics& s) {
  return {BROKKR_SCALAR(machine),
          BROKKR_SCALAR(isa),
          BROKKR_SCALAR(pattern),
          BROKKR_SCALAR(kernel),
          BROKKR_SCALAR(workers),
          BROKKR_SCALAR(warps_per_block),
          BROKKR_SCALAR(width),
          BROKKR_SCALAR(rasterizers),
          BROKKR_SCALAR(bin),
          BROKKR_SCALAR(frame_ms),
          BROKKR_SCALAR(launch_ms),
          BROKKR_SCALAR(prepare_ms),
          BROKKR_SCALAR(read_back_ms),
          BROKKR_SCALAR(update_ms),
          BROKKR_SCALAR(upload_ms),
          BROKKR_SCALAR(batches),
          BROKKR_SCALAR(draws),
          BROKKR_SCALAR(phases),
          BROKKR_SCALAR(ordered_phases),
          BROKKR_SCALAR(indices),
          BROKKR_SCALAR(vertex_shader_runs),
          BROKKR_SCALAR(vertex_program_runs),
          BROKKR_SCALAR(vertex_program_draws),
          BROKKR_SCALAR(vertex_prepared_draws),
          BROKKR_SCALAR(vertex_loops_cut),
          BROKKR_SCALAR(asr),
          BROKKR_SCALAR(triangles_in),
          BROKKR_SCALAR(triangles_culled),
          BROKKR_SCALAR(triangles_clipped),
          BROKKR_SCALAR(triangles_out),
          BROKKR_SCALAR(triangles_direct),
          BROKKR_SCALAR(triangle_rasterizer_pairs),
          BROKKR_SCALAR(triangle_bin_pairs),
          BROKKR_SCALAR(queue_elements),
          BROKKR_SCALAR(fragments),
          BROKKR_SCALAR(fragments_shaded),
          BROKKR_SCALAR(quads),
          BROKKR_SCALAR(visits),
          BROKKR_SCALAR(admission_waits),
          BROKKR_SCALAR(queue_peak),
          BROKKR_SCALAR(store_peak),
          BROKKR_SCALAR(spins),
          BROKKR_SCALAR(loops_cut),
          BROKKR_SCALAR(store_bytes),
          BROKKR_SCALAR(target_bytes),
          BROKKR_SCALAR(frame_bytes),
          BROKKR_SCALAR(upload_bytes),
          BROKKR_SCALAR(download_bytes),
          BROKKR_SCALAR(load_cv),
          BROKKR_SCALAR(discard_unknown_triangles),
          BROKKR_SCALAR(program_draws),
          BROKKR_SCALAR(false_color_draws)};
}
#undef BROKKR_SCALAR

void fill_counters(const uint64_t* counters, Statistics& s) {
#define BROKKR_COUNTER(name) s.name = counters[int(Counter::name)];
  BROKKR_COUNTERS(BROKKR_COUNTER)
#undef BROKKR_COUNTER
  s.indices = s.triangles_in * 3;
  s.asr = s.triangles_in > 0 ? double(s.vertex_shader_runs) / double(s.triangles_in) : 0;
}

// The coefficient of variation; 0 if all numbers are 0.
double variation_of(const std::vector<uint64_t>& numbers) {
  double sum = 0, squares = 0;
  for (const uint64_t n : numbers) {
    sum += double(n);
    squares += double(n) * double(n);
  }
  const auto count = double(numbers.size());
  const double mean = sum / count;
  return mean > 0 ? std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean : 0;
}

void fill_loads(const TargetPlan& plan, const TargetRecord& main, const LaunchCounts& counts, Statistics& s) {
  s.rasterizer_fragments.resize(size_t(plan.rasterizers));
  for (size_t i = 0; i < s.rasterizer_fragments.size(); ++i) {
    uint64_t n = 0;
    for (uint32_t own = plan.first_region_of_owner[i]; own < plan.first_region_of_owner[i + 1]; ++own)
      n += counts.region_fragments[plan.regions_by_owner[own].number];
    s.rasterizer_fragments[i] = n;
  }
  s.load_cv = variation_of(s.rasterizer_fragments);

  s.bins_x = int(main.bins_x);
  s.bins_y = int(main.bins_y);
  s.bin_fragments.assign(size_t(main.bins_x) * main.bins_y, 0);
  const uint32_t per_bin = uint32_t(plan.bin / plan.region);
  uint32_t region = main.first_region;
  for (uint32_t l = 0; l < main.layers * main.samples; ++l) {
    for (uint32_t y = 0; y < main.regions_y; ++y) {
      for (uint32_t x = 0; x < main.regions_x; ++x)
        s.bin_fragments[size_t(y / per_bin) * main.bins_x + x / per_bin] += counts.region_fragments[region++];
    }
  }
}

void fill_programs(const ProgramDraws& programs, Statistics& s) {
  s.program_draws = programs.draws();
  s.shader_work.translate_ms = programs.translate_ms();
  for (const auto& [number, shown] : programs.false_colors()) {
    s.false_color_draws += shown.draws;
    s.false_colors.push_back(fmt::format("program {}: {} ({})", number, shown.reason, counted(shown.draws, "draw")));
  }
}

// The time of a trace starts with the first block.
void fill_times(size_t blocks, const LaunchCounts& counts, Statistics& s) {
  uint64_t start_ns = ~uint64_t(0);
  for (size_t b = 0; b < blocks; ++b) {
    BlockTime time;
    for (size_t i = 0; i < size_t(Stage::count); ++i)
      time.ms[i] = double(counts.stage_ns[b * size_t(Stage::count) + i]) * 1e-6;
    s.block_times.push_back(time);
    if (counts.trace != nullptr && counts.trace_count[b] > 0)
      start_ns = std::min(start_ns, counts.trace[b * counts.trace_stride].begin_ns);
  }
  for (size_t b = 0; counts.trace != nullptr && b < blocks; ++b) {
    for (size_t i = 0; i < counts.trace_count[b]; ++i) {
      const TraceRecord& t = counts.trace[b * counts.trace_stride + i];
      s.trace.push_back({uint32_t(b), uint8_t(t.stage), t.argument, double(t.begin_ns - start_ns) * 1e-3,
                         double(t.end_ns - start_ns) * 1e-3});
    }
  }
}

}  // namespace

std::string Statistics::to_json() const {
  Json j = scalars(*this);
  j["false_colors"] = false_colors;
  j["shaders"] = shaders;
  j["shaders_problem"] = shaders_problem;
  j["shader_work"] = {{"translate_ms", shader_work.translate_ms},
                      {"cache_ms", shader_work.cache_ms},
                      {"compile_ms", shader_work.compile_ms},
                      {"compiled", shader_work.compiled},
                      {"cached", shader_work.cached}};
  j["rasterizer_fragments"] = rasterizer_fragments;
  j["bins_x"] = bins_x;
  j["bins_y"] = bins_y;
  j["bin_fragments"] = bin_fragments;
  for (const BlockTime& b : block_times) {
    Json block;
    for (size_t i = 0; i < size_t(Stage::count); ++i) block[kStageNames[i]] = b.ms[i];
    j["block_ms"].push_back(block);
  }
  return j.dump(2) + "\n";
}

std::string Statistics::to_csv() const {
  const Json j = scalars(*this);
  std::ostringstream names, values;
  for (const auto& [name, value] : j.items()) {
    names << (names.tellp() > 0 ? "," : "") << name;
    values << (values.tellp() > 0 ? "," : "") << (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return names.str() + "\n" + values.str() + "\n";
}

std::string Statistics::to_chrome_trace() const {
  Json events = Json::array();
  for (const TraceEvent& e : trace) {
    const char* argument = Stage(e.stage) == Stage::geometry ? "task" : "rasterizer";
    events.push_back({{"name", kStageNames[e.stage]},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", e.block},
                      {"ts", e.begin_us},
                      {"dur", e.end_us - e.begin_us},
                      {"args", {{argument, e.argument}}}});
  }
  return Json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump() + "\n";
}

void add_launch(const Statistics& launch, Statistics& sums) {
  const uint64_t queue_peak = sums.queue_peak, store_peak = sums.store_peak;
#define BROKKR_COUNTER(name) sums.name += launch.name;
  BROKKR_COUNTERS(BROKKR_COUNTER)
#undef BROKKR_COUNTER
  sums.queue_peak = std::max(queue_peak, launch.queue_peak);
  sums.store_peak = std::max(store_peak, launch.store_peak);
  sums.indices += launch.indices;
  sums.asr = sums.triangles_in > 0 ? double(sums.vertex_shader_runs) / double(sums.triangles_in) : 0;
  for (const auto time : {&Statistics::frame_ms, &Statistics::launch_ms, &Statistics::upload_ms,
                          &Statistics::read_back_ms, &Statistics::update_ms})
    sums.*time += launch.*time;
  const auto add = [](std::vector<uint64_t>& all, const std::vector<uint64_t>& counts) {
    for (size_t i = 0; i < all.size() && i < counts.size(); ++i) all[i] += counts[i];
  };
  add(sums.rasterizer_fragments, launch.rasterizer_fragments);
  add(sums.bin_fragments, launch.bin_fragments);
  sums.load_cv = variation_of(sums.rasterizer_fragments);
  for (size_t b = 0; b < sums.block_times.size() && b < launch.block_times.size(); ++b) {
    for (size_t i = 0; i < size_t(Stage::count); ++i) sums.block_times[b].ms[i] += launch.block_times[b].ms[i];
  }
}

void fill_statistics(const PreparedFrame::Impl& frame, const LaunchPlan& plan, const LaunchCounts& counts,
                     Statistics& s) {
  s.pattern = plan.targets->pattern;
  s.workers = plan.shape.blocks;
  s.warps_per_block = plan.shape.warps;
  s.width = plan.shape.width;
  s.rasterizers = plan.targets->rasterizers;
  s.bin = plan.targets->bin;
  s.prepare_ms = frame.prepare_ms;
  s.draws = plan.draws->draws.size();
  s.phases = plan.draws->phases.size();
  s.ordered_phases = plan.draws->ordered_phases;
  s.frame_bytes = frame.bytes(*plan.draws);
  s.discard_unknown_triangles = frame.discard_unknown_triangles;
  if (plan.draws->vertices) {
    s.vertex_program_draws = frame.vertices.draws();
    s.vertex_prepared_draws = frame.vertices.prepared_draws();
  }
  if (plan.draws->programs) fill_programs(frame.programs, s);
  if (plan.draws->programs) s.discard_unknown_triangles -= frame.discard_known_triangles;
  fill_counters(counts.counters, s);
  fill_loads(*plan.targets, plan.targets->targets[frame.main_target], counts, s);
  fill_times(size_t(plan.shape.blocks), counts, s);
}

}  // namespace brokkr
