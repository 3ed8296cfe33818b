// Programs and states that depend on the samples of a pixel, compared with OpenGL sample by sample.
#include <cstdlib>

#include "brokkr/renderer.h"
#include "compare.h"
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
      GlReplay replay(*compatible_context().context);
      replay.prepare(frame);
      ASSERT_TRUE(replay.failures().empty()) << replay.failures()[0].reason;
      replay.draw();
      const GlLayer expected = replay.read(0);
      const RenderResult result = draw_interpreted(frame);
      ASSERT_EQ(result.statistics.false_color_draws, 0u) << result.statistics.false_colors[0];
      const Layer& got = result.targets[0].layers[0];
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

}  // namespace
}  // namespace brokkr::test
