// Programs of captured frames: the places of their words in the frame's data, and the treatment of hostile programs.
#include "shader/captured.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/loading.h"
#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

CapturedProgram translated(const FragmentProgram& program) {
  Frame frame;
  frame.programs.push_back(program);
  const LoadOptions options;
  Loading loading(options);
  return translate_programs(frame, loading).front();
}

ProgramVarying varying(const std::string& name, ShaderType type, uint32_t offset, uint32_t count = 1) {
  return {.name = name, .type = type, .count = count, .offset = offset};
}
ProgramUniform uniform(const std::string& name, ShaderType type, uint32_t offset, uint32_t count = 1) {
  return {.name = name, .type = type, .count = count, .offset = offset};
}

// Returns the program's colour. Varying component c is 100 + c, word w of the default block is w, and word w of block b
// is 1000 (b + 1) + w, all as floats.
std::array<float, 4> color_of(const CapturedProgram& program) {
  EXPECT_EQ(program.failure, "");
  if (!program.failure.empty()) return {};
  const auto bits = [](uint32_t number) { return std::bit_cast<uint32_t>(float(number)); };
  std::vector<uint32_t> uniforms;
  for (const UniformWord& word : program.uniforms)
    uniforms.push_back(word.word == kNoPlace ? 0 : bits(uint32_t(word.block + 1) * 1000 + word.word));
  const auto input = [&](uint32_t word, int) {
    const InputWord& from = program.inputs[word];
    return from.component == kNoPlace ? 0 : bits(100 + from.component);
  };
  const Results results = run_everywhere(program.program, uniforms, input);
  std::array<float, 4> color{};
  EXPECT_FALSE(program.colors.empty());
  const ColorOutput& output = program.colors.at(0);
  for (uint32_t i = 0; i < output.words; ++i) color[i] = results.number(output.first + i, 0);
  return color;
}

using Color = std::array<float, 4>;

TEST(CapturedPrograms, VaryingsAreFoundByTheirNames) {
  FragmentProgram program;
  program.texts = {R"(#version 150
in vec2 uv; flat in float lamps[3]; noperspective in mat2 turn;
in Surface { vec3 normal; centroid vec2 at; } surface;
in Loose { float alone; };
out vec4 color;
void main() { color = vec4(uv.y, lamps[2], turn[1].x, surface.normal.z + surface.at.y + alone); })"};
  program.varyings = {varying("Surface.at", ShaderType::vec2, 0), varying("lamps", ShaderType::f32, 2, 3),
                      varying("turn", ShaderType::mat2, 5),       varying("alone", ShaderType::f32, 9),
                      varying("uv", ShaderType::vec2, 10),        varying("Surface.normal", ShaderType::vec3, 12)};
  const CapturedProgram result = translated(program);
  EXPECT_EQ(color_of(result), (Color{111, 104, 107, 114 + 101 + 109}));
  const auto word_of = [&](uint32_t component) {
    return *std::find_if(result.inputs.begin(), result.inputs.end(),
                         [&](const InputWord& word) { return word.component == component; });
  };
  EXPECT_EQ(word_of(4).interpolation, Interpolation::flat);
  EXPECT_EQ(word_of(7).interpolation, Interpolation::no_perspective);
  EXPECT_EQ(word_of(11).interpolation, Interpolation::smooth);
  EXPECT_TRUE(word_of(1).centroid);
  EXPECT_FALSE(word_of(14).centroid);
}

