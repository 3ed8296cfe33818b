// Clears, blits, and the gates of all copies. Each rasterizer processes its own regions.
#pragma once

#include "raster/plane_textures.h"

BROKKR_MACHINE_BEGIN

BROKKR_FN Mask inside_rect(const Position& position, const int32_t (&rect)[4]) {
  return position.x >= rect[0] && position.x < rect[2] && position.y >= rect[1] && position.y < rect[3];
}

// Records that cleared samples no longer have a writer.
BROKKR_FN void forget_writers(Warp& w, const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase,
                              Share share) {
  for (uint32_t* writers : {phase.planes & kPlaneColor ? planes.visible_id : nullptr,
                            phase.planes & kPlaneDepth ? planes.depth_id : nullptr}) {
    if (writers == nullptr) continue;
    for (int s = share.first; s < planes.region * planes.region; s += share.step) {
      const Mask m = inside_rect(region_position(w, planes, region, s), phase.rect);
      w.merge(writers + first_sample(planes, region) + size_t(s), kNoPrimitive, m);
    }
  }
}

// Clears the part of the rectangle that lies in the region.
BROKKR_FN void clear_part(Warp& w, const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase,
                          Share share) {
  const int samples = planes.region * planes.region;
  const size_t base = first_sample(planes, region);
  for (int s = share.first; s < samples; s += share.step) {
    const Mask m = inside_rect(region_position(w, planes, region, s), phase.rect);
    if (!w.any(m)) continue;
    if (phase.planes & kPlaneColor) {
      w.merge(planes.color + base + s, uint32_t(phase.color), m);
      if (planes.color_high) w.merge(planes.color_high + base + s, uint32_t(phase.color >> 32), m);
    }
    if (phase.planes & kPlaneDepth) w.merge(planes.depth + base + s, phase.depth, m);
    if (!(phase.planes & kPlaneStencil)) continue;
    if (Warp::takes_turns && w.all(m)) {
      auto* const words = reinterpret_cast<uint32_t*>(planes.stencil + base + s);
      for (int i = 0; i < w.width / 4; ++i) words[i] = uint32_t(uint8_t(phase.stencil)) * 0x01010101u;
    } else {
      w.for_lanes(m, [&](int lane) { planes.stencil[base + size_t(s + lane)] = uint8_t(phase.stencil); });
    }
  }
}

// Clears a colour plane beyond the first.
template <class Shared>
BROKKR_FN_NOINLINE void clear_plane(const Visit<Shared>& visit, const PhaseRecord& phase) {
  Warp& w = visit.b.warp;
  const TargetTables& planes = visit.t.targets;
  const auto [share, step] = visit.share();
  const float(&c)[4] = phase.clear_color;
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = planes.regions_by_owner[i];
    if (region.target != phase.target) continue;
    const int32_t(&r)[4] = phase.rect;
    if (Warp::takes_turns && r[0] <= region.x && r[1] <= region.y && r[2] >= region.x + planes.region &&
        r[3] >= region.y + planes.region) {
      const PlaneSamples plane_samples(planes, {phase.target, phase.color_plane, first_sample(planes, region), false});
      plane_samples.fill(w, {c[0], c[1], c[2], c[3]}, share, step, planes.region * planes.region);
      continue;
    }
    for (int s = share; s < planes.region * planes.region; s += step) {
      const Mask m = inside_rect(region_position(w, planes, region, s), phase.rect);
      if (!w.any(m)) continue;
      const PlaneSamples plane_samples(
          planes, {phase.target, phase.color_plane, first_sample(planes, region) + size_t(s), false});
      plane_samples.store(w, {c[0], c[1], c[2], c[3]}, m);
    }
  }
}

