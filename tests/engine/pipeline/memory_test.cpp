// Memory: a part that does not depend on the number of triangles, and the input with its tables.
#include <gtest/gtest.h>

#include "brokkr/load.h"
#include "frame/frame_tables.h"
#include "pictures.h"
#include "plan/expand.h"

namespace brokkr {
namespace {

LoadOptions size_of(int width, int height) {
  LoadOptions load;
  load.width = width;
  load.height = height;
  return load;
}

template <typename T>
uint64_t bytes(const std::vector<T>& v) {
  return v.size() * sizeof(T);
}

// The memory that a prepared frame may take. It has its input; a word per batch; a record per draw (one prepared, one
// planned), run, view and material; mip chains of 8 bytes per texel and a third; and the triangles of lines, points and
// restarted strips: up to three lines per triangle, each with 4 vertices and 6 indices.
uint64_t frame_limit(const Frame& f) {
  uint64_t limit = bytes(f.indices) + bytes(f.positions) + bytes(f.normals) + bytes(f.texcoords) +
                   bytes(f.second_texcoords) + bytes(f.colors) + bytes(f.models) + f.views.size() * sizeof(ViewRecord) +
                   f.materials.size() * sizeof(MaterialRecord) + f.textures.size() * sizeof(TextureRecord);
  for (const Texture& t : f.textures) limit += (t.texels.size() * 8 * 4 + 2) / 3 + 8 * kMaxTextureLevels;
  for (const Command& c : f.commands) {
    limit += 2 * sizeof(PhaseRecord);
    const auto* draw = std::get_if<DrawCommand>(&c);
    if (draw == nullptr) continue;
    const uint64_t runs = uint64_t(draw->instances) * draw->view_count;
    limit += 2 * (sizeof(DrawRecord) + 4) * draw->view_count + runs * sizeof(RunRecord);
    uint64_t triangles = primitive_count(draw->topology, draw->element_count);
    if (needs_expansion(*draw, f.states[draw->state])) {
      const uint64_t lines = 3 * uint64_t(draw->element_count) * draw->instances;
      limit += lines * (6 * 4 + 4 * 16);
      triangles = 2 * lines;
    }
    limit += runs * (triangles / kBatchTriangles + 1) * 4;
  }
  return limit;
}

TEST(Memory, FixedPartDoesNotGrowWithTriangles) {
  const Frame small = load_frame("generated:sphere-100k", size_of(640, 360)),
              large = load_frame("generated:sphere-1m", size_of(640, 360));
  ASSERT_GT(triangle_count(large), 9 * triangle_count(small));
  Renderer renderer;
  for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
    for (const int store : {0, 500}) {
      RenderOptions o;
      o.machine = MachineKind::cpu;
      o.workers = 2;
      o.order = order;
      o.store_blocks = store;
      const Statistics a = renderer.render(small, o).statistics, b = renderer.render(large, o).statistics;
      EXPECT_EQ(a.store_bytes, b.store_bytes);
      EXPECT_EQ(a.target_bytes, b.target_bytes);
      EXPECT_GT(a.store_bytes, 0u);
      EXPECT_GE(a.target_bytes, 640u * 360 * (4 + 4 + 1));
    }
  }
}

// 8192 blocks and the parts in proportion to them: queues and pending lists of every rasterizer.
TEST(Memory, StoreIsAsLargeAsTheOptionsSay) {
  const Frame frame = load_frame("generated:sphere-100k", size_of(640, 360));
  Renderer renderer;
  RenderOptions o;
  o.machine = MachineKind::cpu;
  o.workers = 2;
  o.rasterizers = 16;
  uint64_t before = 0;
  for (const int store : {64, 1024, 8192}) {
    o.store_blocks = store;
    const uint64_t now = renderer.render(frame, o).statistics.store_bytes;
    EXPECT_GT(now, before);
    // A block of 32 records is less than 2 KiB; 20 bytes per block and rasterizer; block storage of a worker.
    EXPECT_LE(now, uint64_t(store) * (2048 + 16 * 24) + (uint64_t(1) << 20));
    before = now;
  }
}

TEST(Memory, FrameTakesItsInputAndStatedTables) {
  std::vector<Frame> frames;
  for (const char* name : {"gl-feature-test.bkf", "0ad-acropolis-bay.bkf", "minetest.bkf"})
    frames.push_back(load_frame(test::find_capture(name).string(), {}));
  frames.push_back(load_frame("generated:sphere-1m", size_of(64, 64)));
  frames.push_back(load_frame("generated:city?textured=1&instanced=1", size_of(64, 64)));
  Renderer renderer;
  for (const Frame& frame : frames) {
    SCOPED_TRACE(frame.source + " " + frame.application);
    RenderOptions o;
    o.machine = MachineKind::cpu;
    const Statistics s = renderer.render(frame, o).statistics;
    EXPECT_LE(s.frame_bytes, frame_limit(frame));
    EXPECT_GE(s.frame_bytes, bytes(frame.indices) + bytes(frame.positions));
  }
}

}  // namespace
}  // namespace brokkr
