// Programs and states that depend on the samples of a pixel, compared with OpenGL sample by sample.
#include <array>
#include <cstdlib>
#include <set>
#include <variant>

#include "brokkr/renderer.h"
#include "compare.h"
#include "pipeline/program_frame.h"
#include "pipeline/sample_frames.h"
#include "reference/gl_replay.h"
#include "tiny_frame.h"

namespace brokkr::test {
namespace {

constexpr int kSamples = 4;  // llvmpipe has no other number
// In codes of 255 a pixel. At the places of samples, llvmpipe divides inputs by w of the pixel's centre, so in
// perspective they are off by some hundredths of a pixel. A sample that only one of both covers or keeps differs by far
// more.
constexpr int kMaxDifference = 2, kMaxInPerspective = 32;

class GlSamplesTest : public ::testing::TestWithParam<SampleCase> {};

TEST_P(GlSamplesTest, AgreesWithOpenGL) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
  for (const bool perspective : {false, true}) {
    for (const bool depth : {false, true}) {
      SCOPED_TRACE(std::string(perspective ? "perspective, " : "parallel, ") + (depth ? "depth" : "no depth"));
      Frame frame = sample_frame(GetParam(), kSamples, perspective, depth);
      validate(frame);
      const auto [expected, got] = draw_twice(frame);
      ASSERT_FALSE(HasFailure());
      int covered = 0;
      for (int y = 0; y < got.height; ++y) {
        for (int x = 0; x < got.width; ++x) {
          const uint32_t a = pixel(expected, x, y), b = got.color[size_t(y * got.width + x)];
          covered += a != 0 ? 1 : 0;
          for (int c = 0; c < 32; c += 8) {
            ASSERT_LE(std::abs(int(a >> c & 255) - int(b >> c & 255)), perspective ? kMaxInPerspective : kMaxDifference)
                << "sample " << x / kSampledWidth << " of pixel " << x % kSampledWidth << ", " << y << ", channel "
                << c / 8 << ": OpenGL " << std::hex << a << ", Brokkr " << b;
          }
        }
      }
      EXPECT_GT(covered, 40);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GlSamplesTest, ::testing::ValuesIn(sample_cases()),
                         [](const auto& one) { return std::string(one.param.name); });

// Two targets are the layers of an array of multisampled textures; odd rows show the second one.
Frame layers_frame(int samples) {
  Frame frame = sample_frame(sample_cases()[0], samples);
  Target second = frame.targets[1];
  second.id = 2;
  frame.targets.push_back(second);
  frame.views.push_back({.target = 2});
  auto draw = std::get<DrawCommand>(frame.commands[frame.commands.size() - 2]);
  State state = frame.states[draw.state];
  state.viewport = {1, -1, kSampledWidth, kSampledHeight};
  draw.state = uint32_t(frame.states.size());
  frame.states.push_back(state);
  draw.first_view = 2;
  const ClearCommand clear{2, glm::vec4(0.2f, 0.4f, 0.6f, 1.0f), 1.0f, uint8_t(0), {}, {}};
  frame.commands.insert(frame.commands.end() - 1, {Command(clear), Command(draw)});
  const std::string width = std::to_string(kSampledWidth), height = std::to_string(kSampledHeight);
  frame.programs[1].texts = {
      "#version 450\nout vec4 color0;\nuniform sampler2DMSArray map;\nvoid main() {\n"
      "  ivec2 p = ivec2(gl_FragCoord.xy);\n  color0 = textureSize(map) == ivec3(" +
      width + ", " + height + ", 2) && textureSamples(map) == " + std::to_string(samples) +
      " ? texelFetch(map, ivec3(p.x % " + width + ", p.y, p.y % 2), p.x / " + width + ") : vec4(0.5);\n}\n"};
  CapturedTexture& texture = frame.captured_textures[0];
  texture.depth = 16;
  texture.images.clear();
  for (uint32_t layer = 0; layer < 2; ++layer) {
    for (uint32_t i = 0; i < uint32_t(samples); ++i)
      texture.images.push_back({0, 8 * layer + i, layer + 1, TargetPlane::color0});
  }
  return frame;
}

TEST(GlSamples, LayersOfSamples) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
  const Frame frame = layers_frame(kSamples);
  validate(frame);
  const auto [expected, got] = draw_twice(frame);
  ASSERT_FALSE(HasFailure());
  std::array<std::set<uint32_t>, 2> colors;
  for (int y = 0; y < got.height; ++y) {
    for (int x = 0; x < got.width; ++x) {
      const uint32_t a = pixel(expected, x, y), b = got.color[size_t(y * got.width + x)];
      colors[size_t(y % 2)].insert(b);
      for (int c = 0; c < 32; c += 8)
        ASSERT_LE(std::abs(int(a >> c & 255) - int(b >> c & 255)), kMaxDifference)
            << x << ", " << y << ": OpenGL " << std::hex << a << ", Brokkr " << b;
    }
  }
  for (const auto& of_layer : colors) EXPECT_GT(of_layer.size(), 4u);
  Frame wrong = frame;
  wrong.captured_textures[0].depth = 15;
  EXPECT_ANY_THROW(validate(wrong));
  wrong = frame;
  wrong.captured_textures[0].images.back().layer = 8 + kSamples;
  EXPECT_ANY_THROW(validate(wrong));
}

// llvmpipe's windows have their samples upside down within the pixel.
TEST(GlSamples, WindowsHaveTheirSamplesUpsideDown) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
  ProgramFrame f(24, 20);
  Target& target = f.frame.targets[0];
  target.colors = {{TexelFormat::rgba8, TexelBase::rgb}};
  target.depth = TexelFormat::depth24;
  target.stencil = TexelFormat::stencil8;
  target.samples = kSamples;
  const uint32_t program = f.program(
      "out vec4 color0; void main() { color0 = vec4(gl_FragCoord.xy / 32.0, float(gl_PrimitiveID) / 4.0, 1.0); }\n",
      {});
  f.frame.programs[program].texts[0].replace(9, 3, "450");
  f.frame.programs[program].version = 450;
  State state = f.default_state();
  f.draw_with(
      program, state,
      {{1.3, 2.1, -0.5}, {22.7, 4.4, 0.6}, {9.2, 18.6, 0.1}, {20.1, 19.2, -0.4}, {2.2, 11.7, 0.3}, {23.1, 1.1}});
  f.draw_with(program, state, {{0, 0.2, -0.9}, {21, 8.8, -0.9}, {3, 17.1, -0.9}});
  const auto drawn = [&](bool mirrored) {
    target.mirrored_samples = mirrored;
    return draw_interpreted(f.frame).targets[0].layers[0];
  };
  const Layer upright = drawn(false), mirrored = drawn(true);
  GlReplay replay(*compatible_context().context);
  replay.prepare(f.frame);
  ASSERT_TRUE(replay.failures().empty()) << replay.failures()[0].reason;
  replay.draw();
  const GlLayer expected = replay.read(0);
  const auto is_close = [](uint32_t a, uint32_t b) {
    for (int c = 0; c < 24; c += 8) {
      if (std::abs(int(a >> c & 255) - int(b >> c & 255)) > kMaxDifference) return false;
    }
    return true;
  };
  int changed = 0, wrong = 0;
  for (size_t i = 0; i < mirrored.color.size(); ++i) {
    changed += !is_close(upright.color[i], mirrored.color[i]);
    wrong += !is_close(expected.color[i], mirrored.color[i]);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(changed, 20);
}

}  // namespace
}  // namespace brokkr::test
