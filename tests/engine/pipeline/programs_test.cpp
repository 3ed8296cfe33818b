// Draws of captured frames with their own fragment programs: inputs, effects of outputs, and the same bits under every
// setting.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "pictures.h"
#include "program_frame.h"
#include "settings.h"
#include "shader/compiled.h"

namespace brokkr {
namespace {

using test::channel;
using test::draw_with_programs;
using test::pixel;
using test::ProgramFrame;
using test::ProgramVertex;
using test::rectangle;
using test::varying;

float depth_at(const Layer& layer, int x, int y) { return layer.depth[size_t(y) * size_t(layer.width) + size_t(x)]; }

class ProgramDraws : public test::ProgramTest {};

TEST_F(ProgramDraws, ReadTheSamplesPlaceAndFace) {
  ProgramFrame f(16, 16);
  const uint32_t program = f.program(
      "out vec4 color0;\n"
      "void main() { color0 = vec4(gl_FragCoord.xy / 16.0, gl_FragCoord.z, gl_FrontFacing ? 1.0 : 0.5); }\n",
      {});
  State state = f.default_state();
  f.draw_with(program, state, rectangle(0, 0, 8, 16, 0.5));
  std::vector<ProgramVertex> back = rectangle(8, 0, 16, 16, -0.5);
  std::swap(back[1], back[2]);
  std::swap(back[4], back[5]);
  f.draw_with(program, state, back);
  const Layer layer = draw_with_programs(f.frame);
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 16; ++x) {
      EXPECT_NEAR(channel(layer, x, y, 0), 255 * (x + 0.5) / 16, 0.6);
      EXPECT_NEAR(channel(layer, x, y, 1), 255 * (y + 0.5) / 16, 0.6);
      EXPECT_NEAR(channel(layer, x, y, 2), x < 8 ? 255 * 0.75 : 255 * 0.25, 0.6);
      EXPECT_NEAR(channel(layer, x, y, 3), x < 8 ? 255 : 128, 0.6);
    }
  }
}

TEST_F(ProgramDraws, InterpolateAsDeclared) {
  ProgramFrame f(32, 32);
  const uint32_t program = f.program(
      "in float smooth_one; noperspective in float linear; flat in int number;\n"
      "out vec4 color0;\n"
      "void main() { color0 = vec4(smooth_one, linear, float(number) / 255.0, 1.0); }\n",
      {varying("smooth_one", ShaderType::f32, 0), varying("linear", ShaderType::f32, 1, Interpolation::noperspective),
       varying("number", ShaderType::i32, 2, Interpolation::flat)});
  const auto at = [](double x, double y, double w, float value, int number) {
    return ProgramVertex{x, y, 0, w, {value, value, std::bit_cast<float>(number)}};
  };
  // From 0 on the left at distance 1 to 1 on the right at distance 4.
  const std::vector<ProgramVertex> corners = {at(0, 0, 1, 0, 10), at(32, 0, 4, 1, 20),  at(32, 32, 4, 1, 30),
                                              at(0, 0, 1, 0, 40), at(32, 32, 4, 1, 50), at(0, 32, 1, 0, 60)};
  for (const bool first : {false, true}) {
    ProgramFrame g = f;
    g.draw_with(program, f.default_state(), corners).flags = first ? uint32_t(kProvokingFirst) : 0u;
    const Layer layer = draw_with_programs(g.frame);
    for (int x = 0; x < 32; ++x) {
      const double t = (x + 0.5) / 32, smooth = t / 4 / ((1 - t) + t / 4);
      EXPECT_NEAR(channel(layer, x, 16, 0), 255 * smooth, 0.6) << x;
      EXPECT_NEAR(channel(layer, x, 16, 1), 255 * t, 0.6) << x;
    }
    EXPECT_EQ(channel(layer, 30, 2, 2), first ? 10 : 30);
    EXPECT_EQ(channel(layer, 2, 30, 2), first ? 40 : 60);
  }
}

