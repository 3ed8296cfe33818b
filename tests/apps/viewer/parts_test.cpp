// Keys, sequences, settings, screenshots, options: parts of the window, tested without a window.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/input.h"
#include "app/parse.h"
#include "app/pipeline_options.h"
#include "brokkr/image.h"
#include "viewer/block_timeline.h"
#include "viewer/draw_filter.h"
#include "viewer/file_dialog.h"
#include "viewer/file_watch.h"
#include "viewer/keys.h"
#include "viewer/loader.h"
#include "viewer/option_widget.h"
#include "viewer/scene.h"
#include "viewer/screenshot.h"
#include "viewer/sequence.h"
#include "viewer/settings_file.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "brokkr-viewer-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = pattern;
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string touch(const std::string& name) const {
    std::ofstream(path / name) << "x";
    return (path / name).string();
  }
  fs::path path;
};

// Keys by their labels: `place` is the key of an American keyboard.
TEST(Keys, OfOtherKeyboards) {
  EXPECT_EQ(key_that_stands(';', "m", true), 'M');  // French
  EXPECT_EQ(key_that_stands('M', ",", false), ',');
  EXPECT_EQ(key_that_stands(',', ";", false), '.');
  EXPECT_EQ(key_that_stands('7', "\xc3\xa8", false), '7');
  EXPECT_EQ(key_that_stands('6', "-", false), '6');
  EXPECT_EQ(key_that_stands('Y', "z", true), 'Z');  // German
  EXPECT_EQ(key_that_stands(']', "+", true), '=');
  EXPECT_EQ(key_that_stands('/', "-", true), '-');
  EXPECT_EQ(key_that_stands('S', "o", true), 'O');  // Dvorak
  EXPECT_EQ(key_that_stands('V', ".", true), '.');
  EXPECT_EQ(key_that_stands('M', "\xd1\x8c", true), 'M');  // Russian
  EXPECT_EQ(key_that_stands(';', ";", true), ';');         // American
  EXPECT_EQ(key_that_stands('M', nullptr, true), 'M');
  EXPECT_EQ(key_that_stands(290, nullptr, true), 290);  // F1
  EXPECT_EQ(key_that_stands(333, "-", true), '-');      // of the keypad
}

TEST(Keys, PressReleaseAndModifiers) {
  Keyboard keyboard;
  const auto held = keyboard.press('C', kNoModifier);
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->action, Action::hold_reference);
  EXPECT_TRUE(held->down);
  const auto copied = keyboard.press('C', kControl);
  ASSERT_TRUE(copied.has_value());
  EXPECT_EQ(copied->action, Action::copy_camera);
  EXPECT_FALSE(keyboard.press('C', kShift).has_value());
  const auto released = keyboard.release('C');
  ASSERT_TRUE(released.has_value());
  EXPECT_EQ(released->action, Action::hold_reference);
  EXPECT_FALSE(released->down);
  EXPECT_FALSE(keyboard.release('C').has_value());  // once
  const auto bookmark = keyboard.press('7', kControl);
  ASSERT_TRUE(bookmark.has_value());
  EXPECT_EQ(bookmark->action, Action::save_bookmark);
  EXPECT_EQ(bookmark->number, 7);
  EXPECT_EQ(key_text('1', kControl), "Ctrl+1");
  EXPECT_EQ(key_text(Action::save_image), "Shift+F12");
}

TEST(Keys, HaveOneMeaningEach) {
  std::set<std::pair<int, int>> taken;
  for (const KeyBinding& binding : key_bindings()) {
    for (int i = 0; i < binding.keys; ++i)
      EXPECT_TRUE(taken.emplace(binding.key + i, binding.modifiers).second) << binding.help;
  }
}