// Clears the rasterizer's regions. A region inside the rectangle only records the value; a region that the rectangle
// cuts is written immediately. The caller's next barrier completes the clear.
template <class Shared>
BROKKR_FN_NOINLINE void run_clear(const Visit<Shared>& visit, const PhaseRecord& phase) {
  if (phase.color_plane != 0) return clear_plane(visit, phase);
  Block<Shared>& b = visit.b;
  Warp& w = b.warp;
  const TargetTables& planes = visit.t.targets;
  const int32_t(&rect)[4] = phase.rect;
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = planes.regions_by_owner[i];
    if (region.target != phase.target) continue;
    const TargetRecord& target = planes.targets[region.target];
    const int right = region.x + planes.region < int(target.width) ? region.x + planes.region : int(target.width);
    const int top = region.y + planes.region < int(target.height) ? region.y + planes.region : int(target.height);
    if (rect[0] >= right || rect[1] >= top || rect[2] <= region.x || rect[3] <= region.y) continue;
    RegionState& state = planes.region_state[region.number];
    forget_writers(w, planes, region, phase, visit.share());
    const bool whole = rect[0] <= region.x && rect[1] <= region.y && rect[2] >= right && rect[3] >= top;
    if (whole) {
      if (b.leader()) {
        w.once([&] {
          state.bits |= phase.planes;
          if (kNotesChanges) state.bits |= kChanged;
          if (phase.planes & kPlaneColor) state.bits &= ~uint32_t(kLoadWaits);
          if (kLoadsCanWait && (phase.planes & kPlaneDepth)) state.bits &= ~uint32_t(kDepthLoadWaits);
          state.untouched &= ~phase.planes;
          if (phase.planes & kPlaneColor) state.color = phase.color;
          if (phase.planes & kPlaneDepth) state.depth = phase.depth;
          if (phase.planes & kPlaneStencil) state.stencil = phase.stencil;
        });
      }
    } else {
      end_waiting_load(visit, region, loads_of(phase.planes));
      write_clears(visit, region, phase.planes);
      clear_part(w, planes, region, phase, visit.share());
      note_change(visit, region);
    }
  }
}

// Returns true if a blit replaces all the region's pixels in its planes, so that pictures that wait for them are never
// seen.
BROKKR_FN bool replaces_region(const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase) {
  const TargetRecord &source = planes.targets[phase.source_target], &destination = planes.targets[phase.target];
  const auto lesser = [](int a, int b) { return a < b ? a : b; };
  const int32_t(&s)[4] = phase.source, (&d)[4] = phase.destination;
  const int right = lesser(region.x + planes.region, int(destination.width)),
            top = lesser(region.y + planes.region, int(destination.height));
  const auto covers = [](int64_t first, int64_t size, int64_t begin, int64_t end) {
    return first <= begin && first + size >= end;
  };
  return phase.color_plane == 0 && phase.target != phase.source_target && covers(d[0], d[2], region.x, right) &&
         covers(d[1], d[3], region.y, top) && s[2] > 0 && s[3] > 0 &&
         covers(0, source.width, s[0], int64_t(s[0]) + s[2]) && covers(0, source.height, s[1], int64_t(s[1]) + s[3]);
}

// A blit without scaling that moves pixels by whole tiles: a tile of the destination is a tile of the source.
class TileBlit {
 public:
  BROKKR_FN TileBlit(const TargetTables& planes, const PhaseRecord& phase)
      : planes_(planes),
        phase_(phase),
        source_(planes.targets[phase.source_target]),
        target_(planes.targets[phase.target]),
        x_(phase.source[0] - phase.destination[0]),
        y_(phase.source[1] - phase.destination[1]),
        moves_tiles_(source_.samples == 1 && phase.source[2] == phase.destination[2] &&
                     phase.source[3] == phase.destination[3] && ((x_ | y_) & (kTile - 1)) == 0) {}
  // The index in the planes of the source's tile for the destination's tile at x, y; negative: the blit does not
  // replace all of the tile, or not by a whole tile.
  BROKKR_FN int source_of(int x, int y) const {
    const int32_t(&d)[4] = phase_.destination;
    const auto holds = [](int first, int size, int start) { return start >= first && start + kTile <= first + size; };
    if (!moves_tiles_ || !holds(d[0], d[2], x) || !holds(d[1], d[3], y) || !holds(0, int(target_.width), x) ||
        !holds(0, int(target_.height), y) || !holds(0, int(source_.width), x + x_) ||
        !holds(0, int(source_.height), y + y_))
      return -1;
    const int shift = planes_.region_shift, inside = planes_.region - 1, source_x = x + x_, source_y = y + y_;
    const int region = (source_y >> shift) * int(source_.regions_x) + (source_x >> shift) + int(source_.first_region);
    const int tile = ((source_y & inside) / kTile << (shift - 3)) + (source_x & inside) / kTile;
    return (region << (2 * shift)) + tile * kTileSamples;
  }

