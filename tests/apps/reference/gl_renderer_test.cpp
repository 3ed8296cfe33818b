// Tests the OpenGL reference with frames whose pictures are known. If these tests fail, it cannot serve as an oracle.
#include <algorithm>
#include <cmath>

#include "tiny_frame.h"

namespace brokkr::test {
namespace {

TEST_F(GlTest, ClearsWholeTargetAndScissor) {
  Frame frame = make_frame(8, 4);
  add_clear(frame, {1, 0, 0, 1}, 0.25f, 7);
  ClearCommand part;
  part.color = glm::vec4(0, 1, 0, 1);
  part.scissor = Rect{2, 1, 3, 2};
  frame.commands.emplace_back(part);
  const GlLayer layer = draw(frame);
  ASSERT_EQ(layer.color.size(), 32u);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 8; ++x) {
      const bool inside = x >= 2 && x < 5 && y >= 1 && y < 3;
      EXPECT_EQ(pixel(layer, x, y), inside ? kGreen : kRed) << x << "," << y;
      EXPECT_EQ(depth(layer, x, y), 0.25f);
      EXPECT_EQ(stencil(layer, x, y), 7);
    }
}

TEST_F(GlTest, TargetsStartBlank) {
  Frame frame = make_frame(4, 4);
  ClearCommand nothing;
  nothing.scissor = Rect{0, 0, 1, 1};
  nothing.color = glm::vec4(1.0f);
  frame.commands.emplace_back(nothing);
  const GlLayer layer = draw(frame);
  EXPECT_EQ(pixel(layer, 0, 0), 0xffffffffu);
  EXPECT_EQ(pixel(layer, 3, 3), 0u);
  EXPECT_EQ(depth(layer, 3, 3), 1.0f);
}

TEST_F(GlTest, TriangleCoversPixelCentresBottomUp) {
  Frame frame = make_frame(8, 8);
  add_draw(frame, {{-1, -1, 0.5f, 1}, {1, -1, 0.5f, 1}, {-1, 1, 0.5f, 1}}, {1, 0, 0, 1});
  const GlLayer layer = draw(frame);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      if (x + y == 7) continue;  // centres on the long edge belong to one side by the bottom-left rule
      EXPECT_EQ(pixel(layer, x, y), x + y < 7 ? kRed : 0u) << x << "," << y;
      EXPECT_FLOAT_EQ(depth(layer, x, y), x + y < 7 ? 0.75f : 1.0f);
    }
}

TEST_F(GlTest, SharedEdgeIsCoveredOnce) {
  Frame frame = make_frame(16, 16);
  BlendState sum;
  sum.color = sum.alpha = {BlendFactor::one, BlendFactor::one, BlendEquation::add};
  frame.states[0].blend = sum;
  frame.states[0].depth.test = false;
  add_draw(frame, quad(-1, -1, 1, 1), {64.0f / 255, 0, 0, 0});
  const GlLayer layer = draw(frame);
  for (uint32_t value : layer.color) EXPECT_EQ(value, 64u);
}

TEST_F(GlTest, DepthFunctionAndWriteMask) {
  Frame frame = make_frame(4, 4);
  State no_write = frame.states[0];
  no_write.depth.write = false;
  frame.states.push_back(no_write);
  add_draw(frame, quad(-1, -1, 1, 1, 0.0f), {1, 0, 0, 1});
  add_draw(frame, quad(-1, -1, 1, 1, 0.5f), {0, 1, 0, 1});             // behind: nothing
  add_draw(frame, quad(-1, -1, 0, 1, -0.5f), {0, 0, 1, 1}).state = 1;  // in front, keeps depth
  const GlLayer layer = draw(frame);
  EXPECT_EQ(pixel(layer, 0, 0), kBlue);
  EXPECT_EQ(pixel(layer, 3, 0), kRed);
  EXPECT_FLOAT_EQ(depth(layer, 0, 0), 0.5f);
}

TEST_F(GlTest, DepthRangeMayBeReversed) {
  Frame frame = make_frame(2, 2);
  frame.states[0].depth_near = 0.8f;
  frame.states[0].depth_far = 0.2f;
  add_draw(frame, quad(-1, -1, 1, 1, -0.5f));
  EXPECT_FLOAT_EQ(depth(draw(frame), 1, 1), 0.65f);
}

