// libFuzzer target of SPIR-V modules: words must become a program that runs to its end, or throw ShaderError.
//
// The words go to our reader and translator as they are. brokkr-glsl, a process of its own, validates an application's
// module before that.
#include <cstring>
#include <vector>

#include "shader/spirv_module.h"
#include "tally.h"
#include "whole_program.h"

using namespace brokkr::shader;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 16384) return 0;
  return brokkr::fuzz::counted<ShaderError>('v', [&] {
    std::vector<uint32_t> words(size / sizeof(uint32_t));
    if (!words.empty()) std::memcpy(words.data(), data, words.size() * sizeof(uint32_t));
    SpirvModule module = read_module(std::move(words));
    name_by_numbers(module);
    brokkr::fuzz::run_whole_program(translate(module));
  });
}
