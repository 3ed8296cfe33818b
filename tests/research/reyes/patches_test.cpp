// Scenes of patches: files that are read, files that are refused with a message, and the patches made of cages.
#include "reyes/patches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <map>
#include <set>

namespace brokkr {
namespace {

PatchScene bpt(const std::string& text, int memory_limit = 0) {
  LoadOptions options;
  options.memory_limit = memory_limit;
  Loading loading(options);
  return read_bpt(std::as_bytes(std::span(text)), "test.bpt", loading);
}

std::string error_of(const std::string& text) {
  try {
    bpt(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

std::string patch_text(const std::string& head = "1\n3 3\n", const std::string& first = "0 0 0\n", int points = 16) {
  std::string text = head + first;
  for (int k = 1; k < points; ++k) text += std::to_string(k % 4) + " 0.5 " + std::to_string(k / 4) + "\n";
  return text;
}

TEST(Bpt, IsReadAndWritten) {
  const PatchScene scene = bpt(patch_text());
  ASSERT_EQ(scene.patches(), 1u);
  EXPECT_EQ(scene.points[5], glm::vec3(1, 0.5f, 1));
  EXPECT_EQ(bpt(bpt_text(scene, 0)).points, scene.points);
  const PatchScene pot = teapot_scene();
  EXPECT_EQ(bpt(bpt_text(pot, 0)).points, pot.points);
}

TEST(Bpt, MistakesHaveAFieldAndARemedy) {
  const auto refuses = [](const std::string& text, const std::string& words) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(words), std::string::npos) << error;
    EXPECT_TRUE(error.starts_with("test.bpt: ")) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  };
  refuses("", "field 'patches': the file does not begin with a number");
  refuses("teapot", "field 'patches'");
  refuses("0\n", "field 'patches': there are 0");
  refuses("-4\n", "field 'patches': there are -4");
  refuses("99999999999\n", "more than the file holds");
  refuses(patch_text("1000000\n3 3\n"), "more than the file holds");
  refuses(patch_text("2\n3 3\n"), "field 'patch 2': lacks its two degrees");
  refuses(patch_text("1\n2 3\n"), "is of degrees 2 and 3");
  refuses(patch_text("1\n3 3\n", "0 nan 0\n"), "field 'patch 1', point 1: is not finite");
  refuses(patch_text("1\n3 3\n", "0 0 inf\n"), "field 'patch 1', point 1: is not finite");
  refuses(patch_text("1\n3 3\n", "0 0 1e16\n"), "field 'patch 1', point 1: is not finite, or beyond");
  refuses(patch_text("1\n3 3\n", "0 zero 0\n"), "field 'patch 1', point 1: lacks its three numbers");
  refuses(patch_text("1\n3 3\n", "0 0 0\n", 11), "field 'patch 1', point 12: lacks its three numbers");
  refuses(patch_text() + "3 3\n", "holds more than the 1");
}

TEST(Patches, NamesThatAreNoSceneAreSaid) {
  try {
    load_patches("taepot");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("teapot"), std::string::npos) << error.what();
  }
  EXPECT_THROW(load_patches("missing/file.bpt"), std::runtime_error);
}

TEST(Patches, SidesThatAreTheSameHaveOneNumber) {
  // Two patches side by side along u. The second one is turned by half a turn: its side u = 1 lies on the side u = 1 of
  // the first.
  std::vector<glm::vec3> points;
  for (int k = 0; k < 16; ++k) points.emplace_back(k % 4, k / 4, 0);
  for (int k = 0; k < 16; ++k) points.emplace_back(6 - k % 4, 3 - k / 4, 0);
  const std::vector<uint32_t> edges = edge_numbers(points);
  ASSERT_EQ(edges.size(), 8u);
  EXPECT_EQ(edges[3] >> 1, edges[4 + 3] >> 1);
  EXPECT_NE(edges[3] & 1u, edges[4 + 3] & 1u);
  std::set<uint32_t> numbers;
  for (const uint32_t edge : edges) numbers.insert(edge >> 1);
  EXPECT_EQ(numbers.size(), 7u);
}

TEST(Patches, EveryEdgeOfTheCreatureHasTwoPatches) {
  const PatchScene scene = creature_scene();
  EXPECT_GT(scene.patches(), 2000u);
  for (const float phase : {0.0f, 0.37f}) {
    std::map<uint32_t, int> uses;
    for (const uint32_t edge : edge_numbers(scene.points_at(phase))) ++uses[edge >> 1];
    for (const auto& [edge, count] : uses) ASSERT_EQ(count, 2) << "edge " << edge << " at phase " << phase;
  }
}

TEST(Patches, AnimationsEndWhereTheyBegin) {
  for (const std::string& name : patch_scene_names()) {
    const PatchScene scene = load_patches(name);
    const std::vector<glm::vec3> begin = scene.points_at(0), end = scene.points_at(1), half = scene.points_at(0.5f);
    for (size_t k = 0; k < begin.size(); ++k) ASSERT_LT(glm::distance(begin[k], end[k]), 1e-3f) << name << ' ' << k;
    EXPECT_EQ(bool(scene.move), begin != half) << name;
    for (const glm::vec3& p : half) ASSERT_TRUE(std::isfinite(p.x + p.y + p.z)) << name;
  }
}

// The value of a uniform bicubic B-spline with these 16 control points, at u, v in 0..1.
glm::vec3 b_spline(const glm::vec3* points, float u, float v) {
  const auto weights = [](float t) {
    const float s = 1 - t;
    return std::array<float, 4>{s * s * s / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
                                (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6, t * t * t / 6};
  };
  const auto a = weights(u), b = weights(v);
  glm::vec3 sum(0);
  for (size_t j = 0; j < 4; ++j) {
    for (size_t i = 0; i < 4; ++i) sum += a[i] * b[j] * points[4 * j + i];
  }
  return sum;
}
glm::vec3 bezier(const glm::vec3* points, float u, float v) {
  const auto weights = [](float t) {
    const float s = 1 - t;
    return std::array<float, 4>{s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
  };
  const auto a = weights(u), b = weights(v);
  glm::vec3 sum(0);
  for (size_t j = 0; j < 4; ++j) {
    for (size_t i = 0; i < 4; ++i) sum += a[i] * b[j] * points[4 * j + i];
  }
  return sum;
}

// A torus of n x m faces: every corner has four neighbours.
Cage torus(uint32_t n, uint32_t m) {
  Cage cage;
  for (uint32_t j = 0; j < m; ++j) {
    for (uint32_t i = 0; i < n; ++i) {
      const float a = 6.2831853f * float(i) / float(n), b = 6.2831853f * float(j) / float(m);
      const float r = 3 + (1 + 0.3f * float(i % 3)) * std::cos(b);
      cage.points.emplace_back(r * std::cos(a), std::sin(b), r * std::sin(a));
      cage.faces.push_back({j * n + i, j * n + (i + 1) % n, (j + 1) % m * n + (i + 1) % n, (j + 1) % m * n + i});
      cage.materials.push_back(0);
    }
  }
  return cage;
}

TEST(Cages, RegularFacesAreBSplines) {
  constexpr uint32_t n = 7, m = 5;
  const Cage cage = torus(n, m);
  PatchScene scene;
  append_patches(scene, cage);
  ASSERT_EQ(scene.patches(), n * m);
  for (uint32_t f = 0; f < n * m; ++f) {
    glm::vec3 control[16];
    for (uint32_t j = 0; j < 4; ++j) {
      for (uint32_t i = 0; i < 4; ++i) {
        control[4 * j + i] = cage.points[(f / n + j + m - 1) % m * n + (f % n + i + n - 1) % n];
      }
    }
    for (const float u : {0.0f, 0.3f, 1.0f}) {
      for (const float v : {0.0f, 0.6f, 1.0f}) {
        const glm::vec3 want = b_spline(control, u, v), got = bezier(&scene.points[f * kPatchPoints], u, v);
        ASSERT_LT(glm::distance(want, got), 1e-5f) << f << ' ' << u << ' ' << v;
      }
    }
  }
}

TEST(Cages, CornersOfPatchesAreTheLimitOfSubdivision) {
  const auto solid = [](int, int, int) { return 0; };
  const auto place = [](float x, float y, float z) { return glm::vec3(x, y, z); };
  const Cage cube = cage_of_cubes({1, 1, 1}, solid, place);
  PatchScene scene;
  append_patches(scene, cube);
  ASSERT_EQ(scene.patches(), 6u);
  // Points of a subdivided cage keep their numbers from the coarser cage.
  Cage fine = cube;
  for (int k = 0; k < 5; ++k) fine = subdivided(fine);
  std::set<uint32_t> found;
  for (uint32_t f = 0; f < 6; ++f) {
    const int corners[] = {0, 3, 15, 12};
    for (size_t k = 0; k < 4; ++k) {
      const uint32_t number = cube.faces[f][k];
      ASSERT_LT(glm::distance(scene.points[f * kPatchPoints + size_t(corners[k])], fine.points[number]), 2e-3f);
      found.insert(number);
    }
  }
  EXPECT_EQ(found.size(), 8u);
}

TEST(Cages, OpenOnesAreRefused) {
  Cage cage = torus(4, 4);
  cage.faces.pop_back();
  PatchScene scene;
  EXPECT_THROW(append_patches(scene, cage), std::runtime_error);
  EXPECT_THROW(subdivided(cage), std::runtime_error);
}

}  // namespace
}  // namespace brokkr
