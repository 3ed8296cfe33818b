// Fixed-function state: compares the pipeline's picture with OpenGL's.
#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>

#include "compare.h"

namespace brokkr::test {
namespace {

constexpr int kWidth = 160, kHeight = 120;
constexpr CompareFunc kFuncs[] = {CompareFunc::never,  CompareFunc::less,    CompareFunc::equal,
                                  CompareFunc::lequal, CompareFunc::greater, CompareFunc::notequal,
                                  CompareFunc::gequal, CompareFunc::always};

// A random state; most depth functions let something be visible.
State random_state(Random& random) {
  State state;
  state.viewport = glm::vec4(0, 0, kWidth, kHeight);
  if (random.below(3) == 0)
    state.viewport =
        glm::vec4(random.between(-20, 40), random.between(-20, 40), random.between(60, 150), random.between(50, 110));
  if (random.below(4) == 0) {
    state.depth_near = random.between(0, 1);
    state.depth_far = random.between(0, 1);
  }
  if (random.below(3) == 0)
    state.scissor =
        Rect{int(random.below(60)) - 10, int(random.below(60)) - 10, int(random.below(140)), int(random.below(110))};
  state.depth.func = random.below(3) != 0 ? CompareFunc::less : kFuncs[random.below(8)];
  state.depth.write = random.below(4) != 0;
  state.depth.test = random.below(6) != 0;
  state.cull = CullMode(random.below(3));
  state.front_face = FrontFace(random.below(2));
  for (bool& channel : state.color_mask) channel = random.below(6) != 0;
  return state;
}

// Triangles in front of, across and behind the eye; small and huge.
std::vector<glm::vec4> random_triangles(Random& random, int count) {
  std::vector<glm::vec4> vertices;
  for (int i = 0; i < count; ++i) {
    const glm::vec3 centre(random.between(-6, 6), random.between(-5, 5), random.between(-12, 2));
    const float size = random.below(25) == 0 ? 8.0f : random.between(0.05f, 1.5f);
    for (int k = 0; k < 3; ++k)
      vertices.emplace_back(
          centre + size * glm::vec3(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)), 1.0f);
  }
  return vertices;
}

TEST_F(PipelineVsGlTest, SoupUnderRandomStates) {
  Random random(1);
  Frame frame = make_frame(kWidth, kHeight);
  frame.views[0].view_projection = glm::perspective(1.0f, float(kWidth) / kHeight, 0.1f, 50.0f);
  frame.states.clear();
  add_clear(frame, {0.1f, 0.2f, 0.3f, 1}, 1.0f);
  for (uint32_t d = 0; d < 60; ++d) {
    frame.states.push_back(random_state(random));
    add_draw(frame, random_triangles(random, 20), random.color()).state = d;
  }
  const Difference difference = render_both(frame, Shading::material, 1, kSteepDepth);
  EXPECT_LE(difference.percent(difference.color), 0.1) << difference.color;
  EXPECT_LE(difference.percent(difference.depth), 0.1) << difference.depth;
}

// The coverage samples of a pixel are where llvmpipe has them. The oracle (Soup.Samples) tests pixels at the edges of
// scissors and of viewports inside the target: there, llvmpipe 22.3 covers some samples of a pixel instead of whole
// pixels.
TEST_F(PipelineVsGlTest, FourSamplesAPixel) {
  Random random(11);
  for (const ColorFormat format : {ColorFormat::rgba8, ColorFormat::rgba8_srgb, ColorFormat::rgba16f}) {
    Frame frame = make_frame(kWidth, kHeight, 1, format);
    frame.targets[0].samples = 4;
    frame.views[0].view_projection = glm::perspective(1.0f, float(kWidth) / kHeight, 0.1f, 50.0f);
    frame.states.clear();
    add_clear(frame, {0.1f, 0.2f, 0.3f, 1}, 1.0f);
    for (uint32_t d = 0; d < 60; ++d) {
      State& state = frame.states.emplace_back(random_state(random));
      state.viewport = glm::vec4(0, 0, kWidth, kHeight);
      state.scissor.reset();
      add_draw(frame, random_triangles(random, 20), random.color()).state = d;
    }
    const Difference difference = render_both(frame, Shading::material, 3, kSteepDepth);
    EXPECT_LE(difference.percent(difference.color), 0.1) << difference.color << ", worst " << difference.worst_color;
    EXPECT_LE(difference.percent(difference.depth), 0.05) << difference.depth;
  }
}

TEST_F(PipelineVsGlTest, ConventionFlagsAndPolygonOffset) {
  for (uint32_t flags : {0u, uint32_t(kDepthClamp), uint32_t(kZeroToOne), uint32_t(kOriginUpperLeft),
                         uint32_t(kDepthClamp | kZeroToOne | kOriginUpperLeft)}) {
    Random random(2);
    Frame frame = make_frame(kWidth, kHeight);
    frame.views[0].view_projection = glm::perspective(1.0f, float(kWidth) / kHeight, 2.0f, 8.0f);
    frame.states.push_back(frame.states[0]);
    frame.states[1].cull = CullMode::back;
    frame.states[1].polygon_offset = PolygonOffset{1.5f, 64.0f};
    for (uint32_t d = 0; d < 12; ++d) {
      DrawCommand& draw = add_draw(frame, random_triangles(random, 30), random.color());
      draw.flags = flags;
      draw.state = d % 2;
    }
    const Difference difference = render_both(frame, Shading::material, 1, kSteepDepth);
    EXPECT_LE(difference.percent(difference.color), 0.1) << "flags " << flags;
    EXPECT_LE(difference.percent(difference.depth), 0.2) << "flags " << flags;
  }
}

// Cells of 2x2 pixels, each with its own blend state. Drivers compile each of these, which takes llvmpipe tens of
// milliseconds. So every factor appears as source and as destination with every equation that reads it, but not every
// pair.
Frame blend_cells(ColorFormat format, Random& random) {
  constexpr uint32_t kFactors = 15, kColumns = 15, kRows = 3;
  Frame frame = make_frame(2 * kColumns, 2 * kRows, 1, format);
  add_clear(frame, {0.6f, 0.3f, 0.8f, 0.4f});
  for (uint32_t row = 0; row < kRows; ++row)
    for (uint32_t column = 0; column < kColumns; ++column) {
      State state = frame.states[0];
      BlendState blend;
      const auto equation = BlendEquation(row);
      blend.color = {BlendFactor(column), BlendFactor((column * 7 + 3 + row) % kFactors), equation};
      blend.alpha = {BlendFactor((column * 4 + row) % kFactors), BlendFactor((column * 2 + 5) % kFactors),
                     BlendEquation(random.below(5))};
      if (column == 7) blend.color.equation = row % 2 ? BlendEquation::min : BlendEquation::max;
      blend.constant = random.color();
      state.blend = blend;
      frame.states.push_back(state);
      const float x = 2 * float(column) / kColumns - 1, y = 2 * float(row) / kRows - 1;
      add_draw(frame, quad(x, y, x + 2.0f / kColumns, y + 2.0f / kRows), random.color()).state =
          uint32_t(frame.states.size()) - 1;
    }
  return frame;
}

class BlendTest : public PipelineVsGlTest, public ::testing::WithParamInterface<ColorFormat> {};

TEST_P(BlendTest, FactorsAndEquations) {
  Random random(3);
  const Frame frame = blend_cells(GetParam(), random);
  // llvmpipe blends in eight bits, with an error of up to 1.6 steps, and approximates the sRGB curve in both
  // directions.
  static constexpr int kTolerance[] = {2, 3, 1};
  const Difference difference = render_both(frame, Shading::material, kTolerance[size_t(GetParam())]);
  EXPECT_EQ(difference.color, 0u) << "worst " << difference.worst_color;
}

std::string format_name(const ::testing::TestParamInfo<ColorFormat>& info) {
  static constexpr const char* kNames[] = {"rgba8", "rgba8_srgb", "rgba16f"};
  return kNames[size_t(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Formats, BlendTest,
                         ::testing::Values(ColorFormat::rgba8, ColorFormat::rgba8_srgb, ColorFormat::rgba16f),
                         format_name);

TEST_F(PipelineVsGlTest, OverlappingBlendKeepsSubmissionOrder) {
  Random random(4);
  Frame frame = make_frame(kWidth, kHeight);
  frame.states[0].depth.test = false;
  BlendState over;
  over.color = over.alpha = {BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  frame.states[0].blend = over;
  frame.views[0].view_projection = glm::perspective(1.0f, float(kWidth) / kHeight, 0.1f, 50.0f);
  for (int d = 0; d < 30; ++d) add_draw(frame, random_triangles(random, 8), random.color());
  // Each of tens of layers rounds, with an error of up to half a step in both renderers.
  const Difference difference = render_both(frame, Shading::material, 3);
  EXPECT_LE(difference.percent(difference.color), 0.1) << difference.worst_color;
}

TEST_F(PipelineVsGlTest, StencilFunctionsAndOperations) {
  Random random(5);
  Frame frame = make_frame(32, 32);
  frame.states.clear();
  add_clear(frame, {0, 0, 0, 1}, 0.5f, 3);
  for (uint32_t d = 0; d < 80; ++d) {
    State state;
    state.viewport = glm::vec4(0, 0, 32, 32);
    state.depth.func = d % 2 ? CompareFunc::less : CompareFunc::greater;
    StencilState stencil;
    stencil.func = kFuncs[random.below(8)];
    stencil.ref = uint8_t(random.below(256));
    stencil.mask = random.below(2) ? uint8_t(0xff) : uint8_t(random.below(256));
    stencil.write_mask = random.below(2) ? uint8_t(0xff) : uint8_t(random.below(256));
    stencil.stencil_fail = StencilOp(random.below(8));
    stencil.depth_fail = StencilOp(random.below(8));
    stencil.pass = StencilOp(random.below(8));
    state.stencil = stencil;
    frame.states.push_back(state);
    // Rectangles on pixel edges leave no sample in doubt.
    const float x = float(random.below(28)) / 16 - 1, y = float(random.below(28)) / 16 - 1;
    const float w = float(random.below(20) + 1) / 16, h = float(random.below(20) + 1) / 16;
    add_draw(frame, quad(x, y, x + w, y + h, random.between(-0.9f, 0.9f)), random.color()).state = d;
  }
  const Difference difference = render_both(frame, Shading::material);
  EXPECT_EQ(difference.stencil, 0u);
  EXPECT_EQ(difference.depth, 0u);
  EXPECT_EQ(difference.color, 0u);
}

TEST_F(PipelineVsGlTest, ClearsAndBlits) {
  Random random(6);
  Frame frame = make_frame(kWidth, kHeight);
  frame.targets.push_back({1, 64, 48, 1, ColorFormat::rgba8});
  View off_screen;
  off_screen.target = 1;
  frame.views.push_back(off_screen);
  for (View& view : frame.views) view.view_projection = glm::perspective(1.0f, float(kWidth) / kHeight, 0.1f, 50.0f);
  frame.states.push_back(frame.states[0]);
  frame.states[1].viewport = glm::vec4(0, 0, 64, 48);
  add_clear(frame, {1, 0, 0, 1});
  add_clear(frame, {0, 0.5f, 0, 1}, 1.0f, 0, 1);
  for (uint32_t d = 0; d < 40; ++d) {
    DrawCommand& draw = add_draw(frame, random_triangles(random, 6), random.color());
    draw.first_view = draw.state = d % 2;
    ClearCommand clear;
    clear.color = random.color();
    if (d % 3 == 0) clear.depth = random.between(0.95f, 1);
    clear.scissor = Rect{int(random.below(120)), int(random.below(90)), int(random.below(40)), int(random.below(30))};
    if (d % 5 == 0) frame.commands.emplace_back(clear);
    BlitCommand blit;
    blit.from = 1;
    blit.source = {int(random.below(20)), int(random.below(20)), int(random.below(40)) + 1, int(random.below(28)) + 1};
    // One to one, mirrored or not, sometimes beyond the edge.
    const bool mirror_x = random.below(2) != 0, mirror_y = random.below(2) != 0;
    const int x = int(random.below(150)), y = int(random.below(110));
    blit.destination = {mirror_x ? x + blit.source.width : x, mirror_y ? y + blit.source.height : y,
                        mirror_x ? -blit.source.width : blit.source.width,
                        mirror_y ? -blit.source.height : blit.source.height};
    blit.depth = d % 2 == 0;
    if (d % 4 == 0) frame.commands.emplace_back(blit);
  }
  const Difference difference = render_both(frame, Shading::material);
  EXPECT_LE(difference.percent(difference.color), 0.1);
  EXPECT_LE(difference.percent(difference.depth), 0.1);
}

}  // namespace
}  // namespace brokkr::test
