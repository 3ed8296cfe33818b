// Points, lines and the two sides of faces in the programs of captured frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "program_frame.h"

namespace brokkr {
namespace {

using test::channel;
using test::draw_with_programs;
using test::pixel;
using test::ProgramFrame;
using test::ProgramVertex;
using test::rectangle;
using test::varying;

class ProgramPrimitives : public test::ProgramTest {};

// A point of 4 pixels over [2, 6) x [2, 6), and one with its own size of 8 over [8, 16) x [8, 16). Coordinates may be
// off by 1/256 pixel, since points are snapped.
TEST_F(ProgramPrimitives, PointsHaveSizesAndCoordinates) {
  ProgramFrame f(16, 16);
  const uint32_t program =
      f.program("in vec4 at; out vec4 color0; void main() { color0 = vec4(gl_PointCoord, at.x, 1.0); }\n",
                {varying("at", ShaderType::vec4, 0), varying("gl_PointSize", ShaderType::f32, 4)});
  State state = f.default_state();
  state.point_sprites = true;
  f.draw_with(program, state, {{4, 4, 0, 1, {0.2f, 0, 0, 1, 4}}, {12, 12, 0, 1, {0.4f, 0, 0, 1, 8}}}, {}, {},
              Topology::points);
  for (const bool low : {false, true}) {
    f.frame.states.back().point_origin_low = low;
    const Layer layer = draw_with_programs(f.frame);
    for (int y = 0; y < 16; ++y) {
      for (int x = 0; x < 16; ++x) {
        const int size = x >= 8 ? 8 : 4, first = x >= 8 ? 8 : 2;
        if (x < first || x >= first + size || y < first || y >= first + size) {
          EXPECT_EQ(channel(layer, x, y, 3), 0) << x << ' ' << y;
          continue;
        }
        const double up = (y - first + 0.5) / size;
        EXPECT_NEAR(channel(layer, x, y, 0), 255 * (x - first + 0.5) / size, 1);
        EXPECT_NEAR(channel(layer, x, y, 1), 255 * (low ? up : 1 - up), 1);
        EXPECT_NEAR(channel(layer, x, y, 2), x >= 8 ? 102 : 51, 1);
      }
    }
  }
}

// Squares whose edges pass through the centres of pixels.
TEST_F(ProgramPrimitives, SamplesOnTheEdgesOfPointsGoWhereOpenGlHasThem) {
  for (const bool sprites : {false, true}) {
    ProgramFrame f(16, 16);
    const uint32_t program = f.program("out vec4 color0; void main() { color0 = vec4(1.0); }\n", {});
    State state = f.default_state();
    state.point_sprites = sprites;
    state.point_size = 5;
    f.draw_with(program, state, {{8, 8, 0, 1}}, {}, {}, Topology::points);
    const Layer layer = draw_with_programs(f.frame);
    const auto end = [&](bool along_x) {
      int last = -1, count = 0;
      for (int i = 0; i < 16; ++i) {
        if (channel(layer, along_x ? i : 8, along_x ? 8 : i, 0) != 255) continue;
        last = i;
        ++count;
      }
      EXPECT_EQ(count, 5);
      return last;
    };
    EXPECT_EQ(end(true), sprites ? 9 : 10);
    EXPECT_EQ(end(false), sprites ? 9 : 10);
  }
}

// Files may contain any size: an invalid size becomes 1 pixel, and no point is larger than 255.
TEST_F(ProgramPrimitives, PointsOfSizesThatAreNone) {
  constexpr int kSide = 300;
  const float infinity = std::numeric_limits<float>::infinity();
  const std::pair<float, int> sizes[] = {{std::nanf(""), 1}, {-5.0f, 1}, {0.0f, 1}, {1e30f, 255}, {infinity, 255}};
  for (const ShaderType type : {ShaderType::f32, ShaderType::vec4}) {
    for (const auto& [size, pixels] : sizes) {
      for (const bool of_state : {false, true}) {
        if (of_state && !std::isfinite(size)) continue;  // refused
        ProgramFrame f(kSide, kSide);
        const uint32_t program = f.program("out vec4 color0; void main() { color0 = vec4(1.0); }\n",
                                           {varying(of_state ? "other" : "gl_PointSize", type, 0)});
        State state = f.default_state();
        state.point_size = of_state ? size : 7;
        f.draw_with(program, state, {{150.5, 150.5, 0, 1, {size, 0, 0, 0}}}, {}, {}, Topology::points);
        const Layer layer = draw_with_programs(f.frame);
        int covered = 0;
        for (int x = 0; x < kSide; ++x) covered += channel(layer, x, 150, 0) == 255 ? 1 : 0;
        EXPECT_EQ(covered, pixels) << size;
      }
    }
  }
}

// Elements that repeat a vertex multiply its varyings: 20 000 elements with 1 KB each take 82 MB, and as much again
// while the list grows.
TEST_F(ProgramPrimitives, VaryingsOfPointsKeepToTheMemoryLimit) {
  ProgramFrame f(16, 16);
  std::vector<ProgramVarying> many = {varying("one", ShaderType::vec4, 0)};
  many[0].count = 64;
  const uint32_t program = f.program("out vec4 color0; void main() { color0 = vec4(1.0); }\n", many);
  const std::vector<float> values(size_t(4) * 64);
  DrawCommand& draw = f.draw_with(program, f.default_state(), {{8, 8, 0, 1, values}}, {}, {}, Topology::points);
  draw.indexed = true;
  draw.element_count = 20000;
  f.frame.indices.assign(draw.element_count, 0);
  Renderer renderer;
  LoadOptions load;
  load.memory_limit = 100;
  try {
    renderer.prepare(f.frame, load);
    ADD_FAILURE() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("field 'varyings of lines and points': needs"), std::string::npos)
        << error.what();
  }
}

TEST_F(ProgramPrimitives, CoordinatesOfPointsReplaceThoseOfTextures) {
  ProgramFrame f(8, 8);
  const uint32_t program =
      f.program("", {varying("gl_TexCoord[0]", ShaderType::vec4, 0), varying("gl_TexCoord[1]", ShaderType::vec4, 4)});
  f.frame.programs[program].texts = {
      "void main() { gl_FragColor = vec4(gl_TexCoord[0].x, gl_TexCoord[1].xy, gl_TexCoord[1].w); }\n"};
  f.frame.programs[program].outputs = {{.name = "gl_FragColor"}};
  State state = f.default_state();
  state.point_size = 8;
  state.coord_replace = 2;
  f.draw_with(program, state, {{4, 4, 0, 1, {0.6f, 0, 0, 1, 0, 0, 0, 0}}}, {}, {}, Topology::points);
  const Layer layer = draw_with_programs(f.frame);
  EXPECT_EQ(pixel(layer, 0, 0), glm::ivec4(153, 16, 239, 255));
  EXPECT_EQ(pixel(layer, 7, 7), glm::ivec4(153, 239, 16, 255));
}

TEST_F(ProgramPrimitives, LinesHaveTheirWidthAndProvokingVertex) {
  ProgramFrame f(16, 16);
  const uint32_t program =
      f.program("flat in float number; out vec4 color0; void main() { color0 = vec4(number / 255.0); }\n",
                {varying("number", ShaderType::f32, 0, Interpolation::flat)});
  State state = f.default_state();
  state.line_width = 3;
  for (const bool first : {false, true}) {
    ProgramFrame g = f;
    g.draw_with(program, state, {{2, 8.5, 0, 1, {10}}, {14, 8.5, 0, 1, {20}}}, {}, {}, Topology::lines).flags =
        first ? uint32_t(kProvokingFirst) : 0u;
    const Layer layer = draw_with_programs(g.frame);
    for (int y = 0; y < 16; ++y) {
      const bool covered = y >= 7 && y <= 9;
      for (const int x : {2, 5, 13})
        EXPECT_EQ(channel(layer, x, y, 0), !covered ? 0 : first ? 10 : 20) << x << ' ' << y;
    }
  }
}

// A smooth line covers half of each pixel next to a line of one pixel, and half of the outer pixels of a line of three.
TEST_F(ProgramPrimitives, SmoothLinesFadeTowardsTheirEdges) {
  ProgramFrame f(16, 16);
  const uint32_t program = f.program("out vec4 color0; void main() { color0 = vec4(1.0); }\n", {});
  State state = f.default_state();
  state.smooth_lines = true;
  for (const bool steep : {false, true}) {
    for (const float width : {1.0f, 3.0f}) {
      ProgramFrame g = f;
      state.line_width = width;
      const ProgramVertex a{steep ? 8.0 : 2.0, steep ? 2.0 : 8.0}, b{steep ? 8.0 : 14.0, steep ? 14.0 : 8.0};
      g.draw_with(program, state, {a, b}, {}, {}, Topology::lines);
      const Layer layer = draw_with_programs(g.frame);
      const double reach = width == 1 ? 1 : 0.5 * width + 0.5;
      for (int along = 0; along < 16; ++along) {
        for (int across = 0; across < 16; ++across) {
          const double covered = std::clamp(reach - std::abs(across + 0.5 - 8), 0.0, 1.0) *
                                 std::clamp(6.5 - std::abs(along + 0.5 - 8), 0.0, 1.0);
          EXPECT_NEAR(channel(layer, steep ? across : along, steep ? along : across, 3), 255 * covered, 1.5)
              << steep << ' ' << width << ' ' << along << ' ' << across;
        }
      }
    }
  }
}

// As in Mesa's software drivers, a line that the window's edge clips ends half a pixel outside.
TEST_F(ProgramPrimitives, SmoothLinesEndAtTheWindowsEdge) {
  ProgramFrame f(16, 16);
  const uint32_t program = f.program("out vec4 color0; void main() { color0 = vec4(1.0); }\n", {});
  State state = f.default_state();
  state.smooth_lines = true;
  for (const bool turned : {false, true}) {
    ProgramFrame g = f;
    const ProgramVertex inside{2, 3}, outside{30, 17};
    g.draw_with(program, state, {turned ? outside : inside, turned ? inside : outside}, {}, {}, Topology::lines);
    const Layer layer = draw_with_programs(g.frame);
    const double length = std::hypot(14, 7), dx = 14 / length, dy = 7 / length;  // to (16, 10)
    size_t partly = 0;
    for (int y = 0; y < 16; ++y) {
      for (int x = 0; x < 16; ++x) {
        const double to_x = x + 0.5 - 9, to_y = y + 0.5 - 6.5;
        const double across = std::abs(to_y * dx - to_x * dy), along = std::abs(to_x * dx + to_y * dy);
        const double covered = std::clamp(1 - across, 0.0, 1.0) * std::clamp(0.5 * length + 0.5 - along, 0.0, 1.0);
        EXPECT_NEAR(channel(layer, x, y, 3), 255 * covered, 2.5) << turned << ' ' << x << ' ' << y;
        if (x == 15 && covered > 0.02 && covered < 0.98 - across) ++partly;
      }
    }
    EXPECT_GT(partly, 0u);
  }
}

TEST_F(ProgramPrimitives, BackFacesHaveColoursOfTheirOwn) {
  ProgramFrame f(16, 16);
  const uint32_t program =
      f.program("", {varying("gl_Color", ShaderType::vec4, 0), varying("gl_BackColor", ShaderType::vec4, 4)});
  f.frame.programs[program].texts = {"void main() { gl_FragColor = gl_Color; }\n"};
  f.frame.programs[program].outputs = {{.name = "gl_FragColor"}};
  const std::vector<float> varyings = {0.2f, 0.4f, 0.6f, 1, 1, 0.8f, 0, 1};
  f.draw_with(program, f.default_state(), rectangle(0, 0, 8, 16, 0, varyings));
  std::vector<ProgramVertex> back = rectangle(8, 0, 16, 16, 0, varyings);
  std::swap(back[1], back[2]);
  std::swap(back[4], back[5]);
  f.draw_with(program, f.default_state(), back);
  const Layer layer = draw_with_programs(f.frame);
  EXPECT_EQ(pixel(layer, 3, 9), glm::ivec4(51, 102, 153, 255));
  EXPECT_EQ(pixel(layer, 12, 9), glm::ivec4(255, 204, 0, 255));
}

// Triangles drawn as lines or points have the colour and facing of the triangle, and flat varyings are those of the
// whole triangle.
TEST_F(ProgramPrimitives, LinesAndPointsOfTrianglesFaceAsThese) {
  for (const PolygonMode mode : {PolygonMode::line, PolygonMode::point}) {
    for (const bool is_back : {false, true}) {
      ProgramFrame f(16, 16);
      const uint32_t program =
          f.program("", {varying("gl_Color", ShaderType::vec4, 0), varying("gl_BackColor", ShaderType::vec4, 4)});
      f.frame.programs[program].texts = {
          "void main() { gl_FragColor = vec4(gl_Color.rg, gl_FrontFacing ? 1.0 : 0.0, 1.0); }\n"};
      f.frame.programs[program].outputs = {{.name = "gl_FragColor"}};
      State state = f.default_state();
      state.polygon_mode = mode;
      state.flat_shading = true;
      state.line_width = state.point_size = 3;
      // Fronts have 0, 1, 2 fifths of red in turn, backs of green.
      const auto vertex = [&](double x, double y, int number) {
        const float part = 0.2f * float(number);
        return ProgramVertex{x, y, 0, 1, {part, 0, 0, 1, 0, part, 0, 1}};
      };
      std::vector<ProgramVertex> corners = {vertex(3, 3, 1), vertex(13, 3, 2), vertex(8, 13, 3)};
      if (is_back) std::swap(corners[0], corners[1]);
      f.draw_with(program, state, corners);
      const Layer layer = draw_with_programs(f.frame);
      for (const auto& [x, y] : {std::pair{3, 3}, std::pair{12, 3}, std::pair{8, 12}})
        EXPECT_EQ(pixel(layer, x, y), is_back ? glm::ivec4(0, 153, 0, 255) : glm::ivec4(153, 0, 255, 255))
            << int(mode) << ' ' << x << ' ' << y;
      EXPECT_EQ(pixel(layer, 8, 3), mode == PolygonMode::point ? glm::ivec4(0)
                                    : is_back                  ? glm::ivec4(0, 153, 0, 255)
                                                               : glm::ivec4(153, 0, 255, 255));
      EXPECT_EQ(pixel(layer, 8, 7), glm::ivec4(0));
    }
  }
}

}  // namespace
}  // namespace brokkr
