// Shades the primitives that an order-free phase has found in pixels of several samples (raster/sampled.h). A primitive
// is shaded once in each pixel in which it is visible, at the pixel's centre. All its samples in the pixel get the
// colour. Programs with kProgramPerSample run for each sample.
#pragma once

#include "raster/plane.h"
#include "raster/resolve.h"
#include "raster/sampled_inputs.h"

BROKKR_MACHINE_BEGIN

// Returns true if one run shades a pixel. Modes that show depth or other values of single samples shade each sample.
BROKKR_FN bool shades_pixels(Shading shading) { return shading == Shading::flat || shows_materials(shading); }

// One tile of a region and its samples. Keys are in memory: orders in the order plane, depths in the depth plane, where
// they stay.
struct SampledTileKeys {
  const KeyPass& pass;
  uint32_t samples;
  size_t stride;  // from a sample to the next one of the same pixel, in the planes
  size_t first;   // the tile's first pixel, sample 0

  BROKKR_FN SampledTileKeys(const KeyPass& key_pass, uint32_t samples_per_pixel, int tile)
      : pass(key_pass),
        samples(samples_per_pixel),
        stride(size_t(key_pass.planes->targets[key_pass.region->target].sample_regions) * size_t(key_pass.samples())),
        first(key_pass.base() + size_t(tile) * kTileSamples) {}

  BROKKR_FN size_t place(uint32_t i, int s) const { return first + i * stride + size_t(s); }
  BROKKR_FN Uint order(Warp& w, uint32_t i, int s) const { return w.load(pass.planes->order + place(i, s)); }
  // Marks lanes m of sample i as shaded.
  BROKKR_FN void finish(Warp& w, uint32_t i, int s, Mask m) const {
    w.merge(pass.planes->order + place(i, s), nothing_new(pass.key_bits), m);
  }
  BROKKR_FN void note_writer(Warp& w, uint32_t i, int s, Uint primitive, Mask m) const {
    const TargetTables& planes = *pass.planes;
    if (!planes.visible_id) return;
    w.merge(planes.visible_id + place(i, s), primitive, m);
    stamp(w, planes, place(i, s), m);
  }
  // Writes the region's pending clears of colours to the tile.
  BROKKR_FN void write_clears(Warp& w) const {
    const TargetTables& planes = *pass.planes;
    for (uint32_t i = 0; i < samples; ++i) {
      const RegionState state = planes.region_state[(&*pass.region)[i].number];
      if (state.bits & kClearColor)
        clear_samples(w, planes, state, kClearColor, {place(i, 0), kTileSamples}, {0, w.width});
    }
  }
};

// Shades the pixels of a tile that draws with programs won. (x0, y0) is the tile's first pixel. Returns their number.
BROKKR_FN_NOINLINE int shade_sampled_programs(Warp& w, ShadeContext& context, const SampledTileKeys& keys, int x0,
                                              int y0) {
  ProgramMemory& memory = *context.memory;
  const FrameTables& frame = *context.frame;
  const KeyPass& pass = keys.pass;
  const TargetTables& planes = *pass.planes;
  const Uint nothing = nothing_new(pass.key_bits);
  int shaded = 0;
  for (uint32_t i = 0; i < keys.samples; ++i) {
    uint64_t todo = 0;
    for (int s = 0; s < kTileSamples; s += w.width) {
      const Uint order = keys.order(w, i, s);
      w.store(memory.primitive + s, primitive_of_order(order, pass.key_bits));
      todo |= uint64_t(w.ballot(order != nothing)) << s;
    }
    w.sync();
    while (todo != 0) {
      const RunRecord& first_run = frame.runs[frame.batch_run[memory.primitive[lowest_bit(todo)] / kBatchTriangles]];
      const DrawRecord& draw = frame.draws[first_run.draw];
      const uint64_t same = todo & samples_of_run(w, first_run, draw, memory);
      todo &= ~same;
      if (draw.program == kNoProgram) continue;
      const ProgramRun run = open_program(context, draw.program, x0, y0);
      const bool per_sample = (run.program.bits & kProgramPerSample) != 0 && (draw.bits & kDrawOneSample) == 0;
      run_sampled(w, context, run, same, false, {keys.samples, per_sample ? int(i) : -1, draw, nullptr, nullptr});
      shaded += count_bits(same);
      const bool raw = (run.program.bits & kProgramRaw) != 0;
      for (int s = 0; s < kTileSamples; s += w.width) {
        const Mask m = w.lanes_of(uint32_t(same >> s));
        if (!w.any(m)) continue;
        const Uint order = keys.order(w, i, s), primitive = w.load(memory.primitive + s);
        for (uint32_t j = i; j < (per_sample ? i + 1 : keys.samples); ++j) {
          const Mask here = m && keys.order(w, j, s) == order;
          if (!w.any(here)) continue;
          for (uint32_t c = 0; c < run.program.color_count; ++c) {
            const ProgramColor& output = run.program.colors[c];
            store_plane(w, planes, {pass.region->target, output.plane, keys.place(j, s), raw},
                        color_of(w, run, output, s), here);
          }
          keys.note_writer(w, j, s, primitive, here);
          keys.finish(w, j, s, here);
        }
      }
      w.sync();
    }
  }
  return shaded;
}

