// The end of an order-free phase in a region: each sample that a primitive of the phase won is shaded once and written.
#pragma once

#include "machine/atomic.h"
#include "raster/load.h"
#include "raster/program_run.h"
#include "raster/region.h"
#include "raster/shade.h"
#include "raster/stamp.h"
#include "target/pixel.h"
#include "target/tile_copy.h"

BROKKR_MACHINE_BEGIN

// Lanes hold samples in Morton order. If the shader needs quads, each pass takes one primitive per quad: its samples,
// and the other samples of the quad as helpers.
BROKKR_FN Uint primitive_of_quads(Warp& w, Uint primitive, Mask todo) {
  Int first = select(todo, w.lane(), 1 << 20);
  first = minimum(first, w.shuffle(first, w.lane() ^ 1));
  first = minimum(first, w.shuffle(first, w.lane() ^ 2));
  return w.shuffle(primitive, select(first < w.width, first, w.lane()));
}

// The lanes of quads that have a lane of m.
BROKKR_FN Mask quads_of(Warp& w, Mask m) {
  const Int four = select(m, 1, 0);
  const Int two = four | w.shuffle(four, w.lane() ^ 1);
  return (two | w.shuffle(two, w.lane() ^ 2)) != 0;
}

// Shades the samples `won`, each with its primitive. Other lanes are black.
BROKKR_FN Color shade_won(Warp& w, ShadeContext& context, bool quads, const Samples& samples, Mask won) {
  const Uint primitive = samples.primitive;
  Samples in = samples;
  Color color{0.0f, 0.0f, 0.0f, 0.0f};
  Mask todo = won;
  while (w.any(todo)) {
    in.primitive = quads ? primitive_of_quads(w, primitive, todo) : primitive;
    const Mask now = quads ? todo && in.primitive == primitive : todo;
    const Mask active = quads ? quads_of(w, now) : now;
    const Color one = color_of(shade(w, context, in, active));
    color = {select(now, one.r, color.r), select(now, one.g, color.g), select(now, one.b, color.b),
             select(now, one.a, color.a)};
    todo = todo && !now;
  }
  return color;
}

// Finds the tile's samples that primitives of the phase won, and writes the primitives to the memory.
BROKKR_FN uint64_t find_primitives(Warp& w, const KeyPass& pass, int tile, ProgramMemory& memory) {
  const Uint nothing = nothing_new(pass.key_bits);
  uint64_t won = 0;
  for (int s = 0; s < kTileSamples; s += w.width) {
    const Uint order = pass.keys->order(w, tile * kTileSamples + s);
    w.store(memory.primitive + s, primitive_of_order(order, pass.key_bits));
    won |= uint64_t(w.ballot(order != nothing)) << s;
  }
  w.sync();
  return won;
}

// The samples of the tile whose primitives belong to a run of draws. The memory holds these primitives.
BROKKR_FN uint64_t samples_of_run(Warp& w, const RunRecord& run, const DrawRecord& draw, const ProgramMemory& memory) {
  const uint32_t begin = run.first_batch * kBatchTriangles;
  uint64_t samples = 0;
  for (int s = 0; s < kTileSamples; s += w.width)
    samples |= uint64_t(w.ballot(w.load(memory.primitive + s) - begin < draw.triangle_count)) << s;
  return samples;
}

// Stores the colours of the tile's samples `which` in the memory: the usual case of one colour in 8 bits. They clamp
// it, whether it is bounded or not.
BROKKR_FN void store_bytes(Warp& w, const ProgramRun& run, const ProgramColor& color, uint64_t which) {
  const uint32_t* const results = run.results() + int(color.first) * kTileSamples;
  uint32_t* const low = run.memory.low;
  for (int s = 0; s < kTileSamples; s += w.width) {
    const uint64_t lanes = which >> s & kVectorBits;
    if (lanes == 0) continue;
    const auto channel = [&](int c) { return as_float(w.load(results + c * kTileSamples + s)); };
    const Uint stored = store_color(uint32_t(ColorFormat::rgba8), {channel(0), channel(1), channel(2), channel(3)}).low;
    if (lanes == kVectorBits)
      w.store(low + s, stored);
    else
      w.merge(low + s, stored, w.lanes_of(uint32_t(lanes)));
  }
}

