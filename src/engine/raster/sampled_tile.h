// The tile path for pixels of several samples (raster/sampled.h). It computes coverage and tests for each sample, runs
// the fragment shader once per triangle and pixel, at the pixel's centre, and writes the colour to the samples that
// passed. Programs with kProgramPerSample run for each sample.
#pragma once

#include "raster/resolve_samples.h"
#include "raster/sampled.h"
#include "raster/sampled_inputs.h"
#include "raster/tile.h"

BROKKR_MACHINE_BEGIN

// A warp's memory: the tile of each sample, and the samples that a triangle or the batch of a program covers.
struct SampledTile {
  TileBuffer tile[kMaxSamples];
  float depth[kMaxSamples][kTileSamples];
  uint64_t wanted[kMaxSamples], covered[kMaxSamples];
};
static_assert(sizeof(SampledTile) == kSampledTileBytes);

// One tile of an ordered phase; `regions`: the regions of its samples.
struct SampledPass {
  const TargetTables& planes;
  const RegionRecord* regions;
  uint32_t samples;
  ShadeContext& shading;
  SampledTile& memory;
  TileCounts& counts;
  ColorFormat format;
  uint32_t beside_colors;
  int x0 = 0, y0 = 0;  // the tile's first pixel within its region
  int tile = 0;        // its number in the region

  BROKKR_FN TilePass of_sample(uint32_t i) const {
    return {planes,
            regions[i],
            shading,
            memory.tile[i],
            counts,
            format,
            beside_colors,
            x0,
            y0,
            first_sample(planes, regions[i]) + size_t(tile) * kTileSamples};
  }
};

// A listed triangle.
struct SampledTriangle {
  const TriangleBlock& block;
  int record;
  uint32_t primitive;
  bool whole;  // it covers all samples of the tile

  BROKKR_FN RegionTriangle of_sample(const SampledPass& pass, const DrawRecord& draw, uint32_t i) const {
    const RegionRecord& region = pass.regions[i];
    return SampleRule(draw, pass.samples, i).triangle(block, record, region.x, region.y);
  }
};

// Finds the samples that the triangle covers. Returns the pixels, one bit each.
BROKKR_FN_NOINLINE uint64_t cover_samples(Warp& w, const SampledPass& pass, const DrawRecord& draw,
                                          const SampledTriangle& tri, uint64_t (&covered)[kMaxSamples]) {
  uint64_t pixels = 0;
  for (uint32_t i = 0; i < pass.samples; ++i) {
    covered[i] = 0;
    if (SampleRule(draw, pass.samples, i).skips) continue;
    const RegionTriangle of = tri.of_sample(pass, draw, i);
    const TileEdges edges(w, of, pass.x0, pass.y0);
    const TilePass tile = pass.of_sample(i);
    covered[i] = covered_in_tile(w, tile, edges, tri.whole);
    pixels |= covered[i];
  }
  return pixels;
}
BROKKR_FN_NOINLINE void store_depths(Warp& w, const SampledPass& pass, const DrawRecord& draw,
                                     const SampledTriangle& tri, const uint64_t (&covered)[kMaxSamples]) {
  for (uint32_t i = 0; i < pass.samples; ++i) {
    if (covered[i] == 0) continue;
    const RegionTriangle of = tri.of_sample(pass, draw, i);
    const TileEdges edges(w, of, pass.x0, pass.y0);
    for (int s = 0; s < kTileSamples; s += w.width) {
      const Mask m = w.lanes_of(uint32_t(covered[i] >> s));
      if (w.any(m)) w.merge(pass.memory.depth[i] + s, edges.depth(s), m);
    }
  }
  w.sync();
}

// The time of the tests of a draw whose program may remove samples (ProgramTests).
BROKKR_FN ProgramTests tests_of_samples(const ProgramRecord& program, const DrawRecord& draw) {
  return ProgramTests(program, draw, (draw.bits & kDrawOneSample) != 0 ? kProgramDiscards : kRemovesSamples);
}

