// Vertex programs on the host: inputs and outputs of draws, a user's vertex shader on scenes, and refused programs.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <set>

#include "brokkr/fragment_shader.h"
#include "brokkr/vertex_stage.h"
#include "frame/bkf.h"
#include "pictures.h"
#include "pipeline/cpu_machine.h"
#include "program_frame.h"

namespace brokkr {
namespace {

using test::ProgramFrame;
using test::varying;

class VertexStage : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(BROKKR_HAVE_SHADERS)
    GTEST_SKIP() << "built without run-time shaders";
#endif
  }
};

// A frame with one draw of `vertices` vertices and `instances` instances. A program gives its positions and varyings.
struct Stage {
  Stage(const std::string& text, uint32_t vertices, uint32_t instances = 1,
        const std::vector<ProgramVarying>& varyings = {varying("shade", ShaderType::vec4, 0)})
      : builder(8, 8) {
    const uint32_t fragment =
        builder.program("in vec4 shade; out vec4 color0; void main() { color0 = shade; }", varyings);
    const uint32_t stride = uint32_t(varying_components(frame().programs[fragment]));
    std::vector<test::ProgramVertex> places(vertices * instances);
    for (test::ProgramVertex& one : places) one.varyings.assign(stride, 9.0f);
    DrawCommand& draw = builder.draw_with(fragment, builder.default_state(), places);
    draw.element_count = draw.vertex_count = vertices;
    draw.instances = instances;
    draw.vertices = 0;
    program().texts = {"#version 460 compatibility\n" + text};
    frame().vertex_inputs.emplace_back();
  }
  Frame& frame() { return builder.frame; }
  VertexProgram& program() {
    if (frame().vertex_programs.empty()) frame().vertex_programs.emplace_back();
    return frame().vertex_programs[0];
  }
  VertexInputs& inputs() { return frame().vertex_inputs[0]; }
  DrawCommand& draw() { return std::get<DrawCommand>(frame().commands.back()); }
  void attribute(const std::string& name, ShaderType type, const std::vector<float>& values, uint32_t divisor = 0) {
    program().attributes.push_back({name, type});
    inputs().attributes.push_back(
        {frame().attributes.size(), uint32_t(values.size() / shape_of(type).components()), divisor});
    for (const float value : values) frame().attributes.push_back(std::bit_cast<uint32_t>(value));
  }
  void uniform(const std::string& name, ShaderType type, const std::vector<float>& values) {
    const auto words = uint32_t(uniform_words(program()));
    program().uniforms.push_back({.name = name, .type = type, .offset = words * 4});
    if (words == 0) inputs().first_uniform = frame().uniforms.size();
    for (const float value : values) frame().uniforms.push_back(std::bit_cast<uint32_t>(value));
  }
  glm::vec4 position(size_t vertex) { return frame().positions[draw().first_vertex + vertex]; }
  float shade(size_t vertex, size_t component) {
    return frame().varyings[frame().inputs[size_t(draw().inputs)].first_varying + vertex * 4 + component];
  }

  ProgramFrame builder;
};