TEST(Keys, StandInTheDocumentation) {
  std::string table = "| | key | what it does |\n|---|---|---|\n";
  for (const HelpGroup& group : help_groups()) {
    std::string name = group.name;
    for (const HelpGroup::Line& line : group.lines)
      table += "| " + std::exchange(name, "") + " | `" + line.keys + "` | " + line.help + " |\n";
  }
  std::ifstream file(std::string(BROKKR_SOURCE_DIR) + "/docs/reference/viewer.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(page.find(table), std::string::npos)
      << "docs/reference/viewer.md needs this table of src/apps/viewer/keys.cpp:\n"
      << table;
}

TEST(FileDialog, SaysWhatCannotBeOpened) {
  const Folder folder;
  const auto why = [&](const std::string& name) { return why_not_to_open((folder.path / name).string(), {}); };
  folder.touch("a.bkf");
  folder.touch("note.txt");
  ASSERT_EQ(mkfifo((folder.path / "pipe.bkf").c_str(), 0600), 0);
  EXPECT_EQ(why("a.bkf"), "");
  EXPECT_EQ(why_not_to_open(folder.path.string(), {}), "");
  EXPECT_EQ(why_not_to_open("generated:city", {}), "");
  EXPECT_NE(why("none.bkf").find("there is no such file"), std::string::npos);
  EXPECT_NE(why("note.txt").find("is not a frame, scene or shader; open .bkf"), std::string::npos);
  EXPECT_NE(why("pipe.bkf").find("is a device or a pipe"), std::string::npos);
}

TEST(FileDialog, KnowsTheHomeFolder) {
  const std::string home = std::getenv("HOME");
  EXPECT_EQ(with_home("~"), home);
  EXPECT_EQ(with_home("~/a.bkf"), home + "/a.bkf");
  for (const char* const path : {"~a/b", "/a/~", "a", ""}) EXPECT_EQ(with_home(path), path);
}

TEST(Sequence, FilesInTheOrderOfTheirNumbers) {
  const Folder folder;
  for (const char* name : {"f10.bkf", "f2.bkf", "f1.bkf", "a.obj", "note.txt"}) folder.touch(name);
  const auto files = scenes_in(folder.path.string());
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(fs::path(files[0]).filename(), "f1.bkf");
  EXPECT_EQ(fs::path(files[1]).filename(), "f2.bkf");
  EXPECT_EQ(fs::path(files[2]).filename(), "f10.bkf");
  EXPECT_TRUE(scenes_in((folder.path / "none").string()).empty());
}

TEST(Sequence, FindsAFile) {
  Sequence sequence;
  EXPECT_FALSE(sequence.find("a").has_value());
  sequence.set({"a", "b"});
  EXPECT_EQ(sequence.find("b"), 1u);
  EXPECT_FALSE(sequence.find("c").has_value());
}

TEST(Names, OfScenesAndFiles) {
  const Folder folder;
  const fs::path& f = folder.path;
  EXPECT_EQ(display_name("/some/where/frame.bkf"), "frame.bkf");
  EXPECT_EQ(display_name("generated:city?seed=1"), "generated:city?seed=1");
  EXPECT_EQ(free_name(f, "generated:city?seed=1", ".png"), f / "brokkr-city-seed-1-1.png");
  EXPECT_EQ(free_name(f, "/some/a frame.bkf", ".csv", ".json"), f / "brokkr-a-frame-1.csv");
  folder.touch("brokkr-a-frame-1.json");
  folder.touch("brokkr-a-frame-2.csv");
  EXPECT_EQ(free_name(f, "/some/a frame.bkf", ".csv", ".json"), f / "brokkr-a-frame-3.csv");
  EXPECT_EQ(free_name(f, "/some/a frame.bkf", ".csv"), f / "brokkr-a-frame-1.csv");
}

TEST(DrawFilter, LimitsHidesAndSteps) {
  Frame frame;
  frame.commands = {DrawCommand{}, ClearCommand{}, DrawCommand{}, DrawCommand{}};
  const std::vector<uint32_t> draws{0, 2, 3};
  FrameSettings settings;
  const std::optional<uint32_t>& limit = settings.options.command_limit;
  for (int count = 0; count <= 3; ++count) {
    show_draws(settings, draws, count);
    EXPECT_EQ(draws_shown(settings, draws), count);
  }
  EXPECT_FALSE(limit.has_value());
  EXPECT_EQ(step_draw(settings, frame, -1), 3u);
  EXPECT_EQ(step_draw(settings, frame, -1), 2u);
  EXPECT_EQ(draws_shown(settings, draws), 2);
  EXPECT_EQ(step_draw(settings, frame, 1), 3u);
  EXPECT_FALSE(step_draw(settings, frame, 1).has_value());  // after the last: all
  EXPECT_FALSE(limit.has_value());
  set_hidden(settings, 2, true);
  set_hidden(settings, 2, true);
  EXPECT_TRUE(settings.hidden_commands.contains(2));
  EXPECT_EQ(settings.hidden_commands.size(), 1u);
  isolate(settings, frame, 2);
  EXPECT_EQ(settings.hidden_commands, (std::set<uint32_t>{0, 3}));
  isolate(settings, frame, 2);
  EXPECT_TRUE(settings.hidden_commands.empty());
}

TEST(Sequence, PlaysAtItsSpeedAndLoops) {
  Sequence sequence;
  sequence.set({"a", "b", "c"});
  sequence.speed = 10;
  const auto start = Sequence::Clock::now();
  sequence.play(start);
  EXPECT_FALSE(sequence.advance(start + 50ms));
  EXPECT_TRUE(sequence.advance(start + 110ms));
  EXPECT_EQ(sequence.position(), 1u);
  EXPECT_TRUE(sequence.advance(start + 310ms));  // two are due: one is left out
  EXPECT_EQ(sequence.position(), 0u);
  sequence.loop = false;
  EXPECT_TRUE(sequence.advance(start + 900ms));
  EXPECT_EQ(sequence.position(), 2u);
  EXPECT_FALSE(sequence.playing());
  sequence.step(1);
  EXPECT_EQ(sequence.position(), 2u);
  sequence.loop = true;
  sequence.step(1);
  EXPECT_EQ(sequence.position(), 0u);
  sequence.step(-1);
  EXPECT_EQ(sequence.position(), 2u);
}

TEST(SettingsFile, ComesBackAsItWas) {
  const Folder folder;
  const fs::path path = folder.path / "deep" / "viewer.json";
  Settings settings;
  settings.options.pattern = PatternKind::hilbert;
  settings.window_width = 777;
  settings.bookmarks["x.obj"][4] = Camera{.eye = {1, 2, 3}, .fov = 33};
  add_recent(settings, "generated:city");
  add_recent(settings, "generated:terrain");
  add_recent(settings, "generated:city");
  write_settings(path, settings);
  std::string problem;
  Settings read = read_settings(path, problem);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(read.options, settings.options);
  EXPECT_EQ(read.window_width, 777);
  EXPECT_EQ(read.recent, (std::vector<std::string>{"generated:city", "generated:terrain"}));
  ASSERT_TRUE(read.bookmarks["x.obj"][4].has_value());
  EXPECT_EQ(read.bookmarks["x.obj"][4]->eye, glm::vec3(1, 2, 3));
  std::ofstream(path) << "{ nonsense";
  EXPECT_EQ(read_settings(path, problem).window_width, Settings{}.window_width);
  EXPECT_NE(problem.find("viewer.json"), std::string::npos);
}

TEST(Screenshot, MetadataLeavesThePictureReadable) {
  const std::vector<uint32_t> pixels = {0xff0000ff, 0xff00ff00, 0xffff0000, 0xffffffff};
  const auto png = encode_screenshot({2, 2, pixels}, {{"Command", "brokkr render \xc3\xa9"}});
  const std::string text(reinterpret_cast<const char*>(png.data()), png.size());
  EXPECT_NE(text.find("iTXtCommand"), std::string::npos);
  EXPECT_NE(text.find("brokkr render \xc3\xa9"), std::string::npos);
  EXPECT_EQ(read_image(png, "a.png").texels, pixels);
  EXPECT_THROW(encode_screenshot({}, {}), std::runtime_error);
}

TEST(SettingsFile, LeavesOutWhatIsNoOptionAnyMore) {
  const Folder folder;
  const fs::path path = folder.path / "viewer.json";
  std::ofstream(path) << R"({"options": {"pattern": "gone.json", "policy": "nonsense", "older": "1", "bin": "128"}})";
  std::string problem;
  RenderOptions expected;
  expected.bin = 128;
  EXPECT_EQ(read_settings(path, problem).options, expected);
  EXPECT_EQ(problem, "");
}

TEST(SettingsFile, RemembersDocksAndScale) {
  const Folder folder;
  const fs::path path = folder.path / "viewer.json";
  Settings settings;
  settings.scale = 1.5f;
  settings.docks.section = "Look";
  settings.docks.open["Look"] = "Scene";
  settings.docks.widths = {0.25f, 0.3f};
  settings.docks.share = 0.4f;
  settings.one_to_one = true;
  write_settings(path, settings);
  std::string problem;
  const Settings read = read_settings(path, problem);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(read.scale, 1.5f);
  EXPECT_EQ(read.docks.section, settings.docks.section);
  EXPECT_EQ(read.docks.share, settings.docks.share);
  EXPECT_TRUE(read.one_to_one);
  EXPECT_EQ(read.docks.open, settings.docks.open);
  EXPECT_EQ(read.docks.widths, settings.docks.widths);
}

// Entries of modules are kept, even if the program does not have the module.
TEST(SettingsFile, KeepsEntriesOfModules) {
  const Folder folder;
  const fs::path path = folder.path / "viewer.json";
  Settings settings;
  settings.modules["trace"] = R"({"samples":64})";
  settings.modules["unknown"] = R"({"a":[1,2]})";
  write_settings(path, settings);
  std::string problem;
  EXPECT_EQ(read_settings(path, problem).modules, settings.modules);
  EXPECT_EQ(problem, "");
}

TEST(ModuleSettings, AreValuesAndBeginWithTheirDefaults) {
  struct Numbers {
    int count = 3;
    bool operator==(const Numbers&) const = default;
  };
  ModuleSettings a;
  const ModuleSettings empty;
  EXPECT_EQ(empty.get<Numbers>().count, 3);
  a.get<Numbers>();
  EXPECT_EQ(a, empty) << "what was only looked at is no change";
  EXPECT_EQ(empty, a);
  a.get<Numbers>().count = 4;
  EXPECT_FALSE(a == empty);
  EXPECT_FALSE(empty == a);
  ModuleSettings b = a;
  EXPECT_EQ(a, b);
  b.get<Numbers>().count = 5;
  EXPECT_EQ(a.get<Numbers>().count, 4);
  b = a;
  EXPECT_EQ(a, b);
}

// The time grows linearly with the file's size, not quadratically: a megabyte once took ten seconds.
TEST(SettingsFile, IsReadInTimeHoweverManyKeys) {
  const Folder folder;
  const fs::path path = folder.path / "viewer.json";
  {
    std::ofstream file(path);
    file << R"({"window_width": 777)";
    for (int i = 0; i < 90000; ++i) file << ",\"k" << i << "\":0";
    file << '}';
  }
  ASSERT_GT(fs::file_size(path), 900000u);
  std::string problem;
  const std::clock_t begin = std::clock();  // of this program: a busy computer does not count
  EXPECT_EQ(read_settings(path, problem).window_width, 777);
  EXPECT_EQ(problem, "");
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 3);
  std::ofstream(path) << std::string(5 << 20, ' ');
  EXPECT_EQ(read_settings(path, problem).window_width, Settings{}.window_width);
  EXPECT_NE(problem.find("larger"), std::string::npos) << problem;
}

