// Frames as scenes of the path tracer: cut-outs, lenses, and surfaces that cannot be traced.
#include "trace/trace_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "scene.h"

namespace brokkr::trace_test {
namespace {

using namespace trace;

std::string refusal(const Frame& frame, const SceneOptions& options = {}) {
  try {
    make_trace_scene(frame, options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}
SceneMaker wall() {
  SceneMaker made(16, 16, {0, 0, 3}, {0, 0, 0});
  made.quad({-1, -1, 0}, {2, 0, 0}, {0, 2, 0}, made.material(glm::vec3(0.5f)));
  return made;
}

TEST(TraceScene, SaysInOneLineWhatCannotBeTraced) {
  EXPECT_NE(refusal(Frame{}).find("nothing is drawn"), std::string::npos);
  Frame captured = wall().frame;
  std::get<DrawCommand>(captured.commands[0]).vertex_kind = VertexKind::clip_space;
  EXPECT_NE(refusal(captured).find("captured frame"), std::string::npos);
  SceneOptions dark;
  dark.sky = dark.sun = glm::vec3(0);
  EXPECT_NE(refusal(wall().frame, dark).find("no light"), std::string::npos);
  SceneMaker flat(16, 16, {0, 0, 3}, {0, 0, 0});
  flat.triangle({0, 0, 0}, {1, 1, 1}, {2, 2, 2}, flat.material(glm::vec3(1)));
  EXPECT_NE(refusal(flat.frame).find("no triangle with an area"), std::string::npos);
  SceneOptions lens;
  lens.aperture = 0.1f;
  SceneMaker aside(16, 16, {0, 0, 3}, {0, 9, 0});
  aside.quad({-1, -1, 0}, {2, 0, 0}, {0, 2, 0}, aside.material(glm::vec3(0.5f)));
  EXPECT_NE(refusal(aside.frame, lens).find("--focus"), std::string::npos);
  EXPECT_EQ(refusal(wall().frame), "");
}

TEST(TraceScene, LeavesOutWhatHasNoArea) {
  SceneMaker made = wall();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  made.triangle({nan, 0, 0}, {1, 0, 0}, {0, 1, 0}, 0);
  made.triangle({0, 0, 0}, {0, 0, 0}, {0, 1, 0}, 0);
  const TraceScene scene = make_trace_scene(made.frame, {});
  EXPECT_EQ(scene.triangles.size(), 2u);
  EXPECT_EQ(scene.dropped, 2u);
}

TEST(TraceScene, FocusIsWhatTheMiddleShows) {
  SceneOptions options;
  options.aperture = 0.1f;
  EXPECT_NEAR(make_trace_scene(wall().frame, options).lens.focus, 3.0f, 1e-4f);
}

// A fence in front of a lamp, with its left half cut out. The lamp is visible through it and lights the floor.
TEST(TraceScene, CutOutsLetLightThrough) {
  SceneMaker made(32, 32, {0, 0, 3}, {0, 0, 0});
  const int fence = made.material(glm::vec3(0));
  made.quad({-1, -1, 1}, {2, 0, 0}, {0, 2, 0}, fence);
  made.quad({-4, -4, -1}, {8, 0, 0}, {0, 8, 0}, made.material(glm::vec3(0), glm::vec3(1)));
  Texture texture;
  texture.width = 2;
  texture.height = 1;
  texture.texels = {0x00ffffff, 0xffffffff};
  texture.sampler.wrap_x = texture.sampler.wrap_y = Wrap::clamp_to_edge;
  made.frame.textures.push_back(texture);
  made.frame.materials[size_t(fence)].diffuse_texture = 0;
  made.frame.materials[size_t(fence)].alpha_cutoff = 0.5f;
  TraceOptions o;
  o.samples = 4;
  for (const StructureKind structure : {StructureKind::bvh, StructureKind::kd, StructureKind::grug}) {
    o.structure = structure;
    const TracePicture picture = picture_of(made.frame, "cpu", "", o);
    const auto red = [&](int x, int y) { return picture.rgb[3 * size_t(y * 32 + x)]; };
    EXPECT_EQ(red(6, 16), 1.0f) << "seen through what is cut out";
    EXPECT_EQ(red(26, 16), 0.0f) << "the fence";
  }
  made.frame.materials[size_t(fence)].alpha_cutoff = 0;  // opaque, regardless of the texture
  EXPECT_EQ(picture_of(made.frame, "cpu", "", o).rgb[3 * (16 * 32 + 6)], 0.0f);
}

// A half-transparent surface transmits half of the light.
TEST(TraceScene, BlendedSurfacesLetAPartThrough) {
  SceneMaker made(16, 16, {0, 0, 3}, {0, 0, 0});
  const int pane = made.material(glm::vec3(0));
  made.quad({-3, -3, 1}, {6, 0, 0}, {0, 6, 0}, pane);
  made.quad({-9, -9, -1}, {18, 0, 0}, {0, 18, 0}, made.material(glm::vec3(0), glm::vec3(1)));
  made.frame.materials[size_t(pane)].opacity = 0.25f;
  made.frame.states[0].blend = BlendState{};
  TraceOptions o;
  o.samples = 64;
  const TracePicture picture = picture_of(made.frame, "cpu", "", o);
  const double mean = std::accumulate(picture.rgb.begin(), picture.rgb.end(), 0.0) / double(picture.rgb.size());
  EXPECT_NEAR(mean, 0.75, 0.01);
}

}  // namespace
}  // namespace brokkr::trace_test
