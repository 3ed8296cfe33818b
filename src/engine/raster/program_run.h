// Runs fragment programs (shade/interpreter.h) on samples of one tile: assigns lanes (program_lanes.h), interpolates
// inputs, and writes results back to the samples.
#pragma once

#include "raster/program_inputs.h"
#if defined(BROKKR_KERNEL_LINKED)
#include "shade/run_linked.h"
#elif !defined(__CUDACC__)
#include "shade/run_compiled.h"
#endif
#include "target/pixel.h"

BROKKR_MACHINE_BEGIN

// Samples s .. s + width - 1 of a word of the program's results.
BROKKR_FN Float result_of(Warp& w, const ProgramRun& run, int word, int s) {
  return as_float(w.load(run.results() + word * kTileSamples + s));
}
BROKKR_FN Color color_of(Warp& w, const ProgramRun& run, const ProgramColor& color, int s) {
  const auto channel = [&](int c) {
    return c < int(color.words) ? result_of(w, run, int(color.first) + c, s) : Float(c == 3 ? 1.0f : 0.0f);
  };
  if (color.bounded != 0)
    return {saturate(channel(0)), saturate(channel(1)), saturate(channel(2)), saturate(channel(3))};
  return {channel(0), channel(1), channel(2), channel(3)};
}

// The second source of blending. The program must have one.
BROKKR_FN Color second_of(Warp& w, const ProgramRun& run, const ProgramColor& color, int s) {
  ProgramColor second = color;
  second.first = color.second;
  second.words = color.second_words;
  return color_of(w, run, second, s);
}

// Fills the registers that have the same values in all runs of the draw.
BROKKR_FN_NOINLINE void load_program(Warp& w, const ProgramRun& run) {
  const ProgramRecord& program = run.program;
  uint32_t* const registers = run.registers();
  const ProgramPreset* const presets = run.tables.presets + program.first_preset;
  // Compiled programs read the presets themselves.
  const int stride = kRunLanes;
  for (uint32_t i = 0; i < program.presets && compiled_of(run) == nullptr; ++i) {
    const ProgramPreset preset = presets[i];
    for (int g = 0; g < stride; g += w.width) w.store(registers + int(preset.number) * stride + g, preset.bits);
  }
  w.once([&] {
    for (uint32_t i = program.presets; i < program.presets + program.mask_presets; ++i)
      run.masks()[presets[i].number] = presets[i].bits != 0 ? ~uint64_t(0) : 0;
    shader::ShaderCall& call = run.memory.call;
    call.code = run.tables.code + program.first_instruction;
    call.begin = program.head;
    call.end = program.instructions;
    call.registers = registers;
    call.masks = run.masks();
    call.uniforms = run.tables.uniforms + program.first_uniform;
    call.uniform_words = program.uniform_words;
    call.frame = &run.frame;
    call.samplers = run.tables.samplers + program.first_sampler;
    call.abort = run.tables.abort;
  });
}

// Writes the outputs of the lanes `keep` to their samples. Returns these samples.
BROKKR_FN uint64_t take_results(Warp& w, const ProgramRun& run, uint64_t keep) {
  const ProgramMemory& memory = run.memory;
  if (memory.in_place != 0) return keep;
  const bool in_order = memory.in_order != 0;
  const int stride = kRunLanes;
  for (int g = 0; g < memory.lanes; g += w.width) {
    const Mask m = w.lanes_of(uint32_t(keep >> g));
    const Int sample = as_int(w.load(memory.sample + g));
    for (int word = 0; word < int(run.program.outputs); ++word) {
      const Uint value = w.load(run.outputs() + word * stride + g);
      uint32_t* const sample_words = run.results() + word * kTileSamples;
      if (in_order) {
        w.merge(sample_words + int(memory.sample[0]) + g, value, m);
      } else {
        w.scatter_quads(sample_words, sample, value, m);
      }
    }
  }
  w.sync();
  uint64_t samples = 0;
  for (int lane = 0; lane < memory.lanes; lane += 4) samples |= (keep >> lane & 15) << memory.sample[lane];
  return samples;
}

// The samples among `kept` that pass the draw's alpha test.
BROKKR_FN uint64_t alpha_tested(Warp& w, const ProgramRun& run, const DrawRecord& draw, uint64_t kept) {
  uint64_t passed = 0;
  const int word = run.program.alpha;
  for (int s = 0; s < kTileSamples; s += w.width) {
    const Float alpha = word == kNoOutput ? Float(1.0f) : result_of(w, run, word, s);
    passed |= uint64_t(w.ballot(compare(draw.alpha_func, alpha, draw.alpha_ref))) << s;
  }
  return kept & passed;
}

#if defined(BROKKR_KERNEL_LINKED)

