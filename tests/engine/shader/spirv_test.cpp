// SPIR-V modules as an application supplies them: compiled by glslang from GLSL and HLSL under Vulkan's rules, and
// assembled from text; also hostile ones.
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <random>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include "base/loading.h"
#include "bound_textures.h"
#include "run_shader.h"
#include "shader/captured.h"
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

// A module of a frame reads the words of its blocks at the places that the module states. Word w of block b is 1000 (b
// + 1) + w.
struct BlockCase {
  const char* name;
  const char* text;
  std::vector<ProgramBlock> blocks;
  std::array<float, 4> color;
  glslang::EShSource source = glslang::EShSourceGlsl;
};

const std::vector<BlockCase>& block_cases() {
  static const std::vector<BlockCase> all = {
      {"gaps of std140",
       "layout(set = 0, binding = 0) uniform B { vec3 a; float b; vec2 c; vec4 d; };\n"
       "void main() { color = vec4(a.z, b, c.y, d.w); }",
       {{"@0.0", 48}},
       {1002, 1003, 1005, 1011}},
      {"matrices by rows and by columns",
       "layout(set = 1, binding = 2) uniform B { layout(row_major) mat3x2 m; mat4 n; };\n"
       "void main() { color = vec4(m[2].y, m[0].x, n[1].z, n[3].w); }",
       {{"@1.2", 96}},
       {1006, 1000, 1014, 1023}},
      {"arrays of floats",
       "layout(set = 0, binding = 0) uniform B { float a[3]; vec2 b[2]; };\n"
       "void main() { color = vec4(a[2], a[1], b[1].y, b[0].x); }",
       {{"@0.0", 80}},
       {1008, 1004, 1017, 1012}},
      {"arrays of structures",
       "struct Lamp { vec4 place; float reach; };\n"
       "layout(set = 0, binding = 3) uniform B { Lamp lamps[2]; mat2 turns[2]; };\n"
       "void main() { color = vec4(lamps[1].reach, lamps[0].place.y, turns[1][1].x, turns[0][1].y); }",
       {{"@0.3", 128}},
       {1012, 1001, 1028, 1021}},
      {"push constants",
       "layout(push_constant) uniform P { vec2 a; float b[3]; };\n"
       "void main() { color = vec4(a, b[1], b[2]); }",
       {{"@push", 20}},
       {1000, 1001, 1003, 1004}},
      {"two blocks with the same members",
       "layout(set = 0, binding = 0) uniform A { vec4 x; } a; layout(set = 0, binding = 1) uniform B { vec4 x; } b;\n"
       "void main() { color = vec4(a.x.x, b.x.y, a.x.z, b.x.w); }",
       {{"@0.0", 16}, {"@0.1", 16}},
       {1000, 2001, 1002, 2003}},
      {"an array of blocks",
       "layout(set = 0, binding = 4) uniform A { vec4 x; } a[2];\n"
       "void main() { color = vec4(a[0].x.xy, a[1].x.zw); }",
       {{"@0.4[0]", 16}, {"@0.4[1]", 16}},
       {1000, 1001, 2002, 2003}},
      {"a block that is cut short",
       "layout(set = 0, binding = 0) uniform B { vec4 a; vec4 b; };\n"
       "void main() { color = vec4(a.xy, b.xy); }",
       {{"@0.0", 16}},
       {1000, 1001, 0, 0}},
      {"an index at run time",
       "layout(set = 0, binding = 0) uniform B { vec4 a[4]; };\n"
       "layout(location = 0) flat in int which;\n"
       "void main() { color = a[which & 1] + a[2]; }",
       {{"@0.0", 64}},
       {2012, 2014, 2016, 2018}},
      {"specialization constants",
       "layout(constant_id = 2) const int kWhich = 1;\n"
       "layout(constant_id = 3) const bool kAdds = true;\n"
       "layout(set = 0, binding = 0) uniform B { vec4 a[2]; };\n"
       "void main() { color = a[kWhich] + (kAdds ? 1.0 : 0.0); }",
       {{"@0.0", 32}},
       {1005, 1006, 1007, 1008}},
      {"functions with pointers to blocks",
       "struct Lamp { vec4 place; vec4 tint; };\n"
       "layout(set = 0, binding = 0) uniform B { Lamp lamps[2]; };\n"
       "float of(Lamp lamp) { return lamp.tint.y; }\n"
       "void main() { color = vec4(of(lamps[0]), of(lamps[1]), 1.0, 2.0); }",
       {{"@0.0", 64}},
       {1005, 1013, 1, 2}},
      {"HLSL",
       "cbuffer Frame : register(b5) { float a; float3 b; float4x4 m; row_major float4x4 n; };\n"
       "float4 main() : SV_Target { return float4(a, b.z, m[1][2], n[1][2]); }",
       {{"@0.5", 144}},
       {1000, 1003, 1013, 1026},
       glslang::EShSourceHlsl},
      {"structures inside structures",
       "struct In { float a; vec2 b[2]; }; struct Out { vec3 c; In in_[2]; };\n"
       "layout(set = 2, binding = 0) uniform B { float first; Out outs[2]; };\n"
       "void main() { color = vec4(first, outs[0].c.x, outs[1].in_[0].a, outs[1].in_[1].b[1].y); }",
       {{"@2.0", 256}},
       {1000, 1004, 1036, 1057}},
      {"booleans and integers",
       "layout(set = 0, binding = 0) uniform B { int a; uint b; bool c; bool d; };\n"
       "void main() { color = vec4(intBitsToFloat(a), uintBitsToFloat(b), c ? 1.0 : 0.0, d ? 3.0 : 0.0); }",
       {{"@0.0", 16}},
       {1000, 1001, 1, 3}}};
  return all;
}

