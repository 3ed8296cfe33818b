// A user's fragment shader: its inputs on scenes and captured draws, and the examples on every machine.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "brokkr/fragment_shader.h"
#include "pictures.h"
#include "pipeline/cpu_machine.h"
#include "program_frame.h"

namespace brokkr {
namespace {

using test::ProgramFrame;

class UserShaders : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(BROKKR_HAVE_SHADERS)
    GTEST_SKIP() << "built without run-time shaders";
#endif
  }
};

Layer draw(const Frame& frame, MachineKind machine = MachineKind::cpu) {
  RenderOptions options;
  options.machine = machine;
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderResult result = test::render_to_end(renderer, prepared, options);
  EXPECT_EQ(result.statistics.false_color_draws, 0u)
      << (result.statistics.false_colors.empty() ? "" : result.statistics.false_colors[0]);
  return std::move(result.targets[0].layers[0]);
}

Frame scene(const std::string& path, int width, int height, const FragmentShader& shader) {
  LoadOptions load;
  load.width = width;
  load.height = height;
  Frame frame = load_frame(path, load);
  set_fragment_shader(frame, shader);
  return frame;
}

// The library's error message.
std::string problem_with(const FragmentShader& shader) {
  try {
    scene("generated:screen", 4, 4, shader);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

// A world point's position in the picture equals its fragment's position, although instances have separate matrices.
TEST_F(UserShaders, PositionsAndMatricesAgreeWithThePicture) {
  const FragmentShader shader{.text = R"(
in vec3 b_position;
uniform mat4 b_view, b_projection;
uniform vec2 b_resolution;
out vec4 color;
void main() {
  vec4 clip = b_projection * b_view * vec4(b_position, 1.0);
  vec2 away = abs((clip.xy / clip.w * 0.5 + 0.5) * b_resolution - gl_FragCoord.xy);
  color = vec4(20.0 * away, 1.0, 1.0);
})"};
  for (const char* path : {"generated:city?triangles=2400&instanced=1", "generated:sphere-100k?triangles=300"}) {
    const Layer layer = draw(scene(path, 64, 48, shader));
    int drawn = 0;
    for (const uint32_t texel : layer.color) {
      if (texel >> 16 != 0xffff) continue;
      ++drawn;
      ASSERT_LE(texel & 0xff, 4u) << path;  // one hundredth of a pixel
      ASSERT_LE(texel >> 8 & 0xff, 4u) << path;
    }
    EXPECT_GT(drawn, 500) << path;
  }
}

TEST_F(UserShaders, UniformsHaveTheValuesOfTheTextOrOfTheirUser) {
  FragmentShader shader{.text =
                            "uniform vec2 a = vec2(0.2, 0.4); uniform int n = 3; uniform bool on; out vec4 color;\n"
                            "void main() { color = vec4(a, float(n) / 5.0, on ? 1.0 : 0.6); }"};
  EXPECT_EQ(draw(scene("generated:screen", 4, 4, shader)).color.front(), 0x99996633u);
  shader.uniforms = {{"a", {1, 0}}, {"n", {5}}, {"on", {1}}};
  Frame frame = scene("generated:screen", 4, 4, shader);
  EXPECT_EQ(draw(frame).color.front(), 0xffff00ffu);
  const std::vector<ShaderUniform> uniforms = shader_uniforms(frame, shader);
  ASSERT_EQ(uniforms.size(), 3u);
  const auto n =
      std::find_if(uniforms.begin(), uniforms.end(), [](const ShaderUniform& one) { return one.name == "n"; });
  ASSERT_NE(n, uniforms.end());
  EXPECT_EQ(n->type, ShaderType::i32);
  EXPECT_EQ(n->values, std::vector<double>{5});

  // New values for a frame that is already prepared.
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  shader.uniforms["a"] = {0, 1};
  update_fragment_shader(frame, shader);
  prepared.update_views();
  RenderOptions options;
  options.machine = MachineKind::cpu;
  EXPECT_EQ(test::render_to_end(renderer, prepared, options).targets[0].layers[0].color.front(), 0xffffff00u);
}

TEST_F(UserShaders, WhatASceneHasNotIsAsTheManualSays) {
  const FragmentShader shader{.text = R"(
in vec4 b_color; in vec2 b_second_uv; in vec3 b_normal;
uniform sampler2D b_normal_map, b_emission_map, mine;
out vec4 color;
void main() {
  bool good = b_color == vec4(1.0) && b_second_uv == vec2(0.0) && texture(mine, vec2(0.3)) == vec4(1.0) &&
              texture(b_emission_map, vec2(0.5)) == vec4(1.0) && texture(b_normal_map, vec2(0.5)).b == 1.0 &&
              normalize(b_normal).z > 0.99;
  color = vec4(0.0, good ? 1.0 : 0.0, 0.0, 1.0);
})"};
  EXPECT_EQ(draw(scene("generated:screen", 4, 4, shader)).color.front(), 0xff00ff00u);
}

TEST_F(UserShaders, ShadertoysPictureFillsTheScreen) {
  const FragmentShader shader{.text =
                                  "void mainImage(out vec4 c, in vec2 at) {\n"
                                  "  c = vec4(at / iResolution.xy, iTime, float(iFrame) / 255.0); }",
                              .time = 0.2};
  const Layer layer = draw(scene("generated:screen", 10, 10, shader));
  EXPECT_EQ(layer.color[0], 0xff330d0du);  // 0.05, 0.05, 0.2, and opaque
  EXPECT_EQ(layer.color[99], 0xff33f2f2u);
}

// Shader texts from the web, which draw green if they are read correctly.
TEST_F(UserShaders, TextsOfShadertoyAndOfOtherPlayers) {
  const std::string green = "void mainImage(out vec4 o, vec2 u) { o = vec4(0, 1, 0, 1); }\n";
  const auto toy = [](const std::string& condition) {
    return "void mainImage(out vec4 o, vec2 u) { o = " + condition + " ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1); }\n";
  };
  const std::string texts[] = {
      toy("HW_PERFORMANCE == 1"),
      "#ifdef GL_ES\nconst bool k = true;\n#else\nconst bool k = false;\n#endif\n" + toy("k"),
      toy("__VERSION__ == 300"),
      toy("iGlobalTime == 0.0 && iTime == iGlobalTime"),
      toy("iChannelResolution[3] == vec3(256, 256, 1) && iChannelTime[0] == 0.0"),
      "uniform vec3 iResolution; uniform float iTime, iGlobalTime;\nuniform sampler2D iChannel0;\n" + green,
      "uniform vec2 iResolution;\nuniform float iFrame;\nuniform vec4 iMouse;\n" +
          toy("iResolution == vec2(4.0) && iFrame == 0.0 && iMouse.x == 0.0"),
      "#version 300 es\nprecision mediump float;\n" + green,
      "#version 330\n" + green,
      "#version 120\n" + green,
      "// void main() {}\n/* main #if 0 */\n" + green,
      "#if 0\nvoid main() {}\n#else\n#endif\n" + green,
      "#ifdef LOCAL\nvoid main() {}\n#endif\n" + green,
      "#define RUN void main() {}\n" + green,
      "struct A { float main; };\n" + toy("A(1.0).main == 1.0"),
      "#define sample (1.0)\n" + toy("sample == 1.0"),
      "float buffer = 1.0, shared_one = 1.0;\n" + toy("buffer == 1.0"),
      "#extension GL_OES_standard_derivatives : require\n" + green,
      "\xef\xbb\xbf" + green,
      "\xef\xbb\xbf#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() { o = vec4(0, 1, 0, 1); }\n",
      toy("texture2D(iChannel0, u).a >= 0.0 && 1 < 2.0"),
      toy("gl_NumSamples == 1"),
      "#version 400\nout vec4 o;\nvoid main() { o = gl_NumSamples == 1 ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1); }\n",
      "#extension GL_EXT_draw_buffers : require\nprecision highp float;\nvoid main() { gl_FragData[0] = vec4(0, 1, 0, "
      "1); }\n",
      "#ifdef GL_EXT_draw_buffers\n#extension GL_EXT_draw_buffers : enable\n#endif\nprecision highp float;\n"
      "void main() { gl_FragData[0] = vec4(0, 1, 0, 1); }\n",
      "#extension GL_EXT_frag_depth : require\nprecision highp float;\n"
      "void main() { gl_FragDepthEXT = 0.25; gl_FragColor = vec4(0, 1, 0, 1); }\n",
      "#extension GL_EXT_shader_texture_lod : enable\nprecision highp float;\nuniform sampler2D look;\n"
      "void main() { gl_FragColor = texture2DLodEXT(look, vec2(0.5), 0.0).x == 1.0 ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, "
      "1); }\n",
      "precision highp float;\nfloat buffer = 1.0;\nvoid main() { gl_FragColor = vec4(0, buffer, 0, 1); }\n",
      "precision highp float;\nfloat buffer = 1.0;\nout vec4 o;\nvoid main() { o = vec4(0, buffer, 0, 1); }\n",
      toy("exp(-200.0 - u.x) == 0.0 && exp2(-127.0 - u.x) == 0.0 && exp(-80.0 - u.x) > 0.0"),
      "// by hand\n\n#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() { o = vec4(0, 1, 0, 1); }\n",
      "\n#version 100\nprecision highp float;\nvoid main() { gl_FragColor = vec4(0, 1, 0, 1); }\n",
      "#define main other\n#define place (2.0)\n" + green,
      "#define IMAGE(o, u) void mainImage(out vec4 o, in vec2 u)\nIMAGE(o, u) { o = vec4(0, 1, 0, 1); }\n",
      "float shared = 1.0;\n" + toy("shared == 1.0"),
      toy("1.0 / exp(200.0 + u.x) == 0.0 && pow(0.1, 60.0 + u.x) == 0.0 && pow(-u.x, 2.0) > 0.0"),
  };
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    try {
      const Layer layer = draw(scene("generated:screen", 4, 4, {.text = text, .name = "my.frag"}));
      for (const uint32_t texel : layer.color) ASSERT_EQ(texel, 0xff00ff00u);
    } catch (const std::runtime_error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

// Shadertoy has passes that draw no picture.
TEST_F(UserShaders, OtherPassesOfShadertoyAreNamed) {
  for (const std::string name : {"mainSound", "mainVR", "mainCubemap"}) {
    const std::string problem =
        problem_with({.text = "\nvec2 " + name + "(float t) { return vec2(t); }\n", .name = "my.frag"});
    EXPECT_NE(problem.find("my.frag:2"), std::string::npos) << problem;
    EXPECT_NE(problem.find(name + " draws no picture: a text needs mainImage or main"), std::string::npos) << problem;
  }
  EXPECT_EQ(draw(scene("generated:screen", 4, 4,
                       {.text = "vec2 mainSound(int s, float t) { return vec2(t); }\n"
                                "void mainImage(out vec4 o, vec2 u) { o = vec4(0, 1, 0, 1); }\n"}))
                .color.front(),
            0xff00ff00u);
}

// Each loop of a shader that never ends by itself is ended, and that is counted.
TEST_F(UserShaders, LoopsThatAreEndedAreCounted) {
  const auto cut = [](const std::string& end, MachineKind machine, ShaderCode shaders) {
    const std::string text = "void mainImage(out vec4 o, vec2 u) { float s = 0.0; for (int i = 0; i < " + end +
                             "; ++i) s += 1.0; o = vec4(s / 2e5); }";
    const Frame frame = scene("generated:screen", 4, 4, {.text = text});
    RenderOptions options;
    options.machine = machine;
    options.shaders = shaders;
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    return test::render_to_end(renderer, prepared, options).statistics.loops_cut;
  };
  for (const auto& [machine, shaders] : {std::pair{MachineKind::cpu, ShaderCode::interpreted},
                                         {MachineKind::cpu, ShaderCode::compiled},
                                         {MachineKind::emulated, ShaderCode::interpreted}}) {
    if (machine == MachineKind::emulated && find_cpu_kernel("emulated") == nullptr) continue;
    EXPECT_GT(cut("100000", machine, shaders), 0u);
    EXPECT_EQ(cut("1000 + int(u.x)", machine, shaders), 0u);
  }
}

// Functions that each call the next twice, forty deep: inlining them gives 2^40 calls [GraphicsFuzz]. Processor time of
// this process and of the helpers that it has waited for.
double processor_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime})
      seconds += double(part.tv_sec) + double(part.tv_usec) * 1e-6;
  }
  return seconds;
}