 private:
  const TargetTables& planes_;
  const PhaseRecord& phase_;
  const TargetRecord &source_, &target_;
  int x_, y_;  // from the destination to the source
  bool moves_tiles_;
};

// The pixels that a blit copies, along one axis. The index of a pixel's sample in the planes is the sum of what its
// column and its row give.
struct BlitAxis {
  Int index;    // share of the index
  Mask inside;  // the blit copies to the pixel
};
// `axis`: 0 for columns, 1 for rows; `pixels`: the destination's columns or rows.
BROKKR_FN BlitAxis blit_axis(const TargetTables& planes, const PhaseRecord& phase, int axis, Int pixels) {
  const TargetRecord &source = planes.targets[phase.source_target], &target = planes.targets[phase.target];
  const int first = phase.destination[axis], size = phase.destination[axis + 2];
  const Float along = (to_float(pixels - first) + 0.5f) / float(size);
  // If the pixel lies outside the destination, or the destination is empty, the position does not fit in an integer.
  const Int source_pixels = phase.source[axis] + to_int(floor(saturate(along) * float(phase.source[axis + 2])));
  const int shift = planes.region_shift, inside = planes.region - 1;
  const Int region = axis == 0 ? (source_pixels >> shift) + int(source.first_region)
                               : (source_pixels >> shift) * int(source.regions_x);
  const Int sample = axis == 0 ? sample_column(source_pixels & inside) : sample_row(source_pixels & inside, shift);
  return {(region << (2 * shift)) + sample,
          along > 0.0f && along < 1.0f && pixels < int(axis == 0 ? target.width : target.height) &&
              source_pixels >= 0 && source_pixels < int(axis == 0 ? source.width : source.height)};
}

// Finds the samples that a blit copies to samples s .. s + width - 1 of a region: their indices in the planes, in
// sample 0 of the source's pixels. Returns the lanes that have one.
BROKKR_FN Mask find_sources(Warp& w, const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase,
                            int s, Int& indices) {
  const Position position = region_position(w, planes, region, s);
  const BlitAxis column = blit_axis(planes, phase, 0, position.x), row = blit_axis(planes, phase, 1, position.y);
  indices = column.index + row.index;
  return column.inside && row.inside;
}

// The same for all vectors of a region, which share columns and rows.
class RegionSources {
 public:
  BROKKR_FN RegionSources(Warp& w, const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase) {
    const Int x = tile_x(w.lane()) + region.x, y = tile_y(w.lane()) + region.y;
    for (int i = 0; i < planes.region; i += kAcross) {
      const BlitAxis column = blit_axis(planes, phase, 0, x + i);
      column_[i / kAcross] = column;
      if (w.any(column.inside)) columns_ |= 1u << (i / kTile);
    }
    for (int i = 0; i < planes.region; i += kUp) {
      const BlitAxis row = blit_axis(planes, phase, 1, y + i);
      row_[i / kUp] = row;
      if (w.any(row.inside)) rows_ |= 1u << (i / kTile);
    }
  }
  // Returns true if the blit copies to any pixel of the region's tile (column, row).
  BROKKR_FN bool meets(int column, int row) const { return (columns_ >> column & rows_ >> row & 1) != 0; }
  // s: the number of the vector's first sample in the tile at pixel (x, y) of the region.
  BROKKR_FN Mask find(int x, int y, int s, Int& indices) const {
    const BlitAxis &column = column_[(x + tile_x(s)) / kAcross], &row = row_[(y + tile_y(s)) / kUp];
    indices = column.index + row.index;
    return column.inside && row.inside;
  }