TEST(SpirvModules, BlocksOfFramesAreReadWhereTheModuleSays) {
  for (const BlockCase& one : block_cases()) {
    SCOPED_TRACE(one.name);
    const std::string head = "#version 450\nlayout(location = 0) out vec4 color;\n";
    const std::string text = one.source == glslang::EShSourceHlsl ? one.text : head + one.text;
    Frame frame;
    FragmentProgram& program = frame.programs.emplace_back();
    program.texts = {bytes_of(without_names(module_of(text, Stage::fragment, one.source)))};
    program.blocks = one.blocks;
    program.varyings = {{.name = "@0", .type = ShaderType::i32, .interpolation = brokkr::Interpolation::flat}};
    const LoadOptions options;
    Loading loading(options);
    const CapturedProgram result = translate_programs(frame, loading).front();
    ASSERT_EQ(result.failure, "");
    std::vector<uint32_t> uniforms;
    for (const UniformWord& word : result.uniforms)
      uniforms.push_back(word.word == kNoPlace ? 0 : bits(float(uint32_t(word.block + 1) * 1000 + word.word)));
    const Results results = run_everywhere(result.program, uniforms, [](uint32_t, int) { return 1u; });
    ASSERT_FALSE(result.colors.empty());
    for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(results.number(result.colors[0].first + i, 7), one.color[i]) << i;
  }
}

// Each pair of an image and a sampler is a sampler of the frame.
TEST(SpirvModules, PairsOfImagesAndSamplersHaveBothNumbers) {
  const std::string text = R"(#version 450
layout(set = 0, binding = 1) uniform texture2D image;
layout(set = 0, binding = 2) uniform sampler one;
layout(set = 1, binding = 3) uniform sampler others[2];
layout(location = 0) out vec4 color;
void main() {
  color = texture(sampler2D(image, one), vec2(0.5)) + texture(sampler2D(image, others[1]), vec2(0.5)) +
          texelFetch(sampler2D(image, one), ivec2(0), 0);
})";
  Frame frame;
  FragmentProgram& program = frame.programs.emplace_back();
  program.texts = {bytes_of(without_names(module_of(text, Stage::fragment)))};
  program.samplers = {{.name = "@0.9"}, {.name = "@0.1@1.3[1]"}, {.name = "@0.1@0.2"}};
  const LoadOptions options;
  Loading loading(options);
  CapturedProgram result = translate_programs(frame, loading).front();
  EXPECT_EQ(result.failure, "");
  ASSERT_EQ(result.textures.size(), 2u);
  EXPECT_EQ(std::max(result.textures[0], result.textures[1]), 2u);
  EXPECT_EQ(std::min(result.textures[0], result.textures[1]), 1u);
  frame.programs[0].samplers.pop_back();
  EXPECT_EQ(translate_programs(frame, loading).front().failure, "the frame holds no sampler '@0.1'");
}

