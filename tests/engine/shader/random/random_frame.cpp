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

constexpr int kWidth = 24, kHeight = 16;

template <class Enum>
Enum any_up_to(Enum last, RandomBits& random) {
  return Enum(random.below(uint32_t(last) + 1));
}

// Programs here have no second colour for blending.
BlendTerm random_term(RandomBits& random) {
  return {any_up_to(BlendFactor::src_alpha_saturate, random), any_up_to(BlendFactor::src_alpha_saturate, random),
          any_up_to(BlendEquation::max, random)};
}

State random_state(RandomBits& random) {
  State state;
  state.viewport = {0, 0, kWidth, kHeight};
  state.depth = {!random.one_in(4), !random.one_in(4), any_up_to(CompareFunc::always, random)};
  if (random.one_in(2)) state.depth.func = CompareFunc::lequal;
  if (random.one_in(3))
    state.blend = BlendState{random_term(random), random_term(random), glm::vec4(0.25f, 0.5f, 0.75f, 1)};
  if (random.one_in(4)) state.scissor = Rect{3, 2, int(random.below(kWidth)), int(random.below(kHeight))};
  if (random.one_in(4)) state.alpha_test = AlphaTest{any_up_to(CompareFunc::always, random), 0.25f};
  if (random.one_in(4)) {
    const auto op = [&] { return any_up_to(StencilOp::decrement_wrap, random); };
    state.stencil =
        StencilState{any_up_to(CompareFunc::always, random), uint8_t(random.below(3)), 0xff, 0xff, op(), op(), op()};
  }
  if (random.one_in(6)) state.cull = any_up_to(CullMode::back, random);
  if (random.one_in(6)) state.polygon_mode = any_up_to(PolygonMode::point, random);
  if (random.one_in(6)) state.polygon_offset = PolygonOffset{1, 2};
  if (random.one_in(6)) state.color_mask = {true, random.one_in(2), true, random.one_in(2)};
  return state;
}

}  // namespace

Frame random_frame(uint64_t seed) {
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

  // A triangle over the whole target, and others before and behind it.
  RandomBits random(seed ^ 0x737461746573u);
  const uint32_t draws = 1 + random.below(3);
  frame.positions = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  const auto place = [&] { return float(random.below(65)) / 16.0f - 2.0f; };
  for (uint32_t vertex = 3; vertex < 3 * draws; ++vertex)
    frame.positions.emplace_back(place(), place(), place() * 0.5f, 1 + float(random.below(2)));
  for (int vertex = 0; vertex < int(frame.positions.size()); ++vertex) {
    for (uint32_t word = 0; word < components; ++word)
      frame.varyings.push_back(std::bit_cast<float>(random_input(seed, word, vertex)));
  }
  frame.commands.emplace_back(ClearCommand{.color = glm::vec4(0, 0, 0, 1), .depth = 1.0f});
  for (uint32_t draw = 0; draw < draws; ++draw) {
    frame.states.push_back(random_state(random));
    if (draw > 0) frame.inputs.push_back(frame.inputs[0]);
    frame.inputs.back().first_varying = uint64_t(draw) * 3 * components;
    frame.inputs.back().first_uniform = frame.uniforms.size();
    const std::vector<uint32_t> uniforms = random_uniforms(seed + (uint64_t(draw) << 40), program);
    frame.uniforms.insert(frame.uniforms.end(), uniforms.begin(), uniforms.end());
    DrawCommand command{.state = draw, .element_count = 3, .vertex_count = 3, .inputs = int32_t(draw)};
    command.first_vertex = uint64_t(draw) * 3;
    frame.commands.emplace_back(command);
  }
  return frame;
}

}  // namespace brokkr::shader::test