TEST_F(GlTest, BlendsSourceOver) {
  Frame frame = make_frame(2, 2);
  BlendState over;
  over.color = over.alpha = {BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  frame.states[0].blend = over;
  add_clear(frame, {0, 0, 1, 1});
  add_draw(frame, quad(-1, -1, 1, 1), {1, 0, 0, 0.25f});
  const uint32_t value = pixel(draw(frame), 0, 0);
  EXPECT_NEAR(int(value & 255), 64, 1);
  EXPECT_NEAR(int(value >> 16 & 255), 191, 1);
}

TEST_F(GlTest, StencilCountsAndMasks) {
  Frame frame = make_frame(4, 4);
  State count = frame.states[0], masked = frame.states[0];
  count.depth.test = masked.depth.test = false;
  count.color_mask = {false, false, false, false};
  count.stencil = StencilState{};
  count.stencil->pass = StencilOp::increment;
  masked.stencil = StencilState{};
  masked.stencil->func = CompareFunc::equal;
  masked.stencil->ref = 2;
  frame.states = {count, masked};
  add_draw(frame, quad(-1, -1, 0, 1));
  add_draw(frame, quad(-1, -1, 1, 0));
  add_draw(frame, quad(-1, -1, 1, 1), {0, 1, 0, 1}).state = 1;
  const GlLayer layer = draw(frame);
  EXPECT_EQ(stencil(layer, 0, 0), 2);
  EXPECT_EQ(stencil(layer, 3, 0), 1);
  EXPECT_EQ(stencil(layer, 0, 3), 1);
  EXPECT_EQ(stencil(layer, 3, 3), 0);
  EXPECT_EQ(pixel(layer, 0, 0), kGreen);
  EXPECT_EQ(pixel(layer, 3, 0), 0u);
}

TEST_F(GlTest, BlitsColourAndDepthBetweenTargets) {
  Frame frame = make_frame(4, 4);
  frame.targets.push_back({5, 2, 2, 1, ColorFormat::rgba8});
  View off_screen;
  off_screen.target = 1;
  frame.views.push_back(off_screen);
  State small = frame.states[0];
  small.viewport = glm::vec4(0, 0, 2, 2);
  frame.states.push_back(small);
  DrawCommand& left = add_draw(frame, quad(-1, -1, 0, 1, -0.5f), {1, 0, 0, 1});
  left.first_view = 1;
  left.state = 1;
  BlitCommand blit;
  blit.from = 1;
  blit.source = {0, 0, 2, 2};
  blit.destination = {0, 0, 4, 4};
  frame.commands.emplace_back(blit);
  blit.destination = {2, 0, 2, 2};
  blit.source = {2, 0, -2, 2};  // mirrored
  blit.depth = true;
  frame.commands.emplace_back(blit);
  const GlLayer layer = draw(frame);
  EXPECT_EQ(pixel(layer, 1, 3), kRed);
  EXPECT_EQ(pixel(layer, 2, 3), 0u);
  EXPECT_EQ(pixel(layer, 2, 0), 0u);
  EXPECT_EQ(pixel(layer, 3, 0), kRed);
  EXPECT_EQ(depth(layer, 1, 3), 1.0f);
  EXPECT_FLOAT_EQ(depth(layer, 3, 0), 0.25f);
}

TEST_F(GlTest, ViewsGoToTheirLayers) {
  Frame frame = make_frame(4, 4, 3);
  for (size_t v = 0; v < 3; ++v) frame.views[v].view_projection[3].x = float(v) - 1;  // shifted by half a target
  add_draw(frame, quad(-1, -1, 1, 1), {1, 0, 0, 1}).view_count = 3;
  add_draw(frame, quad(-0.5f, -1, 0, 1, -0.5f), {0, 1, 0, 1}).view_count = 3;
  renderer->prepare(frame);
  renderer->draw({});
  const uint32_t expected[3][4] = {{kGreen, kRed, 0, 0}, {kRed, kGreen, kRed, kRed}, {0, 0, kRed, kGreen}};
  for (uint32_t l = 0; l < 3; ++l) {
    const GlLayer layer = renderer->read(0, l);
    // View 0 shifts by -1: the green strip [-0.5, 0] becomes [-1.5, -1], which is outside.
    for (int x = 0; x < 4; ++x) EXPECT_EQ(pixel(layer, x, 1), l == 0 && x == 0 ? kRed : expected[l][x]) << l << x;
  }
}

TEST_F(GlTest, ThousandsOfLayersAreSplitOverTextures) {
  constexpr int kLayers = 3000;
  Frame frame = make_frame(2, 2, kLayers);
  add_clear(frame, {0, 0, 0, 1});
  add_draw(frame, quad(-1, -1, 1, 1), {1, 0, 0, 1});
  std::get<DrawCommand>(frame.commands.back()).first_view = kLayers - 1;
  renderer->prepare(frame);
  renderer->draw({});
  EXPECT_EQ(pixel(renderer->read(0, 0), 0, 0), kBlack);
  EXPECT_EQ(pixel(renderer->read(0, kLayers - 2), 1, 1), kBlack);
  EXPECT_EQ(pixel(renderer->read(0, kLayers - 1), 1, 1), kRed);
}

TEST_F(GlTest, SrgbTargetsEncodeAndFloatTargetsKeep) {
  Frame frame = make_frame(2, 2, 1, ColorFormat::rgba8_srgb);
  add_draw(frame, quad(-1, -1, 1, 1), {0.5f, 0, 0, 0.5f});
  const uint32_t value = pixel(draw(frame), 0, 0);
  EXPECT_NEAR(int(value & 255), 188, 1);  // 0.5 linear; Mesa approximates the curve
  EXPECT_EQ(value >> 24, 128u);           // alpha stays linear

  Frame high = make_frame(2, 2, 1, ColorFormat::rgba16f);
  add_draw(high, quad(-1, -1, 1, 1), {3.5f, 0.25f, 0, 1});
  const GlLayer layer = draw(high);
  ASSERT_EQ(layer.color_float.size(), 16u);
  EXPECT_EQ(layer.color_float[0], 3.5f);
  EXPECT_EQ(layer.color_float[1], 0.25f);
}

TEST_F(GlTest, StripsRestartAndInstancesAdvance) {
  Frame frame = make_frame(8, 8);
  // Two instances with their own positions: quarter quads at the bottom left and the bottom right, each half as a
  // strip.
  for (float shift : {0.0f, 1.0f})
    for (glm::vec2 p : {glm::vec2(-1, -1), {-0.5f, -1}, {-1, 0}, {-0.5f, 0}})
      frame.positions.emplace_back(p.x + shift, p.y, 0, 1);
  frame.indices = {0, 1, 2, ~0u, 2, 1, 3};
  frame.materials.emplace_back();
  DrawCommand draw_command;
  draw_command.topology = Topology::triangle_strip;
  draw_command.indexed = draw_command.restart = true;
  draw_command.element_count = 7;
  draw_command.vertex_count = 4;
  draw_command.instances = 2;
  frame.commands.emplace_back(draw_command);
  const GlLayer layer = draw(frame, {GlShading::flat, {}});
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) EXPECT_EQ(pixel(layer, x, y) != 0, y < 4 && (x % 4) < 2) << x << "," << y;
}

