// Patterns in files: a saved pattern loads unchanged, and everything else is refused with a reason.
#include "brokkr/pattern.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace brokkr {
namespace {

class SavedPatternFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("brokkr-pattern-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".json");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string refusal() const {
    try {
      (void)load_pattern(path_);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "accepted";
  }
  void expect_refused(const std::string& text, const std::string& word) const {
    write(text);
    const std::string message = refusal();
    EXPECT_NE(message.find(path_.string()), std::string::npos) << message;
    EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }

  std::filesystem::path path_;
};

TEST_F(SavedPatternFile, ComesBackAsItWas) {
  for (const auto& info : Choices<PatternKind>::all) {
    SavedPattern saved{"of-" + std::string(info.name), "made by a \"test\"", make_pattern(info.value, 13, 9, 7)};
    save_pattern(path_, saved);
    const SavedPattern loaded = load_pattern(path_);
    EXPECT_EQ(loaded.name, saved.name);
    EXPECT_EQ(loaded.description, saved.description);
    EXPECT_EQ(loaded.pattern.rasterizers, 13);
    EXPECT_EQ(loaded.pattern.width, saved.pattern.width);
    EXPECT_EQ(loaded.pattern.height, saved.pattern.height);
    EXPECT_EQ(loaded.pattern.owner, saved.pattern.owner);
  }
}

TEST_F(SavedPatternFile, RefusesWhatIsNoPattern) {
  const std::string head = R"({"format": "brokkr pattern", "version": 1, "name": "p", )";
  expect_refused("", "not a pattern file");
  expect_refused("{", "not a pattern file");
  expect_refused("[1, 2]", "not a pattern file");
  expect_refused(R"({"format": "other"})", "not a pattern file");
  expect_refused(R"({"format": "brokkr pattern", "version": 2})", "version");
  expect_refused(R"({"format": "brokkr pattern", "version": 1})", "name");
  expect_refused(R"({"format": "brokkr pattern", "version": 1, "name": "a\nb"})", "name");
  expect_refused(head + R"("rasterizers": 0, "width": 1, "height": 1, "owner": [0]})", "rasterizers");
  expect_refused(head + R"("rasterizers": 2.5, "width": 1, "height": 1, "owner": [0]})", "rasterizers");
  expect_refused(head + R"("rasterizers": 2, "width": 5000, "height": 1, "owner": [0]})", "width");
  expect_refused(head + R"("rasterizers": 2, "width": 1, "owner": [0]})", "height");
  expect_refused(head + R"("rasterizers": 2, "width": 1, "height": 1})", "owner");
  expect_refused(head + R"("rasterizers": 2, "width": 2, "height": 1, "owner": [0]})", "owners");
  expect_refused(head + R"("rasterizers": 2, "width": 2, "height": 1, "owner": [0, 2]})", "owner[1]");
  expect_refused(head + R"("rasterizers": 2, "width": 2, "height": 1, "owner": [0, -1]})", "owner[1]");
  expect_refused(head + R"("rasterizers": 2, "width": 2, "height": 1, "owner": [0, "1"]})", "owner[1]");
  std::filesystem::remove(path_);
  EXPECT_NE(refusal().find(path_.string()), std::string::npos);
}

TEST_F(SavedPatternFile, RefusesToSaveWhatItCouldNotLoad) {
  SavedPattern saved{"two words", "", make_pattern(PatternKind::diagonal, 4, 1, 1)};
  EXPECT_THROW(save_pattern(path_, saved), std::invalid_argument);
  saved.name = "good";
  saved.pattern.owner.back() = 4;
  EXPECT_THROW(save_pattern(path_, saved), std::invalid_argument);
  saved.pattern.owner.pop_back();
  EXPECT_THROW(save_pattern(path_, saved), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace brokkr
