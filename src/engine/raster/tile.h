// The tile path: draws triangles in submission order through one 8x8 tile whose colour, depth and stencil stay on chip.
#pragma once

#include "raster/edges.h"
#include "raster/plane.h"
#include "raster/program_run.h"
#include "raster/region.h"
#include "raster/shade.h"
#include "raster/stamp.h"
#include "target/pixel.h"

BROKKR_MACHINE_BEGIN

// One warp's tile.
struct TileBuffer {
  uint32_t color[kTileSamples], color_high[kTileSamples];
  float depth[kTileSamples];
  uint32_t stencil[kTileSamples];
};

struct TileCounts {
  uint64_t fragments = 0, shaded = 0, quads = 0;
  BROKKR_FN void operator+=(const TileCounts& more) {
    fragments += more.fragments;
    shaded += more.shaded;
    quads += more.quads;
  }
};

BROKKR_FN ColorFormat format_of(const TargetTables& planes, const RegionRecord& region) {
  return ColorFormat(planes.targets[region.target].format);
}

// One tile of an ordered phase, as the warp that owns it sees it.
struct TilePass {
  const TargetTables& planes;
  const RegionRecord& region;
  ShadeContext& shading;
  TileBuffer& tile;
  TileCounts& counts;
  ColorFormat format;
  uint32_t beside_colors;  // PhaseRecord::planes
  int x0 = 0, y0 = 0;      // the tile's first sample within its region
  size_t memory = 0;       // index of that sample in the planes

  BROKKR_FN bool half() const { return format == ColorFormat::rgba16f; }
};

// `colors`: something reads the colours that the tile had.
BROKKR_FN void load_tile(Warp& w, const TilePass& pass, const RegionState& state, bool colors = true) {
  const TargetTables& planes = pass.planes;
  const size_t memory = pass.memory;
  TileBuffer& tile = pass.tile;
  for (int s = 0; s < kTileSamples; s += w.width) {
    if (colors)
      w.store(tile.color + s, state.bits & kClearColor ? uint32_t(state.color) : w.load(planes.color + memory + s));
    if (colors && pass.half()) {
      w.store(tile.color_high + s,
              state.bits & kClearColor ? uint32_t(state.color >> 32) : w.load(planes.color_high + memory + s));
    }
    if (pass.beside_colors & kPlaneDepth)
      w.store(tile.depth + s, state.bits & kClearDepth ? state.depth : w.load(planes.depth + memory + s));
    if (pass.beside_colors & kPlaneStencil) {
      const uint32_t* words = reinterpret_cast<const uint32_t*>(planes.stencil + memory);
      const Int i = w.lane() + s;
      const Uint bytes = w.gather(words, i >> 2, true) >> as_uint((i & 3) << 3);
      w.store(tile.stencil + s, state.bits & kClearStencil ? state.stencil : bytes & 0xff);
    }
  }
  w.sync();
}

BROKKR_FN void store_tile(Warp& w, const TilePass& pass) {
  const TargetTables& planes = pass.planes;
  const size_t memory = pass.memory;
  const TileBuffer& tile = pass.tile;
  w.sync();
  for (int s = 0; s < kTileSamples; s += w.width) {
    w.store(planes.color + memory + s, w.load(tile.color + s));
    if (pass.half()) w.store(planes.color_high + memory + s, w.load(tile.color_high + s));
    if (pass.beside_colors & kPlaneDepth) w.store(planes.depth + memory + s, w.load(tile.depth + s));
  }
  uint32_t* words = reinterpret_cast<uint32_t*>(planes.stencil + memory);
  for (int s = 0; s < kTileSamples / 4 && (pass.beside_colors & kPlaneStencil) != 0; s += w.width) {
    const Mask m = w.first_lanes(kTileSamples / 4 - s);
    const Int first = (w.lane() + s) * 4;
    Uint word = 0u;
    for (int k = 0; k < 4; ++k) word = word | (w.gather(tile.stencil, first + k, m) << (8 * k));
    w.store(words + s, word, m);
  }
  w.sync();
}

// Converts a mask of channels 0..3 to a mask of a word's bytes.
BROKKR_FN uint32_t bytes_of_channels(uint32_t channels) { return ((channels * 0x00204081u) & 0x01010101u) * 0xffu; }

// The stencil test of samples s .. s + width - 1 and, after the depth test, its operation.
struct StencilTest {
  Uint old;
  Mask passed;

  BROKKR_FN StencilTest(Warp& w, const DrawRecord& draw, const uint32_t* stencil, Mask m)
      : old(w.load(stencil)),
        passed(m &&
               compare(draw.stencil_func, uint32_t(draw.stencil_ref & draw.stencil_mask), old & draw.stencil_mask)) {}
  // `visible`: lanes that also passed the depth test.
  BROKKR_FN void write(Warp& w, const DrawRecord& draw, uint32_t* stencil, Mask visible, Mask m) const {
    const uint32_t ref = draw.stencil_ref;
    Uint next =
        select(passed, stencil_result(draw.stencil_ops[1], old, ref), stencil_result(draw.stencil_ops[0], old, ref));
    next = select(visible, stencil_result(draw.stencil_ops[2], old, ref), next);
    const uint32_t writable = draw.stencil_write_mask;
    w.store(stencil, select(m, (next & writable) | (old & ~writable), old));
  }
};