// Stores the colours of the tile's samples `which`. The first plane's colours go to the memory, the others to their
// planes.
BROKKR_FN void store_results(Warp& w, const ProgramRun& run, const KeyPass& pass, int tile, uint32_t format,
                             uint64_t which) {
  const bool raw = (run.program.bits & kProgramRaw) != 0;
  if (raw && format == uint32_t(ColorFormat::rgba8_srgb)) format = uint32_t(ColorFormat::rgba8);
  if constexpr (Warp::takes_turns) {
    const ProgramColor& first = run.program.colors[0];
    if (run.program.color_count == 1 && first.plane == 0 && first.words == 4 && format == uint32_t(ColorFormat::rgba8))
      return store_bytes(w, run, first, which);
  }
  for (int s = 0; s < kTileSamples; s += w.width) {
    const Mask m = w.lanes_of(uint32_t(which >> s));
    if (!w.any(m)) continue;
    for (uint32_t i = 0; i < run.program.color_count; ++i) {
      const ProgramColor& output = run.program.colors[i];
      const Color color = color_of(w, run, output, s);
      if (output.plane == 0) {
        const Stored stored = store_color(format, color);
        w.merge(run.memory.low + s, stored.low, m);
        w.merge(run.memory.high + s, stored.high, m);
      } else {
        const size_t place = pass.base() + size_t(tile * kTileSamples + s);
        PlaneSamples(*pass.planes, {pass.region->target, output.plane, place, raw}).store(w, color, m);
      }
    }
  }
}

// Shades the samples of a tile that draws with programs won, and returns them: ShadedTile::by_program.
BROKKR_FN_NOINLINE uint64_t resolve_programs(Warp& w, ShadeContext& context, const ShadedTile& tile) {
  ProgramMemory& memory = *context.memory;
  const FrameTables& frame = *context.frame;
  const KeyPass pass = tile.pass;
  uint64_t found = 0;
  for (uint64_t todo = find_primitives(w, pass, tile.number, memory); todo != 0;) {
    const RunRecord& of_first = frame.runs[frame.batch_run[memory.primitive[lowest_bit(todo)] / kBatchTriangles]];
    const DrawRecord& draw = frame.draws[of_first.draw];
    const uint64_t same = todo & samples_of_run(w, of_first, draw, memory);
    todo &= ~same;
    if (draw.program == kNoProgram) continue;
    const ProgramRun run = open_program(context, draw.program, tile.x0, tile.y0);
    run_program(w, context, run, same, false);
    store_results(w, run, pass, tile.number, tile.format, same);
    found |= same;
  }
  return found;
}

// The samples of a tile that primitives of the phase won, one bit each.
BROKKR_FN uint64_t won_samples(Warp& w, const KeyPass& pass, int tile) {
  const Uint nothing = nothing_new(pass.key_bits);
  uint64_t won = 0;
  for (int s = 0; s < kTileSamples; s += w.width)
    won |= uint64_t(w.ballot(pass.keys->order(w, tile * kTileSamples + s) != nothing)) << s;
  return won;
}

// Returns true if the colours of a region go to the caller's memory, and not to the planes. They do if the phase gives
// all of them a value.
BROKKR_FN bool is_shown_at_once(const TargetTables& planes, const RegionRecord& region, uint8_t key_bits) {
  if (!Warp::takes_turns || planes.shown.pixels == nullptr || (key_bits & kKeyDepthOnly) != 0) return false;
  const uint32_t bits = planes.region_state[region.number].bits;
  return region.target == planes.shown.target && region.layer - planes.shown.first < planes.shown.layers &&
         (bits & (kClearColor | kLoadWaits)) == kClearColor;
}

// The place of the first colours of a region's tiles: the planes, or a buffer on the way to the caller's memory.
class ColorPlace {
 public:
  BROKKR_FN explicit ColorPlace(const KeyPass& pass)
      : pass_(pass), shows_(is_shown_at_once(*pass.planes, *pass.region, pass.key_bits)) {}

  BROKKR_FN uint32_t* of_tile(int tile) {
    return shows_ ? buffer_ : pass_.planes->color + pass_.base() + size_t(tile) * kTileSamples;
  }
  // Call this before the tile's colours are computed: the caller's memory is in no cache, and stores that wait for it
  // would hold up the next ones.
  BROKKR_FN void expect(int tile) const {
    if (!shows_) return;
    const Rows rows(pass_, tile);
    for (int y = 0; y < rows.high; ++y) prefetch(rows.first + y * rows.step);
  }
  // Writes one colour to all pixels of the tile. Returns false if they belong to the planes.
  BROKKR_FN bool fill(int tile, uint32_t color) const {
    if (!shows_) return false;
    const Rows rows(pass_, tile);
    if (rows.wide == kTile && rows.high == kTile) {
      for (int y = 0; y < kTile; ++y) {
        for (int x = 0; x < kTile; ++x) rows.first[y * rows.step + x] = color;
      }
      return true;
    }
    for (int y = 0; y < rows.high; ++y) {
      for (int x = 0; x < rows.wide; ++x) rows.first[y * rows.step + x] = color;
    }
    return true;
  }
  // Call this when the tile's colours are complete.
  BROKKR_FN void finish(int tile) const {
    if (!shows_) return;
    const Rows rows(pass_, tile);
    if (rows.wide > 0 && rows.high > 0) copy_tile_to_rows(buffer_, rows.first, rows.step, rows.wide, rows.high);
  }