TEST(CapturedPrograms, BuiltInVaryingsOfOldTexts) {
  FragmentProgram program;
  program.texts = {R"(void main() {
  gl_FragColor = vec4(gl_Color.g, gl_SecondaryColor.b, gl_TexCoord[3].t, gl_FogFragCoord + gl_TexCoord[0].s);
})"};
  program.varyings = {varying("gl_TexCoord[0]", ShaderType::vec4, 0), varying("gl_Color", ShaderType::vec4, 4),
                      varying("gl_FogFragCoord", ShaderType::f32, 8), varying("gl_TexCoord[3]", ShaderType::vec4, 9),
                      varying("gl_SecondaryColor", ShaderType::vec4, 13)};
  const CapturedProgram result = translated(program);
  EXPECT_EQ(color_of(result), (Color{105, 115, 110, 208}));
  ASSERT_EQ(result.colors.size(), 1u);
  EXPECT_TRUE(result.colors[0].to_all);
  for (const InputWord& word : result.inputs) {
    if (word.component == kNoPlace) continue;
    const bool is_color = (word.component >= 4 && word.component < 8) || word.component >= 13;
    EXPECT_EQ(word.color, is_color) << word.component;
  }
}

TEST(CapturedPrograms, BuiltInInputsHaveTheirKinds) {
  FragmentProgram program;
  program.texts = {R"(#version 400
layout(location = 1) out vec4 color;
void main() {
  color = vec4(gl_FragCoord.w, gl_PointCoord.y, gl_FrontFacing ? 1.0 : 0.0, gl_SamplePosition.x + float(gl_SampleID));
})"};
  const CapturedProgram result = translated(program);
  EXPECT_EQ(result.failure, "");
  ASSERT_EQ(result.colors.size(), 1u);
  EXPECT_EQ(result.colors[0].buffer, 1u);
  const auto count = [&](InputKind kind, uint32_t component) {
    return std::count_if(result.inputs.begin(), result.inputs.end(),
                         [&](const InputWord& word) { return word.kind == kind && word.component == component; });
  };
  EXPECT_EQ(count(InputKind::position, 3), 1);
  EXPECT_EQ(count(InputKind::point, 1), 1);
  EXPECT_EQ(count(InputKind::front_facing, 0), 1);
  EXPECT_EQ(count(InputKind::varying, 0), 0);
}

TEST(CapturedPrograms, UniformsOfTheDefaultBlock) {
  FragmentProgram program;
  program.texts = {R"(#version 330
struct Light { vec3 color; float reach[2]; };
uniform Light lights[3]; uniform mat3x2 turn; uniform vec2 weights[4]; uniform bool on; uniform int chosen;
out vec4 color;
void main() {
  color = vec4(lights[2].color.y, lights[1].reach[1], turn[2].y, on ? weights[3].y : 0.0);
})"};
  program.uniforms = {uniform("weights", ShaderType::vec2, 0, 4), uniform("turn", ShaderType::mat3x2, 32),
                      uniform("lights[1].reach", ShaderType::f32, 56, 2),
                      uniform("lights[2].color", ShaderType::vec3, 64), uniform("on", ShaderType::b32, 76)};
  EXPECT_EQ(color_of(translated(program)), (Color{17, 15, 13, 7}));
}

TEST(CapturedPrograms, UniformsOfBlocksAtTheDriversPlaces) {
  FragmentProgram program;
  program.texts = {R"(#version 400
layout(std140) uniform Camera { vec3 eye; float weights[3]; layout(row_major) mat3x2 turn; } camera;
layout(std140) uniform Loose { mat2 columns; bool on; };
layout(std140) uniform Lamp { vec4 color; } lamps[2];
out vec4 color;
void main() {
  color = vec4(camera.eye.z + camera.weights[2], camera.turn[2].y, on ? columns[1].y : 0.0, lamps[1].color.w);
})"};
  program.blocks = {{"Loose", 48}, {"Camera", 96}, {"Lamp[0]", 16}, {"Lamp[1]", 16}};
  const auto in_block = [&](const char* name, ShaderType type, int block, uint32_t offset, uint32_t count = 1,
                            uint32_t array_stride = 0, uint32_t matrix_stride = 0, bool row_major = false) {
    program.uniforms.push_back({name, type, count, block, offset, array_stride, matrix_stride, row_major});
  };
  in_block("Camera.eye", ShaderType::vec3, 1, 0);
  in_block("Camera.weights", ShaderType::f32, 1, 16, 3, 16);
  in_block("Camera.turn", ShaderType::mat3x2, 1, 64, 1, 0, 16, true);
  in_block("columns", ShaderType::mat2, 0, 0, 1, 0, 16);
  in_block("on", ShaderType::b32, 0, 32);
  in_block("Lamp.color", ShaderType::vec4, 2, 0);
  // eye.z: byte 8; weights[2]: 48; turn, row 1 of column 2: 64 + 16 + 8; columns[1].y: 16 + 4.
  EXPECT_EQ(color_of(translated(program)), (Color{2002 + 2012, 2022, 1005, 4003}));
}