// The channels of a colour that are written, and the way in which they are written.
struct ColorWrite {
  uint8_t mask;
  bool blends, bounded;  // ProgramColor::bounded
  const uint8_t (&blend_color)[3], (&blend_alpha)[3];
  const float (&constant)[4];

  BROKKR_FN BlendTerms terms(bool clamps) const { return {blend_color, blend_alpha, constant, clamps}; }
  BROKKR_FN static ColorWrite of_draw(const DrawRecord& draw) {
    return {draw.color_mask,    (draw.bits & kDrawBlend) != 0, false, draw.blend_color, draw.blend_alpha,
            draw.blend_constant};
  }
  BROKKR_FN static ColorWrite of_program(const ProgramColor& color, const DrawRecord& draw) {
    return {color.mask,        color.blends != 0, color.bounded != 0,
            color.blend_color, color.blend_alpha, draw.blend_constant};
  }
};

// The colours that a draw gives to lanes m of a tile's samples s .. s + width - 1.
struct ColorVector {
  int s;
  Mask m;
  Color color;
  const Color* second = nullptr;  // as in blend()
};

// Blends colours over samples of the tile. `stored_as`: the tile's format, or rgba8 to write sRGB codes as they are.
BROKKR_FN void write_color(Warp& w, const TilePass& pass, const ColorWrite& writing, ColorFormat stored_as,
                           const ColorVector& vector) {
  const uint32_t format = uint32_t(stored_as);
  const int s = vector.s;
  const Mask m = vector.m;
  Color color = vector.color;
  TileBuffer& tile = pass.tile;
  const Uint old_low = w.load(tile.color + s), old_high = pass.half() ? w.load(tile.color_high + s) : 0u;
  if (writing.blends) {
    color = blend(writing.terms(writing.bounded || !pass.half()), color, vector.second,
                  load_color(format, old_low, old_high));
    if (writing.bounded) color = {saturate(color.r), saturate(color.g), saturate(color.b), saturate(color.a)};
  }
  const Stored stored = store_color(format, color);
  if (pass.half()) {
    const uint32_t low = (writing.mask & 1 ? 0xffffu : 0u) | (writing.mask & 2 ? 0xffff0000u : 0u);
    const uint32_t high = (writing.mask & 4 ? 0xffffu : 0u) | (writing.mask & 8 ? 0xffff0000u : 0u);
    w.merge(tile.color + s, (stored.low & low) | (old_low & ~low), m);
    w.merge(tile.color_high + s, (stored.high & high) | (old_high & ~high), m);
  } else {
    const uint32_t low = bytes_of_channels(writing.mask);
    w.merge(tile.color + s, (stored.low & low) | (old_low & ~low), m);
  }
}

// Does the same for a plane beyond the first, which stays in memory: `plane` has the vector's samples.
BROKKR_FN void write_plane(Warp& w, const PlaneSamples& plane, const ColorWrite& writing, const ColorVector& vector) {
  Color value = vector.color;
  if (writing.blends || writing.mask != 15) {
    const Color old = plane.load(w, vector.m);
    if (writing.blends) value = blend(writing.terms(!plane.is_float()), value, vector.second, old);
    value = {writing.mask & 1 ? value.r : old.r, writing.mask & 2 ? value.g : old.g, writing.mask & 4 ? value.b : old.b,
             writing.mask & 8 ? value.a : old.a};
  }
  plane.store(w, value, vector.m);
}

// The effect of a draw on a tile, sample by sample.
struct TileDraw {
  const TilePass& pass;
  const DrawRecord& draw;

  BROKKR_FN size_t memory(int s) const { return pass.memory + size_t(s); }

