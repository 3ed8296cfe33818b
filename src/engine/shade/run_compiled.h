// The machine's side of compiled shaders: starts their runs and executes their texture lookups.
#pragma once

#include "shade/interpreter.h"
#include "shader/compiled_call.h"

BROKKR_MACHINE_BEGIN

// The data of a lookup: an interpreter's call in which every mask is the lookup's mask.
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

// `host`: the ShaderCall of the run.
inline void look_up_for_compiled(void* host, uint32_t op, uint32_t extra, uint32_t lanes, uint32_t* values) {
  CompiledLookups lookups(*static_cast<const shader::ShaderCall*>(host));
  for (uint64_t& mask : lookups.masks) mask = lanes;
  lookups.call.registers = values;
  lookups.instruction.op = shader::Op(op);
  lookups.instruction.extra = extra;
  Warp w;
  InterpreterOf<1>(w, lookups.call).ask_sampler(lookups.instruction);
}

// Runs the shader for `vectors` (CompiledCall) of a run whose registers have `lanes` lanes. Takes the place of
// Interpreter::run.
BROKKR_FN void run_compiled(shader::CompiledShader compiled, shader::ShaderCall& call, int lanes, uint32_t vectors,
                            const ProgramPreset* presets, const shader::ShaderInputs* inputs) {
  shader::CompiledCall c;
  c.registers = call.registers;
  c.presets = presets;
  c.inputs = inputs;
  c.masks = call.masks;
  c.outputs = call.outputs;
  c.uniforms = call.uniforms;
  c.uniform_words = call.uniform_words;
  c.abort = call.abort;
  c.look_up = &look_up_for_compiled;
  c.host = &call;
  c.sampled = call.frame == nullptr ? nullptr : call.frame->sampled.get();
  c.samplers = call.samplers;
  c.texels = call.frame == nullptr ? nullptr : call.frame->sampled_texels.get();
  c.values = nullptr;
  c.keep = call.keep;
  c.lanes = uint32_t(lanes);
  c.vectors = vectors;
  c.iterations = 0;
  c.cut = 0;
  compiled(&c);
  call.keep = c.keep;
  call.cut |= c.cut;
}

BROKKR_MACHINE_END
