// The steps after translation, shared by the targets of texts and of modules.
#pragma once

#include <vector>

#include "shade/instance.h"
#include "shade/kernels.h"
#include "shader/assemble.h"
#include "shader/simplify.h"

namespace brokkr::fuzz {

// Verifies the program after each step, and runs it to its end. Throws ShaderError.
inline void run_whole_program(shader::Program program) {
  verify(program);
  const shader::ShaderKernel& kernel = *shader::find_kernel(shader::kernel_names().front());
  fold(program, {{0, 0x3f800000}, {1, 0}}, kernel);
  verify(program);
  sweep(program);
  verify(program);
  const shader::Code code = assemble(program);
  shader::Instance instance(code, kernel, std::vector<uint32_t>(program.uniform_words, 0x40000000));
  const FrameTables tables{};
  const std::vector<shader::SamplerSlot> samplers(program.samplers.size());
  const uint32_t abort = 1;  // loops end after 256 iterations
  instance.bind(tables, samplers);
  instance.set_abort(&abort);
  instance.run(0xf);
}

}  // namespace brokkr::fuzz