TEST(CapturedPrograms, UniformsThatAnIndexChooses) {
  FragmentProgram program;
  program.texts = {R"(#version 330
uniform vec4 unused; uniform float weights[5]; in float which; out vec4 color;
void main() { color = vec4(weights[int(which) - 98]); })"};
  program.varyings = {varying("which", ShaderType::f32, 0)};
  program.uniforms = {uniform("weights", ShaderType::f32, 40, 5)};
  EXPECT_EQ(color_of(translated(program)), (Color{12, 12, 12, 12}));
}

TEST(CapturedPrograms, BuiltInStateGoesByItsName) {
  FragmentProgram program;
  program.texts = {R"(#version 120
void main() {
  gl_FragColor = vec4(gl_Fog.color.g, gl_Fog.scale, gl_LightSource[1].diffuse.r, gl_TextureMatrix[1][2].y);
})"};
  program.uniforms = {uniform("gl_Fog.scale", ShaderType::f32, 0), uniform("gl_Fog.color", ShaderType::vec4, 4),
                      uniform("gl_LightSource[1].diffuse", ShaderType::vec4, 20),
                      uniform("gl_TextureMatrix", ShaderType::mat4, 36, 2)};
  EXPECT_EQ(color_of(translated(program)), (Color{2, 0, 5, 9 + 16 + 9}));
}

TEST(CapturedPrograms, SamplersByNameAndElement) {
  FragmentProgram program;
  program.texts = {R"(#version 330
uniform sampler2D base; uniform sampler2D layers[3]; uniform sampler2D unused; in vec2 uv; out vec4 color;
void main() { color = texture(layers[2], uv) + texture(base, uv); })"};
  program.varyings = {varying("uv", ShaderType::vec2, 0)};
  program.samplers = {{.name = "layers", .count = 3}, {.name = "base"}};
  const CapturedProgram result = translated(program);
  EXPECT_EQ(result.failure, "");
  for (size_t i = 0; i < result.textures.size(); ++i) {
    const std::string& name = result.program.samplers[i].name;
    const uint32_t element = name.starts_with("layers[") ? uint32_t(name[7] - '0') : name == "base" ? 3 : kNoPlace;
    EXPECT_EQ(result.textures[i], element) << name;
  }
  program.samplers.pop_back();
  EXPECT_EQ(translated(program).failure, "the frame holds no sampler 'base'");
}

TEST(CapturedPrograms, SamplersInStructures) {
  FragmentProgram program;
  program.texts = {R"(#version 330
struct Surface { vec3 tint; sampler2D maps[2]; float gloss; sampler2D mask; };
uniform sampler2D first; uniform Surface surfaces[2]; in vec2 uv; out vec4 color;
void main() {
  color = texture(surfaces[1].mask, uv) + texture(surfaces[0].maps[1], uv) + texture(first, uv);
  color = vec4(color.a, surfaces[1].tint.y, surfaces[0].gloss, surfaces[1].gloss);
})"};
  program.varyings = {varying("uv", ShaderType::vec2, 0)};
  program.uniforms = {uniform("surfaces[0].gloss", ShaderType::f32, 0),
                      uniform("surfaces[1].gloss", ShaderType::f32, 4),
                      uniform("surfaces[1].tint", ShaderType::vec3, 8)};
  program.samplers = {{.name = "surfaces[0].maps", .count = 2}, {.name = "surfaces[1].mask"}, {.name = "first"}};
  const CapturedProgram result = translated(program);
  EXPECT_EQ(color_of(result), (Color{3, 3, 0, 1}));
  std::vector<uint32_t> read;
  for (const Instruction& one : result.program.code) {
    if (one.op == Op::sample) read.push_back(result.textures.at(one.extra & kSamplerMask));
  }
  std::sort(read.begin(), read.end());
  EXPECT_EQ(read, (std::vector<uint32_t>{1, 2, 3}));
}