 private:
  // The pixels of a tile in the caller's memory; wide and high are not positive outside of the target.
  struct Rows {
    uint32_t* first;
    ptrdiff_t step;
    int wide, high;

    BROKKR_FN Rows(const KeyPass& pass, int tile) {
      const ShownColors& shown = pass.planes->shown;
      const RegionRecord& region = *pass.region;
      const TargetRecord& target = pass.planes->targets[region.target];
      const int tiles_shift = pass.shift - 3;
      const int x = pass.x + (tile & ((1 << tiles_shift) - 1)) * kTile, y = pass.y + (tile >> tiles_shift) * kTile;
      const auto inside = [](uint32_t size, int start) {
        return int(size) - start < kTile ? int(size) - start : kTile;
      };
      first = shown.pixels + (int64_t(region.layer - shown.first) * shown.layer + y * shown.row + x);
      step = ptrdiff_t(shown.row);
      wide = inside(target.width, x);
      high = inside(target.height, y);
    }
  };
  const KeyPass& pass_;
  const bool shows_;
  alignas(Warp::takes_turns ? 64 : 4) uint32_t buffer_[Warp::takes_turns ? kTileSamples : 1];
};

// Writes the pending clears of a tile of which primitives of the phase won no sample.
BROKKR_FN void write_cleared_tile(Warp& w, const KeyPass& pass, int tile, const RegionState& state, ColorPlace& place) {
  const TargetTables& planes = *pass.planes;
  const size_t base = pass.base() + size_t(tile) * kTileSamples;
  const bool color = (pass.key_bits & kKeyDepthOnly) == 0 && (state.bits & kClearColor) != 0;
  const bool filled = place.fill(tile, uint32_t(state.color));
  if (filled && planes.drops_depth) return;
  uint32_t* const colors = place.of_tile(tile);
  const bool high = color && planes.targets[pass.region->target].format == uint32_t(ColorFormat::rgba16f);
  for (int s = 0; s < kTileSamples; s += w.width) {
    if (color && !filled) w.store(colors + s, uint32_t(state.color));
    if (high) w.store(planes.color_high + base + s, uint32_t(state.color >> 32));
    if ((state.bits & kClearDepth) == 0 || planes.drops_depth) continue;
    w.store(planes.depth + base + s, depth_of_key(pass.keys->depth(w, tile * kTileSamples + s), pass.key_bits));
  }
}

// Writes a tile; color_at(s) is the stored colour of samples s .. s + width - 1. The phase must have won some samples,
// and planes must have no notes of writers.
template <class ColorAt>
BROKKR_FN void write_won_tile(Warp& w, const ShadedTile& tile, const RegionState& state, ColorPlace& place,
                              ColorAt color_at) {
  const KeyPass& pass = tile.pass;
  const TargetTables& planes = *pass.planes;
  const size_t base = pass.base() + size_t(tile.number) * kTileSamples;
  const bool fresh = (state.bits & kClearColor) != 0;
  const auto write = [&](auto&& colors, uint32_t cleared, uint32_t* plane) BROKKR_INLINE_LAMBDA {
    if (~tile.won == 0) {
      for (int s = 0; s < kTileSamples; s += w.width) w.store(plane + s, colors(s));
      return;
    }
    for (int s = 0; s < kTileSamples; s += w.width) {
      const Uint old = fresh ? Uint(cleared) : w.load(plane + s);
      w.store(plane + s, select(w.lanes_of(uint32_t(tile.won >> s)), colors(s), old));
    }
  };
  write([&](int s) { return color_at(s).low; }, uint32_t(state.color), place.of_tile(tile.number));
  place.finish(tile.number);
  if (tile.format == uint32_t(ColorFormat::rgba16f))
    write([&](int s) { return color_at(s).high; }, uint32_t(state.color >> 32), planes.color_high + base);
  if (planes.drops_depth) return;
  for (int s = 0; s < kTileSamples; s += w.width) {
    const Uint depth = pass.keys->depth(w, tile.number * kTileSamples + s);
    w.store(planes.depth + base + s, depth_of_key(depth, pass.key_bits));
  }
}