TEST_F(VertexStage, AttributesUniformsAndNumbersReachTheirVertices) {
  Stage stage(R"(
in vec3 place; in vec2 of_instance; in vec4 same; in float every_two; uniform mat4 turn; uniform vec2 pair; out vec4 shade;
void main() {
  gl_Position = turn * vec4(place, 1.0) + vec4(of_instance, pair);
  shade = vec4(same.w, every_two, gl_VertexID, gl_InstanceID * 100 + gl_BaseInstance);
})",
              3, 5);
  stage.attribute("place", ShaderType::vec3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  stage.attribute("of_instance", ShaderType::vec2, {0, 0, 10, 20, 30, 40, 50, 60, 70, 80}, 1);
  stage.attribute("same", ShaderType::vec4, {1, 2, 3, 4}, 1);
  stage.attribute("every_two", ShaderType::f32, {-1, -2, -3}, 2);
  stage.uniform("turn", ShaderType::mat4, {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  stage.uniform("pair", ShaderType::vec2, {0.5f, 0.25f});
  stage.inputs().base_vertex = 7;
  stage.inputs().base_instance = 3;
  EXPECT_EQ(shade_vertices(stage.frame()), std::vector<std::string>{});
  for (uint32_t instance = 0; instance < 5; ++instance) {
    for (uint32_t vertex = 0; vertex < 3; ++vertex) {
      const size_t at = instance * 3 + vertex;
      const float x = float(3 * vertex + 1), offset = float(20 * instance);
      EXPECT_EQ(stage.position(at),
                glm::vec4(-(x + 1) + (instance == 0 ? 0 : offset - 10), x + offset, x + 2.5f, 1.25f))
          << at;
      EXPECT_EQ(stage.shade(at, 0), 4);
      EXPECT_EQ(stage.shade(at, 1), -1 - float(instance / 2));
      EXPECT_EQ(stage.shade(at, 2), float(vertex + 7));
      EXPECT_EQ(stage.shade(at, 3), float(instance * 100 + 3));
    }
  }
}

TEST_F(VertexStage, ColoursAreClampedAndVaryingsThatNobodyWritesStay) {
  Stage stage("void main() { gl_Position = gl_Vertex; gl_FrontColor = vec4(-1.0, 0.5, 2.0, 0.0 / gl_Vertex.x); }", 1, 1,
              {varying("gl_Color", ShaderType::vec4, 0), varying("shade", ShaderType::vec4, 4)});
  stage.attribute("gl_Vertex", ShaderType::vec4, {0, 2, 3, 4});
  EXPECT_EQ(shade_vertices(stage.frame()), std::vector<std::string>{});
  EXPECT_EQ(stage.position(0), glm::vec4(0, 2, 3, 4));
  for (const auto& [component, value] :
       std::vector<std::pair<size_t, float>>{{0, 0}, {1, 0.5f}, {2, 1}, {3, 0}, {4, 9}, {7, 9}})
    EXPECT_EQ(stage.shade(0, component), value) << component;
}

// More vertices than a worker takes at a time, and draws with few vertices.
TEST_F(VertexStage, AllWorkersGiveTheSame) {
  constexpr uint32_t kVertices = 30001;
  Stage stage("in float x; out vec4 shade; void main() { gl_Position = vec4(x, x * x, sin(x), 1.0); shade = vec4(x); }",
              kVertices);
  std::vector<float> values;
  for (uint32_t i = 0; i < kVertices; ++i) values.push_back(float(i) * 0.25f);
  stage.attribute("x", ShaderType::f32, values);
  EXPECT_EQ(shade_vertices(stage.frame()), std::vector<std::string>{});
  for (uint32_t i = 0; i < kVertices; ++i) {
    ASSERT_EQ(stage.position(i).x, values[i]);
    ASSERT_EQ(stage.position(i).y, values[i] * values[i]);
    ASSERT_EQ(stage.shade(i, 3), values[i]);
  }
}

// A file without positions and varyings gives them when it is loaded, and so does one that holds others.
TEST_F(VertexStage, LoadedFramesAreShaded) {
  Stage stage(
      "in vec2 at; uniform float scale; out vec4 shade; void main() { gl_Position = vec4(at * scale, 0.25, 1.0); "
      "shade = vec4(at, gl_InstanceID, 1.0); }",
      3, 2);
  stage.attribute("at", ShaderType::vec2, {-1, -1, 1, 0.5f, 0.1f, 1});
  stage.uniform("scale", ShaderType::f32, {0.5f});
  Frame expected = stage.frame();
  EXPECT_EQ(shade_vertices(expected), std::vector<std::string>{});
  for (const bool leaves_out : {false, true}) {
    const std::vector<std::byte> file = bkf_bytes(stage.frame(), {.leave_out = {leaves_out}});
    const Frame loaded = load_frame(file, "stage.bkf", {});
    EXPECT_TRUE(loaded.warnings.empty());
    const auto &draw = std::get<DrawCommand>(loaded.commands.back()), &from = stage.draw();
    ASSERT_EQ(draw.vertex_count, 3u);
    for (uint64_t i = 0; i < 6; ++i)
      EXPECT_EQ(loaded.positions[draw.first_vertex + i], expected.positions[from.first_vertex + i]) << i;
    const uint64_t first = loaded.inputs[size_t(draw.inputs)].first_varying,
                   other = expected.inputs[size_t(from.inputs)].first_varying;
    for (uint64_t i = 0; i < 24; ++i) EXPECT_EQ(loaded.varyings[first + i], expected.varyings[other + i]) << i;
  }
  stage.program().texts = {"#version 330\nvoid main() { gl_Position = nothing; }"};
  std::vector<std::string> lines;
  LoadOptions options;
  options.warning = [&](const std::string& line) { lines.push_back(line); };
  const Frame loaded = load_frame(bkf_bytes(stage.frame()), "stage.bkf", options);
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_EQ(loaded.warnings[0].find("vertex program 0: line 2: "), 0u) << loaded.warnings[0];
  EXPECT_NE(loaded.warnings[0].find("; 1 of its draws cannot be shaded"), std::string::npos);
  EXPECT_EQ(lines, std::vector<std::string>{"stage.bkf: " + loaded.warnings[0]});
  const auto& draw = std::get<DrawCommand>(loaded.commands.back());
  EXPECT_EQ(loaded.positions[draw.first_vertex], stage.position(0));  // those of the file
  options.strict = true;
  EXPECT_THROW(load_frame(bkf_bytes(stage.frame()), "stage.bkf", options), FileError);
}

std::string failure(Stage& stage) {
  const std::vector<std::string> lines = shade_vertices(stage.frame());
  return lines.empty() ? "" : lines[0];
}
std::string refusal(Stage& stage) {
  try {
    shade_vertices(stage.frame());
  } catch (const FileError& error) {
    return error.what();
  }
  return {};
}

TEST_F(VertexStage, ProgramsThatCannotRunSayWhyAndTheirDrawsStay) {
  Stage silent("out vec4 shade; void main() { shade = vec4(1.0); }", 3);
  const glm::vec4 before = silent.position(0);
  EXPECT_EQ(failure(silent),
            "vertex program 0: it does not write gl_Position; assign it in main; 1 of its draws cannot be shaded");
  EXPECT_EQ(silent.position(0), before);
  Stage endless(
      "uniform int n; void main() { gl_Position = vec4(0.0); for (int i = 0; i != n; i += 2) gl_Position.x += 1.0; }",
      70);
  endless.uniform("n", ShaderType::i32, {std::bit_cast<float>(1)});
  EXPECT_NE(failure(endless).find("does not end within 65536 iterations"), std::string::npos);
  Stage lacking("in vec4 missing; void main() { gl_Position = missing; }", 3);
  EXPECT_NE(failure(lacking).find("the frame holds no attribute 'missing'"), std::string::npos);
  Stage wrong("void main() { gl_Position = nothing; }", 3);
  EXPECT_NE(failure(wrong).find("line 2: 'nothing': undeclared identifier"), std::string::npos);
}

TEST_F(VertexStage, FramesThatLackWhatTheirProgramsReadAreRefused) {
  const std::string text = "in vec2 a; void main() { gl_Position = vec4(a, 0.0, 1.0); }";
  Stage few(text, 3);
  few.attribute("a", ShaderType::vec2, {1, 2, 3, 4});
  EXPECT_EQ(refusal(few),
            "command 1, field 'attributes': 'a' has 2 values, and the draw reads 3; give it more, or a divisor");
  Stage beyond(text, 3);
  beyond.attribute("a", ShaderType::vec2, {1, 2, 3, 4, 5, 6});
  beyond.inputs().attributes[0].first = 1;
  EXPECT_NE(refusal(beyond).find("words of attributes"), std::string::npos);
  Stage none(text, 3);
  none.program().attributes.push_back({"a", ShaderType::vec2});
  EXPECT_NE(refusal(none).find("their number is not the program's"), std::string::npos);
  Stage unknown(text, 3);
  unknown.inputs().program = 4;
  EXPECT_NE(refusal(unknown).find("vertexProgram"), std::string::npos);
  Stage inputs(text, 3);
  inputs.draw().vertices = 5;
  EXPECT_NE(refusal(inputs).find("vertex inputs"), std::string::npos);
  // Two draws that write to the same vertices.
  Stage twice(text, 3);
  twice.attribute("a", ShaderType::vec2, {1, 2, 3, 4, 5, 6});
  twice.frame().vertex_inputs.push_back(twice.frame().vertex_inputs[0]);
  DrawCommand other = twice.draw();
  other.vertices = 1;
  twice.frame().commands.emplace_back(other);
  EXPECT_NE(refusal(twice).find("writes to the same ones"), std::string::npos);
}

// A user's vertex shader on scenes.

constexpr const char* kPlace = "in vec3 b_position;\nuniform mat4 b_model, b_view, b_projection;\n";

Frame scene(const std::string& path, const FragmentShader& shader, int width = 96, int height = 64) {
  LoadOptions load;
  load.width = width;
  load.height = height;
  Frame frame = load_frame(path, load);
  set_fragment_shader(frame, shader);
  return frame;
}

Layer drawn(const Frame& frame, MachineKind machine = MachineKind::cpu) {
  RenderOptions options;
  options.machine = machine;
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderResult result = test::render_to_end(renderer, prepared, options);
  EXPECT_EQ(result.statistics.false_color_draws, 0u);
  return std::move(result.targets[0].layers[0]);
}

size_t differences(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

// The shader places vertices where they are without it. Pixels on edges may differ by the last bits of positions.
TEST_F(VertexStage, PlainPlacingDrawsTheSamePicture) {
  FragmentShader shader{.text =
                            "in vec3 b_normal; in vec2 b_uv; out vec4 color;\n"
                            "void main() { color = vec4(normalize(b_normal) * 0.5 + 0.5, 1.0); }"};
  for (const char* path : {"generated:city?triangles=2400&instanced=1", "generated:sphere-100k?triangles=300"}) {
    const Layer without = drawn(scene(path, shader));
    FragmentShader with = shader;
    with.vertex.text =
        std::string(kPlace) + "void main() { gl_Position = b_projection * b_view * b_model * vec4(b_position, 1.0); }";
    const Frame frame = scene(path, with);
    const Layer layer = drawn(frame);
    EXPECT_LT(differences(layer.color, without.color), layer.color.size() / 50) << path;
    EXPECT_EQ(differences(layer.color, drawn(frame, MachineKind::emulated).color), 0u) << path;
  }
}

TEST_F(VertexStage, InstancesAreCountedAndVaryingsOfAllTypesArrive) {
  FragmentShader shader{.text = R"(#version 330
flat in ivec2 number; in mat2 sides; out vec4 color;
void main() { color = vec4(number.x == 2 ? 1.0 : 0.0, sides[1].y, float(number.y) / 255.0, 1.0); })"};
  shader.vertex = {.text = R"(#version 330
uniform float wide = 0.5;
flat out ivec2 number; out mat2 sides;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1);
  gl_Position = vec4((float(gl_InstanceID) + corner.x) * wide - 1.0, corner.y * 2.0 - 1.0, 0.0, 1.0);
  number = ivec2(gl_InstanceID, gl_InstanceID * 10); sides = mat2(1.0);
})",
                   .name = "stripes.vert",
                   .instances = 4};
  // Triangles between the corners of each instance's column.
  const Frame frame = scene("generated:sphere-100k?triangles=300", shader, 8, 4);
  ASSERT_EQ(std::get<DrawCommand>(frame.commands.back()).instances, 4u);
  const Layer layer = drawn(frame);
  std::set<uint32_t> seen(layer.color.begin(), layer.color.end());
  EXPECT_TRUE(seen.contains(0xff14ffffu));  // instance 2: red, green, 20
  EXPECT_TRUE(seen.contains(0xff00ff00u));
}

