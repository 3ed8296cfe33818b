// A frame's plan is made once for each setting and kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <tuple>

#include "brokkr/load.h"
#include "pictures.h"
#include "plan/prepare.h"

namespace brokkr {
namespace {

using Plan = std::shared_ptr<const LaunchPlan>;

Frame small_city() {
  LoadOptions load;
  load.width = 320;
  load.height = 180;
  return load_frame("generated:city", load);
}

// Its table takes some hundred milliseconds to make.
RenderOptions slow_pattern() {
  RenderOptions o;
  o.machine = MachineKind::cpu;
  o.workers = 2;
  o.rasterizers = 128;
  o.pattern = PatternKind::hierarchical_maximized_distance;
  return o;
}

class PlanTest : public testing::Test {
 protected:
  Plan render(const RenderOptions& options) {
    result_ = renderer_.render(prepared_, options);
    return PreparedFrame::Impl::of(prepared_).plans.plans.latest();
  }

  Frame frame_ = small_city();
  Renderer renderer_;
  PreparedFrame prepared_ = renderer_.prepare(frame_);
  RenderResult result_;
};

TEST_F(PlanTest, NextFramesTakeTheSamePlan) {
  const Plan first = render(slow_pattern());
  const RenderResult expected = std::move(result_);
  EXPECT_EQ(first->targets->pattern, "hierarchical-maximized-distance");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(render(slow_pattern()), first);
    test::expect_same_pictures(expected.targets, result_.targets);
  }
}

TEST_F(PlanTest, SettingsThatTakeTurnsKeepTheirPlans) {
  const RenderOptions a = slow_pattern();
  RenderOptions b = a, c = a;
  b.pattern = PatternKind::van_der_corput;
  c.reuse = ReuseMode::precomputed;
  const Plan of_a = render(a), of_b = render(b), of_c = render(c);
  EXPECT_NE(of_a, of_b);
  EXPECT_NE(of_a, of_c);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(render(a), of_a);
    EXPECT_EQ(render(b), of_b);
    EXPECT_EQ(render(c), of_c);
  }
}

TEST_F(PlanTest, ACameraMovesWithoutANewPlan) {
  const Plan first = render(slow_pattern());
  const uint64_t tables = PreparedFrame::Impl::of(prepared_).version,
                 views = PreparedFrame::Impl::of(prepared_).views_version;
  frame_.views[0].view_projection[3][0] += 0.25f;
  prepared_.update_views();
  EXPECT_EQ(render(slow_pattern()), first);
  EXPECT_EQ(PreparedFrame::Impl::of(prepared_).version, tables);
  EXPECT_NE(PreparedFrame::Impl::of(prepared_).views_version, views);
  test::expect_same_pictures(Renderer().render(frame_, slow_pattern()).targets, result_.targets);
}

// Geometry writes keys of small triangles into a plane that the next frame uses again.
TEST_F(PlanTest, NothingOfAnEarlierCameraStays) {
  for (const MachineKind machine : test::machines()) {
    RenderOptions o;
    o.machine = machine;
    o.keep_ids = true;
    o.small_triangles = SmallTriangles::direct;
    render(o);
    EXPECT_GT(result_.statistics.triangles_direct, 0u);
    frame_.views[0].view_projection[3][0] += 0.75f;
    prepared_.update_views();
    render(o);
    test::expect_same_pictures(Renderer().render(frame_, o).targets, result_.targets);
  }
}

TEST_F(PlanTest, OptionsOfTheLaunchAloneDoNotChangeIt) {
  const Plan first = render(slow_pattern());
  const std::vector<std::function<void(RenderOptions&)>> changes = {
      [](RenderOptions& o) { o.ownership = Ownership::fixed; },
      [](RenderOptions& o) { o.policy = Policy::round_robin; },
      [](RenderOptions& o) {
        o.quotas = {2, 3};
      },
      [](RenderOptions& o) { o.hierarchical_depth = false; },
      [](RenderOptions& o) { o.vertex_work = 4; },
      [](RenderOptions& o) { o.thread_time = true; },
      [](RenderOptions& o) { o.frame_budget_ms = 1e6; },
      [](RenderOptions& o) { o.reuse = ReuseMode::warp; },
      [](RenderOptions& o) {
        o.fixation = {{3, 4}};
      },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    RenderOptions o = slow_pattern();
    changes[i](o);
    EXPECT_EQ(render(o), first) << "change " << i;
  }
}

// A new fixation point, another number of workers or another reuse strategy needs no new pattern.
TEST_F(PlanTest, PartsAreMadeOnlyWhereTheirKeyDiffers) {
  RenderOptions o = slow_pattern();
  o.policy = Policy::foveated;
  const Plan first = render(o);
  ASSERT_EQ(first->ranks.size(), 128u);
  for (const float x : {10.0f, 20.0f, 30.0f}) {
    o.fixation = {{x, 90}};
    const Plan next = render(o);
    EXPECT_NE(next->ranks, first->ranks);
    EXPECT_EQ(next->targets, first->targets);
    EXPECT_EQ(next->draws, first->draws);
  }
  o = slow_pattern();
  o.workers = 1;
  EXPECT_EQ(render(o)->targets, first->targets);
  EXPECT_EQ(render(o)->draws, first->draws);
  o.reuse = ReuseMode::amd;
  EXPECT_EQ(render(o)->targets, first->targets);
  EXPECT_NE(render(o)->draws, first->draws);
  o = slow_pattern();
  o.bin = 32;
  EXPECT_NE(render(o)->targets, first->targets);
  EXPECT_EQ(render(o)->draws, first->draws);
}

