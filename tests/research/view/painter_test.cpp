// Traced pictures and micropolygons on the render thread, without a window.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "brokkr/load.h"
#include "reyes/painting.h"
#include "reyes/reyes_command.h"
#include "trace/painting.h"
#include "trace/trace_scene.h"
#include "trace/tracer.h"

namespace brokkr::viewer {
namespace {

constexpr int kWidth = 40, kHeight = 24;
constexpr int kPatchesWidth = 160, kPatchesHeight = 96;

LoadOptions picture_of(int width, int height) {
  LoadOptions load;
  load.width = width;
  load.height = height;
  return load;
}
RenderRequest request_of(std::shared_ptr<const Scene> scene) {
  RenderRequest request;
  request.scene = std::move(scene);
  request.settings.options.machine = MachineKind::cpu;
  request.settings.options.workers = 1;
  return request;
}
RenderRequest traced_request(const std::string& scene) {
  RenderRequest request = request_of(make_scene(scene, load_frame(scene, picture_of(kWidth, kHeight)), 0));
  trace_of(request.settings).on = true;
  trace_of(request.settings).adaptive = false;
  trace_of(request.settings).samples = 8;
  return request;
}
const TracePainting& traced_in(const Painted& painted) { return dynamic_cast<const TracePainting&>(*painted.painting); }
const ReyesPainting& micropolygons_in(const Painted& painted) {
  return dynamic_cast<const ReyesPainting&>(*painted.painting);
}
// Paints the request until it is complete.
Painted painted_to_the_end(Painter& painter, const RenderRequest& request) {
  Painted painted = painter.paint(request, {});
  while (painted.goes_on) painted = painter.paint(request, {});
  return painted;
}

constexpr const char* kScene = "generated:sphere-100k?triangles=1000";

TEST(TracePainter, GrowsToTheTracersPicture) {
  const auto painter = make_trace_painter();
  const RenderRequest request = traced_request(kScene);
  ASSERT_TRUE(painter->takes(request));
  const Painted first = painter->paint(request, {});
  ASSERT_EQ(first.width, kWidth);
  ASSERT_EQ(first.height, kHeight);
  ASSERT_TRUE(dynamic_cast<const TracePainting*>(first.painting.get()));
  EXPECT_TRUE(first.goes_on);
  EXPECT_EQ(traced_in(first).max_samples, 0u) << "a coarse picture comes first";
  EXPECT_TRUE(std::any_of(first.pixels.begin(), first.pixels.end(), [](uint32_t p) { return p != 0xff000000u; }));

  const Painted last = painted_to_the_end(*painter, request);
  const TracePainting& t = traced_in(last);
  EXPECT_TRUE(t.report.is_complete);
  EXPECT_EQ(t.min_samples, 8u);
  EXPECT_EQ(t.max_samples, 8u);
  trace::TraceOptions options;
  options.samples = 8;
  trace::Tracer tracer(make_task_machine("cpu"), trace::make_trace_scene(request.scene->frame, {}), options);
  tracer.run();
  EXPECT_EQ(t.picture.rgb, tracer.picture().rgb);
  EXPECT_EQ(last.pixels, trace::screen_pixels(tracer.picture(), 0, trace::Tone::filmic));
}

TEST(TracePainter, ShowsAnewWithoutTracingAnewAndBeginsAnewForAnotherCamera) {
  const auto painter = make_trace_painter();
  RenderRequest request = traced_request(kScene);
  const Painted usual = painted_to_the_end(*painter, request);
  trace_of(request.settings).exposure = 1;
  const Painted brighter = painter->paint(request, {});
  EXPECT_FALSE(brighter.goes_on);
  EXPECT_EQ(traced_in(brighter).picture.rgb, traced_in(usual).picture.rgb);
  EXPECT_NE(brighter.pixels, usual.pixels);
  Camera camera = request.scene->camera;
  camera.eye = camera.target + (camera.eye - camera.target) * 1.1f;
  request.camera = camera;
  EXPECT_EQ(traced_in(painter->paint(request, {})).max_samples, 0u);
  EXPECT_NE(traced_in(painted_to_the_end(*painter, request)).picture.rgb, traced_in(usual).picture.rgb);
  request.camera.reset();
  EXPECT_EQ(traced_in(painted_to_the_end(*painter, request)).picture.rgb, traced_in(usual).picture.rgb);
  request.settings.width = kWidth / 2;
  request.settings.height = kHeight / 2;
  EXPECT_EQ(painted_to_the_end(*painter, request).pixels.size(), size_t(kWidth / 2 * kHeight / 2));
}

TEST(TracePainter, PausesAndGoesOn) {
  const auto painter = make_trace_painter();
  RenderRequest request = traced_request(kScene);
  const Painted whole = painted_to_the_end(*painter, request);
  trace_of(request.settings).seed = 2;
  painter->paint(request, {});
  trace_of(request.settings).paused = true;
  const Painted paused = painter->paint(request, {});
  EXPECT_FALSE(paused.goes_on);
  EXPECT_EQ(painter->paint(request, {}).pixels, paused.pixels);
  trace_of(request.settings).paused = false;
  EXPECT_TRUE(traced_in(painted_to_the_end(*painter, request)).report.is_complete);
  trace_of(request.settings).seed = 1;
  EXPECT_EQ(painted_to_the_end(*painter, request).pixels, whole.pixels);
}

TEST(TracePainter, GivesMoreSamplesWhereTheyAreNeeded) {
  const auto painter = make_trace_painter();
  RenderRequest request = traced_request(kScene);
  trace_of(request.settings).adaptive = true;
  trace_of(request.settings).samples = 32;
  trace_of(request.settings).worst_error = 0.2f;
  const Painted painted = painted_to_the_end(*painter, request);
  const TracePainting& t = traced_in(painted);
  EXPECT_LT(t.min_samples, t.max_samples);
  EXPECT_NEAR(t.mean_samples, 32, 2);
}

TEST(TracePainter, RefusesWhatCannotBeTraced) {
  const auto painter = make_trace_painter();
  const std::string captured = std::string(BROKKR_SOURCE_DIR) + "/tests/frames/gl-feature-test.bkf";
  RenderRequest request = request_of(make_scene(captured, load_frame(captured, {}), 0));
  trace_of(request.settings).on = true;
  ASSERT_TRUE(painter->takes(request));
  try {
    painter->paint(request, {});
    FAIL() << "it was traced";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("captured frame cannot be path traced"), std::string::npos)
        << error.what();
  }
  trace_of(request.settings).on = false;
  EXPECT_FALSE(painter->takes(request));
}

RenderRequest patch_request(const std::string& scene) {
  RenderRequest request = request_of(reyes_scenes().load(scene, picture_of(kPatchesWidth, kPatchesHeight)));
  reyes_of(request.settings).limit = ReyesLimit::splits;
  reyes_of(request.settings).splits = 20;
  return request;
}
ReyesOptions small_reyes() {
  ReyesOptions options;
  options.width = kPatchesWidth;
  options.height = kPatchesHeight;
  return options;
}
Reyes teapot() {
  ReyesMachine machine;
  machine.machine = "cpu";
  machine.workers = 1;
  return Reyes(load_patches("teapot"), machine);
}

TEST(ReyesPainter, DrawsWhatTheCommandDraws) {
  const auto painter = make_reyes_painter();
  RenderRequest request = patch_request("reyes:teapot");
  ASSERT_TRUE(painter->takes(request));
  Reyes reyes = teapot();
  ReyesOptions options = small_reyes();
  const Layer full = reyes.draw(0, options).layer;
  options.tasks = 20;
  const Layer limited = reyes.draw(0, options).layer;
  const Painted painted = painter->paint(request, {});
  EXPECT_EQ(painted.pixels, limited.color);
  EXPECT_FALSE(painted.goes_on);
  ASSERT_TRUE(dynamic_cast<const ReyesPainting*>(painted.painting.get()));
  EXPECT_EQ(micropolygons_in(painted).statistics.counts.splits, 20u);
  reyes_of(request.settings).shows = ReyesShows::difference;
  reyes_of(request.settings).gain = 4;
  const Painted difference = painter->paint(request, {});
  EXPECT_EQ(difference.pixels, difference_picture(full, limited, 4));
  EXPECT_GT(micropolygons_in(difference).full_ms, 0);
  reyes_of(request.settings).limit = ReyesLimit::none;
  reyes_of(request.settings).shows = ReyesShows::surface;
  EXPECT_EQ(painter->paint(request, {}).pixels, full.color);
  options = small_reyes();
  options.look = ReyesLook::depth;
  reyes_of(request.settings).shows = ReyesShows::depth;
  EXPECT_EQ(painter->paint(request, {}).pixels, reyes.draw(0, options).layer.color);
  options.grid_lines = true;
  reyes_of(request.settings).grid_lines = true;
  EXPECT_EQ(painter->paint(request, {}).pixels, reyes.draw(0, options).layer.color);
}

TEST(ReyesPainter, KeepsItsBudgetAndFollowsCameraAndFixation) {
  const auto painter = make_reyes_painter();
  RenderRequest request = patch_request("reyes:teapot");
  const Painted middle = painter->paint(request, {});
  reyes_of(request.settings).fixation = Point{20, 70};
  EXPECT_NE(painter->paint(request, {}).pixels, middle.pixels) << "the eye is elsewhere";
  reyes_of(request.settings).fixation.reset();
  EXPECT_EQ(painter->paint(request, {}).pixels, middle.pixels);
  Camera camera = request.scene->camera;
  camera.fov *= 0.8f;
  request.camera = camera;
  EXPECT_NE(painter->paint(request, {}).pixels, middle.pixels);
  reyes_of(request.settings).limit = ReyesLimit::time;
  reyes_of(request.settings).budget_ms = 1000;
  const Painted timed = painter->paint(request, {});
  EXPECT_EQ(micropolygons_in(timed).statistics.budget_ms, 1000);
}

TEST(ReyesPainter, ScenesHaveACameraAndBadOnesOneLine) {
  const std::vector<Module> modules = {reyes_view_module()};
  const ModuleScenes scenes = reyes_scenes();
  const auto scene = scenes.load("reyes:teapot", picture_of(kPatchesWidth, kPatchesHeight));
  ASSERT_TRUE(patches_of(scene.get()));
  EXPECT_FALSE(scene->clip_space);
  EXPECT_EQ(scene->frame.targets[0].width, kPatchesWidth);
  EXPECT_FALSE(scene->bounds.empty());
  EXPECT_EQ(views_of(*scene, {}, kPatchesWidth, kPatchesHeight).size(), 1u);
  EXPECT_NO_THROW(require_built_in(modules, scenes.built_in));
  EXPECT_NO_THROW(require_built_in(modules, {"frame.bkf", "patches.bpt"}));
  EXPECT_THROW(require_built_in(modules, {"reyes:kettle"}), std::runtime_error);
  EXPECT_EQ(module_of_scene(modules, "reyes:teapot"), &modules[0]);
  EXPECT_EQ(module_of_scene(modules, "My.BPT"), &modules[0]);
  EXPECT_EQ(module_of_scene({}, "reyes:teapot"), nullptr);
  EXPECT_THROW(scenes.load("nowhere.bpt", picture_of(kPatchesWidth, kPatchesHeight)), std::runtime_error);
  EXPECT_EQ(display_name("reyes:tea-set"), "reyes:tea-set");
  EXPECT_EQ(free_name("/nowhere", "reyes:tea-set", ".png"), "/nowhere/brokkr-tea-set-1.png");
}

}  // namespace
}  // namespace brokkr::viewer
