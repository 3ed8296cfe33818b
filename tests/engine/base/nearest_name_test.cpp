#include "base/nearest_name.h"

#include <gtest/gtest.h>

namespace brokkr {
namespace {

const std::vector<std::string> kNames = {"hilbert", "z-curve", "g80", "render", "real"};

TEST(NearestName, OneSlipOfEachKind) {
  for (const char* text : {"hilbrt", "hillbert", "hilbart", "hlibert"})
    EXPECT_EQ(nearest_name(text, kNames), "hilbert");
  EXPECT_EQ(nearest_name("rnder", kNames), "render");
}

TEST(NearestName, FarWordsHaveNone) {
  for (const char* text : {"", "g", "z", "hexagon", "hrt"}) EXPECT_EQ(nearest_name(text, kNames), "") << text;
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'h'), kNames), "");
  EXPECT_EQ(nearest_name("hilbert", {}), "");
}

TEST(NearestName, TheQuestionIsAskedOnlyWhereThereIsOne) {
  EXPECT_EQ(did_you_mean("z-cruve", kNames), " (did you mean 'z-curve'?)");
  EXPECT_EQ(did_you_mean("diagonal", kNames), "");
}

TEST(NearestName, NamesOfAFileAreListedIfNoneIsNear) {
  EXPECT_EQ(meant_or_known("z-cruve", kNames), " (did you mean 'z-curve'?)");
  EXPECT_EQ(meant_or_known("diagonal", kNames), " (known: hilbert, z-curve, g80, render, real)");
  EXPECT_EQ(meant_or_known("diagonal", {}), " (there are none)");
  const std::string many = meant_or_known("diagonal", std::vector<std::string>(15, "x"));
  EXPECT_TRUE(many.ends_with(", x and 3 more)")) << many;
}

}  // namespace
}  // namespace brokkr