// A storage buffer is fetched word by word from a buffer of uints.
TEST(SpirvModules, StorageBuffersAreFetched) {
  const std::string text = R"(#version 450
struct Bone { mat3 turn; vec3 shift; int kind; };
layout(std430, set = 0, binding = 6) readonly buffer Bones { uint count; layout(row_major) mat2 m; Bone bones[]; } list;
layout(location = 0) flat in int which;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 more;
void main() {
  Bone bone = list.bones[which & 1];
  color = vec4(bone.turn[2].y, bone.shift.z, float(bone.kind), list.m[1].x);
  more = vec4(float(list.count), float(list.bones.length()), list.m[1][which & 1], list.bones[9].shift.x);
})";
  const Program program = program_of(without_names(module_of(text, Stage::fragment)), Stage::fragment);
  ASSERT_EQ(program.samplers.size(), 1u);
  EXPECT_EQ(program.samplers[0].name, "@0.6");
  EXPECT_EQ(program.samplers[0].kind, TextureKind::buffer);
  // count, 1 word; m from word 2 on, 4 words; bones from word 8 on, 16 words each: turn 12, shift 3, kind 1.
  std::vector<uint32_t> words(8 + 2 * 16);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = bits(float(i));
  words[0] = 7;
  words[8 + 15] = 70;
  words[8 + 31] = 71;
  BoundTextures bound;
  bound.add(
      {.kind = TextureKind::buffer, .format = TexelFormat::r32ui, .base = TexelBase::red, .width = int(words.size())},
      std::as_bytes(std::span(words)), {});
  bound.prepare(kMaxSamplers);
  const Textures textures{bound.tables, bound.slots};
  const Results results = run_everywhere(
      program, std::vector<uint32_t>(program.uniform_words), [](uint32_t, int lane) { return uint32_t(lane); },
      textures);
  const uint32_t color = find(program.outputs, "@0")->first, more = find(program.outputs, "@1")->first;
  for (int lane = 0; lane < kSamples; ++lane) {
    const int bone = 8 + 16 * (lane & 1);
    EXPECT_EQ(results.number(color, lane), float(bone + 9));
    EXPECT_EQ(results.number(color + 1, lane), float(bone + 14));
    EXPECT_EQ(results.number(color + 2, lane), float(70 + (lane & 1)));
    EXPECT_EQ(results.number(color + 3, lane), 3);
    EXPECT_EQ(results.number(more, lane), 7);
    EXPECT_EQ(results.number(more + 1, lane), 2);
    EXPECT_EQ(results.number(more + 2, lane), float(3 + 2 * (lane & 1)));
    EXPECT_EQ(results.number(more + 3, lane), 0);  // beyond the end
  }
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
void main() { x[1] = 2.0; c = vec4(x[0]); })";
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

// Modules in the manner of vkcube, Warzone 2100, OpenGL on Vulkan, and Direct3D on Vulkan.
struct ModuleText {
  std::string name, text;
  Stage stage = Stage::vertex;
  glslang::EShSource source = glslang::EShSourceGlsl;
};

// "//// NAME STAGE" begins a text in GLSL 4.50, "//// NAME STAGE hlsl" one in HLSL.
std::vector<ModuleText> module_texts() {
  std::istringstream file(text_of_file("modules.txt"));
  std::vector<ModuleText> all;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("//// ")) {
      all.back().text += line + "\n";
      continue;
    }
    ModuleText& one = all.emplace_back();
    const bool is_hlsl = line.ends_with(" hlsl");
    if (is_hlsl) line.resize(line.rfind(' '));
    one.name = line.substr(5);
    one.stage = line.ends_with(" vertex") ? Stage::vertex : Stage::fragment;
    one.source = is_hlsl ? glslang::EShSourceHlsl : glslang::EShSourceGlsl;
    if (!is_hlsl) one.text = "#version 450\n";
  }
  return all;
}

// With names and without, as games ship them, modules are programs that give all machines the same bits.
TEST(SpirvModules, FortyModulesRunAlikeOnAllMachines) {
  const std::vector<ModuleText> all = module_texts();
  ASSERT_EQ(all.size(), 40u);
  for (const ModuleText& one : all) {
    SCOPED_TRACE(one.name);
    const std::vector<uint32_t> named = module_of(one.text, one.stage, one.source);
    std::vector<Results> results;
    for (const std::vector<uint32_t>& words : {named, without_names(named)}) {
      const Program program = program_of(words, one.stage);
      EXPECT_EQ(program.stage, one.stage);
      const std::vector<Kind> kinds = input_kinds(program);
      const auto input = [&](uint32_t word, int lane) { return some_bits(kinds[word], word, lane); };
      results.push_back(run_everywhere(program, some_uniforms(program), input));
      EXPECT_EQ(results.back().outputs.empty(), program.outputs.empty());
      // Some output depends on the inputs.
      bool differs = false;
      for (const auto& word : results.back().outputs)
        differs = differs || std::any_of(word.begin(), word.end(), [&](uint32_t value) { return value != word[0]; });
      EXPECT_TRUE(differs);
    }
    EXPECT_EQ(results[0].outputs.size(), results[1].outputs.size());
    EXPECT_EQ(results[0].kept, results[1].kept);
  }
}

TEST(SpirvModules, TheyCanBeReadAsText) {
  EXPECT_NE(disassemble_spirv(bytes_of(assembled(kAssembly))).find("\"other\""), std::string::npos);
}

}  // namespace
}  // namespace brokkr::shader::test