// A text of functions f0 .. f<depth>, each of which calls the one before it twice.
std::string doubling_text(int depth) {
  std::string text = "float f0(float x) { return x * 0.5; }\n";
  for (int i = 1; i <= depth; ++i) {
    const std::string before = "f" + std::to_string(i - 1);
    text += "float f" + std::to_string(i) + "(float x) { return " + before + "(x) + " + before + "(x + 1.0); }\n";
  }
  return text + "void mainImage(out vec4 o, vec2 u) { o = vec4(f" + std::to_string(depth) + "(u.x)); }";
}

TEST_F(UserShaders, TextsThatGrowWithoutEndAreRefusedInTime) {
  const double begin = processor_seconds();
  const std::string problem = problem_with({.text = doubling_text(40)});
  EXPECT_NE(problem.find("calls written out"), std::string::npos) << problem;
  EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
  EXPECT_LT(processor_seconds() - begin, 120);
}

// Prints the message about a text that takes longer than two seconds of processor time, the limit that it sets.
[[noreturn]] void compile_with_little_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = rlim_t(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 2;
  setrlimit(RLIMIT_CPU, &limit);
  std::fputs(problem_with({.text = doubling_text(17)}).c_str(), stderr);
  std::_Exit(3);
}

// brokkr-glsl keeps a limit of its caller that is below its own. The compiler ends there, and the caller says so.
TEST_F(UserShaders, ACompilerThatUsesUpItsProcessorTimeIsAnError) {
  EXPECT_EXIT(compile_with_little_time(), testing::ExitedWithCode(3), "the compiler broke off; simplify the shader");
}

