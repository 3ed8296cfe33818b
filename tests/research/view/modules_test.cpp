// The window's modules of research: entries of the settings file, keys, and the commands that draw a picture again.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "research_view_modules.h"
#include "reyes/painting.h"
#include "trace/painting.h"

namespace brokkr::viewer {
namespace {

TEST(ModuleEntries, RememberTracedPicturesAndMicropolygons) {
  FrameSettings settings;
  trace_of(settings).adaptive = false;
  trace_of(settings).samples = 64;
  trace_of(settings).exposure = -1.5f;
  trace_of(settings).on = true;
  reyes_of(settings).limit = ReyesLimit::splits;
  reyes_of(settings).splits = 77;
  reyes_of(settings).fixation = Point{1, 2};
  FrameSettings read;
  for (const ModuleEntry& entry : {trace_entry(), reyes_entry()})
    entry.read(entry.write(settings.modules), read.modules);
  trace_of(settings).on = false;  // the settings file does not store this
  reyes_of(settings).fixation.reset();
  EXPECT_EQ(trace_of(read), trace_of(settings));
  EXPECT_EQ(reyes_of(read), reyes_of(settings));
  EXPECT_EQ(read, settings);
}

TEST(ModuleEntries, TakeWhatIsValid) {
  FrameSettings bad;
  trace_entry().read(R"({"samples": 4000000000, "exposure": 1e9, "adaptive": "no"})", bad.modules);
  reyes_entry().read(R"({"limit": 9, "budget_ms": -1, "rate": 0, "gain": null})", bad.modules);
  EXPECT_EQ(trace_of(bad).samples, kMaxSamples);
  EXPECT_EQ(trace_of(bad).exposure, TraceSettings{}.exposure);
  EXPECT_EQ(trace_of(bad).adaptive, TraceSettings{}.adaptive);
  EXPECT_EQ(reyes_of(bad).limit, ReyesLimit::splits);
  EXPECT_EQ(reyes_of(bad).budget_ms, ReyesSettings{}.budget_ms);
  EXPECT_EQ(reyes_of(bad).rate, ReyesSettings{}.rate);
  EXPECT_EQ(reyes_of(bad).gain, ReyesSettings{}.gain);
  FrameSettings none;
  trace_entry().read("", none.modules);
  EXPECT_EQ(none, FrameSettings{});
}

TEST(ModuleKeys, HaveOneMeaningEachAndStandInTheDocumentation) {
  std::set<std::pair<int, int>> taken;
  for (const KeyBinding& binding : key_bindings()) {
    for (int i = 0; i < binding.keys; ++i) taken.emplace(binding.key + i, binding.modifiers);
  }
  std::ifstream file(std::string(BROKKR_SOURCE_DIR) + "/docs/reference/viewer.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const Module& module : research_view_modules()) {
    for (const KeyBinding& binding : module.keys) {
      EXPECT_TRUE(taken.emplace(binding.key, binding.modifiers).second) << binding.help;
      const std::string row = "`" + key_text(binding.key, binding.modifiers) + "` | " + binding.help;
      EXPECT_NE(page.find(row), std::string::npos) << "docs/reference/viewer.md needs this row: " << row;
      Keyboard keyboard(module.keys);
      const auto event = keyboard.press(binding.key, binding.modifiers);
      ASSERT_TRUE(event);
      EXPECT_EQ(event->action, Action::of_module);
      EXPECT_EQ(event->number, binding.key);
    }
  }
}

}  // namespace
}  // namespace brokkr::viewer
