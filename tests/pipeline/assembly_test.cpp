// Strips and fans that begin anew in the middle of a draw.
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

// The draw has the picture of the triangles that it stands for, and culls the same of them.
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

}  // namespace
}  // namespace brokkr
