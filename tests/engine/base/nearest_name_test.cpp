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

}  // namespace
}  // namespace brokkr
