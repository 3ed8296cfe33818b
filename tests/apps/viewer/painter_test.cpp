// Traced pictures and micropolygons as the render thread paints them, without a window.
#include "viewer/painter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "brokkr/load.h"
#include "reyes/compare.h"
#include "reyes/patches.h"

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
  request.settings.trace.on = true;
  request.settings.trace.adaptive = false;
  request.settings.trace.samples = 8;
  return request;
}
// What the request comes to.
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
  ASSERT_TRUE(first.painting && first.painting->traced);
  EXPECT_TRUE(first.goes_on);
  EXPECT_EQ(first.painting->traced->most_samples, 0u) << "a coarse picture comes first";
  EXPECT_TRUE(std::any_of(first.pixels.begin(), first.pixels.end(), [](uint32_t p) { return p != 0xff000000u; }));

  const Painted last = painted_to_the_end(*painter, request);
  const TracePainting& t = *last.painting->traced;
  EXPECT_TRUE(t.report.is_complete);
  EXPECT_EQ(t.least_samples, 8u);
  EXPECT_EQ(t.most_samples, 8u);
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
  request.settings.trace.exposure = 1;
  const Painted brighter = painter->paint(request, {});
  EXPECT_FALSE(brighter.goes_on);
  EXPECT_EQ(brighter.painting->traced->picture.rgb, usual.painting->traced->picture.rgb);
  EXPECT_NE(brighter.pixels, usual.pixels);
  Camera camera = request.scene->camera;
  camera.eye = camera.target + (camera.eye - camera.target) * 1.1f;
  request.camera = camera;
  EXPECT_EQ(painter->paint(request, {}).painting->traced->most_samples, 0u);
  EXPECT_NE(painted_to_the_end(*painter, request).painting->traced->picture.rgb, usual.painting->traced->picture.rgb);
  request.camera.reset();
  EXPECT_EQ(painted_to_the_end(*painter, request).painting->traced->picture.rgb, usual.painting->traced->picture.rgb);
  request.settings.width = kWidth / 2;
  request.settings.height = kHeight / 2;
  EXPECT_EQ(painted_to_the_end(*painter, request).pixels.size(), size_t(kWidth / 2 * kHeight / 2));
}

TEST(TracePainter, PausesAndGoesOn) {
  const auto painter = make_trace_painter();
  RenderRequest request = traced_request(kScene);
  const Painted whole = painted_to_the_end(*painter, request);
  request.settings.trace.seed = 2;
  painter->paint(request, {});
  request.settings.trace.paused = true;
  const Painted paused = painter->paint(request, {});
  EXPECT_FALSE(paused.goes_on);
  EXPECT_EQ(painter->paint(request, {}).pixels, paused.pixels);
  request.settings.trace.paused = false;
  EXPECT_TRUE(painted_to_the_end(*painter, request).painting->traced->report.is_complete);
  request.settings.trace.seed = 1;
  EXPECT_EQ(painted_to_the_end(*painter, request).pixels, whole.pixels);
}

TEST(TracePainter, GivesMoreSamplesWhereTheyAreNeeded) {
  const auto painter = make_trace_painter();
  RenderRequest request = traced_request(kScene);
  request.settings.trace.adaptive = true;
  request.settings.trace.samples = 32;
  request.settings.trace.worst_error = 0.2f;
  const Painted painted = painted_to_the_end(*painter, request);
  const TracePainting& t = *painted.painting->traced;
  EXPECT_LT(t.least_samples, t.most_samples);
  EXPECT_NEAR(t.mean_samples, 32, 2);
}

TEST(TracePainter, RefusesWhatCannotBeTraced) {
  const auto painter = make_trace_painter();
  const std::string captured = std::string(BROKKR_SOURCE_DIR) + "/scenes/gl-feature-test.bkf";
  RenderRequest request = request_of(make_scene(captured, load_frame(captured, {}), 0));
  request.settings.trace.on = true;
  ASSERT_TRUE(painter->takes(request));
  try {
    painter->paint(request, {});
    FAIL() << "it was traced";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("captured frame has no scene to trace"), std::string::npos)
        << error.what();
  }
  request.settings.trace.on = false;
  EXPECT_FALSE(painter->takes(request));
}