  BROKKR_FN Mask passes_depth(Warp& w, int s, Float z, Mask m) const {
    return draw.bits & kDrawDepthTest ? m && compare(draw.depth_func, z, w.load(pass.tile.depth + s)) : m;
  }
  // Stencil and depth test of samples s .. s + width - 1, including stencil operations. Returns the lanes that pass.
  BROKKR_FN Mask test(Warp& w, int s, Float z, Mask m) const {
    if (!(draw.bits & kDrawStencil)) return passes_depth(w, s, z, m);
    const StencilTest stencil(w, draw, pass.tile.stencil + s, m);
    const Mask visible = passes_depth(w, s, z, stencil.passed);
    stencil.write(w, draw, pass.tile.stencil + s, visible, m);
    return visible;
  }
  // Makes the same test without changing anything.
  BROKKR_FN Mask would_pass(Warp& w, int s, Float z, Mask m) const {
    if (draw.bits & kDrawStencil) m = StencilTest(w, draw, pass.tile.stencil + s, m).passed;
    return passes_depth(w, s, z, m);
  }
  BROKKR_FN void write_depth(Warp& w, int s, Float z, Uint primitive, Mask m) const {
    if (!(draw.bits & kDrawDepthWrite)) return;
    w.merge(pass.tile.depth + s, z, m);
    if (pass.planes.depth_id) w.merge(pass.planes.depth_id + memory(s), primitive, m);
  }
  BROKKR_FN void note_writer(Warp& w, int s, Uint primitive, Mask m) const {
    if (!pass.planes.visible_id) return;
    w.merge(pass.planes.visible_id + memory(s), primitive, m);
    stamp(w, pass.planes, memory(s), m);
  }
  BROKKR_FN void write(Warp& w, int s, Color color, Uint primitive, Mask m) const {
    if (draw.bits & kDrawSeeThrough) color.a = color.a * 0.4f;
    write_color(w, pass, ColorWrite::of_draw(draw), pass.format, {s, m, color});
    note_writer(w, s, primitive, m);
  }
  // Writes all colours of the draw's program.
  BROKKR_FN void write_all(Warp& w, const ProgramRun& run, int s, Uint primitive, Mask m) const {
    const bool raw = (run.program.bits & kProgramRaw) != 0;
    const ColorFormat format = raw && !pass.half() ? ColorFormat::rgba8 : pass.format;
    for (uint32_t i = 0; i < run.program.color_count; ++i) {
      const ProgramColor& color = run.program.colors[i];
      const ColorWrite writing = ColorWrite::of_program(color, draw);
      const bool has_second = color.second != kNoOutput;
      const Color second = has_second ? second_of(w, run, color, s) : Color{0.0f, 0.0f, 0.0f, 0.0f};
      const ColorVector vector{s, m, color_of(w, run, color, s), has_second ? &second : nullptr};
      if (color.plane == 0) {
        write_color(w, pass, writing, format, vector);
        note_writer(w, s, primitive, m);
      } else {
        write_plane(w, PlaneSamples(pass.planes, {pass.region.target, color.plane, memory(s), raw}), writing, vector);
      }
    }
  }
};

// Calls f(s, m) for the vectors of a tile that have any of `samples`: their lanes m of s .. s + width - 1.
template <class F>
BROKKR_FN void for_vectors_of(Warp& w, uint64_t samples, F&& f) {
  if constexpr (Warp::takes_turns) {
    for (uint64_t left = samples; left != 0;) {
      const int s = lowest_bit(left) & ~(kWidth - 1);
      left &= ~(kVectorBits << s);
      f(s, w.lanes_of(uint32_t(samples >> s & kVectorBits)));
    }
  } else {
    for (int s = 0; s < kTileSamples; s += w.width) {
      const Mask m = w.lanes_of(uint32_t(samples >> s));
      if (w.any(m)) f(s, m);
    }
  }
}

// Counts the samples of the tile that a triangle covers.
BROKKR_FN void count_covered(Warp& w, const TilePass& pass, uint64_t covered) {
  pass.counts.fragments += uint64_t(count_bits(covered));
  pass.counts.quads += uint64_t(count_bits(first_of_quads(covered)));
  for (int s = 0; s < kTileSamples && pass.planes.overdraw; s += w.width) {
    uint32_t* const drawn = pass.planes.overdraw + pass.memory + size_t(s);
    w.merge(drawn, w.load(drawn) + 1, w.lanes_of(uint32_t(covered >> s)));
  }
}

// The samples of the tile that a triangle covers, as bits; counts them.
BROKKR_FN uint64_t covered_in_tile(Warp& w, const TilePass& pass, const TileEdges& edges, bool whole) {
  uint64_t covered = whole ? ~uint64_t(0) : 0;
  if constexpr (kTileStartsFit) {
    if (!whole) covered = edges.coverage(w);
  } else {
    for (int s = 0; s < kTileSamples && !whole; s += w.width) {
      if (!edges.misses_box(s)) covered |= uint64_t(w.ballot(edges.inside(s))) << s;
    }
  }
  count_covered(w, pass, covered);
  return covered;
}

// Samples that one run of a draw's program shades together. They belong to consecutive triangles, and no two of these
// cover the same sample. The memory of programs holds their primitives and depths.
struct ProgramBatch {
  const DrawRecord* draw = nullptr;  // null: no samples wait
  uint64_t wanted = 0;
  uint32_t triangles = 0;
};

// The time of a draw's tests. They come before its program, unless the program writes depth or discards samples that
// the stencil would count.
struct ProgramTests {
  bool discards, depth, late;

