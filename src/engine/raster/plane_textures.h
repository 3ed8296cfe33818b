// Loads pictures into planes, and copies planes to textures. Each rasterizer processes its own regions.
#pragma once

#include "raster/load.h"
#include "raster/raster_shared.h"
#include "shade/texture_mips.h"

BROKKR_MACHINE_BEGIN

// Loads the pictures that wait for the rasterizer's own regions of a target, or of every target (kEveryTarget). Call
// before a phase that copies the target's planes or ends the frame.
template <class Shared>
BROKKR_FN void end_waiting_loads(const Visit<Shared>& visit, uint32_t target) {
  if constexpr (kLoadsCanWait) {
    if (!visit.t.programs.loads) return;
    for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
      const RegionRecord& region = visit.t.targets.regions_by_owner[i];
      if (target == kEveryTarget || target == region.target) end_waiting_load(visit, region);
    }
  }
}

// Loads a picture's texels into the rasterizer's own regions of a plane, or notes that they wait. The caller's next
// barrier completes it.
template <class Shared>
BROKKR_FN_NOINLINE void run_load(const Visit<Shared>& visit, const PhaseRecord& phase, uint32_t number) {
  const TargetTables& planes = visit.t.targets;
  const TargetRecord& target = planes.targets[phase.target];
  const bool can_wait = kLoadsCanWait && phase.color_plane == 0 && target.samples == 1;
  const auto lesser = [](int a, int b) { return a < b ? a : b; };
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = planes.regions_by_owner[i];
    if (region.target != phase.target || region.layer != 0) continue;
    if (phase.color_plane == 0) {
      const bool whole = lesser(region.x + planes.region, int(target.width)) <= phase.image_width &&
                         lesser(region.y + planes.region, int(target.height)) <= phase.image_height;
      if (!whole) {
        end_waiting_load(visit, region, loads_of(phase.planes));
        if ((planes.region_state[region.number].bits & phase.planes) != 0) write_clears(visit, region, phase.planes);
      } else {
        end_clears(visit, region, phase.planes);
        if (can_wait) {
          if (visit.b.leader()) {
            visit.b.warp.once([&] {
              RegionState& state = planes.region_state[region.number];
              state.bits |= loads_of(phase.planes) | kChanged;
              if (phase.planes == kPlaneColor)
                state.color = number;
              else
                __builtin_memcpy(&state.depth, &number, sizeof number);
            });
          }
          continue;
        }
      }
    }
    PictureLoad(planes, region, phase, visit.t.programs.loads).load_region(visit.b.warp, visit.share());
    note_change(visit, region);
  }
}

// A plane whose words equal those of the texels that it is copied to. Sample `place` starts at word place * count. The
// second words of halves lie in another plane, `high`.
struct PlaneWords {
  const uint32_t* words = nullptr;  // null: texels must be encoded again
  const uint32_t* high = nullptr;
  int count = 1;
  bool waits = false;  // a clear is pending: all samples have the words `cleared`
  uint64_t cleared = 0;
};

