// Logical operations on colours of all formats, compared with OpenGL bit by bit.
#include <cstdlib>
#include <set>

#include "brokkr/renderer.h"
#include "compare.h"
#include "pipeline/program_frame.h"
#include "reference/gl_replay.h"
#include "tiny_frame.h"

namespace brokkr::test {
namespace {

constexpr int kSide = 16;
constexpr int kOperations = 16;
constexpr int kWidth = kOperations * kSide;

struct LogicCase {
  const char* name;
  TargetColor color;
  bool encodes = false;  // State::framebuffer_srgb
  const char* type = "vec4";
  float max_code = 255;  // real colours: the code of 1; 0: floats
  bool has_sign = false;
};

// A target with a square for each logical operation. A draw gives each pixel a code, further draws combine each square
// with other codes, and the last draw shows the codes' bytes in target 0: the low bytes, and to their right the high
// ones. A draw with an operation covers all but one column of its square, through both paths of whole and shared tiles.
Frame logic_frame(const LogicCase& logic, bool masked) {
  ProgramFrame f(2 * kWidth, kSide);
  f.frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}};
  Target other{1, kWidth, kSide};
  other.colors = {logic.color};
  f.frame.targets.push_back(other);
  f.frame.views.push_back({1, 0});
  f.add(ClearCommand{1, glm::vec4(0), 1.0f, {}, {}});
  const std::string type = logic.type;
  const bool real = type == "vec4";
  // Codes with bits in all places; `a` and `b` differ.
  const auto text = [&](const char* code) {
    const std::string codes =
        "ivec4(" + std::string(code) + ", 255 - (" + code + "), 3 * (" + code + ") + 7, 5 * (" + code + ") + 1)";
    // The least signed code stands for -1, as the next one does.
    const std::string scaled = "vec4(max(" + codes + " & 255, " + (logic.has_sign ? "1" : "0") + ") * " +
                               (logic.max_code > 255 ? "257" : "1") +
                               (logic.has_sign ? " - " + std::to_string(int(logic.max_code) + 1) : "") + ") / " +
                               std::to_string(logic.max_code > 0 ? logic.max_code : 255.0f);
    return "out " + type + " color0;\nvoid main() { ivec2 p = ivec2(gl_FragCoord.xy) & 15; color0 = " +
           (real ? scaled : type + "(" + codes + (type == "uvec4" ? " & 255)" : ")")) + "; }\n";
  };
  State state = f.default_state();
  state.viewport = {0, 0, kWidth, kSide};
  state.depth.test = state.depth.write = false;
  state.framebuffer_srgb = logic.encodes;
  const auto draw = [&](uint32_t program, double x0, double x1) {
    f.draw_with(program, state, rectangle(x0, 0, x1, kSide), {}, {}, Topology::triangles, 1);
  };
  draw(f.program(text("16 * p.x + p.y"), {}), 0, kWidth);
  // Blending is off while a logical operation is on.
  const BlendTerm add{BlendFactor::one, BlendFactor::one, BlendEquation::add};
  state.blend = BlendState{add, add, glm::vec4(0)};
  if (masked) state.color_mask = {true, false, true, true};
  const uint32_t second = f.program(text("16 * p.y + 15 - p.x"), {});
  for (int op = 0; op < kOperations; ++op) {
    state.logic_op = LogicOp(op);
    draw(second, op * kSide, (op + 1) * kSide - 1);
  }
  CapturedTexture texture;
  texture.format = logic.color.format;
  texture.base = logic.color.base;
  texture.width = kWidth;
  texture.height = kSide;
  texture.images = {{0, 0, 1, TargetPlane::color0}};
  f.frame.captured_textures = {texture};
  f.frame.captured_samplers = {{.magnify_linear = false, .minify_linear = false, .mip = MipFilter::none}};
  const std::string prefix = real ? "" : type.substr(0, 1);
  ProgramSampler picture{"picture"};
  picture.type = prefix == "i" ? SampledType::integer : prefix == "u" ? SampledType::natural : SampledType::real;
  const std::string shown = logic.has_sign ? "gl_FragCoord.x < 256.0 ? v : -v"
                            : real         ? "vec4(v)"
                                           : "vec4((uvec4(v) >> (gl_FragCoord.x < 256.0 ? 0u : 24u)) & 255u) / 255.0";
  const uint32_t show = f.program(
      "uniform " + prefix + "sampler2D picture; out vec4 color0;\nvoid main() {\n  " + type +
          " v = texelFetch(picture, ivec2(gl_FragCoord.xy) % ivec2(256, 16), 0);\n  color0 = " + shown + ";\n}\n",
      {}, {}, {picture});
  State plain = f.default_state();
  plain.depth.test = plain.depth.write = false;
  f.draw_with(show, plain, rectangle(0, 0, 2 * kWidth, kSide), {}, {{0, 0}});
  validate(f.frame);
  return std::move(f.frame);
}

