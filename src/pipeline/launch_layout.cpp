#include "pipeline/launch_layout.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "pipeline/options.h"

namespace brokkr {
bool LaunchLayout::same_memory(const LaunchLayout& o) const {
  return rasterizers == o.rasterizers && store_blocks == o.store_blocks && window == o.window && regions == o.regions &&
         samples == o.samples && any_half == o.any_half;
}

LaunchLayout make_layout(const Frame& frame, uint32_t batches, const RenderOptions& options, const LaunchShape& shape,
                         uint32_t batch_triangles) {
  check_options(options);
  LaunchLayout l;
  l.bin = options.bin;
  l.region = std::min(options.bin, kMaxRegion);
  const SavedPattern* const saved = saved_pattern(options.pattern);
  l.pattern = pattern_name(options.pattern);
  const auto parts = [](int size, int part) { return (size + part - 1) / part; };

  const Target& main = frame.targets[main_target(frame)];
  const int main_bins = parts(main.width, l.bin) * parts(main.height, l.bin);
  // A visit asks each of the rasterizer's regions which waiting blocks touch it: few regions each, also where the
  // target has many layers.
  const int64_t all_bins = std::min<int64_t>(int64_t(main_bins) * main.layers, 256);
  l.rasterizers = options.rasterizers > 0 ? options.rasterizers
                                          : int(std::clamp<int64_t>(std::max<int64_t>(main_bins, all_bins), 1, 1024));
  if (saved != nullptr) l.rasterizers = saved->pattern.rasterizers;

  // Targets, their bins' owners, and the regions of each rasterizer.
  int bins_x = 1, bins_y = 1;
  for (const Target& t : frame.targets) {
    bins_x = std::max(bins_x, parts(t.width, l.bin));
    bins_y = std::max(bins_y, parts(t.height, l.bin));
  }
  const Pattern pattern = make_pattern(options.pattern, l.rasterizers, bins_x, bins_y);
  uint64_t regions = 0;
  for (const Target& t : frame.targets) {
    TargetRecord r{};
    r.width = uint32_t(t.width);
    r.height = uint32_t(t.height);
    r.layers = uint32_t(t.layers);
    r.format = uint32_t(t.format);
    r.bins_x = uint32_t(parts(t.width, l.bin));
    r.bins_y = uint32_t(parts(t.height, l.bin));
    r.first_bin = uint32_t(l.bin_owner.size());
    r.regions_x = uint32_t(parts(t.width, l.region));
    r.regions_y = uint32_t(parts(t.height, l.region));
    r.first_region = uint32_t(regions);
    for (int y = 0; y < int(r.bins_y); ++y) {
      for (int x = 0; x < int(r.bins_x); ++x) l.bin_owner.push_back(uint32_t(pattern.at(x, y)));
    }
    regions += uint64_t(r.regions_x) * r.regions_y * r.layers;
    l.any_half |= t.format == ColorFormat::rgba16f;
    l.targets.push_back(r);
  }
  l.regions = regions;
  l.samples = regions * uint64_t(l.region) * uint64_t(l.region);
  if (l.samples >= (uint64_t(1) << 31)) {
    throw std::runtime_error("targets: " + std::to_string(l.samples) +
                             " samples in all; the limit is 2^31, use fewer or smaller targets");
  }

  std::vector<uint32_t> owner(static_cast<size_t>(regions));
  const int per_bin = l.bin / l.region;
  for (uint32_t t = 0; t < l.targets.size(); ++t) {
    const TargetRecord& r = l.targets[t];
    for (uint32_t layer = 0; layer < r.layers; ++layer) {
      const uint32_t offset = layer_offset(t, layer, uint32_t(l.rasterizers));
      for (uint32_t y = 0; y < r.regions_y; ++y) {
        for (uint32_t x = 0; x < r.regions_x; ++x) {
          const uint32_t bin = r.first_bin + y / uint32_t(per_bin) * r.bins_x + x / uint32_t(per_bin);
          owner[r.first_region + (layer * r.regions_y + y) * r.regions_x + x] =
              (l.bin_owner[bin] + offset) % uint32_t(l.rasterizers);
        }
      }
    }
  }
  l.first_own_region.assign(size_t(l.rasterizers) + 1, 0);
  for (const uint32_t o : owner) ++l.first_own_region[o + 1];
  for (size_t i = 1; i < l.first_own_region.size(); ++i) l.first_own_region[i] += l.first_own_region[i - 1];
  std::vector<uint32_t> next(l.first_own_region.begin(), l.first_own_region.end() - 1);
  l.own_regions.resize(size_t(regions));
  for (uint32_t t = 0; t < l.targets.size(); ++t) {
    const TargetRecord& r = l.targets[t];
    for (uint32_t i = 0; i < r.layers * r.regions_y * r.regions_x; ++i) {
      const uint32_t number = r.first_region + i, in_layer = i % (r.regions_x * r.regions_y);
      l.own_regions[next[owner[number]]++] = {t, i / (r.regions_x * r.regions_y),
                                              int32_t(in_layer % r.regions_x) * l.region,
                                              int32_t(in_layer / r.regions_x) * l.region, number};
    }
  }

  // The triangle store: enough that regions are visited seldom, within the limit on queues and pending lists (20 bytes
  // per block and rasterizer), at least what one task may fill.
  const uint32_t workers = uint32_t(shape.blocks * shape.warps);
  l.batch_blocks = uint32_t(kBlocksPerBatch) * ((batch_triangles + kBatchTriangles - 1) / kBatchTriangles);
  const uint64_t affordable =
      std::bit_floor(std::max<uint64_t>(16, shape.memory_limit / (20u * uint64_t(l.rasterizers))));
  uint32_t blocks =
      options.store_blocks > 0 ? uint32_t(options.store_blocks) : uint32_t(std::min<uint64_t>(8192, affordable));
  if (options.store_blocks == 0) {
    blocks = std::max<uint32_t>(blocks, std::bit_ceil(2 * l.batch_blocks * workers));
    blocks = std::min<uint32_t>(blocks, std::max<uint32_t>(64, std::bit_ceil(std::min<uint32_t>(batches, 1u << 20) * 2 *
                                                                             (l.batch_blocks / kBlocksPerBatch))));
  }
  l.store_blocks = std::max<uint32_t>(blocks, l.batch_blocks + 1);
  l.queue_capacity = std::max<uint32_t>(2, std::bit_ceil(l.store_blocks));
  l.sort_capacity = l.queue_capacity;
  l.task_batches = std::clamp<uint32_t>(batches / (workers * 64), 1, 4);
  while (l.task_batches > 1 && l.task_batches * l.batch_blocks * workers * 2 > l.store_blocks) --l.task_batches;
  l.tasks = (batches + l.task_batches - 1) / l.task_batches;
  l.window = std::bit_ceil(std::max<uint32_t>(1024, 4 * workers * uint32_t(shape.warps)));
  return l;
}

}  // namespace brokkr
