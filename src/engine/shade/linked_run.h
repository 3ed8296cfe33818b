// Runs a compiled shader on CUDA: one vector of samples after another, with one lane per thread.
#pragma once

#include "shade/compiled_shader.h"
#include "shade/linked_call.h"

BROKKR_MACHINE_BEGIN

// State of one vector of a run.
struct VectorRun {
  // CompiledCall::lanes as a constant, which the compiler folds into offsets
  static constexpr uint32_t kLanes = 2 * kWidth;

  CompiledCall& call;
  uint32_t first;  // first lane
  // These are copied from the call, because the compiler must assume that a lookup changes the call's memory.
  const uint32_t* registers;
  uint32_t* outputs;
  LookupMemory* lookups;
  Mask keep;

  BROKKR_FN VectorRun(CompiledCall& c, uint32_t vector)
      : call(c),
        first(vector * kWidth),
        registers(c.registers + first),
        outputs(c.outputs + first),
        lookups(static_cast<LookupMemory*>(c.values)),
        keep(Warp::lanes_of(uint32_t(c.keep >> first))) {}

  BROKKR_FN Uint input(uint32_t number) const { return Warp::load(registers + number * kLanes); }
  BROKKR_FN Uint uniform(uint32_t number) const { return registers[number * kLanes]; }
  BROKKR_FN Mask mask(uint32_t number) const { return Warp::lanes_of(uint32_t(call.masks[number] >> first)); }
  BROKKR_FN void output(uint32_t word, Uint value) const { Warp::store(outputs + word * kLanes, value); }

  // Discards the lanes of m. Returns true if any sample is left.
  BROKKR_FN bool discard(Mask m) {
    keep = keep && !m;
    return any(keep);
  }
  // Ends a loop iteration; `iterations` counts the iterations of this loop.
  BROKKR_FN bool repeat(Mask m, uint32_t& iterations) const {
    constexpr uint32_t kMaxOfRun = shader::kMaxIterationsOfRun;
    if (!any(m)) return false;
    if (++iterations >= shader::kMaxIterations || call.iterations >= kMaxOfRun) {
      call.cut = 1;
      return false;
    }
    const auto aborted = [&] { return *static_cast<const volatile uint32_t*>(call.abort); };
    if (++call.iterations % 256 == 0 && call.abort != nullptr && Warp::uniform(aborted) != 0)
      call.iterations = kMaxOfRun;
    return call.iterations < kMaxOfRun;
  }
  BROKKR_FN static Uint change(Uint a, Mask m, int bit) {
    const Float own = as_float(a), beside = Warp::shuffle(own, Warp::lane() ^ bit);
    const uint32_t lanes = Warp::ballot(m),
                   pairs = lanes & (bit == 1 ? (lanes & 0x55555555u) << 1 | (lanes >> 1 & 0x55555555u)
                                             : (lanes & 0x33333333u) << 2 | (lanes >> 2 & 0x33333333u));
    const Float difference = select((Warp::lane() & bit) != 0, own - beside, beside - own);
    return as_uint(select(Warp::lanes_of(pairs), difference, Float(0.0f)));
  }
  BROKKR_FN static uint32_t inside(uint32_t index, uint32_t length) {
    const auto i = int32_t(index);
    return i < 0 ? 0 : index < length ? index : length - 1;
  }
  BROKKR_FN static Uint element(const Uint* cells, uint32_t length, Uint index) {
    return cells[inside(index.v, length)];
  }
  BROKKR_FN static void set_element(Uint* cells, uint32_t length, Uint index, Uint value, Mask m) {
    if (m.m) cells[inside(index.v, length)] = value;
  }
  BROKKR_FN Uint uniform_at(Uint index) const { return call.uniforms[inside(index.v, call.uniform_words)]; }

  template <class... Operands>
  BROKKR_FN void look_up(uint32_t op, uint32_t extra, Uint* results, Mask m, Operands... operands) const {
    uint32_t* next = lookups->values + shader::kMaxResults * kWidth;
    ((Warp::store(next, operands), next += kWidth), ...);
    brokkr_look_up(call.host, lookups, op, extra, Warp::ballot(m));
    for (int i = 0; i < shader::kMaxResults; ++i) results[i] = Warp::load(lookups->values + i * kWidth);
  }
};

// Runs `vector` for each vector of the run that has active lanes. Returns true if samples are left.
template <class F>
BROKKR_FN void run_vectors(CompiledCall& call, F&& vector) {
  uint64_t keep = 0;
  for (uint32_t rest = call.vectors; rest != 0; rest &= rest - 1) {
    VectorRun run(call, uint32_t(lowest_bit(rest)));
    if (vector(run)) keep |= uint64_t(Warp::ballot(run.keep)) << run.first;
  }
  call.keep = keep;
}

BROKKR_MACHINE_END
