// Stored formats, tests, stencil operations and blending against values that are calculated by hand.
#include "oracle/fragment.h"

#include <gtest/gtest.h>

#include <cmath>

namespace brokkr::oracle {
namespace {

TEST(OracleFormat, HalfRoundTripsAllValues) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = half_to_float(uint16_t(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value))));
    } else {
      ASSERT_EQ(float_to_half(value), bits);
    }
  }
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0xc000), -2.0f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0f);
  EXPECT_EQ(half_to_float(0x0001), std::ldexp(1.0f, -24));
}

TEST(OracleFormat, HalfRoundsTiesToEven) {
  EXPECT_EQ(float_to_half(1.0f + 1.0f / 2048), 0x3c00);  // half-way above 1: the even neighbour is 1
  EXPECT_EQ(float_to_half(1.0f + 3.0f / 2048), 0x3c02);
  EXPECT_EQ(float_to_half(std::nextafter(1.0f + 1.0f / 2048, 2.0f)), 0x3c01);
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(std::ldexp(1.0f, -25)), 0x0000);
  EXPECT_EQ(float_to_half(std::ldexp(3.0f, -25)), 0x0002);
  EXPECT_EQ(float_to_half(2047.999f), 0x6800);  // the carry runs into the exponent
}

TEST(OracleFormat, FixedPointRoundsAndClamps) {
  const auto codes = encode(ColorFormat::rgba8, {0.5f, -1.0f, 2.0f, 1.0f / 255});
  EXPECT_EQ(codes, (std::array<uint16_t, 4>{128, 0, 255, 1}));
  for (uint16_t code = 0; code < 256; ++code) {
    for (const ColorFormat format : {ColorFormat::rgba8, ColorFormat::rgba8_srgb}) {
      const std::array<uint16_t, 4> stored{code, code, code, code};
      EXPECT_EQ(encode(format, decode(format, stored)), stored);
    }
  }
}

TEST(OracleFormat, SrgbEncodesColourButNotAlpha) {
  const auto codes = encode(ColorFormat::rgba8_srgb, {0.5f, 0.0031308f, 0.2158605f, 0.5f});
  EXPECT_EQ(codes, (std::array<uint16_t, 4>{188, 10, 128, 128}));
  EXPECT_NEAR(decode(ColorFormat::rgba8_srgb, {128, 0, 255, 128}).x, 0.2158605f, 1e-6f);
}

TEST(OracleFragment, CompareFunctions) {
  const bool expected[8][3] = {{false, false, false}, {true, false, false}, {false, true, false},
                               {true, true, false},   {false, false, true}, {true, false, true},
                               {false, true, true},   {true, true, true}};  // 1 ? 2, 2 ? 2, 3 ? 2
  for (int f = 0; f < 8; ++f) {
    for (int value = 1; value <= 3; ++value) {
      EXPECT_EQ(passes(CompareFunc(f), value, 2), expected[f][value - 1]) << f << " " << value;
    }
  }
}

TEST(OracleFragment, StencilOperations) {
  EXPECT_EQ(stencil_result(StencilOp::keep, 7, 9), 7);
  EXPECT_EQ(stencil_result(StencilOp::zero, 7, 9), 0);
  EXPECT_EQ(stencil_result(StencilOp::replace, 7, 9), 9);
  EXPECT_EQ(stencil_result(StencilOp::increment, 254, 0), 255);
  EXPECT_EQ(stencil_result(StencilOp::increment, 255, 0), 255);
  EXPECT_EQ(stencil_result(StencilOp::decrement, 1, 0), 0);
  EXPECT_EQ(stencil_result(StencilOp::decrement, 0, 0), 0);
  EXPECT_EQ(stencil_result(StencilOp::invert, 0x0f, 0), 0xf0);
  EXPECT_EQ(stencil_result(StencilOp::increment_wrap, 255, 0), 0);
  EXPECT_EQ(stencil_result(StencilOp::decrement_wrap, 0, 0), 255);
}

