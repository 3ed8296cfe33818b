// The camera moved by the mouse, and orbits around captured geometry.
#include <gtest/gtest.h>

#include <cmath>
#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>
#include <vector>

#include "formats/sources.h"
#include "viewer/camera_control.h"
#include "viewer/scene.h"

namespace brokkr::viewer {
namespace {

Bounds unit_bounds() {
  Bounds bounds;
  bounds.add(glm::vec3(-1));
  bounds.add(glm::vec3(1));
  return bounds;
}

CameraControl control_at(const glm::vec3& eye) {
  CameraControl control;
  control.reset({.eye = eye, .target = glm::vec3(0), .up = glm::vec3(0, 1, 0), .fov = 50}, unit_bounds());
  return control;
}

TEST(CameraControl, UntouchedCameraIsNone) {
  CameraControl control = control_at({0, 0, 5});
  EXPECT_FALSE(control.moved().has_value());
  control.orbit({10, 0}, 100);
  EXPECT_TRUE(control.moved().has_value());
  control.home();
  EXPECT_FALSE(control.moved().has_value());
}

TEST(CameraControl, OrbitKeepsDistanceAndFollowsTheMouse) {
  CameraControl control = control_at({0, 0, 5});
  control.orbit({50, 0},
                100);  // half the height: a quarter turn, what is in front goes right, so the eye goes left
  EXPECT_NEAR(glm::length(control.camera().eye), 5, 1e-4);
  EXPECT_NEAR(control.camera().eye.x, -5, 1e-3);
  control.home();
  control.orbit({0, 25}, 100);  // down: the eye rises
  EXPECT_NEAR(control.camera().eye.y, 5 * std::sin(glm::radians(45.0f)), 1e-3);
  control.orbit({0, 10000}, 100);  // not over the pole
  EXPECT_NEAR(glm::length(control.camera().eye), 5, 1e-3);
  EXPECT_GT(control.camera().eye.z, 0);
}

TEST(CameraControl, PanMovesTheTargetUnderTheMouse) {
  CameraControl control = control_at({0, 0, 5});
  control.pan({0, 100}, 100);  // the whole height: what was in the middle is at the lower edge
  const float height = 2 * 5 * std::tan(glm::radians(25.0f));
  EXPECT_NEAR(control.camera().target.y, height, 1e-3);
  EXPECT_NEAR(control.camera().eye.z, 5, 1e-4);
}

TEST(CameraControl, DollyNeverReachesTheTarget) {
  CameraControl control = control_at({0, 0, 5});
  control.dolly(1);
  EXPECT_LT(control.camera().eye.z, 5);
  for (int i = 0; i < 100; ++i) control.dolly(50);
  EXPECT_GT(control.camera().eye.z, 0);
  for (int i = 0; i < 100; ++i) control.dolly(-50);
  EXPECT_TRUE(std::isfinite(control.camera().eye.z));
}

TEST(CameraControl, FlyingForwardTakesTheTargetAlong) {
  CameraControl control = control_at({0, 0, 5});
  control.fly({0, 0, 1}, 1);
  EXPECT_LT(control.camera().eye.z, 5);
  EXPECT_NEAR(control.camera().eye.z - control.camera().target.z, 5, 1e-4);
  control.look({100, 0}, 100);  // one height: the field of view, to the right
  const glm::vec3 forward = glm::normalize(control.camera().target - control.camera().eye);
  EXPECT_NEAR(forward.x, std::sin(glm::radians(50.0f)), 1e-3);
}

TEST(CameraControl, BookmarksAndText) {
  CameraControl control = control_at({0.1f, 1.0f / 3, 5});
  EXPECT_FALSE(control.recall_bookmark(3));
  control.orbit({13, 7}, 100);
  const Camera saved = control.camera();
  control.save_bookmark(3);
  control.home();
  ASSERT_TRUE(control.recall_bookmark(3));
  EXPECT_EQ(control.camera().eye, saved.eye);
  const Camera read = parse_camera(camera_text(saved), Camera{});  // to the last bit
  EXPECT_EQ(read.eye, saved.eye);
  EXPECT_EQ(read.target, saved.target);
  EXPECT_EQ(read.fov, saved.fov);
  EXPECT_THROW(control.set_text("eye=1,2"), std::runtime_error);
}

TEST(Scene, CameraOfAGeneratedSceneIsFoundAgain) {
  const auto scene = make_scene("generated:city", generate("city", {.width = 320, .height = 200}), 0);
  EXPECT_FALSE(scene->clip_space);
  const View again = make_view(scene->camera, scene->bounds, 1.6f, 0, 0);
  const View& loaded = scene->frame.views[0];
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {  // a point on the ray through this place of the picture
      const glm::vec4 world = glm::inverse(loaded.view_projection) * glm::vec4(x, y, 0.5f, 1);
      const glm::vec4 clip = again.view_projection * world;
      EXPECT_NEAR(clip.x / clip.w, float(x), 2e-3);
      EXPECT_NEAR(clip.y / clip.w, float(y), 2e-3);
    }
  }
}

// A captured draw: world positions seen through a camera.
std::vector<glm::vec4> captured(const std::vector<glm::vec3>& world, const glm::mat4& view_projection) {
  std::vector<glm::vec4> clip;
  for (const glm::vec3& p : world) clip.push_back(view_projection * glm::vec4(p, 1));
  return clip;
}

std::vector<glm::vec3> some_points() {
  std::vector<glm::vec3> points;
  for (int i = 0; i < 60; ++i)
    points.push_back({std::sin(float(i) * 1.7f), std::cos(float(i) * 2.3f), std::sin(float(i) * 0.9f) * 2});
  return points;
}

TEST(Unproject, DepthOfAPerspectiveProjectionIsFound) {
  const glm::mat4 projection = glm::perspectiveRH_NO(glm::radians(60.0f), 1.5f, 0.5f, 100.0f);
  const auto clip =
      captured(some_points(), projection * glm::lookAtRH(glm::vec3(0, 1, 6), glm::vec3(0), glm::vec3(0, 1, 0)));
  const auto depth = fit_clip_depth(clip);
  ASSERT_TRUE(depth.has_value());
  EXPECT_NEAR(depth->slope, -projection[2][2], 1e-3);
  EXPECT_NEAR(depth->offset, projection[3][2], 1e-2);
}

TEST(Unproject, OrthographicAndCurvedDepthsAreLeftAlone) {
  EXPECT_FALSE(fit_clip_depth(captured(some_points(), glm::orthoRH_NO(-1.f, 1.f, -1.f, 1.f, 0.1f, 10.f))).has_value());
  std::vector<glm::vec4> curved;
  for (int i = 1; i < 50; ++i) curved.emplace_back(0, 0, std::sin(float(i)), float(i) * 0.1f);
  EXPECT_FALSE(fit_clip_depth(curved).has_value());
  EXPECT_FALSE(fit_clip_depth({}).has_value());
}

Frame captured_frame(const std::vector<glm::vec4>& clip) {
  Frame frame;
  frame.targets = {{.id = 0, .width = 300, .height = 200}};
  frame.views = {View{}};
  frame.states = {State{}};
  frame.materials = {Material{}};
  frame.positions = clip;
  DrawCommand draw;
  draw.vertex_count = draw.element_count = uint32_t(clip.size());
  frame.commands.emplace_back(draw);
  return frame;
}

TEST(Unproject, ReprojectionIsWhatAnotherCameraSees) {
  const float fov = 60;
  const glm::mat4 projection = glm::perspectiveRH_NO(glm::radians(fov), 1.5f, 0.5f, 100.0f);
  const glm::mat4 first = glm::lookAtRH(glm::vec3(0, 1, 6), glm::vec3(0), glm::vec3(0, 1, 0));
  const auto world = some_points();
  const Frame frame = captured_frame(captured(world, projection * first));
  const Unprojection unprojection = unproject(frame, 0, fov);
  ASSERT_EQ(unprojection.ranges.size(), 1u);
  std::vector<glm::vec4> same(frame.positions.size()), moved(frame.positions.size());
  reproject(unprojection, unprojection.camera, frame.positions, same);
  Camera other = unprojection.camera;  // in the eye space of the first one
  other.eye = {1, 0.5f, -1};
  other.target = {0, 0, -6};
  reproject(unprojection, other, frame.positions, moved);
  const glm::mat4 second = glm::lookAtRH(other.eye, other.target, other.up) * first;
  const auto expected = captured(world, projection * second);
  for (size_t i = 0; i < world.size(); ++i) {
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(same[i][c], frame.positions[i][c], 2e-3) << i;
      EXPECT_NEAR(moved[i][c], expected[i][c], 5e-3) << i;
    }
  }
}

TEST(Unproject, FlatDrawsStay) {
  std::vector<glm::vec4> menu;
  for (const glm::vec3& p : some_points()) menu.emplace_back(p * 0.4f, 1.0f);
  const Frame frame = captured_frame(menu);
  const Unprojection unprojection = unproject(frame, 0, 60);
  EXPECT_TRUE(unprojection.ranges.empty());
  std::vector<glm::vec4> out(menu.size());
  reproject(unprojection, unprojection.camera, menu, out);
  EXPECT_EQ(out, menu);
}

}  // namespace
}  // namespace brokkr::viewer