// Sums of weights are not exactly 1, which must not show: programs compare such values, or look up texels by them.
TEST_F(ProgramDraws, AVaryingThatCornersShareIsTheSameEverywhere) {
  for (const bool has_linear : {false, true}) {
    ProgramFrame f(32, 32);
    std::vector<ProgramVarying> varyings = {varying("smooth_one", ShaderType::f32, 0)};
    if (has_linear) varyings.push_back(varying("linear", ShaderType::f32, 1, Interpolation::noperspective));
    const std::string linear = has_linear ? "linear" : "0.3";
    const std::string declared =
        has_linear ? "in float smooth_one; noperspective in float linear;" : "in float smooth_one;";
    const uint32_t program = f.program(declared + "\nout vec4 color0; void main() { color0 = vec4(smooth_one == 0.7, " +
                                           linear + " == 0.3, 0.0, 1.0); }\n",
                                       varyings);
    const auto at = [&](double x, double y, double w) {
      return ProgramVertex{x, y, 0, w, has_linear ? std::vector<float>{0.7f, 0.3f} : std::vector<float>{0.7f}};
    };
    f.draw_with(program, f.default_state(),
                {at(0, 0, 1), at(29, 0, 3.7), at(32, 32, 4.9), at(0, 0, 1.3), at(32, 32, 4.1), at(0, 32, 1.1)});
    const Layer layer = draw_with_programs(f.frame);
    for (int y = 0; y < 32; ++y) {
      for (int x = 0; x < 29; ++x) EXPECT_EQ(pixel(layer, x, y), glm::ivec4(255, 255, 0, 255)) << x << ' ' << y;
    }
  }
}

// The provoking vertex of strips and fans, whose corners rotate.
TEST_F(ProgramDraws, FlatVaryingsOfStripsAndFans) {
  ProgramFrame f(16, 16);
  const uint32_t program =
      f.program("flat in float number; out vec4 color0; void main() { color0 = vec4(number / 255.0); }\n",
                {varying("number", ShaderType::f32, 0, Interpolation::flat)});
  const std::vector<ProgramVertex> strip = {
      {0, 0, 0, 1, {10}}, {0, 16, 0, 1, {20}}, {16, 0, 0, 1, {30}}, {16, 16, 0, 1, {40}}};
  const std::vector<ProgramVertex> fan = {
      {0, 0, 0, 1, {10}}, {16, 0, 0, 1, {20}}, {16, 16, 0, 1, {30}}, {0, 16, 0, 1, {40}}};
  const auto value = [&](const std::vector<ProgramVertex>& corners, Topology topology, bool first, int x, int y) {
    ProgramFrame g = f;
    g.draw_with(program, f.default_state(), corners, {}, {}, topology).flags = first ? uint32_t(kProvokingFirst) : 0u;
    return channel(draw_with_programs(g.frame), x, y, 0);
  };
  EXPECT_EQ(value(strip, Topology::triangle_strip, false, 2, 2), 30);
  EXPECT_EQ(value(strip, Topology::triangle_strip, false, 13, 13), 40);
  EXPECT_EQ(value(strip, Topology::triangle_strip, true, 2, 2), 10);
  EXPECT_EQ(value(strip, Topology::triangle_strip, true, 13, 13), 20);
  EXPECT_EQ(value(fan, Topology::triangle_fan, false, 13, 2), 30);
  EXPECT_EQ(value(fan, Topology::triangle_fan, false, 2, 13), 40);
  EXPECT_EQ(value(fan, Topology::triangle_fan, true, 13, 2), 20);
  EXPECT_EQ(value(fan, Topology::triangle_fan, true, 2, 13), 30);
}