// Every factor once for the source and once for the destination, on channels that distinguish it.
TEST(OracleFragment, BlendFactors) {
  const glm::vec4 s(0.1f, 0.2f, 0.3f, 0.4f), d(0.5f, 0.6f, 0.7f, 0.9f), c(0.15f, 0.25f, 0.35f, 0.45f);
  const glm::vec4 one(1);
  struct Case {
    BlendFactor factor;
    glm::vec4 value;
  };
  const Case cases[] = {{BlendFactor::zero, glm::vec4(0)},
                        {BlendFactor::one, one},
                        {BlendFactor::src_color, s},
                        {BlendFactor::one_minus_src_color, one - s},
                        {BlendFactor::dst_color, d},
                        {BlendFactor::one_minus_dst_color, one - d},
                        {BlendFactor::src_alpha, glm::vec4(0.4f)},
                        {BlendFactor::one_minus_src_alpha, glm::vec4(0.6f)},
                        {BlendFactor::dst_alpha, glm::vec4(0.9f)},
                        {BlendFactor::one_minus_dst_alpha, glm::vec4(0.1f)},
                        {BlendFactor::constant_color, c},
                        {BlendFactor::one_minus_constant_color, one - c},
                        {BlendFactor::constant_alpha, glm::vec4(0.45f)},
                        {BlendFactor::one_minus_constant_alpha, glm::vec4(0.55f)},
                        {BlendFactor::src_alpha_saturate, glm::vec4(0.1f, 0.1f, 0.1f, 1)}};
  ASSERT_EQ(std::size(cases), 15u);
  for (const Case& test : cases) {
    const BlendTerm as_source{test.factor, BlendFactor::zero, BlendEquation::add};
    const BlendTerm as_destination{BlendFactor::zero, test.factor, BlendEquation::add};
    const glm::vec4 source = blend({as_source, as_source, c}, ColorFormat::rgba8, s, d);
    const glm::vec4 destination = blend({as_destination, as_destination, c}, ColorFormat::rgba8, s, d);
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(source[i], s[i] * test.value[i], 1e-6f) << int(test.factor);
      EXPECT_NEAR(destination[i], d[i] * test.value[i], 1e-6f) << int(test.factor);
    }
  }
}

TEST(OracleFragment, BlendEquations) {
  const glm::vec4 s(0.25f, 0.5f, 0.75f, 0.5f), d(0.5f, 0.5f, 0.5f, 0.25f);
  const auto result = [&](BlendEquation equation) {
    const BlendTerm term{BlendFactor::one, BlendFactor::one, equation};
    return blend({term, term, glm::vec4(0)}, ColorFormat::rgba16f, s, d);
  };
  EXPECT_EQ(result(BlendEquation::add), glm::vec4(0.75f, 1, 1.25f, 0.75f));
  EXPECT_EQ(result(BlendEquation::subtract), glm::vec4(-0.25f, 0, 0.25f, 0.25f));
  EXPECT_EQ(result(BlendEquation::reverse_subtract), glm::vec4(0.25f, 0, -0.25f, -0.25f));
  EXPECT_EQ(result(BlendEquation::min), glm::vec4(0.25f, 0.5f, 0.5f, 0.25f));
  EXPECT_EQ(result(BlendEquation::max), glm::vec4(0.5f, 0.5f, 0.75f, 0.5f));
}

TEST(OracleFragment, SourceIsClampedForFixedPointOnly) {
  const BlendTerm term{BlendFactor::one, BlendFactor::zero, BlendEquation::add};
  EXPECT_EQ(blend({term, term, glm::vec4(0)}, ColorFormat::rgba8, glm::vec4(3, -1, 0.5f, 2), glm::vec4(0)),
            glm::vec4(1, 0, 0.5f, 1));
  EXPECT_EQ(blend({term, term, glm::vec4(0)}, ColorFormat::rgba16f, glm::vec4(3, -1, 0.5f, 2), glm::vec4(0)),
            glm::vec4(3, -1, 0.5f, 2));
}

