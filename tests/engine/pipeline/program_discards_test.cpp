// Draws that need no order, because their uniforms, varyings and texels show that they cannot discard.
#include <gtest/gtest.h>

#include <bit>

#include "brokkr/vertex_stage.h"
#include "pictures.h"
#include "program_frame.h"

namespace brokkr {
namespace {

using test::ProgramFrame;
using test::ProgramVertex;
using test::varying;

// Quarter-grey rectangles that are cut out if `fade` times the texture's alpha is below `least`.
struct CutOut {
  float least = 0.5f;                // the uniform
  float fades[2] = {1, 1};           // the varying, on the left and on the right
  uint8_t alphas[2] = {255, 255};    // alphas of the texture's two texels
  TexelBase base = TexelBase::rgba;  // of the texture
  std::optional<AlphaTest> test;     // compares alpha
  TextureWrap wrap = TextureWrap::repeat;
};

Frame frame_of(const CutOut& cut) {
  ProgramFrame f(16, 16);
  const uint32_t program = f.program(
      "uniform sampler2D map; uniform float least; in float fade; out vec4 color0;\n"
      "void main() {\n"
      "  float alpha = texture(map, gl_FragCoord.xy / 16.0).a * fade;\n"
      "  if (alpha < least) discard;\n"
      "  color0 = vec4(0.25, 0.25, 0.25, alpha);\n"
      "}\n",
      {varying("fade", ShaderType::f32, 0)}, {{"least", ShaderType::f32}}, {ProgramSampler{"map"}});
  CapturedTexture texture;
  texture.width = 2;
  texture.base = cut.base;
  texture.stored = true;
  for (const uint8_t alpha : cut.alphas) {
    for (const uint8_t byte : {uint8_t(9), uint8_t(9), uint8_t(9), alpha})
      f.frame.texture_data.push_back(std::byte(byte));
  }
  f.frame.captured_textures = {texture};
  CapturedSampler sampler;
  sampler.wrap = {cut.wrap, cut.wrap, cut.wrap};
  f.frame.captured_samplers = {sampler};
  State state = f.default_state();
  state.alpha_test = cut.test;
  const auto at = [&](double x, double y) { return ProgramVertex{x, y, 0, 1, {x > 0 ? cut.fades[1] : cut.fades[0]}}; };
  f.draw_with(program, state, {at(0, 0), at(16, 0), at(16, 16), at(0, 0), at(16, 16), at(0, 16)},
              {std::bit_cast<uint32_t>(cut.least)}, {{0, 0}});
  return std::move(f.frame);
}

struct DiscardPicture {
  uint64_t ordered_phases;
  std::vector<uint32_t> color;
  bool operator==(const DiscardPicture&) const = default;
};
DiscardPicture draw(PreparedFrame& prepared, OrderMode order = OrderMode::automatic) {
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.order = order;
  Renderer renderer;
  RenderResult result = test::render_to_end(renderer, prepared, options);
  EXPECT_EQ(result.statistics.false_color_draws, 0u);
  return {result.statistics.ordered_phases, std::move(result.targets[0].layers[0].color)};
}
bool needs_order(const CutOut& cut) {
  const Frame frame = frame_of(cut);
  PreparedFrame prepared = Renderer().prepare(frame);
  const DiscardPicture drawn = draw(prepared);
  EXPECT_EQ(drawn.color, draw(prepared, OrderMode::strict).color) << "the picture is that of an order";
  return drawn.ordered_phases != 0;
}

class ProgramDiscards : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(BROKKR_HAVE_SHADERS)
    GTEST_SKIP() << "built without run-time shaders";
#endif
  }
};

TEST_F(ProgramDiscards, NeedAnOrderOnlyWhereTheyCanBe) {
  EXPECT_FALSE(needs_order({}));
  EXPECT_TRUE(needs_order({.least = 1.5f}));
  EXPECT_TRUE(needs_order({.fades = {1, 0.4f}}));
  EXPECT_FALSE(needs_order({.fades = {1, 0.6f}}));
  EXPECT_TRUE(needs_order({.alphas = {255, 100}}));
  EXPECT_FALSE(needs_order({.alphas = {255, 128}})) << "128 is 0.502";
  EXPECT_FALSE(needs_order({.alphas = {255, 100}, .base = TexelBase::rgb})) << "alpha is 1";
  EXPECT_TRUE(needs_order({.wrap = TextureWrap::clamp_to_border})) << "the border is transparent";
  EXPECT_TRUE(needs_order({.fades = {1, std::numeric_limits<float>::quiet_NaN()}}));
}

TEST_F(ProgramDiscards, AlphaTestsNeedAnOrderOnlyWhereTheyCanFail) {
  const auto tested = [](CompareFunc func, float ref, float fade = 1) {
    return needs_order({.least = 0, .fades = {fade, 1}, .test = AlphaTest{func, ref}});
  };
  EXPECT_FALSE(tested(CompareFunc::greater, 0.5f));
  EXPECT_TRUE(tested(CompareFunc::greater, 0.5f, 0.3f));
  EXPECT_FALSE(tested(CompareFunc::gequal, 0.2f, 0.3f));
  EXPECT_TRUE(tested(CompareFunc::less, 0.5f));
  EXPECT_FALSE(tested(CompareFunc::lequal, 1.5f));
  EXPECT_FALSE(tested(CompareFunc::notequal, 0));
  EXPECT_TRUE(tested(CompareFunc::equal, 1));
  EXPECT_TRUE(tested(CompareFunc::never, 0));
  EXPECT_FALSE(tested(CompareFunc::always, 0));
}

