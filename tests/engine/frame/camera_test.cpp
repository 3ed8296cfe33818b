// Cameras see what they should.
#include "brokkr/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/vec4.hpp>

namespace brokkr {
namespace {

Bounds unit_bounds() {
  Bounds bounds;
  bounds.add({-1, -2, -3});
  bounds.add({3, 2, 1});
  return bounds;
}

TEST(Camera, FittedCameraSeesEveryCornerInFrontOfIt) {
  const Bounds bounds = unit_bounds();
  for (float aspect : {0.4f, 1.0f, 16.0f / 9}) {
    const View view = make_view(fit_camera(bounds, aspect), bounds, aspect, 0, 0);
    for (int corner = 0; corner < 8; corner++) {
      const glm::vec4 point(corner & 1 ? 3 : -1, corner & 2 ? 2 : -2, corner & 4 ? 1 : -3, 1);
      const glm::vec4 clip = view.view_projection * point;
      EXPECT_GT(clip.w, 0);
      for (int axis = 0; axis < 3; axis++) EXPECT_LE(std::abs(clip[axis]), clip.w) << axis;
    }
  }
}

TEST(Camera, OrbitTurnsAroundTheTarget) {
  const Bounds bounds = unit_bounds();
  const Camera camera = fit_camera(bounds, 1);
  const std::vector<View> views = make_orbit(camera, bounds, 1, 2, 16);
  ASSERT_EQ(views.size(), 16u);
  EXPECT_NEAR(glm::length(views[0].eye - camera.eye), 0, 1e-4f);
  for (uint32_t i = 0; i < 16; i++) {
    EXPECT_EQ(views[i].target, 2u);
    EXPECT_EQ(views[i].layer, i);
    EXPECT_NEAR(glm::length(views[i].eye - camera.target), glm::length(camera.eye - camera.target), 1e-3f);
    EXPECT_GT(glm::length(views[i].eye - views[(i + 1) % 16].eye), 0.1f);
    const glm::vec4 center = views[i].view_projection * glm::vec4(camera.target, 1);
    EXPECT_NEAR(center.x / center.w, 0, 1e-4f);
    EXPECT_NEAR(center.y / center.w, 0, 1e-4f);
  }
}

TEST(Camera, TextReplacesWhatItNames) {
  const Camera base = fit_camera(unit_bounds(), 1);
  const Camera camera = parse_camera("eye=1,2.5,-3;fov=60 near=0.5", base);
  EXPECT_EQ(camera.eye, glm::vec3(1, 2.5f, -3));
  EXPECT_EQ(camera.target, base.target);
  EXPECT_EQ(camera.fov, 60);
  EXPECT_EQ(camera.near_plane, 0.5f);
  EXPECT_EQ(parse_camera("", base).eye, base.eye);
}

TEST(Camera, MistakesAreNamed) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"eye=1,2", "'eye'"},       {"eye=1,2,3,4", "'eye'"},      {"eye=1,2,nan", "'eye'"}, {"fov=0", "'fov'"},
      {"fov=171", "'fov'"},       {"zoom=2", "'zoom'"},          {"eye", "'eye'"},         {"near=-1", "'near'"},
      {"near=2 far=1", "'near'"}, {"eye=1,1,-1", "'eye'"},       {"up=0,0,0", "'up'"},     {"eye=1e30,0,0", "'eye'"},
      {"eye=1,2,3x", "'eye'"},    {"target=one,2,3", "'target'"}};
  Camera base;
  base.target = {1, 1, -1};
  for (const auto& [text, message] : mistakes) {
    try {
      parse_camera(text, base);
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << text << ": " << error.what();
    }
  }
}

TEST(Camera, UnusualCamerasGiveFiniteViews) {
  const Bounds bounds = unit_bounds();
  for (const char* text : {"eye=0,9,0 target=0,0,0", "near=1000", "far=0.001", "eye=1,0,-1 target=1,0,-2",
                           "up=0,0,1 eye=0,0,5 target=0,0,0", "eye=1e15,0,0"}) {
    for (const Bounds& b : {bounds, Bounds{}}) {
      const View view = make_view(parse_camera(text, fit_camera(b, 1)), b, 1, 0, 0);
      for (int i = 0; i < 16; i++) EXPECT_TRUE(std::isfinite(view.view_projection[i / 4][i % 4])) << text;
    }
  }
}

}  // namespace
}  // namespace brokkr
