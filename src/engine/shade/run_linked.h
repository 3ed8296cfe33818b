// The kernel's side of linked shaders: starts their runs and executes their texture lookups.
#pragma once

#include "shade/interpreter.h"
#include "shade/linked_call.h"

BROKKR_MACHINE_BEGIN

// Runs program number `program` for `vectors` (CompiledCall) of a run. Takes the place of Interpreter::run.
// `run_program`: the function of the program's stage (linked_call.h).
template <class RunProgram>
BROKKR_FN void run_linked(Warp& w, uint32_t program, shader::ShaderCall& call, uint32_t vectors, LookupMemory* memory,
                          RunProgram&& run_program) {
  shader::CompiledCall c{};
  c.registers = call.registers;
  c.masks = call.masks;
  c.outputs = call.outputs;
  c.uniforms = call.uniforms;
  c.uniform_words = call.uniform_words;
  c.abort = call.abort;
  c.host = &call;
  c.values = memory;
  c.keep = call.keep;
  c.lanes = uint32_t(kShaderVectors * kWidth);
  c.vectors = vectors;
  run_program(program, &c);
  w.sync();
  w.once([&] {
    call.keep = c.keep;
    call.cut |= c.cut;
  });
}

BROKKR_MACHINE_END

// Each lane reads and writes only its own words of the values.
extern "C" __device__ __noinline__ void brokkr_look_up(void* host, brokkr::LookupMemory* memory, uint32_t op,
                                                       uint32_t extra, uint32_t lanes) {
  using namespace brokkr;
  static_assert(sizeof memory->masks == kWidth * sizeof(uint32_t));
  Warp w;
  const shader::ShaderCall& of_run = *static_cast<const shader::ShaderCall*>(host);
  w.store(reinterpret_cast<uint32_t*>(memory->masks), select((w.lane() & 1) == 0, Uint(lanes), Uint(0u)));
  w.sync();
  shader::ShaderCall call;
  call.registers = memory->values;
  call.masks = memory->masks;
  call.frame = of_run.frame;
  call.samplers = of_run.samplers;
  shader::CodeInstruction instruction{shader::Op(op), {0, 1, 2, 3}, {4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 0, extra};
  InterpreterOf<1>(w, call).ask_sampler(instruction);
  w.sync();
}