// The lanes of m whose sample i the program's results keep: gl_SampleMask and alpha to coverage.
BROKKR_FN Mask kept_samples(Warp& w, const SampledPass& pass, const ProgramRun& run, uint32_t i, int s, Mask m) {
  if (run.program.sample_mask != kNoOutput) {
    const Uint mask = w.load(run.results() + int(run.program.sample_mask) * kTileSamples + s);
    m = m && ((mask >> i) & 1u) != 0;
  }
  if (run.program.bits & kProgramAlphaToCoverage) {
    const Float alpha = run.program.alpha == kNoOutput ? Float(1.0f) : result_of(w, run, run.program.alpha, s);
    m = m && alpha > float(i) / float(pass.samples);
  }
  return m;
}

// Writes the waiting pixels `kept` of sample i.
BROKKR_FN void write_sample(Warp& w, const SampledPass& pass, const ProgramRun& run, const DrawRecord& draw, uint32_t i,
                            uint64_t kept) {
  const ProgramTests tests = tests_of_samples(run.program, draw);
  const bool removes = tests.discards && (draw.bits & kDrawOneSample) == 0;
  const TilePass tile = pass.of_sample(i);
  const TileDraw to{tile, draw};
  const uint64_t wanted = pass.memory.wanted[i] & kept;
  for (int s = 0; s < kTileSamples; s += w.width) {
    Mask m = w.lanes_of(uint32_t(wanted >> s));
    if (!w.any(m)) continue;
    if (removes) m = kept_samples(w, pass, run, i, s, m);
    const Float z = tests.depth ? clamp_to(result_of(w, run, run.program.depth, s), 0.0f, 1.0f) + 0.0f
                                : w.load(pass.memory.depth[i] + s);
    if (tests.late || tests.discards) m = to.test(w, s, z, m);
    if (!w.any(m)) continue;
    const Uint primitive = w.load(run.memory.primitive + s);
    to.write_depth(w, s, z, primitive, m);
    to.write_all(w, run, s, primitive, m);
  }
}

// Shades the waiting pixels and writes their samples.
BROKKR_FN_NOINLINE void draw_sampled_batch(Warp& w, const SampledPass& pass, ProgramBatch& batch) {
  const DrawRecord& draw = *batch.draw;
  const ProgramRun run = open_program(pass.of_sample(0), draw);
  const ProgramTests tests = tests_of_samples(run.program, draw);
  const bool per_sample = (run.program.bits & kProgramPerSample) != 0 && (draw.bits & kDrawOneSample) == 0;
  const bool runs = run.program.color_count != 0 || tests.discards || tests.depth;
  w.sync();
  // A run for all samples, or for each of them.
  for (uint32_t first = 0; first < pass.samples; first += per_sample ? 1 : pass.samples) {
    uint64_t kept = per_sample ? pass.memory.wanted[first] : batch.wanted;
    if (kept == 0) continue;
    if (runs) {
      pass.counts.shaded += uint64_t(count_bits(kept));
      kept = run_sampled(w, pass.shading, run, kept, batch.triangles == 1,
                         {pass.samples, per_sample ? int(first) : -1, draw, pass.memory.covered, pass.memory.wanted});
    }
    for (uint32_t i = first; i < (per_sample ? first + 1 : pass.samples); ++i)
      write_sample(w, pass, run, draw, i, kept);
    w.sync();
  }
  w.once([&] {
    for (uint64_t& wanted : pass.memory.wanted) wanted = 0;
  });
  w.sync();
  batch = {};
}
BROKKR_FN void finish_batch(Warp& w, const SampledPass& pass, ProgramBatch& batch) {
  if constexpr (kKernelFeatures & kFeaturePrograms) {
    if (batch.draw != nullptr) draw_sampled_batch(w, pass, batch);
  }
}

