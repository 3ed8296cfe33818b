// Compares captured frames with the depth that the applications' own drivers produced; tests loader and OpenGL
// reference together.
#include <cmath>
#include <filesystem>

#include "captures.h"
#include "frame/bkf.h"
#include "tiny_frame.h"

namespace brokkr::test {
namespace {

// Frames whose shaders discard nothing, and the minimum percentage of pixels within 2e-5. (A sequential replay in
// double precision reaches 99.94 % and 100 %: the first frame has steep triangles.)
struct Capture {
  const char* file;
  double least_percent;
};

class CaptureTest : public GlTest, public ::testing::WithParamInterface<Capture> {};

TEST_P(CaptureTest, DepthAgreesWithTheApplicationsDriver) {
  const std::filesystem::path path = captures_folder() / GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (set BROKKR_CAPTURES)";
  const Frame frame = read_bkf(path);
  ASSERT_FALSE(frame.references.empty());
  renderer->prepare(frame);
  for (const Reference& reference : frame.references) {
    if (reference.depth.empty()) continue;
    renderer->draw({GlShading::flat, reference.before});
    const GlLayer layer = renderer->read(reference.target);
    ASSERT_EQ(layer.depth.size(), reference.depth.size());
    size_t agree = 0, drawn = 0;
    for (size_t i = 0; i < layer.depth.size(); ++i) {
      agree += std::abs(layer.depth[i] - reference.depth[i]) <= 2e-5f;
      drawn += reference.depth[i] < 1.0f;
    }
    EXPECT_GT(drawn, layer.depth.size() / 20) << "the reference holds next to nothing";
    EXPECT_GE(100.0 * double(agree) / double(layer.depth.size()), GetParam().least_percent)
        << GetParam().file << " before command " << reference.before;
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, CaptureTest,
                         ::testing::Values(Capture{"gl-feature-test.bkf", 99.9},
                                           Capture{"neverball-circuit2.bkf", 99.99}),
                         [](const auto& capture) { return std::string(capture.param.file).substr(0, 2); });

}  // namespace
}  // namespace brokkr::test