constexpr const char* kPlain = "uniform vec4 tint; out vec4 color0; void main() { color0 = tint; }\n";
const std::vector<ProgramUniform> kTint = {{"tint"}};
std::vector<uint32_t> words(std::initializer_list<float> values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

TEST_F(ProgramDraws, DiscardedSamplesLeaveEverythingAsItWas) {
  ProgramFrame f(16, 16);
  const uint32_t holes = f.program(
      "out vec4 color0;\n"
      "void main() { if (int(gl_FragCoord.x) % 2 == 1) discard; color0 = vec4(1.0, 0.0, 0.0, 1.0); }\n",
      {});
  State state = f.default_state();
  state.stencil = StencilState{};
  state.stencil->pass = StencilOp::increment;
  f.draw_with(holes, state, rectangle(0, 0, 16, 16, -0.5));
  const Layer layer = draw_with_programs(f.frame);
  for (int x = 0; x < 16; ++x) {
    EXPECT_EQ(channel(layer, x, 5, 0), x % 2 == 0 ? 255 : 0);
    EXPECT_EQ(depth_at(layer, x, 5), x % 2 == 0 ? 0.25f : 1.0f);
    EXPECT_EQ(layer.stencil[size_t(5 * 16 + x)], x % 2 == 0 ? 1 : 0);
  }
}

// If a failed test changes the stencil, discarded samples must not count, so the program comes first.
TEST_F(ProgramDraws, DiscardComesBeforeAStencilThatCountsFailures) {
  for (const bool depth_fails : {true, false}) {
    ProgramFrame f(16, 16);
    const uint32_t holes = f.program(
        "out vec4 color0;\n"
        "void main() { if (int(gl_FragCoord.x) % 2 == 1) discard; color0 = vec4(1.0); }\n",
        {});
    State state = f.default_state();
    state.stencil = StencilState{};
    if (depth_fails) {
      state.depth.func = CompareFunc::never;
      state.stencil->depth_fail = StencilOp::increment;
    } else {
      state.stencil->func = CompareFunc::never;
      state.stencil->stencil_fail = StencilOp::increment;
    }
    f.draw_with(holes, state, rectangle(0, 0, 16, 16));
    const Layer layer = draw_with_programs(f.frame);
    for (int x = 0; x < 16; ++x)
      EXPECT_EQ(layer.stencil[size_t(7 * 16 + x)], x % 2 == 0 ? 1 : 0) << (depth_fails ? "depth" : "stencil");
  }
}

TEST_F(ProgramDraws, AlphaIsTestedAfterTheProgram) {
  ProgramFrame f(16, 16);
  const uint32_t ramp =
      f.program("out vec4 color0; void main() { color0 = vec4(1.0, 1.0, 1.0, gl_FragCoord.x / 16.0); }\n", {});
  State state = f.default_state();
  state.alpha_test = AlphaTest{CompareFunc::greater, 0.5f};
  f.draw_with(ramp, state, rectangle(0, 0, 16, 16, -0.5));
  const Layer layer = draw_with_programs(f.frame);
  for (int x = 0; x < 16; ++x) {
    EXPECT_EQ(channel(layer, x, 9, 0), x >= 8 ? 255 : 0);
    EXPECT_EQ(depth_at(layer, x, 9), x >= 8 ? 0.25f : 1.0f);
  }
}

TEST_F(ProgramDraws, DepthOfTheProgramIsTestedAndWritten) {
  ProgramFrame f(16, 16);
  const uint32_t plain = f.program(kPlain, {}, kTint);
  const uint32_t deep = f.program(
      "out vec4 color0; void main() { color0 = vec4(0.0, 1.0, 0.0, 1.0); gl_FragDepth = gl_FragCoord.x / 16.0; }\n",
      {});
  f.draw_with(plain, f.default_state(), rectangle(0, 0, 16, 16, 0), words({1, 0, 0, 1}));
  f.draw_with(deep, f.default_state(), rectangle(0, 0, 16, 16, 0.9));
  const Layer layer = draw_with_programs(f.frame);
  for (int x = 0; x < 16; ++x) {
    const float z = (float(x) + 0.5f) / 16;
    EXPECT_EQ(channel(layer, x, 3, 1), z < 0.5f ? 255 : 0);
    EXPECT_EQ(depth_at(layer, x, 3), std::min(z, 0.5f));
  }
}

// Blended draws test each vector of a tile, before their program or, if it discards, after it. Two triangles cut two of
// the four tiles and cover the others.
TEST_F(ProgramDraws, TestDepthsAsTheirStateSays) {
  const BlendTerm add{BlendFactor::one, BlendFactor::one, BlendEquation::add};
  const CompareFunc funcs[] = {CompareFunc::less, CompareFunc::lequal, CompareFunc::greater};
  for (int i = 0; i < 3 * 4; ++i) {
    const CompareFunc func = funcs[i / 4];
    const bool discards = (i & 1) != 0, writes = (i & 2) != 0;
    SCOPED_TRACE(i);
    ProgramFrame f(16, 16);
    const uint32_t plain = f.program(kPlain, {}, kTint);
    const uint32_t cut = f.program(
        "uniform vec4 tint; out vec4 color0;\n"
        "void main() { if (gl_FragCoord.x > 12.0) discard; color0 = tint; }\n",
        {}, kTint);
    f.draw_with(plain, f.default_state(), rectangle(0, 0, 16, 16), words({0.2f, 0, 0, 1}));
    State state = f.default_state();
    state.buffers = {{0, BlendState{add, add, glm::vec4(0)}, {true, true, true, true}}};
    state.depth.func = func;
    state.depth.write = writes;
    f.draw_with(discards ? cut : plain, state, rectangle(0, 0, 16, 16), words({0, 0.2f, 0, 0}));
    f.draw_with(discards ? cut : plain, state, rectangle(0, 0, 16, 16, -0.5), words({0, 0, 0.2f, 0}));
    const Layer layer = draw_with_programs(f.frame);
    for (int k = 0; k < 16 * 16; ++k) {
      const int x = k % 16, y = k / 16;
      const bool drawn = !discards || x < 12, nearer = drawn && func != CompareFunc::greater;
      const bool as_near = drawn && func == CompareFunc::lequal;
      EXPECT_EQ(pixel(layer, x, y), glm::ivec4(51, as_near ? 51 : 0, nearer ? 51 : 0, 255));
      EXPECT_EQ(depth_at(layer, x, y), nearer && writes ? 0.25f : 0.5f);
    }
  }
}

// Two colours with separate blending and masks; the second is a float.
ProgramFrame many_colors() {
  ProgramFrame f(16, 16);
  f.frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}, {TexelFormat::rgba16f, TexelBase::rgba}};
  std::get<ClearCommand>(f.frame.commands[0]).other_colors = {{TargetPlane::color1, glm::vec4(4, 3, 2, 1)}};
  const uint32_t program = f.program(
      "uniform vec4 tint; out vec4 color0; out vec4 color1;\n"
      "void main() { color0 = tint; color1 = tint * 8.0; }\n",
      {}, kTint, {}, 2);
  State state = f.default_state();
  state.depth.func = CompareFunc::lequal;
  state.buffers = {{0, {}, {true, true, true, true}}, {1, {}, {true, true, true, true}}};
  f.draw_with(program, state, rectangle(0, 0, 8, 16), words({0.2f, 0.4f, 0.6f, 0.5f}));
  const BlendTerm add{BlendFactor::one, BlendFactor::one, BlendEquation::add};
  state.buffers[1].blend = BlendState{add, add, glm::vec4(0)};
  state.buffers[1].color_mask = {true, false, true, true};
  state.buffers[0].color_mask = {false, true, false, false};
  f.draw_with(program, state, rectangle(4, 0, 16, 16), words({0.8f, 1, 0.8f, 0.25f}));
  return f;
}

