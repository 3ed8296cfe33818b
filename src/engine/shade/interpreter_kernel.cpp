// The interpreter of run-time shaders compiled for one instruction set of the CPU, or for the emulated machine
// (BROKKR_ISA).
#include "shade/run_compiled.h"

BROKKR_MACHINE_BEGIN

static void run_shader(shader::ShaderCall& call) {
  Warp w;
  Interpreter(w, call).run();
}

static void run_compiled_shader(shader::CompiledShader compiled, shader::ShaderCall& call,
                                const ProgramPreset* presets) {
  run_compiled(compiled, call, kShaderVectors * kWidth, (1u << kShaderVectors) - 1, presets, nullptr);
}

extern const shader::ShaderKernel shader_kernel;
const shader::ShaderKernel shader_kernel = {kWidth, kShaderVectors* kWidth, &run_shader, &run_compiled_shader};

BROKKR_MACHINE_END