// Pictures of `shader` from time 0 on, 60 per second, each with the buffers of the picture before.
Layer picture_after(FragmentShader shader, int pictures, int size = 8) {
  Frame frame = scene("generated:screen", size, size, shader);
  Renderer renderer;
  RenderOptions options;
  options.machine = MachineKind::cpu;
  RenderResult result;
  for (int i = 0; i <= pictures; ++i) {
    shader.time = double(i) / 60;
    update_fragment_shader(frame, shader);
    PreparedFrame prepared = renderer.prepare(frame);
    result = test::render_to_end(renderer, prepared, options);
    keep_buffers(frame, shader, result);
  }
  return std::move(result.targets[main_target(frame)].layers[0]);
}

TEST_F(UserShaders, BuffersKeepFloatsFromPictureToPicture) {
  FragmentShader shader{
      .text =
          "void mainImage(out vec4 o, vec2 u) { o = texelFetch(iChannel0, ivec2(u), 0) / vec4(-10.0, 1e6, 1, 1); }"};
  // Values that neither 8 bits nor half floats hold: -1.5 per picture, and 100000.25 each.
  shader.buffers[0].text =
      "void mainImage(out vec4 o, vec2 u) { o = texelFetch(iChannel0, ivec2(u), 0) + vec4(-1.5, 100000.25, u.x / 80.0, "
      "0); }";
  EXPECT_TRUE(reads_earlier_buffers(shader));
  const Layer first = picture_after(shader, 0), fourth = picture_after(shader, 3);
  EXPECT_EQ(first.color[0] & 0xffffu, 0x1a26u);   // 0.15, 0.10000025
  EXPECT_EQ(fourth.color[0] & 0xffffu, 0x6699u);  // 0.6, 0.400001
  EXPECT_EQ(fourth.color[7] >> 16 & 0xffu, 96u);  // 4 * 7.5 / 80
}

