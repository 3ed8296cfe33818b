// The statistics of a launch: counters that agree with each other and with hand-made counts.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "app/resize.h"
#include "bin/pattern_image.h"
#include "brokkr/load.h"
#include "frame/frame_tables.h"
#include "oracle/frame_builder.h"
#include "pictures.h"
#include "settings.h"

namespace brokkr {
namespace {

using oracle::FrameBuilder;

using test::cpu;

uint64_t sum(const std::vector<uint64_t>& v) { return std::accumulate(v.begin(), v.end(), uint64_t(0)); }

Frame small_capture(const char* name) {
  Frame frame = load_frame(test::find_capture(name).string(), {});
  app::resize_frame(frame, main_target(frame), 320, 180);
  return frame;
}

Frame small_scene(const std::string& spec) {
  LoadOptions load;
  load.width = 320;
  load.height = 180;
  return load_frame(spec, load);
}

void expect_consistent(const Frame& frame, const Statistics& s) {
  EXPECT_GE(s.triangles_in, triangle_count(frame));  // lines and points become triangles too
  EXPECT_EQ(s.indices, 3 * s.triangles_in);
  ASSERT_LE(s.triangles_culled + s.triangles_clipped, s.triangles_in);
  // One record for each triangle that is neither culled nor clipped, and none to seven for a clipped one.
  const uint64_t whole = s.triangles_in - s.triangles_culled - s.triangles_clipped;
  EXPECT_GE(s.triangles_out, whole);
  EXPECT_LE(s.triangles_out, whole + 7 * s.triangles_clipped);
  EXPECT_LE(s.triangles_direct, s.triangles_out);
  EXPECT_GE(s.triangle_rasterizer_pairs, s.triangles_out - s.triangles_direct);
  EXPECT_GE(s.triangle_bin_pairs, s.triangle_rasterizer_pairs);
  EXPECT_EQ(s.fragments, sum(s.rasterizer_fragments));
  if (frame.targets.size() == 1) {
    EXPECT_EQ(s.fragments, sum(s.bin_fragments));
  }
  EXPECT_LE(sum(s.bin_fragments), s.fragments);
  EXPECT_EQ(int(s.bin_fragments.size()), s.bins_x * s.bins_y);
  const Target& main = frame.targets[main_target(frame)];
  EXPECT_EQ(s.bins_x, (main.width + s.bin - 1) / s.bin);
  EXPECT_EQ(s.bins_y, (main.height + s.bin - 1) / s.bin);
  EXPECT_EQ(int(s.rasterizer_fragments.size()), s.rasterizers);
  EXPECT_NEAR(s.load_cv, load_statistics(s.rasterizer_fragments).cv, 1e-9);
  EXPECT_NEAR(s.asr, double(s.vertex_shader_runs) / double(s.triangles_in), 1e-12);
  EXPECT_GE(s.batches * kBatchTriangles, s.triangles_in);
  EXPECT_GE(s.visits, uint64_t(s.rasterizers));
  if (s.queue_elements > 0) {
    EXPECT_GT(s.store_peak, 0u);
  }
  EXPECT_GE(s.store_peak, s.queue_peak);
  EXPECT_LE(s.ordered_phases, s.phases);
  EXPECT_GT(s.frame_bytes, 0u);
  ASSERT_EQ(int(s.block_times.size()), s.workers);
  for (const BlockTime& block : s.block_times) {
    double total = 0;
    for (const double ms : block.ms) {
      EXPECT_GE(ms, 0);
      total += ms;
    }
    EXPECT_LE(total, s.launch_ms * 1.001 + 0.01);
  }
}

TEST(Statistics, AgreeWithEachOther) {
  std::vector<Frame> frames;
  frames.push_back(small_capture("0ad-acropolis-bay.bkf"));
  frames.push_back(small_capture("gl-feature-test.bkf"));
  frames.push_back(small_scene("generated:city"));
  frames.push_back(small_scene("generated:overlap-10k?triangles=5000"));
  Renderer renderer;
  for (const Frame& frame : frames) {
    PreparedFrame prepared = renderer.prepare(frame);
    for (const Setting& setting : some_settings()) {
      SCOPED_TRACE(frame.application + ", " + setting.name);
      const RenderResult r = renderer.render(prepared, setting.options);
      expect_consistent(frame, r.statistics);
      if (HasFailure()) return;
    }
  }
}

// The overdraw plane counts the same fragments, sample by sample.
TEST(Statistics, FragmentsEqualTheOverdrawPlane) {
  for (const Frame& frame : {small_scene("generated:overlap-10k?triangles=3000"), small_scene("generated:city")}) {
    RenderOptions o = cpu();
    o.shading = Shading::overdraw;
    o.bin = 16;
    o.rasterizers = 9;
    const RenderResult r = Renderer().render(frame, o);
    const Layer& layer = r.targets[0].layers[0];
    ASSERT_EQ(layer.overdraw.size(), size_t(320 * 180));
    const uint64_t all = std::accumulate(layer.overdraw.begin(), layer.overdraw.end(), uint64_t(0));
    EXPECT_EQ(r.statistics.fragments, all);
    EXPECT_GT(all, 1000u);
    EXPECT_LE(4 * r.statistics.quads, 4 * all);
    EXPECT_GE(4 * r.statistics.quads, all);
    std::vector<uint64_t> bins(size_t(20 * 12));
    for (int y = 0; y < 180; ++y) {
      for (int x = 0; x < 320; ++x) bins[size_t(y / 16 * 20 + x / 16)] += layer.overdraw[size_t(y * 320 + x)];
    }
    EXPECT_EQ(bins, r.statistics.bin_fragments);
    // The pattern determines which rasterizer owns each bin.
    const Pattern pattern = make_pattern(o.pattern, 9, 20, 12);
    EXPECT_EQ(load_statistics(pattern, bins, 20, 12).load, r.statistics.rasterizer_fragments);
  }
}

// An order-free phase shades every visible sample once.
TEST(Statistics, OrderFreePhaseShadesWhatIsVisible) {
  const Frame frame = small_scene("generated:overlap-10k?triangles=3000");
  RenderOptions o = cpu();
  o.keep_ids = true;
  o.hierarchical_depth = false;
  const RenderResult r = Renderer().render(frame, o);
  EXPECT_EQ(r.statistics.ordered_phases, 0u);
  const std::vector<uint32_t>& ids = r.targets[0].layers[0].visible_id;
  EXPECT_EQ(r.statistics.fragments_shaded,
            uint64_t(std::count_if(ids.begin(), ids.end(), [](uint32_t id) { return id != kNoPrimitive; })));
  EXPECT_GT(r.statistics.fragments, 2 * r.statistics.fragments_shaded);
}

// Small triangles that geometry draws directly count like queued ones, and need no queue.
TEST(Statistics, DirectTrianglesCountAsQueuedOnesDo) {
  struct Case {
    const char* scene;
    bool all_small;
  };
  for (const Case c : {Case{"generated:sphere-1m?triangles=20000", true}, Case{"generated:city", false}}) {
    const Frame frame = small_scene(c.scene);
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    for (const int bin : {8, 64}) {
      SCOPED_TRACE(std::string(c.scene) + ", bin " + std::to_string(bin));
      RenderOptions o = cpu();
      o.keep_ids = true;
      o.bin = bin;
      o.hierarchical_depth = false;
      o.small_triangles = SmallTriangles::queue;
      const RenderResult queued = renderer.render(prepared, o);
      o.small_triangles = SmallTriangles::direct;
      const RenderResult direct = renderer.render(prepared, o);
      test::expect_same_pictures(queued.targets, direct.targets);
      const Statistics &q = queued.statistics, &d = direct.statistics;
      EXPECT_EQ(q.triangles_direct, 0u);
      EXPECT_GT(d.triangles_direct, 0u);
      EXPECT_EQ(d.triangles_out, q.triangles_out);
      EXPECT_EQ(d.triangles_culled, q.triangles_culled);
      EXPECT_EQ(d.fragments, q.fragments);
      EXPECT_EQ(d.fragments_shaded, q.fragments_shaded);
      EXPECT_EQ(d.bin_fragments, q.bin_fragments);
      EXPECT_EQ(d.rasterizer_fragments, q.rasterizer_fragments);
      EXPECT_LT(d.queue_elements, q.queue_elements);
      if (c.all_small) {
        EXPECT_EQ(d.triangles_direct, d.triangles_out);
        EXPECT_EQ(d.queue_elements, 0u);
      }
    }
  }
}

// Hidden fragments may be missing from the counts, never from the picture. With exact counts, every order counts the
// same.
TEST(Statistics, HierarchicalDepthChangesCountsOnly) {
  const Frame frame = small_scene("generated:overlap-10k?triangles=3000");
  Renderer renderer;
  RenderOptions o = cpu();
  o.keep_ids = true;
  const RenderResult with = renderer.render(frame, o);
  o.hierarchical_depth = false;
  const RenderResult without = renderer.render(frame, o);
  test::expect_same_pictures(without.targets, with.targets);
  EXPECT_LE(with.statistics.fragments, without.statistics.fragments);
  EXPECT_EQ(with.statistics.fragments_shaded, without.statistics.fragments_shaded);
  o.order = OrderMode::strict;
  EXPECT_EQ(renderer.render(frame, o).statistics.fragments, without.statistics.fragments);
}

// CPUs leave out small triangles behind others.
TEST(Statistics, HiddenTrianglesAreLeftOut) {
  const Frame frame = small_scene("generated:city");
  Renderer renderer;
  RenderOptions o = cpu();
  const RenderResult with = renderer.render(frame, o);
  o.hierarchical_depth = false;
  const RenderResult without = renderer.render(frame, o);
  test::expect_same_pictures(without.targets, with.targets);
  EXPECT_LT(50 * with.statistics.fragments, 49 * without.statistics.fragments);
}

TEST(Statistics, AdmissionWaitsAreCounted) {
  const Frame frame = small_scene("generated:overlap-10k?triangles=20000");
  RenderOptions o = cpu();
  o.store_blocks = 8192;
  EXPECT_EQ(Renderer().render(frame, o).statistics.admission_waits, 0u);
  o.store_blocks = 1;
  o.policy = Policy::geometry_first;  // even a worker that runs alone then waits
  o.workers = 1;
  EXPECT_GT(Renderer().render(frame, o).statistics.admission_waits, 0u);
}

// Small triangles well inside one bin each: every relation is exact.
TEST(Statistics, HandCounted) {
  FrameBuilder b(128, 64);
  State culled = b.default_state();
  culled.cull = CullMode::back;
  std::vector<glm::dvec2> corners;
  for (int i = 0; i < 40; ++i) {
    const double x = 3 + 12 * (i % 10), y = 3 + 15 * (i / 10);
    // 4 x 4 pixels cut along the diagonal, which hits no centre: 6 samples.
    corners.insert(corners.end(), {{x, y}, {x + 4, y}, {x, y + 3.9}});
  }
  b.draw_window(culled, corners);
  for (size_t i = 0; i < corners.size(); i += 3) std::swap(corners[i], corners[i + 1]);
  b.draw_window(culled, corners);
  for (auto& c : corners) c.x += 1000;  // outside of the view
  b.draw_window(b.default_state(), corners);
  RenderOptions o = cpu();
  o.rasterizers = 1;
  o.bin = 256;
  const Statistics s = Renderer().render(b.frame, o).statistics;
  EXPECT_EQ(s.draws, 3u);
  EXPECT_EQ(s.triangles_in, 120u);
  EXPECT_EQ(s.triangles_culled, 80u);
  EXPECT_EQ(s.triangles_clipped, 0u);
  EXPECT_EQ(s.triangles_out, 40u);
  EXPECT_EQ(s.triangle_rasterizer_pairs, 40u);
  EXPECT_EQ(s.triangle_bin_pairs, 40u);
  EXPECT_EQ(s.batches, 6u);
  EXPECT_EQ(s.fragments % 40, 0u);
  EXPECT_EQ(s.fragments, s.fragments_shaded);
  EXPECT_EQ(s.load_cv, 0);
}

TEST(Statistics, JsonAndCsvHoldTheSame) {
  RenderOptions o = cpu();
  o.trace = true;
  const Statistics s = Renderer().render(small_scene("generated:city"), o).statistics;
  const nlohmann::json j = nlohmann::json::parse(s.to_json());
  EXPECT_EQ(j.at("triangles_in"), s.triangles_in);
  EXPECT_EQ(j.at("fragments"), s.fragments);
  EXPECT_EQ(j.at("machine"), "cpu");
  EXPECT_EQ(j.at("pattern"), "van-der-corput");
  EXPECT_EQ(j.at("rasterizer_fragments").get<std::vector<uint64_t>>(), s.rasterizer_fragments);
  EXPECT_EQ(j.at("bin_fragments").get<std::vector<uint64_t>>(), s.bin_fragments);
  EXPECT_EQ(int(j.at("block_ms").size()), s.workers);

  std::istringstream lines(s.to_csv());
  std::string names, values, more;
  ASSERT_TRUE(std::getline(lines, names) && std::getline(lines, values));
  EXPECT_FALSE(std::getline(lines, more));
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
    return out;
  };
  const auto columns = cells(names), fields = cells(values);
  ASSERT_EQ(columns.size(), fields.size());
  EXPECT_EQ(std::set<std::string>(columns.begin(), columns.end()).size(), columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    const nlohmann::json& value = j.at(columns[i]);
    EXPECT_EQ(value.is_string() ? value.get<std::string>() : value.dump(), fields[i]) << columns[i];
  }
}

TEST(Statistics, ChromeTraceIsATimeLineOfEveryBlock) {
  for (const MachineKind machine : test::machines()) {
    RenderOptions o = cpu();
    o.machine = machine;
    o.trace = true;
    o.workers = 3;
    const Statistics s = Renderer().render(small_scene("generated:city"), o).statistics;
    const nlohmann::json events = nlohmann::json::parse(s.to_chrome_trace()).at("traceEvents");
    ASSERT_EQ(events.size(), s.trace.size());
    std::map<int, double> until;
    std::map<std::string, int> of_stage;
    for (const auto& e : events) {
      of_stage[e.at("name").get<std::string>()]++;
      EXPECT_EQ(e.at("ph"), "X");
      const int block = e.at("tid");
      const double begin = e.at("ts"), length = e.at("dur");
      ASSERT_LT(block, 3);
      EXPECT_GE(length, 0);
      EXPECT_GE(begin, until[block] - 0.01) << "events of a block overlap";
      EXPECT_LE((begin + length) / 1000, s.launch_ms + 0.1);
      until[block] = begin + length;
    }
    EXPECT_EQ(of_stage["rasterize"], int(s.visits));
    EXPECT_GT(of_stage["geometry"], 0);
    EXPECT_EQ(of_stage["geometry"] + of_stage["rasterize"] + of_stage["idle"], int(events.size()));
  }
}

TEST(Statistics, NoTraceUnlessAsked) {
  EXPECT_TRUE(Renderer().render(small_scene("generated:city"), cpu()).statistics.trace.empty());
}

// Triangle k of a draw covers its own cell in every view and instance: the visible identifier must lead back to k.
TEST(PrimitiveOrigin, LeadsFromThePixelToTheTriangle) {
  FrameBuilder b(160, 80, ColorFormat::rgba8, 2);
  struct DrawnCells {
    uint32_t command, first_cell, count;
  };
  std::vector<DrawnCells> drawn;
  uint32_t cell = 0;
  constexpr uint32_t kColumns = 20;  // cells of 8 x 8 pixels
  for (const uint32_t count : {1u, 45u, 32u, 70u}) {
    std::vector<glm::dvec2> corners;
    for (uint32_t i = 0; i < count; ++i) {
      const double x = 8 * ((cell + i) % kColumns), y = 8 * ((cell + i) / kColumns);
      corners.insert(corners.end(), {{x, y}, {x + 8, y}, {x, y + 8}});
    }
    b.draw_window(b.default_state(), corners).view_count = 2;
    drawn.push_back({uint32_t(b.frame.commands.size() - 1), cell, count});
    cell += count;
  }
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(b.frame);
  RenderOptions o = cpu();
  o.keep_ids = true;
  std::set<std::pair<uint32_t, uint32_t>> batch_of_triangle;
  for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
    o.order = order;
    const RenderResult r = renderer.render(prepared, o);
    for (uint32_t view = 0; view < 2; ++view) {
      const Layer& layer = r.targets[0].layers[view];
      for (const DrawnCells& d : drawn) {
        for (uint32_t i = 0; i < d.count; ++i) {
          const uint32_t at = d.first_cell + i;
          const size_t pixel = size_t(at / kColumns * 8 + 2) * 160 + at % kColumns * 8 + 2;
          const PrimitiveOrigin origin = prepared.origin(layer.visible_id[pixel]);
          ASSERT_EQ(origin.command, d.command);
          ASSERT_EQ(origin.view, view);
          ASSERT_EQ(origin.instance, 0u);
          ASSERT_EQ(origin.triangle, i);
          ASSERT_EQ(layer.depth_id[pixel], layer.visible_id[pixel]);
          batch_of_triangle.insert({origin.batch, i / kBatchTriangles});
        }
        const PrimitiveOrigin nobody = prepared.origin(layer.visible_id[size_t(79 * 160 + 159)]);
        ASSERT_EQ(nobody.command, ~0u);
      }
    }
  }
  // 1 + 2 + 1 + 3 batches in each of two views. The triangles of one batch have one position in their draw.
  EXPECT_EQ(batch_of_triangle.size(), 14u);
  EXPECT_EQ(prepared.origin(~0u).command, ~0u);
  EXPECT_EQ(prepared.origin(14 * kBatchTriangles).command, ~0u);
}

