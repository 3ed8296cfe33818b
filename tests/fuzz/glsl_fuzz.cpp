// libFuzzer target of run-time shaders: a text must become a program that runs to its end, or throw ShaderError.
//
// Texts that mention gl_Position are vertex shaders. Texts with macros are skipped: a few macros can expand to
// gigabytes, for which brokkr-glsl has limits.
#include <string>

#include "shade/instance.h"
#include "shade/kernels.h"
#include "shader/glsl/glsl.h"
#include "shader/simplify.h"
#include "shader/spirv_module.h"
#include "tally.h"

using namespace brokkr::shader;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (size > 4096 || text.find("define") != std::string::npos) return 0;
  return brokkr::fuzz::counted<ShaderError>('c', [&] {
    const Stage stage = text.find("gl_Position") == std::string::npos ? Stage::fragment : Stage::vertex;
    Program program = translate(read_module(compile_glsl({&text, 1}, stage)));
    verify(program);
    const ShaderKernel& kernel = *find_kernel(kernel_names().front());
    fold(program, {{0, 0x3f800000}, {1, 0}}, kernel);
    verify(program);
    sweep(program);
    verify(program);
    const Code code = assemble(program);
    Instance instance(code, kernel, std::vector<uint32_t>(program.uniform_words, 0x40000000));
    const brokkr::FrameTables tables{};
    const std::vector<SamplerSlot> samplers(program.samplers.size());
    const uint32_t abort = 1;  // loops end after 256 iterations
    instance.bind(tables, samplers);
    instance.set_abort(&abort);
    instance.run(0xf);
  });
}