TEST_F(GlTest, CullsByFaceAndScissors) {
  Frame frame = make_frame(4, 4);
  frame.states[0].cull = CullMode::back;
  frame.states[0].scissor = Rect{1, 1, 2, 2};
  add_draw(frame, quad(-1, -1, 1, 1), {1, 0, 0, 1});
  std::vector<glm::vec4> reversed = quad(-1, -1, 1, 1, -0.5f);
  std::reverse(reversed.begin(), reversed.end());
  add_draw(frame, reversed, {0, 1, 0, 1});
  const GlLayer layer = draw(frame);
  EXPECT_EQ(pixel(layer, 1, 1), kRed);
  EXPECT_EQ(pixel(layer, 0, 0), 0u);
  EXPECT_EQ(pixel(layer, 3, 2), 0u);
}

TEST_F(GlTest, ConventionFlags) {
  Frame frame = make_frame(4, 4);
  DrawCommand& upper = add_draw(frame, quad(-1, 0, 1, 1, 0.25f), {1, 0, 0, 1});
  upper.flags = kOriginUpperLeft | kZeroToOne;
  GlLayer layer = draw(frame);
  EXPECT_EQ(pixel(layer, 0, 0), kRed);
  EXPECT_EQ(pixel(layer, 0, 3), 0u);
  EXPECT_FLOAT_EQ(depth(layer, 0, 0), 0.25f);

  Frame clamped = make_frame(4, 4);
  add_draw(clamped, quad(-1, -1, 1, 1, -3.0f)).flags = kDepthClamp;
  add_draw(clamped, quad(-1, -1, 1, 1, -2.0f));
  layer = draw(clamped);
  EXPECT_EQ(depth(layer, 2, 2), 0.0f);
}