  // `discarding`: bits of programs that may remove samples.
  BROKKR_FN ProgramTests(const ProgramRecord& program, const DrawRecord& draw, uint32_t discarding = kProgramDiscards)
      : discards((program.bits & discarding) != 0), depth((program.bits & kProgramDepth) != 0) {
    const bool counts_failures =
        draw.stencil_ops[0] != uint8_t(StencilOp::keep) || draw.stencil_ops[1] != uint8_t(StencilOp::keep);
    late = depth || (discards && (draw.bits & kDrawStencil) != 0 && counts_failures);
  }
  // Returns true if tests, and writes of depths, wait for the program.
  BROKKR_FN bool after() const { return late || discards; }
};

// Returns true if the draw gives a tile that it covers new colours that do not depend on the old ones.
BROKKR_FN bool replaces_colors(const TilePass& pass, const DrawRecord& draw) {
  if ((draw.bits & (kDrawDepthTest | kDrawStencil)) != 0 || !runs_program(pass.shading, draw)) return false;
  const ProgramRecord& program = pass.shading.programs->programs[draw.program];
  if ((program.bits & (kProgramDiscards | kProgramDepth | kProgramAlphaTest)) != 0 || program.color_count == 0)
    return false;
  const ProgramColor& color = program.colors[0];
  return color.plane == 0 && color.mask == 15 && color.blends == 0;
}

BROKKR_FN ProgramRun open_program(const TilePass& pass, const DrawRecord& draw) {
  return open_program(pass.shading, draw.program, read_alone(pass.x0) + pass.region.x,
                      read_alone(pass.y0) + pass.region.y);
}

// The kinds of blending of 8-bit colours that are common. Some code is made for one kind. over: usual transparency,
// also of alpha. layer: the same, but alpha becomes the coverage by all layers, as in SDL and SFML. premultiplied: the
// source holds its colour times its alpha, as toolkits draw. light: the source is light that is added. filter: the
// source is the share of the light that passes.
enum class Blending : uint8_t { none, over, layer, premultiplied, light, filter, other };

// Source factor, destination factor, equation.
BROKKR_CONSTANT uint8_t kOver[3] = {uint8_t(BlendFactor::src_alpha), uint8_t(BlendFactor::one_minus_src_alpha),
                                    uint8_t(BlendEquation::add)};
BROKKR_CONSTANT uint8_t kPremultiplied[3] = {uint8_t(BlendFactor::one), uint8_t(BlendFactor::one_minus_src_alpha),
                                             uint8_t(BlendEquation::add)};
BROKKR_CONSTANT uint8_t kLight[3] = {uint8_t(BlendFactor::src_alpha), uint8_t(BlendFactor::one),
                                     uint8_t(BlendEquation::add)};
BROKKR_CONSTANT uint8_t kFilter[3] = {uint8_t(BlendFactor::dst_color), uint8_t(BlendFactor::zero),
                                      uint8_t(BlendEquation::add)};