// Adds a triangle of a draw that runs a program.
BROKKR_FN_NOINLINE void draw_program_in_tile(Warp& w, const SampledPass& pass, const DrawRecord& draw,
                                             const SampledTriangle& tri, ProgramBatch& batch) {
  uint64_t covered[kMaxSamples];
  const uint64_t pixels = cover_samples(w, pass, draw, tri, covered);
  if (batch.draw != &draw || (batch.wanted & pixels) != 0) finish_batch(w, pass, batch);
  if (pixels == 0) return;
  store_depths(w, pass, draw, tri, covered);
  ProgramMemory& memory = *pass.shading.memory;
  const ProgramTests tests = tests_of_samples(pass.shading.programs->programs[draw.program], draw);
  uint64_t some = 0;
  for (uint32_t i = 0; i < pass.samples; ++i) {
    const TilePass tile = pass.of_sample(i);
    const TileDraw to{tile, draw};
    uint64_t wanted = tests.late ? covered[i] : 0;
    for (int s = 0; s < kTileSamples && !tests.late; s += w.width) {
      const Mask m = w.lanes_of(uint32_t(covered[i] >> s));
      if (!w.any(m)) continue;
      const Float z = w.load(pass.memory.depth[i] + s);
      wanted |= uint64_t(w.ballot(tests.discards ? to.would_pass(w, s, z, m) : to.test(w, s, z, m))) << s;
    }
    w.once([&] {
      pass.memory.wanted[i] |= wanted;
      pass.memory.covered[i] = (pass.memory.covered[i] & ~pixels) | covered[i];
    });
    some |= wanted;
  }
  w.sync();
  if (some == 0) return;
  for (int s = 0; s < kTileSamples; s += w.width)
    w.merge(memory.primitive + s, tri.primitive, w.lanes_of(uint32_t(some >> s)));
  batch.draw = &draw;
  batch.wanted |= some;
  ++batch.triangles;
}

// Draws one triangle of a draw with a built-in shader: coverage, tests, shading and blending.
BROKKR_FN_NOINLINE void draw_in_tile(Warp& w, const SampledPass& pass, const DrawRecord& draw,
                                     const SampledTriangle& tri) {
  uint64_t covered[kMaxSamples];
  const uint64_t pixels = cover_samples(w, pass, draw, tri, covered);
  if (pixels == 0) return;
  store_depths(w, pass, draw, tri, covered);
  const MaterialRecord* material = draw.bits & kDrawMaterial ? pass.shading.frame->materials + draw.material : nullptr;
  const bool discards = material && (material->alpha_cutoff > 0.0f || (draw.bits & kDrawAlphaTest)) &&
                        shows_materials(pass.shading.shading);
  const bool shares = shades_pixels(pass.shading.shading);
  uint64_t shaded = 0;
  for (int s = 0; s < kTileSamples; s += w.width) {
    const Mask some = w.lanes_of(uint32_t(pixels >> s));
    if (!w.any(some)) continue;
    const Int pixel = w.lane() + s;
    Samples in;
    in.x = to_float(tile_x(pixel) + (pass.x0 + pass.regions->x)) + 0.5f;
    in.y = to_float(tile_y(pixel) + (pass.y0 + pass.regions->y)) + 0.5f;
    in.z = 0.0f;
    in.primitive = tri.primitive;
    Fragment<Warp> fragment;
    Mask kept = some;
    if (discards) {
      fragment = shade(w, pass.shading, in, true);
      shaded += uint64_t(w.count(some));
      kept = some && fragment.keep;
      if (draw.bits & kDrawAlphaTest) kept = kept && compare(draw.alpha_func, fragment.color.w, draw.alpha_ref);
    }
    uint32_t visible[kMaxSamples], any = 0;
    for (uint32_t i = 0; i < pass.samples; ++i) {
      visible[i] = 0;
      const Mask m = kept && w.lanes_of(uint32_t(covered[i] >> s));
      if (!w.any(m)) continue;
      const TilePass tile = pass.of_sample(i);
      const TileDraw to{tile, draw};
      const Float z = w.load(pass.memory.depth[i] + s);
      const Mask passed = to.test(w, s, z, m);
      to.write_depth(w, s, z, tri.primitive, passed);
      visible[i] = uint32_t(w.ballot(passed));
      any |= visible[i];
    }
    if (any == 0 || draw.color_mask == 0) continue;
    if (!discards && shares) {
      fragment = shade(w, pass.shading, in, true);
      shaded += uint64_t(count_bits(any));
    }
    for (uint32_t i = 0; i < pass.samples; ++i) {
      if (visible[i] == 0) continue;
      const TilePass tile = pass.of_sample(i);
      if (!discards && !shares) {
        in.z = w.load(pass.memory.depth[i] + s);
        fragment = shade(w, pass.shading, in, true);
        shaded += uint64_t(count_bits(visible[i]));
      }
      TileDraw{tile, draw}.write(w, s, color_of(fragment), tri.primitive, w.lanes_of(visible[i]));
    }
  }
  pass.counts.shaded += shaded;
}

BROKKR_MACHINE_END