template <class RunProgram>
BROKKR_FN void execute_linked(Warp& w, const ProgramRun& run, RunProgram&& run_program) {
  static_assert(sizeof(LookupMemory) == kLookupBytes);
  run_linked(w, run.program.code, run.memory.call, run.memory.vectors, run.part<LookupMemory>(run.layout.lookups),
             run_program);
}
// Runs the fragment program on the prepared lanes.
template <class Kept>
BROKKR_FN void execute(Warp& w, const ProgramRun& run, const Kept&) {
  execute_linked(w, run, [](uint32_t program, shader::CompiledCall* call) { brokkr_run_program(program, call); });
}
// Runs the vertex program on the prepared lanes, whose registers hold all inputs.
BROKKR_FN void execute_vertices(Warp& w, const ProgramRun& run) {
  execute_linked(w, run,
                 [](uint32_t program, shader::CompiledCall* call) { brokkr_run_vertex_program(program, call); });
}

#else

// `inputs`: those that a compiled program interpolates.
BROKKR_FN void execute_in_place(Warp& w, const ProgramRun& run, const shader::ShaderInputs* inputs = nullptr) {
  shader::ShaderCall& call = run.memory.call;
#if !defined(__CUDACC__)
  if (const shader::CompiledShader compiled = compiled_of(run); compiled != nullptr)
    return run_compiled(compiled, call, kRunLanes, run.memory.vectors, run.tables.presets + run.program.first_preset,
                        inputs);
#endif
  Interpreter(w, call).run();
}
// In a kernel that runs programs in two stages, both call one copy of the interpreter.
template <class... Inputs>
BROKKR_FN_NOINLINE void execute_apart(Warp& w, const ProgramRun& run, Inputs... inputs) {
  execute_in_place(w, run, inputs...);
}

template <class... Inputs>
BROKKR_FN void execute_somewhere(Warp& w, const ProgramRun& run, Inputs... inputs) {
  if constexpr ((kKernelFeatures & kFeatureVertexPrograms) != 0)
    execute_apart(w, run, inputs...);
  else
    execute_in_place(w, run, inputs...);
}

// Runs the fragment program on the prepared lanes. `kept`: what fill_inputs has filled.
BROKKR_FN void execute(Warp& w, const ProgramRun& run, const KeptPrimitives& kept) {
  execute_somewhere(w, run, &kept.shader_inputs);
}
BROKKR_FN void execute(Warp& w, const ProgramRun& run, const NoPrimitives&) { execute_somewhere(w, run); }
// Runs the vertex program on the prepared lanes, whose registers hold all inputs.
BROKKR_FN void execute_vertices(Warp& w, const ProgramRun& run) {
  if constexpr (Warp::takes_turns)
    execute_somewhere(w, run, static_cast<const shader::ShaderInputs*>(nullptr));
  else
    execute_somewhere(w, run);
}

#endif

// Runs the program on the tile's samples `wanted`. Their primitives must belong to the program's draw and be in the
// memory; `one_primitive`: all samples have the same one. Returns the samples that are not discarded; the run's results
// hold their outputs. `fill` fills the inputs of the run's lanes.
template <class Fill = FillAtCentres>
BROKKR_FN_NOINLINE uint64_t run_program(Warp& w, ShadeContext& context, const ProgramRun& run, uint64_t wanted,
                                        bool one_primitive, const Fill& fill = {}) {
  if (context.program != run.number) load_program(w, run);
  context.program = run.number;
  const ProgramMemory& memory = run.memory;
  const uint32_t first = memory.primitive[lowest_bit(wanted)];
  const FrameTables& frame = run.frame;
  const DrawRecord& draw = frame.draws[frame.runs[frame.batch_run[first / kBatchTriangles]].draw];
  uint64_t kept = 0;
  for (uint64_t rest = wanted; rest != 0;) {
    if ((rest != wanted || !take_in_place(w, run, rest, one_primitive)) && !take_tile(w, run, rest))
      rest = one_primitive ? w.uniform([&] { return take_quads(run, rest); }) : take_lanes(w, run, rest);
    w.sync();
    fill(w, run, draw, context.kept);
    w.sync();
    execute(w, run, context.kept);
    const uint64_t keep = memory.call.keep;
    kept |= take_results(w, run, keep);
  }
  return run.program.bits & kProgramAlphaTest ? alpha_tested(w, run, draw, kept) : kept;
}

BROKKR_FN ProgramMemory* memory_of_warp(const ProgramTables& programs, int warp) {
  return reinterpret_cast<ProgramMemory*>(programs.memory + size_t(warp) * ProgramLayout(programs.sizes).bytes);
}

BROKKR_FN bool runs_program(const ShadeContext& context, const DrawRecord& draw) {
  return context.shows_programs() && draw.program != kNoProgram;
}

BROKKR_FN ProgramRun open_program(const ShadeContext& context, uint32_t number, int x0, int y0) {
  const ProgramTables& tables = *context.programs;
  return {
      *context.frame, tables, tables.programs[number], number, *context.memory, ProgramLayout(tables.sizes), x0, y0};
}

BROKKR_MACHINE_END