TEST_F(UserShaders, BuffersOfThisPictureAndTheOneBefore) {
  const auto number = [](const std::string& value) {
    return "void mainImage(out vec4 o, vec2 u) { o = vec4(" + value + "); }";
  };
  const std::string a = "texelFetch(iChannel0, ivec2(u), 0).x", b = "texelFetch(iChannel1, ivec2(u), 0).x";
  FragmentShader shader{.text = number(a + ", " + b + ", float(iChannelResolution[0] == vec3(8, 8, 1)), 1")};
  shader.buffers[0].text = number("(float(iFrame) + 1.0) / 10.0");
  shader.buffers[1].text = number(a);  // from this picture
  EXPECT_FALSE(reads_earlier_buffers(shader));
  EXPECT_EQ(picture_after(shader, 2).color[0], 0xffff4d4du);
  // B before A: from the previous picture.
  std::swap(shader.buffers[0].text, shader.buffers[1].text);
  shader.buffers[0].text = number(b);
  EXPECT_TRUE(reads_earlier_buffers(shader));
  EXPECT_EQ(picture_after(shader, 2).color[0], 0xffff4d33u);
  EXPECT_EQ(picture_after(shader, 0).color[0], 0xffff1a00u);
  // Common text, and a buffer with an error.
  shader.common = "#define VALUE 0.2\nfloat of_common() { return VALUE; }";
  shader.text = number("of_common(), VALUE, 0, 1");
  EXPECT_EQ(picture_after(shader, 0).color[0], 0xff003333u);
  shader.buffers[1] = {
      .text = "\nvoid mainImage(out vec4 o, vec2 u) { o = lost; }", .name = "b.glsl", .textures = {}, .channels = {}};
  EXPECT_EQ(problem_with(shader).find("b.glsl:2: 'lost'"), 0u) << problem_with(shader);
}