 private:
  static constexpr int kAcross = tile_x(kWidth - 1) + 1, kUp = tile_y(kWidth - 1) + 1;  // pixels of a vector
  BlitAxis column_[kMaxRegion / kAcross], row_[kMaxRegion / kUp];
  uint32_t columns_ = 0, rows_ = 0;  // the tiles' columns and rows that the blit meets
};

// Returns true if a blit that moves whole tiles copies words as they are, and no notes of writers.
BROKKR_FN bool copies_whole_words(const TargetTables& planes, const PhaseRecord& phase) {
  const TargetRecord &source = planes.targets[phase.source_target], &target = planes.targets[phase.target];
  if (planes.visible_id || planes.depth_id || (phase.planes & kPlaneStencil) != 0 || target.samples != 1) return false;
  if ((phase.planes & kPlaneColor) == 0) return true;
  if (phase.color_plane == 0 || phase.source_plane == 0)
    return phase.color_plane == phase.source_plane && source.format == target.format;
  const uint32_t encoding = target.planes[phase.color_plane].encoding;
  return source.planes[phase.source_plane].encoding == encoding && TexelEncoding(encoding) != TexelEncoding::srgb8;
}
// Copies a tile's samples from `source_place` to `destination_place` of the planes.
BROKKR_FN void copy_tile(Warp& w, const TargetTables& planes, const PhaseRecord& phase, size_t destination_place,
                         size_t source_place) {
  const auto copy = [&](auto* plane) {
    for (int s = 0; s < kTileSamples; s += w.width)
      w.store(plane + destination_place + s, w.load(plane + source_place + s));
  };
  if ((phase.planes & kPlaneColor) != 0 && phase.color_plane != 0) {
    const auto first_word = [&](uint32_t target, uint32_t plane, size_t place) {
      const TargetRecord& record = planes.targets[target];
      const size_t first = size_t(record.first_region) << (2 * planes.region_shift);
      return planes.more_colors + size_t(record.planes[plane].first) + (place - first) * record.planes[plane].words;
    };
    const uint32_t* const source = first_word(phase.source_target, phase.source_plane, source_place);
    uint32_t* const destination = first_word(phase.target, phase.color_plane, destination_place);
    const int words = kTileSamples * int(planes.targets[phase.target].planes[phase.color_plane].words);
    for (int i = 0; i < words; i += w.width) w.store(destination + i, w.load(source + i));
  } else if (phase.planes & kPlaneColor) {
    copy(planes.color.get());
    if (planes.color_high) copy(planes.color_high.get());
  }
  if (phase.planes & kPlaneDepth) copy(planes.depth.get());
}

