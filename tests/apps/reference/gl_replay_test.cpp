// Programs of captured frames through OpenGL: a program reads exactly what the frame contains.
#include "reference/gl_replay.h"

#include <bit>
#include <cstring>

#include "tiny_frame.h"

namespace brokkr::test {
namespace {

class GlReplayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
    frame = make_frame(8, 4);
    frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}};
    frame.targets[0].depth = TexelFormat::depth24;
    frame.states[0].depth.test = false;
    frame.materials.push_back({.name = "captured"});
  }

  // A draw of the whole target `view` whose vertices all have these varyings.
  DrawCommand& add_program_draw(FragmentProgram program, const std::vector<float>& varyings, uint32_t view = 0) {
    DrawInputs inputs;
    inputs.program = uint32_t(frame.programs.size());
    inputs.first_varying = frame.varyings.size();
    inputs.textures.resize(bound_textures(program));
    DrawCommand draw;
    draw.first_view = view;
    draw.first_vertex = frame.positions.size();
    draw.vertex_count = draw.element_count = 6;
    draw.inputs = int32_t(frame.inputs.size());
    for (const glm::vec4& corner : quad(-1, -1, 1, 1)) {
      frame.positions.push_back(corner);
      frame.varyings.insert(frame.varyings.end(), varyings.begin(), varyings.end());
    }
    frame.programs.push_back(std::move(program));
    frame.inputs.push_back(inputs);
    frame.commands.emplace_back(draw);
    return std::get<DrawCommand>(frame.commands.back());
  }

  GlLayer draw(uint32_t target = 0) {
    GlReplay replay(*compatible_context().context);
    replay.prepare(frame);
    failures = replay.failures();
    replay.draw();
    return replay.read(target);
  }

  uint32_t add_texture(CapturedTexture texture, const std::vector<uint8_t>& texels) {
    texture.stored = true;
    texture.first_byte = frame.texture_data.size();
    for (const uint8_t texel : texels) frame.texture_data.push_back(std::byte(texel));
    frame.captured_textures.push_back(std::move(texture));
    return uint32_t(frame.captured_textures.size() - 1);
  }

  Frame frame;
  std::vector<GlProgramFailure> failures;
};

float bits_of(int32_t value) {
  float result = 0;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

TEST_F(GlReplayTest, VaryingsOfAllTypesArrive) {
  FragmentProgram program;
  program.texts = {
      "#version 330\nin vec2 uv[2];\nflat in ivec2 code;\nnoperspective in float blue;\nout vec4 color;\n"
      "void main() { color = vec4(uv[0].y, float(code.y) / 255.0, blue, uv[1].x); }\n"};
  program.version = 330;
  program.varyings = {
      {.name = "uv", .type = ShaderType::vec2, .count = 2, .offset = 0},
      {.name = "code", .type = ShaderType::ivec2, .offset = 4, .interpolation = Interpolation::flat},
      {.name = "blue", .type = ShaderType::f32, .offset = 6, .interpolation = Interpolation::noperspective}};
  add_program_draw(program, {9, 1.0f, 0.2f, 9, bits_of(7), bits_of(51), 0.4f});
  EXPECT_EQ(pixel(draw(), 3, 2), 0x336633ffu);
  EXPECT_TRUE(failures.empty());
}

// Inputs as GTK 4 and Panda3D write them: by macros, as structures, as arrays of one element, and with `smooth`.
TEST_F(GlReplayTest, StructuresMacrosAndArraysOfOneElementArrive) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  FragmentProgram program;
  program.texts = {
      "#version 150\n#define IN in\n#define OUTLINE Rect\nstruct Rect { vec2 low; vec2 high; };\n"
      "IN OUTLINE outline;\nIN vec2 shadow[1];\nsmooth in float red;\nout vec4 color;\n"
      "void main() { color = vec4(red, outline.high.x, shadow[0].y, outline.low.y); }\n"};
  program.version = 150;
  program.outputs = {{.name = "color"}};
  program.varyings = {{.name = "outline.low", .type = ShaderType::vec2, .offset = 0},
                      {.name = "outline.high", .type = ShaderType::vec2, .offset = 2},
                      {.name = "shadow", .type = ShaderType::vec2, .offset = 4},
                      {.name = "red", .type = ShaderType::f32, .offset = 6}};
  add_program_draw(program, {9, 1.0f, 0.4f, 9, 9, 0.6f, 0.2f});
  EXPECT_EQ(pixel(draw(), 3, 2), 0xff996633u);
  EXPECT_TRUE(failures.empty()) << failures[0].reason;
}

