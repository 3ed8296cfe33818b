#include "lab/pattern_partition.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <span>

#include "base/loading.h"
#include "base/processors.h"
#include "plan/expand.h"

namespace brokkr::lab {
namespace {

// Each number divides the last one, so that batches of the finest partition add up to batches of all others.
constexpr uint64_t kPartitions[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};

// Adds up the loads of neighbouring batches.
BatchLoad sum_of(std::span<const BatchLoad> all) {
  std::map<uint32_t, uint32_t> sum;
  for (const BatchLoad& batch : all) {
    for (const auto& [bin, fragments] : batch) sum[bin] += fragments;
  }
  return {sum.begin(), sum.end()};
}

// Renders triangles first .. last - 1 and counts their fragments.
BatchLoad render_batch(Renderer& renderer, const TriangleStream& stream, uint64_t first, uint64_t last) {
  BatchLoad load;
  if (first >= last) return load;
  const Frame frame = stream.slice(first, last);
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.machine = MachineKind::cpu;  // counts are the same on every machine
  options.workers = 1;
  options.rasterizers = 1;
  options.bin = kPartitionBin;
  options.shading = Shading::flat;
  options.order = OrderMode::strict;
  options.hierarchical_depth = false;
  options.store_blocks = 1024;  // the same for every launch, so that memory is reused
  const Statistics s = renderer.render(prepared, options, false).statistics;
  for (size_t i = 0; i < s.bin_fragments.size(); ++i) {
    if (s.bin_fragments[i] > 0) load.emplace_back(uint32_t(i), uint32_t(s.bin_fragments[i]));
  }
  return load;
}

}  // namespace

TriangleStream::TriangleStream(const Frame& frame) : frame_(frame), target_(main_target(frame)) {
  const LoadOptions standard;
  Loading loading(standard);
  for (size_t c = 0; c < frame.commands.size(); ++c) {
    const auto* draw = std::get_if<DrawCommand>(&frame.commands[c]);
    if (draw == nullptr) continue;
    ExpandedDraw expanded = expand(frame, *draw, frame.states[draw->state], c, loading);
    const uint64_t each = expanded.indices.size() / 3;
    if (each == 0) continue;
    const uint32_t instances = expanded.positions.empty() ? draw->instances : 1;
    bool used = false;
    for (uint32_t view = draw->first_view; view < draw->first_view + draw->view_count; ++view) {
      if (frame.views[view].target != target_) continue;
      for (uint32_t i = 0; i < instances; ++i) {
        parts_.push_back({draws_.size(), view, i, triangles_});
        triangles_ += each;
        used = true;
      }
    }
    if (used) draws_.push_back({c, std::move(expanded.indices), std::move(expanded.positions)});
  }
}

void TriangleStream::append(Frame& out, const Part& part, uint64_t first, uint64_t last) const {
  const Draw& draw = draws_[part.draw];
  const DrawCommand& from = std::get<DrawCommand>(frame_.commands[draw.command]);
  const bool has_positions = !draw.positions.empty(), moved = from.vertex_kind == VertexKind::transform;
  DrawCommand d = from;
  d.first_view = uint32_t(out.views.size());
  d.view_count = d.instances = 1;
  d.topology = Topology::triangles;
  d.indexed = d.restart = false;
  d.first_index = 0;
  d.material = 0;
  d.inputs = d.vertices = -1;  // shaded flat, at the computed positions
  d.label.clear();
  d.first_vertex = out.positions.size();
  d.vertex_count = d.element_count = uint32_t(3 * (last - first));
  const glm::vec4* vertices = has_positions ? draw.positions.data()
                                            : frame_.positions.data() + from.first_vertex +
                                                  (moved ? 0 : size_t(part.instance) * from.vertex_count);
  for (uint64_t i = 3 * first; i < 3 * last; ++i) out.positions.push_back(vertices[draw.indices[size_t(i)]]);
  if (moved) {
    d.first_instance = uint32_t(out.models.size());
    out.models.push_back(frame_.models[from.first_instance + part.instance]);
  }
  State state = frame_.states[from.state];
  state.polygon_mode = PolygonMode::fill;
  if (has_positions) state.cull = CullMode::none;
  d.state = uint32_t(out.states.size());
  out.states.push_back(state);
  View view = frame_.views[part.view];
  view.target = 0;
  out.views.push_back(view);
  out.commands.emplace_back(std::move(d));
}

Frame TriangleStream::slice(uint64_t first, uint64_t last) const {
  Frame out;
  out.targets = {frame_.targets[target_]};
  out.materials.resize(1);
  out.window_width = frame_.window_width;
  out.window_height = frame_.window_height;
  auto part =
      std::upper_bound(parts_.begin(), parts_.end(), first, [](uint64_t t, const Part& p) { return t < p.first; });
  if (part != parts_.begin()) --part;
  for (; part != parts_.end() && part->first < last; ++part) {
    const uint64_t end = part->first + draws_[part->draw].indices.size() / 3;
    const uint64_t from = std::max(first, part->first), to = std::min(last, end);
    if (from < to) append(out, *part, from - part->first, to - part->first);
  }
  return out;
}

std::vector<Partition> partition_frame(const Frame& frame, const PartitionOptions& options,
                                       const std::function<void(double)>& progress) {
  const TriangleStream stream(frame);
  const uint64_t triangles = stream.triangles();
  std::vector<Partition> all;
  uint64_t finest = 1;
  for (const uint64_t m : kPartitions) {
    if (m > triangles) continue;
    all.push_back({m, {}});
    if (m <= options.finest) finest = m;
  }
  const auto is_sum = [&](const Partition& p) { return p.batches < finest && finest % p.batches == 0; };
  std::mutex talking;
  const int workers = std::max(1, options.workers);
  const std::vector<BatchLoad>* fine = nullptr;
  for (Partition& p : all) {
    if (is_sum(p)) continue;
    p.loads.resize(size_t(p.batches <= options.finest ? p.batches : std::min(options.sample, p.batches)));
    std::atomic<size_t> next{0};
    parallel_for(workers, workers, [&](int) {
      Renderer renderer;
      for (size_t i = next++; i < p.loads.size(); i = next++) {
        // Render the batch in the middle of each section.
        const uint64_t batch = p.batches * (2 * i + 1) / (2 * p.loads.size());
        p.loads[i] = render_batch(renderer, stream, batch_begin(triangles, batch, p.batches),
                                  batch_begin(triangles, batch + 1, p.batches));
        if (i % 16 != 0) continue;
        const std::lock_guard lock(talking);
        progress(double(i) / double(p.loads.size()));
      }
    });
    if (p.batches == finest) fine = &p.loads;
  }
  // Batches of a coarser partition are sums of the finest partition's batches.
  for (Partition& p : all) {
    if (!is_sum(p)) continue;
    const size_t each = size_t(finest / p.batches);
    for (size_t i = 0; i < fine->size(); i += each) p.loads.push_back(sum_of(std::span(*fine).subspan(i, each)));
  }
  return all;
}

double mean_cv(const Pattern& pattern, const Partition& partition, int x, int bin) {
  const int per_bin = bin / kPartitionBin;
  double sum = 0;
  int count = 0;
  for (const BatchLoad& batch : partition.loads) {
    if (batch.empty()) continue;
    std::vector<uint64_t> load(size_t(pattern.rasterizers));
    for (const auto& [number, fragments] : batch)
      load[size_t(pattern.at(int(number) % x / per_bin, int(number) / x / per_bin))] += fragments;
    sum += load_statistics(std::move(load)).cv;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace brokkr::lab
