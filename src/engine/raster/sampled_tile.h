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
  const RegionTriangle& centre;  // at the centres of pixels
  bool whole;                    // it covers all samples of the tile
};

// A triangle at the samples of a tile's pixels, one sample index after another.
class SampledEdges {
 public:
  BROKKR_FN SampledEdges(Warp& w, const SampledPass& pass, const DrawRecord& draw, const SampledTriangle& tri)
      : pass_(pass), draw_(draw), triangle_(tri), tri_(tri.centre), edges_(w, tri_, pass.x0, pass.y0) {}
  BROKKR_FN SampleRule rule(uint32_t i) const { return {draw_, pass_.samples, i}; }

  // Finds the samples that the triangle covers. Returns the pixels, one bit each.
  BROKKR_FN uint64_t cover(Warp& w, uint64_t (&covered)[kMaxSamples]) {
    const bool whole = triangle_.whole, same = (draw_.bits & kDrawOneSample) != 0;
    const EdgeFunctions exact(triangle_.block, triangle_.record, pass_.regions->x, pass_.regions->y);
    uint64_t pixels = 0, found = whole ? ~uint64_t(0) : 0;
    bool finds = !whole;
    for (uint32_t i = 0; i < pass_.samples; ++i) {
      const SampleRule sample_rule = rule(i);
      covered[i] = 0;
      if (sample_rule.skips) continue;
      if (finds) {
        for (int k = 0; k < 3; ++k) tri_.e[k] = exact.at(k, sample_rule.dx, sample_rule.dy);
        edges_.move(w);
        found = inside(w);
        finds = !same;  // all samples lie at the centre
      }
      count_covered(w, pass_.of_sample(i), found);
      covered[i] = found;
      pixels |= found;
    }
    return pixels;
  }
  // Calls f(s, m, z) for the vectors s .. s + width - 1 with any of `samples`: their lanes m and depths at sample i.
  template <class F>
  BROKKR_FN void for_depths(Warp& w, uint32_t i, uint64_t samples, F&& f) {
    const SampleRule sample_rule = rule(i);
    const RegionTriangle& centre = triangle_.centre;
    tri_.z =
        (centre.z + centre.z_dx * (float(sample_rule.dx) * 0x1p-8f)) + centre.z_dy * (float(sample_rule.dy) * 0x1p-8f);
    const TileDepths depths(edges_, samples);
    for_vectors_of(w, samples, [&](int s, Mask m) BROKKR_INLINE_LAMBDA { f(s, m, depths.at(s)); });
  }

 private:
  const SampledPass& pass_;
  const DrawRecord& draw_;
  const SampledTriangle& triangle_;
  RegionTriangle tri_;  // its edge functions and depth move from sample to sample
  TileEdges edges_;     // of tri_

  BROKKR_FN uint64_t inside(Warp& w) const {
    if constexpr (kTileStartsFit) return edges_.coverage_by_edges(w);
    uint64_t covered = 0;
    for (int s = 0; s < kTileSamples; s += w.width) {
      if (!edges_.misses_box(s)) covered |= uint64_t(w.ballot(edges_.inside(s))) << s;
    }
    return covered;
  }
};

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

// The tests of samples that come after a draw's program.
struct LateTests {
  const SampledPass& pass;
  const ProgramRun& run;
  const DrawRecord& draw;
  ProgramTests tests;
  bool removes;  // the program may remove some samples of a pixel

  BROKKR_FN LateTests(const SampledPass& sampled_pass, const ProgramRun& program_run, const DrawRecord& tested_draw)
      : pass(sampled_pass),
        run(program_run),
        draw(tested_draw),
        tests(tests_of_samples(program_run.program, tested_draw)),
        removes(tests.discards && (tested_draw.bits & kDrawOneSample) == 0 &&
                (program_run.program.sample_mask != kNoOutput ||
                 (program_run.program.bits & kProgramAlphaToCoverage) != 0)) {}
  // The depths that the program wrote; 0 if it writes none.
  BROKKR_FN Float written(Warp& w, int s) const {
    return tests.depth ? clamp_to(result_of(w, run, run.program.depth, s), 0.0f, 1.0f) + 0.0f : Float(0.0f);
  }
  // Makes the tests of sample i, and writes its depths. `z`: written(). Returns the visible lanes of m.
  BROKKR_FN Mask make(Warp& w, uint32_t i, int s, Float z, Mask m) const {
    if (!tests.after()) return m;
    if (removes) m = kept_samples(w, pass, run, i, s, m);
    const TilePass tile = pass.of_sample(i);
    const TileDraw tile_draw{tile, draw};
    if (!tests.depth) z = w.load(pass.memory.depth[i] + s);
    m = tile_draw.test(w, s, z, m);
    tile_draw.write_depth(w, s, z, w.load(run.memory.primitive + s), m);
    return m;
  }
};

