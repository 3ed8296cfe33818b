// Options out of range are refused with a line that names the option, before anything is drawn.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "oracle/frame_builder.h"
#include "pictures.h"
#include "plan/options.h"

namespace brokkr {
namespace {

Frame small_frame() {
  oracle::FrameBuilder b(32, 16);
  b.draw_window(b.default_state(), {{2, 2}, {30, 2}, {2, 14}});
  return std::move(b.frame);
}

struct OptionCase {
  const char* name;
  std::function<void(RenderOptions&)> change;
  std::vector<std::string> words;  // of the message
};

class BadOption : public testing::TestWithParam<OptionCase> {};

TEST_P(BadOption, IsRefusedByName) {
  const Frame frame = small_frame();
  Renderer renderer;
  RenderOptions o;
  o.machine = MachineKind::cpu;
  GetParam().change(o);
  try {
    renderer.render(frame, o);
    FAIL() << "was accepted";
  } catch (const std::invalid_argument& e) {
    const std::string text = e.what();
    for (const std::string& word : GetParam().words)
      EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  // The renderer still works.
  o = {};
  o.machine = MachineKind::cpu;
  const RenderResult r = renderer.render(frame, o);
  EXPECT_FALSE(r.aborted);
  EXPECT_EQ(r.statistics.triangles_out, 1u);
}

OptionCase bin(const char* name, int value) {
  return {name, [=](RenderOptions& o) { o.bin = value; }, {"bin", std::to_string(value), "8", "256"}};
}
OptionCase rasterizers(const char* name, int value) {
  return {name, [=](RenderOptions& o) { o.rasterizers = value; }, {"rasterizers", std::to_string(value), "4096"}};
}

INSTANTIATE_TEST_SUITE_P(
    Options, BadOption,
    testing::Values(
        bin("BinTooSmall", 4), bin("BinNoPowerOfTwo", 48), bin("BinTooLarge", 512), bin("BinNegative", -8),
        rasterizers("RasterizersNegative", -1), rasterizers("RasterizersTooMany", 4097),
        OptionCase{"WorkersNegative", [](RenderOptions& o) { o.workers = -1; }, {"workers", "-1", "4096"}},
        OptionCase{"WorkersTooMany", [](RenderOptions& o) { o.workers = 4097; }, {"workers", "4097"}},
        OptionCase{"WarpsNegative", [](RenderOptions& o) { o.warps_per_block = -1; }, {"warps", "-1", "8"}},
        OptionCase{"WarpsTooMany",
                   [](RenderOptions& o) {
                     o.machine = MachineKind::emulated;
                     o.warps_per_block = 9;
                   },
                   {"warps", "9", "8"}},
        OptionCase{"StoreNegative", [](RenderOptions& o) { o.store_blocks = -5; }, {"store", "-5"}},
        OptionCase{"StoreTooLarge", [](RenderOptions& o) { o.store_blocks = (1 << 22) + 1; }, {"store", "4194304"}},
        OptionCase{"BudgetNegative", [](RenderOptions& o) { o.frame_budget_ms = -1; }, {"budget", "-1"}},
        OptionCase{"UnknownIsa", [](RenderOptions& o) { o.isa = "v9"; }, {"isa", "v9", "brokkr machines"}}),
    [](const auto& option_case) { return std::string(option_case.param.name); });

TEST(Options, LimitsThemselvesAreAccepted) {
  const Frame frame = small_frame();
  Renderer renderer;
  RenderOptions o;
  o.machine = MachineKind::cpu;
  o.keep_ids = true;
  const RenderResult expected = renderer.render(frame, o);
  const std::vector<std::function<void(RenderOptions&)>> changes = {
      [](RenderOptions& c) { c.bin = 8; },
      [](RenderOptions& c) { c.bin = 256; },
      [](RenderOptions& c) { c.rasterizers = 1; },
      [](RenderOptions& c) { c.rasterizers = kMaxRasterizers; },
      [](RenderOptions& c) { c.workers = 64; },
      [](RenderOptions& c) { c.command_limit = 1000; },
      [](RenderOptions& c) {
        if (!test::is_there(MachineKind::emulated)) return;
        c.machine = MachineKind::emulated;
        c.warps_per_block = 8;
      }};
  for (size_t i = 0; i < changes.size(); ++i) {
    SCOPED_TRACE("change " + std::to_string(i));
    RenderOptions changed = o;
    changes[i](changed);
    test::expect_same_pictures(expected.targets, renderer.render(frame, changed).targets);
  }
}

// The limits in brokkr/options.def apply both to the struct and to its text form.
TEST(OptionTable, TextsAreTheInverseOfOptions) {
  RenderOptions options;
  std::set<std::string> known;
  for_each_option(std::as_const(options), [&]<class T>(const OptionInfo& info, const T&) {
    SCOPED_TRACE(info.name);
    EXPECT_TRUE(known.insert(info.name).second);
    EXPECT_NE(std::string(info.help), "");
    std::vector<std::string> texts = names_of<T>(info);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      texts = {std::to_string(int64_t(info.min)), std::to_string(int64_t(info.max))};
    if constexpr (std::is_floating_point_v<T>) texts = {"0", "16.5"};
    if (texts.empty()) texts = {"3,5"};
    for (const std::string& text : texts) {
      set_option(options, info.name, text);
      EXPECT_EQ(option_texts(options).at(info.name), text);
      EXPECT_NO_THROW(check_options(options));
    }
  });
  EXPECT_EQ(known.size(), option_texts(options).size());
  EXPECT_THROW(set_option(options, "nonsense", "1"), std::invalid_argument);
  EXPECT_THROW(set_option(options, "pattern", "nonsense"), std::invalid_argument);
}

TEST(OptionTable, EnumerationsNameEveryValueInOrder) {
  RenderOptions options;
  for_each_option(options, []<class T>(const OptionInfo& info, const T&) {
    if constexpr (std::is_enum_v<T>) {
      int value = 0;
      for (const Choice<T>& choice : Choices<T>::all) EXPECT_EQ(int(choice.value), value++) << info.name;
    }
  });
}

TEST(OptionTable, LimitsOfStructAndTextAreTheSame) {
  EXPECT_EQ(option_info::workers.max, 4096);
  EXPECT_EQ(option_info::store_blocks.max, 1 << 22);
  const auto refusal = [](auto&& action) -> std::string {
    try {
      action();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  RenderOptions options;
  for_each_option(options, [&]<class T>(const OptionInfo& info, T& value) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      SCOPED_TRACE(info.name);
      const T standard = std::exchange(value, T(info.max) + 1);
      const std::string number = std::to_string(int64_t(info.max) + 1);
      const std::string range = " of " + std::to_string(int64_t(info.min)) + " to " + std::to_string(int64_t(info.max));
      for (const std::string& text :
           {refusal([&] { check_options(options); }), refusal([&] { set_option(options, info.name, number); })}) {
        EXPECT_NE(text.find(number), std::string::npos) << text;
        EXPECT_TRUE(text.ends_with(range)) << text;
      }
      value = standard;
    }
  });
  EXPECT_THROW(set_option(options, "quotas", "1"), std::invalid_argument);
  EXPECT_THROW(set_option(options, "quotas", "1,0"), std::invalid_argument);
  EXPECT_THROW(set_option(options, "fixation", "1,nan"), std::invalid_argument);
  EXPECT_THROW(set_option(options, "view-deadline", "5,"), std::invalid_argument);
}

// One field: a kind that is chosen after a saved pattern replaces it, as in the viewer's comparison of two patterns.
TEST(Options, AKindTakesTheSavedPatternsPlace) {
  const Frame frame = small_frame();
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions o;
  o.machine = MachineKind::cpu;
  const PatternChoice saved =
      std::make_shared<const SavedPattern>(SavedPattern{"mine", "", make_pattern(PatternKind::sudoku, 7, 1, 1)});
  for (const PatternChoice& choice : {saved, PatternChoice(PatternKind::hilbert), saved}) {
    o.pattern = choice;
    const Statistics s = renderer.render(prepared, o).statistics;
    EXPECT_EQ(s.pattern, pattern_name(choice));
    EXPECT_EQ(s.rasterizers == 7, choice == saved);
  }
}

TEST(Options, CommandLimitStopsBeforeThatCommand) {
  const Frame frame = small_frame();  // a clear and a draw
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  for (const uint32_t limit : {0u, 1u, 2u, 1u}) {
    RenderOptions o;
    o.command_limit = limit;
    EXPECT_EQ(renderer.render(prepared, o).statistics.triangles_in, limit == 2 ? 1u : 0u);
  }
}

TEST(Options, CudaWithoutAGpuSaysSo) {
  for (const MachineInfo& m : find_machines()) {
    if (m.kind == MachineKind::cuda && m.available) GTEST_SKIP() << "there is a GPU";
  }
  const Frame frame = small_frame();
  Renderer renderer;
  RenderOptions o;
  o.machine = MachineKind::cuda;
  try {
    renderer.render(frame, o);
    FAIL() << "was accepted";
  } catch (const std::runtime_error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("CUDA"), std::string::npos) << text;
    EXPECT_NE(text.find("use the CPU"), std::string::npos) << text;
  }
}

TEST(Options, InvalidFrameIsRefused) {
  Frame frame = small_frame();
  std::get<DrawCommand>(frame.commands[1]).vertex_count = 2;
  std::get<DrawCommand>(frame.commands[1]).first_vertex = 100;
  Renderer renderer;
  EXPECT_THROW(renderer.prepare(frame), std::runtime_error);
}

}  // namespace
}  // namespace brokkr
