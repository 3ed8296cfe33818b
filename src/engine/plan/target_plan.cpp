// Cuts targets into bins and regions, and assigns each to a rasterizer.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "plan/launch_plan.h"
#include "shader/texels.h"

namespace brokkr {
namespace {

int parts(int size, int part) { return (size + part - 1) / part; }

// Returns the number of rasterizers: one per bin of the main target. A visit scans the waiting blocks for each of the
// rasterizer's regions, so each rasterizer should have few regions, even if the target has many layers.
int rasterizers_of(const Frame& frame, int bin, uint32_t slice) {
  const Target& main = frame.targets[main_target(frame)];
  const int64_t bins = int64_t(parts(main.width, bin)) * parts(main.height, bin);
  const int64_t layers = slice != 0 ? slice : main.layers;
  return int(std::clamp<int64_t>(std::max(bins, std::min<int64_t>(bins * layers, 256)), 1, 1024));
}

// A rank that draws a share of a frame has three kinds of rasterizers. The first `drawing` own the bins that both the
// pattern gives them and the rank owns. The next one receives all other bins; it has no regions, so triangles sent
// there are not drawn. The last ones own the regions of those other bins, for clears and copies, and never receive a
// triangle.
constexpr int kMaxDrawing = 2047;  // all three kinds together stay within kMaxRasterizers

// Makes a pattern large enough for the bins of every target.
Pattern make_pattern_for(const Frame& frame, const PatternChoice& choice, const TargetPlan& plan) {
  int bins_x = 1, bins_y = 1;
  for (const Target& t : frame.targets) {
    bins_x = std::max(bins_x, parts(t.width, plan.bin));
    bins_y = std::max(bins_y, parts(t.height, plan.bin));
  }
  return make_pattern(choice, plan.drawing, bins_x, bins_y);
}

void add_target(const Target& target, const Pattern& pattern, const TargetKey& key, TargetPlan& plan) {
  const bool programs = key.programs;
  const auto number = uint32_t(plan.targets.size());
  TargetRecord r{};
  r.width = uint32_t(target.width);
  r.height = uint32_t(target.height);
  r.layers = key.slice != 0 ? key.slice : uint32_t(target.layers);
  r.format = uint32_t(stored_format(target, programs));
  r.samples = samples_of(target, key.samples);
  r.bins_x = uint32_t(parts(target.width, plan.bin));
  r.bins_y = uint32_t(parts(target.height, plan.bin));
  r.first_bin = uint32_t(plan.bin_owner.size());
  r.regions_x = uint32_t(parts(target.width, plan.region));
  r.regions_y = uint32_t(parts(target.height, plan.region));
  r.first_region = uint32_t(plan.regions);
  for (int y = 0; y < int(r.bins_y); ++y) {
    for (int x = 0; x < int(r.bins_x); ++x) {
      const bool drawn = key.owned == nullptr || key.owned->owns(number, x * plan.bin, y * plan.bin);
      plan.bin_owner.push_back(uint32_t(drawn ? pattern.at(x, y) : plan.drawing));
    }
  }
  const uint64_t regions = uint64_t(r.regions_x) * r.regions_y * r.layers * r.samples;
  r.sample_regions = uint32_t(regions / r.samples);
  plan.regions += regions;
  const uint64_t samples = regions * uint64_t(plan.region * plan.region);
  const auto add_plane = [&](size_t of_plane, TexelEncoding encoding, TexelFormat format) {
    const uint32_t whole = shader::type_of(format) != SampledType::real;
    r.planes[of_plane] = {uint32_t(encoding), words_of(encoding), whole, plan.more_words};
    plan.more_words += samples * words_of(encoding);
  };
  for (size_t i = 1; i < target.colors.size() && programs; ++i)
    add_plane(i, shader::encoding_of(target.colors[i].format, true), target.colors[i].format);
  if (const auto exact = exact_encoding(target); exact && programs)
    add_plane(kExactPlane, *exact, target.colors[0].format);
  plan.is_sampled |= r.samples > 1;
  plan.any_half |= r.format == uint32_t(ColorFormat::rgba16f);
  plan.targets.push_back(r);
}

// Calls f(region, its owner) for every region, one after another over the target. The samples of a region follow each
// other.
template <class F>
void each_region(const TargetPlan& plan, F&& f) {
  const uint32_t rasterizers = uint32_t(plan.rasterizers), per_bin = uint32_t(plan.bin / plan.region);
  const uint32_t nobody = uint32_t(plan.drawing), others = rasterizers - nobody - 1;
  for (uint32_t t = 0; t < plan.targets.size(); ++t) {
    const TargetRecord& r = plan.targets[t];
    uint32_t number = r.first_region;
    for (uint32_t layer = 0; layer < r.layers; ++layer) {
      const uint32_t offset = layer_offset(t, layer, rasterizers);
      for (uint32_t y = 0; y < r.regions_y; ++y) {
        for (uint32_t x = 0; x < r.regions_x; ++x) {
          const uint32_t bin = r.first_bin + y / per_bin * r.bins_x + x / per_bin;
          const uint32_t owner = plan.bin_owner[bin];
          const uint32_t drawn_by = ((owner == nobody ? nobody + 1 + bin % others : owner) + offset) % rasterizers;
          for (uint32_t i = 0; i < r.samples; ++i)
            f(RegionRecord{t, layer, int32_t(x) * plan.region, int32_t(y) * plan.region, number + i * r.sample_regions,
                           i},
              drawn_by);
          ++number;
        }
      }
    }
  }
}

void hand_out_regions(TargetPlan& plan) {
  plan.first_region_of_owner.assign(size_t(plan.rasterizers) + 1, 0);
  each_region(plan, [&](const RegionRecord&, uint32_t owner) { ++plan.first_region_of_owner[owner + 1]; });
  for (size_t i = 1; i < plan.first_region_of_owner.size(); ++i)
    plan.first_region_of_owner[i] += plan.first_region_of_owner[i - 1];
  std::vector<uint32_t> next(plan.first_region_of_owner.begin(), plan.first_region_of_owner.end() - 1);
  plan.regions_by_owner.resize(size_t(plan.regions));
  each_region(plan, [&](const RegionRecord& region, uint32_t owner) { plan.regions_by_owner[next[owner]++] = region; });
}

}  // namespace

uint32_t samples_of(const Target& target, int wanted) { return uint32_t(std::max(target.samples, wanted)); }

ColorFormat stored_format(const Target& target, bool programs) {
  if (!programs || target.colors.empty()) return target.format;
  switch (target.colors[0].format) {
    case TexelFormat::r8:
    case TexelFormat::rg8:
    case TexelFormat::rgba8: return ColorFormat::rgba8;
    case TexelFormat::rgba8_srgb: return ColorFormat::rgba8_srgb;
    default: return ColorFormat::rgba16f;
  }
}

bool is_bounded_half(const Target& target) {
  return !target.colors.empty() && shader::is_unorm(target.colors[0].format) &&
         stored_format(target, true) == ColorFormat::rgba16f;
}

std::optional<TexelEncoding> exact_encoding(const Target& target) {
  if (target.colors.empty()) return {};
  switch (const TexelEncoding encoding = shader::encoding_of(target.colors[0].format, true)) {
    case TexelEncoding::rgba8:
    case TexelEncoding::srgb8:
    case TexelEncoding::rgba16f: return {};
    default: return encoding;
  }
}

TargetPlan plan_targets(const Frame& frame, const TargetKey& key) {
  TargetPlan plan;
  plan.bin = key.bin;
  plan.region = std::min(key.bin, kMaxRegion);
  plan.pattern = pattern_name(key.pattern);
  plan.shown_sample = key.shown_sample;
  const SavedPattern* const saved = saved_pattern(key.pattern);
  plan.rasterizers = saved != nullptr      ? saved->pattern.rasterizers
                     : key.rasterizers > 0 ? key.rasterizers
                                           : rasterizers_of(frame, key.bin, key.slice);
  plan.drawing = plan.rasterizers;
  if (key.owned != nullptr) {
    if (key.owned->bin % plan.bin != 0) throw std::invalid_argument("bin: larger than the squares that a rank owns");
    if (saved == nullptr) plan.drawing = std::min(plan.drawing, kMaxDrawing);
    plan.rasterizers = plan.drawing + 1 + std::min(plan.drawing, kMaxDrawing);
    plan.is_shared = true;
  }
  const Pattern pattern = make_pattern_for(frame, key.pattern, plan);
  check_pattern(pattern);
  for (const Target& target : frame.targets) add_target(target, pattern, key, plan);
  plan.samples = plan.regions * uint64_t(plan.region) * uint64_t(plan.region);
  if (plan.samples >= (uint64_t(1) << 31)) {
    throw std::runtime_error("targets: " + std::to_string(plan.samples) +
                             " samples in all; the limit is 2^31, use fewer or smaller targets");
  }
  for (const TargetRecord& target : plan.targets) {
    if (plan.shown_sample < int(target.samples)) continue;
    throw std::invalid_argument("shown_sample: " + std::to_string(plan.shown_sample) + ", but pixels have " +
                                std::to_string(target.samples) + "; -1 shows their average");
  }
  hand_out_regions(plan);
  return plan;
}

}  // namespace brokkr
