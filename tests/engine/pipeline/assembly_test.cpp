// Strips and fans that restart in the middle of a draw.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oracle/frame_builder.h"
#include "pictures.h"

namespace brokkr {
namespace {

constexpr uint32_t kRestart = ~0u;
constexpr int kSize = 48;

// Two half circles: a centre and five corners each.
std::vector<glm::vec4> half_circles(const State& state) {
  std::vector<glm::vec4> positions;
  for (const double x : {14.0, 33.0}) {
    positions.push_back(oracle::clip_at(state.viewport, x, 20));
    for (int i = 0; i < 5; ++i) {
      const double angle = 0.25 * M_PI * i;
      positions.push_back(oracle::clip_at(state.viewport, x + 12 * std::cos(angle), 20 + 20 * std::sin(angle)));
    }
  }
  return positions;
}

// The draw gives the same picture as the equivalent triangles, and culls the same ones.
void expect_triangles(Topology topology, const std::vector<uint32_t>& indices, const std::vector<uint32_t>& triangles) {
  for (const CullMode cull : {CullMode::none, CullMode::back, CullMode::front}) {
    oracle::FrameBuilder with_restarts(kSize, kSize), plain(kSize, kSize);
    State state = plain.default_state();
    state.cull = cull;
    const std::vector<glm::vec4> positions = half_circles(state);
    with_restarts.draw_indexed(state, positions, indices, topology).restart = true;
    plain.draw_indexed(state, positions, triangles);
    for (const MachineKind machine : test::machines()) {
      RenderOptions options;
      options.machine = machine;
      options.shading = Shading::draw;
      Renderer renderer;
      test::expect_same_pictures(renderer.render(plain.frame, options).targets,
                                 renderer.render(with_restarts.frame, options).targets);
    }
  }
}

TEST(Assembly, FansBeginAnewAtARestart) {
  expect_triangles(Topology::triangle_fan, {0, 1, 2, 3, 4, 5, kRestart, 6, 7, 8, 9, 10, 11},
                   {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 6, 7, 8, 6, 8, 9, 6, 9, 10, 6, 10, 11});
}

TEST(Assembly, StripsBeginAnewAtARestart) {
  expect_triangles(Topology::triangle_strip, {1, 0, 2, 3, 4, kRestart, 7, 6, 8, 9},
                   {1, 0, 2, 2, 0, 3, 2, 3, 4, 7, 6, 8, 8, 6, 9});
}

// If a line's ends lie between two pixels, OpenGL moves them to the left and, by less, down.
TEST(Assembly, LinesBetweenPixelsBelongToTheLeftAndTheLowerOnes) {
  oracle::FrameBuilder builder(8, 8);
  const auto line = [&](glm::vec2 from, glm::vec2 to) {
    const auto clip = [](glm::vec2 p) { return glm::vec4(p / 4.0f - 1.0f, 0, 1); };
    builder.draw(builder.default_state(), {clip(from), clip(to)}, Topology::lines);
  };
  line({1, 3}, {7, 3});
  line({7, 5}, {1, 5});
  line({6, 1}, {6, 7});
  RenderOptions options;
  options.shading = Shading::overdraw;
  Renderer renderer;
  const RenderResult result = renderer.render(builder.frame, options);
  const std::vector<uint32_t>& hits = result.targets[0].layers[0].overdraw;
  for (uint32_t x = 1; x < 5; ++x) {
    for (uint32_t y = 0; y < 8; ++y) EXPECT_EQ(hits[y * 8 + x], y == 2 || y == 4 ? 1u : 0u) << x << ", " << y;
  }
  for (uint32_t x = 0; x < 8; ++x) EXPECT_EQ(hits[3 * 8 + x], x == 5 ? 1u : 0u) << x;
}

}  // namespace
}  // namespace brokkr
