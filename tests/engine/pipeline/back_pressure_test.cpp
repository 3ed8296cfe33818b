// The smallest triangle store: all stages wait for each other, and the picture stays the same.
#include <gtest/gtest.h>

#include "oracle/frame_builder.h"
#include "pictures.h"

namespace brokkr {
namespace {

using oracle::FrameBuilder;

constexpr int kStoreMinimum = 8;  // the blocks that a batch of clipped triangles may fill, plus one

// Deterministic numbers in [-1, 1).
class Random {
 public:
  float operator()() {
    state_ = state_ * 1664525u + 1013904223u;
    return float(state_ >> 8) * (2.0f / 16777216.0f) - 1.0f;
  }

 private:
  uint32_t state_ = 7;
};

// A triangle with one visible corner before the near plane, one visible corner behind the far plane, and one beyond two
// sides of the guard band. Clipping leaves up to seven corners, and most pieces touch the view.
void add_monster(Random& random, std::vector<glm::vec4>& out) {
  out.emplace_back(-0.4f + 0.3f * random(), 0.4f + 0.3f * random(), -1.5f + 0.3f * random(), 1.0f);
  out.emplace_back(0.5f + 0.3f * random(), 0.2f + 0.3f * random(), 1.5f + 0.3f * random(), 1.0f);
  out.emplace_back(2000 * (random() < 0 ? -1.0f : 1.0f), -1900.0f, 0.5f * random(), 1.0f);
}

// Alternating phases of both kinds, with clipped and whole triangles mixed.
Frame mixed_frame() {
  FrameBuilder b(72, 50);
  Random random;
  for (int d = 0; d < 9; ++d) {
    State state = b.default_state();
    if (d % 3 == 1) {
      state.blend = BlendState{};
      state.blend->color = {BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
      state.depth.write = false;
    }
    if (d % 3 == 2) state.depth.func = CompareFunc::greater;
    std::vector<glm::vec4> corners;
    for (int i = 0; i < 240; ++i) {
      if (i % 3 == 0) {
        add_monster(random, corners);
        continue;
      }
      const float x = random(), y = random(), z = random(), size = i % 7 == 0 ? 1.5f : 0.1f;
      for (int k = 0; k < 3; ++k)
        corners.emplace_back(x + size * random(), y + size * random(), z + 0.2f * random(), 1.0f);
    }
    b.draw(state, corners);
  }
  return std::move(b.frame);
}

RenderOptions base_options() {
  RenderOptions o;
  o.machine = MachineKind::cpu;
  o.shading = Shading::draw;
  o.keep_ids = true;
  return o;
}

TEST(BackPressure, ClippedTrianglesBecomeSeveral) {
  FrameBuilder b(64, 64);
  Random random;
  std::vector<glm::vec4> corners;
  for (int i = 0; i < 64; ++i) add_monster(random, corners);
  b.draw(b.default_state(), corners);
  const RenderResult r = Renderer().render(b.frame, base_options());
  EXPECT_EQ(r.statistics.triangles_clipped, 64u);
  EXPECT_GE(r.statistics.triangles_out,
            64u * 3 / 2);  // the exact number depends on the order in which a compiler draws numbers
}

TEST(BackPressure, SmallestStoreGivesTheSamePicture) {
  const Frame frame = mixed_frame();
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions o = base_options();
  o.store_blocks = 8192;
  o.rasterizers = 5;
  o.bin = 16;
  const RenderResult expected = renderer.render(prepared, o);
  EXPECT_EQ(expected.statistics.admission_waits, 0u);
  ASSERT_GT(expected.statistics.ordered_phases, 2u);
  ASSERT_GT(expected.statistics.phases, expected.statistics.ordered_phases + 2);
  ASSERT_GT(expected.statistics.triangles_clipped, 500u);

  struct Machine {
    MachineKind kind;
    int workers, warps;
  };
  for (const Machine m :
       {Machine{MachineKind::cpu, 1, 0}, Machine{MachineKind::cpu, 2, 0}, Machine{MachineKind::cpu, 7, 0},
        Machine{MachineKind::emulated, 1, 1}, Machine{MachineKind::emulated, 1, 2}, Machine{MachineKind::cuda, 1, 8},
        Machine{MachineKind::cuda, 3, 8}}) {
    if (!test::is_there(m.kind)) continue;
    for (const Ownership ownership : {Ownership::fixed, Ownership::stealing}) {
      for (const Policy policy : {Policy::fill_level, Policy::geometry_first, Policy::raster_first}) {
        // Warps that wait for each other are slow with few cores: two pairs of choices are enough.
        if (m.warps > 1 && (ownership == Ownership::fixed) != (policy == Policy::fill_level)) continue;
        if (m.warps > 1 && policy == Policy::geometry_first) continue;
        for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
          SCOPED_TRACE("machine " + std::to_string(int(m.kind)) + ", workers " + std::to_string(m.workers) +
                       ", ownership " + std::to_string(int(ownership)) + ", policy " + std::to_string(int(policy)) +
                       ", order " + std::to_string(int(order)));
          o.machine = m.kind;
          o.workers = m.workers;
          o.warps_per_block = m.kind == MachineKind::emulated ? m.warps : 0;
          o.ownership = ownership;
          o.policy = policy;
          o.order = order;
          o.store_blocks = 1;
          const RenderResult r = test::render_to_end(renderer, prepared, o);
          test::expect_same_pictures(expected.targets, r.targets);
          EXPECT_GT(r.statistics.store_peak, 0u);
          EXPECT_LE(r.statistics.store_peak, uint64_t(kStoreMinimum));
          EXPECT_LE(r.statistics.queue_peak, uint64_t(kStoreMinimum));
          EXPECT_EQ(r.statistics.triangles_in, expected.statistics.triangles_in);
          EXPECT_EQ(r.statistics.triangles_out, expected.statistics.triangles_out);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Draws whose picture is copied at once. The draws after a copy fill the store while rasterizers still wait at its
// gate, so no task can start before each rasterizer has been visited twice. Policies ask for rasterizers during
// geometry, and the gate refuses them; none may be lost by that.
TEST(BackPressure, GatesOpenWithAFullStore) {
  FrameBuilder b(64, 64);
  b.frame.targets.push_back({1, 64, 64, 1, ColorFormat::rgba8});
  Random random;
  for (int d = 0; d < 6; ++d) {
    std::vector<glm::vec4> corners;
    add_monster(random, corners);  // a task may fill as much as a batch of clipped triangles
    b.draw(b.default_state(), corners);
    BlitCommand copy;
    copy.from = 0, copy.to = 1;
    copy.source = copy.destination = {0, 0, 64, 64};
    b.add(copy);
  }
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(b.frame);
  RenderOptions o = base_options();
  const RenderResult expected = renderer.render(prepared, o);
  ASSERT_EQ(expected.statistics.admission_waits, 0u);
  o.store_blocks = 1;
  o.bin = 16;
  uint64_t waits = 0;
  for (const MachineKind machine : test::machines()) {
    for (const Policy policy : {Policy::fill_level, Policy::geometry_first, Policy::raster_first, Policy::round_robin,
                                Policy::fair, Policy::priority, Policy::edf}) {
      for (const int rasterizers : {1, 2, 3, 6, 9}) {
        for (const Ownership ownership : {Ownership::fixed, Ownership::stealing}) {
          for (const int workers : {1, 2}) {
            SCOPED_TRACE("machine " + std::to_string(int(machine)) + ", policy " + std::to_string(int(policy)) +
                         ", rasterizers " + std::to_string(rasterizers) + ", ownership " +
                         std::to_string(int(ownership)) + ", workers " + std::to_string(workers));
            o.machine = machine;
            o.workers = workers;
            o.warps_per_block = machine == MachineKind::emulated ? 1 : 0;
            o.policy = policy;
            o.rasterizers = rasterizers;
            o.ownership = ownership;
            const RenderResult r = test::render_to_end(renderer, prepared, o, 5);
            test::expect_same_pictures(expected.targets, r.targets);
            waits += r.statistics.admission_waits;
            if (HasFailure()) return;
          }
        }
      }
    }
  }
  EXPECT_GT(waits, 0u);
}

// Blits between a corner of a large target and a small one. Rasterizers that hold nothing of them pass by.
TEST(BackPressure, OnlyRasterizersOfABlitWaitAtItsGate) {
  constexpr int kBlits = 40;
  FrameBuilder b(256, 256);
  b.frame.targets.push_back({1, 32, 32, 1, ColorFormat::rgba8});
  Random random;
  for (int i = 0; i < kBlits; ++i) {
    std::vector<glm::vec4> corners;
    add_monster(random, corners);
    b.draw(b.default_state(), corners);
    BlitCommand there;
    there.from = 0, there.to = 1;
    there.source = {5 * i, 16, 32, 32};
    there.destination = {0, 0, 32, 32};
    BlitCommand back;
    back.from = 1, back.to = 0;
    back.source = {32, 0, -32, 16};  // turned around
    back.destination = {250 - 6 * i, 200, 20, 100};
    b.add(i % 2 == 0 ? there : back);
  }
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(b.frame);
  RenderOptions o = base_options();
  o.rasterizers = 1;
  const RenderResult expected = renderer.render(prepared, o);
  o.bin = 16;
  o.rasterizers = 64;
  for (const MachineKind machine : test::machines()) {
    for (const Ownership ownership : {Ownership::fixed, Ownership::stealing}) {
      for (const int workers : {1, 2}) {
        SCOPED_TRACE("machine " + std::to_string(int(machine)) + ", ownership " + std::to_string(int(ownership)) +
                     ", workers " + std::to_string(workers));
        o.machine = machine;
        o.workers = workers;
        o.ownership = ownership;
        const RenderResult r = test::render_to_end(renderer, prepared, o, 5);
        test::expect_same_pictures(expected.targets, r.targets);
        if (workers == 1) EXPECT_LT(r.statistics.visits, uint64_t(kBlits * o.rasterizers));
      }
    }
  }
}

// A store with one more block works too; sizes need not be powers of two.
TEST(BackPressure, EveryStoreSize) {
  const Frame frame = mixed_frame();
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions o = base_options();
  o.workers = 2;
  o.bin = 32;
  const RenderResult expected = renderer.render(prepared, o);
  for (const int blocks : {8, 9, 15, 16, 17, 33, 100, 129}) {
    SCOPED_TRACE(std::to_string(blocks) + " blocks");
    o.store_blocks = blocks;
    const RenderResult r = test::render_to_end(renderer, prepared, o);
    test::expect_same_pictures(expected.targets, r.targets);
    EXPECT_LE(r.statistics.store_peak, uint64_t(blocks));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace brokkr
