// Lines, points and polygon offsets of programs, compared with OpenGL.
#include <algorithm>
#include <cstdlib>

#include "compare.h"
#include "oracle/frame_builder.h"
#include "tiny_frame.h"

namespace brokkr::test {
namespace {

void expect_picture_of_opengl(Topology topology, int samples, float size) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
  constexpr int kSize = 48;
  oracle::FrameBuilder builder(kSize, kSize);
  Frame& frame = builder.frame;
  frame.targets[0].id = 1;  // not the window, which Mesa draws upside down
  frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}};
  frame.targets[0].samples = samples;
  FragmentProgram& program = frame.programs.emplace_back();
  program.texts = {"#version 330\nout vec4 color;\nvoid main() { color = vec4(1.0); }\n"};
  program.version = 330;
  program.outputs = {{.name = "color"}};
  State state = builder.default_state();
  state.depth.test = false;
  state.smooth_lines = true;
  state.line_width = state.point_size = size;
  state.blend = BlendState{{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add},
                           {BlendFactor::one, BlendFactor::one, BlendEquation::max}};
  const double lines[][6] = {{3, 4, 1, 44, 20, 6},   {44, 6, 5, 4, 15, 1},  {10, 45, 1, 20, 8, 4},
                             {40, 44, 8, 32, 25, 1}, {6, 30, 1, 30, 40, 9}, {24, 24, 1, 24, 40, 3}};
  std::vector<glm::vec4> positions;
  for (const auto& [x0, y0, w0, x1, y1, w1] : lines) {
    positions.push_back(oracle::clip_at(state.viewport, x0 + 0.3, y0 + 0.1, 0, w0));
    positions.push_back(oracle::clip_at(state.viewport, x1 + 0.2, y1 + 0.4, 0, w1));
  }
  builder.draw(state, positions, topology).inputs = 0;
  frame.inputs.emplace_back();
  validate(frame);
  const auto [expected, got] = draw_twice(frame);
  int partly = 0, differ = 0;
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      const int a = int(pixel(expected, x, y) >> 24), b = int(got.color[size_t(y) * kSize + size_t(x)] >> 24);
      partly += a > 0 && a < 255 ? 1 : 0;
      differ += std::abs(a - b) > 3 ? 1 : 0;
    }
  }
  // llvmpipe computes the corners of lines in 1/256 pixel, so single samples at their edges differ.
  EXPECT_LE(differ, samples > 1 ? 3 : 0);
  EXPECT_GT(partly, topology == Topology::points ? 20 : 200);
}

// Short lines in all directions, whose ends lie anywhere in their pixels: each draws the pixels whose diamonds it
// leaves.
TEST(GlLines, LeaveTheDiamondsOfTheirPixels) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
  constexpr int kSize = 256, kCell = 16;
  oracle::FrameBuilder builder(kSize, kSize);
  Frame& frame = builder.frame;
  frame.targets[0].id = 1;  // not the window, which Mesa draws upside down
  frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}};
  FragmentProgram& program = frame.programs.emplace_back();
  program.texts = {"#version 330\nout vec4 color;\nvoid main() { color = vec4(1.0); }\n"};
  program.version = 330;
  program.outputs = {{.name = "color"}};
  State state = builder.default_state();
  state.depth.test = false;
  std::vector<glm::vec4> positions;
  uint32_t seed = 1;
  const auto random = [&] { return double((seed = seed * 1664525u + 1013904223u) >> 20) / 4096 * (kCell - 3) + 1; };
  for (int i = 0; i < kSize / kCell * (kSize / kCell); ++i) {
    const double x = kCell * (i % (kSize / kCell)), y = kCell * (i / (kSize / kCell));
    for (int end = 0; end < 2; ++end)
      positions.push_back(oracle::clip_at(state.viewport, x + random(), y + random(), 0, 1.0 + end));
  }
  builder.draw(state, positions, Topology::lines).inputs = 0;
  frame.inputs.emplace_back();
  validate(frame);
  const auto [expected, got] = draw_twice(frame);
  int drawn = 0, differ = 0;
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      const bool a = pixel(expected, x, y) >> 24 != 0, b = got.color[size_t(y) * kSize + size_t(x)] >> 24 != 0;
      drawn += a ? 1 : 0;
      differ += a != b ? 1 : 0;
    }
  }
  EXPECT_GT(drawn, 1000);
  EXPECT_LE(differ, 4);  // places within rounding of a diamond's edge or of a sample
}