// Writes the waiting pixels `kept` of sample i.
BROKKR_FN void write_sample(Warp& w, const SampledPass& pass, const ProgramRun& run, const DrawRecord& draw, uint32_t i,
                            uint64_t kept) {
  const TilePass tile = pass.of_sample(i);
  const TileDraw tile_draw{tile, draw};
  const LateTests late(pass, run, draw);
  for_vectors_of(w, pass.memory.wanted[i] & kept, [&](int s, Mask m) BROKKR_INLINE_LAMBDA {
    m = late.make(w, i, s, late.written(w, s), m);
    if (w.any(m)) tile_draw.write_all(w, run, s, w.load(run.memory.primitive + s), m);
  });
}

// Writes the waiting pixels `kept` of all samples, which share the program's colour. Returns false if another path must
// write them.
BROKKR_FN bool write_samples(Warp& w, const SampledPass& pass, const ProgramRun& run, const DrawRecord& draw,
                             uint64_t kept) {
  if constexpr (Warp::takes_turns) {
    const TilePass first = pass.of_sample(0);
    if (!BatchWrite::suffices(first, run)) return false;
    const LateTests late(pass, run, draw);
    BatchWrite(first, draw, run).write_tiles(w, kept, [&](int s, Mask m, auto&& put) BROKKR_INLINE_LAMBDA {
      const Float z = late.written(w, s);
      for (uint32_t i = 0; i < pass.samples; ++i) {
        const auto lanes = uint32_t(pass.memory.wanted[i] >> s & kVectorBits);
        if (lanes == 0) continue;
        put(pass.memory.tile[i].color, late.make(w, i, s, z, m && w.lanes_of(lanes)));
      }
    });
    return true;
  }
  return false;
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
    if (per_sample || !write_samples(w, pass, run, draw, kept)) {
      for (uint32_t i = first; i < (per_sample ? first + 1 : pass.samples); ++i)
        write_sample(w, pass, run, draw, i, kept);
    }
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
  SampledEdges edges(w, pass, draw, tri);
  uint64_t covered[kMaxSamples];
  const uint64_t pixels = edges.cover(w, covered);
  if (batch.draw != &draw || (batch.wanted & pixels) != 0) finish_batch(w, pass, batch);
  if (pixels == 0) return;
  ProgramMemory& memory = *pass.shading.memory;
  const ProgramTests tests = tests_of_samples(pass.shading.programs->programs[draw.program], draw);
  // Nothing else reads depths. A depth that the program writes is a result.
  const bool has_depth = !tests.depth && (draw.bits & (kDrawDepthTest | kDrawDepthWrite)) != 0;
  const bool has_tests = !tests.late && (draw.bits & (kDrawDepthTest | kDrawStencil)) != 0;
  uint64_t some = 0;
  for (uint32_t i = 0; i < pass.samples; ++i) {
    uint64_t wanted = has_depth || has_tests ? 0 : covered[i];
    if (covered[i] != 0 && (has_depth || has_tests)) {
      const TilePass tile = pass.of_sample(i);
      const TileDraw tile_draw{tile, draw};
      edges.for_depths(w, i, covered[i], [&](int s, Mask m, Float z) BROKKR_INLINE_LAMBDA {
        if (has_tests) m = tests.discards ? tile_draw.would_pass(w, s, z, m) : tile_draw.test(w, s, z, m);
        if (!tests.after())
          tile_draw.write_depth(w, s, z, tri.centre.primitive, m);
        else if (has_depth)
          w.merge(pass.memory.depth[i] + s, z, m);
        wanted |= uint64_t(w.ballot(m)) << s;
      });
    }
    w.once([&] {
      pass.memory.wanted[i] |= wanted;
      pass.memory.covered[i] = (pass.memory.covered[i] & ~pixels) | covered[i];
    });
    some |= wanted;
  }
  w.sync();
  if (some == 0) return;
  for_vectors_of(w, some,
                 [&](int s, Mask m) BROKKR_INLINE_LAMBDA { w.merge(memory.primitive + s, tri.centre.primitive, m); });
  batch.draw = &draw;
  batch.wanted |= some;
  ++batch.triangles;
}

// Draws one triangle of a draw with a built-in shader: coverage, tests, shading and blending.
BROKKR_FN_NOINLINE void draw_in_tile(Warp& w, const SampledPass& pass, const DrawRecord& draw,
                                     const SampledTriangle& tri) {
  SampledEdges edges(w, pass, draw, tri);
  uint64_t covered[kMaxSamples];
  const uint64_t pixels = edges.cover(w, covered);
  if (pixels == 0) return;
  for (uint32_t i = 0; i < pass.samples; ++i) {
    edges.for_depths(w, i, covered[i],
                     [&](int s, Mask m, Float z) BROKKR_INLINE_LAMBDA { w.merge(pass.memory.depth[i] + s, z, m); });
  }
  w.sync();
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
    in.primitive = tri.centre.primitive;
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
      const TileDraw tile_draw{tile, draw};
      const Float z = w.load(pass.memory.depth[i] + s);
      const Mask passed = tile_draw.test(w, s, z, m);
      tile_draw.write_depth(w, s, z, tri.centre.primitive, passed);
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
      TileDraw{tile, draw}.write(w, s, color_of(fragment), tri.centre.primitive, w.lanes_of(visible[i]));
    }
  }
  pass.counts.shaded += shaded;
}

BROKKR_MACHINE_END