// Copies to the warp's tiles of a region. copy_vector(s, first, find) copies to samples s .. s + width - 1; `first` is
// the index of their sources if these are adjacent, or negative: find(s, indices) finds them like find_sources.
template <class Shared, class Copy>
BROKKR_FN void copy_tiles(const Visit<Shared>& visit, const PhaseRecord& phase, const RegionRecord& region,
                          const TileBlit& tiles, Copy&& copy_vector) {
  Warp& w = visit.b.warp;
  const TargetTables& planes = visit.t.targets;
  const size_t base = first_sample(planes, region);
  const bool copies_words = copies_whole_words(planes, phase);
  const int across = planes.region_shift - 3;
  const RegionSources sources(w, planes, region, phase);
  for (int tile = w.index; tile * kTileSamples < planes.region * planes.region; tile += visit.b.warps) {
    const int column = tile & ((1 << across) - 1), row = tile >> across, x = column * kTile, y = row * kTile;
    if (!sources.meets(column, row)) continue;
    const int first = tiles.source_of(region.x + x, region.y + y);
    if (first >= 0 && copies_words) {
      copy_tile(w, planes, phase, base + size_t(tile) * kTileSamples, size_t(first));
      continue;
    }
    for (int s = 0; s < kTileSamples; s += w.width) {
      copy_vector(tile * kTileSamples + s, first < 0 ? first : first + s,
                  [&](int, Int& indices) BROKKR_INLINE_LAMBDA { return sources.find(x, y, s, indices); });
    }
  }
}

// Returns true if a blit may copy to pixels of the region.
BROKKR_FN bool meets_destination(const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase) {
  const auto meets = [&](int axis, int64_t first) {
    const int64_t start = phase.destination[axis], size = phase.destination[axis + 2];
    return (size < 0 ? start + size : start) < first + planes.region && (size < 0 ? start : start + size) > first;
  };
  return meets(0, region.x) && meets(1, region.y);
}

// Returns true if a blit averages the samples of pixels.
BROKKR_FN bool averages_samples(const TargetTables& planes, const PhaseRecord& phase) {
  return (kKernelFeatures & kFeatureSamples) && planes.targets[phase.source_target].samples > 1 &&
         planes.targets[phase.target].samples == 1;
}
// Copies colours that are averaged, or of which one plane is not the first, from the samples with these `indices` to
// the vector at `destination_place`.
BROKKR_FN void copy_colors(Warp& w, const TargetTables& planes, const PhaseRecord& phase, size_t destination_place,
                           Int indices, Mask m) {
  const TargetRecord &source = planes.targets[phase.source_target], &target = planes.targets[phase.target];
  const PlanePlace place{phase.target, phase.color_plane, destination_place, false};
  if (!averages_samples(planes, phase)) {
    store_plane(w, planes, place, load_plane_at(w, planes, phase.source_target, phase.source_plane, indices, m), m);
    return;
  }
  // Blits that copy depths as well go on below, where tests compare with them.
  if (phase.planes == kPlaneColor && (phase.color_plane | phase.source_plane) == 0 && source.format == target.format &&
      source.planes[0].whole == 0) {
    const int stride = int(source.sample_regions) << (2 * planes.region_shift);
    const auto word = [&](int i) { return w.gather(planes.color.get(), indices + i * stride, m); };
    if (are_same_samples(w, source, m, word)) return w.merge(planes.color + destination_place, word(0), m);
  }
  store_plane(w, planes, place, average_color(w, planes, phase.source_target, phase.source_plane, indices, m), m);
}