TEST_F(ProgramDraws, EachColourHasItsOwnBlendingAndMask) {
  const ProgramFrame f = many_colors();
  for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
    const Layer layer = draw_with_programs(f.frame, 0, order);
    ASSERT_EQ(layer.more_colors.size(), 1u);
    const auto other = [&](int x) {
      const float* const p = &layer.more_colors[0][size_t(8 * 16 + x) * 4];
      return glm::vec4(p[0], p[1], p[2], p[3]);
    };
    EXPECT_EQ(pixel(layer, 1, 8), glm::ivec4(51, 102, 153, 128));
    EXPECT_EQ(pixel(layer, 6, 8), glm::ivec4(51, 255, 153, 128));
    EXPECT_EQ(pixel(layer, 12, 8), glm::ivec4(0, 255, 0, 0));
    const auto expect_near = [](const glm::vec4& a, const glm::vec4& b) {
      for (int c = 0; c < 4; ++c) EXPECT_NEAR(a[c], b[c], 0.01);
    };
    expect_near(other(1), {1.6f, 3.2f, 4.8f, 4});
    expect_near(other(6), {8, 3.2f, 11.2f, 6});
    expect_near(other(12), {10.4f, 3, 8.4f, 3});
  }
}

// Formats with more than 8 bits from 0 to 1 are stored as halves, whose range ends elsewhere.
TEST_F(ProgramDraws, NumbersOfTheFirstColourKeepToItsFormat) {
  for (const TexelFormat format : {TexelFormat::rgba16, TexelFormat::rgb10_a2, TexelFormat::rgba16f}) {
    ProgramFrame f(16, 16);
    f.frame.targets[0].colors = {{format, TexelBase::rgba}};
    std::get<ClearCommand>(f.frame.commands[0]).color = glm::vec4(2, -1, 0.5f, 1);
    const uint32_t program = f.program(kPlain, {}, kTint);
    f.draw_with(program, f.default_state(), rectangle(4, 0, 8, 16), words({4, 0.25f, -3, 1}));
    State state = f.default_state();
    const BlendTerm add{BlendFactor::one, BlendFactor::one, BlendEquation::add};
    const BlendTerm subtract{BlendFactor::one, BlendFactor::one, BlendEquation::subtract};
    state.blend = BlendState{add, subtract, glm::vec4(0)};
    f.draw_with(program, state, rectangle(8, 0, 16, 16), words({-0.5f, 2, 0.75f, 0.5f}));
    for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
      const Layer layer = draw_with_programs(f.frame, 0, order);
      const auto expect = [&](int x, glm::vec4 wanted) {
        if (format != TexelFormat::rgba16f) wanted = glm::clamp(wanted, glm::vec4(0), glm::vec4(1));
        for (int c = 0; c < 4; ++c) EXPECT_EQ(layer.color_float[size_t(8 * 16 + x) * 4 + size_t(c)], wanted[c]);
      };
      expect(1, {2, -1, 0.5f, 1});
      expect(6, {4, 0.25f, -3, 1});
      if (format == TexelFormat::rgba16f) expect(12, {1.5f, 1, 1.25f, -0.5f});
      if (format != TexelFormat::rgba16f) expect(12, {1, 1, 1, 0});
    }
  }
}

