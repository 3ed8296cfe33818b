// Assigns a tile's samples to the lanes of a program's run, quad by quad. If the program takes derivatives, a quad
// belongs to one primitive.
#pragma once

#include "raster/program_memory.h"
#include "raster/shade_context.h"
#include "shade/interpreter.h"

BROKKR_MACHINE_BEGIN

BROKKR_CONSTANT int kRunLanes = kShaderVectors * kWidth;  // lanes of a run, and of each register
static_assert(kRunLanes == kProgramLanes && kProgramLanes == kTileSamples);
BROKKR_CONSTANT uint64_t kVectorBits = (uint64_t(1) << kWidth) - 1;  // one bit per sample of a vector

// A warp's memory and the program that it runs.
struct ProgramRun {
  const FrameTables& frame;
  const ProgramTables& tables;
  const ProgramRecord& program;
  uint32_t number;  // the program's index
  ProgramMemory& memory;
  ProgramLayout layout;
  int x0, y0;  // the tile's first sample, in pixels

  template <class T>
  BROKKR_FN T* part(size_t offset) const {
    return reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(&memory) + offset);
  }
  BROKKR_FN uint64_t* masks() const { return part<uint64_t>(layout.masks); }
  BROKKR_FN uint32_t* registers() const { return part<uint32_t>(layout.registers); }
  BROKKR_FN uint32_t* outputs() const { return part<uint32_t>(layout.outputs); }
  BROKKR_FN uint32_t* results() const { return part<uint32_t>(layout.results); }
};

// The program compiled for this processor; null if it is interpreted.
BROKKR_FN shader::CompiledShader compiled_of(const ProgramRun& run) {
#if !defined(__CUDACC__)
  const shader::CompiledShader* const all = run.tables.compiled;
  if (all != nullptr) return all[run.program.code];
#endif
  return nullptr;
}

// Returns the first sample of each quad that contains any of `samples`.
BROKKR_FN uint64_t first_of_quads(uint64_t samples) {
  return (samples | samples >> 1 | samples >> 2 | samples >> 3) & 0x1111111111111111u;
}

// The primitive of each of the lanes g .. g + width - 1. It is the primitive of the lane's own sample or, if the
// program takes derivatives, of the first wanted sample in its quad. Lanes of quads without samples get `primitive`.
struct LaneOwners {
  Uint primitive_of_lane;
  Mask now;  // wanted lanes whose own primitive this is

  BROKKR_FN LaneOwners(Warp& w, bool takes_derivatives, Uint own, Mask wanted, uint32_t primitive) {
    Int leader = select(wanted, w.lane(), w.width);
    leader = minimum(leader, w.shuffle(leader, w.lane() ^ 1));
    leader = minimum(leader, w.shuffle(leader, w.lane() ^ 2));
    const Uint of_quad = w.shuffle(own, select(leader < w.width, leader, w.lane()));
    now = takes_derivatives ? wanted && own == of_quad : wanted;
    primitive_of_lane = select(now, own, select(leader < w.width, of_quad, primitive));
  }
};

// Sets the properties of a run in place. `vectors`: bits of vectors that have lanes; `end`: the last one's number plus
// 1.
BROKKR_FN void taken_in_place(const ProgramRun& run, uint32_t vectors, int end, bool one_primitive, uint64_t lanes,
                              uint64_t keep) {
  ProgramMemory& memory = run.memory;
  memory.vectors = vectors;
  memory.in_place = 1;
  memory.one_primitive = one_primitive ? 1 : 0;
  memory.call.vectors = uint32_t(end);
  memory.call.keep = keep;
  memory.call.outputs = run.results();
  run.masks()[run.program.running] = lanes;
}

