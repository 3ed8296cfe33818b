// The machine's side of compiled shaders: starts their runs and executes their texture lookups.
#pragma once

#include "shade/interpreter.h"
#include "shader/compiled_call.h"

BROKKR_MACHINE_BEGIN

// The data that all lookups of one run share: an interpreter's call in which every mask is the lookup's mask.
struct CompiledLookups {
  static constexpr int kRegisters = shader::kMaxResults + shader::kMaxOperands;

  shader::ShaderCall call;
  uint64_t masks[kRegisters];
  shader::CodeInstruction instruction{shader::Op::sample, {0, 1, 2, 3}, {4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {0}, 0};

  explicit CompiledLookups(const shader::ShaderCall& of_run) {
    call.masks = masks;
    call.frame = of_run.frame;
    call.samplers = of_run.samplers;
  }
};

inline void look_up_for_compiled(void* host, uint32_t op, uint32_t extra, uint32_t lanes, uint32_t* values) {
  CompiledLookups& lookups = *static_cast<CompiledLookups*>(host);
  for (uint64_t& mask : lookups.masks) mask = lanes;
  lookups.call.registers = values;
  lookups.instruction.op = shader::Op(op);
  lookups.instruction.extra = extra;
  Warp w;
  InterpreterOf<1>(w, lookups.call).ask_sampler(lookups.instruction);
}

// Runs the shader for `vectors` (CompiledCall) of a run whose registers have `lanes` lanes. Takes the place of
// Interpreter::run.
BROKKR_FN void run_compiled(shader::CompiledShader compiled, shader::ShaderCall& call, int lanes, uint32_t vectors) {
  CompiledLookups lookups(call);
  shader::CompiledCall c{};
  c.registers = call.registers;
  c.masks = call.masks;
  c.outputs = call.outputs;
  c.uniforms = call.uniforms;
  c.uniform_words = call.uniform_words;
  c.abort = call.abort;
  c.look_up = &look_up_for_compiled;
  c.host = &lookups;
  c.samplers = call.samplers;
  if (call.frame != nullptr) {
    c.sampled = call.frame->sampled.get();
    c.texels = call.frame->sampled_texels.get();
  }
  c.keep = call.keep;
  c.lanes = uint32_t(lanes);
  c.vectors = vectors;
  compiled(&c);
  call.keep = c.keep;
  call.cut |= c.cut;
}

BROKKR_MACHINE_END