TEST(Options, StepsThroughChoicesAroundTheEnd) {
  Policy policy = Policy::foveated;
  EXPECT_STREQ(step_choice(policy, 1), "fill-level");
  EXPECT_STREQ(step_choice(policy, -1), "foveated");
  EXPECT_EQ(policy, Policy::foveated);
  PatternChoice pattern = std::make_shared<const SavedPattern>();
  EXPECT_STREQ(step_choice(pattern, 1), "diagonal");
  pattern = std::make_shared<const SavedPattern>();
  EXPECT_STREQ(step_choice(pattern, -1), "g80");
  EXPECT_EQ(pattern, PatternChoice(PatternKind::g80));
}

// `brokkr view` passes on its words; brokkr-view reads them with the parser and the options of `brokkr view`.
TEST(Options, ViewerReadsTheWordsThatTheUserWrote) {
  static app::Arguments read{{}};
  const app::Command view = app::view_command({}, [](const app::Arguments& arguments) {
    read = arguments;
    return 7;
  });
  const std::vector<std::string> words = {"--pattern", "hilbert", "--bin=32", "--fresh", "--", "a.bkf", "--odd.bkf"};
  EXPECT_EQ(app::run_command(view, words), 7);
  EXPECT_EQ(read.all("FILE"), (std::vector<std::string>{"a.bkf", "--odd.bkf"}));
  EXPECT_EQ(read.words(), words);
  EXPECT_TRUE(read.has("fresh"));
  RenderOptions options;
  options.policy = Policy::edf;  // remembered: what was not given stays
  app::read_options(read, options);
  EXPECT_EQ(options.pattern, PatternChoice(PatternKind::hilbert));
  EXPECT_EQ(options.bin, 32);
  EXPECT_EQ(options.policy, Policy::edf);
  EXPECT_THROW(app::run_command(view, {"--pattern=none"}), app::UsageError);
  EXPECT_THROW(app::run_command(view, {"--nothing=1"}), app::UsageError);
}