// If it costs no extra vector (one extra for a short program), lane i holds sample i of the tile: inputs need no
// gathering and results no reordering. Returns true if it does; then `rest` receives the remaining samples, those of
// quads in which another primitive came first. Only a tile's first run may do this, because it writes over results of
// other runs. `one_primitive`: all samples are known to belong to one primitive.
BROKKR_FN_NOINLINE bool take_part_in_place(Warp& w, const ProgramRun& run, uint64_t& rest, bool one_primitive) {
  ProgramMemory& memory = run.memory;
  const uint64_t quads = first_of_quads(rest), lanes = quads * 15;
  uint32_t vectors = 0;
  int end = 0;
  for (int g = 0; g < kTileSamples; g += w.width) {
    if ((lanes >> g & kVectorBits) == 0) continue;
    vectors |= 1u << uint32_t(g / w.width);
    end = g / w.width + 1;
  }
  // Compiled programs skip vectors without samples; the interpreter computes all up to the last one.
  const int computed = compiled_of(run) != nullptr ? count_bits(vectors) : end;
  const bool is_short = (run.program.bits & kProgramShort) != 0;
  if (4 * count_bits(quads) <= (computed - (is_short ? 2 : 1)) * w.width) return false;
  const uint32_t primitive = memory.primitive[lowest_bit(rest)];
  bool others = false;
  for (uint32_t left = one_primitive ? 0 : vectors; left != 0 && !others; left &= left - 1) {
    const int g = lowest_bit(left) * w.width;
    others = w.any(w.lanes_of(uint32_t(rest >> g)) && w.load(memory.primitive + g) != primitive);
  }
  one_primitive = one_primitive || !others;
  uint64_t keep = rest;
  if (one_primitive) {
    memory.lane_primitive[lowest_bit(vectors) * w.width] = primitive;
  } else {
    const bool takes_derivatives = (run.program.bits & kProgramQuads) != 0;
    keep = 0;
    for (uint32_t left = vectors; left != 0; left &= left - 1) {
      const int g = lowest_bit(left) * w.width;
      if (!takes_derivatives && (~rest >> g & kVectorBits) == 0) {  // each lane has its own sample's primitive
        w.store(memory.lane_primitive + g, w.load(memory.primitive + g));
        keep |= kVectorBits << g;
        continue;
      }
      const LaneOwners owners(w, takes_derivatives, w.load(memory.primitive + g), w.lanes_of(uint32_t(rest >> g)),
                              primitive);
      w.store(memory.lane_primitive + g, owners.primitive_of_lane);
      keep |= uint64_t(w.ballot(owners.now)) << g;
    }
  }
  taken_in_place(run, vectors, end, one_primitive, lanes, keep);
  rest &= ~keep;
  return true;
}

// The same, and at once for a whole tile of one primitive.
BROKKR_FN bool take_in_place(Warp& w, const ProgramRun& run, uint64_t& rest, bool one_primitive) {
  if constexpr (Warp::takes_turns) {
    if (!one_primitive || ~rest != 0) return take_part_in_place(w, run, rest, one_primitive);
    run.memory.lane_primitive[0] = run.memory.primitive[0];
    taken_in_place(run, (1u << kShaderVectors) - 1, kShaderVectors, true, rest, rest);
    rest = 0;
    return true;
  }
  return false;
}

// Sets the properties shared by all runs that are not in place.
BROKKR_FN void lanes_are_taken(const ProgramRun& run, int lanes, bool in_order, bool one_primitive, uint64_t keep) {
  ProgramMemory& memory = run.memory;
  const auto vectors = uint32_t((lanes + kWidth - 1) / kWidth);
  memory.lanes = lanes;
  memory.vectors = (1u << vectors) - 1;
  memory.call.vectors = vectors;
  memory.in_place = 0;
  memory.in_order = in_order ? 1 : 0;
  memory.one_primitive = one_primitive ? 1 : 0;
  memory.call.keep = keep;
  memory.call.outputs = run.outputs();
  run.masks()[run.program.running] = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
}

