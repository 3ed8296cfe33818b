#include "app/parse.h"

#include <gtest/gtest.h>

#include "cli/commands.h"

namespace brokkr::app {
namespace {

bool accepts(const Option& option, const std::string& value) { return problem_with(option, value).empty(); }

TEST(ValueCheck, WholeNumbers) {
  const Option option{.kind = ValueKind::integer, .min = 1, .max = 4096};
  EXPECT_TRUE(accepts(option, "1"));
  EXPECT_TRUE(accepts(option, "4096"));
  for (const char* bad : {"", "0", "4097", "-1", "1.5", "1x", " 1", "0x10", "99999999999999999999", "nan"}) {
    EXPECT_FALSE(accepts(option, bad)) << bad;
  }
  EXPECT_EQ(problem_with(option, "0"), "'0' is not a whole number of 1 to 4096");
}

TEST(ValueCheck, PowersOfTwo) {
  const Option option{.kind = ValueKind::power_of_two, .min = 8, .max = 256};
  for (const char* good : {"8", "16", "32", "64", "128", "256"}) EXPECT_TRUE(accepts(option, good)) << good;
  for (const char* bad : {"0", "4", "24", "100", "512", "-8"}) EXPECT_FALSE(accepts(option, bad)) << bad;
}

TEST(ValueCheck, RealNumbers) {
  const Option option{.kind = ValueKind::real, .min = 0, .max = 100};
  for (const char* good : {"0", "99.5", "100", "1e1"}) EXPECT_TRUE(accepts(option, good)) << good;
  for (const char* bad : {"", "-0.1", "100.5", "inf", "nan", "5%"}) EXPECT_FALSE(accepts(option, bad)) << bad;
}

TEST(ValueCheck, Sizes) {
  const Option option{.kind = ValueKind::size, .min = 1, .max = 16384};
  for (const char* good : {"1x1", "1920x1080", "16384x16384"}) EXPECT_TRUE(accepts(option, good)) << good;
  for (const char* bad :
       {"", "x", "1920", "1920x", "x1080", "0x1", "1x0", "16385x1", "-1x5", "1x1x1", "1X1", "4294967297x1"}) {
    EXPECT_FALSE(accepts(option, bad)) << bad;
  }
}

TEST(ValueCheck, ChoicesAreListed) {
  const Option option{.kind = ValueKind::choice, .choices = {"static", "stealing"}};
  EXPECT_TRUE(accepts(option, "static"));
  EXPECT_EQ(problem_with(option, "steal"), "'steal' is not one of static, stealing");
}

TEST(Commands, EveryOptionIsWhole) {
  for (const Command& command : all_commands({})) {
    EXPECT_FALSE(command.summary.empty()) << command.name;
    for (const Option& option : command.options) {
      EXPECT_FALSE(option.help.empty()) << command.name << " " << option.names;
      const bool ranged = option.kind == ValueKind::integer || option.kind == ValueKind::real;
      EXPECT_TRUE(option.kind == ValueKind::flag || !option.value.empty()) << command.name << " " << option.names;
      EXPECT_TRUE(option.kind != ValueKind::choice || !option.choices.empty()) << option.names;
      EXPECT_TRUE(!ranged || option.min < option.max) << option.names;
    }
  }
}

}  // namespace
}  // namespace brokkr::app
