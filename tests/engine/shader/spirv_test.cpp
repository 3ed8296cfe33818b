// SPIR-V modules as an application supplies them: compiled by glslang from GLSL and HLSL under Vulkan's rules, and
// assembled from text; also hostile ones.
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <random>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include "run_shader.h"
#include "shader/front_end.h"

namespace brokkr::shader::test {
namespace {

std::string bytes_of(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

// Compiles a text in Vulkan's GLSL or in HLSL to a module, with its names.
std::vector<uint32_t> module_of(const std::string& text, Stage stage,
                                glslang::EShSource source = glslang::EShSourceGlsl, const char* entry = "main") {
  static const bool begun = glslang::InitializeProcess();
  EXPECT_TRUE(begun);
  const EShLanguage language = stage == Stage::vertex ? EShLangVertex : EShLangFragment;
  glslang::TShader shader(language);
  const char* const begin = text.c_str();
  shader.setStrings(&begin, 1);
  shader.setEntryPoint(entry);
  shader.setSourceEntryPoint(entry);
  shader.setEnvInput(source, language, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  shader.setAutoMapLocations(true);
  shader.setAutoMapBindings(true);
  const auto messages =
      EShMessages(EShMsgSpvRules | EShMsgVulkanRules | (source == glslang::EShSourceHlsl ? EShMsgReadHlsl : 0));
  EXPECT_TRUE(shader.parse(GetDefaultResources(), 450, false, messages)) << shader.getInfoLog();
  glslang::TProgram program;
  program.addShader(&shader);
  EXPECT_TRUE(program.link(messages) && program.mapIO()) << program.getInfoLog();
  std::vector<uint32_t> words;
  glslang::GlslangToSpv(*program.getIntermediate(language), words);
  return words;
}

std::vector<uint32_t> without_names(const std::vector<uint32_t>& words) {
  spvtools::Optimizer optimizer(SPV_ENV_UNIVERSAL_1_6);
  optimizer.RegisterPass(spvtools::CreateStripDebugInfoPass());
  std::vector<uint32_t> result;
  EXPECT_TRUE(optimizer.Run(words.data(), words.size(), &result));
  return result;
}

std::vector<uint32_t> assembled(const std::string& text) {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_3);
  std::string problem;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { problem = message; });
  std::vector<uint32_t> words;
  EXPECT_TRUE(tools.Assemble(text, &words)) << problem;
  return words;
}

Program program_of(const std::vector<uint32_t>& words, Stage stage) {
  SpirvModule module = read_module(take_spirv(bytes_of(words), stage));
  name_by_numbers(module);
  Program program = translate(module);
  verify(program);
  fold(program, {}, *find_kernel(runnable_kernels().front()));
  sweep(program);
  verify(program);
  return program;
}

template <class Named>
const Named* find(const std::vector<Named>& all, const std::string& name) {
  for (const Named& one : all) {
    if (one.name == name) return &one;
  }
  std::string names;
  for (const Named& one : all) names += one.name + " ";
  ADD_FAILURE() << "no " << name << " among " << names;
  return nullptr;
}

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

constexpr const char* kVertex = R"(#version 450
layout(constant_id = 3) const float kScale = 2.0;
layout(constant_id = 4) const int kCount = 3;
layout(set = 0, binding = 1) uniform Camera { mat4 view; vec4 tint; float rest[kCount]; };
layout(push_constant) uniform Push { vec4 offset; int number; };
layout(location = 0) in vec3 b_position;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec3 colour;
layout(location = 1) out vec2 at;
void main() {
  gl_Position = view * vec4(b_position * kScale, 1.0) + offset;
  colour = tint.rgb * float(number) + float(kCount) + rest[2];
  at = uv + vec2(gl_VertexIndex, gl_InstanceIndex);
})";

TEST(SpirvModules, NamesOfBlocksPushConstantsAndLocations) {
  const Program program = program_of(module_of(kVertex, Stage::vertex), Stage::vertex);
  EXPECT_EQ(program.stage, Stage::vertex);
  for (const char* name : {"view", "tint", "offset", "number", "rest"})
    EXPECT_NE(find(program.uniforms, name), nullptr);
  for (const char* name : {"b_position", "@2", "gl_VertexIndex", "gl_InstanceIndex"})
    EXPECT_NE(find(program.inputs, name), nullptr);
  for (const char* name : {"gl_Position", "@0", "@1"}) EXPECT_NE(find(program.outputs, name), nullptr);
  std::vector<uint32_t> uniforms(program.uniform_words);
  const uint32_t view = find(program.uniforms, "view")->first;
  for (uint32_t i = 0; i < 4; ++i) uniforms[view + 5 * i] = bits(1);
  uniforms[find(program.uniforms, "offset")->first + 1] = bits(100);
  uniforms[find(program.uniforms, "tint")->first + 2] = bits(0.5f);
  uniforms[find(program.uniforms, "number")->first] = 4;
  uniforms[find(program.uniforms, "rest")->first + 2] = bits(0.25f);
  const uint32_t number = find(program.inputs, "gl_VertexIndex")->first;
  const uint32_t place = find(program.inputs, "b_position")->first;
  const Results results = run_everywhere(program, uniforms, [&](uint32_t word, int lane) {
    if (word == number) return uint32_t(lane);
    return bits(word == place ? float(lane) : 0.0f);
  });
  for (int lane = 0; lane < kSamples; ++lane) {
    EXPECT_EQ(results.number(find(program.outputs, "gl_Position")->first, lane), float(2 * lane));
    EXPECT_EQ(results.number(find(program.outputs, "gl_Position")->first + 1, lane), 100);
    EXPECT_EQ(results.number(find(program.outputs, "@0")->first + 2, lane), 0.5f * 4 + 3 + 0.25f);
    EXPECT_EQ(results.number(find(program.outputs, "@1")->first, lane), float(lane));
  }
}

TEST(SpirvModules, NumbersTakeThePlaceOfNames) {
  const Program program = program_of(without_names(module_of(kVertex, Stage::vertex)), Stage::vertex);
  for (const char* name : {"@0.1+0", "@0.1+64", "@0.1+80", "@push+0", "@push+16"})
    EXPECT_NE(find(program.uniforms, name), nullptr);
  EXPECT_EQ(find(program.uniforms, "@0.1+64")->block, "@0.1");
  EXPECT_EQ(find(program.uniforms, "@push+16")->block, "@push");
  for (const char* name : {"@0", "@2"}) EXPECT_NE(find(program.inputs, name), nullptr);
  EXPECT_NE(find(program.outputs, "gl_Position"), nullptr);
}

TEST(SpirvModules, ImagesAndSamplersApart) {
  const Program program = program_of(module_of(R"(#version 450
#extension GL_EXT_samplerless_texture_functions : enable
layout(set = 0, binding = 0) uniform texture2D wood;
layout(set = 0, binding = 1) uniform texture2D many[4];
layout(set = 0, binding = 2) uniform sampler smooth_one;
layout(set = 0, binding = 3) uniform sampler rough_one;
layout(set = 0, binding = 4) uniform sampler2D both;
layout(set = 0, binding = 5) uniform texture2D fetched;
layout(location = 0) in vec2 at;
layout(location = 1) flat in int which;
layout(location = 0) out vec4 color;
void main() {
  color = texture(sampler2D(wood, smooth_one), at) + texture(sampler2D(wood, rough_one), at) + texture(both, at) +
          texture(sampler2D(many[which], smooth_one), at) + texelFetch(fetched, ivec2(1), 0) + texture(sampler2D(wood, smooth_one), at * 2.0);
})",
                                               Stage::fragment),
                                     Stage::fragment);
  std::map<std::string, int> names;
  for (const SamplerInput& sampler : program.samplers) ++names[sampler.name];
  EXPECT_EQ(names["wood"], 2);
  EXPECT_EQ(names["both"], 1);
  EXPECT_EQ(names["fetched"], 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(names["many[" + std::to_string(i) + "]"], 1);
  EXPECT_EQ(program.samplers.size(), 8u);
  EXPECT_EQ(find(program.outputs, "@0")->location, 0);
  run_everywhere(program, std::vector<uint32_t>(program.uniform_words),
                 [](uint32_t, int lane) { return uint32_t(lane); });
}

TEST(SpirvModules, BlocksOfVaryingsMeetByLocation) {
  const Program vertex = program_of(module_of(R"(#version 450
layout(location = 0) in vec4 place;
layout(location = 2) out Surface { vec3 normal; layout(location = 5) vec2 uv; mat2 m; float f; } to;
void main() { to.normal = place.xyz; to.uv = place.xy; to.m = mat2(1.0); to.f = 1.0; gl_Position = place; })",
                                              Stage::vertex),
                                    Stage::vertex);
  for (const char* name : {"@2", "@5", "@6", "@8"}) EXPECT_NE(find(vertex.outputs, name), nullptr);
  const Program fragment = program_of(module_of(R"(#version 450
layout(location = 2) in vec3 other; layout(location = 5) in vec2 name; layout(location = 8) in float g;
layout(location = 0) out vec4 color;
void main() { color = vec4(other + g, name.x); })",
                                                Stage::fragment),
                                      Stage::fragment);
  for (const char* name : {"@2", "@5", "@8"}) EXPECT_NE(find(fragment.inputs, name), nullptr);
}