// Assigns lanes to samples of `rest`, quad by quad. If the program takes derivatives, each quad belongs to one
// primitive. Returns the remaining samples.
BROKKR_FN uint64_t take_lanes(Warp& w, const ProgramRun& run, uint64_t rest) {
  constexpr int max_quads = kRunLanes / 4;
  ProgramMemory& memory = run.memory;
  const bool takes_derivatives = (run.program.bits & kProgramQuads) != 0;
  uint64_t quads = first_of_quads(rest);
  const int some = count_bits(quads), first = lowest_bit(quads);
  const int count = some < max_quads ? some : max_quads, lanes = 4 * count;
  // The number of quads, rounded up to whole vectors.
  const int filled = (lanes + kWidth - 1) / kWidth * kWidth / 4;
  w.sync();  // the previous run's samples have been read
  w.once([&] {
    for (int q = 0; q < filled; ++q, quads &= quads - 1) {
      const uint32_t first_of_quad = q < count ? uint32_t(lowest_bit(quads)) : uint32_t(first);
      for (uint32_t i = 0; i < 4; ++i) memory.sample[4 * q + int(i)] = first_of_quad + i;
    }
  });
  w.sync();
  const int last = int(memory.sample[lanes - 4]);
  uint64_t keep = 0, others = 0;
  const uint32_t primitive = memory.primitive[lowest_bit(rest)];
  for (int g = 0; g < lanes; g += w.width) {
    const Int sample = as_int(w.load(memory.sample + g));
    const Uint half = select(sample < 32, Uint(uint32_t(rest)), uint32_t(rest >> 32));
    const Mask wanted = w.first_lanes(lanes - g) && ((half >> as_uint(sample & 31)) & 1) != 0;
    const LaneOwners owners(w, takes_derivatives, w.gather(memory.primitive, sample, wanted), wanted, primitive);
    w.store(memory.lane_primitive + g, owners.primitive_of_lane);
    keep |= uint64_t(w.ballot(owners.now)) << g;
    others |= w.ballot(owners.primitive_of_lane != primitive);
  }
  for (int q = 0; q < count; ++q) rest &= ~((keep >> (4 * q) & 15) << memory.sample[4 * q]);
  w.once([&] { lanes_are_taken(run, lanes, last - first == lanes - 4, others == 0, keep); });
  return rest;
}

// Does the same if all samples belong to the primitive of the first one.
BROKKR_FN uint64_t take_quads(const ProgramRun& run, uint64_t rest) {
  ProgramMemory& memory = run.memory;
  const uint32_t primitive = memory.primitive[lowest_bit(rest)];
  uint64_t keep = 0, quads = first_of_quads(rest);
  const int first = lowest_bit(quads), max_lanes = kRunLanes;
  int lanes = 0, last = first;
  for (; quads != 0 && lanes < max_lanes; quads &= quads - 1, lanes += 4) {
    last = lowest_bit(quads);
    for (int i = 0; i < 4; ++i) memory.sample[lanes + i] = uint32_t(last + i);
    keep |= (rest >> last & 15) << lanes;
  }
  lanes_are_taken(run, lanes, last - first == lanes - 4, true, keep);
  for (; lanes % kWidth != 0; lanes += 4) {
    for (int i = 0; i < 4; ++i) memory.sample[lanes + i] = uint32_t(first + i);
  }
  for (int lane = 0; lane < (Warp::takes_turns ? 1 : lanes); ++lane) memory.lane_primitive[lane] = primitive;
  return last == 60 ? 0 : rest & ~uint64_t(0) << (last + 4);
}

// Does the work of take_lanes with all lanes at once, if the tile's samples belong to one primitive, as inside a
// triangle. Returns true if it did so. Warps whose lanes take turns take such a tile in place.
BROKKR_FN bool take_tile(Warp& w, const ProgramRun& run, uint64_t& rest) {
  if (Warp::takes_turns || ~rest != 0) return false;
  ProgramMemory& memory = run.memory;
  const uint32_t primitive = memory.primitive[0];
  for (int g = 0; g < kTileSamples; g += w.width) {
    if (w.any(w.load(memory.primitive + g) != primitive)) return false;
  }
  for (int g = 0; g < kTileSamples; g += w.width) {
    w.store(memory.sample + g, as_uint(w.lane() + g));
    w.store(memory.lane_primitive + g, primitive);
  }
  w.once([&] { lanes_are_taken(run, kTileSamples, true, true, rest); });
  rest = 0;
  return true;
}

BROKKR_MACHINE_END