TEST_F(VertexStage, TimeAndUniformsMoveVerticesWithoutPreparingAnew) {
  FragmentShader shader{.text = plain_fragment_text()};
  shader.vertex.text = std::string(kPlace) + R"(
uniform float b_time; uniform vec3 push = vec3(0.0);
void main() {
  vec4 world = b_model * vec4(b_position + push, 1.0);
  world.y += 0.3 * sin(world.x * 2.0 + b_time);
  gl_Position = b_projection * b_view * world;
})";
  const char* const path = "generated:sphere-100k?triangles=300";
  Frame frame = scene(path, shader);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.machine = MachineKind::cpu;
  const std::vector<uint32_t> before = test::render_to_end(renderer, prepared, options).targets[0].layers[0].color;
  shader.time = 1.5;
  shader.uniforms["push"] = {0.2, 0.1, 0};
  update_fragment_shader(frame, shader);
  prepared.update_views();
  const std::vector<uint32_t> after = test::render_to_end(renderer, prepared, options).targets[0].layers[0].color;
  EXPECT_GT(differences(before, after), 100u);
  EXPECT_EQ(differences(after, drawn(scene(path, shader)).color), 0u);
  const std::vector<ShaderUniform> own = shader_uniforms(frame, shader);
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].name, "push");
}