BROKKR_FN Blending blending_of(const ColorWrite& writing) {
  if (!writing.blends) return Blending::none;
  const auto is = [](const uint8_t(&a)[3], const uint8_t(&b)[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
  };
  const uint8_t(&color)[3] = writing.blend_color, (&alpha)[3] = writing.blend_alpha;
  if (is_over(color)) {
    return is_over(alpha) ? Blending::over : is(alpha, kPremultiplied) ? Blending::layer : Blending::other;
  }
  if (!is(color, alpha)) return Blending::other;
  return is(color, kPremultiplied) ? Blending::premultiplied
         : is(color, kLight)       ? Blending::light
         : is(color, kFilter)      ? Blending::filter
                                   : Blending::other;
}

// Writes the colour of a program that has a single colour of four words. The tile must have an 8-bit format and no
// notes of writers. Everything that is equal for all vectors is decided once, and what a colour brings to a blend is
// computed once for all samples of a pixel. Writing clamps colours, whether they are bounded or not.
class BatchWrite {
 public:
  // Returns true if this class can write the colours of the draw's program to the tile.
  BROKKR_FN static bool suffices(const TilePass& pass, const ProgramRun& run) {
    const ProgramColor& color = run.program.colors[0];
    return run.program.color_count == 1 && color.plane == 0 && color.words == 4 && color.second == kNoOutput &&
           !pass.half() && !pass.planes.visible_id;
  }
  BROKKR_FN BatchWrite(const TilePass& pass, const DrawRecord& draw, const ProgramRun& run)
      : pass_(pass),
        color_write_(ColorWrite::of_program(run.program.colors[0], draw)),
        results_(run.results() + int(run.program.colors[0].first) * kTileSamples),
        written_(bytes_of_channels(color_write_.mask)),
        encodes_(pass.format == ColorFormat::rgba8_srgb && (run.program.bits & kProgramRaw) == 0) {}

  // visible(s, m) returns the lanes of m that are written; m is not empty.
  template <class Visible>
  BROKKR_FN void write(Warp& w, uint64_t kept, Visible visible) const {
    write_as<false>(w, kept,
                    [&](int s, Mask m, auto&& put) BROKKR_INLINE_LAMBDA { put(pass_.tile.color, visible(s, m)); });
  }
  // Writes all samples of the tile.
  BROKKR_FN void write_all(Warp& w) const {
    write_as<true>(w, ~uint64_t(0), [&](int, Mask m, auto&& put) BROKKR_INLINE_LAMBDA { put(pass_.tile.color, m); });
  }
  // The same for several tiles that share the program's results: each(s, m, put) calls put(colours, lanes) for each of
  // them; m has the vector's lanes of `kept`.
  template <class Each>
  BROKKR_FN void write_tiles(Warp& w, uint64_t kept, Each each) const {
    write_as<false>(w, kept, each);
  }

 private:
  const TilePass& pass_;
  const ColorWrite color_write_;
  const uint32_t* const results_;
  const uint32_t written_;  // mask of bytes
  const bool encodes_;      // colours are stored as sRGB

  // The colours of a vector, ready to be blended over what tiles hold.
  template <Blending kBlending, bool kEncodes>
  struct Source {
    static constexpr uint32_t kFormat = uint32_t(kEncodes ? ColorFormat::rgba8_srgb : ColorFormat::rgba8);
    static constexpr bool kWeighs = !kEncodes && (kBlending == Blending::over || kBlending == Blending::layer);
    const ColorWrite& writing;
    Color color;    // kWeighs: the colour times its alpha, and the alpha that is added
    Float through;  // kWeighs
    Uint stored;    // Blending::none

    BROKKR_FN Source(const ColorWrite& color_write, const Color& given) : writing(color_write), color(given) {
      if constexpr (kBlending == Blending::none) {
        stored = store_color(kFormat, given).low;
      } else if constexpr (kWeighs) {
        const Color c{saturate(given.r), saturate(given.g), saturate(given.b), saturate(given.a)};
        through = 1.0f - c.a;
        color = {c.r * c.a, c.g * c.a, c.b * c.a, kBlending == Blending::over ? c.a * c.a : c.a};
      }
    }
    BROKKR_FN Uint over(Uint old) const {
      if constexpr (kBlending == Blending::none) return stored;
      const Color under = load_color(kFormat, old, 0u);
      if constexpr (kWeighs) {
        // The sums exceed 1 by rounding at most, which changes no code, so they need not be clamped.
        const auto code = [&](Float part, Float below) {
          return as_uint(to_int((part + below * through) * 255.0f + 0.5f));
        };
        return code(color.r, under.r) | code(color.g, under.g) << 8 | code(color.b, under.b) << 16 |
               code(color.a, under.a) << 24;
      }
      const auto blended = [&](const uint8_t(&color_terms)[3], const uint8_t(&alpha_terms)[3]) BROKKR_INLINE_LAMBDA {
        return store_color(kFormat, blend({color_terms, alpha_terms, writing.constant, true}, color, nullptr, under))
            .low;
      };
      if constexpr (kBlending == Blending::over) return blended(kOver, kOver);
      if constexpr (kBlending == Blending::premultiplied) return blended(kPremultiplied, kPremultiplied);
      if constexpr (kBlending == Blending::light) return blended(kLight, kLight);
      if constexpr (kBlending == Blending::filter) return blended(kFilter, kFilter);
      return blended(writing.blend_color, writing.blend_alpha);
    }
  };

  template <bool kWhole, class Each>
  BROKKR_FN void write_as(Warp& w, uint64_t kept, Each each) const {
    const Blending blending = blending_of(color_write_);
    if (encodes_) {
      if (blending == Blending::none) return write_vectors<Blending::none, kWhole, true>(w, kept, each);
      if (blending == Blending::over) return write_vectors<Blending::over, kWhole, true>(w, kept, each);
      return write_vectors<Blending::other, kWhole, true>(w, kept, each);
    }
    switch (blending) {
      case Blending::none: return write_vectors<Blending::none, kWhole>(w, kept, each);
      case Blending::over: return write_vectors<Blending::over, kWhole>(w, kept, each);
      case Blending::layer: return write_vectors<Blending::layer, kWhole>(w, kept, each);
      case Blending::premultiplied: return write_vectors<Blending::premultiplied, kWhole>(w, kept, each);
      case Blending::light: return write_vectors<Blending::light, kWhole>(w, kept, each);
      case Blending::filter: return write_vectors<Blending::filter, kWhole>(w, kept, each);
      case Blending::other: return write_vectors<Blending::other, kWhole>(w, kept, each);
    }
  }
  template <Blending kBlending, bool kWhole, bool kEncodes = false, class Each>
  BROKKR_FN void write_vectors(Warp& w, uint64_t kept, Each each) const {
    const uint32_t* const results = results_;
    const uint32_t written = written_;
    for (int s = 0; s < kTileSamples; s += w.width) {
      const uint64_t lanes = kept >> s & kVectorBits;
      if (!kWhole && lanes == 0) continue;
      const Mask m = kWhole ? Mask(true) : w.lanes_of(uint32_t(lanes));
      if (written == 0) {
        each(s, m, [](uint32_t*, Mask) {});
        continue;
      }
      const auto channel = [&](int c) { return as_float(w.load(results + c * kTileSamples + s)); };
      const Source<kBlending, kEncodes> source(color_write_, {channel(0), channel(1), channel(2), channel(3)});
      // The samples of most pixels have the same colour, so that one blend serves all.
      bool has_blended = false;
      Uint under = 0u, blended = 0u;
      each(s, m, [&](uint32_t* colors, Mask visible) BROKKR_INLINE_LAMBDA {
        const Uint old = w.load(colors + s);
        if (kBlending == Blending::none || !has_blended || w.any(old != under)) blended = source.over(old);
        has_blended = true;
        under = old;
        Uint next = blended;
        if (written != ~0u) next = (next & written) | (old & ~written);
        w.store(colors + s, kWhole ? next : select(visible, next, old));
      });
    }
  }
};

// Shades the waiting samples and writes them.
BROKKR_FN_NOINLINE void draw_batch(Warp& w, const TilePass& pass, ProgramBatch& batch) {
  const DrawRecord& draw = *batch.draw;
  const TileDraw tile_draw{pass, draw};
  const ProgramRun run = open_program(pass, draw);
  const ProgramTests tests(run.program, draw);
  w.sync();
  uint64_t kept = batch.wanted;
  if (run.program.color_count != 0 || tests.discards || tests.depth) {
    pass.counts.shaded += uint64_t(count_bits(kept));
    kept = run_program(w, pass.shading, run, kept, batch.triangles == 1);
  }
  // Makes the tests that come after the program, and writes depths. Returns the visible lanes.
  const auto visible = [&](int s, Mask m) {
    if (!tests.after()) return m;
    const Float z = tests.depth ? clamp_to(result_of(w, run, run.program.depth, s), 0.0f, 1.0f) + 0.0f
                                : w.load(run.memory.depth + s);
    m = tile_draw.test(w, s, z, m);
    tile_draw.write_depth(w, s, z, w.load(run.memory.primitive + s), m);
    return m;
  };
  if (Warp::takes_turns && BatchWrite::suffices(pass, run)) {
    const BatchWrite writing(pass, draw, run);
    if (tests.after())
      writing.write(w, kept, visible);
    else if (~kept == 0)
      writing.write_all(w);
    else
      writing.write(w, kept, [](int, Mask m) { return m; });
    batch = {};
    return;
  }
  for (int s = 0; s < kTileSamples && kept != 0; s += w.width) {
    Mask m = w.lanes_of(uint32_t(kept >> s));
    if (!w.any(m)) continue;
    m = visible(s, m);
    if (w.any(m)) tile_draw.write_all(w, run, s, w.load(run.memory.primitive + s), m);
  }
  batch = {};
}
BROKKR_FN void finish_batch(Warp& w, const TilePass& pass, ProgramBatch& batch) {
  if constexpr (kKernelFeatures & kFeaturePrograms) {
    if (batch.draw != nullptr) draw_batch(w, pass, batch);
  }
}

// The most common tests before a program, the same for all vectors: samples pass where they are nearer than the tile's,
// or as near, and there is no stencil.
class NearerTest {
 public:
  BROKKR_FN static bool suffices(const TilePass& pass, const DrawRecord& draw, const ProgramTests& tests) {
    const auto func = CompareFunc(draw.depth_func);
    return Warp::takes_turns && !tests.late && (draw.bits & (kDrawDepthTest | kDrawStencil)) == kDrawDepthTest &&
           (func == CompareFunc::less || func == CompareFunc::lequal) && !pass.planes.depth_id;
  }
  // `is_first`: no samples of other triangles wait, so the memory's primitives may be written over.
  BROKKR_FN NearerTest(const TilePass& pass, const DrawRecord& draw, const ProgramTests& tests, bool is_first)
      : old_depths_(pass.tile.depth),
        new_depths_(tests.after()                        ? pass.shading.memory->depth
                    : (draw.bits & kDrawDepthWrite) != 0 ? pass.tile.depth
                                                         : nullptr),
        primitives_(pass.shading.memory->primitive),
        takes_same_(CompareFunc(draw.depth_func) == CompareFunc::lequal),
        is_first_(is_first) {}
  // Tests the covered samples of a triangle. Notes its number and depths where they pass, and returns these samples.
  BROKKR_FN uint64_t take(Warp& w, const TileEdges& edges, uint64_t covered, uint32_t primitive) const {
    const auto nearer = [](Float z, Float old) { return z < old; };
    const auto as_near = [](Float z, Float old) { return z <= old; };
    if (~covered == 0) {
      return takes_same_ ? take_vectors<true>(w, edges, covered, primitive, as_near)
                         : take_vectors<true>(w, edges, covered, primitive, nearer);
    }
    return takes_same_ ? take_vectors<false>(w, edges, covered, primitive, as_near)
                       : take_vectors<false>(w, edges, covered, primitive, nearer);
  }

 private:
  const float* old_depths_;
  float* new_depths_;  // null: nothing reads the triangle's depths
  uint32_t* primitives_;
  bool takes_same_, is_first_;

  template <bool kWhole, class Passes>
  BROKKR_FN uint64_t take_vectors(Warp& w, const TileEdges& edges, uint64_t covered, uint32_t primitive,
                                  Passes passes) const {
    const TileDepths depths(edges, kWhole ? ~uint64_t(0) : covered);
    uint64_t passed = 0;
    const auto vector = [&](int s, Mask m) BROKKR_INLINE_LAMBDA {
      const Float z = depths.at(s), old = w.load(old_depths_ + s);
      m = kWhole ? passes(z, old) : m && passes(z, old);
      if (new_depths_ != nullptr) w.merge(new_depths_ + s, z, m);
      if (is_first_)
        w.store(primitives_ + s, primitive);
      else
        w.merge(primitives_ + s, primitive, m);
      passed |= uint64_t(w.ballot(m)) << s;
    };
    if constexpr (kWhole) {
      for (int s = 0; s < kTileSamples; s += w.width) vector(s, true);
    } else {
      for_vectors_of(w, covered, vector);
    }
    return passed;
  }
};

// Adds a triangle of a draw that runs a program.
BROKKR_FN_NOINLINE void draw_program_in_tile(Warp& w, const TilePass& pass, const DrawRecord& draw,
                                             const RegionTriangle& tri, bool whole, ProgramBatch& batch) {
  ProgramMemory& memory = *pass.shading.memory;
  const ProgramTests tests(pass.shading.programs->programs[draw.program], draw);
  // Nothing else reads depths. A depth that the program writes is a result.
  const bool has_depth = !tests.depth && (draw.bits & (kDrawDepthTest | kDrawDepthWrite)) != 0;
  const bool has_tests = !tests.late && (draw.bits & (kDrawDepthTest | kDrawStencil)) != 0;
  if (Warp::takes_turns && whole && !has_depth && !has_tests) {  // needs neither edges nor depths
    count_covered(w, pass, ~uint64_t(0));
    finish_batch(w, pass, batch);
    for (int s = 0; s < kTileSamples; s += w.width) w.store(memory.primitive + s, tri.primitive);
    batch = {&draw, ~uint64_t(0), 1};
    return;
  }
  const TileEdges edges(w, tri, pass.x0, pass.y0, whole);
  const uint64_t covered = covered_in_tile(w, pass, edges, whole);
  if (batch.draw != &draw || (batch.wanted & covered) != 0) finish_batch(w, pass, batch);
  const bool is_first = batch.draw == nullptr;
  const auto add = [&](uint64_t wanted) {
    if (wanted == 0) return;
    batch.draw = &draw;
    batch.wanted |= wanted;
    ++batch.triangles;
  };
  if constexpr (Warp::takes_turns) {
    if (NearerTest::suffices(pass, draw, tests))
      return add(NearerTest(pass, draw, tests, is_first).take(w, edges, covered, tri.primitive));
  }
  const TileDraw tile_draw{pass, draw};
  const TileDepths depths(edges, has_depth || has_tests ? covered : 0);
  uint64_t wanted = 0;
  for_vectors_of(w, covered, [&](int s, Mask m) BROKKR_INLINE_LAMBDA {
    if (has_depth || has_tests) {
      const Float z = depths.at(s);
      if (has_tests) m = tests.discards ? tile_draw.would_pass(w, s, z, m) : tile_draw.test(w, s, z, m);
      if (!tests.after())
        tile_draw.write_depth(w, s, z, tri.primitive, m);
      else if (has_depth)
        w.merge(memory.depth + s, z, m);
    }
    w.merge(memory.primitive + s, tri.primitive, m);
    wanted |= uint64_t(w.ballot(m)) << s;
  });
  add(wanted);
}

// Writes one colour to samples of a tile in an 8-bit format without notes of writers. Everything that is equal for all
// samples is computed once.
class FlatWrite {
 public:
  // Returns true if this class can do all writes of a draw to the tile.
  BROKKR_FN static bool suffices(const TilePass& pass, const DrawRecord& draw) {
    return pass.shading.shading == Shading::flat && !pass.half() && !(draw.bits & kDrawStencil) &&
           !pass.planes.visible_id && !pass.planes.depth_id;
  }
  BROKKR_FN FlatWrite(const TilePass& pass, const DrawRecord& draw, Color color)
      : pass_(pass),
        draw_(draw),
        color_write_(ColorWrite::of_draw(draw)),
        written_(bytes_of_channels(draw.color_mask)) {
    if (draw.bits & kDrawSeeThrough) color.a = color.a * 0.4f;
    color_ = {saturate(color.r), saturate(color.g), saturate(color.b), saturate(color.a)};
  }
  BROKKR_FN void draw(Warp& w, const TileEdges& edges, uint64_t covered, TileCounts& counts) {
    const Blending blending = blending_of(color_write_);
    if (blending == Blending::none) {
      same_ = store_color(uint32_t(pass_.format), color_).low;
      draw_vectors<Blending::none>(w, edges, covered, counts);
    } else if (blending == Blending::over) {
      through_ = 1.0f - color_.a;
      color_ = {color_.r * color_.a, color_.g * color_.a, color_.b * color_.a, color_.a * color_.a};
      draw_vectors<Blending::over>(w, edges, covered, counts);
    } else {
      draw_vectors<Blending::other>(w, edges, covered, counts);
    }
  }

 private:
  const TilePass& pass_;
  const DrawRecord& draw_;
  const ColorWrite color_write_;
  const uint32_t written_;  // mask of bytes
  Uint same_;               // Blending::none: the stored value
  Color color_;             // Blending::over: the colour times its alpha
  Float through_;

  template <Blending kBlending>
  BROKKR_FN Uint drawn(Uint old) const {
    if constexpr (kBlending == Blending::none) return same_;
    const uint32_t format = uint32_t(pass_.format);
    const Color under = load_color(format, old, 0u);
    if constexpr (kBlending == Blending::over) {
      return store_color(format, {color_.r + under.r * through_, color_.g + under.g * through_,
                                  color_.b + under.b * through_, color_.a + under.a * through_})
          .low;
    }
    return store_color(format, blend(color_write_.terms(true), color_, nullptr, under)).low;
  }
  template <Blending kBlending>
  BROKKR_FN void draw_vectors(Warp& w, const TileEdges& edges, uint64_t covered, TileCounts& counts) const {
    const TileDraw tile_draw{pass_, draw_};
    const bool has_depth = (draw_.bits & (kDrawDepthTest | kDrawDepthWrite)) != 0;
    const TileDepths depths(edges, has_depth ? covered : 0);
    for_vectors_of(w, covered, [&](int s, Mask m) BROKKR_INLINE_LAMBDA {
      if (has_depth) {
        const Float z = depths.at(s);
        m = tile_draw.passes_depth(w, s, z, m);
        if (!w.any(m)) return;
        if (draw_.bits & kDrawDepthWrite) w.merge(pass_.tile.depth + s, z, m);
      }
      if (written_ == 0) return;
      counts.shaded += uint64_t(w.count(m));
      const Uint old = w.load(pass_.tile.color + s);
      const Uint next = (drawn<kBlending>(old) & written_) | (old & ~written_);
      w.store(pass_.tile.color + s, select(m, next, old));
    });
  }
};

// Draws one triangle in one tile: coverage, tests, shading and blending.
BROKKR_FN_NOINLINE void draw_in_tile(Warp& w, const TilePass& pass, const DrawRecord& draw, const RegionTriangle& tri,
                                     bool whole) {
  const TileEdges edges(w, tri, pass.x0, pass.y0, whole);
  const uint64_t covered = covered_in_tile(w, pass, edges, whole);
  TileCounts counts;
  // On CUDA, the registers of this path would burden the rest.
  if (Warp::takes_turns && FlatWrite::suffices(pass, draw)) {
    const Fragment<Warp> fragment = Flat<Warp>()(w, ShaderInput<Warp>(), true);
    FlatWrite(pass, draw, color_of(fragment)).draw(w, edges, covered, counts);
    pass.counts += counts;
    return;
  }
  const MaterialRecord* material = draw.bits & kDrawMaterial ? pass.shading.frame->materials + draw.material : nullptr;
  const bool discards = material && (material->alpha_cutoff > 0.0f || (draw.bits & kDrawAlphaTest)) &&
                        shows_materials(pass.shading.shading);
  const TileDraw tile_draw{pass, draw};
  const Int lane_x = tile_x(w.lane()), lane_y = tile_y(w.lane());
  for (int s = 0; s < kTileSamples; s += w.width) {
    Mask m = w.lanes_of(uint32_t(covered >> s));
    if (!w.any(m)) continue;
    Samples in;
    in.x = to_float(lane_x + (tile_x(s) + pass.x0 + pass.region.x)) + 0.5f;
    in.y = to_float(lane_y + (tile_y(s) + pass.y0 + pass.region.y)) + 0.5f;
    in.z = edges.depth(s);
    in.primitive = tri.primitive;
    Fragment<Warp> fragment;
    if (discards) {
      fragment = shade(w, pass.shading, in, true);
      counts.shaded += uint64_t(w.count(m));
      m = m && fragment.keep;
      if (draw.bits & kDrawAlphaTest) m = m && compare(draw.alpha_func, fragment.color.w, draw.alpha_ref);
    }
    const Mask visible = tile_draw.test(w, s, in.z, m);
    if (!w.any(visible)) continue;
    tile_draw.write_depth(w, s, in.z, tri.primitive, visible);
    if (draw.color_mask == 0) continue;
    if (!discards) {
      fragment = shade(w, pass.shading, in, true);
      counts.shaded += uint64_t(w.count(visible));
    }
    tile_draw.write(w, s, color_of(fragment), tri.primitive, visible);
  }
  pass.counts += counts;
}

BROKKR_MACHINE_END