TEST_F(GlReplayTest, BuiltInVaryingsUniformsAndBlocksArrive) {
  FragmentProgram old;
  old.texts = {
      "uniform vec3 scale[2];\nvoid main() { gl_FragColor = gl_TexCoord[1] * vec4(scale[1], 1.0) + gl_Color; }\n"};
  old.varyings = {{.name = "gl_TexCoord[1]", .offset = 0}, {.name = "gl_Color", .offset = 4}};
  old.uniforms = {{.name = "scale", .type = ShaderType::vec3, .count = 2}};
  add_program_draw(old, {1, 1, 1, 0, 0, 0.4f, 0, 1});
  for (const float value : {9.0f, 9.0f, 9.0f, 0.2f, 0.0f, 0.6f}) {
    frame.uniforms.emplace_back();
    std::memcpy(&frame.uniforms.back(), &value, 4);
  }
  EXPECT_EQ(pixel(draw(), 0, 0), 0xff996633u);

  FragmentProgram blocks;
  blocks.texts = {
      "#version 330\nlayout(std140) uniform Tint { vec4 unused; vec4 tint; };\nout vec4 color;\nvoid main() { color = "
      "tint; }\n"};
  blocks.version = 330;
  blocks.blocks = {{"Tint", 32}};
  blocks.uniforms = {{.name = "tint", .block = 0, .offset = 16}};
  add_program_draw(blocks, {});
  frame.inputs.back().first_uniform = frame.uniforms.size();
  frame.inputs.back().first_of_blocks = {frame.uniforms.size()};  // 24 bytes: at no place where OpenGL binds
  frame.uniforms.resize(frame.uniforms.size() + 4);
  for (const float value : {0.0f, 1.0f, 0.0f, 1.0f}) {
    frame.uniforms.emplace_back();
    std::memcpy(&frame.uniforms.back(), &value, 4);
  }
  EXPECT_EQ(pixel(draw(), 7, 3), kGreen);
}

TEST_F(GlReplayTest, FixedFunctionCombinesTexturesAndFog) {
  FragmentProgram program;
  program.varyings = {{.name = "gl_Color", .offset = 0},
                      {.name = "gl_TexCoord[2]", .offset = 4},
                      {.name = "gl_FogFragCoord", .type = ShaderType::f32, .offset = 8}};
  program.samplers = {{.name = "unit2"}};
  FixedFunction& fixed = program.fixed.emplace();
  fixed.units = {{.unit = 2, .mode = EnvironmentMode::modulate}};
  fixed.fog = Fog{.mode = FogMode::linear, .color = glm::vec4(0, 0, 1, 1), .start = 0, .end = 1};
  add_program_draw(program, {1, 1, 1, 1, 0.5f, 0.5f, 0, 1, 0.5f});
  frame.captured_samplers.push_back({.magnify_linear = false, .minify_linear = false, .mip = MipFilter::none});
  const uint32_t texture = add_texture({.format = TexelFormat::r8, .base = TexelBase::luminance}, {204});
  frame.inputs.back().textures = {{int32_t(texture), 0}};
  // (0.8, 0.8, 0.8) half way to blue
  EXPECT_EQ(pixel(draw(), 3, 1), 0xffe66666u);
}

TEST_F(GlReplayTest, ATargetIsReadAsItsTexture) {
  frame.targets.push_back(frame.targets[0]);
  frame.targets[1].id = 1;
  frame.targets[1].colors.push_back({TexelFormat::rgba16f, TexelBase::rgba});
  frame.views.push_back({.target = 1});
  FragmentProgram two;
  two.texts = {
      "#version 130\nout vec4 first;\nout vec4 second;\nvoid main() { first = vec4(1.0); second = vec4(0.0, 3.0, 0.0, "
      "1.0); }\n"};
  two.version = 130;
  two.outputs = {{.name = "first", .location = 0}, {.name = "second", .location = 1}};
  State state = frame.states[0];
  state.buffers = {{.plane = 0}, {.plane = 1}};
  frame.states.push_back(state);
  add_program_draw(two, {}, 1).state = 1;
  FragmentProgram reading;
  reading.texts = {"uniform sampler2D map;\nvoid main() { gl_FragColor = texture2D(map, vec2(0.5)) * vec4(0.2); }\n"};
  reading.samplers = {{.name = "map"}};
  add_program_draw(reading, {});
  frame.captured_textures.push_back(
      {.format = TexelFormat::rgba16f, .width = 8, .height = 4, .images = {{0, 0, 1, TargetPlane::color1}}});
  frame.captured_samplers.push_back({.mip = MipFilter::none});
  frame.inputs.back().textures = {{0, 0}};
  EXPECT_EQ(pixel(draw(), 5, 2), 0x33009900u);
  EXPECT_EQ(pixel(draw(1), 5, 2), 0xffffffffu);
}