// Writes a tile if one source has all colours that the phase won: programs, parts of a shader, or Shading::flat.
// Otherwise, or if planes have notes of writers, returns false.
BROKKR_FN bool write_of_one_source(Warp& w, const ShadeContext& context, const ShadedTile& tile,
                                   const RegionState& state, const TileColors& colors, ColorPlace& place) {
  const KeyPass& pass = tile.pass;
  const bool notes = pass.planes->visible_id || pass.planes->depth_id;
  if (tile.won == 0 || (pass.key_bits & kKeyDepthOnly) != 0 || notes) return false;
  const auto write = [&](const uint32_t* low, const uint32_t* high) BROKKR_INLINE_LAMBDA {
    write_won_tile(w, tile, state, place, [&](int s) { return Stored{w.load(low + s), w.load(high + s)}; });
  };
  if (tile.by_program == tile.won)
    write(context.memory->low, context.memory->high);
  else if (colors.samples == tile.won)
    write(colors.low, colors.high);
  else if (context.shading == Shading::flat && tile.by_program == 0)
    write_won_tile(w, tile, state, place, [&](int) { return Stored{colors.flat[0], colors.flat[1]}; });
  else
    return false;
  return true;
}

// Shades samples of a tile whose shader has parts. Returns these samples. If the shader needs quads, a vector whose
// quads have several primitives is left out.
template <class Shader>
BROKKR_FN_NOINLINE uint64_t resolve_in_parts(Warp& w, ShadeContext& context, const ShadedTile& tile,
                                             TileColors& colors) {
  const KeyPass& pass = tile.pass;
  const Uint nothing = nothing_new(pass.key_bits);
  Uint primitives[kTileSamples / kWidth];
  uint64_t won = 0, active = 0;
  for (int s = 0; s < kTileSamples; s += w.width) {
    const Uint order = pass.keys->order(w, tile.number * kTileSamples + s);
    const Uint primitive = primitive_of_order(order, pass.key_bits);
    Uint& shown = primitives[s / kWidth];
    shown = primitive;
    Mask here = order != nothing && w.lanes_of(uint32_t(~tile.by_program >> s)), lanes = here;
    if (tile.quads) {
      shown = primitive_of_quads(w, primitive, here);
      if (w.any(here && shown != primitive)) continue;
      lanes = quads_of(w, here);
    }
    won |= uint64_t(w.ballot(here)) << s;
    active |= uint64_t(w.ballot(lanes)) << s;
  }
  return shade_tile_in_parts<Shader>(w, context, tile, active, primitives, colors) & won;
}
#define BROKKR_SHADING(value, name, shader, meaning)                   \
  case Shading::value:                                                 \
    if constexpr (HasParts<shader<Warp>> && Warp::takes_turns)         \
      return resolve_in_parts<shader<Warp>>(w, context, tile, colors); \
    else                                                               \
      return 0;
BROKKR_FN uint64_t resolve_tile_in_parts(Warp& w, ShadeContext& context, const ShadedTile& tile, TileColors& colors) {
  switch (context.shading) {
#include "brokkr/shadings.def"
  }
  return 0;
}

// Shades the samples s .. s + width - 1 of a tile that primitives won. Colours that programs or parts of a shader have
// computed are taken over.
BROKKR_FN void shade_vector(Warp& w, ShadeContext& context, const ShadedTile& tile, int s,
                            [[maybe_unused]] const TileColors& colors, Stored& shown) {
  const KeyPass& pass = tile.pass;
  const int first = tile.number * kTileSamples + s;
  const Uint order = pass.keys->order(w, first);
  const Mask won = order != nothing_new(pass.key_bits);
  const Int i = w.lane() + s;
  Samples in;
  in.x = to_float(tile_x(i) + tile.x0) + 0.5f;
  in.y = to_float(tile_y(i) + tile.y0) + 0.5f;
  in.z = depth_of_key(pass.keys->depth(w, first), pass.key_bits);
  in.primitive = primitive_of_order(order, pass.key_bits);
  Mask others = won;
  if (tile.by_program != 0) {
    const Mask programs = w.lanes_of(uint32_t(tile.by_program >> s));
    shown.low = select(programs, w.load(context.memory->low + s), shown.low);
    shown.high = select(programs, w.load(context.memory->high + s), shown.high);
    others = won && !programs;
  }
  if constexpr (Warp::takes_turns) {
    const Mask parts = w.lanes_of(uint32_t(colors.samples >> s));
    shown.low = select(parts, w.load(colors.low + s), shown.low);
    shown.high = select(parts, w.load(colors.high + s), shown.high);
    others = others && !parts;
  }
  if (Warp::takes_turns && !w.any(others)) return;
  const Stored stored = store_color(tile.format, shade_won(w, context, tile.quads, in, others));
  shown.low = select(others, stored.low, shown.low);
  shown.high = select(others, stored.high, shown.high);
}

