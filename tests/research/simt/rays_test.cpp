// Rays as tasks on the machines of the CPU: the hits are the same, and more lanes work.
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/task_machine.h"
#include "simt/rays/ray_runs.h"

namespace brokkr::simt::test {
namespace {

class SimtRays : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      make_task_machine(GetParam());
    } catch (const std::invalid_argument& missing) {
      GTEST_SKIP() << missing.what();
    }
  }
};

double lanes_at_work(const CpuRays& run) {
  return double(run.counts.lanes) / double(run.counts.turns * uint32_t(run.lanes));
}

// The three scenes have the requested number of triangles, fill the box at which the eye of the rays looks, and differ.
// The densest of 4 x 4 parts of the ground has nearly all of the forest's triangles, apart from its trees, and few of
// the hall's.
TEST(SimtRayScenes, AreThreePlaces) {
  double densest[3] = {}, hits[3] = {};
  for (const RayPlace place : {RayPlace::conference, RayPlace::atrium, RayPlace::fairyforest}) {
    constexpr uint32_t kTriangles = 20000;
    const auto scene = ray_scene(place, kTriangles);
    EXPECT_EQ(scene->scene.triangles.size(), kTriangles) << ray_place_names()[size_t(place)];
    uint32_t parts[16] = {};
    for (const trace::TriangleRecord& t : scene->scene.triangles) {
      const auto part = [](float x) { return std::clamp(int((x + 1) * 2), 0, 3); };
      ++parts[4 * part(t.corner[2]) + part(t.corner[0])];
    }
    densest[size_t(place)] = *std::max_element(parts, parts + 16) / double(kTriangles);
    const RayHits found = cpu_hits(*scene, 64);
    const auto missed = std::count(found.primitive.begin(), found.primitive.end(), trace::kNone);
    hits[size_t(place)] = 1 - double(missed) / double(found.primitive.size());
  }
  EXPECT_LT(densest[size_t(RayPlace::atrium)], 0.12);
  EXPECT_GT(densest[size_t(RayPlace::fairyforest)], 0.18);
  EXPECT_GT(densest[size_t(RayPlace::conference)], densest[size_t(RayPlace::atrium)]);
  for (const double part : hits) EXPECT_GT(part, 0.3);
}

TEST_P(SimtRays, TasksFindWhatTheWalkFinds) {
  constexpr uint32_t kWidth = 43;  // some warps are not full
  const auto scene = ray_scene(RayPlace::conference, 900);
  const RayHits expected = cpu_hits(*scene, kWidth);
  const CpuRays loop = run_cpu_rays(GetParam(), false, 0, *scene, kWidth);
  EXPECT_NO_THROW(expect_hits("loop", expected, loop.hits.t.data(), loop.hits.primitive.data()));
  for (const uint32_t stay : {101u, 50u, 25u}) {
    SCOPED_TRACE(stay);
    const CpuRays tasks = run_cpu_rays(GetParam(), true, stay, *scene, kWidth);
    EXPECT_NO_THROW(expect_hits("tasks", expected, tasks.hits.t.data(), tasks.hits.primitive.data()));
    // The rays take the same steps, in warps that hold different rays.
    EXPECT_EQ(tasks.counts.lanes, loop.counts.lanes);
    EXPECT_GT(lanes_at_work(tasks), stay > 100 ? 0.9 : lanes_at_work(loop));
  }
}

TEST_P(SimtRays, AWrongHitIsNamed) {
  const auto scene = ray_scene(RayPlace::conference, 900);
  RayHits found = cpu_hits(*scene, 16);
  const RayHits expected = found;
  found.t[77] += 1e-6f * found.t[77];
  EXPECT_THROW(expect_hits("tasks", expected, found.t.data(), found.primitive.data()), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Machines, SimtRays, testing::Values("cpu", "emulated"));

}  // namespace
}  // namespace brokkr::simt::test