TEST_F(UserShaders, KeyboardMouseAndSilence) {
  FragmentShader shader{
      .text =
          "float at(int x, int y) { return texelFetch(iChannel0, ivec2(x, y), 0).x; }\n"
          "void mainImage(out vec4 o, vec2 u) {\n"
          "  o = vec4(at(32, 0) + at(65, 1) / 2.0 + at(65, 2) / 4.0, texture(iChannel1, vec2(0.5, 0.25)).x +\n"
          "           texture(iChannel1, vec2(0.5, 0.75)).x, iMouse.x / 10.0 + iMouse.w, 1); }"};
  shader.channels["iChannel0"].source = ShaderChannel::Source::keyboard;
  shader.channels["iChannel1"].source = ShaderChannel::Source::silence;
  shader.mouse = {4, 0, 0, -0.2};
  shader.toggled = {65};
  EXPECT_EQ(picture_after(shader, 0).color[0], 0xff338040u);
  shader.keys = {32};
  EXPECT_EQ(picture_after(shader, 1).color[0] & 0xffu, 0xffu);
  shader.keys.clear();
  shader.pressed = {65};
  EXPECT_EQ(picture_after(shader, 0).color[0] & 0xffu, 0xbfu);
}

TEST_F(UserShaders, FaultsNameTheLine) {
  EXPECT_EQ(
      problem_with({.text = "in vec3 b_position;\nin vec3 b_normel;\nout vec4 c;\n"
                            "void main() { c = vec4(b_normel + b_position, 1.0); }",
                    .name = "a.frag"}),
      "a.frag:2: 'b_normel' is not a known input (did you mean 'b_normal'?); docs/reference/shaders.md lists them");
  EXPECT_EQ(problem_with({.text = "// b_uv\nin vec3 b_uv;\nout vec4 c;\nvoid main() { c = vec4(b_uv, 1.0); }"}),
            "shader:2: 'b_uv' has 2 numbers, not 3");
  EXPECT_EQ(problem_with({.text = "out vec4 c;\nuniform int b_time;\nvoid main() { c = vec4(b_time); }"}),
            "shader:2: 'b_time' is 1 number of float, not 1 of int");
  const std::string undeclared = problem_with({.text = "void mainImage(out vec4 c, in vec2 p) {\n  c = speed; }"});
  EXPECT_EQ(undeclared.find("shader:2: 'speed': undeclared identifier"), 0u) << undeclared;
  const std::string text = "uniform vec2 a;\nout vec4 c;\nvoid main() { c = a.xyxy; }";
  EXPECT_EQ(problem_with({.text = text, .uniforms = {{"wide", {1}}}}),
            "shader: the shader declares no uniform 'wide' (known: a)");
  EXPECT_EQ(problem_with({.text = text, .uniforms = {{"a", {1}}}}), "shader:1: uniform 'a' has 2 numbers, not 1");
  EXPECT_EQ(
      problem_with({.text = "uniform int n;\nout vec4 c;\nvoid main() { c = vec4(n); }", .uniforms = {{"n", {0.5}}}}),
      "shader:1: uniform 'n' is of int; 0.5 is not one");
}