// Copies the rasterizer's share of a blit's destination, with nearest sampling. All sources must be in memory. If both
// targets have the same number of samples, each sample is copied. From several samples to one, a colour is the average
// of the samples, and depth and stencil are those of sample 0.
template <class Shared>
BROKKR_FN_NOINLINE void copy_share(const Visit<Shared>& visit, const PhaseRecord& phase) {
  Warp& w = visit.b.warp;
  const TargetTables& planes = visit.t.targets;
  const auto [share, step] = visit.share();
  const int samples = planes.region * planes.region;
  const TargetRecord& source = planes.targets[phase.source_target];
  const TargetRecord& target = planes.targets[phase.target];
  const bool averages = averages_samples(planes, phase);
  const TileBlit tiles(planes, phase);
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = planes.regions_by_owner[i];
    if (region.target != phase.target || region.layer != 0 || !meets_destination(planes, region, phase)) continue;
    if constexpr (kLoadsCanWait) {
      if (replaces_region(planes, region, phase))
        end_clears(visit, region, loads_of(phase.planes));
      else
        end_waiting_load(visit, region, loads_of(phase.planes));
    }
    note_change(visit, region);
    const size_t base = first_sample(planes, region);
    const int sample_start = int(region.sample % source.samples * source.sample_regions) << (2 * planes.region_shift);
    const auto copy_vector = [&](int s, int first, auto&& find) BROKKR_INLINE_LAMBDA {
      Mask m = true;
      Int indices = w.lane() + first;
      if (first < 0) {
        m = find(s, indices);
        if (!w.any(m)) return;
        indices = select(m, indices + sample_start, 0);
      }
      const auto read = [&](const auto* plane) {
        return first >= 0 ? w.load(plane + first) : w.gather(plane, indices, m);
      };
      if ((phase.planes & kPlaneColor) && (averages || (phase.color_plane | phase.source_plane) != 0)) {
        copy_colors(w, planes, phase, base + size_t(s), indices, m);
      } else if (phase.planes & kPlaneColor) {
        Uint low = read(planes.color.get());
        Uint high = planes.color_high ? read(planes.color_high.get()) : 0u;
        if (source.format != target.format) {
          const Stored stored = store_color(target.format, load_color(source.format, low, high));
          low = stored.low;
          high = stored.high;
        }
        w.merge(planes.color + base + s, low, m);
        if (planes.color_high) w.merge(planes.color_high + base + s, high, m);
        if (planes.visible_id) w.store(planes.visible_id + base + s, w.gather(planes.visible_id.get(), indices, m), m);
      }
      if (phase.planes & kPlaneDepth) {
        w.merge(planes.depth + base + s, read(planes.depth.get()), m);
        if (planes.depth_id) w.store(planes.depth_id + base + s, w.gather(planes.depth_id.get(), indices, m), m);
      }
      if (phase.planes & kPlaneStencil) {
        const auto lane_index = w.spill(indices);
        w.for_lanes(m, [&](int lane) { planes.stencil[base + size_t(s + lane)] = planes.stencil[lane_index[lane]]; });
      }
    };
    if constexpr (Warp::takes_turns) {
      copy_tiles(visit, phase, region, tiles, copy_vector);
    } else {
      const auto find = [&](int s, Int& indices) { return find_sources(w, planes, region, phase, s, indices); };
      for (int s = share; s < samples; s += step) copy_vector(s, -1, find);
    }
  }
}

// Writes pending clears of the planes `which` (RegionBit) in the rasterizer's own regions of a target. The caller's
// next barrier completes the writes.
template <class Shared>
BROKKR_FN void write_clears_of_target(const Visit<Shared>& visit, uint32_t target, uint32_t which) {
  const TargetTables& planes = visit.t.targets;
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = planes.regions_by_owner[i];
    if (region.target != target || (planes.region_state[region.number].bits & which) == 0) continue;
    write_clears(visit, region, which);
  }
}

// Replaces the colours of sample 0 by the averages of the pixels' samples, which make the picture that is read back.
// `regions` are the regions of the samples. sRGB is averaged as linear light. Integers keep the value of sample 0.
template <class Shared>
BROKKR_FN_NOINLINE void average_samples(const Visit<Shared>& visit, const RegionRecord* regions, uint32_t samples) {
  Warp& w = visit.b.warp;
  const TargetTables& planes = visit.t.targets;
  const auto [share, step] = visit.share();
  const TargetRecord& target = planes.targets[regions[0].target];
  bool same = true;
  for (uint32_t i = 0; i < samples; ++i) {
    const RegionState &first = planes.region_state[regions[0].number], &other = planes.region_state[regions[i].number];
    same = same && (other.bits & kClearColor) != 0 && other.color == first.color;
  }
  visit.b.sync();  // all warps have read the states
  if (!same) {
    for (uint32_t i = 0; i < samples; ++i) write_clears(visit, regions[i], kClearColor);
    visit.b.sync();
  }
  for (uint32_t plane = 0; plane < uint32_t(kMaxStoredPlanes); ++plane) {
    if (plane == 0 ? same : target.planes[plane].words == 0 || target.planes[plane].whole != 0) continue;
    const size_t stride = size_t(target.sample_regions) << (2 * planes.region_shift);
    for (int s = share; s < planes.region * planes.region; s += step) {
      const size_t place = first_sample(planes, regions[0]) + size_t(s);
      const auto word = [&](int i) { return w.load(planes.color + place + size_t(i) * stride); };
      if (plane == 0 && target.planes[0].whole == 0 && are_same_samples(w, target, true, word)) continue;
      store_plane(w, planes, {regions[0].target, plane, place, false},
                  average_color(w, planes, regions[0].target, plane, w.lane() + int(place), true), true);
    }
  }
}