// The depth is as far as in Brokkr's planes before anything is drawn.
TEST_F(GlReplayTest, ATargetWithoutDepthIsFarAway) {
  frame.targets[0].depth.reset();
  FragmentProgram program;
  program.texts = {"void main() { gl_FragColor = vec4(1.0); }\n"};
  add_program_draw(program, {});
  const GlLayer layer = draw();
  EXPECT_EQ(pixel(layer, 2, 2), 0xffffffffu);
  EXPECT_EQ(layer.depth, std::vector<float>(32, 1.0f));
}

TEST_F(GlReplayTest, AProgramThatDoesNotCompileIsNamed) {
  FragmentProgram program;
  program.texts = {"void main() { gl_FragColor = nowhere; }\n"};
  add_program_draw(program, {});
  draw();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].program, 0u);
  EXPECT_NE(failures[0].reason.find("nowhere"), std::string::npos) << failures[0].reason;
}

// A draw of two triangles whose vertex program moves a quad of bytes and colours it.
TEST_F(GlReplayTest, VertexProgramsRunInTheDriver) {
  VertexProgram vertex;
  vertex.texts = {
      "#version 330\n#extension GL_ARB_explicit_attrib_location : enable\nin vec2 place;\nin vec4 tint;\nin ivec2 "
      "codes;\n"
      "in mat2 turn;\nuniform vec2 moved[2];\nlayout(std140) uniform Scale { vec4 unused; vec2 scale; };\nuniform "
      "sampler2D map;\n"
      "out vec4 color;\nvoid main() { gl_Position = vec4(turn * place * scale + moved[1] + vec2(codes) * 0.5, 0.0, "
      "1.0);\n"
      "  color = tint * texture(map, vec2(0.5)); }\n"};
  vertex.version = 330;
  vertex.attributes = {{"place", ShaderType::vec2},
                       {"tint", ShaderType::vec4},
                       {"codes", ShaderType::ivec2},
                       {"turn", ShaderType::mat2}};
  vertex.uniforms = {{.name = "moved", .type = ShaderType::vec2, .count = 2},
                     {.name = "scale", .type = ShaderType::vec2, .block = 0, .offset = 16}};
  vertex.blocks = {{"Scale", 32}};
  vertex.samplers = {{.name = "map"}};
  FragmentProgram fragment;
  fragment.texts = {
      "#version 330\nin vec4 color;\nuniform sampler2D other;\nout vec4 result;\nvoid main() { result = color + "
      "texture(other, vec2(0.5)); }\n"};
  fragment.version = 330;
  fragment.varyings = {{.name = "color"}};
  fragment.samplers = {{.name = "other"}};
  DrawCommand& command = add_program_draw(fragment, {0, 0, 0, 0});
  VertexInputs inputs;
  const auto add = [&](std::vector<float> values, uint32_t count, uint32_t divisor = 0) {
    inputs.attributes.push_back({frame.attributes.size(), count, divisor});
    for (const float value : values) frame.attributes.push_back(std::bit_cast<uint32_t>(value));
  };
  add({-1, -1, 1, -1, -1, 1, -1, 1, 1, -1, 1, 1}, 6);
  add({1, 0.5f, 1, 1}, 1, 1);
  add({bits_of(-1), bits_of(0)}, 1, 1);
  add({0, 1, 1, 0}, 1, 1);  // exchanges x and y
  inputs.first_uniform = frame.uniforms.size();
  for (const float value : {9.0f, 9.0f, 0.0f, -0.5f}) frame.uniforms.push_back(std::bit_cast<uint32_t>(value));
  inputs.first_of_blocks = {frame.uniforms.size()};
  for (const float value : {0.0f, 0.0f, 0.0f, 0.0f, 0.5f, 0.5f, 0.0f, 0.0f})
    frame.uniforms.push_back(std::bit_cast<uint32_t>(value));
  frame.captured_samplers.push_back({.magnify_linear = false, .minify_linear = false, .mip = MipFilter::none});
  inputs.textures = {{int32_t(add_texture({.format = TexelFormat::rgba8}, {255, 255, 51, 255})), 0}};
  frame.inputs[0].textures = {{int32_t(add_texture({.format = TexelFormat::rgba8}, {0, 0, 102, 0})), 0}};
  frame.vertex_programs.push_back(vertex);
  frame.vertex_inputs.push_back(inputs);
  command.vertices = 0;
  const GlLayer layer = draw();
  EXPECT_TRUE(failures.empty()) << failures[0].reason;
  EXPECT_EQ(pixel(layer, 1, 1), 0xff9980ffu);  // the lower left quarter
  EXPECT_EQ(pixel(layer, 3, 1), 0xff9980ffu);
  EXPECT_EQ(pixel(layer, 4, 1), 0u);
  EXPECT_EQ(pixel(layer, 1, 2), 0u);
}