// Texels that a warp writes: its share of a region's.
struct PublishedTexels {
  uint32_t* texels;
  Share share;
};
BROKKR_FN PlaneWords plane_words(const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase) {
  const TexelEncoding encoding = TexelEncoding(phase.encoding);
  const size_t first = first_sample(planes, region);
  const TargetRecord& target = planes.targets[phase.source_target];
  if (target.samples > 1) return {};
  if (phase.planes == kPlaneDepth) {
    if (encoding != TexelEncoding::r32) return {};
    return {reinterpret_cast<const uint32_t*>(planes.depth.get()) + first};
  }
  if (phase.color_plane == 0) {
    if (Warp::takes_turns && encoding == TexelEncoding::rgba16f && target.format == uint32_t(ColorFormat::rgba16f))
      return {planes.color + first, planes.color_high + first, 2};
    if (encoding != TexelEncoding::rgba8 || target.format != uint32_t(ColorFormat::rgba8)) return {};
    return {planes.color + first};
  }
  const PlaneRecord& plane = target.planes[phase.color_plane];
  if (plane.encoding != phase.encoding || encoding == TexelEncoding::srgb8) return {};
  const size_t index_in_target = first - (size_t(target.first_region) << (2 * planes.region_shift));
  return {planes.more_colors + size_t(plane.first) + index_in_target * plane.words, nullptr, int(plane.words)};
}
// Writes the region's texels of kWords words each. Each lane fills a row of a tile at a time. pair(texels, i) writes
// the words of samples i and i + 1; sample i is in an even column.
template <int kWords, class Pair>
BROKKR_FN void publish_rows(Warp& w, const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase,
                            const PublishedTexels& published, Pair pair) {
  const int rows = TileRow::count(planes);
  for (int first = published.share.first; first < rows; first += published.share.step) {
    w.for_lanes(w.first_lanes(rows - first), [&](int lane) {
      const TileRow row(planes, region, first + lane);
      if (row.x >= phase.image_width || row.y >= phase.image_height) return;
      uint32_t* const row_texels = published.texels + size_t(phase.first_word) +
                                   (size_t(row.y) * size_t(phase.image_width) + size_t(row.x)) * kWords;
      const auto put_pairs = [&](uint32_t* texels) {
        for (int k = 0; k < kTile / 2; ++k) pair(texels + 2 * k * kWords, row.sample + TileRow::pair(k));
      };
      // A copy on the stack would be read by longer words than it was written by, which processors wait for.
      if (Warp::takes_turns && row.x + kTile <= phase.image_width) return put_pairs(row_texels);
      uint32_t in_row[kTile * kWords];
      put_pairs(in_row);
      if (row.x + kTile <= phase.image_width) {
        for (int k = 0; k < kTile / 2; ++k)
          __builtin_memcpy(row_texels + 2 * k * kWords, in_row + 2 * k * kWords, 2 * kWords * sizeof(uint32_t));
        return;
      }
      for (int k = 0; k < (phase.image_width - row.x) * kWords; ++k) row_texels[k] = in_row[k];
    });
  }
}
// Copies the region's words.
template <int kWords>
BROKKR_FN void publish_all_words(Warp& w, const TargetTables& planes, const RegionRecord& region,
                                 const PhaseRecord& phase, const PlaneWords& source, const PublishedTexels& texels) {
  const uint32_t *const words = source.words, *const high = source.high;
  if (kWords <= 2 && source.waits) {
    const uint64_t cleared_words = kWords == 1 ? (source.cleared & 0xffffffffu) | source.cleared << 32 : source.cleared;
    publish_rows<kWords>(w, planes, region, phase, texels, [=](uint32_t* texel_words, int) {
      for (int k = 0; k < kWords; ++k) __builtin_memcpy(texel_words + 2 * k, &cleared_words, sizeof cleared_words);
    });
  } else if (kWords == 2 && high != nullptr) {
    publish_rows<kWords>(w, planes, region, phase, texels, [=](uint32_t* texel_words, int i) {
      for (int k = 0; k < 2 * kWords; ++k)
        texel_words[k] = normal_halves(k % 2 == 0 ? words[i + k / 2] : high[i + k / 2]);
    });
  } else {
    publish_rows<kWords>(w, planes, region, phase, texels, [=](uint32_t* texel_words, int i) {
      __builtin_memcpy(texel_words, words + size_t(i) * kWords, 2 * kWords * sizeof(uint32_t));
    });
  }
}
// Does the same for warps whose lanes do not take turns and texels of several words.
BROKKR_FN void publish_by_lanes(Warp& w, const TargetTables& planes, const RegionRecord& region,
                                const PhaseRecord& phase, const PlaneWords& source, const PublishedTexels& published) {
  const auto [first, step] = published.share;
  for (int s = first; s < planes.region * planes.region; s += step) {
    const Position position = region_position(w, planes, region, s);
    const Mask m = position.x < phase.image_width && position.y < phase.image_height;
    if (!w.any(m)) continue;
    const Int first_word = (position.y * phase.image_width + position.x) * source.count + int(phase.first_word);
    for (int k = 0; k < source.count; ++k)
      w.scatter(published.texels, first_word + k, w.gather(source.words, (w.lane() + s) * source.count + k, m), m);
  }
}
BROKKR_FN void publish_words(Warp& w, const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase,
                             const PlaneWords& source, const PublishedTexels& texels) {
  if (source.count == 1) return publish_all_words<1>(w, planes, region, phase, source, texels);
  if constexpr (Warp::takes_turns) {
    if (source.count == 2) return publish_all_words<2>(w, planes, region, phase, source, texels);
    return publish_all_words<4>(w, planes, region, phase, source, texels);
  } else {
    publish_by_lanes(w, planes, region, phase, source, texels);
  }
}

// The texel of a pending clear.
BROKKR_FN Vec4<Warp> cleared_texel(const TargetTables& planes, const PhaseRecord& phase, const RegionState& state) {
  if (phase.planes == kPlaneDepth) {
    const Float depth = state.depth;
    return Vec4<Warp>(depth, depth, depth, 1.0f);
  }
  const Color color =
      load_color(planes.targets[phase.source_target].format, uint32_t(state.color), uint32_t(state.color >> 32));
  return Vec4<Warp>(color.r, color.g, color.b, color.a);
}
// A plane's samples place .. place + width - 1 as texels. kAverages: the pixels have several samples, and a colour's
// texel is their average; `place` is the place of sample 0.
template <bool kAverages>
BROKKR_FN Vec4<Warp> published(Warp& w, const TargetTables& planes, const PhaseRecord& phase, size_t place, Mask m) {
  if (phase.planes == kPlaneDepth) {
    const Float depth = w.load(planes.depth + place);
    return Vec4<Warp>(depth, depth, depth, 1.0f);
  }
  const Int samples = w.lane() + int(place);
  Color color;
  if constexpr (kAverages) {
    color = average_color(w, planes, phase.source_target, phase.color_plane, samples, m);
  } else {
    color = load_plane_at(w, planes, phase.source_target, phase.color_plane, samples, m);
  }
  return Vec4<Warp>(color.r, color.g, color.b, color.a);
}