// Writes the pending clears that commands made in the frame's picture, or all pending clears if others read the planes
// directly. Other pending clears are not written, because readers of planes check the region's state first. The
// caller's next barrier completes the writes.
template <class Shared>
BROKKR_FN void run_finish(const Visit<Shared>& visit, const PhaseRecord& phase) {
  const TargetTables& planes = visit.t.targets;
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = planes.regions_by_owner[i];
    const RegionState& state = planes.region_state[region.number];
    const uint32_t which = state.bits & kClearAny & (phase.planes | ~state.untouched);
    const bool is_shown = phase.target == kEveryTarget || phase.target == region.target;
    if (is_shown && which != 0) write_clears(visit, region, which);
    if constexpr (kKernelFeatures & kFeatureSamples) {
      const uint32_t samples = planes.targets[region.target].samples;
      if (region.sample + 1 == samples && samples > 1 && visit.t.averages)
        average_samples(visit, &region - region.sample, samples);
    }
  }
}

// Writes everything to memory that a rasterizer will copy from.
template <class Shared>
BROKKR_FN void prepare_copy(const Visit<Shared>& visit, const PhaseRecord& phase) {
  if (phase.kind != PhaseKind::blit) return;
  write_clears_of_target(visit, phase.source_target, phase.planes);
  if (phase.target != phase.source_target) write_clears_of_target(visit, phase.target, phase.planes);
}
template <class Shared>
BROKKR_FN void run_copy(const Visit<Shared>& visit, const PhaseRecord& phase) {
  switch (phase.kind) {
    case PhaseKind::publish: publish_share(visit, phase); break;
    case PhaseKind::mips: mip_share(visit, phase); break;
    default: copy_share(visit, phase); break;
  }
}

// A rasterizer's share of a gate, and the sum of all shares.
struct GateShare {
  uint32_t own = 0, all = 0;
};

// Adds the regions of a target's first layer that meet a rectangle (x, y, width, height; extents may be negative).
template <class Shared>
BROKKR_FN void add_regions(const Visit<Shared>& visit, uint32_t number, const int32_t (&rect)[4], GateShare& share) {
  const TargetTables& planes = visit.t.targets;
  const TargetRecord& target = planes.targets[number];
  struct Span {
    int first, end;
  };
  const auto span_of = [](int64_t start, int64_t extent, int64_t size) -> Span {
    const int64_t low = extent < 0 ? start + extent : start, high = extent < 0 ? start : start + extent;
    return {int(low < 0 ? 0 : low < size ? low : size), int(high < 0 ? 0 : high < size ? high : size)};
  };
  const Span x = span_of(rect[0], rect[2], target.width), y = span_of(rect[1], rect[3], target.height);
  if (x.first >= x.end || y.first >= y.end) return;
  const int shift = planes.region_shift;
  const auto count = [&](const Span& span) { return uint32_t(((span.end - 1) >> shift) - (span.first >> shift) + 1); };
  share.all += count(x) * count(y);
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = planes.regions_by_owner[i];
    if (region.target == number && region.layer == 0 && region.sample == 0 && region.x < x.end &&
        region.x + planes.region > x.first && region.y < y.end && region.y + planes.region > y.first)
      ++share.own;
  }
}