TEST(CapturedPrograms, OutputsGoWhereTheDriverPutThem) {
  FragmentProgram program;
  program.texts = {R"(#version 330
out vec4 normal; out vec3 albedo; out ivec2 ids[2];
void main() { normal = vec4(1.0); albedo = vec3(0.5); ids[1] = ivec2(7, 8); gl_FragDepth = 0.25; })"};
  program.outputs = {{"albedo", ShaderType::vec3, 1, 0, 0},
                     {"normal", ShaderType::vec4, 1, 2, 0},
                     {"ids", ShaderType::ivec2, 2, 4, 0}};
  const CapturedProgram result = translated(program);
  EXPECT_EQ(result.failure, "");
  ASSERT_EQ(result.colors.size(), 3u);
  const auto color = [&](uint32_t buffer) {
    return *std::find_if(result.colors.begin(), result.colors.end(),
                         [&](const ColorOutput& one) { return one.buffer == buffer; });
  };
  EXPECT_EQ(color(0).words, 3u);
  EXPECT_EQ(color(2).words, 4u);
  EXPECT_EQ(color(5).words, 2u);
  EXPECT_EQ(color(5).kind, Kind::whole);
  ASSERT_GE(result.depth, 0);
  const Results results = run_everywhere(result.program, {}, [](uint32_t, int) { return 0u; });
  EXPECT_EQ(results.number(size_t(result.depth), 3), 0.25f);
  EXPECT_EQ(results.number(color(0).first, 3), 0.5f);
  EXPECT_EQ(results.outputs[color(5).first + 1][0], 8u);
}

TEST(CapturedPrograms, FragDataGoesByItsIndex) {
  FragmentProgram program;
  program.texts = {"#version 120\nvoid main() { gl_FragData[2] = vec4(1.0); gl_FragData[0] = vec4(0.5); }"};
  const CapturedProgram result = translated(program);
  ASSERT_EQ(result.colors.size(), 2u) << result.failure;
  EXPECT_EQ(result.colors[0].buffer, 0u);
  EXPECT_EQ(result.colors[1].buffer, 2u);
  EXPECT_FALSE(result.colors[1].to_all);
}

TEST(CapturedPrograms, SeveralTextsAreLinked) {
  FragmentProgram program;
  program.texts = {"#version 120\nvec4 shade(vec2 at);\nvarying vec2 uv;\nvoid main() { gl_FragColor = shade(uv); }",
                   "#version 110\nuniform vec4 tint;\nvarying vec2 uv;\nfloat part(float x);\n"
                   "vec4 shade(vec2 at) { return vec4(part(at.x), uv.y, tint.zw); }",
                   "float part(float x) { return x * 2.0; }"};
  program.varyings = {varying("uv", ShaderType::vec2, 0)};
  program.uniforms = {uniform("tint", ShaderType::vec4, 8)};
  EXPECT_EQ(color_of(translated(program)), (Color{200, 101, 4, 5}));
  program.texts[2] = "float part(float x) { return y; }";
  EXPECT_EQ(translated(program).failure, "line 1: text 3: 'y': undeclared identifier");
  program.texts.pop_back();
  EXPECT_NE(translated(program).failure, "");
}