// Encodes and writes the region's texels. `waits`: a clear is pending.
template <bool kAverages, class Shared>
BROKKR_FN void publish_texels(const Visit<Shared>& visit, const RegionRecord& region, const PhaseRecord& phase,
                              const RegionState& state, bool waits) {
  Warp& w = visit.b.warp;
  const TargetTables& planes = visit.t.targets;
  uint32_t* const texels = visit.t.frame.sampled_texels;
  const auto [share, step] = visit.share();
  const TexelEncoding encoding = TexelEncoding(phase.encoding);
  for (int s = share; s < planes.region * planes.region; s += step) {
    const Position position = region_position(w, planes, region, s);
    const Mask m = position.x < phase.image_width && position.y < phase.image_height;
    if (!w.any(m)) continue;
    const Int word = (position.y * phase.image_width + position.x) * int(words_of(encoding)) + int(phase.first_word);
    const size_t place = first_sample(planes, region) + size_t(s);
    const Vec4<Warp> texel =
        waits ? cleared_texel(planes, phase, state) : published<kAverages>(w, planes, phase, place, m);
    store_texel(w, texels, encoding, word, texel, m);
  }
}
// Not inlined, so that targets with one sample a pixel do not pay for it.
template <class Shared>
BROKKR_FN_NOINLINE void publish_averages(const Visit<Shared>& visit, const RegionRecord& region,
                                         const PhaseRecord& phase, const RegionState& state, bool waits) {
  publish_texels<true>(visit, region, phase, state, waits);
}

// Copies the rasterizer's own regions of a plane to a level of a texture. Pending clears stay pending.
template <class Shared>
BROKKR_FN_NOINLINE void publish_share(const Visit<Shared>& visit, const PhaseRecord& phase) {
  Warp& w = visit.b.warp;
  const TargetTables& planes = visit.t.targets;
  uint32_t* const texels = visit.t.frame.sampled_texels;
  const Share share = visit.share();
  const bool again = kNotesChanges && phase.again != 0 && planes.targets[phase.source_target].samples == 1;
  const uint32_t sample = (kKernelFeatures & kFeatureSamples) && phase.sample != 0 ? phase.sample - 1u : 0u;
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = planes.regions_by_owner[i];
    if (region.target != phase.source_target || region.layer != 0 || region.sample != sample) continue;
    const RegionState state = planes.region_state[region.number];
    if (again && (state.bits & kChanged) == 0) continue;
    if constexpr (kNotesChanges) end_clears(visit, region, kChanged);
    const bool waits = phase.color_plane == 0 && (state.bits & phase.planes) != 0;
    if (PlaneWords source = plane_words(planes, region, phase); source.words != nullptr) {
      const uint32_t depth = w.broadcast(as_uint(Float(state.depth)), 0);
      source.waits = waits;
      source.cleared = phase.planes == kPlaneDepth ? depth : state.color;
      if (source.high != nullptr)
        source.cleared =
            normal_halves(uint32_t(source.cleared)) | uint64_t(normal_halves(uint32_t(source.cleared >> 32))) << 32;
      publish_words(w, planes, region, phase, source, {texels, share});
      continue;
    }
    if ((kKernelFeatures & kFeatureSamples) && planes.targets[region.target].samples > 1 && phase.sample == 0)
      publish_averages(visit, region, phase, state, waits);
    else
      publish_texels<false>(visit, region, phase, state, waits);
  }
}

// Generates the rasterizer's share of a texture's level from the previous level.
template <class Shared>
BROKKR_FN_NOINLINE void mip_share(const Visit<Shared>& visit, const PhaseRecord& phase) {
  Warp& w = visit.b.warp;
  const TextureTexels& texture = visit.t.programs.textures[phase.texture];
  const uint64_t texels = texels_of_level(texture, phase.level);
  const auto [share, step] = visit.share();
  const uint64_t rasterizers = visit.t.targets.rasterizers;
  const auto begin = uint32_t(texels * visit.r / rasterizers), end = uint32_t(texels * (visit.r + 1) / rasterizers);
  for (uint32_t number = begin + uint32_t(share); number < end; number += uint32_t(step)) {
    const Mask m = w.first_lanes(int(end - number));
    make_mip(w, visit.t.frame.sampled_texels, texture, phase.level, as_uint(w.lane()) + number, m);
  }
}

BROKKR_MACHINE_END