TEST(SpirvModules, HlslComesInThisWay) {
  const Program program = program_of(module_of(R"(
cbuffer Frame : register(b0) { float4x4 b_view; float4 tint; };
Texture2D picture : register(t1);
SamplerState linear_one : register(s2);
struct Out { float4 place : SV_Position; float2 uv : TEXCOORD0; };
Out main(float3 b_position : POSITION, float2 uv : TEXCOORD0, uint id : SV_VertexID) {
  Out o;
  o.place = float4(b_position, 1.0) + tint + float(id);
  o.uv = uv + picture.SampleLevel(linear_one, uv, 0.0).xy;
  return o;
})",
                                               Stage::vertex, glslang::EShSourceHlsl),
                                     Stage::vertex);
  EXPECT_NE(find(program.outputs, "gl_Position"), nullptr);
  EXPECT_NE(find(program.uniforms, "tint"), nullptr);
  EXPECT_NE(find(program.samplers, "picture"), nullptr);
}

constexpr const char* kAssembly = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %other "other" %color
OpEntryPoint Fragment %main "main" %color
OpExecutionMode %other OriginUpperLeft
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
OpDecorate %scale SpecId 7
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%out = OpTypePointer Output %vec4
%color = OpVariable %out Output
%scale = OpSpecConstant %float 0.25
%one = OpConstant %float 1
%quarter = OpSpecConstantComposite %vec4 %scale %scale %one %one
%ones = OpConstantComposite %vec4 %one %one %one %one
%main = OpFunction %void None %function
%1 = OpLabel
OpStore %color %quarter
OpReturn
OpFunctionEnd
%other = OpFunction %void None %function
%2 = OpLabel
OpStore %color %ones
OpReturn
OpFunctionEnd
)";