// In perspective, the interpolation of the coverage depends on the diagonal that divides a line's rectangle.
TEST(GlLines, SmoothLinesInPerspective) { expect_picture_of_opengl(Topology::lines, 1, 1); }

// In pixels of several samples, lines are rectangles of any width, whether or not they are smooth.
TEST(GlLines, LinesOfSamples) {
  for (const float width : {1.0f, 2.5f, 4.0f}) expect_picture_of_opengl(Topology::lines, 4, width);
}

TEST(GlLines, PointsOfSamples) {
  for (const float size : {4.3f, 7.0f}) expect_picture_of_opengl(Topology::points, 4, size);
}

// The unit of an offset depends on the format of the depth.
TEST(GlOffsets, AreThoseOfTheDepthFormat) {
  if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
  for (const TexelFormat format : {TexelFormat::depth16, TexelFormat::depth24, TexelFormat::depth32f}) {
    oracle::FrameBuilder builder(8, 8);
    Frame& frame = builder.frame;
    frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}};
    frame.targets[0].depth = format;
    State state = builder.default_state();
    state.polygon_offset = PolygonOffset{0, -1024};
    builder.draw_window(state, {{-1, -1}, {20, -1}, {-1, 20}}, 0.75);
    validate(frame);
    const auto [opengl, ours] = draw_twice(frame);
    const float expected = opengl.depth[9], got = ours.depth[9];
    EXPECT_LT(got, 0.875f);
    EXPECT_NEAR(expected, got, format == TexelFormat::depth16 ? 1.0 / (1 << 15) : 1.0 / (1 << 22)) << int(format);
  }
}

// An offset moves the edges and corners of polygons by the slope of the polygon. Lines and points that are no polygons
// have none, and a depth that would leave 0 to 1 stays at its end.
TEST(GlOffsets, OfEdgesAndCornersAreThoseOfTheirPolygon) {
  if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
  constexpr int kSize = 32;
  int drawn[4] = {};
  for (const float factor : {1.5f, -40.0f}) {
    oracle::FrameBuilder builder(kSize, kSize);
    Frame& frame = builder.frame;
    frame.targets[0].id = 1;  // not the window, which Mesa draws upside down
    frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}};
    frame.targets[0].depth = TexelFormat::depth24;
    State state = builder.default_state();
    state.polygon_offset = PolygonOffset{factor, 64};
    state.point_size = 3;
    // One row of four draws: edges, corners, lines, points. The second vertex is farther away, in perspective.
    for (int i = 0; i < 4; ++i) {
      state.polygon_mode = i == 0 ? PolygonMode::line : i == 1 ? PolygonMode::point : PolygonMode::fill;
      std::vector<glm::vec4> corners;
      const double left = 8.0 * i;
      for (const auto& [x, y, z, w] : {std::array{1.3, 3.2, -0.9, 1.0}, {6.6, 5.1, 0.2, 3.0}, {3.2, 27.7, 0.5, 1.5}})
        corners.push_back(oracle::clip_at(state.viewport, left + x, y, z, w));
      builder.draw(state, corners, i == 2 ? Topology::line_loop : i == 3 ? Topology::points : Topology::triangles);
    }
    validate(frame);
    const auto [opengl, ours] = draw_twice(frame);
    const std::vector<float>&expected = opengl.depth, &got = ours.depth;
    for (int y = 0; y < kSize; ++y) {
      for (int x = 0; x < kSize; ++x) {
        const float a = expected[size_t(y * kSize + x)], b = got[size_t(y * kSize + x)];
        drawn[x / 8] += a < 1 ? 1 : 0;
        // llvmpipe computes depths along an edge from corners in 1/256 pixel.
        EXPECT_NEAR(a, b, 2e-4) << "factor " << factor << ", pixel " << x << ", " << y;
      }
    }
  }
  for (const int pixels : drawn) EXPECT_GT(pixels, 40);
}

}  // namespace
}  // namespace brokkr::test