// A small file can draw one long list of vertices thousands of times. The proof gives up, and the picture is the same.
TEST_F(ProgramDiscards, OfVeryManyVerticesAreNotProvedAway) {
  constexpr uint32_t kVertices = 1 << 20, kDraws = 4000;
  Frame frame = frame_of({});
  frame.positions.resize(kVertices, frame.positions.back());
  frame.varyings.resize(kVertices, 1.0f);
  std::get<DrawCommand>(frame.commands.back()).vertex_count = kVertices;
  frame.commands.resize(kDraws, frame.commands.back());
  PreparedFrame prepared = Renderer().prepare(frame);
  const DiscardPicture drawn = draw(prepared);
  EXPECT_NE(drawn.ordered_phases, 0u);
  const Frame one = frame_of({});
  PreparedFrame of_one = Renderer().prepare(one);
  EXPECT_EQ(drawn.color, draw(of_one).color);
}

// Draws a frame that has changed since it was prepared; it must look as if it were prepared again.
DiscardPicture draw_changed(const Frame& frame, PreparedFrame& prepared) {
  prepared.update_views();
  DiscardPicture drawn = draw(prepared);
  PreparedFrame again = Renderer().prepare(frame);
  EXPECT_EQ(drawn, draw(again));
  return drawn;
}

TEST_F(ProgramDiscards, FollowUniformsThatChange) {
  Frame frame = frame_of({});
  PreparedFrame prepared = Renderer().prepare(frame);
  const auto drawn_with = [&](float least) {
    frame.uniforms[0] = std::bit_cast<uint32_t>(least);
    return draw_changed(frame, prepared);
  };
  const DiscardPicture first = draw(prepared);
  EXPECT_EQ(first.ordered_phases, 0u);
  EXPECT_EQ(drawn_with(0.75f), first);
  EXPECT_EQ(drawn_with(2).ordered_phases, 1u);
  EXPECT_NE(drawn_with(2).color, first.color);
  EXPECT_EQ(drawn_with(0.25f), first);
}

// The frame of `cut` with a vertex program that writes the varying from a uniform, number 1 of Frame::uniforms.
Frame frame_with_vertex_program(const CutOut& cut) {
  Frame f = frame_of(cut);
  f.vertex_programs.push_back({.texts = {"#version 330\nin vec4 place; uniform float shown; out float fade;\n"
                                         "void main() { gl_Position = place; fade = shown; }"},
                               .version = 330});
  f.vertex_programs[0].attributes = {{"place", ShaderType::vec4}};
  f.vertex_programs[0].uniforms.push_back({.name = "shown", .type = ShaderType::f32});
  auto& draw = std::get<DrawCommand>(f.commands.back());
  draw.vertices = 0;
  VertexInputs inputs;
  inputs.first_uniform = f.uniforms.size();
  f.uniforms.push_back(std::bit_cast<uint32_t>(1.0f));
  inputs.attributes.push_back({f.attributes.size(), draw.vertex_count, 0});
  for (uint32_t i = 0; i < draw.vertex_count; ++i) {
    for (int c = 0; c < 4; ++c)
      f.attributes.push_back(std::bit_cast<uint32_t>(f.positions[size_t(draw.first_vertex) + i][c]));
  }
  f.vertex_inputs.push_back(inputs);
  EXPECT_EQ(shade_vertices(f), std::vector<std::string>{});
  return f;
}

// New uniforms of a vertex program are new varyings of the fragments.
TEST_F(ProgramDiscards, FollowVaryingsThatTheHostComputesAnew) {
  Frame frame = frame_with_vertex_program({});
  PreparedFrame prepared = Renderer().prepare(frame);
  const auto drawn_with = [&](float shown) {
    frame.uniforms[1] = std::bit_cast<uint32_t>(shown);
    EXPECT_EQ(shade_vertices(frame), std::vector<std::string>{});
    return draw_changed(frame, prepared);
  };
  const DiscardPicture first = draw(prepared);
  EXPECT_EQ(first.ordered_phases, 0u);
  EXPECT_EQ(drawn_with(0.75f).ordered_phases, 0u);
  EXPECT_EQ(drawn_with(0.25f).ordered_phases, 1u);
  EXPECT_NE(drawn_with(0.25f).color, first.color);
  EXPECT_EQ(drawn_with(1), first) << "the proof holds again";
}

// If launches compute the varyings, the host has those of other uniforms, which prove nothing.
TEST_F(ProgramDiscards, AreNotProvedByVaryingsOfOtherUniforms) {
  for (const bool launches_before : {false, true}) {
    SCOPED_TRACE(launches_before);
    Frame frame = frame_with_vertex_program({});
    PreparedFrame prepared = Renderer().prepare(frame);
    const auto drawn = [&] {
      RenderOptions options;
      options.machine = MachineKind::cpu;
      options.vertex_stage = VertexShading::pipeline;
      Renderer renderer;
      return test::render_to_end(renderer, prepared, options);
    };
    if (launches_before) {
      const RenderResult first = drawn();
      EXPECT_EQ(first.statistics.ordered_phases, 0u);
      EXPECT_GT(first.statistics.vertex_program_runs, 0u);
    }
    frame.uniforms[1] = std::bit_cast<uint32_t>(0.25f);
    prepared.update_views();
    const RenderResult result = drawn();
    EXPECT_EQ(result.statistics.ordered_phases, 1u);
    Frame shaded = frame;
    EXPECT_EQ(shade_vertices(shaded), std::vector<std::string>{});
    PreparedFrame prepared_again = Renderer().prepare(shaded);
    EXPECT_EQ(result.targets[0].layers[0].color, draw(prepared_again).color);
  }
}

}  // namespace
}  // namespace brokkr