TEST_F(ProgramDraws, ColoursWithoutAlphaCountAsOpaqueInBlending) {
  for (const TexelBase base : {TexelBase::rgba, TexelBase::rgb}) {
    ProgramFrame f(16, 16);
    f.frame.targets[0].colors = {{TexelFormat::rgba8, base}};
    std::get<ClearCommand>(f.frame.commands[0]).color = glm::vec4(0, 0.4f, 0, 0.2f);
    const uint32_t program = f.program(kPlain, {}, kTint);
    State state = f.default_state();
    const BlendTerm under{BlendFactor::dst_alpha, BlendFactor::one_minus_dst_alpha, BlendEquation::add};
    state.blend = BlendState{under, under, glm::vec4(0)};
    f.draw_with(program, state, rectangle(0, 0, 16, 16), words({1, 0, 0, 1}));
    const glm::ivec4 shown = pixel(draw_with_programs(f.frame), 8, 8);
    EXPECT_EQ(glm::ivec3(shown), base == TexelBase::rgb ? glm::ivec3(255, 0, 0) : glm::ivec3(51, 82, 0));
  }
}

// A separate target, whose colour and depth a second draw reads.
ProgramFrame two_passes() {
  ProgramFrame f(32, 32);
  Target other{1, 16, 16, 1, ColorFormat::rgba8};
  other.colors = {{TexelFormat::rgba8, TexelBase::rgba}};
  f.frame.targets.push_back(other);
  f.frame.views.push_back({1, 0});
  f.add(ClearCommand{1, glm::vec4(0, 0, 1, 1), 1.0f, {}, {}});
  const uint32_t slope = f.program(
      "in float height; out vec4 color0; void main() { color0 = vec4(gl_FragCoord.xy / 16.0, height, 1.0); }\n",
      {varying("height", ShaderType::f32, 0)});
  State state = f.default_state();
  state.viewport = {0, 0, 16, 16};
  f.draw_with(slope, state, rectangle(4, 4, 12, 12, -0.5, {0.5f}), {}, {}, Topology::triangles, 1);
  CapturedTexture color;
  color.width = color.height = 16;
  color.images = {{0, 0, 1, TargetPlane::color0}};
  CapturedTexture depth = color;
  depth.format = TexelFormat::depth32f;
  depth.base = TexelBase::depth;
  depth.images = {{0, 0, 1, TargetPlane::depth}};
  f.frame.captured_textures = {color, depth};
  CapturedSampler nearest;
  nearest.magnify_linear = nearest.minify_linear = false;
  nearest.mip = MipFilter::none;
  nearest.wrap = {TextureWrap::clamp_to_edge, TextureWrap::clamp_to_edge, TextureWrap::clamp_to_edge};
  CapturedSampler compares = nearest;
  compares.compare = CompareFunc::lequal;
  f.frame.captured_samplers = {nearest, compares};
  ProgramSampler picture{"picture"}, shadows{"shadows"};
  shadows.shadow = true;
  const uint32_t show = f.program(
      "uniform sampler2D picture; uniform sampler2DShadow shadows; out vec4 color0;\n"
      "void main() {\n"
      "  vec2 uv = gl_FragCoord.xy / 32.0;\n"
      "  color0 = vec4(texture(picture, uv).rgb, texture(shadows, vec3(uv, 0.5)));\n"
      "}\n",
      {}, {}, {picture, shadows});
  f.draw_with(show, f.default_state(), rectangle(0, 0, 32, 32), {}, {{0, 0}, {1, 1}});
  return f;
}

TEST_F(ProgramDraws, ReadWhatTheFrameHasDrawn) {
  const Layer layer = draw_with_programs(two_passes().frame);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 32; ++x) {
      const int u = x / 2, v = y / 2;
      const bool drawn = u >= 4 && u < 12 && v >= 4 && v < 12;
      EXPECT_NEAR(channel(layer, x, y, 0), drawn ? 255 * (u + 0.5) / 16 : 0, 0.6) << x << ", " << y;
      EXPECT_NEAR(channel(layer, x, y, 1), drawn ? 255 * (v + 0.5) / 16 : 0, 0.6);
      EXPECT_EQ(channel(layer, x, y, 2), drawn ? 128 : 255);
      EXPECT_EQ(channel(layer, x, y, 3), drawn ? 0 : 255) << "0.5 lies behind what was drawn at 0.25";
    }
  }
}

