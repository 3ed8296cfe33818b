#include "app/resize.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace brokkr::app {
namespace {

Frame captured() {
  Frame frame;
  frame.window_width = 1280;
  frame.window_height = 720;
  frame.targets = {{.id = 0, .width = 1280, .height = 720}, {.id = 9, .width = 320, .height = 10}};
  State state;
  state.viewport = {10, 20, 1280, 720};
  state.scissor = Rect{3, 5, 7, 9};
  frame.states.push_back(state);
  frame.commands.emplace_back(ClearCommand{.target = 0, .scissor = Rect{0, 0, 100, 100}});
  frame.commands.emplace_back(
      BlitCommand{.from = 0, .to = 1, .source = {0, 0, 1280, 720}, .destination = {0, 10, 320, -10}});
  frame.references.push_back({.target = 0, .before = 1});
  return frame;
}

TEST(Resize, ScalesEverythingThatIsInPixels) {
  Frame frame = captured();
  resize_frame(frame, 0, 640, 180);
  EXPECT_EQ(frame.window_width, 640);
  EXPECT_EQ(frame.window_height, 180);
  EXPECT_EQ(frame.targets[0].width, 640);
  EXPECT_EQ(frame.targets[0].height, 180);
  EXPECT_EQ(frame.targets[1].width, 160);
  EXPECT_EQ(frame.targets[1].height, 3);  // 2.5 rounded
  EXPECT_EQ(frame.states[0].viewport, glm::vec4(5, 5, 640, 180));
  EXPECT_EQ(*frame.states[0].scissor, (Rect{2, 1, 3, 3}));  // x 1.5..5, y 1.25..3.5
  EXPECT_EQ(*std::get<ClearCommand>(frame.commands[0]).scissor, (Rect{0, 0, 50, 25}));
  const auto& blit = std::get<BlitCommand>(frame.commands[1]);
  EXPECT_EQ(blit.source, (Rect{0, 0, 640, 180}));
  EXPECT_EQ(blit.destination, (Rect{0, 3, 160, -3}));  // still flipped, still the whole target
  EXPECT_TRUE(frame.references.empty());
}

TEST(Resize, GivesTheTargetNamedExactlyTheSizeAsked) {
  Frame frame = captured();
  resize_frame(frame, 1, 17, 13);
  EXPECT_EQ(frame.targets[1].width, 17);
  EXPECT_EQ(frame.targets[1].height, 13);
  EXPECT_EQ(frame.targets[0].width, 68);
  EXPECT_EQ(frame.targets[0].height, 936);
}

TEST(Resize, NeverMakesATargetEmpty) {
  Frame frame = captured();
  resize_frame(frame, 0, 1, 1);
  EXPECT_EQ(frame.targets[1].width, 1);
  EXPECT_EQ(frame.targets[1].height, 1);
}

TEST(Resize, RejectsTargetsOverTheLimit) {
  Frame frame = captured();
  EXPECT_THROW(resize_frame(frame, 1, 5000, 10), std::invalid_argument);  // target 0 would be 20000 wide
}

}  // namespace
}  // namespace brokkr::app