// Sets the colour of Shading::flat.
BROKKR_FN void set_flat(Warp& w, uint32_t format, TileColors& colors) {
  const Stored stored = store_color(format, color_of(Flat<Warp>()(w, ShaderInput<Warp>(), true)));
  colors.flat[0] = w.broadcast(stored.low, 0);
  colors.flat[1] = w.broadcast(stored.high, 0);
}

// Resolves the tiles of the warp's share. Returns the number of samples shaded.
BROKKR_FN_NOINLINE int resolve_region(Warp& w, KeyPass pass, Share tiles, bool quads, ShadeContext& context) {
  const TargetTables& planes = *in_shared_memory(pass.planes);
  const TargetRecord& target = planes.targets[pass.region->target];
  const RegionState state = planes.region_state[pass.region->number];
  const int tiles_shift = pass.shift - 3;
  const size_t base = pass.base();
  const RegionKeys& keys = *pass.keys;
  const Uint nothing = nothing_new(pass.key_bits);
  const bool fresh = (state.bits & kClearColor) != 0, half = target.format == uint32_t(ColorFormat::rgba16f);
  const bool writes_color = !(pass.key_bits & kKeyDepthOnly);
  [[maybe_unused]] TileColors colors;
  if constexpr (Warp::takes_turns) set_flat(w, target.format, colors);
  ColorPlace place(pass);
  int shaded = 0;
  for (int tile = tiles.first; tile * kTileSamples < pass.samples(); tile += tiles.step) {
    const int tile_x0 = pass.x + ((tile & ((1 << tiles_shift) - 1)) * kTile),
              tile_y0 = pass.y + (tile >> tiles_shift) * kTile;
    [[maybe_unused]] uint64_t won_here = 0;
    if constexpr (Warp::takes_turns) {
      won_here = won_samples(w, pass, tile);
      if (won_here == 0 && (state.bits & kLoadWaits) == 0) {
        write_cleared_tile(w, pass, tile, state, place);
        continue;
      }
    }
    place.expect(tile);
    ShadedTile shaded_tile{pass, tile, tile_x0, tile_y0, target.format, quads, 0, won_here};
    if (context.shows_programs() && writes_color) shaded_tile.by_program = resolve_programs(w, context, shaded_tile);
    if constexpr (Warp::takes_turns) {
      const bool others = writes_color && shaded_tile.by_program != won_here;
      colors.samples = others ? resolve_tile_in_parts(w, context, shaded_tile, colors) : 0;
    }
    if constexpr (kLoadsCanWait) {
      if ((state.bits & kLoadWaits) != 0 && writes_color && ~won_here != 0)
        load_waiting_tile(w, planes, *pass.region, *context.frame, *context.programs, tile);
    }
    if constexpr (Warp::takes_turns) {
      if (write_of_one_source(w, context, shaded_tile, state, colors, place)) {
        shaded += count_bits(won_here);
        continue;
      }
    }
    for (int s = 0; s < kTileSamples; s += w.width) {
      const int first = tile * kTileSamples + s;
      const size_t memory = base + size_t(first);
      const Uint order = keys.order(w, first);
      const Mask won = order != nothing;
      const bool some = w.any(won);
      Stored shown{uint32_t(state.color), uint32_t(state.color >> 32)};
      if (some && writes_color) {
        shade_vector(w, context, shaded_tile, s, colors, shown);
        shaded += w.count(won);
        if (planes.visible_id) {
          w.merge(planes.visible_id + memory, primitive_of_order(order, pass.key_bits), won);
          stamp(w, planes, memory, won);
        }
      }
      if (some && planes.depth_id) w.merge(planes.depth_id + memory, primitive_of_order(order, pass.key_bits), won);
      if (writes_color && (fresh || some)) {
        const Mask write = fresh ? true : won;
        w.merge(place.of_tile(tile) + s, shown.low, write);
        if (half) w.merge(planes.color_high + memory, shown.high, write);
      }
      if ((some || (state.bits & kClearDepth)) && !(Warp::takes_turns && planes.drops_depth))
        w.store(planes.depth + memory, depth_of_key(keys.depth(w, first), pass.key_bits));
    }
    place.finish(tile);
  }
  return shaded;
}

BROKKR_MACHINE_END