// One texture of the file represents the plane wherever it is read.
TEST_F(ProgramDraws, ReadWhatWasDrawnSince) {
  ProgramFrame f = two_passes();
  constexpr uint32_t kSlope = 0, kShow = 1;
  State state = f.default_state();
  state.viewport = {0, 0, 16, 16};
  f.draw_with(kSlope, state, rectangle(4, 4, 12, 12, -0.75, {1.0f}), {}, {}, Topology::triangles, 1);
  f.draw_with(kShow, f.default_state(), rectangle(0, 0, 16, 32, -0.5), {}, {{0, 0}, {1, 1}});
  const Layer layer = draw_with_programs(f.frame);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 32; ++x) {
      const int u = x / 2, v = y / 2;
      const bool drawn = u >= 4 && u < 12 && v >= 4 && v < 12;
      EXPECT_EQ(channel(layer, x, y, 2), !drawn || x < 16 ? 255 : 128) << x << ", " << y;
      EXPECT_NEAR(channel(layer, x, y, 0), drawn ? 255 * (u + 0.5) / 16 : 0, 0.6);
    }
  }
}

// Engines bind a shadow map to draws that fill it. These need no copy of it: they write no colours.
TEST_F(ProgramDraws, PlanesAreCopiedForDrawsThatReadThem) {
  const auto phases = [](bool binds, bool writes) {
    ProgramFrame f = two_passes();
    constexpr uint32_t kShow = 1;
    State state = f.default_state();
    state.viewport = {0, 0, 16, 16};
    state.color_mask = {writes, writes, writes, writes};
    for (int i = 0; i < 3; ++i) {
      const std::vector<BoundTexture> none = {{-1, -1}, {-1, -1}}, planes = {{0, 0}, {1, 1}};
      f.draw_with(kShow, state, rectangle(4, 4, 12, 12, -0.75), {}, binds ? planes : none, Topology::triangles, 1);
    }
    f.draw_with(kShow, f.default_state(), rectangle(0, 0, 16, 32, -0.5), {}, {{0, 0}, {1, 1}});
    RenderOptions options;
    options.machine = MachineKind::cpu;
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(f.frame);
    return test::render_to_end(renderer, prepared, options).statistics.phases;
  };
  EXPECT_EQ(phases(true, false), phases(false, false));
  EXPECT_GT(phases(true, true), phases(false, true));
}

TEST_F(ProgramDraws, AProgramThatCannotRunIsShownInFalseColours) {
  ProgramFrame f(16, 16);
  const uint32_t broken = f.program("out vec4 color0; void main() { color0 = nonsense; }\n", {});
  f.draw_with(broken, f.default_state(), rectangle(0, 0, 16, 16));
  RenderOptions options;
  options.machine = MachineKind::cpu;
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(f.frame);
  const RenderResult shown = test::render_to_end(renderer, prepared, options);
  EXPECT_EQ(shown.statistics.false_color_draws, 1u);
  EXPECT_EQ(shown.statistics.program_draws, 0u);
  ASSERT_EQ(shown.statistics.false_colors.size(), 1u);
  EXPECT_NE(shown.statistics.false_colors[0].find("nonsense"), std::string::npos) << shown.statistics.false_colors[0];
  options.shading = Shading::material;
  const RenderResult lit = test::render_to_end(renderer, prepared, options);
  EXPECT_EQ(shown.targets[0].layers[0].color, lit.targets[0].layers[0].color);
  EXPECT_NE(lit.targets[0].layers[0].color[0], 0u);
}

// Triangles of many draws over two targets: order-free, discarding and blended ones, depths of programs, derivatives,
// and textures from earlier draws. With one colour, compiled programs blend it themselves in common ways.
class Mixture {
 public:
  explicit Mixture(uint32_t seed, bool one_color = false)
      : random_(seed), f_(one_color ? ProgramFrame(70, 53) : many_colors()), one_color_(one_color) {
    Target& target = f_.frame.targets[0];
    target.width = 70;
    target.height = 53;
    f_.frame.window_width = 70;
    f_.frame.window_height = 53;
    f_.frame.commands.resize(1);
    f_.frame.targets.push_back({1, 33, 21, 1, ColorFormat::rgba8});
    f_.frame.targets[1].colors = {{TexelFormat::rgba8, TexelBase::rgba}};
    f_.frame.views.push_back({1, 0});
    f_.add(ClearCommand{1, glm::vec4(0.3f, 0, 0.6f, 1), 1.0f, uint8_t(0), {}});
    add_programs();
    add_textures();
    for (int i = 0; i < 4; ++i) add_draw(1, i);
    for (int i = 0; i < 24; ++i) add_draw(0, i);
  }
  const Frame& frame() const { return f_.frame; }