TEST_F(GlTest, AlphaTestAndCutoffDiscard) {
  Frame frame = make_frame(2, 2);
  frame.states.push_back(frame.states[0]);
  frame.states[1].alpha_test = AlphaTest{CompareFunc::greater, 0.5f};
  add_draw(frame, quad(-1, -1, 1, 1), {1, 0, 0, 0.5f}).state = 1;
  EXPECT_EQ(depth(draw(frame), 0, 0), 1.0f);
  frame.states[1].alpha_test->func = CompareFunc::gequal;
  EXPECT_EQ(depth(draw(frame), 0, 0), 0.5f);
  frame.materials.back().alpha_cutoff = 0.6f;
  EXPECT_EQ(depth(draw(frame), 0, 0), 1.0f);
}

TEST_F(GlTest, LightsBlinnPhong) {
  Frame frame = make_frame(2, 2);
  frame.light_direction = glm::vec3(0, 0, 1);
  frame.views[0].eye = glm::vec3(0, 0, 1000);
  frame.views[0].view_projection = glm::mat4(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1);
  add_draw(frame, quad(-1, -1, 1, 1));
  frame.normals.assign(6, glm::vec3(0, 0, -2));  // facing away: lit as its other side
  Material& material = frame.materials[0];
  material.ambient = glm::vec3(0.4f, 0, 0);
  material.diffuse = glm::vec3(0.2f, 0.6f, 0);
  material.specular = glm::vec3(0, 0, 0.5f);
  material.emission = glm::vec3(0.1f, 0, 0);
  material.shininess = 4;
  const uint32_t value = pixel(draw(frame), 0, 0);
  EXPECT_NEAR(int(value & 255), int(std::lround((0.1 + 0.2 * (0.4 * 0.25 + 1)) * 255)), 1);
  EXPECT_NEAR(int(value >> 8 & 255), int(std::lround(0.6 * 255)), 1);
  EXPECT_NEAR(int(value >> 16 & 255), int(std::lround(0.5 * 255)), 1);
}

TEST_F(GlTest, SamplesTexturesDecodingSrgb) {
  Frame frame = make_frame(2, 2);
  Texture texture;
  texture.width = texture.height = 1;
  texture.texels = {0x800000bc};  // red 188, alpha 128
  frame.textures.push_back(texture);
  add_draw(frame, quad(-1, -1, 1, 1));
  frame.texcoords.assign(6, glm::vec2(0.5f));
  frame.normals.assign(6, glm::vec3(0, 0, 1));
  Material& material = frame.materials[0];
  material.emission = glm::vec3(0.0f);
  material.ambient = glm::vec3(4.0f);  // a quarter of it counts: albedo itself
  material.diffuse = glm::vec3(1.0f);
  frame.light_direction = glm::vec3(0, 0, -1);  // from behind
  material.diffuse_texture = 0;
  EXPECT_NEAR(int(pixel(draw(frame), 0, 0) & 255), 128, 1);
  EXPECT_NEAR(int(pixel(draw(frame), 0, 0) >> 24), 128, 1);
}

TEST_F(GlTest, CommandLimitStopsEarlyAndSamplesAreCounted) {
  Frame frame = make_frame(4, 4);
  add_draw(frame, quad(-1, -1, 1, 1), {1, 0, 0, 1});
  add_draw(frame, quad(-1, -1, 0, 1, -0.5f), {0, 1, 0, 1});
  EXPECT_EQ(pixel(draw(frame, {GlShading::material, 1u}), 0, 0), kRed);
  EXPECT_EQ(renderer->count_samples({}), 24u);
  EXPECT_EQ(pixel(renderer->read(0), 0, 0), kGreen);
}

TEST_F(GlTest, RejectsInvalidFrames) {
  Frame frame = make_frame(4, 4);
  add_draw(frame, quad(-1, -1, 1, 1)).state = 9;
  EXPECT_THROW(renderer->prepare(frame), std::runtime_error);
}

TEST(EglContext, NamesADeviceThatIsNotThere) {
  if (!shared_context().context) GTEST_SKIP() << shared_context().error;
  try {
    EglContext context("99");
    FAIL() << "device 99 exists?";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("99"), std::string::npos);
  }
}

}  // namespace
}  // namespace brokkr::test