class GlLogicTest : public ::testing::TestWithParam<LogicCase> {};

TEST_P(GlLogicTest, AllOperationsAgreeWithOpenGL) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
  std::set<std::vector<uint32_t>> squares;
  for (const bool masked : {false, true}) {
    SCOPED_TRACE(masked ? "masked" : "not masked");
    const auto [expected, got] = draw_twice(logic_frame(GetParam(), masked));
    ASSERT_FALSE(HasFailure());
    ASSERT_EQ(got.color.size(), expected.color.size());
    std::vector<std::vector<uint32_t>> square(kOperations);
    for (size_t i = 0; i < got.color.size(); ++i) {
      const size_t x = i % (2 * kWidth), op = x % kWidth / kSide;
      // The two encode sRGB by different curves.
      const int tolerance = GetParam().encodes ? 2 : 0;
      for (int c = 0; c < 32; c += 8) {
        ASSERT_LE(std::abs(int(got.color[i] >> c & 255) - int(expected.color[i] >> c & 255)), tolerance)
            << std::hex << "operation " << op << ", pixel " << x << ", " << i / (2 * kWidth) << ": OpenGL "
            << expected.color[i] << ", Brokkr " << got.color[i];
      }
      square[op].push_back(got.color[i]);
    }
    if (!masked) squares.insert(square.begin(), square.end());
  }
  const bool has_codes = GetParam().max_code > 0 && !GetParam().encodes;
  // The picture's 8 bits do not tell -1 / 32767, all ones, from 0.
  const size_t of_codes = GetParam().has_sign && GetParam().max_code > 127 ? 15 : 16;
  EXPECT_EQ(squares.size(), has_codes ? of_codes : 1);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, GlLogicTest,
    ::testing::Values(LogicCase{"rgba8", {TexelFormat::rgba8, TexelBase::rgba}},
                      LogicCase{"rgb8", {TexelFormat::rgba8, TexelBase::rgb}},
                      LogicCase{"rg8", {TexelFormat::rg8, TexelBase::rg}},
                      LogicCase{"srgb8", {TexelFormat::rgba8_srgb, TexelBase::rgba}},
                      LogicCase{"srgb8_encoded", {TexelFormat::rgba8_srgb, TexelBase::rgba}, true},
                      LogicCase{"rgba16", {TexelFormat::rgba16, TexelBase::rgba}, false, "vec4", 65535},
                      LogicCase{"rgba8_snorm", {TexelFormat::rgba8_snorm, TexelBase::rgba}, false, "vec4", 127, true},
                      LogicCase{"rg8_snorm", {TexelFormat::rg8_snorm, TexelBase::rg}, false, "vec4", 127, true},
                      LogicCase{
                          "rgba16_snorm", {TexelFormat::rgba16_snorm, TexelBase::rgba}, false, "vec4", 32767, true},
                      LogicCase{"rgba16f", {TexelFormat::rgba16f, TexelBase::rgba}, false, "vec4", 0},
                      LogicCase{"rgba32f", {TexelFormat::rgba32f, TexelBase::rgba}, false, "vec4", 0},
                      LogicCase{"rgba8ui", {TexelFormat::rgba8ui, TexelBase::rgba}, false, "uvec4"},
                      LogicCase{"rgba16i", {TexelFormat::rgba16i, TexelBase::rgba}, false, "ivec4"},
                      LogicCase{"r32ui", {TexelFormat::r32ui, TexelBase::red}, false, "uvec4"}),
    [](const auto& one) { return std::string(one.param.name); });