RenderRequest patch_request(const std::string& scene) {
  const Painters painters = all_painters();
  RenderRequest request = request_of(painters.load_patches(scene, picture_of(kPatchesWidth, kPatchesHeight)));
  request.settings.reyes.limit = ReyesLimit::splits;
  request.settings.reyes.splits = 20;
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
  ASSERT_TRUE(painted.painting && painted.painting->reyes);
  EXPECT_EQ(painted.painting->reyes->statistics.counts.splits, 20u);
  request.settings.reyes.shows = ReyesShows::difference;
  request.settings.reyes.gain = 4;
  const Painted difference = painter->paint(request, {});
  EXPECT_EQ(difference.pixels, difference_picture(full, limited, 4));
  EXPECT_GT(difference.painting->reyes->full_ms, 0);
  request.settings.reyes.limit = ReyesLimit::none;
  request.settings.reyes.shows = ReyesShows::surface;
  EXPECT_EQ(painter->paint(request, {}).pixels, full.color);
  options = small_reyes();
  options.look = ReyesLook::depth;
  request.settings.reyes.shows = ReyesShows::depth;
  EXPECT_EQ(painter->paint(request, {}).pixels, reyes.draw(0, options).layer.color);
  options.grid_lines = true;
  request.settings.reyes.grid_lines = true;
  EXPECT_EQ(painter->paint(request, {}).pixels, reyes.draw(0, options).layer.color);
}

TEST(ReyesPainter, KeepsItsBudgetAndFollowsCameraAndFixation) {
  const auto painter = make_reyes_painter();
  RenderRequest request = patch_request("reyes:teapot");
  const Painted middle = painter->paint(request, {});
  request.settings.reyes.fixation = Point{20, 70};
  EXPECT_NE(painter->paint(request, {}).pixels, middle.pixels) << "the eye is elsewhere";
  request.settings.reyes.fixation.reset();
  EXPECT_EQ(painter->paint(request, {}).pixels, middle.pixels);
  Camera camera = request.scene->camera;
  camera.fov *= 0.8f;
  request.camera = camera;
  EXPECT_NE(painter->paint(request, {}).pixels, middle.pixels);
  request.settings.reyes.limit = ReyesLimit::time;
  request.settings.reyes.budget_ms = 1000;
  const Painted timed = painter->paint(request, {});
  EXPECT_EQ(timed.painting->reyes->statistics.budget_ms, 1000);
}

TEST(ReyesPainter, ScenesHaveACameraAndBadOnesOneLine) {
  const Painters painters = all_painters();
  ASSERT_TRUE(bool(painters));
  const auto scene = painters.load_patches("reyes:teapot", picture_of(kPatchesWidth, kPatchesHeight));
  ASSERT_TRUE(scene->patches);
  EXPECT_FALSE(scene->clip_space);
  EXPECT_EQ(scene->frame.targets[0].width, kPatchesWidth);
  EXPECT_FALSE(scene->bounds.empty());
  EXPECT_EQ(views_of(*scene, {}, kPatchesWidth, kPatchesHeight).size(), 1u);
  EXPECT_NO_THROW(require_patch_scenes(painters.patch_scenes, painters));
  EXPECT_NO_THROW(require_patch_scenes({"frame.bkf", "patches.bpt"}, painters));
  EXPECT_THROW(require_patch_scenes({"reyes:kettle"}, painters), std::runtime_error);
  EXPECT_THROW(require_patch_scenes({"reyes:teapot"}, Painters()), std::runtime_error);
  EXPECT_THROW(painters.load_patches("nowhere.bpt", picture_of(kPatchesWidth, kPatchesHeight)), std::runtime_error);
  EXPECT_EQ(display_name("reyes:tea-set"), "reyes:tea-set");
  EXPECT_EQ(free_name("/nowhere", "reyes:tea-set", ".png"), "/nowhere/brokkr-tea-set-1.png");
}

}  // namespace
}  // namespace brokkr::viewer
