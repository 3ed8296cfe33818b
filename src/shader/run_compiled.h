// A machine's side of compiled shaders: hands them a run, and looks up textures for them.
#pragma once

#include "shader/compiled_call.h"
#include "shader/interpreter.h"

BROKKR_MACHINE_BEGIN

inline void look_up_for_compiled(void* host, uint32_t op, uint32_t extra, uint32_t lanes, uint32_t* values) {
  const shader::ShaderCall& of_run = *static_cast<const shader::ShaderCall*>(host);
  // All numbers of masks are the one mask.
  uint64_t masks[shader::kMostResults + shader::kMostOperands];
  for (uint64_t& mask : masks) mask = lanes;
  shader::ShaderCall call;
  call.registers = values;
  call.masks = masks;
  call.frame = of_run.frame;
  call.samplers = of_run.samplers;
  Warp w;
  InterpreterOf<1>(w, call).ask_sampler({shader::Op(op), {0, 1, 2, 3}, {4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 0, extra});
}

// Executes the shader for the first `lanes` lanes of a run, in the place of Interpreter::run.
BROKKR_FN void run_compiled(shader::CompiledShader compiled, shader::ShaderCall& call, int lanes) {
  shader::CompiledCall c{};
  c.registers = call.registers;
  c.masks = call.masks;
  c.outputs = call.outputs;
  c.uniforms = call.uniforms;
  c.uniform_words = call.uniform_words;
  c.abort = call.abort;
  c.look_up = &look_up_for_compiled;
  c.host = &call;
  c.keep = call.keep;
  c.lanes = uint32_t(kShaderVectors * kWidth);
  c.vectors = uint32_t((lanes + kWidth - 1) / kWidth);
  compiled(&c);
  call.keep = c.keep;
}

BROKKR_MACHINE_END