TEST(PrimitiveOrigin, KnowsInstances) {
  const Frame frame = small_scene("generated:city?instanced=1&triangles=6000");
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions o = cpu();
  o.keep_ids = true;
  const RenderResult r = renderer.render(prepared, o);
  std::set<uint32_t> instances;
  for (const uint32_t id : r.targets[0].layers[0].visible_id) {
    if (id == kNoPrimitive) continue;
    const PrimitiveOrigin origin = prepared.origin(id);
    const auto* draw = std::get_if<DrawCommand>(&frame.commands.at(origin.command));
    ASSERT_NE(draw, nullptr);
    ASSERT_LT(origin.instance, draw->instances);
    ASSERT_LT(origin.triangle, primitive_count(draw->topology, draw->element_count));
    if (draw->instances > 1) instances.insert(origin.instance);
  }
  EXPECT_GT(instances.size(), 20u);
}

// Distinct vertices of greedy sub-batches: at most 32, in batches of 32 triangles that restart with every instance.
uint64_t greedy_runs(const Frame& frame) {
  uint64_t runs = 0;
  for (const Command& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) continue;
    uint64_t instance_runs = 0;
    const uint32_t triangles = draw->element_count / 3;
    for (uint32_t batch = 0; batch < triangles; batch += 32) {
      std::set<uint32_t> seen;
      for (uint32_t t = batch; t < std::min(batch + 32, triangles); ++t) {
        std::set<uint32_t> with = seen;
        std::set<uint32_t> own;
        for (uint32_t c = 0; c < 3; ++c) {
          const uint32_t v = draw->indexed ? frame.indices[draw->first_index + 3 * t + c] : 3 * t + c;
          with.insert(v);
          own.insert(v);
        }
        if (with.size() > 32) {
          instance_runs += seen.size();
          with = own;
        }
        seen = with;
      }
      instance_runs += seen.size();
    }
    runs += instance_runs * draw->instances * draw->view_count;
  }
  return runs;
}