TEST(CapturedPrograms, FixedFunctionIsMadeForTheTexturesOfItsDraws) {
  Frame frame;
  FragmentProgram& program = frame.programs.emplace_back();
  program.varyings = {varying("gl_Color", ShaderType::vec4, 0), varying("gl_TexCoord[1]", ShaderType::vec4, 4)};
  program.samplers = {{.name = "any name } at all"}};
  program.fixed = FixedFunction{.units = {{.unit = 1, .mode = EnvironmentMode::replace}}};
  frame.captured_textures.resize(2);
  frame.captured_textures[0].base = TexelBase::alpha;
  frame.inputs = {{.textures = {{0, -1}}}, {.textures = {{1, -1}}}, {.textures = {{-1, -1}}}, {.textures = {{1, -1}}}};
  const LoadOptions options;
  Loading loading(options);
  const std::vector<CapturedProgram> programs = translate_programs(frame, loading);
  ASSERT_EQ(programs.size(), 3u);
  std::vector<uint32_t> numbers;
  for (const DrawInputs& inputs : frame.inputs) numbers.push_back(program_number(programs, frame, inputs));
  EXPECT_EQ(numbers[1], numbers[3]);
  EXPECT_NE(numbers[0], numbers[1]);
  EXPECT_NE(numbers[0], numbers[2]);
  EXPECT_NE(numbers[1], numbers[2]);
  for (const CapturedProgram& one : programs) EXPECT_EQ(one.failure, "") << one.texts.front();
  // The unbound texture gives (0, 0, 0, 1); an environment clamps.
  EXPECT_EQ(color_of(programs[numbers[0]]), (Color{1, 1, 1, 1}));
  EXPECT_EQ(color_of(programs[numbers[1]]), (Color{0, 0, 0, 1}));
  EXPECT_EQ(color_of(programs[numbers[2]]), (Color{100, 101, 102, 103}));
}

TEST(CapturedPrograms, WhatHasNoPlaceIsNamed) {
  FragmentProgram program;
  program.texts = {
      "uniform vec4 tint; varying vec2 uv; uniform float off; "
      "void main() { gl_FragColor = tint + vec4(uv, 0.0 * off, 1.0); }"};
  program.varyings = {varying("uv", ShaderType::vec2, 0)};
  program.uniforms = {uniform("off", ShaderType::f32, 0)};
  // The driver has removed 'tint': it is 0.
  const CapturedProgram inactive = translated(program);
  EXPECT_EQ(inactive.failure, "");
  for (const UniformWord& word : inactive.uniforms) EXPECT_TRUE(word.word == kNoPlace || word.word == 0);
  program.uniforms.push_back(uniform("tint", ShaderType::vec4, 4));
  EXPECT_EQ(translated(program).failure, "");
  program.varyings.clear();
  EXPECT_EQ(translated(program).failure, "the frame holds no varying 'uv'");
}

// As drivers accept it in every version.
TEST(CapturedPrograms, LinesThatGoOn) {
  FragmentProgram program;
  program.texts = {
      "#version 120\n#define RED vec4(1.0, \\\n  0.0, 0.0, \\\r\n  1.0)\nvoid main() { gl_FragColor = RED; }"};
  EXPECT_EQ(color_of(translated(program)), (Color{1, 0, 0, 1}));
  program.texts = {"#version 120\n#define RED vec4( \\\n  1.0)\nvoid main() { gl_FragColor = BLUE; }"};
  EXPECT_NE(translated(program).failure.find("line 4"), std::string::npos) << translated(program).failure;
}

// Three blocks of 64 KiB, of which the program reads few numbers.
TEST(CapturedPrograms, LargeBlocks) {
  FragmentProgram program;
  std::string text = "#version 330\nout vec4 color;\n";
  for (int i = 0; i < 3; ++i) {
    const std::string name = std::string(1, char('a' + i));
    text += "layout(std140) uniform Block" + name + " { vec4 " + name + "[4096]; };\n";
    program.blocks.push_back({"Block" + name, 65536});
    ProgramUniform one = uniform(name, ShaderType::vec4, 0);
    one.count = 4096;
    one.block = i;
    one.array_stride = 16;
    program.uniforms.push_back(one);
  }
  program.texts = {text + "void main() { color = a[3] + b[4095] + c[int(gl_FragCoord.x)]; }"};
  program.version = 330;
  program.outputs = {{"color", ShaderType::vec4, 1, 0, 0}};
  EXPECT_EQ(translated(program).failure, "");
}

