// The history of a pixel must end with the content that a render of the frame has there, whatever the frame contains.
#include "inspect/pixel_history.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "app/resize.h"
#include "brokkr/load.h"
#include "oracle/frame_builder.h"
#include "oracle/soup.h"
#include "pipeline/program_frame.h"
#include "reference/captures.h"

namespace brokkr {
namespace {

void expect_color(const Layer& layer, size_t i, const SampleState& end) {
  if (layer.color_float.empty()) {
    for (int shift = 0; shift < 32; shift += 8)
      EXPECT_LE(std::abs(int(layer.color[i] >> shift & 255) - int(end.low >> shift & 255)), 1)
          << "channel " << shift / 8;
    return;
  }
  const uint32_t words[2] = {end.low, end.high};
  for (size_t c = 0; c < 4; ++c) {
    const float got = [&] {
      const uint32_t half = words[c / 2] >> (c % 2 * 16) & 0xffff;
      const int exponent = int(half >> 10 & 31), mantissa = int(half & 1023);
      const float value = exponent == 31  ? (mantissa ? NAN : INFINITY)
                          : exponent == 0 ? std::ldexp(float(mantissa), -24)
                                          : std::ldexp(float(mantissa + 1024), exponent - 25);
      return half & 0x8000 ? -value : value;
    }();
    const float expected = layer.color_float[4 * i + c];
    if (!std::isfinite(expected)) continue;
    EXPECT_NEAR(got, expected, 0.005f + std::abs(expected) * 0.005f) << "channel " << c;
  }
}

// Events must be consistent: each begins where the one before it ended, and failed fragments write nothing but stencil.
void expect_sense(const PixelHistory& history) {
  SampleState state;
  uint64_t fragments = 0;
  uint32_t command = 0;
  for (const PixelEvent& e : history.events) {
    EXPECT_GE(e.command, command);
    command = e.command;
    EXPECT_EQ(std::bit_cast<uint32_t>(e.before.depth), std::bit_cast<uint32_t>(state.depth));
    EXPECT_EQ(e.before.low, state.low);
    EXPECT_EQ(e.before.visible_id, state.visible_id);
    state = e.after;
    if (e.kind != PixelEvent::Kind::fragment) continue;
    ++fragments;
    EXPECT_EQ(e.origin.command, e.command);
    if (e.fragment.fate == FragmentFate::passed) continue;
    EXPECT_EQ(e.after.low, e.before.low);
    EXPECT_EQ(e.after.visible_id, e.before.visible_id);
    EXPECT_EQ(e.after.depth_id, e.before.depth_id);
  }
  EXPECT_EQ(history.fragments, fragments);
  EXPECT_EQ(history.end.visible_id, state.visible_id);
}

// Tests `pixels` random pixels of every layer of every target.
void expect_ends_as_rendered(const Frame& frame, RenderOptions options, int pixels, uint32_t seed) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  options.keep_ids = true;
  const RenderResult result = renderer.render(prepared, options);
  RenderOptions counting = options;
  counting.shading = Shading::overdraw;
  const RenderResult counted = renderer.render(prepared, counting);
  std::mt19937 random(seed);
  for (uint32_t t = 0; t < result.targets.size(); ++t) {
    for (uint32_t l = 0; l < result.targets[t].layers.size(); ++l) {
      const Layer& layer = result.targets[t].layers[l];
      for (int n = 0; n < pixels; ++n) {
        const int x = int(random() % uint32_t(layer.width)), y = int(random() % uint32_t(layer.height));
        SCOPED_TRACE("target " + std::to_string(t) + " layer " + std::to_string(l) + " pixel " + std::to_string(x) +
                     "," + std::to_string(y));
        const size_t i = size_t(y) * size_t(layer.width) + size_t(x);
        const PixelHistory history = pixel_history(renderer, prepared, {t, l, x, y}, options);
        EXPECT_EQ(history.end.visible_id, layer.visible_id[i]);
        EXPECT_EQ(history.end.depth_id, layer.depth_id[i]);
        EXPECT_EQ(std::bit_cast<uint32_t>(history.end.depth), std::bit_cast<uint32_t>(layer.depth[i]));
        EXPECT_EQ(history.end.stencil, layer.stencil[i]);
        EXPECT_EQ(history.fragments, counted.targets[t].layers[l].overdraw[i]);
        expect_color(layer, i, history.end);
        expect_sense(history);
        EXPECT_EQ(history.rasterizers, uint32_t(result.statistics.rasterizers));
        EXPECT_LT(history.rasterizer, history.rasterizers);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

class CapturedPixel : public testing::TestWithParam<const char*> {};

TEST_P(CapturedPixel, EndsAsRendered) {
  std::filesystem::path path = std::filesystem::path(BROKKR_SOURCE_DIR) / "tests/frames" / GetParam();
  if (!std::filesystem::exists(path)) path = test::captures_folder() / GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << GetParam() << " is not here; set BROKKR_CAPTURES";
  Frame frame = load_frame(path.string(), {});
  app::resize_frame(frame, main_target(frame), 320, 180);
  RenderOptions options;
  options.shading = Shading::triangle;
  options.hierarchical_depth = false;
  options.pattern = PatternKind::hilbert;
  options.bin = 32;
  expect_ends_as_rendered(frame, options, 12, 1);
}

std::string capture_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(Frames, CapturedPixel,
                         testing::Values("gl-feature-test.bkf", "0ad-acropolis-bay.bkf", "minetest.bkf",
                                         "neverball-circuit2.bkf", "cube2-colos.bkf"),
                         capture_name);

TEST(PixelHistory, SoupsOfEveryState) {
  oracle::SoupOptions soup;
  soup.layers = 2;
  soup.instances = soup.polygon_offset = soup.depth_clamp = soup.clipping = true;
  for (uint32_t seed = 0; seed < 6 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    soup.format = seed % 3 == 0 ? ColorFormat::rgba16f : seed % 3 == 1 ? ColorFormat::rgba8 : ColorFormat::rgba8_srgb;
    RenderOptions options;
    options.shading = seed % 2 == 0 ? Shading::triangle : Shading::batch;
    expect_ends_as_rendered(oracle::make_soup(seed, soup), options, 25, seed);
  }
}

TEST(PixelHistory, BlitsAreFollowedToTheirSource) {
  oracle::SoupOptions soup;
  soup.blits = true;
  for (uint32_t seed = 0; seed < 6 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_ends_as_rendered(oracle::make_soup(seed, soup), {}, 25, seed);
  }
}

TEST(PixelHistory, MaterialsWithDiscard) {
  const Frame frame = load_frame(BROKKR_SOURCE_DIR "/assets/courtyard.obj", {.width = 240, .height = 160});
  RenderOptions options;
  options.shading = Shading::material;
  expect_ends_as_rendered(frame, options, 40, 3);
  // Some pixel shows transparent leaves.
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  int discarded = 0;
  for (int y = 0; y < 160; y += 4) {
    for (int x = 0; x < 240 && discarded == 0; x += 4) {
      for (const PixelEvent& e : pixel_history(renderer, prepared, {0, 0, x, y}, options).events)
        discarded += e.kind == PixelEvent::Kind::fragment && e.fragment.fate == FragmentFate::discarded;
    }
  }
  EXPECT_GT(discarded, 0);
}

// One pixel and five triangles, with every fate of a captured draw's fragments.
TEST(PixelHistory, TellsWhyAFragmentWasLost) {
  oracle::FrameBuilder b(16, 16);
  const std::vector<glm::dvec2> all = {{-20, -20}, {60, -20}, {-20, 60}};
  State state = b.default_state();
  b.draw_window(state, all, 0.0);
  b.draw_window(state, all, 0.5);  // behind
  State stencil = b.default_state();
  stencil.stencil = StencilState{};
  stencil.stencil->func = CompareFunc::equal;
  stencil.stencil->ref = 1;
  stencil.stencil->stencil_fail = StencilOp::increment;
  b.draw_window(stencil, all, -0.5);  // stencil holds 0: fails, and makes it 1
  State masked = stencil;
  masked.color_mask = {false, false, false, false};
  b.draw_window(masked, all, -0.5);  // passes, writes depth only
  b.clear(std::nullopt, 0.125f, std::nullopt, Rect{0, 0, 8, 8});
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(b.frame);
  RenderOptions options;
  options.bin = 8;
  options.rasterizers = 3;
  options.pattern = PatternKind::diagonal;
  const PixelHistory h = pixel_history(renderer, prepared, {0, 0, 3, 12}, options);
  ASSERT_EQ(h.events.size(), 5u);  // a clear, four fragments; the second clear is elsewhere
  EXPECT_EQ(h.events[0].kind, PixelEvent::Kind::clear);
  EXPECT_EQ(h.events[1].fragment.fate, FragmentFate::passed);
  EXPECT_EQ(h.events[2].fragment.fate, FragmentFate::depth_failed);
  EXPECT_EQ(h.events[3].fragment.fate, FragmentFate::stencil_failed);
  EXPECT_EQ(h.events[4].fragment.fate, FragmentFate::passed);
  EXPECT_EQ(h.events[3].after.stencil, 1u);
  EXPECT_FLOAT_EQ(h.events[2].fragment.depth, 0.75f);
  EXPECT_FLOAT_EQ(h.end.depth, 0.25f);
  EXPECT_EQ(h.end.visible_id, h.events[1].fragment.primitive);
  EXPECT_EQ(h.end.depth_id, h.events[4].fragment.primitive);
  EXPECT_EQ(h.color_writer(), std::optional<size_t>(1));
  EXPECT_EQ(h.bin_x, 0);
  EXPECT_EQ(h.bin_y, 1);
  const Pattern pattern = make_pattern(PatternKind::diagonal, 3, 2, 2);
  EXPECT_EQ(h.rasterizer, uint32_t(pattern.at(0, 1)));
  EXPECT_EQ(pixel_history(renderer, prepared, {0, 0, 3, 3}, options).events.size(), 6u);
  options.command_limit = 2;
  EXPECT_EQ(pixel_history(renderer, prepared, {0, 0, 3, 3}, options).events.size(), 2u);

  const nlohmann::ordered_json json = to_json(h, b.frame);
  EXPECT_EQ(json["events"][2]["result"], "depth failed");
  EXPECT_EQ(json["bin"]["y"], 1);
  EXPECT_THROW(pixel_history(renderer, prepared, {0, 0, 16, 0}, options), std::invalid_argument);
  EXPECT_THROW(pixel_history(renderer, prepared, {1, 0, 0, 0}, options), std::invalid_argument);
}

class ProgramPixel : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(BROKKR_HAVE_SHADERS)
    GTEST_SKIP() << "built without run-time shaders";
#endif
  }
};

// Three draws with two programs: one covers everything, one is discarded in every other column, and a blended one hits
// twice.
TEST_F(ProgramPixel, HoldsWhatItsProgramsGive) {
  test::ProgramFrame f(16, 16);
  const uint32_t red = f.program("out vec4 color0;\nvoid main() { color0 = vec4(0.2, 0.0, 0.0, 1.0); }\n", {});
  const uint32_t stripes = f.program(
      "out vec4 color0;\n"
      "void main() { if (int(gl_FragCoord.x) % 2 == 1) discard; color0 = vec4(0.0, 0.4, 0.0, 1.0); }\n",
      {});
  const uint32_t half = f.program("out vec4 color0;\nvoid main() { color0 = vec4(0.0, 0.0, 1.0, 0.5); }\n", {});
  const auto all = [](double z) { return std::vector<test::ProgramVertex>{{-20, -20, z}, {60, -20, z}, {-20, 60, z}}; };
  f.draw_with(red, f.default_state(), all(0.5));
  f.draw_with(stripes, f.default_state(), all(0));
  State blended = f.default_state();
  blended.blend = BlendState{};
  blended.blend->color = blended.blend->alpha = {BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha};
  std::vector<test::ProgramVertex> twice = all(-0.5), nearer = all(-0.6);
  twice.insert(twice.end(), nearer.begin(), nearer.end());
  f.draw_with(half, blended, twice);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(f.frame);
  const auto color = [](const SampleState& s, int channel) { return int(s.low >> (8 * channel) & 255); };
  for (const int x : {4, 5}) {
    SCOPED_TRACE(x);
    const PixelHistory h = pixel_history(renderer, prepared, {0, 0, x, 7}, {});
    ASSERT_EQ(h.events.size(), 5u);
    EXPECT_EQ(color(h.events[1].after, 0), 51);
    EXPECT_FALSE(h.events[1].known_shader);
    EXPECT_EQ(h.events[2].fragment.fate, x == 5 ? FragmentFate::discarded : FragmentFate::passed);
    EXPECT_EQ(color(h.events[2].after, 1), x == 5 ? 0 : 102);
    EXPECT_EQ(h.events[2].after.depth, x == 5 ? 0.75f : 0.5f);
    EXPECT_TRUE(h.events[3].known_before);
    EXPECT_FALSE(h.events[3].known_after);
    EXPECT_FALSE(h.events[4].known_before);
    EXPECT_NEAR(color(h.end, 2), 191, 1);
    EXPECT_EQ(h.color_writer(), std::optional<size_t>(4));
    const nlohmann::ordered_json json = to_json(h, f.frame);
    EXPECT_TRUE(json["events"][3]["after"].is_null());
    EXPECT_TRUE(json["events"][3]["shader_color"].is_null());
    EXPECT_EQ(json["events"][2]["result"], x == 5 ? "discarded" : "passed");
  }
}

TEST_F(ProgramPixel, OfACapturedFrameEndsAsRendered) {
  const Frame frame = load_frame(BROKKR_SOURCE_DIR "/tests/frames/measured/chromium-bsu.bkf", {});
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.keep_ids = true;
  const RenderResult result = renderer.render(prepared, options);
  std::mt19937 random(5);
  for (uint32_t t = 0; t < result.targets.size(); ++t) {
    const Layer& layer = result.targets[t].layers[0];
    for (int n = 0; n < 3; ++n) {
      const int x = int(random() % uint32_t(layer.width)), y = int(random() % uint32_t(layer.height));
      SCOPED_TRACE("target " + std::to_string(t) + " pixel " + std::to_string(x) + "," + std::to_string(y));
      const size_t i = size_t(y) * size_t(layer.width) + size_t(x);
      const PixelHistory h = pixel_history(renderer, prepared, {t, 0, x, y}, options);
      EXPECT_EQ(h.end.visible_id, layer.visible_id[i]);
      EXPECT_EQ(h.end.depth, layer.depth[i]);
      expect_color(layer, i, h.end);
      if (h.end.visible_id != kNoPrimitive) {
        const auto writer = h.color_writer();
        ASSERT_TRUE(writer);
        EXPECT_EQ(h.events[*writer].fragment.primitive, h.end.visible_id);
      }
    }
  }
}

}  // namespace
}  // namespace brokkr
