#include "log/text.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace brokkr {
namespace {

TEST(Csv, CellsAreQuotedWhereReadersNeedIt) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two lines\"");
  EXPECT_EQ(csv_row(std::vector<std::string>{"a", "", "b,c"}), "a,,\"b,c\"\n");
}

TEST(Csv, ObjectsAreRowsUnderTheirKeys) {
  const std::vector<nlohmann::ordered_json> rows = {{{"name", "x"}, {"ms", 1.5}, {"list", {1, 2}}},
                                                    {{"name", "y"}, {"ms", 0.25}, {"list", {3}}}};
  EXPECT_EQ(csv_table(rows), "name,ms,list\nx,1.5,1 2\ny,0.25,3\n");
  EXPECT_EQ(csv_table(rows, 3), "name,ms,list\nx,1.500,1 2\ny,0.250,3\n");
  EXPECT_EQ(csv_table({}), "");
}

}  // namespace
}  // namespace brokkr
