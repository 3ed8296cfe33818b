#include "app/input.h"

#include <gtest/gtest.h>

namespace brokkr::app {
namespace {

// A frame in which most triangles go to a target other than the window.
Frame with_programs() {
  Frame frame;
  frame.targets = {{.id = 4, .width = 64, .height = 64}, {.id = 0, .width = 32, .height = 32}};
  frame.views = {{.target = 0}, {.target = 1}};
  frame.states.emplace_back();
  frame.materials.emplace_back();
  frame.programs.emplace_back();
  const auto draw = [&](uint32_t view, uint32_t triangles) {
    DrawCommand command;
    command.first_view = view;
    command.element_count = command.vertex_count = 3 * triangles;
    frame.commands.emplace_back(command);
  };
  draw(0, 10);
  draw(1, 2);
  return frame;
}

TEST(PictureTarget, IsTheWindowOfAFrameWithPrograms) {
  Frame frame = with_programs();
  EXPECT_EQ(main_target(frame), 0u);
  EXPECT_EQ(picture_target(frame), 1u);
  frame.programs.clear();
  EXPECT_EQ(picture_target(frame), 0u);
}

TEST(PictureTarget, IsTheWindowThatIsCopiedInto) {
  Frame frame = with_programs();
  frame.commands.pop_back();
  EXPECT_EQ(picture_target(frame), 0u) << "nothing goes to the window";
  frame.commands.emplace_back(BlitCommand{.from = 0, .to = 1, .source = {0, 0, 64, 64}, .destination = {0, 0, 32, 32}});
  EXPECT_EQ(picture_target(frame), 1u);
}

}  // namespace
}  // namespace brokkr::app
