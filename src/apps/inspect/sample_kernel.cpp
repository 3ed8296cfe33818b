// Runs single samples through the pipeline's stages, compiled for one CPU machine (BROKKR_ISA).
#include "inspect/sample_kernel.h"

#include "geometry/geometry_stage.h"
#include "raster/tile.h"

BROKKR_MACHINE_BEGIN
namespace inspect {

// Data shared by all samples of one call.
struct SampleRun {
  const SampleCall& call;
  ShadeContext shade_context;
  TileBuffer tile;
  uint32_t visible[kTileSamples], depth_writer[kTileSamples];
};

// Morton index in its 8x8 tile.
static int position_in_tile(int x, int y) {
  int m = 0;
  for (int bit = 0; bit < 3; ++bit) m |= ((x >> bit) & 1) << (2 * bit) | ((y >> bit) & 1) << (2 * bit + 1);
  return m;
}

static bool covers(const RegionTriangle& t, int x, int y) {
  if (!meet(t.box, Box<int32_t>{x, y, x, y})) return false;
  for (int k = 0; k < 3; ++k) {
    if (t.e[k] + t.a[k] * x + t.b[k] * y < 0) return false;
  }
  return true;
}

// A triangle in the region that is a sample's tile.
struct TriangleInTile {
  RegionRecord region;
  RegionTriangle triangle;
  int sample;  // number of the followed sample in the tile
};

// Fills the sample's tile with `state`, draws the triangle into it, and returns the sample's new content.
static SampleState draw_once(Warp& w, SampleRun& run, const TriangleInTile& covering, const DrawRecord& draw,
                             const SampleState& state) {
  for (int s = 0; s < kTileSamples; ++s) {
    run.tile.color[s] = state.low;
    run.tile.color_high[s] = state.high;
    run.tile.depth[s] = state.depth;
    run.tile.stencil[s] = state.stencil;
    run.visible[s] = state.visible_id;
    run.depth_writer[s] = state.depth_id;
  }
  TargetTables tables{};
  tables.targets = run.call.targets;
  tables.visible_id = run.visible;
  tables.depth_id = run.depth_writer;
  TileCounts counts;
  const RegionRecord& region = covering.region;
  const TilePass pass{tables, region, run.shade_context, run.tile, counts, format_of(tables, region)};
  draw_in_tile(w, pass, draw, covering.triangle, false);
  const int sample = covering.sample;
  return {run.tile.color[sample], pass.half() ? run.tile.color_high[sample] : 0u,
          run.tile.depth[sample], run.tile.stencil[sample],
          run.visible[sample],    run.depth_writer[sample]};
}

static void follow(Warp& w, SampleRun& run, uint32_t number, const TriangleBlock& block, int i) {
  FollowedSample& sample = run.call.samples[number];
  if (!meet(record_box(block, i), Box<int32_t>{sample.x, sample.y, sample.x, sample.y})) return;
  const RegionRecord region{sample.target, sample.layer, sample.x & ~7, sample.y & ~7, 0};
  const int x = sample.x & 7, y = sample.y & 7;
  const TriangleInTile covering{region, region_triangle(block, i, region.x, region.y), position_in_tile(x, y)};
  const RegionTriangle& triangle = covering.triangle;
  if (!covers(triangle, x, y)) return;

  const DrawRecord& draw = run.call.frame.draws[block.draw];
  SampleFragment f;
  f.sample = number;
  f.primitive = triangle.primitive;
  f.before = sample.state;
  // Draw the same triangle again: first without tests and blending, to see the shader's colour or discard; then with
  // only the stencil test, to see whether it passes.
  DrawRecord bare = draw;
  bare.bits &= ~uint32_t(kDrawDepthTest | kDrawStencil | kDrawBlend);
  bare.bits |= kDrawDepthWrite;
  bare.color_mask = 15;
  SampleState marked = sample.state;
  marked.visible_id = marked.depth_id = kNoPrimitive;
  const SampleState shown = draw_once(w, run, covering, bare, marked);
  f.shader_low = shown.low;
  f.shader_high = shown.high;
  DrawRecord stencil_only = bare;
  stencil_only.bits |= draw.bits & kDrawStencil;
  DrawRecord tested = draw;
  tested.bits &= ~uint32_t(kDrawBlend);
  tested.color_mask = 15;
  const auto is_drawn = [&](const DrawRecord& variant) {
    return draw_once(w, run, covering, variant, marked).visible_id == triangle.primitive;
  };
  const bool keeps = shown.visible_id == triangle.primitive;
  f.fate = !keeps                    ? FragmentFate::discarded
           : !is_drawn(stencil_only) ? FragmentFate::stencil_failed
           : !is_drawn(tested)       ? FragmentFate::depth_failed
                                     : FragmentFate::passed;
  // The depth of the triangle's plane at the sample, whether or not it is written.
  f.depth = shown.depth;
  if (!keeps) {
    DrawRecord opaque = bare;
    opaque.bits &= ~uint32_t(kDrawAlphaTest | kDrawMaterial);
    f.depth = draw_once(w, run, covering, opaque, marked).depth;
  }
  sample.state = draw_once(w, run, covering, draw, sample.state);
  run.call.sink(run.call.context, f);
}

// Receives blocks of triangles from the geometry stage and draws their records immediately, in order.
struct SampleDistributor {
  SampleRun* run;
  TriangleBlock* block;

  BROKKR_FN Mask draw_small(Warp&, const DrawRecord&, const DrawTarget&, const Setup&) { return false; }
  BROKKR_FN uint32_t take_block(Warp&) { return 0; }
  BROKKR_FN void distribute(Warp& w, uint32_t) {
    for (int i = 0; i < int(block->count); ++i) {
      for (uint32_t s = 0; s < run->call.count; ++s) {
        const FollowedSample& sample = run->call.samples[s];
        if (sample.active && sample.target == block->target && sample.layer == block->layer)
          follow(w, *run, s, *block, i);
      }
    }
  }
};

static void draw(const SampleCall& call, uint32_t first, uint32_t end) {
  Warp w;
  SampleRun run{call, {}, {}, {}, {}};
  run.shade_context.frame = &call.frame;
  run.shade_context.shading = call.shading;
  TriangleBlock block{};
  SampleDistributor distributor{&run, &block};
  Run geometry_run;
  BlockWriter writer(&block, distributor, geometry_run, 0);
  GeometryScratch scratch{};
  Counters counters{};
  // The host has shaded all vertices.
  process_batches(w,
                  GeometryPass<SampleDistributor>{PassPrograms<NoVertexPrograms>(NoVertexPrograms()), call.frame, false,
                                                  false, false, scratch, geometry_run, counters, writer},
                  first, end);
}

static void convert(uint32_t from_format, uint32_t to_format, uint32_t& low, uint32_t& high) {
  const Stored stored = store_color(to_format, load_color(from_format, Uint(low), Uint(high)));
  Warp w;
  low = w.broadcast(stored.low, 0);
  high = w.broadcast(stored.high, 0);
}

extern const SampleKernel kernel;
const SampleKernel kernel = {&draw, &convert};

}  // namespace inspect
BROKKR_MACHINE_END