// Does the same for draws with built-in shaders. (x0, y0) is the tile's first pixel.
BROKKR_FN int shade_sampled(Warp& w, ShadeContext& context, const SampledTileKeys& keys, bool quads, int x0, int y0) {
  const KeyPass& pass = keys.pass;
  const TargetTables& planes = *pass.planes;
  const uint32_t format = planes.targets[pass.region->target].format;
  const bool half = format == uint32_t(ColorFormat::rgba16f), shares = shades_pixels(context.shading);
  const Uint nothing = nothing_new(pass.key_bits);
  int shaded = 0;
  for (int s = 0; s < kTileSamples; s += w.width) {
    for (uint32_t i = 0; i < keys.samples; ++i) {
      const Uint order = keys.order(w, i, s);
      const Mask won = order != nothing;
      if (!w.any(won)) continue;
      const Int pixel = w.lane() + s;
      Samples in;
      in.x = to_float(tile_x(pixel) + x0) + 0.5f;
      in.y = to_float(tile_y(pixel) + y0) + 0.5f;
      in.z = w.load(planes.depth + keys.place(i, s));
      in.primitive = primitive_of_order(order, pass.key_bits);
      const Stored shown = store_color(format, shade_won(w, context, quads, in, won));
      shaded += w.count(won);
      for (uint32_t j = i; j < (shares ? keys.samples : i + 1); ++j) {
        const Mask here = won && keys.order(w, j, s) == order;
        w.merge(planes.color + keys.place(j, s), shown.low, here);
        if (half) w.merge(planes.color_high + keys.place(j, s), shown.high, here);
        keys.note_writer(w, j, s, in.primitive, here);
        keys.finish(w, j, s, here);
      }
    }
  }
  return shaded;
}

// Resolves the tiles of the warp's share. `pass` belongs to sample 0; the regions of the other samples follow. Returns
// the number of program or shader runs.
BROKKR_FN_NOINLINE int resolve_samples(Warp& w, KeyPass pass, uint32_t samples, Share tiles, bool quads,
                                       ShadeContext& context) {
  const TargetTables& planes = *in_shared_memory(pass.planes);
  const int tiles_shift = pass.shift - 3;
  const Uint nothing = nothing_new(pass.key_bits);
  const bool writes_color = !(pass.key_bits & kKeyDepthOnly);
  int shaded = 0;
  for (int tile = tiles.first; tile * kTileSamples < pass.samples(); tile += tiles.step) {
    const SampledTileKeys keys(pass, samples, tile);
    for (uint32_t i = 0; i < samples && planes.depth_id; ++i) {
      for (int s = 0; s < kTileSamples; s += w.width) {
        const Uint order = keys.order(w, i, s);
        w.merge(planes.depth_id + keys.place(i, s), primitive_of_order(order, pass.key_bits), order != nothing);
      }
    }
    if (!writes_color) continue;
    const int x0 = pass.x + (tile & ((1 << tiles_shift) - 1)) * kTile, y0 = pass.y + (tile >> tiles_shift) * kTile;
    keys.write_clears(w);
    w.sync();
    if (context.shows_programs()) shaded += shade_sampled_programs(w, context, keys, x0, y0);
    shaded += shade_sampled(w, context, keys, quads, x0, y0);
  }
  return shaded;
}

BROKKR_MACHINE_END
