// Micropolygons: at full quality every machine draws the same picture, a limit is kept, and there are no cracks.
#include "reyes/reyes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <map>
#include <stdexcept>

#include "pipeline/cpu_machine.h"
#include "reyes/patches.h"
#include "reyes/reyes_command.h"

namespace brokkr {
namespace {

std::vector<ReyesMachine> machines() {
  std::vector<ReyesMachine> all;
#define X(build)                                                     \
  if (std::string(#build) == "emulated")                             \
    all.push_back({.machine = "emulated", .isa = {}, .workers = 1}); \
  else if (cpu_supports(#build))                                     \
    all.push_back({.machine = "cpu", .isa = #build, .workers = 1});
  BROKKR_HAVE_ISA_LIST
#undef X
  for (const MachineInfo& machine : find_machines()) {
    const bool cuda = machine.kind == MachineKind::cuda && machine.available;
    if (cuda) all.push_back({.machine = "cuda", .isa = {}, .workers = 0});
  }
  return all;
}
std::string title(const ReyesMachine& m) { return m.machine + m.isa + " with " + std::to_string(m.workers); }

ReyesOptions small() {
  ReyesOptions o;
  o.width = 96;
  o.height = 72;
  o.rate = 3;
  o.grid = 4;
  return o;
}

using Edge = std::array<float, 6>;
Edge edge_of(const glm::vec4& a, const glm::vec4& b) {
  const Edge ab{a.x, a.y, a.z, b.x, b.y, b.z}, ba{b.x, b.y, b.z, a.x, a.y, a.z};
  return std::min(ab, ba);
}

// Edges by the bits of their two positions, with the number of triangles that have them from a to b and from b to a.
// Triangles without area count if they have three different corners.
std::map<Edge, int> edges_of(const Frame& frame) {
  std::map<Edge, int> edges;
  for (size_t k = 0; k + 2 < frame.indices.size(); k += 3) {
    for (size_t c = 0; c < 3; ++c) {
      const glm::vec4 a = frame.positions[frame.indices[k + c]], b = frame.positions[frame.indices[k + (c + 1) % 3]];
      if (a != b) ++edges[edge_of(a, b)];
    }
  }
  return edges;
}

// A wavy sheet of patches in front of the whole picture.
PatchScene sheet() {
  PatchScene scene;
  scene.name = "sheet";
  scene.palette = {{}};
  constexpr int kSide = 4;
  const auto height = [](float x, float y) { return 0.35f * std::sin(2.1f * x + 0.4f) * std::cos(1.7f * y); };
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      for (int k = 0; k < 16; ++k) {
        // Every second patch is turned, so that sides meet in both directions and along both u and v.
        const bool turned = (row + column) % 2 == 1;
        const int i = turned ? 3 - k / 4 : k % 4, j = turned ? k % 4 : k / 4;
        const float x = float(3 * column + i) / 3 - kSide / 2, y = float(3 * row + j) / 3 - kSide / 2;
        scene.points.emplace_back(x, y, height(x, y));
      }
      scene.materials.push_back(0);
    }
  }
  scene.camera = Camera{.eye = {0, 0, 2.2f}, .target = {0, 0, 0}, .fov = 50};
  return scene;
}

TEST(Reyes, FullQualityIsOnePictureOnEveryMachine) {
  for (const auto& make : {teapot_scene, tea_set_scene}) {
    std::vector<uint32_t> first;
    uint32_t grids = 0;
    for (ReyesMachine machine : machines()) {
      for (const uint32_t workers : {1u, 2u}) {
        if (machine.machine != "cuda") machine.workers = workers;
        Reyes reyes(make(), machine);
        const ReyesFrame frame = reyes.draw(0.2f, small());
        ASSERT_FALSE(frame.layer.color.empty());
        if (first.empty()) {
          first = frame.layer.color;
          grids = frame.statistics.counts.grids;
        }
        EXPECT_EQ(frame.statistics.counts.grids, grids) << title(machine);
        EXPECT_TRUE(frame.layer.color == first) << title(machine) << ", " << reyes.scene().name;
        EXPECT_EQ(frame.statistics.counts.stopped, 0u) << title(machine);
      }
    }
    EXPECT_GT(grids, 32u);
  }
}

TEST(Reyes, ALimitOfTasksGivesTheSamePictureEachTimeWithOneWorker) {
  for (const ReyesMachine& machine : machines()) {
    if (machine.machine == "cuda") continue;
    ReyesOptions o = small();
    o.tasks = 40;
    o.fixation = Point{70, 40};
    Reyes reyes(teapot_scene(), machine);
    const ReyesFrame once = reyes.draw(0, o), twice = reyes.draw(0, o);
    EXPECT_TRUE(once.layer.color == twice.layer.color) << title(machine);
    EXPECT_EQ(once.statistics.counts.splits, 40u) << title(machine);
    EXPECT_GT(once.statistics.counts.stopped, 0u) << title(machine);
  }
}

TEST(Reyes, ABudgetThatSufficesGivesFullQuality) {
  for (const ReyesMachine& machine : machines()) {
    if (machine.machine == "cuda") continue;
    Reyes reyes(teapot_scene(), machine);
    ReyesOptions o = small();
    const Layer full = reyes.draw(0, o).layer;
    o.budget_ms = 3.6e6;
    const ReyesFrame frame = reyes.draw(0, o);
    EXPECT_TRUE(frame.layer.color == full.color) << title(machine);
    EXPECT_FALSE(frame.statistics.missed) << title(machine);
    EXPECT_EQ(frame.statistics.counts.stopped, 0u) << title(machine);
  }
}

TEST(Reyes, WithoutTimeNothingIsSplitAndAllIsDrawn) {
  for (const ReyesMachine& machine : machines()) {
    Reyes reyes(sheet(), machine);
    ReyesOptions o = small();
    o.budget_ms = 1e-6;
    const ReyesFrame frame = reyes.draw(0, o);
    EXPECT_EQ(frame.statistics.counts.splits, 0u) << title(machine);
    EXPECT_EQ(frame.statistics.counts.grids + frame.statistics.counts.culled, 16u) << title(machine);
    EXPECT_TRUE(frame.statistics.missed) << title(machine);
    EXPECT_TRUE(frame.statistics.miss == ReyesMiss::least || frame.statistics.waited_ms >= frame.statistics.frame_ms)
        << title(machine);
    EXPECT_GT(frame.statistics.least_ms, o.budget_ms) << title(machine);
    EXPECT_EQ(std::count(frame.layer.depth.begin(), frame.layer.depth.end(), 1.0f), 0) << title(machine);
  }
}

TEST(Reyes, LimitsAreKeptByAnyNumberOfWorkers) {
  for (ReyesMachine machine : machines()) {
    for (const uint32_t workers : {1u, 3u}) {
      if (machine.machine != "cuda") machine.workers = workers;
      Reyes reyes(tea_set_scene(), machine);
      for (const uint32_t tasks : {0u, 1u, 100u}) {
        ReyesOptions o = small();
        o.tasks = tasks;
        const ReyesStatistics s = reyes.draw(0, o).statistics;
        EXPECT_LE(s.counts.splits, tasks) << title(machine);
        // Each split makes one piece more, and each piece ends as a grid or is culled.
        EXPECT_EQ(s.counts.grids + s.counts.culled, reyes.scene().patches() + s.counts.splits) << title(machine);
        EXPECT_EQ(s.counts.total, s.counts.grids) << title(machine);
        for (const uint32_t queued : s.counts.queued) EXPECT_EQ(queued, 0u) << title(machine);
      }
    }
  }
}

TEST(Reyes, TheMostUrgentIsSplitFirst) {
  for (const ReyesMachine& machine : machines()) {
    if (machine.machine == "cuda") continue;
    Reyes reyes(sheet(), machine);
    ReyesOptions o = small();
    o.tasks = 120;
    o.fixation = Point{20, 20};
    o.rate = 1;
    // The mean distance of triangles from the fixation point on the sheet.
    std::map<SplitPriority, double> near;
    for (const SplitPriority priority : {SplitPriority::size, SplitPriority::both, SplitPriority::distance}) {
      o.priority = priority;
      reyes.draw(0, o, false);
      const Frame& frame = reyes.frame();
      const glm::mat4 clip = frame.views[0].view_projection;
      double sum = 0;
      for (const uint32_t index : frame.indices) {
        const glm::vec4 p = clip * frame.positions[index];
        sum += std::hypot((p.x / p.w * 0.5 + 0.5) * o.width - 20, (p.y / p.w * 0.5 + 0.5) * o.height - 20);
      }
      near[priority] = sum / double(frame.indices.size());
    }
    EXPECT_LT(near[SplitPriority::both], 0.9 * near[SplitPriority::size]) << title(machine);
    EXPECT_LT(near[SplitPriority::distance], 0.9 * near[SplitPriority::size]) << title(machine);
  }
}

TEST(Reyes, ABoundThatComesDownChangesNothingButTheOrder) {
  for (const ReyesMachine& machine : machines()) {
    Reyes reyes(tea_set_scene(), machine);
    ReyesOptions o = small();
    o.rate = 1.5f;
    const ReyesFrame whole = reyes.draw(0, o);
    EXPECT_EQ(whole.statistics.halvings, 0u) << title(machine);
    o.decreasing_priorities = true;
    o.priority = SplitPriority::distance;  // no piece is more urgent than a piece as large as a grid
    const ReyesFrame same = reyes.draw(0, o);
    EXPECT_GT(same.statistics.halvings, 0u) << title(machine);
    EXPECT_TRUE(same.layer.color == whole.layer.color) << title(machine);
    EXPECT_EQ(same.statistics.counts.splits, whole.statistics.counts.splits) << title(machine);
    o.tasks = 40;
    const ReyesStatistics s = reyes.draw(0, o).statistics;
    EXPECT_LE(s.counts.splits, 40u) << title(machine);
    EXPECT_EQ(s.counts.grids + s.counts.culled, reyes.scene().patches() + s.counts.splits) << title(machine);
  }
}

TEST(Reyes, NothingShinesThroughBetweenGridsOfDifferentDepth) {
  for (const ReyesMachine& machine : machines()) {
    Reyes reyes(sheet(), machine);
    for (const uint32_t tasks : {5u, 23u, 90u, 400u}) {
      ReyesOptions o = small();
      o.rate = 1;
      o.tasks = tasks;
      o.fixation = Point{30, 50};
      o.priority = SplitPriority::distance;
      const ReyesFrame frame = reyes.draw(0, o);
      EXPECT_GT(frame.statistics.counts.stitched, 0u) << title(machine) << ", " << tasks;
      // Cleared pixels have depth 1.
      EXPECT_EQ(std::count(frame.layer.depth.begin(), frame.layer.depth.end(), 1.0f), 0)
          << title(machine) << ", " << tasks;
    }
  }
}

TEST(Reyes, ClosedSurfacesStayClosed) {
  const auto solid = [](int x, int, int z) { return x == 1 && z == 1 ? -1 : 0; };  // a ring
  const auto place = [](float x, float y, float z) { return glm::vec3(x, y, 0.9f * z); };
  PatchScene scene;
  scene.name = "ring";
  scene.palette = {{}};
  append_patches(scene, cage_of_cubes({3, 2, 3}, solid, place));
  for (const ReyesMachine& machine : machines()) {
    Reyes reyes(scene, machine);
    for (const uint32_t tasks : {0u, 17u, 130u, 131u, 1u << 30}) {
      ReyesOptions o = small();
      o.rate = 1.5f;
      o.tasks = tasks;
      if (tasks == 131) o.grid = 1;  // as with a budget that is only just enough
      o.fixation = Point{60, 30};
      const ReyesStatistics s = reyes.draw(0, o, false).statistics;
      ASSERT_EQ(s.counts.culled, 0u);
      if (tasks == 17 || tasks == 130) {
        EXPECT_GT(s.counts.stitched, 0u) << title(machine);
      }
      for (const auto& [edge, uses] : edges_of(reyes.frame())) {
        ASSERT_EQ(uses % 2, 0) << title(machine) << ", " << tasks << ": an edge at " << edge[0] << ' ' << edge[1] << ' '
                               << edge[2];
      }
    }
  }
}

TEST(Reyes, PiecesBehindTheEyeAreDrawn) {
  for (const ReyesMachine& machine : machines()) {
    Reyes reyes(sheet(), machine);
    ReyesOptions o = small();
    // Next to the sheet, which extends behind the eye and fills the lower half.
    o.camera = "eye=0,0.6,0.8 target=0,2,0.75 up=0,0,1 fov=80";
    const ReyesFrame frame = reyes.draw(0, o);
    const auto covered =
        std::count_if(frame.layer.depth.begin(), frame.layer.depth.end(), [](float d) { return d < 1; });
    EXPECT_GT(covered, 96 * 72 / 6) << title(machine);
    // Directly below, the near plane cuts nothing.
    EXPECT_LT(frame.layer.depth[48], 1.0f) << title(machine);
  }
}

TEST(Reyes, MemoryGrowsWithThePicture) {
  ReyesMachine machine;
  machine.machine = "cpu";
  machine.workers = 2;
  Reyes reyes(sheet(), machine);
  ReyesOptions o = small();
  o.width = 640;
  o.height = 480;
  o.rate = 1;
  o.grid = 2;
  const ReyesStatistics s = reyes.draw(0, o, false).statistics;
  EXPECT_GT(s.counts.grids, 5000u);  // more grids than the buffer holds at first
  EXPECT_EQ(s.counts.crowded, 0u);
  EXPECT_EQ(s.counts.lost, 0u);
}

TEST(Reyes, MistakesAreSaid) {
  EXPECT_THROW(Reyes(teapot_scene(), {.machine = "abacus"}), std::invalid_argument);
  Reyes reyes(teapot_scene(), {.machine = "cpu"});
  ReyesOptions o = small();
  o.rate = 0;
  EXPECT_THROW(reyes.draw(0, o), std::runtime_error);
  o = small();
  o.camera = "fov=900";
  EXPECT_THROW(reyes.draw(0, o), std::runtime_error);
  o = small();
  o.grid = 5;
  EXPECT_THROW(reyes.draw(0, o), std::runtime_error);
  EXPECT_NO_THROW(reyes.draw(0, small()));  // the renderer still works after the failure
}

TEST(ReyesCompare, ErrorsAreCountedWhereTheyAre) {
  Layer a, b;
  a.width = b.width = 40;
  a.height = b.height = 30;
  a.color.assign(1200, 0xff404040u);
  b.color = a.color;
  b.color[15 * 40 + 20] = 0xff404043u;  // one channel, by 3, at the fixation point
  const std::vector<RingError> rings = errors_by_distance(a, b, {20.5f, 15.5f}, 4);
  ASSERT_EQ(rings.size(), 4u);
  uint64_t pixels = 0;
  for (const RingError& ring : rings) pixels += ring.pixels;
  EXPECT_EQ(pixels, 1200u);
  EXPECT_NEAR(rings[0].rmse, std::sqrt(9.0 / (3.0 * double(rings[0].pixels))), 1e-9);
  for (size_t k = 1; k < 4; ++k) EXPECT_EQ(rings[k].rmse, 0);
  EXPECT_EQ(difference_picture(a, b, 10)[15 * 40 + 20], 0xff00001eu);
  EXPECT_EQ(difference_picture(a, b, 10)[0], 0xff000000u);
  b.width = 30;
  b.height = 40;
  EXPECT_THROW(errors_by_distance(a, b, {0, 0}, 4), std::invalid_argument);
}

}  // namespace
}  // namespace brokkr
