// If the bound says that a frame needs no clipping, no camera position makes it need any.

#include <gtest/gtest.h>

#include <glm/ext/matrix_transform.hpp>

#include "brokkr/load.h"
#include "geometry/triangle_store.h"
#include "oracle/clip_distance.h"
#include "oracle/frame_builder.h"
#include "pictures.h"
#include "plan/prepare.h"
#include "schedule/schedule_tables.h"

namespace brokkr {
namespace {

Frame scene(const std::string& spec) {
  LoadOptions load;
  load.width = 320;
  load.height = 180;
  return load_frame(spec, load);
}

TEST(ClipBound, HoldsWhereverTheCameraGoes) {
  for (const char* name : {"generated:sphere-1m?triangles=2000", "generated:city"}) {
    SCOPED_TRACE(name);
    Frame frame = scene(name);
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    PreparedFrame::Impl& f = PreparedFrame::Impl::of(prepared);
    const glm::mat4 start = frame.views[0].view_projection;
    int inside = 0, outside = 0;
    for (int step = -60; step <= 60; ++step) {
      for (const float across : {0.0f, 0.4f, 30.0f}) {
        const float part = float(step) / 60, along = 6 * part * part * part;
        frame.views[0].view_projection = glm::translate(start, glm::vec3(across * along, along, along));
        prepared.update_views();
        if (f.inside) {
          EXPECT_GE(oracle::least_clip_distance(f), 0.0f) << along << ' ' << across;
          ++inside;
        } else {
          outside += oracle::least_clip_distance(f) < 0.0f;
        }
      }
    }
    EXPECT_GT(outside, 0);
    if (std::string(name).find("sphere") != std::string::npos) {
      EXPECT_GT(inside, 20);
    }
  }
}

TEST(ClipBound, WholeObjectsAreInside) {
  const Frame frame = scene("generated:sphere-1m?triangles=2000");
  EXPECT_TRUE(PreparedFrame::Impl::of(Renderer().prepare(frame)).inside);
}

// In clip space a single corner decides, and NaN is never inside.
TEST(ClipBound, ClipSpaceCornersDecide) {
  const auto inside = [](const glm::vec4& corner) {
    oracle::FrameBuilder b(64, 64);
    b.draw(b.default_state(), {{-0.5f, -0.5f, 0, 1}, {0.5f, -0.5f, 0, 1}, corner});
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(b.frame);
    const bool found = PreparedFrame::Impl::of(prepared).inside;
    RenderOptions o;
    o.machine = MachineKind::cpu;
    const uint64_t clipped = renderer.render(prepared, o).statistics.triangles_clipped;
    EXPECT_TRUE(!found || clipped == 0);
    return found;
  };
  EXPECT_TRUE(inside({0, 0.5f, 0.5f, 1}));
  EXPECT_TRUE(inside({0, 200, 0.5f, 1}));    // outside the picture, within the guard band
  EXPECT_FALSE(inside({0, 2000, 0.5f, 1}));  // beyond the guard band
  EXPECT_FALSE(inside({0, 0.5f, -2, 1}));
  EXPECT_FALSE(inside({0, 0.5f, 2, 1}));
  EXPECT_FALSE(inside({0, 0.5f, 0, -1}));
  EXPECT_FALSE(inside({0, NAN, 0, 1}));
  EXPECT_FALSE(inside({0, INFINITY, 0, 1}));
}

// A batch takes one block of the store. The memory is as large as with clipping, so that a camera may switch between
// both.
TEST(ClipBound, TasksNeedFewerBlocksOfTheSameStore) {
  Frame frame = scene("generated:sphere-1m?triangles=200000");
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  PreparedFrame::Impl& f = PreparedFrame::Impl::of(prepared);
  LaunchShape shape;
  shape.blocks = 132;
  shape.warps = 8;
  shape.width = 32;
  const auto plan = [&] { return f.plans.get(f, plan_key(f, RenderOptions(), shape)); };
  const auto inside = plan();
  frame.views[0].view_projection = glm::translate(frame.views[0].view_projection, glm::vec3(0, 0, 100));
  prepared.update_views();
  const auto clipped = plan();
  EXPECT_TRUE(inside->draws->inside);
  EXPECT_FALSE(clipped->draws->inside);
  EXPECT_EQ(inside->sizes.blocks_per_task, inside->sizes.task_batches);
  EXPECT_EQ(clipped->sizes.blocks_per_task, clipped->sizes.task_batches * kBlocksPerBatch);
  EXPECT_EQ(inside->memory, clipped->memory);
}

}  // namespace
}  // namespace brokkr