 private:
  float number(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_); }
  int choice(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  void add_program(const std::string& body) {
    const std::vector<ProgramVarying> varyings = {varying("tint", ShaderType::vec4, 0),
                                                  varying("uv", ShaderType::vec2, 4),
                                                  varying("level", ShaderType::f32, 6, Interpolation::noperspective),
                                                  varying("number", ShaderType::i32, 7, Interpolation::flat)};
    programs_.push_back(f_.program(
        "in vec4 tint; in vec2 uv; noperspective in float level; flat in int number;\n" +
            std::string(one_color_ ? "vec4 color1;" : "out vec4 color1;") +
            "uniform vec4 scale; uniform sampler2D picture; out vec4 color0;\n"
            "vec4 base() { return tint * scale + texture(picture, uv) * 0.5 + vec4(level, 0.0, float(number & "
            "7) * 0.1, 0.0); }\n"
            "void main() { vec4 c = base();\n" +
            body + "\n}\n",
        varyings, {{"scale"}}, {ProgramSampler{"picture"}}, one_color_ ? 1 : 2));
  }
  void add_programs() {
    add_program("color0 = c; color1 = c * 3.0;");
    add_program("color0 = c + dFdx(uv.x) * 4.0 + abs(dFdy(c)); color1 = vec4(gl_FragCoord.zw, gl_FragCoord.xy);");
    add_program("if (fract(uv.x * 3.0) < 0.4) discard; color0 = c; color1 = -c;");
    add_program(
        "color0 = gl_FrontFacing ? c : c.bgra; color1 = c; gl_FragDepth = fract(gl_FragCoord.z + 0.25 * level);");
    add_program(
        "vec4 s = vec4(0.0); for (int i = 0; i < (number & 3); ++i) s += texture(picture, uv + float(i) * 0.1);\n"
        "color0 = s + c * 0.25; color1 = s;");
  }
  void add_textures() {
    CapturedTexture noise;
    noise.width = 8;
    noise.height = 4;
    noise.stored = true;
    noise.first_byte = f_.frame.texture_data.size();
    for (int i = 0; i < 8 * 4 * 4; ++i) f_.frame.texture_data.push_back(std::byte(choice(256)));
    CapturedTexture drawn;
    drawn.width = 33;
    drawn.height = 21;
    drawn.images = {{0, 0, 1, TargetPlane::color0}};
    f_.frame.captured_textures = {noise, drawn};
    CapturedSampler linear;
    linear.mip = MipFilter::none;
    f_.frame.captured_samplers = {linear};
  }
  State state_of(uint32_t target) {
    State state = f_.default_state();
    const Target& t = f_.frame.targets[target];
    state.viewport = {0, 0, float(t.width), float(t.height)};
    const CompareFunc funcs[] = {CompareFunc::less, CompareFunc::lequal, CompareFunc::less, CompareFunc::gequal};
    state.depth.func = funcs[choice(4)];
    state.buffers = {{0, {}, {true, true, true, true}}};
    if (one_color_) {
      using enum BlendFactor;
      const BlendTerm over{src_alpha, one_minus_src_alpha, BlendEquation::add};
      const BlendTerm premultiplied{one, one_minus_src_alpha, BlendEquation::add};
      const BlendTerm light{src_alpha, one, BlendEquation::add}, filter{dst_color, zero, BlendEquation::add};
      const std::pair<BlendTerm, BlendTerm> ways[] = {
          {over, over},   {over, premultiplied}, {premultiplied, premultiplied},
          {light, light}, {filter, filter},      {filter, premultiplied}};
      const int way = choice(int(std::size(ways)) + 1);
      if (way > 0) state.buffers[0].blend = BlendState{ways[way - 1].first, ways[way - 1].second, glm::vec4(0)};
      for (bool& is_written : state.buffers[0].color_mask) is_written = choice(8) > 0;
      if (choice(3) == 0) state.depth.test = false;
    }
    if (target == 0 && !one_color_ && choice(3) > 0)
      state.buffers.push_back({1, {}, {true, true, choice(4) > 0, true}});
    const BlendTerm over{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
    if (!one_color_ && choice(4) == 0)
      state.buffers[size_t(choice(int(state.buffers.size())))].blend = BlendState{over, over, glm::vec4(0)};
    if (choice(5) == 0) state.alpha_test = AlphaTest{CompareFunc::gequal, 0.6f};
    if (choice(6) == 0) {
      state.stencil = StencilState{};
      state.stencil->func = CompareFunc::gequal;
      state.stencil->ref = uint8_t(choice(3));
      state.stencil->pass = StencilOp::increment;
      state.stencil->depth_fail = choice(2) == 0 ? StencilOp::keep : StencilOp::increment;
    }
    return state;
  }
  void add_draw(uint32_t target, int which) {
    const Target& t = f_.frame.targets[target];
    std::vector<ProgramVertex> vertices;
    const bool small = choice(3) == 0;
    const int triangles = small ? 40 : 3;
    for (int i = 0; i < triangles; ++i) {
      const float x = number(0, float(t.width)), y = number(0, float(t.height)), size = small ? 6.0f : 50.0f;
      const int flat = choice(1000);
      for (int k = 0; k < 3; ++k) {
        ProgramVertex v;
        v.x = double(x + number(-size, size));
        v.y = double(y + number(-size, size));
        v.z = double(number(-1, 1));
        v.w = double(number(0.5f, 4));
        for (int c = 0; c < 7; ++c) v.varyings.push_back(number(-0.2f, 1.2f));
        v.varyings.push_back(std::bit_cast<float>(flat + k));
        vertices.push_back(std::move(v));
      }
    }
    const int32_t texture = target == 1 ? 0 : choice(2);
    const uint32_t program = programs_[size_t(which < int(programs_.size()) ? which : choice(int(programs_.size())))];
    f_.draw_with(program, state_of(target), vertices, words({number(0, 1), number(0, 1), number(0, 1), number(0, 1)}),
                 {{texture, 0}}, Topology::triangles, target);
  }

  std::mt19937 random_;
  ProgramFrame f_;
  bool one_color_;
  std::vector<uint32_t> programs_;
};

void expect_same_under(const Frame& frame, const std::vector<Setting>& settings) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  std::vector<TargetImage> first;
  for (const Setting& setting : settings) {
    SCOPED_TRACE(setting.name);
    RenderOptions options = setting.options;
    options.shading = Shading::program;
    RenderResult result = test::render_to_end(renderer, prepared, options);
    ASSERT_FALSE(result.aborted);
    ASSERT_EQ(result.statistics.false_color_draws, 0u) << result.statistics.false_colors[0];
    if (first.empty()) {
      EXPECT_GT(result.statistics.ordered_phases, 0u);
      EXPECT_GT(result.statistics.phases, result.statistics.ordered_phases + 3) << "order-free draws are among them";
      EXPECT_GT(result.statistics.fragments_shaded, 5000u);
      first = std::move(result.targets);
    } else {
      test::expect_same_pictures(first, result.targets);
    }
    if (testing::Test::HasFailure()) return;
  }
}

