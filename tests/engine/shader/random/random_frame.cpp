#include "random_frame.h"

#include <bit>
#include <string>
#include <utility>

#include "random_glsl.h"
#include "shader/glsl/glsl.h"
#include "shader/spirv_module.h"

namespace brokkr::shader::test {

namespace {

brokkr::Interpolation captured(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::flat: return brokkr::Interpolation::flat;
    case Interpolation::no_perspective: return brokkr::Interpolation::noperspective;
    default: return brokkr::Interpolation::smooth;
  }
}

}  // namespace

Frame random_frame(uint64_t seed) {
  constexpr int kWidth = 24, kHeight = 16;
  const std::string text = random_shader(seed);
  const Program program = translate(read_module(compile_glsl({&text, 1})));
  BoundTextures bound;
  bind_random_textures(seed, program, bound);
  Frame frame = std::move(bound.frame);
  frame.source = "random shader";
  frame.window_width = kWidth;
  frame.window_height = kHeight;
  frame.targets.push_back({.width = kWidth, .height = kHeight});
  frame.views.emplace_back();
  frame.materials.emplace_back();
  frame.states.emplace_back().viewport = {0, 0, kWidth, kHeight};

  FragmentProgram& made = frame.programs.emplace_back();
  made.texts = {text};
  made.version = 450;
  uint32_t components = 0;
  for (const Input& input : program.inputs) {
    if (input.kind != InputKind::varying) continue;
    ProgramVarying varying;
    varying.name = input.name;
    const bool is_whole = input.interpolation == Interpolation::flat;
    varying.type = ShaderType(uint32_t(is_whole ? ShaderType::i32 : ShaderType::f32) + input.words - 1);
    varying.offset = std::exchange(components, components + input.words);
    varying.interpolation = captured(input.interpolation);
    made.varyings.push_back(varying);
  }
  for (const Uniform& uniform : program.uniforms) {  // each as an array of its numbers
    ProgramUniform one;
    one.name = uniform.name;
    one.type = uniform.kind == Kind::number  ? ShaderType::f32
               : uniform.kind == Kind::whole ? ShaderType::i32
                                             : ShaderType::u32;
    one.count = uniform.words;
    one.offset = uniform.first * 4;
    made.uniforms.push_back(one);
  }
  for (const SamplerInput& sampler : program.samplers)
    made.samplers.push_back(
        {.name = sampler.name, .kind = sampler.kind, .type = sampler.type, .shadow = sampler.compares});

  frame.positions = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  for (int vertex = 0; vertex < 3; ++vertex) {
    for (uint32_t word = 0; word < components; ++word)
      frame.varyings.push_back(std::bit_cast<float>(random_input(seed, word, vertex)));
  }
  frame.uniforms = random_uniforms(seed, program);
  frame.commands.emplace_back(ClearCommand{.color = glm::vec4(0, 0, 0, 1), .depth = 1.0f});
  frame.commands.emplace_back(DrawCommand{.element_count = 3, .vertex_count = 3, .inputs = 0});
  return frame;
}

}  // namespace brokkr::shader::test