class OneSample : public testing::Test {
 protected:
  OneSample() { surface.pixels.resize(1); }
  Pixel& pixel() { return surface.pixels[0]; }
  void draw(float depth, bool certain = true, float tolerance = 0) {
    shade(surface, state, {0, 0, certain, depth, tolerance}, {1, 1, 1, 1}, next_id++);
  }
  Surface surface{1, 1, ColorFormat::rgba8, {}};
  State state;
  uint32_t next_id = 0;
};

TEST_F(OneSample, FirstOfEqualDepthsStays) {
  draw(0.5f);
  draw(0.5f);
  EXPECT_EQ(pixel().visible, 0u);
  state.depth.func = CompareFunc::lequal;
  draw(0.5f);
  EXPECT_EQ(pixel().visible, 2u);
  EXPECT_EQ(pixel().overdraw, 3u);
}

TEST_F(OneSample, NoDepthIsWrittenWithoutTheTest) {
  state.depth.test = false;
  draw(0.5f);
  EXPECT_EQ(pixel().depth, 1.0f);
  EXPECT_EQ(pixel().visible, 0u);
  EXPECT_EQ(pixel().depth_writer, kNoPrimitive);
}

TEST_F(OneSample, StencilTakesTheOperationOfItsOutcome) {
  state.stencil =
      StencilState{CompareFunc::equal, 3, 0x0f, 0xf0, StencilOp::invert, StencilOp::zero, StencilOp::increment_wrap};
  pixel().stencil = 0xa5;  // 5 differs from 3 under the mask: fails, inverted under the write mask
  draw(0.5f);
  EXPECT_EQ(pixel().stencil, 0x55);
  EXPECT_EQ(pixel().visible, kNoPrimitive);
  pixel().stencil = 0xa3;
  pixel().depth = 0.25f;  // stencil passes, depth fails
  draw(0.5f);
  EXPECT_EQ(pixel().stencil, 0x03);
  pixel().stencil = 0x9f;
  state.stencil->ref = 15;
  draw(0.1f);  // both pass: 0x9f + 1 = 0xa0, and the upper half is written
  EXPECT_EQ(pixel().stencil, 0xaf);
  EXPECT_EQ(pixel().visible, 2u);
}

TEST_F(OneSample, AlphaTestComesFirst) {
  state.alpha_test = AlphaTest{CompareFunc::less, 0.5f};
  state.stencil =
      StencilState{CompareFunc::always, 1, 0xff, 0xff, StencilOp::keep, StencilOp::keep, StencilOp::replace};
  draw(0.5f);
  EXPECT_EQ(pixel().stencil, 0);
  EXPECT_EQ(pixel().depth, 1.0f);
  EXPECT_EQ(pixel().overdraw, 1u);
}

TEST_F(OneSample, ColorMaskKeepsChannels) {
  state.color_mask = {true, false, true, false};
  draw(0.5f);
  EXPECT_EQ(packed(pixel()), 0x00ff00ffu);
}

TEST_F(OneSample, UncertaintySpreadsAndIsOverwritten) {
  draw(0.5f, false);
  EXPECT_EQ(pixel().uncertain, kUncertainColor | kUncertainDepth | kUncertainOverdraw);
  draw(0.4f);  // against a depth of 1 or 0.5: still unknown
  EXPECT_EQ(pixel().uncertain, kUncertainColor | kUncertainDepth | kUncertainOverdraw);
  state.depth.func = CompareFunc::always;
  draw(0.7f);
  EXPECT_EQ(pixel().uncertain, kUncertainOverdraw);
  EXPECT_EQ(pixel().depth, 0.7f);
}

TEST_F(OneSample, CloseDepthsAreUncertainWithinTolerance) {
  draw(0.5f, true, 0.01f);
  EXPECT_EQ(pixel().uncertain, 0);
  draw(0.495f, true, 0.01f);
  EXPECT_NE(pixel().uncertain & kUncertainDepth, 0);
  state.depth.func = CompareFunc::always;
  draw(0.5f, true, 0.01f);
  state.depth.func = CompareFunc::less;
  draw(0.4f, true, 0.01f);
  EXPECT_EQ(pixel().uncertain, 0);
}

}  // namespace
}  // namespace brokkr::oracle