// The caller's time is frame_ms plus read_back_ms on every machine: no work is done outside them, where no figure would
// show it. Another program may take the processor between two readings of the clock, so one good call is enough.
TEST_F(PlanTest, FrameTimeIsWhatTheCallerWaitsFor) {
  using Clock = std::chrono::steady_clock;
  for (const MachineKind machine : test::machines()) {
    SCOPED_TRACE(name_of(machine));
    RenderOptions o = slow_pattern();
    o.machine = machine;
    for (const bool read_back : {true, false}) {
      double left_out = 1;  // the part of the caller's time that is missing, in the best call
      for (int calls = 0; calls < 50 && left_out > 0.02; ++calls) {
        const auto begin = Clock::now();
        const RenderResult result = renderer_.render(prepared_, o, read_back);
        const double call_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        const Statistics& s = result.statistics;
        EXPECT_GT(s.launch_ms, 0);
        EXPECT_GE(s.frame_ms, s.launch_ms + s.upload_ms);
        EXPECT_EQ(s.read_back_ms > 0, read_back);
        EXPECT_LE(s.frame_ms + s.read_back_ms, call_ms);
        left_out = std::min(left_out, 1 - (s.frame_ms + s.read_back_ms) / call_ms);
      }
      EXPECT_LE(left_out, 0.02);
    }
  }
}

// An empty list has no first element whose address could be taken.
TEST(PreparedTables, ListsThatAreEmptyAreNull) {
  Frame frame;
  frame.targets.push_back({.width = 8, .height = 8});
  frame.views.emplace_back();
  frame.commands.emplace_back(ClearCommand{.color = glm::vec4(1), .depth = 1.0f});
  Renderer renderer;
  const PreparedFrame prepared = renderer.prepare(frame);
  const PreparedFrame::Impl& tables = PreparedFrame::Impl::of(prepared);
  PlanCache plans;
  const FrameTables t = tables.tables(*plans.get(tables, plan_key(tables, {}, {}))->draws);
  for (const float* const list : {t.positions, t.normals, t.texcoords, t.second_texcoords, t.colors, t.models})
    EXPECT_EQ(list, nullptr);
}

// Batches of a planned strategy take seconds for a large frame. A cancelled plan is not kept.
TEST(ReusePlans, AreEndedByTheirWatch) {
  const Frame frame = load_frame("generated:overlap-10k?triangles=100000&draws=10", {});
  Renderer renderer;
  const PreparedFrame prepared = renderer.prepare(frame);
  const PreparedFrame::Impl& tables = PreparedFrame::Impl::of(prepared);
  struct Ended {};
  constexpr int kQuestions = 20;
  for (const ReuseMode mode :
       {ReuseMode::nvidia, ReuseMode::amd, ReuseMode::intel, ReuseMode::precomputed, ReuseMode::block}) {
    RenderOptions o;
    o.reuse = mode;
    PlanCache plans;
    int asked = 0;
    const auto watch = [&] {
      if (++asked == kQuestions) throw Ended();
    };
    EXPECT_THROW(plans.get(tables, plan_key(tables, o, {}), watch), Ended) << name_of(mode) << " asked " << asked;
    EXPECT_EQ(asked, kQuestions);
    const Plan plan = plans.get(tables, plan_key(tables, o, {}));
    ASSERT_NE(plan->draws->reuse, nullptr);
    EXPECT_GE(plan->draws->reuse->batches.size(), size_t(100000 / 128));
  }
}

// The work that a warp must finish before its block leaves an aborted launch, measured for many settings. Tasks of
// several batches visit at most a million pairs of a triangle and a bin, for any bins, rasterizers, workers, targets
// and machine. The emulated machine has the GPU's shape and no separate worst case. It is only slower, since threads of
// one core are its warps.
TEST(TaskSizes, WorkOfATaskIsBounded) {
  constexpr uint64_t kMaxPairs = uint64_t(1) << 20;
  uint64_t worst = 0, several = 0;
  for (const int height : {120, 1080, 2160}) {
    LoadOptions load;
    load.width = height * 16 / 9;
    load.height = height;
    const Frame frame = load_frame("generated:overlap-10k?triangles=100000", load);
    Renderer renderer;
    const PreparedFrame prepared = renderer.prepare(frame);
    const PreparedFrame::Impl& tables = PreparedFrame::Impl::of(prepared);
    for (int bin = 8; bin <= 256; bin *= 2) {
      for (const int rasterizers : {1, 20, 4096}) {
        for (const auto& [blocks, warps, width] :
             {std::tuple(1, 1, 8), std::tuple(2, 1, 8), std::tuple(64, 1, 8), std::tuple(2, 8, 32)}) {
          RenderOptions o;
          o.bin = bin;
          o.rasterizers = rasterizers;
          LaunchShape shape;
          shape.blocks = blocks;
          shape.warps = warps;
          shape.width = width;
          PlanCache plans;
          const Plan plan = plans.get(tables, plan_key(tables, o, shape));
          const TargetRecord& target = plan->targets->targets.front();
          const uint64_t of_batch = uint64_t(plan->draws->batch_triangles) * target.bins_x * target.bins_y;
          const uint64_t pairs = of_batch * plan->sizes.task_batches;
          EXPECT_LE(pairs, std::max(kMaxPairs, of_batch)) << height << ' ' << bin << ' ' << rasterizers;
          worst = std::max(worst, pairs);
          several += plan->sizes.task_batches > 1;
        }
      }
    }
  }
  EXPECT_GT(worst, kMaxPairs / 2) << "the search found no case near the bound";
  EXPECT_GT(several, 0u);
}

}  // namespace
}  // namespace brokkr