TEST(BlockTimeline, SharesAddUp) {
  Statistics s;
  s.block_times.resize(2);
  s.trace = {{0, 0, 0, 0, 50}, {0, 1, 0, 50, 100}, {1, 1, 0, 20, 40}};
  const BlockTimeline t = make_timeline(s, 4);
  EXPECT_FLOAT_EQ(t.share[0][0], 1);
  EXPECT_FLOAT_EQ(t.share[2][1], 1);
  EXPECT_FLOAT_EQ(t.share[4][1], 0.2f);
  EXPECT_FLOAT_EQ(t.share[5][1], 0.6f);
  EXPECT_FLOAT_EQ(t.share[6][1], 0);
}

TEST(BlockTimeline, ShowsAPartOfTheFrame) {
  Statistics s;
  s.block_times.resize(2);
  s.trace = {{0, 0, 7, 0, 50}, {0, 1, 3, 50, 100}, {1, 1, 0, 20, 40}};
  const BlockTimeline t = make_timeline(s, 4, {0.4, 0.6});  // 40 to 60 microseconds
  EXPECT_FLOAT_EQ(t.share[1][0], 1);
  EXPECT_FLOAT_EQ(t.share[1][1], 0);
  EXPECT_FLOAT_EQ(t.share[2][0], 0);
  EXPECT_FLOAT_EQ(t.share[3][1], 1);
  EXPECT_FLOAT_EQ(t.share[4][1], 0) << "the other block has ended";
  ASSERT_NE(event_at(s, 0, 20), nullptr);
  EXPECT_EQ(event_at(s, 0, 20)->argument, 7u);
  EXPECT_EQ(event_at(s, 0, 50)->argument, 3u);
  EXPECT_EQ(event_at(s, 1, 50), nullptr);
}

