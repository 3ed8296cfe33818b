// libFuzzer target of SPIR-V modules: words must become a program that runs to its end, or throw ShaderError.
//
// The words go to our reader and translator as they are. brokkr-glsl, a process of its own, validates an application's
// module before that.
#include <cstring>
#include <vector>

#include "shade/instance.h"
#include "shade/kernels.h"
#include "shader/assemble.h"
#include "shader/simplify.h"
#include "shader/spirv_module.h"
#include "tally.h"

using namespace brokkr::shader;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 16384) return 0;
  return brokkr::fuzz::counted<ShaderError>('v', [&] {
    std::vector<uint32_t> words(size / sizeof(uint32_t));
    if (!words.empty()) std::memcpy(words.data(), data, words.size() * sizeof(uint32_t));
    SpirvModule module = read_module(std::move(words));
    name_by_numbers(module);
    Program program = translate(module);
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
