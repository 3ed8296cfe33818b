// The draws that contribute to a target's picture, and frames without the other draws.
#include "inspect/trim.h"

#include <gtest/gtest.h>

#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "inspect/settings_check.h"

namespace brokkr {
namespace {

DrawCommand draw_into(Frame& frame, uint32_t target, int32_t texture) {
  DrawCommand draw{.first_view = target, .element_count = 3, .vertex_count = 3};
  draw.inputs = int32_t(frame.inputs.size());
  frame.inputs.push_back({.textures = {{texture, -1}}});
  return draw;
}

// Draws into target 0 read target 1; no draw reads target 2.
Frame three_targets() {
  Frame frame;
  for (uint32_t i = 0; i < 3; ++i) {
    frame.targets.push_back({.id = int(i), .width = 8, .height = 8});
    frame.views.push_back({.target = i});
  }
  frame.states.emplace_back().viewport = {0, 0, 8, 8};
  frame.programs.push_back({.samplers = {{.name = "map"}}});
  frame.captured_textures.push_back({.width = 8, .height = 8, .images = {{.target = 1}}});
  return frame;
}

TEST(Contributions, FollowTexturesAndEndAtClears) {
  Frame frame = three_targets();
  frame.commands = {draw_into(frame, 1, -1),  // cleared again
                    ClearCommand{.target = 1, .color = glm::vec4(0), .depth = 1.0f},
                    draw_into(frame, 1, -1),
                    draw_into(frame, 2, 0),  // nobody looks at it
                    ClearCommand{.target = 0, .color = glm::vec4(0), .depth = 1.0f, .scissor = Rect{0, 0, 4, 4}},
                    draw_into(frame, 0, 0),
                    draw_into(frame, 1, -1)};  // too late
  using Kept = std::vector<bool>;
  EXPECT_EQ(contributing_commands(frame, 0, 7), Kept({false, true, true, false, true, true, false}));
  EXPECT_EQ(contributing_commands(frame, 1, 7), Kept({false, true, true, false, false, false, true}));
  EXPECT_EQ(contributing_commands(frame, 0, 5), Kept({false, false, false, false, true}));
  EXPECT_EQ(contributing_commands(frame, 2, 4), Kept({false, true, true, true}));
}

TEST(Contributions, ReferencesAreLookedAt) {
  Frame frame = three_targets();
  frame.commands = {draw_into(frame, 0, -1),
                    ClearCommand{.target = 0, .color = glm::vec4(0), .depth = 1.0f, .stencil = 0}};
  EXPECT_EQ(contributing_commands(frame, 0, 2), std::vector<bool>({false, true}));
  frame.references.push_back({.target = 0, .before = 1});
  EXPECT_EQ(contributing_commands(frame, 0, 2), std::vector<bool>({true, true}));
}

TEST(TrimFrame, KeepsThePictureOfWhatStays) {
  const Frame frame = load_frame(BROKKR_SOURCE_DIR "/tests/frames/gl-feature-test.bkf", {});
  TrimRequest request;
  request.references.resize(frame.references.size());
  for (size_t i = 0; i < frame.commands.size(); ++i) request.commands.push_back(i < frame.commands.size() / 2);
  const TrimmedFrame trimmed = trim_frame(frame, request);
  EXPECT_NO_THROW(validate(trimmed.frame));
  EXPECT_LT(trimmed.frame.positions.size(), frame.positions.size());
  Renderer renderer;
  RenderOptions options;
  options.command_limit = uint32_t(frame.commands.size() / 2);
  RenderResult all = renderer.render(frame, options);
  std::vector<TargetImage> expected;
  for (const uint32_t target : trimmed.targets) expected.push_back(all.targets[target]);
  EXPECT_FALSE(first_difference(expected, renderer.render(trimmed.frame, {}).targets));
}

}  // namespace
}  // namespace brokkr