TEST(BlockTimeline, ZoomsAroundThePointerAndStaysInTheFrame) {
  const TimeRange half = zoomed({}, 0.75, 0.5);
  EXPECT_DOUBLE_EQ(half.begin, 0.375);
  EXPECT_DOUBLE_EQ(half.end, 0.875);
  EXPECT_DOUBLE_EQ(half.begin + 0.75 * half.length(), 0.75) << "the point under the pointer stays there";
  EXPECT_EQ(zoomed(half, 0.2, 100), (TimeRange{0, 1}));
  EXPECT_DOUBLE_EQ(zoomed(half, 1, 1.5).end, 0.875);
  EXPECT_DOUBLE_EQ(panned(half, 0.1).begin, 0.425);
  EXPECT_DOUBLE_EQ(panned(half, 7).end, 1);
  EXPECT_DOUBLE_EQ(panned(half, -7).begin, 0);
  TimeRange small;
  for (int i = 0; i < 1000; ++i) small = zoomed(small, 0.3, 0.8);
  EXPECT_NEAR(small.length(), 1e-5, 1e-9);
}

TEST(BlockTimeline, BucketsEmptyAsTimeGoesOn) {
  Statistics s;
  s.rasterizers = 2;
  s.trace = {{0, 0, 0, 0, 10}, {0, 0, 1, 10, 20}, {1, 1, 1, 20, 60}, {0, 2, 0, 20, 60}};
  EXPECT_EQ(bucket_levels(s, -1).geometry_left, 2u);
  const BucketLevels levels = bucket_levels(s, 30);
  EXPECT_EQ(levels.geometry_tasks, 2u);
  EXPECT_EQ(levels.geometry_left, 0u);
  EXPECT_DOUBLE_EQ(levels.left_us[1], 30);
  EXPECT_DOUBLE_EQ(levels.whole_us[1], 40);
  EXPECT_DOUBLE_EQ(levels.left_us[0], 0);
}