TEST(CapturedPrograms, NamesThatContainOthers) {
  FragmentProgram program;
  program.texts = {
      "uniform float a; uniform float a1; uniform float a_[2]; uniform float aa[3];"
      "void main() { gl_FragColor = vec4(a, a1, a_[1], aa[2]); }"};
  program.uniforms = {uniform("aa", ShaderType::f32, 0, 3), uniform("a_", ShaderType::f32, 12, 2),
                      uniform("a1", ShaderType::f32, 20), uniform("a", ShaderType::f32, 24)};
  EXPECT_EQ(color_of(translated(program)), (Color{6, 5, 4, 2}));
}

// Each text fails alone with a message of one line, and the texts around it do not fail.
TEST(CapturedPrograms, HostileTextsFailAlone) {
  std::string bomb = "#define A0 1.0\n";
  for (int i = 0; i < 24; ++i) {
    const std::string one = "A" + std::to_string(i);
    bomb += "#define A" + std::to_string(i + 1) + " " + one + "+" + one + "+" + one + "+" + one + "\n";
  }
  const std::string main = "void main() { gl_FragColor = vec4(1.0); }";
  const std::vector<Texts> hostile = {
      {""},
      {},
      {"#error no shader\n" + main},
      {std::string("void main() {\0}", 15)},
      {std::string(kMaxText, 'x')},
      {std::string(kMaxText + 1, ' ')},
      {"uniform vec4 a[1000000]; void main() { gl_FragColor = a[int(gl_FragCoord.x)]; }"},
      {"float f(float a) { return a > 0.0 ? f(a - 1.0) : 0.0; } void main() { gl_FragColor = vec4(f(1.0)); }"},
      {bomb + "void main() { gl_FragColor = vec4(A24); }"},
      {main, main},
      {"\x1b[31m\n\x07 void"},
      {"void main() { gl_FragColor = vec4(" + std::string(100000, '(') + "1.0"},
  };
  Frame frame;
  FragmentProgram good;
  for (const Texts& texts : hostile) {
    good.texts = {"void main() { gl_FragColor = vec4(" + std::to_string(frame.programs.size()) + ".0); }"};
    frame.programs.push_back(good);
    frame.programs.emplace_back().texts = texts;
  }
  frame.programs.push_back(good);
  const LoadOptions options;
  Loading loading(options);
  const std::vector<CapturedProgram> programs = translate_programs(frame, loading);
  ASSERT_EQ(programs.size(), frame.programs.size());
  for (size_t i = 0; i < programs.size(); ++i) {
    const std::string& failure = programs[i].failure;
    EXPECT_EQ(failure.empty(), i % 2 == 0 || i + 1 == programs.size()) << i << ": " << failure;
    EXPECT_LT(failure.size(), 500u) << i;
    EXPECT_TRUE(std::all_of(failure.begin(), failure.end(), [](char c) { return c < 0 || c >= ' '; })) << i;
    EXPECT_EQ(failure.empty(), !programs[i].colors.empty()) << i;
  }
}

TEST(CapturedPrograms, AnEndlessLoopEnds) {
  FragmentProgram program;
  program.texts = {"void main() { float x = 0.0; while (x >= 0.0) x += 1.0; gl_FragColor = vec4(x); }"};
  EXPECT_GE(color_of(translated(program))[0], 0);
}

TEST(CapturedPrograms, ACancelEndsTheCompiler) {
  Frame frame;
  for (int i = 0; i < 50; ++i)
    frame.programs.emplace_back().texts = {"void main() { gl_FragColor = vec4(" + std::to_string(i) + ".5); }"};
  LoadOptions options;
  int asked = 0;
  options.progress = [&](double) {
    if (++asked > 1) throw LoadCancelled();
  };
  Loading loading(options);
  EXPECT_THROW(translate_programs(frame, loading), LoadCancelled);
}

}  // namespace
}  // namespace brokkr::shader::test