// A varying that is 1 at all vertices of a program's draws is a constant. Another draw of the program may have others.
TEST_F(ProgramDraws, VaryingsThatAreOneEverywhereAreConstants) {
  for (const bool has_other : {false, true}) {
    ProgramFrame f(16, 16);
    const uint32_t program = f.program("in vec4 tint; out vec4 color0; void main() { color0 = tint / tint.w; }\n",
                                       {varying("tint", ShaderType::vec4, 0)});
    f.draw_with(program, f.default_state(), rectangle(0, 0, 8, 16, 0, {0.2f, 0.4f, 0.6f, 1}));
    if (has_other) f.draw_with(program, f.default_state(), rectangle(8, 0, 16, 16, 0, {0.2f, 0.1f, 0, 0.5f}));
    const Layer layer = draw_with_programs(f.frame);
    EXPECT_EQ(pixel(layer, 4, 8), glm::ivec4(51, 102, 153, 255));
    if (has_other) EXPECT_EQ(pixel(layer, 12, 8), glm::ivec4(102, 51, 0, 255));
  }
}

TEST_F(ProgramDraws, GiveTheSameBitsUnderEverySetting) {
  for (int seed = 0; seed < seeds_or(1); ++seed) expect_same_under(Mixture(uint32_t(seed)).frame(), all_settings());
}

TEST_F(ProgramDraws, GiveTheSameBitsForManyFrames) {
  for (int seed = 0; seed < seeds_or(6); ++seed) {
    SCOPED_TRACE(seed);
    expect_same_under(Mixture(uint32_t(100 + seed), seed % 2 == 1).frame(), some_settings());
    if (HasFailure()) return;
  }
}

TEST_F(ProgramDraws, GiveTheSameBitsCompiled) {
  if (shader::find_compiler().empty()) GTEST_SKIP() << "there is no C++ compiler";
  std::string cache = (std::filesystem::temp_directory_path() / "brokkr-cache-XXXXXX").string();
  ASSERT_NE(mkdtemp(cache.data()), nullptr);
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  RenderOptions interpreted;
  interpreted.machine = MachineKind::cpu;
  interpreted.shaders = ShaderCode::interpreted;
  RenderOptions compiled = interpreted;
  compiled.shaders = ShaderCode::compiled;
  for (const bool one_color : {false, true})
    expect_same_under(Mixture(200, one_color).frame(), {{"interpreted", interpreted}, {"compiled", compiled}});
  unsetenv("XDG_CACHE_HOME");
  std::filesystem::remove_all(cache);
}

}  // namespace
}  // namespace brokkr
