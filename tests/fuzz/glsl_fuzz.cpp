// libFuzzer target of run-time shaders: a text must become a program that runs to its end, or throw ShaderError.
//
// Texts that mention gl_Position are vertex shaders. Texts with macros are skipped: a few macros can expand to
// gigabytes, for which brokkr-glsl has limits.
#include <string>

#include "shader/glsl/glsl.h"
#include "shader/spirv_module.h"
#include "tally.h"
#include "whole_program.h"

using namespace brokkr::shader;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (size > 4096 || text.find("define") != std::string::npos) return 0;
  return brokkr::fuzz::counted<ShaderError>('c', [&] {
    const Stage stage = text.find("gl_Position") == std::string::npos ? Stage::fragment : Stage::vertex;
    brokkr::fuzz::run_whole_program(translate(read_module(compile_glsl({&text, 1}, stage))));
  });
}
