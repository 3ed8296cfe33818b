// Draws are merged for OpenGL: fewer calls give the same picture.
#include "reference/gl_renderer.h"

#include <random>

#include "tiny_frame.h"

namespace brokkr::test {
namespace {

// Clip-space draws of `triangles` each, with two states that alternate in runs of three, and a clear in between.
Frame frame_of_runs(uint32_t draws, uint32_t triangles) {
  Frame frame = make_frame(64, 64);
  frame.materials.emplace_back();
  frame.states.push_back(frame.states[0]);
  frame.states[1].depth.func = CompareFunc::greater;
  std::mt19937 random(9);
  const auto value = [&] { return float(random() % 2001) / 1000 - 1; };
  for (uint32_t d = 0; d < draws; ++d) {
    DrawCommand draw;
    draw.state = d / 3 % 2;
    draw.first_vertex = frame.positions.size();
    draw.element_count = draw.vertex_count = 3 * triangles;
    draw.instances = 1 + d % 2;
    for (uint32_t v = 0; v < draw.vertex_count * draw.instances; ++v)
      frame.positions.emplace_back(value(), value(), value(), 1.0f);
    frame.commands.emplace_back(draw);
    if (d == draws / 2) add_clear(frame, {0, 0, 0, 1}, 0.5f);
  }
  return frame;
}

TEST(GlSchedule, MergesNeighboursThatShareEverything) {
  const Frame frame = frame_of_runs(12, 2);
  const std::vector<GlStep> steps = schedule_steps(frame, {GlShading::flat, {}});
  ASSERT_EQ(steps.size(), 3u);  // draws 0..6, the clear, draws 7..11
  const GlPass& first = std::get<GlPass>(steps[0]);
  ASSERT_EQ(first.batches.size(), 3u);                                     // 0 1 2, 3 4 5, 6
  EXPECT_EQ(first.batches[0].counts, (std::vector<int32_t>{6, 6, 6, 6}));  // draw 1 has two instances
  EXPECT_EQ(first.batches[0].first_vertices, (std::vector<int32_t>{0, 6, 12, 18}));
  EXPECT_EQ(first.batches[1].command, 3u);
  EXPECT_TRUE(std::holds_alternative<ClearCommand>(steps[1]));
}

TEST(GlSchedule, KeepsDrawsApartWhereTheirColoursDiffer) {
  const Frame frame = frame_of_runs(12, 2);
  EXPECT_EQ(std::get<GlPass>(schedule_steps(frame, {GlShading::draw, {}})[0]).batches.size(), 7u);
  EXPECT_EQ(std::get<GlPass>(schedule_steps(frame, {GlShading::material, {}})[0]).batches.size(), 7u);
  EXPECT_NE(draw_color(3), draw_color(4));
}

TEST(GlSchedule, DrawsViewsOfOneLayerInTurn) {
  Frame frame = frame_of_runs(2, 1);
  frame.views.push_back(frame.views[0]);
  for (Command& command : frame.commands)
    if (auto* draw = std::get_if<DrawCommand>(&command)) draw->view_count = 2;
  frame.commands.erase(frame.commands.begin() + 2);  // the clear
  EXPECT_EQ(schedule_steps(frame, {GlShading::flat, {}}).size(), 2u);
  frame.targets[0].layers = 2;
  frame.views[1].layer = 1;
  EXPECT_EQ(schedule_steps(frame, {GlShading::flat, {}}).size(), 1u);
}

TEST_F(GlTest, MergedDrawsGiveTheSamePicture) {
  const Frame frame = frame_of_runs(60, 5);
  renderer->prepare(frame);
  const GlDrawStatistics merged = renderer->draw({GlShading::flat, {}});
  const GlLayer a = renderer->read(0);
  const GlDrawStatistics single = renderer->draw({GlShading::triangle, {}});
  const GlLayer b = renderer->read(0);
  EXPECT_LT(merged.draw_calls, single.draw_calls);
  EXPECT_EQ(single.draw_calls, 60u);
  EXPECT_EQ(a.depth, b.depth);
}

}  // namespace
}  // namespace brokkr::test
