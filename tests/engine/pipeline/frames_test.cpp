// Captured frames: the same picture under every setting, and the depth that the game's driver produced.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "app/depth_compare.h"
#include "app/resize.h"
#include "brokkr/load.h"
#include "pictures.h"
#include "settings.h"

namespace brokkr {
namespace {

struct FrameCase {
  const char* file;
  int width, height;  // size of the main target; 0: as captured
  bool every_setting;
};

std::string as_name(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

std::string case_name(const testing::TestParamInfo<FrameCase>& info) {
  return as_name(info.param.file + std::string(info.param.width > 0 ? "_small" : ""));
}

class CapturedFrame : public testing::TestWithParam<FrameCase> {};

TEST_P(CapturedFrame, LooksTheSameUnderEverySetting) {
  const FrameCase& c = GetParam();
  const auto path = test::find_capture(c.file);
  if (path.empty()) GTEST_SKIP() << c.file << " is not here; set BROKKR_CAPTURES";
  Frame frame = load_frame(path.string(), {});
  if (c.width > 0) app::resize_frame(frame, main_target(frame), c.width, c.height);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  const std::vector<Setting> settings = c.every_setting ? all_settings() : some_settings();
  const RenderResult expected = renderer.render(prepared, settings.front().options);
  ASSERT_FALSE(expected.aborted);
  // The picture is not empty.
  const Layer& main = expected.targets[main_target(frame)].layers[0];
  EXPECT_GT(std::count_if(main.visible_id.begin(), main.visible_id.end(), [](uint32_t id) { return id != ~0u; }),
            std::ptrdiff_t(main.visible_id.size() / 20));
  for (size_t i = 1; i < settings.size(); ++i) {
    RenderOptions options = settings[i].options;
    if (options.machine == MachineKind::emulated && c.width == 0) continue;  // the small size covers that
    SCOPED_TRACE(settings[i].name);
    const RenderResult result = renderer.render(prepared, options);
    ASSERT_FALSE(result.aborted);
    test::expect_same_pictures(expected.targets, result.targets);
    EXPECT_EQ(result.statistics.triangles_in, expected.statistics.triangles_in);
    EXPECT_EQ(result.statistics.triangles_out, expected.statistics.triangles_out);
    if (HasFailure()) return;
  }
}

void expect_close_colours(const RenderResult& expected, const RenderResult& result) {
  for (size_t t = 0; t < expected.targets.size(); ++t) {
    const std::vector<uint32_t>&a = expected.targets[t].layers[0].color, &b = result.targets[t].layers[0].color;
    ASSERT_EQ(a.size(), b.size());
    size_t wrong = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      for (int shift = 0; shift < 32; shift += 8)
        wrong += std::abs(int(a[i] >> shift & 255) - int(b[i] >> shift & 255)) > 1;
    }
    EXPECT_EQ(wrong, 0u) << "target " << t;
  }
}

// Colours that depend on the surface: the other shadings agree within 1/255 between machines and orders.
TEST_P(CapturedFrame, ShadedColoursAgree) {
  const FrameCase& c = GetParam();
  const auto path = test::find_capture(c.file);
  if (path.empty()) GTEST_SKIP() << c.file << " is not here; set BROKKR_CAPTURES";
  Frame frame = load_frame(path.string(), {});
  if (c.width > 0) app::resize_frame(frame, main_target(frame), c.width, c.height);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  const auto render = [&](Shading shading, MachineKind machine, bool otherwise) {
    RenderOptions options;
    options.machine = machine;
    options.shading = shading;
    options.reuse = ReuseMode::none;
    if (otherwise) options.order = OrderMode::strict, options.bin = 32;
    return renderer.render(prepared, options);
  };
  const bool slow_too = c.width > 0 && test::is_there(MachineKind::emulated);
  for (const Shading shading : {Shading::material, Shading::normal, Shading::depth}) {
    SCOPED_TRACE(name_of(shading));
    const MachineKind other = slow_too ? MachineKind::emulated : MachineKind::cpu;
    expect_close_colours(render(shading, MachineKind::cpu, false), render(shading, other, true));
  }
  if (!test::is_there(MachineKind::cuda)) return;
  for (const auto& info : Choices<Shading>::all) {
    SCOPED_TRACE(info.name);
    const RenderResult expected = render(info.value, MachineKind::cpu, false);
    for (const bool strict : {false, true}) {
      // The two orders differ where fragments are counted, because hidden tiles are skipped.
      if (strict && info.value == Shading::overdraw) continue;
      expect_close_colours(expected, render(info.value, MachineKind::cuda, strict));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bundled, CapturedFrame,
    testing::Values(FrameCase{"gl-feature-test.bkf", 320, 240, true}, FrameCase{"gl-feature-test.bkf", 0, 0, true},
                    FrameCase{"0ad-acropolis-bay.bkf", 320, 180, true}, FrameCase{"0ad-acropolis-bay.bkf", 0, 0, false},
                    FrameCase{"minetest.bkf", 240, 135, false}, FrameCase{"minetest.bkf", 0, 0, false}),
    case_name);
// Off-screen targets and blits; strips, points and stencil; a separate framebuffer object.
INSTANTIATE_TEST_SUITE_P(Captures, CapturedFrame,
                         testing::Values(FrameCase{"cube2-colos.bkf", 320, 180, false},
                                         FrameCase{"neverball-circuit2.bkf", 320, 180, false},
                                         FrameCase{"openarena-ctf-gate1.bkf", 320, 180, true},
                                         FrameCase{"extremetuxracer.bkf", 0, 0, false}),
                         case_name);

// Percentages of pixels whose depth agrees with the driver's within 2e-5, as a sequential z-buffer replay in double
// precision reaches them: over all pixels, and over those that no shader may have discarded.
struct DepthCase {
  const char* file;
  uint32_t before;  // command; 0: at the end
  double all, hard;
};

std::string depth_name(const testing::TestParamInfo<DepthCase>& info) {
  return as_name(info.param.file + (info.param.before > 0 ? "_" + std::to_string(info.param.before) : "_end"));
}

class CapturedDepth : public testing::TestWithParam<DepthCase> {};

constexpr double kAllowance = 0.005;  // percentage points

TEST_P(CapturedDepth, AgreesWithTheDriver) {
  const DepthCase& c = GetParam();
  const auto path = test::find_capture(c.file);
  if (path.empty()) GTEST_SKIP() << c.file << " is not here; set BROKKR_CAPTURES";
  const Frame frame = load_frame(path.string(), {});
  const uint32_t before = c.before > 0 ? c.before : uint32_t(frame.commands.size());
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  int compared = 0;
  for (const Reference& reference : frame.references) {
    if (reference.depth.empty() || reference.before != before) continue;
    compared++;
    RenderOptions options;
    options.command_limit = reference.before;
    options.keep_ids = true;
    options.machine = MachineKind::cpu;
    const RenderResult result = renderer.render(prepared, options);
    const Layer& layer = result.targets[reference.target].layers[0];
    ASSERT_EQ(layer.depth.size(), reference.depth.size());
    const app::DepthComparison d = app::compare_depth(layer.depth, reference.depth, [&](size_t pixel) {
      const uint32_t id = layer.depth_id[pixel];
      return id == ~0u || app::is_hard_writer(frame, prepared.origin(id).command);
    });
    EXPECT_GE(d.percent(), c.all - kAllowance);
    EXPECT_GE(d.hard_percent(), c.hard - kAllowance);
  }
  EXPECT_EQ(compared, 1);
}

INSTANTIATE_TEST_SUITE_P(Bundled, CapturedDepth,
                         testing::Values(DepthCase{"gl-feature-test.bkf", 0, 99.94, 99.9359},
                                         DepthCase{"0ad-acropolis-bay.bkf", 1103, 77.07, 100},
                                         DepthCase{"0ad-acropolis-bay.bkf", 0, 94.45, 100},
                                         DepthCase{"minetest.bkf", 1610, 99.20, 100},
                                         DepthCase{"minetest.bkf", 0, 91.95, 100}),
                         depth_name);
INSTANTIATE_TEST_SUITE_P(Captures, CapturedDepth,
                         testing::Values(DepthCase{"0ad-combat-demo-huge.bkf", 16796, 99.53, 99.9998},
                                         DepthCase{"0ad-sandbox.bkf", 296, 98.05, 99.9999},
                                         DepthCase{"cube2-colos.bkf", 0, 99.99, 100},
                                         DepthCase{"cube2-two-towers.bkf", 0, 100, 100},
                                         DepthCase{"extremetuxracer.bkf", 0, 83.68, 100},
                                         DepthCase{"neverball-circuit2.bkf", 0, 100, 100},
                                         DepthCase{"openarena-ctf-gate1.bkf", 0, 99.9992, 100},
                                         DepthCase{"supertuxkart-black-forest.bkf", 0, 78.70, 99.9990},
                                         DepthCase{"supertuxkart-cocoa-temple.bkf", 0, 87.57, 99.9991},
                                         DepthCase{"warzone2100-rush.bkf", 0, 99.965, 100}),
                         depth_name);

}  // namespace
}  // namespace brokkr
