// The comparison of computed vertices with those of a file.
#include "inspect/vertex_compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "base/file_io.h"
#include "frame/bkf.h"

namespace brokkr {
namespace {

TEST(VertexCompare, UlpsAreCountedAcrossZero) {
  const float one = 1, next = std::nextafter(1.0f, 2.0f), tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(ulps_between(one, one), 0u);
  EXPECT_EQ(ulps_between(one, next), 1u);
  EXPECT_EQ(ulps_between(next, one), 1u);
  EXPECT_EQ(ulps_between(0.0f, -0.0f), 0u);
  EXPECT_EQ(ulps_between(tiny, -tiny), 2u);
  EXPECT_EQ(ulps_between(-one, -next), 1u);
  EXPECT_GT(ulps_between(-one, one), 1000000u);
  EXPECT_EQ(ulps_between(NAN, NAN), 0u);
  EXPECT_EQ(ulps_between(NAN, one), std::numeric_limits<uint32_t>::max());
}

#if defined(BROKKR_HAVE_SHADERS)
TEST(VertexCompare, CountsSameAndClosePositionsAndPixels) {
  Frame frame;
  frame.targets = {{.id = 0, .width = 64, .height = 32}};
  frame.views = {{.target = 0}};
  frame.states.emplace_back().viewport = {0, 0, 64, 32};
  frame.materials.resize(1);
  frame.vertex_programs.emplace_back().texts = {"#version 330\nin vec4 at;\nvoid main() { gl_Position = at; }\n"};
  frame.vertex_programs[0].attributes = {{"at", ShaderType::vec4}};
  const glm::vec4 places[] = {{0, 0, 0, 1}, {0.5f, 0, 0, 1}, {0, -0.5f, 0, 2}, {9, 0, 0, 1}};
  for (const glm::vec4& place : places) {
    frame.positions.push_back(place);
    for (int i = 0; i < 4; ++i) frame.attributes.push_back(std::bit_cast<uint32_t>(place[i]));
  }
  frame.positions[1].x = std::nextafter(0.5f, 1.0f);  // close
  frame.positions[2].y = -0.25f;                      // two pixels away: 1/8 of half of 32
  frame.positions[3].x = 5;                           // outside of the viewport
  frame.vertex_inputs.push_back({.attributes = {{0, 4, 0}}});
  DrawCommand draw;
  draw.topology = Topology::points;
  draw.vertex_count = draw.element_count = 4;
  draw.vertices = 0;
  frame.commands = {draw};
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "vertex_compare.bkf";
  write_bkf(frame, file);
  const ComparedFrame compared = load_compared(file.string(), {});
  ASSERT_TRUE(compared.is_compared());
  EXPECT_TRUE(compared.problems.empty());
  EXPECT_EQ(compared.frame.positions[2], places[2]);
  EXPECT_EQ(compared.positions[2], frame.positions[2]);
  const VertexComparison all = compared.all();
  EXPECT_EQ(all.draws, 1u);
  EXPECT_EQ(all.positions, 4u);
  EXPECT_EQ(all.same, 1u);
  EXPECT_EQ(all.close, 2u);
  EXPECT_EQ(all.percent(), 50);
  EXPECT_EQ(all.worst, 2);
  write_bkf(frame, file, {.leave_out = {true}});
  EXPECT_FALSE(load_compared(file.string(), {}).is_compared());
  std::filesystem::remove(file);
}
#endif

}  // namespace
}  // namespace brokkr
