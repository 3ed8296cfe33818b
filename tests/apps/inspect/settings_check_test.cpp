// Pictures under random settings: bundled frames do not change, and a planted difference is found and explained.
#include "inspect/settings_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "brokkr/load.h"

namespace brokkr {
namespace {

RenderOptions on_cpu() {
  RenderOptions options;
  options.machine = MachineKind::cpu;
  return options;
}

// A frame of 64 x 64 pixels, cheap enough to be drawn hundreds of times.
Frame small_frame() { return load_frame("generated:overlap-10k?triangles=200", {.width = 64, .height = 64}); }

TEST(SettingsCheck, BundledFramesKeepTheirPicture) {
  for (const char* file :
       {BROKKR_SOURCE_DIR "/tests/frames/gl-feature-test.bkf", BROKKR_SOURCE_DIR "/assets/spheres.glb"}) {
    SCOPED_TRACE(file);
    LoadOptions load;
    load.width = 96, load.height = 64;
    const Frame frame = load_frame(file, load);
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    const SettingsCheck check([&](const RenderOptions& o) { return renderer.render(prepared, o).targets; }, on_cpu());
    Lot lot(1);
    for (int run = 0; run < 4; ++run) {
      const RenderOptions options = random_settings(on_cpu(), {}, frame, lot);
      const auto found = check.difference(options);
      ASSERT_FALSE(found) << found->what << found->refusal << settings_text(options, on_cpu());
    }
  }
}

// Bins of 16 pixels and the Hilbert curve together change one depth by one bit.
TEST(SettingsCheck, FewestSettingsOfAPlantedDifference) {
  const Frame frame = small_frame();
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  const auto draw = [&](const RenderOptions& o) {
    std::vector<TargetImage> targets = renderer.render(prepared, o).targets;
    if (o.bin == 16 && o.pattern == PatternChoice(PatternKind::hilbert)) {
      float& depth = targets[0].layers[0].depth[5 * 64 + 3];
      depth = std::nextafter(depth, 2.0f);
    }
    return targets;
  };
  const SettingsCheck check(draw, on_cpu());
  Lot lot(3);
  RenderOptions options = random_settings(on_cpu(), {"machine"}, frame, lot);
  options.bin = 16;
  options.pattern = PatternKind::hilbert;
  const auto found = check.difference(options);
  ASSERT_TRUE(found);
  EXPECT_STREQ(found->what, "depth");
  EXPECT_EQ(found->pixels, 1u);
  EXPECT_EQ(found->x, 3);
  EXPECT_EQ(found->y, 5);
  EXPECT_EQ(settings_text(check.fewest(options), on_cpu()), " --bin 16 --pattern hilbert");
  options.bin = 32;
  EXPECT_FALSE(check.difference(options));
}

TEST(SettingsCheck, EveryKindOfValueIsCompared) {
  Layer layer{2, 1, {1, 2}, {}, {}, {0.5f, 0.0f}, {3, 4}, {5, 6}, {7, 8}, {}};
  layer.overdraw = {1, 1};
  const auto differs = [&](auto change) -> std::string {
    Layer other = layer;
    change(other);
    const auto found = first_difference({{{layer}}}, {{{other}}});
    return found ? found->what : "";
  };
  EXPECT_EQ(differs([](Layer&) {}), "");
  EXPECT_EQ(differs([](Layer& l) { l.color[1] = 3; }), "colour");
  EXPECT_EQ(differs([](Layer& l) { l.depth[1] = -0.0f; }), "depth") << "equal as numbers, and not as bits";
  EXPECT_EQ(differs([](Layer& l) { l.stencil[0] = 0; }), "stencil");
  EXPECT_EQ(differs([](Layer& l) { l.visible_id[0] = 0; }), "visible triangle");
  EXPECT_EQ(differs([](Layer& l) { l.depth_id[0] = 0; }), "depth writer");
  EXPECT_EQ(differs([](Layer& l) { l.overdraw[0] = 0; }), "coverage");
  EXPECT_EQ(differs([](Layer& l) { l.color.clear(); }), "size");
}

TEST(SettingsCheck, SettingsThatAreRefusedAreADifference) {
  const SettingsCheck check(
      [](const RenderOptions& o) {
        if (o.workers == 3) throw std::runtime_error("no three");
        return std::vector<TargetImage>();
      },
      on_cpu());
  RenderOptions options = on_cpu();
  options.workers = 3;
  const auto found = check.difference(options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->refusal, "no three");
}

TEST(SettingsCheck, SettingsVaryAndKeepWhatIsGiven) {
  const Frame frame = small_frame();
  RenderOptions base = on_cpu();
  base.shading = Shading::draw;
  base.bin = 128;
  Lot lot(1), again(1);
  std::set<int> workers;
  std::set<std::string> patterns, reuses;
  bool emulated = false;
  for (int run = 0; run < 300; ++run) {
    const RenderOptions o = random_settings(base, {"bin"}, frame, lot);
    EXPECT_EQ(o, random_settings(base, {"bin"}, frame, again)) << "a seed stands for its settings";
    EXPECT_EQ(o.shading, Shading::draw);
    EXPECT_EQ(o.bin, 128);
    EXPECT_EQ(o.frame_budget_ms, 0);
    workers.insert(o.workers);
    patterns.insert(pattern_name(o.pattern));
    reuses.insert(name_of(o.reuse));
    emulated |= o.machine == MachineKind::emulated;
  }
  EXPECT_GT(workers.size(), 15u);
  EXPECT_LE(*workers.rbegin(), 64);
  EXPECT_EQ(patterns.size(), std::size(Choices<PatternKind>::all));
  EXPECT_EQ(reuses.size(), std::size(Choices<ReuseMode>::all));
  EXPECT_TRUE(emulated);
}

}  // namespace
}  // namespace brokkr