// In a captured frame, the shader replaces the draws that test depth, and reads the inputs of their programs.
TEST_F(UserShaders, CapturedDrawsGiveTheirOwnVaryings) {
  ProgramFrame f(8, 8);
  const uint32_t program = f.program("in vec2 at; out vec4 color0;\nvoid main() { color0 = vec4(at, 0.0, 1.0); }\n",
                                     {test::varying("at", ShaderType::vec2, 0)});
  const auto half = [](double x, float value) {
    const std::vector<float> v{value, 0};
    return std::vector<test::ProgramVertex>{{x, 0, 0, 1, v}, {x + 8, 0, 0, 1, v}, {x, 16, 0, 1, v}};
  };
  State state = f.default_state();
  f.draw_with(program, state, half(0, 0.2f));
  state.depth = {.test = false, .write = false};
  f.draw_with(program, state, half(4, 1.0f));
  set_fragment_shader(f.frame, {.text = "in vec2 at;\nin vec3 b_normal;\nout vec4 c;\n"
                                        "void main() { c = vec4(at.x, 1.0, normalize(b_normal).z, 1.0); }"});
  const Layer layer = draw(f.frame);
  EXPECT_EQ(layer.color[0], 0xffffff33u);
  EXPECT_EQ(layer.color[5], 0xff0000ffu);
}

std::string text_of(const std::string& name) {
  const std::string path = BROKKR_SOURCE_DIR "/shaders/examples/" + name + ".frag";
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Example {
  const char *name, *scene;
};

TEST_F(UserShaders, ExamplesDrawTheSameOnEveryMachine) {
  const std::string assets = BROKKR_SOURCE_DIR "/assets/";
  for (const Example& example :
       {Example{"toon", "courtyard.obj"}, Example{"pearl", "spheres.glb"}, Example{"marble", "spheres.glb"},
        Example{"grid", "courtyard.obj"}, Example{"inspect", "courtyard.obj"}, Example{"forge", ""}}) {
    const bool has_scene = *example.scene != 0;
    const Frame frame = scene(has_scene ? assets + example.scene : "generated:screen", 48, 27,
                              {.text = text_of(example.name), .name = example.name, .time = 1});
    const Layer layer = draw(frame);
    const std::set<uint32_t> colors(layer.color.begin(), layer.color.end());
    EXPECT_GT(colors.size(), 30u) << example.name;
    for (const MachineKind machine : test::machines())
      EXPECT_EQ(layer.color, draw(frame, machine).color) << example.name;
  }
}

}  // namespace
}  // namespace brokkr
