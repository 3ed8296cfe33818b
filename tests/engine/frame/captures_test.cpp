// Every captured frame must load with the numbers that its table lists. The captures are not part of the repository:
// the tests read $BROKKR_CAPTURES or ../shared/captures, and skip if neither exists.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "frame/bkf.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;

fs::path captures_folder() {
  if (const char* folder = std::getenv("BROKKR_CAPTURES")) return folder;
  return fs::path(BROKKR_SOURCE_DIR) / ".." / "shared" / "captures";
}

struct Expected {
  const char* file;
  uint64_t draws, triangles, vertices;  // triangles and vertices of all instances
  int width, height;
};

// The numbers of the table next to the captures. Where it rounds, they come from the files' JSON.
constexpr Expected kExpected[] = {
    {"cube2-colos", 284, 23630, 92823, 1280, 720},
    {"cube2-two-towers", 369, 36249, 163001, 1280, 720},
    {"0ad-acropolis-bay", 1314, 205451, 353053, 1280, 720},
    {"0ad-sandbox", 472, 118827, 185375, 1280, 720},
    {"0ad-combat-demo-huge", 16874, 3239808, 2803935, 1920, 1080},
    {"openarena-ctf-gate1", 118, 25706, 21855, 1280, 720},
    {"neverball-circuit2", 811, 41970, 40452, 1280, 720},
    {"supertuxkart-black-forest", 366, 359916, 472059, 1920, 1080},
    {"supertuxkart-cocoa-temple", 184, 212478, 213121, 1920, 1080},
    {"warzone2100-rush", 184, 60214, 77466, 1280, 720},
    {"minetest", 1826, 524958, 1049922, 1920, 1080},
    {"extremetuxracer", 439, 8203, 24980, 1280, 720},
    {"gl-feature-test", 11, 103, 287, 640, 480},
};

class Captures : public testing::TestWithParam<Expected> {};

TEST_P(Captures, LoadsWithTheNumbersOfItsTable) {
  const Expected& expected = GetParam();
  const fs::path path = captures_folder() / (std::string(expected.file) + ".bkf");
  if (!fs::exists(path)) GTEST_SKIP() << path << " is missing";
  const Frame frame = read_bkf(path);
  uint64_t draws = 0, vertices = 0;
  for (const Command& command : frame.commands) {
    if (const auto* draw = std::get_if<DrawCommand>(&command)) {
      draws++;
      vertices += uint64_t(draw->vertex_count) * draw->instances;
    }
  }
  EXPECT_EQ(draws, expected.draws);
  EXPECT_EQ(triangle_count(frame), expected.triangles);
  EXPECT_EQ(vertices, expected.vertices);
  EXPECT_EQ(frame.window_width, expected.width);
  EXPECT_EQ(frame.window_height, expected.height);
  EXPECT_FALSE(frame.license.empty());
  ASSERT_FALSE(frame.references.empty());
  const Target& target = frame.targets[main_target(frame)];
  EXPECT_EQ(target.width, expected.width);
  EXPECT_EQ(target.height, expected.height);
  for (const Reference& reference : frame.references) {
    for (float depth : reference.depth) ASSERT_TRUE(depth >= 0 && depth <= 1);
  }
}

std::string test_name(const testing::TestParamInfo<Expected>& info) {
  std::string name = info.param.file;
  for (char& character : name) character = character == '-' ? '_' : character;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Captures, testing::ValuesIn(kExpected), test_name);

}  // namespace
}  // namespace brokkr