TEST_F(VertexStage, SetVertexShaderLightsByAPlainShader) {
  LoadOptions load;
  load.width = 64;
  load.height = 48;
  Frame frame = load_frame("generated:sphere-100k?triangles=300", load);
  set_vertex_shader(frame, {.text = std::string(kPlace) + R"(in vec3 b_normal; uniform mat3 b_normal_matrix;
void main() { gl_Position = b_projection * b_view * b_model * vec4(b_position + 0.1 * normalize(b_normal_matrix * b_normal), 1.0); })"});
  const Layer layer = drawn(frame);
  EXPECT_GT(std::set<uint32_t>(layer.color.begin(), layer.color.end()).size(), 20u);
}

std::string problem_with(const std::string& vertex, const std::string& fragment = plain_fragment_text()) {
  FragmentShader shader{.text = fragment, .name = "my.frag"};
  shader.vertex = {.text = vertex, .name = "my.vert"};
  try {
    scene("generated:sphere-100k?triangles=12", shader, 4, 4);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST_F(VertexStage, ErrorsAreLinesThatNameFileAndRemedy) {
  EXPECT_EQ(problem_with("in vec3 b_position;\nvoid main() { }"),
            "my.vert:2: it does not write gl_Position; assign it, as b_projection * b_view * b_model * position");
  EXPECT_EQ(problem_with("in vec3 b_positon;\nvoid main() { gl_Position = vec4(b_positon, 1.0); }"),
            "my.vert:1: 'b_positon' is not an attribute of scenes (did you mean 'b_position'?); "
            "docs/guide/vertex-shaders.md lists them");
  EXPECT_EQ(problem_with("in vec2 b_position; void main() { gl_Position = vec4(b_position, 0.0, 1.0); }"),
            "my.vert:1: 'b_position' has 3 numbers, not 2");
  EXPECT_EQ(problem_with("void main() { gl_Position = vec4(x); }"), "my.vert:1: 'x': undeclared identifier");
  EXPECT_EQ(problem_with("uniform int n; void main() { gl_Position = vec4(0.0); while (n < 1) gl_Position.x += 1.0; }"),
            "my.vert: one of its loops does not end within 65536 iterations");
  EXPECT_EQ(problem_with("out vec3 at; void main() { gl_Position = at.xyzz; at = vec3(1.0); }",
                         "in vec4 at; out vec4 c; void main() { c = at; }"),
            "my.frag:1: 'at' has 4 numbers here and fewer in my.vert; use the same declaration");
  EXPECT_EQ(problem_with("uniform vec3 tint; void main() { gl_Position = vec4(tint, 1.0); }",
                         "uniform vec4 tint; out vec4 c; void main() { c = tint; }"),
            "my.vert:1: uniform 'tint' is declared differently in my.frag; use the same declaration");
  EXPECT_EQ(problem_with("uniform vec4 b_modl; void main() { gl_Position = b_modl; }"),
            "my.vert:1: 'b_modl' is not a known uniform (did you mean 'b_model'?); names that begin with b_ are "
            "Brokkr's");
  // A captured frame is already projected.
  ProgramFrame captured(8, 8);
  const uint32_t program = captured.program("out vec4 color0; void main() { color0 = vec4(1.0); }", {});
  captured.draw_with(program, captured.default_state(), test::rectangle(0, 0, 8, 8));
  try {
    set_vertex_shader(captured.frame, {.text = "void main() { gl_Position = vec4(0.0); }", .name = "my.vert"});
    ADD_FAILURE();
  } catch (const ShaderError& error) {
    EXPECT_NE(std::string(error.what()).find("my.vert: the frame's vertices are in clip space"), std::string::npos);
  }
}

// An index out of range reads the array's last element.
TEST_F(VertexStage, IndicesOutOfRangeAreClamped) {
  Stage stage("in int i; uniform vec4 table[3]; void main() { gl_Position = table[i]; }", 3);
  stage.attribute("i", ShaderType::i32, {std::bit_cast<float>(-5), std::bit_cast<float>(1), std::bit_cast<float>(99)});
  stage.program().uniforms.push_back({.name = "table", .type = ShaderType::vec4, .count = 3});
  stage.inputs().first_uniform = stage.frame().uniforms.size();
  for (int i = 0; i < 12; ++i) stage.frame().uniforms.push_back(std::bit_cast<uint32_t>(float(i)));
  EXPECT_EQ(shade_vertices(stage.frame()), std::vector<std::string>{});
  EXPECT_EQ(stage.position(1), glm::vec4(4, 5, 6, 7));
  EXPECT_TRUE(std::isfinite(stage.position(0).x) && std::isfinite(stage.position(2).x));
}

TEST_F(VertexStage, ExamplesDrawTheSameOnAllMachines) {
  const auto text = [](const std::string& name) {
    std::ifstream file(BROKKR_SOURCE_DIR "/shaders/examples/" + name);
    EXPECT_TRUE(file.good()) << name;
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (const std::string name : {"waves", "twist", "grass"}) {
    FragmentShader shader{
        .text = name == "grass" ? text("grass.frag") : plain_fragment_text(), .name = name, .time = 1.2};
    shader.vertex = {.text = text(name + ".vert"), .name = name + ".vert", .instances = name == "grass" ? 300u : 1u};
    const Frame frame =
        scene(BROKKR_SOURCE_DIR "/assets/" + std::string(name == "grass" ? "blade.obj" : "courtyard.obj"), shader);
    const Layer layer = drawn(frame);
    EXPECT_GT(std::set<uint32_t>(layer.color.begin(), layer.color.end()).size(), 20u) << name;
    EXPECT_EQ(differences(layer.color, drawn(frame, MachineKind::emulated).color), 0u) << name;
  }
}

}  // namespace
}  // namespace brokkr