TEST(VertexReuse, RunsEqualAnIndependentCount) {
  LoadOptions views;
  views.views = 3;
  std::vector<Frame> frames = {small_scene("generated:sphere-100k"), small_scene("generated:terrain"),
                               small_scene("generated:city?instanced=1"),
                               load_frame("generated:sphere-100k?triangles=700", views)};
  // Random indices: hardly any reuse, so that sub-batches end often.
  FrameBuilder b(64, 64);
  std::vector<glm::vec4> positions;
  std::vector<uint32_t> indices;
  uint32_t random = 1;
  for (int i = 0; i < 100; ++i) positions.emplace_back(std::sin(float(i)), std::cos(float(3 * i)), 0, 1);
  for (int i = 0; i < 3 * 500; ++i) {
    random = random * 1664525u + 1013904223u;
    indices.push_back((random >> 16) % 100);
  }
  b.draw_indexed(b.default_state(), positions, indices);
  frames.push_back(std::move(b.frame));
  Renderer renderer;
  for (size_t i = 0; i < frames.size(); ++i) {
    SCOPED_TRACE("frame " + std::to_string(i));
    for (const MachineKind machine : test::machines()) {
      RenderOptions o = cpu();
      o.machine = machine;
      o.shading = Shading::flat;
      o.reuse = ReuseMode::warp;
      Statistics s = renderer.render(frames[i], o).statistics;
      EXPECT_EQ(s.vertex_shader_runs, greedy_runs(frames[i]));
      o.reuse = ReuseMode::none;
      s = renderer.render(frames[i], o).statistics;
      EXPECT_EQ(s.vertex_shader_runs, 3 * s.triangles_in);
    }
  }
}

}  // namespace
}  // namespace brokkr