// Regions count for blits, whose source and destination they hold, and for publications, which copy them. Each
// rasterizer has one share of the levels of a texture.
template <class Shared>
BROKKR_FN GateShare share_of_gate(const Visit<Shared>& visit, const PhaseRecord& phase) {
  GateShare share;
  if (phase.kind == PhaseKind::mips) return {1, visit.t.targets.rasterizers};
  if (phase.kind == PhaseKind::publish) {
    const TargetRecord& source = visit.t.targets.targets[phase.source_target];
    const int32_t whole[4] = {0, 0, int32_t(source.width), int32_t(source.height)};
    add_regions(visit, phase.source_target, whole, share);
    return share;
  }
  add_regions(visit, phase.source_target, phase.source, share);
  add_regions(visit, phase.target, phase.destination, share);
  return share;
}

// The answer of run_gated if the phase is over.
inline constexpr uint32_t kNoWake = 0;

// A blit reads regions of other rasterizers. Therefore no rasterizer that has regions of its source or destination
// copies before all of these have arrived, and none continues before all have copied. Others take no part. All
// rasterizers read textures: they all arrive before one is written, unless nothing has read it yet, and await the
// copies. Returns kNoWake if the phase is over, otherwise when to visit again (RasterizerState::wake).
template <class Shared>
BROKKR_FN_NOINLINE uint32_t run_gated(const Visit<Shared>& visit, const PhaseRecord& phase) {
  Block<Shared>& b = visit.b;
  const auto come_to = [](uint32_t& door, uint32_t own, uint32_t all) {
    device_atomic<uint32_t> word(door);
    if (own != 0 && word.fetch_add(own, kRelease) + own == all) word.fetch_or(kDoorIsOpen, kRelease);
  };
  const auto is_open = [](uint32_t& door) { return (device_atomic<uint32_t>(door).load(kAcquire) & kDoorIsOpen) != 0; };
  const GateShare share = share_of_gate(visit, phase);
  const bool is_blit = phase.kind == PhaseKind::blit;
  if (is_blit && share.own == 0) return kNoWake;
  for (;;) {
    const GateStep reached = visit.state().gate_step;
    const GateStep step = reached == GateStep::arrive && phase.unread ? GateStep::copy : reached;
    const bool is_last = step == GateStep::await_copies || (step == GateStep::copy && phase.joined != 0);
    if (step == GateStep::arrive) {
      prepare_copy(visit, phase);
    } else if (step == GateStep::copy) {
      run_copy(visit, phase);
    }
    b.sync();
    if (b.leader()) {
      b.warp.once([&] {
        BlitGate& gate = visit.t.gates[phase.gate];
        uint32_t wake = kNoWake;
        GateStep next = GateStep::arrive;
        switch (step) {
          case GateStep::arrive:
            come_to(gate.arrived, is_blit ? share.own : 1u, is_blit ? share.all : visit.t.targets.rasterizers);
            next = share.own != 0 ? GateStep::await_all : GateStep::await_copies;
            break;
          case GateStep::await_all:
            if (!is_open(gate.arrived)) wake = wake_at(phase.gate, step);
            next = GateStep::copy;
            break;
          case GateStep::copy:
            come_to(gate.copied, share.own, share.all);
            next = is_last ? GateStep::arrive : GateStep::await_copies;
            break;
          case GateStep::await_copies:
            for (uint32_t g = phase.first_gate; g <= phase.gate; ++g) {
              if (!is_open(visit.t.gates[g].copied)) wake = wake_at(g, step);
            }
            break;
        }
        visit.shared().flag = wake;
        if (wake == kNoWake) visit.state().gate_step = next;
      });
    }
    b.sync();
    const uint32_t wake = visit.shared().flag;
    if (wake != kNoWake || is_last) return wake;
  }
}

BROKKR_MACHINE_END