TEST(SpirvModules, MainIsChosenAndSpecializationConstantsAreFrozen) {
  const Program program = program_of(assembled(kAssembly), Stage::fragment);
  const Results results = run_everywhere(program, {}, [](uint32_t, int) { return 0u; });
  EXPECT_EQ(results.number(0, 5), 0.25f);
  EXPECT_EQ(results.number(2, 5), 1.0f);
}

std::string refusal_of(const std::string& bytes, Stage stage) {
  try {
    SpirvModule module = read_module(take_spirv(bytes, stage));
    name_by_numbers(module);
    translate(module);
  } catch (const ShaderError& error) {
    return error.what();
  }
  return {};
}

TEST(SpirvModules, WhatIsNoModuleIsRefused) {
  const std::string good = bytes_of(assembled(kAssembly));
  EXPECT_TRUE(is_spirv(good));
  EXPECT_FALSE(is_spirv("#version 330"));
  EXPECT_EQ(refusal_of(good, Stage::vertex), "the module has no vertex shader");
  EXPECT_NE(refusal_of(good.substr(0, good.size() - 2), Stage::fragment).find("not a multiple of 4"),
            std::string::npos);
  EXPECT_NE(refusal_of(good.substr(0, good.size() - 8), Stage::fragment).find("not valid SPIR-V"), std::string::npos);
  EXPECT_NE(refusal_of(good.substr(0, 20), Stage::fragment), "");
  const std::string stores = R"(#version 450
layout(set = 0, binding = 0) buffer B { float x[4]; }; layout(location = 0) out vec4 c;
void main() { c = vec4(x[0]); })";
  EXPECT_NE(refusal_of(bytes_of(module_of(stores, Stage::fragment)), Stage::fragment), "");
}

// Each change of one word of a module must be refused or give a program that runs to its end.
TEST(SpirvModules, ChangedWordsDoNoHarm) {
  std::mt19937 random(5);
  for (const std::vector<uint32_t>& good : {module_of(kVertex, Stage::vertex), assembled(kAssembly)}) {
    const Stage stage = good.size() > 200 ? Stage::vertex : Stage::fragment;
    for (int i = 0; i < 400; ++i) {
      std::vector<uint32_t> words = good;
      const size_t at = random() % words.size();
      words[at] = random() % 2 == 0 ? words[at] ^ 1u << random() % 32 : uint32_t(random() % 64);
      try {
        const Program program = program_of(words, stage);
        const Code code = assemble(program);
        Instance instance(code, *find_kernel(runnable_kernels().front()), std::vector<uint32_t>(program.uniform_words));
        const FrameTables tables{};
        const std::vector<SamplerSlot> slots(kMaxSamplers);
        const uint32_t abort = 1;
        instance.bind(tables, slots);
        instance.set_abort(&abort);
        instance.run(0xf);
      } catch (const ShaderError&) {
      }
    }
  }
}

TEST(SpirvModules, TheyCanBeReadAsText) {
  EXPECT_NE(disassemble_spirv(bytes_of(assembled(kAssembly))).find("\"other\""), std::string::npos);
}

}  // namespace
}  // namespace brokkr::shader::test
