// The interpreter of run-time shaders compiled for one instruction set of the CPU, or for the emulated machine
// (BROKKR_ISA).
#include "shader/interpreter.h"

BROKKR_MACHINE_BEGIN

static void run_shader(shader::ShaderCall& call) {
  Warp w;
  Interpreter(w, call).run();
}

extern const shader::ShaderKernel shader_kernel;
const shader::ShaderKernel shader_kernel = {kWidth, kShaderVectors* kWidth, &run_shader};

BROKKR_MACHINE_END