// A copy from colours without alpha has an alpha of 1, whatever clears, draws and blended draws gave it.
TEST(GlCopies, FromColorsWithoutAlpha) {
#if !defined(BROKKR_HAVE_SHADERS)
  GTEST_SKIP() << "built without run-time shaders";
#endif
  if (!compatible_context().context) GTEST_SKIP() << compatible_context().error;
  ProgramFrame f(kSide, kSide);
  f.frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}};
  for (const TexelBase base : {TexelBase::rgb, TexelBase::rgba}) {
    Target other{int(f.frame.targets.size()), kSide, kSide};
    other.colors = {{TexelFormat::rgba8, base}};
    f.frame.targets.push_back(other);
    f.frame.views.push_back({uint32_t(f.frame.targets.size() - 1), 0});
  }
  f.add(ClearCommand{1, glm::vec4(0.2f, 0.4f, 0.6f, 0.0f), 1.0f, {}, {}});
  State state = f.default_state();
  state.depth.test = state.depth.write = false;
  const uint32_t faint = f.program("out vec4 color0;\nvoid main() { color0 = vec4(0.8, 0.6, 0.4, 0.25); }\n", {});
  f.draw_with(faint, state, rectangle(0, 0, 8, kSide), {}, {}, Topology::triangles, 1);
  const BlendTerm over{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  state.blend = BlendState{over, over, glm::vec4(0)};
  f.draw_with(faint, state, rectangle(4, 4, 12, 12), {}, {}, Topology::triangles, 1);
  f.add(CopyCommand{1, 2, TargetPlane::color0, TargetPlane::color0, {0, 0, kSide, kSide}});
  CapturedTexture texture;
  texture.width = texture.height = kSide;
  texture.images = {{0, 0, 2, TargetPlane::color0}};
  f.frame.captured_textures = {texture};
  f.frame.captured_samplers = {{.magnify_linear = false, .minify_linear = false, .mip = MipFilter::none}};
  const uint32_t show = f.program(
      "uniform sampler2D picture; out vec4 color0;\nvoid main() { vec4 v = texelFetch(picture, "
      "ivec2(gl_FragCoord.xy), 0); color0 = vec4(v.a, v.rg, 1.0); }\n",
      {}, {}, {ProgramSampler{"picture"}});
  State plain = f.default_state();
  plain.depth.test = plain.depth.write = false;
  f.draw_with(show, plain, rectangle(0, 0, kSide, kSide), {}, {{0, 0}});
  validate(f.frame);
  GlReplay replay(*compatible_context().context);
  replay.prepare(f.frame);
  ASSERT_TRUE(replay.failures().empty()) << replay.failures()[0].reason;
  replay.draw();
  const GlLayer expected = replay.read(0);
  const RenderResult result = draw_interpreted(f.frame);
  ASSERT_EQ(result.statistics.false_color_draws, 0u) << result.statistics.false_colors[0];
  const Layer& got = result.targets[0].layers[0];
  for (size_t i = 0; i < got.color.size(); ++i) {
    EXPECT_EQ(got.color[i] & 255, 255u) << "pixel " << i % kSide << ", " << i / kSide;
    for (int c = 0; c < 32; c += 8) {
      ASSERT_LE(std::abs(int(got.color[i] >> c & 255) - int(expected.color[i] >> c & 255)), 1)
          << std::hex << "pixel " << i << ": OpenGL " << expected.color[i] << ", Brokkr " << got.color[i];
    }
  }
}

}  // namespace
}  // namespace brokkr::test
