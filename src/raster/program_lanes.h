// Which samples of a tile the lanes of a program's run stand for: quad by quad, each quad of one primitive where the
// program takes derivatives.
#pragma once

#include "raster/program_memory.h"
#include "raster/shade_context.h"
#include "shader/interpreter.h"

BROKKR_MACHINE_BEGIN

BROKKR_CONSTANT int kRunLanes = kShaderVectors * kWidth;
static_assert(kRunLanes <= kProgramLanes);

// A warp's memory and the program that it runs.
struct ProgramRun {
  const FrameTables& frame;
  const ProgramTables& tables;
  const ProgramRecord& program;
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

// Gives lanes to samples of `rest`, quad by quad, each with one primitive where the program takes derivatives. Returns
// the samples that are left.
BROKKR_FN uint64_t take_lanes(Warp& w, const ProgramRun& run, uint64_t rest) {
  constexpr int kRunQuads = kRunLanes / 4;
  ProgramMemory& memory = run.memory;
  const bool of_quads = (run.program.bits & kProgramQuads) != 0;
  uint64_t quads = (rest | rest >> 1 | rest >> 2 | rest >> 3) & 0x1111111111111111u;
  const int some = count_bits(quads), first = lowest_bit(quads);
  const int count = some < kRunQuads ? some : kRunQuads, lanes = 4 * count;
  // Up to the end of a vector.
  const int filled = (lanes + kWidth - 1) / kWidth * kWidth / 4;
  w.sync();  // the samples of the run before have been read
  w.once([&] {
    for (int q = 0; q < filled; ++q, quads &= quads - 1) {
      const uint32_t from = q < count ? uint32_t(lowest_bit(quads)) : uint32_t(first);
      for (uint32_t i = 0; i < 4; ++i) memory.sample[4 * q + int(i)] = from + i;
    }
  });
  w.sync();
  const int last = int(memory.sample[lanes - 4]);
  uint64_t keep = 0, of_others = 0;
  const uint32_t primitive = memory.primitive[lowest_bit(rest)];
  for (int g = 0; g < lanes; g += w.width) {
    const Int sample = as_int(w.load(memory.sample + g));
    const Uint half = select(sample < 32, Uint(uint32_t(rest)), uint32_t(rest >> 32));
    const Mask wanted = w.first_lanes(lanes - g) && ((half >> as_uint(sample & 31)) & 1) != 0;
    const Uint own = w.gather(memory.primitive, sample, wanted);
    // The first wanted sample of the lane's quad.
    Int leader = select(wanted, w.lane(), w.width);
    leader = minimum(leader, w.shuffle(leader, w.lane() ^ 1));
    leader = minimum(leader, w.shuffle(leader, w.lane() ^ 2));
    const Uint of_quad = w.shuffle(own, select(leader < w.width, leader, w.lane()));
    const Mask now = of_quads ? wanted && own == of_quad : wanted;
    const Uint of_lane = select(now, own, select(leader < w.width, of_quad, primitive));
    w.store(memory.of_lane + g, of_lane);
    keep |= uint64_t(w.ballot(now)) << g;
    of_others |= w.ballot(of_lane != primitive);
  }
  for (int q = 0; q < count; ++q) rest &= ~((keep >> (4 * q) & 15) << memory.sample[4 * q]);
  w.once([&] {
    memory.lanes = lanes;
    memory.in_order = last - first == lanes - 4 ? 1 : 0;
    memory.of_one = of_others == 0 ? 1 : 0;
    memory.call.keep = keep;
    run.masks()[run.program.running] = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
  });
  return rest;
}

// The same where all samples are of the primitive that the first one has.
BROKKR_FN uint64_t take_quads(const ProgramRun& run, uint64_t rest) {
  ProgramMemory& memory = run.memory;
  const uint32_t primitive = memory.primitive[lowest_bit(rest)];
  uint64_t keep = 0, quads = (rest | rest >> 1 | rest >> 2 | rest >> 3) & 0x1111111111111111u;
  const int first = lowest_bit(quads);
  int lanes = 0, last = first;
  for (; quads != 0 && lanes < kRunLanes; quads &= quads - 1, lanes += 4) {
    last = lowest_bit(quads);
    for (int i = 0; i < 4; ++i) memory.sample[lanes + i] = uint32_t(last + i);
    keep |= (rest >> last & 15) << lanes;
  }
  memory.lanes = lanes;
  memory.in_order = last - first == lanes - 4 ? 1 : 0;
  memory.of_one = 1;
  memory.call.keep = keep;
  run.masks()[run.program.running] = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
  for (; lanes % kWidth != 0; lanes += 4) {
    for (int i = 0; i < 4; ++i) memory.sample[lanes + i] = uint32_t(first + i);
  }
  for (int lane = 0; lane < (Warp::takes_turns ? 1 : lanes); ++lane) memory.of_lane[lane] = primitive;
  return last == 60 ? 0 : rest & ~uint64_t(0) << (last + 4);
}

// What take_lanes does, by all lanes at once, where the next samples are as many as a run has lanes and of one
// primitive: inside of a triangle they are. Returns whether they were.
BROKKR_FN bool take_row(Warp& w, const ProgramRun& run, uint64_t& rest) {
  constexpr uint64_t kAll = kRunLanes == 64 ? ~uint64_t(0) : (uint64_t(1) << (kRunLanes % 64)) - 1;
  const int first = lowest_bit(rest);
  if (first % kRunLanes != 0 || (rest >> first & kAll) != kAll) return false;
  ProgramMemory& memory = run.memory;
  const uint32_t primitive = memory.primitive[first];
  for (int g = 0; g < kRunLanes; g += w.width) {
    if (w.any(w.load(memory.primitive + first + g) != primitive)) return false;
  }
  for (int g = 0; g < kRunLanes; g += w.width) {
    w.store(memory.sample + g, as_uint(w.lane() + (first + g)));
    w.store(memory.of_lane + g, primitive);
  }
  w.once([&] {
    memory.lanes = kRunLanes;
    memory.in_order = memory.of_one = 1;
    memory.call.keep = kAll;
    run.masks()[run.program.running] = kAll;
  });
  rest &= ~(kAll << first);
  return true;
}

BROKKR_MACHINE_END