// Fixed function and old texts: built-in attributes and uniforms are ordinary ones for the driver.
TEST_F(GlReplayTest, BuiltInsOfVertexProgramsAreSet) {
  VertexProgram vertex;
  vertex.texts = {
      "#version 120\nvoid main() { gl_Position = ftransform(); vec3 n = gl_NormalMatrix * gl_Normal;\n"
      "  gl_FrontColor = gl_Color * gl_LightSource[1]. diffuse + vec4(0.0, n.z, gl_TextureMatrix[1][3].x * "
      "gl_MultiTexCoord0.x, 0.0); }\n"};
  vertex.version = 120;
  vertex.attributes = {{"gl_Vertex", ShaderType::vec4},
                       {"gl_Normal", ShaderType::vec3},
                       {"gl_Color", ShaderType::vec4},
                       {"gl_MultiTexCoord0", ShaderType::vec4}};
  vertex.uniforms = {{.name = "gl_ModelViewProjectionMatrix", .type = ShaderType::mat4},
                     {.name = "gl_NormalMatrix", .type = ShaderType::mat3, .offset = 64},
                     {.name = "gl_LightSource[1].diffuse", .offset = 100},
                     {.name = "gl_TextureMatrix", .type = ShaderType::mat4, .count = 2, .offset = 116}};
  FragmentProgram fragment;
  fragment.texts = {"#version 120\nvoid main() { gl_FragColor = gl_Color; }\n"};
  fragment.varyings = {{.name = "gl_Color"}};
  DrawCommand& command = add_program_draw(fragment, {0, 0, 0, 0});
  VertexInputs inputs;
  inputs.attributes.push_back({0, 6, 0});
  for (const glm::vec4& corner : quad(-1, -1, 1, 1)) {
    for (int i = 0; i < 4; ++i) frame.attributes.push_back(std::bit_cast<uint32_t>(corner[i]));
  }
  for (const std::vector<float>& value : {std::vector<float>{0, 0, 0.4f}, {1, 1, 1, 1}, {2, 0, 0, 1}}) {
    inputs.attributes.push_back({frame.attributes.size(), 1, 1});
    for (const float one : value) frame.attributes.push_back(std::bit_cast<uint32_t>(one));
  }
  const auto matrix = [&](int size, float scale) {
    for (int i = 0; i < size * size; ++i)
      frame.uniforms.push_back(std::bit_cast<uint32_t>(i % (size + 1) == 0 ? scale : 0.0f));
  };
  matrix(4, 1);
  matrix(3, 0.5f);
  for (const float value : {1.0f, 0.0f, 0.0f, 1.0f}) frame.uniforms.push_back(std::bit_cast<uint32_t>(value));
  matrix(4, 0);
  for (int i = 0; i < 16; ++i) frame.uniforms.push_back(std::bit_cast<uint32_t>(i == 12 ? 0.3f : 0.0f));
  frame.vertex_programs.push_back(vertex);
  frame.vertex_inputs.push_back(inputs);
  command.vertices = 0;
  const GlLayer layer = draw();
  EXPECT_TRUE(failures.empty()) << failures[0].reason;
  EXPECT_EQ(pixel(layer, 5, 2), 0xff9933ffu);
}

// The picture is then that of the computed vertices, and the reason is named.
TEST_F(GlReplayTest, AVertexProgramThatFailsIsNamed) {
  VertexProgram vertex;
  vertex.texts = {"#version 330\nout vec4 color;\nvoid main() { gl_Position = vec4(nowhere); color = vec4(0.0); }\n"};
  vertex.version = 330;
  FragmentProgram fragment;
  fragment.texts = {"#version 330\nin vec4 color;\nout vec4 result;\nvoid main() { result = color; }\n"};
  fragment.version = 330;
  fragment.varyings = {{.name = "color"}};
  add_program_draw(fragment, {0, 1, 0, 1}).vertices = 0;
  frame.vertex_programs.push_back(vertex);
  frame.vertex_inputs.emplace_back();
  EXPECT_EQ(pixel(draw(), 3, 2), kGreen);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].reason.find("vertex program 0"), std::string::npos);
  EXPECT_NE(failures[0].reason.find("nowhere"), std::string::npos) << failures[0].reason;
}

}  // namespace
}  // namespace brokkr::test