template <class F>
bool within(std::chrono::milliseconds time, F&& done) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!done()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

TEST(FileWatch, TellsOfTexturesAndNotOfPicturesThatTheViewerSaves) {
  const Folder folder;
  FileWatch watch([] {});
  watch.watch(folder.touch("room.obj"));
  folder.touch("brokkr-room-1.png");
  std::this_thread::sleep_for(250ms);
  EXPECT_FALSE(watch.take());
  folder.touch("wood.png");
  EXPECT_TRUE(within(120s, [&] { return watch.take(); }));
}

TEST(FileWatch, TellsOfItsFileAlone) {
  const Folder folder;
  const std::string file = folder.touch("a.bkf");
  FileWatch watch([] {});
  watch.watch(file);
  folder.touch("b.bkf");
  std::this_thread::sleep_for(250ms);
  EXPECT_FALSE(watch.take());
  fs::rename(folder.touch("new"), file);  // as careful programs write
  EXPECT_TRUE(within(120s, [&] { return watch.take(); }));
}

TEST(Loader, LoadsFailsAndCancels) {
  Loader loader([] {});
  std::optional<Loaded> loaded;
  const auto wait = [&] { return within(120s, [&] { return (loaded = loader.take()).has_value(); }); };
  loader.load("generated:sphere-100k", {.width = 64, .height = 64});
  ASSERT_TRUE(wait());
  ASSERT_NE(loaded->scene, nullptr);
  EXPECT_EQ(loaded->scene->frame.targets[0].width, 64);
  // A finished load counts as loading until it is taken.
  loader.load("generated:sphere-100k", {.width = 32, .height = 32});
  EXPECT_TRUE(within(120s, [&] { return loader.state() && loader.state()->part == 1; }));
  std::this_thread::sleep_for(100ms);
  EXPECT_TRUE(loader.state().has_value());
  ASSERT_TRUE(wait());
  loader.load("no such file.bkf", {});
  ASSERT_TRUE(wait());
  EXPECT_EQ(loaded->scene, nullptr);
  EXPECT_NE(loaded->error.find("no such file.bkf"), std::string::npos);
  loader.load(std::string(BROKKR_SOURCE_DIR) + "/scenes/minetest.bkf", {});
  loader.cancel();
  EXPECT_TRUE(within(120s, [&] { return !loader.state(); }));
  EXPECT_FALSE(loader.take().has_value());
}

}  // namespace
}  // namespace brokkr::viewer
