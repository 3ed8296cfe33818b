// JSON from outside: nesting limits and error messages.
#include "base/json_parse.h"

#include <gtest/gtest.h>

namespace brokkr {
namespace {

std::string nested(int depth) { return std::string(size_t(depth), '[') + "1" + std::string(size_t(depth), ']'); }

std::string parse_error(const std::string& text) {
  try {
    parse_json(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST(JsonParse, NestingIsLimited) {
  EXPECT_EQ(parse_error(nested(kMaxJsonDepth)), "");
  EXPECT_NE(parse_error(nested(kMaxJsonDepth + 1)).find("more than 64 deep"), std::string::npos);
  EXPECT_NE(parse_error(std::string(1000000, '[')).find("more than 64 deep"), std::string::npos);
  EXPECT_TRUE(parse_json_or_null(nested(kMaxJsonDepth + 1)).is_null());
}

TEST(JsonParse, BracketsInTextsDoNotNest) {
  const std::string brackets(100, '[');
  EXPECT_EQ(parse_json("[\"" + brackets + "\", \"\\\\\\\"" + brackets + "\"]").size(), 2u);
  EXPECT_EQ(parse_json("[" + nested(60) + ", " + nested(60) + "]").size(), 2u);
}

TEST(JsonParse, MessagesAreShort) {
  const std::string message = parse_error("{\"key\": " + std::string(100000, 'x') + "}");
  EXPECT_NE(message.find("line 1, column 9"), std::string::npos) << message;
  EXPECT_LE(parse_error("[\"" + std::string(100000, 'x')).size(), 200u);
  EXPECT_LE(message.size(), 200u);
}

}  // namespace
}  // namespace brokkr
