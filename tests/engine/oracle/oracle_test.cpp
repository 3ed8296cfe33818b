// Compares whole frames of the oracle with results known by hand, and checks the promised properties of soups.
#include "oracle/oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "oracle/assembly.h"
#include "oracle/frame_builder.h"
#include "oracle/soup.h"

namespace brokkr::oracle {
namespace {

// Red encodes the triangle, green the instance, blue the command.
glm::vec4 tell(const Primitive& p) {
  return {float(p.triangle + 1) / 255, float(p.instance + 1) / 255, float(p.command) / 255, 1};
}

Result draw(const Frame& frame) {
  validate(frame);
  return render(frame, {tell, 1.0 / 128, {}});
}

Primitive visible(const Result& result, int x, int y, size_t layer = 0) {
  const uint32_t id = result.targets[0][layer].at(x, y).visible;
  return id == kNoPrimitive ? Primitive{~0u, ~0u, ~0u, ~0u} : result.primitives.at(id);
}

TEST(Oracle, AssemblesStripsFansAndRestarts) {
  FrameBuilder builder(8, 8);
  const std::vector<glm::vec4> five(5, glm::vec4(0, 0, 0, 1));
  builder.draw(builder.default_state(), five, Topology::triangle_strip);
  builder.draw(builder.default_state(), five, Topology::triangle_fan);
  builder.draw(builder.default_state(), five);
  DrawCommand& restarts = builder.draw_indexed(builder.default_state(), five, {0, 1, 2, 3, ~0u, 4, 3, ~0u, 4, 2, 0},
                                               Topology::triangle_strip);
  restarts.restart = true;
  using List = std::vector<Corners>;
  const auto triangles = [&](size_t i) {
    return assemble(builder.frame, std::get<DrawCommand>(builder.frame.commands[i]));
  };
  EXPECT_EQ(triangles(1), (List{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}}));
  EXPECT_EQ(triangles(2), (List{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
  EXPECT_EQ(triangles(3), (List{{0, 1, 2}}));
  EXPECT_EQ(triangles(4), (List{{0, 1, 2}, {2, 1, 3}, {4, 2, 0}}));
  EXPECT_EQ(triangle_count(builder.frame), 10u);
}

// All triangles of a strip face the same way.
TEST(Oracle, StripKeepsItsWinding) {
  FrameBuilder builder(8, 8);
  State state = builder.default_state();
  state.cull = CullMode::back;
  builder.draw_window(state, {{0, 8}, {0, 0}, {3, 8}, {3, 0}, {8, 8}, {8, 0}}, 0, Topology::triangle_strip);
  const Result result = draw(builder.frame);
  EXPECT_EQ(result.counts.culled, 0u);
  EXPECT_EQ(result.counts.fragments, 64u);
}

TEST(Oracle, LaterCommandsAndSmallerDepthsWin) {
  FrameBuilder builder(8, 8);
  const std::vector<glm::dvec2> all{{-1, -1}, {20, -1}, {-1, 20}};
  builder.draw_window(builder.default_state(), all, 0.2);
  builder.draw_window(builder.default_state(), all, 0.2);  // a tie: the first one stays
  Result result = draw(builder.frame);
  EXPECT_EQ(visible(result, 3, 3).command, 1u);
  EXPECT_EQ(packed(result.targets[0][0].at(3, 3)), 0xff010101u);
  builder.draw_window(builder.default_state(), all, 0.1);
  builder.draw_window(builder.default_state(), all, 0.3);
  result = draw(builder.frame);
  EXPECT_EQ(visible(result, 3, 3).command, 3u);
  EXPECT_FLOAT_EQ(result.targets[0][0].at(3, 3).depth, 0.55f);
  State always = builder.default_state();
  always.depth.func = CompareFunc::always;
  always.depth.write = false;
  builder.draw_window(always, all, 0.9);
  result = draw(builder.frame);
  EXPECT_EQ(visible(result, 3, 3).command, 5u);
  EXPECT_FLOAT_EQ(result.targets[0][0].at(3, 3).depth, 0.55f);
  EXPECT_EQ(result.primitives[result.targets[0][0].at(3, 3).depth_writer].command, 3u);
  EXPECT_EQ(result.targets[0][0].at(3, 3).overdraw, 5u);
}

TEST(Oracle, BlendsInSubmissionOrder) {
  FrameBuilder builder(8, 8);
  State state = builder.default_state();
  state.depth.test = false;
  const BlendTerm half{BlendFactor::constant_alpha, BlendFactor::one_minus_constant_alpha, BlendEquation::add};
  state.blend = BlendState{half, half, glm::vec4(0, 0, 0, 0.25f)};
  const std::vector<glm::dvec2> all{{-1, -1}, {20, -1}, {-1, 20}};
  builder.draw_window(state, all);
  builder.draw_window(state, all);
  const ColorSource color = [](const Primitive& p) { return glm::vec4(p.command == 1 ? 1.0f : 0.0f); };
  const Result result = render(builder.frame, {color, 1.0 / 128, {}});
  EXPECT_EQ(packed(result.targets[0][0].at(4, 4)), 0x30303030u);  // 255 / 4 -> 64, 64 * 3 / 4 -> 48
}

TEST(Oracle, InstancesAndViewsHaveTheirOwnPlaces) {
  FrameBuilder builder(8, 4, ColorFormat::rgba8, 3);
  std::vector<glm::vec4> positions;
  for (const double left : {0.0, 4.0}) {
    for (const glm::dvec2 p : {glm::dvec2(left, 0), glm::dvec2(left + 4, 0), glm::dvec2(left, 4)}) {
      positions.push_back(clip_at(builder.viewport(), p.x, p.y));
    }
  }
  DrawCommand& command = builder.draw(builder.default_state(), positions);
  command.instances = 2;
  command.vertex_count = command.element_count = 3;
  command.first_view = 1;
  command.view_count = 2;
  const Result result = draw(builder.frame);
  EXPECT_EQ(visible(result, 0, 0, 0).command, ~0u);
  for (uint32_t layer = 1; layer < 3; ++layer) {
    EXPECT_EQ(visible(result, 0, 0, layer), (Primitive{1, layer, 0, 0}));
    EXPECT_EQ(visible(result, 4, 0, layer), (Primitive{1, layer, 1, 0}));
    EXPECT_EQ(visible(result, 3, 3, layer).command, ~0u);
  }
}

TEST(Oracle, TransformsVertices) {
  FrameBuilder builder(8, 8);
  DrawCommand& command = builder.draw(builder.default_state(), {{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}});
  command.vertex_kind = VertexKind::transform;
  command.instances = 2;
  glm::mat4 half(0.5f);
  half[3] = glm::vec4(0, 0, 0, 1);
  builder.frame.models = {half, glm::mat4(1.0f)};
  builder.frame.models[1][3] = glm::vec4(-1, -1, 0, 1);
  const Result result = draw(builder.frame);
  EXPECT_EQ(result.targets[0][0].at(4, 4).overdraw, 1u);  // instance 0: from the centre, two pixels wide
  EXPECT_EQ(result.targets[0][0].at(6, 4).overdraw, 0u);
  EXPECT_EQ(visible(result, 0, 0).instance, 1u);
  EXPECT_EQ(visible(result, 2, 0).instance, 1u);
}

TEST(Oracle, ClearsInMidFrame) {
  FrameBuilder builder(8, 8);
  builder.draw_window(builder.default_state(), {{-1, -1}, {20, -1}, {-1, 20}}, 0.2);
  builder.clear(glm::vec4(1, 0, 0, 1), {}, uint8_t(7), Rect{-3, 2, 5, 100});
  const Result result = draw(builder.frame);
  EXPECT_EQ(packed(result.targets[0][0].at(1, 2)), 0xff0000ffu);
  EXPECT_EQ(visible(result, 1, 2).command, ~0u);
  EXPECT_FLOAT_EQ(result.targets[0][0].at(1, 2).depth, 0.6f);
  EXPECT_EQ(result.targets[0][0].at(1, 7).stencil, 7);
  EXPECT_EQ(visible(result, 1, 1).command, 1u);
  EXPECT_EQ(visible(result, 2, 2).command, 1u);
  EXPECT_EQ(result.targets[0][0].at(2, 2).stencil, 0);
}

TEST(Oracle, BlitsFlipAndScale) {
  FrameBuilder builder(6, 6);
  for (int i = 0; i < 3; ++i) {
    builder.clear(glm::vec4(float(i + 1) / 255), float(i) / 4, uint8_t(i), Rect{i, 0, 1, 1});
  }
  BlitCommand blit{0, 0, {0, 0, 3, 1}, {6, 4, -6, 2}, true, true, false};  // mirrored, twice the size
  builder.add(blit);
  const Result result = draw(builder.frame);
  const Surface& surface = result.targets[0][0];
  for (int x = 0; x < 6; ++x) {
    const int from = (5 - x) / 2;
    EXPECT_EQ(surface.at(x, 5).color[0], from + 1);
    EXPECT_EQ(surface.at(x, 4).depth, float(from) / 4);
    EXPECT_EQ(surface.at(x, 4).stencil, 0);
    EXPECT_EQ(surface.at(x, 3).color[0], 0);
  }
}

TEST(Oracle, StopsAtTheCommandLimit) {
  FrameBuilder builder(8, 8);
  builder.draw_window(builder.default_state(), {{-1, -1}, {20, -1}, {-1, 20}});
  EXPECT_EQ(render(builder.frame, {tell, 1.0 / 128, 1u}).counts.triangles, 0u);
  EXPECT_EQ(render(builder.frame, {tell, 1.0 / 128, 2u}).counts.triangles, 1u);
}

TEST(Oracle, RefusesWhatItLeavesOut) {
  FrameBuilder builder(8, 8);
  builder.draw(builder.default_state(), {{0, 0, 0, 1}, {1, 0, 0, 1}}, Topology::lines);
  EXPECT_THROW((void)draw(builder.frame), std::invalid_argument);
  FrameBuilder wire(8, 8);
  State state = wire.default_state();
  state.polygon_mode = PolygonMode::line;
  wire.draw_window(state, {{0, 0}, {8, 0}, {0, 8}});
  EXPECT_THROW((void)draw(wire.frame), std::invalid_argument);
}

TEST(OracleSoup, IsValidDeterministicAndVaried) {
  std::set<Topology> topologies;
  std::set<CompareFunc> functions;
  uint64_t fragments = 0, culled = 0, triangles = 0, blended = 0, draws = 0, uncertain = 0;
  for (uint32_t seed = 0; seed < 30; ++seed) {
    const Frame frame = make_soup(seed, {}), again = make_soup(seed, {});
    ASSERT_EQ(frame.states, again.states);
    ASSERT_EQ(frame.indices, again.indices);
    ASSERT_EQ(frame.positions.size(), again.positions.size());
    const Result result = draw(frame);
    EXPECT_EQ(result.counts.clipped, 0u) << "seed " << seed;
    triangles += result.counts.triangles;
    culled += result.counts.culled;
    fragments += result.counts.fragments;
    for (const Command& command : frame.commands) {
      if (const auto* d = std::get_if<DrawCommand>(&command)) {
        topologies.insert(d->topology);
        functions.insert(frame.states[d->state].depth.func);
        blended += frame.states[d->state].blend.has_value();
        ++draws;
      }
    }
    for (const Pixel& pixel : result.targets[0][0].pixels) uncertain += pixel.uncertain != 0;
  }
  // Depth tests within the two sides' tolerance leave only a few pixels uncertain.
  EXPECT_LT(uncertain, 30u * 200 * 150 / 100);
  EXPECT_EQ(draws, 300u);
  EXPECT_EQ(topologies.size(), 3u);
  EXPECT_EQ(functions.size(), 8u);
  EXPECT_GT(blended, 100u);
  EXPECT_GT(triangles, 10000u);
  EXPECT_GT(culled, 500u);
  EXPECT_GT(fragments, 1000000u);
}

TEST(OracleSoup, ClippingLeavesMostPixelsCertain) {
  SoupOptions options;
  options.clipping = options.instances = options.blits = options.depth_clamp = options.polygon_offset = true;
  options.layers = 3;
  uint64_t clipped = 0, uncertain = 0, pixels = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    options.format = ColorFormat(seed % 3);
    const Result result = draw(make_soup(seed, options));
    clipped += result.counts.clipped;
    for (const std::vector<Surface>& target : result.targets) {
      for (const Surface& layer : target) {
        for (const Pixel& pixel : layer.pixels) {
          uncertain += (pixel.uncertain & (kUncertainColor | kUncertainDepth | kUncertainStencil)) != 0;
          for (int i = 0; i < 4; ++i) ASSERT_FALSE(std::isnan(decode(layer.format, pixel.color)[i]));
        }
        pixels += layer.pixels.size();
      }
    }
  }
  EXPECT_GT(clipped, 2000u);
  EXPECT_LT(double(uncertain), 0.1 * double(pixels));
}

}  // namespace
}  // namespace brokkr::oracle
