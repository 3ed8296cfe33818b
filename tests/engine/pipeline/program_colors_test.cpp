// Colours of programs that need two sources or more than 8 bits: blending with a second colour, and first colours with
// 32-bit floats and integers, in draws, clears, copies and textures.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "program_frame.h"

namespace brokkr {
namespace {

using test::channel;
using test::draw_with_programs;
using test::pixel;
using test::ProgramFrame;
using test::rectangle;

class ProgramColors : public test::ProgramTest {};

State with_blend(State state, BlendTerm color, BlendTerm alpha) {
  state.blend = BlendState{color, alpha, glm::vec4(0)};
  return state;
}

// Each channel has its own coverage, as for text on screens with three subpixels.
TEST_F(ProgramColors, ASecondSourceBlendsEachChannel) {
  for (const bool has_second : {true, false}) {
    ProgramFrame f(16, 16);
    std::get<ClearCommand>(f.frame.commands[0]).color = glm::vec4(0.2f, 0.4f, 0.6f, 1);
    const uint32_t program =
        f.program(has_second ? "out vec4 color0; out vec3 color1;\n"
                               "void main() { color0 = vec4(1.0, 0.8, 0.2, 0.5);\n"
                               "  color1 = vec3(0.25, 0.5, 2.0); }\n"
                             : "out vec4 color0; void main() { color0 = vec4(1.0, 0.8, 0.2, 0.5); }\n",
                  {}, {}, {}, has_second ? 2 : 1);
    if (has_second) {
      f.frame.programs[program].outputs[1].location = 0;
      f.frame.programs[program].outputs[1].index = 1;
    }
    const BlendTerm over{BlendFactor::src1_color, BlendFactor::one_minus_src1_color, BlendEquation::add};
    const BlendTerm alpha{BlendFactor::src1_alpha, BlendFactor::one_minus_src1_alpha, BlendEquation::add};
    f.draw_with(program, with_blend(f.default_state(), over, alpha), rectangle(0, 0, 16, 16));
    const Layer layer = draw_with_programs(f.frame);
    const glm::vec4 source(1, 0.8f, 0.2f, 0.5f), old(0.2f, 0.4f, 0.6f, 1);
    const glm::vec4 share = has_second ? glm::vec4(0.25f, 0.5f, 1, 1) : source;
    for (int c = 0; c < 4; ++c)
      EXPECT_NEAR(channel(layer, 7, 7, c), 255 * (source[c] * share[c] + old[c] * (1 - share[c])), 1) << c;
  }
}

// Blending that has code of its own, and blending that has none, in tiles that a triangle covers and in tiles that two
// triangles share. The rectangle's diagonal goes through the tiles at its corners (0, 0) and (16, 16).
TEST_F(ProgramColors, CommonBlendingFollowsTheFormula) {
  const glm::vec4 source(0.9f, 0.3f, 0, 0.5f), old(0.7f, 0.4f, 0.2f, 0.6f);
  struct Case {
    BlendFactor source, destination;
    glm::vec4 source_share, destination_share;
    BlendFactor source_of_alpha;
  };
  using enum BlendFactor;
  const glm::vec4 all(1), part(0.5f), layer(part.r, part.g, part.b, 1);
  for (const Case& one :
       {Case{src_alpha, one_minus_src_alpha, part, part, src_alpha},
        Case{src_alpha, one_minus_src_alpha, layer, part, BlendFactor::one},
        Case{BlendFactor::one, one_minus_src_alpha, all, part, BlendFactor::one},
        Case{src_alpha, BlendFactor::one, part, all, src_alpha}, Case{dst_color, zero, old, glm::vec4(0), dst_color},
        Case{BlendFactor::one, BlendFactor::one, all, all, BlendFactor::one}}) {
    ProgramFrame f(16, 16);
    std::get<ClearCommand>(f.frame.commands[0]).color = old;
    const uint32_t program = f.program("out vec4 color0; void main() { color0 = vec4(0.9, 0.3, 0.0, 0.5); }\n", {});
    const BlendTerm term{one.source, one.destination, BlendEquation::add};
    const BlendTerm of_alpha{one.source_of_alpha, one.destination, BlendEquation::add};
    f.draw_with(program, with_blend(f.default_state(), term, of_alpha), rectangle(0, 0, 16, 16));
    const Layer drawn = draw_with_programs(f.frame);
    const glm::vec4 sum = glm::min(source * one.source_share + old * one.destination_share, all);
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(channel(drawn, 12, 4, c), 255 * sum[c], 1) << c;
    for (const auto& [x, y] : {std::pair{4, 12}, std::pair{3, 3}, std::pair{13, 12}})
      EXPECT_EQ(pixel(drawn, x, y), pixel(drawn, 12, 4)) << x << ' ' << y;
  }
}

// Halves end at 65504 and have no number between 1 and 1 + 2^-10. The second pass shows the kept precision.
ProgramFrame two_passes(TargetColor color, const std::string& type, const std::string& written,
                        const std::string& shown) {
  ProgramFrame f(16, 16);
  Target other{1, 16, 16, 1, ColorFormat::rgba16f};
  other.colors = {color};
  f.frame.targets.push_back(other);
  f.frame.views.push_back({1, 0});
  f.add(ClearCommand{1, glm::vec4(7), 1.0f, {}, {}});
  const uint32_t write =
      f.program("out " + type + " color0;\nvoid main() { color0 = " + type + "(" + written + "); }\n", {});
  f.draw_with(write, f.default_state(), rectangle(0, 0, 8, 16), {}, {}, Topology::triangles, 1);
  CapturedTexture texture;
  texture.format = color.format;
  texture.base = color.base;
  texture.width = texture.height = 16;
  texture.images = {{0, 0, 1, TargetPlane::color0}};
  f.frame.captured_textures = {texture};
  CapturedSampler nearest;
  nearest.magnify_linear = nearest.minify_linear = false;
  nearest.mip = MipFilter::none;
  f.frame.captured_samplers = {nearest};
  const std::string prefix = type == "vec4" ? "" : type.substr(0, 1);
  ProgramSampler picture{"picture"};
  picture.type = prefix == "i" ? SampledType::integer : prefix == "u" ? SampledType::natural : SampledType::real;
  const uint32_t show =
      f.program("uniform " + prefix + "sampler2D picture; out vec4 color0;\nvoid main() {\n  " + type +
                    " v = texture(picture, gl_FragCoord.xy / 16.0);\n  color0 = vec4(" + shown + ");\n}\n",
                {}, {}, {picture});
  f.draw_with(show, f.default_state(), rectangle(0, 0, 16, 16, 0.5), {}, {{0, 0}});
  return f;
}

void expect_shown(const ProgramFrame& f, glm::ivec4 drawn, glm::ivec4 cleared) {
  for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
    const Layer layer = draw_with_programs(f.frame, 0, order);
    EXPECT_EQ(pixel(layer, 3, 9), drawn);
    EXPECT_EQ(pixel(layer, 12, 9), cleared);
  }
}

TEST_F(ProgramColors, FirstColoursOfFloatsAreWhole) {
  const std::string shown = "v.r == 100000.5, v.g == 1.0 + 1.0 / 1048576.0, v.r == 7.0, 1.0";
  for (const TexelBase base : {TexelBase::rgba, TexelBase::rg}) {
    const TexelFormat format = base == TexelBase::rg ? TexelFormat::rg32f : TexelFormat::rgba32f;
    expect_shown(two_passes({format, base}, "vec4", "100000.5, 1.0 + 1.0 / 1048576.0, 0.0, 1.0", shown),
                 {255, 255, 0, 255}, {0, 0, 255, 255});
  }
}

TEST_F(ProgramColors, FirstColoursOfSixteenBitsAreWhole) {
  // 0.75 as 49151 of 65535, which lies between two halves.
  expect_shown(two_passes({TexelFormat::rgba16, TexelBase::rgba}, "vec4", "49151.0 / 65535.0, 2.0, -1.0, 0.5",
                          "abs(v.r * 65535.0 - 49151.0) < 0.1, v.g == 1.0, v.b == 0.0, v.r == 1.0"),
               {255, 255, 255, 0}, {0, 255, 0, 255});
}

TEST_F(ProgramColors, FirstColoursOfIntegersAreWhole) {
  expect_shown(two_passes({TexelFormat::rgba32i, TexelBase::rgba}, "ivec4", "-123456789, 2000000000, 0, 1",
                          "v.r == -123456789, v.g == 2000000000, v.r == 7, 1.0"),
               {255, 255, 0, 255}, {0, 0, 255, 255});
  expect_shown(two_passes({TexelFormat::r8ui, TexelBase::red}, "uvec4", "200u, 1u, 1u, 1u",
                          "v.r == 200u, v.g == 0u, v.r == 7u, v.a == 1u"),
               {255, 255, 0, 255}, {0, 255, 255, 255});
}

// A copy into a target of another format, one into a further colour, and back.
TEST_F(ProgramColors, CopiesKeepWholeColours) {
  ProgramFrame f = two_passes({TexelFormat::rgba32f, TexelBase::rgba}, "vec4", "100000.5, 0.0, 0.0, 1.0",
                              "v.r == 100000.5, v.r == 7.0, 0.0, 1.0");
  Target third = f.frame.targets[1];
  third.id = 2;
  third.colors.push_back({TexelFormat::rgba32f, TexelBase::rgba});
  f.frame.targets.push_back(third);
  f.frame.views.push_back({2, 0});
  const Rect all{0, 0, 16, 16};
  const auto last = f.frame.commands.end() - 1;
  std::vector<Command> copies = {CopyCommand{1, 2, TargetPlane::color0, TargetPlane::color1, all, 0, 0},
                                 CopyCommand{2, 2, TargetPlane::color1, TargetPlane::color0, all, 0, 0},
                                 ClearCommand{1, glm::vec4(0), {}, {}, {}}, BlitCommand{2, 1, all, all}};
  f.frame.commands.insert(last, copies.begin(), copies.end());
  expect_shown(f, {255, 0, 0, 255}, {0, 255, 0, 255});
}

// Planes of one, two and four words and of halves go through clears, draws, blits and textures, in targets whose sides
// are no multiples of tiles. Blits move whole tiles, or not. The last program shows whether each texel is right.
TEST_F(ProgramColors, PlanesKeepTheirNumbers) {
  constexpr int kWide = 27, kHigh = 19;
  struct Case {
    TexelFormat format;
    TexelBase base;
    ColorFormat stored;
    const char* components;
  };
  const Case cases[] = {{TexelFormat::r32f, TexelBase::red, ColorFormat::rgba16f, "r"},
                        {TexelFormat::rg32f, TexelBase::rg, ColorFormat::rgba16f, "rg"},
                        {TexelFormat::rgba32f, TexelBase::rgba, ColorFormat::rgba16f, "rgba"},
                        {TexelFormat::rgba16f, TexelBase::rgba, ColorFormat::rgba16f, "rgba"}};
  for (const Case& one : cases) {
    for (const glm::ivec2 move : {glm::ivec2(0, 0), glm::ivec2(8, 0), glm::ivec2(3, 5)}) {
      for (const TargetPlane plane : {TargetPlane::color0, TargetPlane::color1}) {
        ProgramFrame f(kWide, kHigh);
        for (const int id : {1, 2}) {
          Target other{id, kWide, kHigh, 1, one.stored};
          other.colors = {{one.format, one.base}, {one.format, one.base}};
          f.frame.targets.push_back(other);
          f.frame.views.push_back({uint32_t(id), 0});
          ClearCommand clear{uint32_t(id), glm::vec4(float(7 + id)), 1.0f, {}, {}};
          clear.other_colors = {{TargetPlane::color1, glm::vec4(float(7 + id))}};
          f.add(clear);
        }
        const std::string value = "vec4(gl_FragCoord.xy, gl_FragCoord.x * 32.0, -3.5)";
        const uint32_t write = f.program(
            "out vec4 color0, color1;\nvoid main() { color0 = " + value + "; color1 = color0; }\n", {}, {}, {}, 2);
        State state = f.default_state();
        state.viewport = {0, 0, kWide, kHigh};
        state.buffers = {{0, {}}, {1, {}}};
        f.draw_with(write, state, rectangle(2, 3, 24, 17), {}, {}, Topology::triangles, 1);
        const Rect from{0, 0, kWide - move.x, kHigh - move.y}, to{move.x, move.y, from.width, from.height};
        f.add(CopyCommand{1, 2, plane, plane, from, to.x, to.y});
        CapturedTexture texture;
        texture.format = one.format;
        texture.base = one.base;
        texture.width = kWide;
        texture.height = kHigh;
        texture.images = {{0, 0, 2, plane}};
        f.frame.captured_textures = {texture};
        CapturedSampler nearest;
        nearest.magnify_linear = nearest.minify_linear = false;
        nearest.mip = MipFilter::none;
        f.frame.captured_samplers = {nearest};
        const std::string text = fmt::format(
            "uniform sampler2D picture; out vec4 color0;\nvoid main() {{\n"
            "  vec2 at = gl_FragCoord.xy - vec2({0}, {1});\n"
            "  bool copied = at.x > 0.0 && at.y > 0.0;\n"
            "  bool drawn = at.x > 2.0 && at.x < 24.0 && at.y > 3.0 && at.y < 17.0;\n"
            "  vec4 expected = drawn ? vec4(at, at.x * 32.0, -3.5) : vec4(copied ? 8.0 : 9.0);\n"
            "  vec4 got = texture(picture, gl_FragCoord.xy / vec2({2}, {3}));\n"
            "  color0 = vec4(got.{4} == expected.{4}, copied, drawn, 1.0);\n}}\n",
            move.x, move.y, kWide, kHigh, one.components);
        const uint32_t show = f.program(text, {}, {}, {ProgramSampler{"picture"}});
        f.draw_with(show, f.default_state(), rectangle(0, 0, kWide, kHigh, 0.5), {}, {{0, 0}});
        Renderer renderer;
        PreparedFrame prepared = renderer.prepare(f.frame);
        for (const MachineKind machine : test::machines()) {
          for (const int bin : {8, 64}) {
            RenderOptions options;
            options.machine = machine;
            options.bin = bin;
            const RenderResult result = test::render_to_end(renderer, prepared, options);
            ASSERT_EQ(result.statistics.false_color_draws, 0u);
            const Layer& layer = result.targets[0].layers[0];
            int wrong = 0;
            for (int i = 0; i < kWide * kHigh; ++i) wrong += channel(layer, i % kWide, i / kWide, 0) != 255;
            EXPECT_EQ(wrong, 0) << "format " << int(one.format) << ", plane " << int(plane) << ", move " << move.x
                                << ' ' << move.y << ", machine " << int(machine) << ", bins of " << bin;
            EXPECT_EQ(pixel(layer, 20, 12), glm::ivec4(255));
            EXPECT_EQ(pixel(layer, 0, 0), move.x == 0 ? glm::ivec4(255, 255, 0, 255) : glm::ivec4(255, 0, 0, 255));
          }
        }
      }
    }
  }
}

TEST_F(ProgramColors, BlendingAddsToWholeColours) {
  ProgramFrame f = two_passes({TexelFormat::r32f, TexelBase::red}, "vec4", "1.0, 0.0, 0.0, 1.0",
                              "v.r == 1.0 + 7.0 / 1048576.0, v.r == 7.0, 0.0, 1.0");
  const uint32_t little = f.program("out vec4 color0; void main() { color0 = vec4(1.0 / 1048576.0); }\n", {});
  const BlendTerm add{BlendFactor::one, BlendFactor::one, BlendEquation::add};
  Command show = std::move(f.frame.commands.back());
  f.frame.commands.pop_back();
  State state = with_blend(f.default_state(), add, add);
  state.depth.test = state.depth.write = false;
  for (int i = 0; i < 7; ++i) f.draw_with(little, state, rectangle(0, 0, 8, 16), {}, {}, Topology::triangles, 1);
  f.frame.commands.push_back(std::move(show));
  expect_shown(f, {255, 0, 0, 255}, {0, 255, 0, 255});
}

// The content of a target before the frame, and a scissored clear of it.
TEST_F(ProgramColors, LoadsGiveWholeColours) {
  ProgramFrame f = two_passes({TexelFormat::rgba32f, TexelBase::rgba}, "vec4", "1.0, 0.0, 0.0, 1.0",
                              "v.r == 100000.5, v.r == 9.25, 0.0, 1.0");
  f.frame.commands.erase(f.frame.commands.end() - 2);  // the first pass's draw
  CapturedTexture before;
  before.format = TexelFormat::rgba32f;
  before.width = before.height = 16;
  before.stored = true;
  const auto* const bytes = [] {
    static std::vector<glm::vec4> texels(256, glm::vec4(100000.5f));
    return reinterpret_cast<const std::byte*>(texels.data());
  }();
  f.frame.texture_data.assign(bytes, bytes + 256 * sizeof(glm::vec4));
  f.frame.captured_textures.push_back(before);
  const std::vector<Command> more = {LoadCommand{1, TargetPlane::color0, 1},
                                     ClearCommand{1, glm::vec4(9.25f), {}, {}, Rect{8, 0, 8, 16}}};
  f.frame.commands.insert(f.frame.commands.end() - 1, more.begin(), more.end());
  expect_shown(f, {255, 0, 0, 255}, {0, 255, 0, 255});
}

}  // namespace
}  // namespace brokkr
