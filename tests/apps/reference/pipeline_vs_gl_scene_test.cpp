// Whole frames: compares the pipeline's picture with OpenGL's for generated scenes and captured frames.
#include <filesystem>

#include "brokkr/load.h"
#include "captures.h"
#include "compare.h"

namespace brokkr::test {
namespace {

class GeneratedSceneTest : public PipelineVsGlTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(GeneratedSceneTest, AgreesWithOpenGl) {
  LoadOptions load;
  load.width = 480;
  load.height = 270;
  const Frame frame = load_frame(GetParam(), load);
  const Difference difference = render_both(frame, Shading::material, 1, kSteepDepth);
  EXPECT_LE(difference.percent(difference.color), 0.2) << difference.worst_color;
  EXPECT_LE(difference.percent(difference.depth), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Scenes, GeneratedSceneTest,
                         ::testing::Values("generated:overlap-10k", "generated:city?instanced=1",
                                           "generated:sphere-100k?triangles=20000",
                                           "generated:terrain?triangles=40000&textured=1"));

struct MaterialScene {
  const char* name;
  const char* file;
};

class MaterialSceneTest : public PipelineVsGlTest, public ::testing::WithParamInterface<MaterialScene> {};

TEST_P(MaterialSceneTest, ColoursAgreeWithOpenGlAt1080p) {
  const Frame frame = load_frame(GetParam().file, {});
  expect_materials_agree(frame);
}

INSTANTIATE_TEST_SUITE_P(Scenes, MaterialSceneTest,
                         ::testing::Values(MaterialScene{"courtyard", BROKKR_SOURCE_DIR "/assets/courtyard.obj"},
                                           MaterialScene{"terrain", "generated:terrain?triangles=40000&textured=1"},
                                           MaterialScene{"city", "generated:city?triangles=40000&textured=1"},
                                           MaterialScene{"sphere", "generated:sphere-100k?textured=1"}),
                         [](const auto& scene) { return std::string(scene.param.name); });

class CapturedSceneTest : public PipelineVsGlTest, public ::testing::WithParamInterface<const char*> {};

// Clears, blits, several targets, strips, points, stencil: everything that the application did.
TEST_P(CapturedSceneTest, DepthAgreesWithOpenGlInEveryTarget) {
  const std::filesystem::path path = captures_folder() / GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (set BROKKR_CAPTURES)";
  const Frame frame = load_frame(path.string(), {});
  RenderOptions options;
  options.shading = Shading::flat;
  const RenderResult ours = Renderer().render(frame, options);
  renderer->prepare(frame);
  renderer->draw({GlShading::flat, {}});
  for (uint32_t target = 0; target < frame.targets.size(); ++target) {
    const Difference difference = compare(ours.targets[target].layers[0], renderer->read(target), 255, kSteepDepth);
    EXPECT_LE(difference.percent(difference.depth), 0.01) << "target " << frame.targets[target].id;
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, CapturedSceneTest,
                         ::testing::Values("gl-feature-test.bkf", "neverball-circuit2.bkf", "cube2-colos.bkf",
                                           "openarena-ctf-gate1.bkf"));

}  // namespace
}  // namespace brokkr::test
