// The pipeline against the oracle: random soups under every setting, and watertight meshes.
//
//   BROKKR_SOUP_SEEDS=500 ./brokkr_pipeline_test --gtest_filter='Soup*'
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "oracle/boxes.h"
#include "oracle/compare.h"
#include "oracle/frame_builder.h"
#include "oracle/mesh.h"
#include "oracle/soup.h"
#include "pictures.h"
#include "settings.h"
#include "shading_color.h"

namespace brokkr {
namespace {

using oracle::BoxKind;
using oracle::SoupOptions;

// Uncertain pixels of the oracle over all comparisons.
struct Certainty {
  uint64_t uncertain = 0, pixels = 0;
};

oracle::Origin origin_of(const PreparedFrame& prepared) {
  return [&prepared](uint32_t id) {
    const PrimitiveOrigin o = prepared.origin(id);
    return oracle::Primitive{o.command, o.view, o.instance, o.triangle};
  };
}

// Renders under each setting. It compares every layer of every target with the oracle's, and bit for bit with the first
// setting's. If blits move pixels, identifiers are not compared: they stay with the target of the original draw.
void expect_oracle(const Frame& frame, const std::vector<Setting>& settings, const std::string& what, bool identifiers,
                   Certainty& certainty, int samples = 1, int sample = 0) {
  validate(frame);
  const oracle::Result expected = oracle::render(frame, {DrawColors(frame), 1.0 / 128, {}, samples, sample});
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  const oracle::Origin origin = identifiers ? origin_of(prepared) : oracle::Origin();
  std::vector<TargetImage> first;
  for (const Setting& setting : settings) {
    SCOPED_TRACE(what + ", " + setting.name);
    RenderOptions options = setting.options;
    options.samples = samples;
    options.shown_sample = sample;
    const RenderResult result = test::render_to_end(renderer, prepared, options);
    ASSERT_FALSE(result.aborted);
    ASSERT_EQ(result.targets.size(), expected.targets.size());
    for (size_t t = 0; t < result.targets.size(); ++t) {
      ASSERT_EQ(result.targets[t].layers.size(), expected.targets[t].size());
      for (size_t l = 0; l < result.targets[t].layers.size(); ++l) {
        const Layer& layer = result.targets[t].layers[l];
        const oracle::Comparison c = oracle::compare(expected, expected.targets[t][l], layer, origin);
        EXPECT_TRUE(c.equal()) << "target " << t << " layer " << l << ": " << c.color << " colours, " << c.depth
                               << " depths, " << c.stencil << " stencils, " << c.visible << " + " << c.depth_writer
                               << " identifiers of " << c.pixels << " pixels differ; " << c.first;
        certainty.uncertain += c.uncertain;
        certainty.pixels += c.pixels;
        if (first.empty()) continue;
        const Layer& before = first[t].layers[l];
        EXPECT_TRUE(layer.color == before.color && layer.color_float == before.color_float) << "colour differs";
        EXPECT_TRUE(layer.depth == before.depth) << "depth differs from the first setting's";
        EXPECT_TRUE(layer.stencil == before.stencil) << "stencil differs from the first setting's";
        EXPECT_TRUE(layer.visible_id == before.visible_id) << "winner differs from the first setting's";
      }
    }
    if (first.empty()) first = result.targets;
    if (testing::Test::HasFailure()) return;  // the failure of one setting is enough to read
  }
}

// Many soups under few settings, or few under all. With several samples per pixel, each of them in turn.
void cook(const SoupOptions& options, int seeds, const std::vector<Setting>& settings, int samples = 1) {
  Certainty certainty;
  for (int seed = 0; seed < seeds_or(seeds) && !testing::Test::HasFailure(); ++seed) {
    const Frame frame = oracle::make_soup(uint32_t(seed), options);
    for (int sample = 0; sample < samples && !testing::Test::HasFailure(); ++sample) {
      const std::string what = "seed " + std::to_string(seed) + ", sample " + std::to_string(sample);
      expect_oracle(frame, settings, what, !options.blits, certainty, samples, sample);
    }
  }
  // Most pixels must be compared.
  EXPECT_LT(double(certainty.uncertain), 0.2 * double(certainty.pixels));
}

// Linear light and alpha of a pixel.
glm::dvec4 color_at(const Layer& layer, ColorFormat format, size_t pixel) {
  if (!layer.color_float.empty()) {
    const float* const c = &layer.color_float[pixel * 4];
    return {c[0], c[1], c[2], c[3]};
  }
  std::array<uint16_t, 4> codes{};
  for (size_t c = 0; c < 4; ++c) codes[c] = uint16_t(layer.color[pixel] >> (8 * c) & 255);
  return glm::dvec4(oracle::decode(format, codes));
}

TEST(Soup, EverySettingGivesTheOraclesPicture) { cook({}, 3, all_settings()); }

TEST(Soup, EverySettingWithClippingViewsAndBlits) {
  SoupOptions options;
  options.clipping = options.instances = options.blits = true;
  options.layers = 3;
  cook(options, 1, all_settings());
}

TEST(Soup, OpaqueDrawsOnly) {
  SoupOptions options;
  options.blending = options.stencil = options.depth_states = options.masks = false;
  options.draws = 20;
  cook(options, 8, some_settings());
}

TEST(Soup, MixedStates) { cook({}, 12, some_settings()); }

// Sums of rounded colours would differ in many bits, so nothing blends. sRGB and half floats hold the source.
TEST(Soup, LogicalOperations) {
  SoupOptions options;
  options.blending = false;
  options.logic_ops = true;
  for (const ColorFormat format : {ColorFormat::rgba8, ColorFormat::rgba8_srgb, ColorFormat::rgba16f}) {
    options.format = format;
    cook(options, format == ColorFormat::rgba8 ? 6 : 1, some_settings());
  }
  options.format = ColorFormat::rgba8;
  options.samples = true;
  cook(options, 1, some_settings(), 4);
}

TEST(Soup, Clipping) {
  SoupOptions options;
  options.clipping = true;
  cook(options, 10, some_settings());
}

TEST(Soup, ClippedOpaqueDraws) {
  SoupOptions options;
  options.clipping = true;
  options.blending = options.stencil = options.depth_states = options.masks = false;
  cook(options, 8, some_settings());
}

TEST(Soup, DepthClampAndZeroToOne) {
  SoupOptions options;
  options.clipping = options.depth_clamp = true;
  cook(options, 8, some_settings());
}

TEST(Soup, PolygonOffset) {
  SoupOptions options;
  options.polygon_offset = true;
  cook(options, 6, some_settings());
}

TEST(Soup, ColorFormats) {
  SoupOptions options;
  for (const ColorFormat format : {ColorFormat::rgba8_srgb, ColorFormat::rgba16f}) {
    options.format = format;
    cook(options, 4, some_settings());
  }
}

TEST(Soup, InstancesAndViews) {
  SoupOptions options;
  options.width = 100;
  options.height = 70;
  options.layers = 9;
  options.instances = true;
  options.triangles = 20;
  cook(options, 5, some_settings());
}

TEST(Soup, Blits) {
  SoupOptions options;
  options.blits = true;
  cook(options, 6, some_settings());
}

// Sizes that are not multiples of a tile, down to one pixel, and sizes larger than a region of several bins.
TEST(Soup, OddSizes) {
  SoupOptions options;
  options.triangles = 20;
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{7, 3}, std::pair{65, 129}, std::pair{515, 260}}) {
    options.width = width;
    options.height = height;
    options.masks = width > 60;
    cook(options, 2, some_settings());
  }
}

// Many more triangles than the smallest store holds.
TEST(Soup, ManyTriangles) {
  SoupOptions options;
  options.draws = 12;
  options.triangles = 3000;
  cook(options, 1, some_settings());
}

TEST(Soup, SamplesUnderEverySetting) { cook({}, 1, all_settings(), 4); }

// Small enough for interpreted CUDA code.
TEST(Soup, FourSamples) { cook({}, 1, some_settings(), 4); }

TEST(Soup, Samples) {
  for (const int samples : {2, 4, 8}) {
    cook({}, 3, some_settings(), samples);
    SoupOptions opaque;
    opaque.blending = opaque.stencil = opaque.depth_states = opaque.masks = false;
    opaque.draws = 20;
    cook(opaque, 2, some_settings(), samples);
    SoupOptions clipped;
    clipped.clipping = clipped.instances = true;
    clipped.layers = 2;
    cook(clipped, 1, some_settings(), samples);
    SoupOptions offset;
    offset.depth_clamp = offset.polygon_offset = true;
    cook(offset, 1, some_settings(), samples);
    SoupOptions blits;
    blits.blits = true;
    blits.format = ColorFormat::rgba16f;
    cook(blits, 1, some_settings(), samples);
    SoupOptions states;
    states.samples = true;
    cook(states, 3, some_settings(), samples);
  }
}

// The picture is the average of a pixel's samples, in linear light for sRGB.
TEST(Soup, PicturesAverageSamples) {
  SoupOptions soup;
  for (const ColorFormat format : {ColorFormat::rgba8, ColorFormat::rgba8_srgb, ColorFormat::rgba16f}) {
    soup.format = format;
    const Frame frame = oracle::make_soup(7, soup);
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    for (const Setting& setting : some_settings()) {
      for (const int samples : {2, 4, 8}) {
        RenderOptions options = setting.options;
        options.samples = samples;
        const Layer shown = test::render_to_end(renderer, prepared, options).targets[0].layers[0];
        std::vector<glm::dvec4> sums(size_t(shown.width) * size_t(shown.height), glm::dvec4(0));
        for (int sample = 0; sample < samples; ++sample) {
          options.shown_sample = sample;
          const Layer one = test::render_to_end(renderer, prepared, options).targets[0].layers[0];
          for (size_t i = 0; i < sums.size(); ++i) sums[i] += color_at(one, format, i) / double(samples);
        }
        for (size_t i = 0; i < sums.size(); ++i) {
          const glm::dvec4 color = color_at(shown, format, i);
          // Half a step of the format. In codes, it is largest at the dark end of sRGB's curve.
          for (int c = 0; c < 4; ++c) {
            const double most = format == ColorFormat::rgba16f ? std::max(1e-3, std::abs(sums[i][c]) / 1024) : 0.006;
            if (std::isfinite(sums[i][c])) ASSERT_NEAR(color[c], sums[i][c], most) << setting.name << " " << i;
          }
        }
      }
    }
  }
}

TEST(Soup, BoxesAtEveryResidue) {
  Certainty certainty;
  for (const BoxKind kind : {BoxKind::scissors, BoxKind::rectangles, BoxKind::small_scissors}) {
    for (const bool ordered : {false, true}) {
      const std::string what = "kind " + std::to_string(int(kind)) + (ordered ? ", ordered" : "");
      expect_oracle(oracle::make_boxes(kind, ordered), some_settings(), what, true, certainty);
    }
  }
  EXPECT_EQ(certainty.uncertain, 0u);
}

TEST(Soup, ScissoredClearsAtEveryResidue) {
  Certainty certainty;
  for (int side = 0; side < 4; ++side) {
    expect_oracle(oracle::make_boxes(BoxKind::clears, false, side), some_settings(), "side " + std::to_string(side),
                  true, certainty);
  }
  EXPECT_EQ(certainty.uncertain, 0u);
}

// Triangles that leave the guard band along one axis only.
TEST(Soup, TrianglesFarOutAlongOneAxis) {
  Certainty certainty;
  for (const bool upright : {false, true}) {
    for (const double far : {-3e6, 3e6}) {
      oracle::FrameBuilder builder(200, 150);
      std::vector<glm::dvec2> corners = {{20, 110}, {far, 90}, {130, 30}};
      if (upright) corners = {{110, 20}, {90, far}, {30, 130}};
      builder.draw_window(builder.default_state(), corners);
      expect_oracle(builder.frame, some_settings(), (upright ? "up to " : "to ") + std::to_string(far), true,
                    certainty);
    }
  }
  EXPECT_LT(certainty.uncertain, certainty.pixels / 10);
}

struct MeshCase {
  oracle::MeshKind kind;
  const char* name;
};

class WatertightMesh : public testing::TestWithParam<MeshCase> {};

// Every pixel that the outline certainly covers is hit exactly once, and every pixel that it certainly misses is never
// hit. Near its border (near_plane only) the test expects nothing.
TEST_P(WatertightMesh, HitsEveryPixelOnce) {
  for (int seed = 0; seed < seeds_or(6) && !HasFailure(); ++seed) {
    const oracle::Mesh mesh = oracle::make_mesh(uint32_t(seed), GetParam().kind);
    const oracle::Result outline =
        oracle::render(mesh.outline, {[](const oracle::Primitive&) { return glm::vec4(1); }, 1.0 / 16, {}});
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(mesh.frame);
    for (const Setting& setting : some_settings()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + setting.name);
      const RenderResult result = test::render_to_end(renderer, prepared, setting.options);
      const Layer& layer = result.targets.at(0).layers.at(0);
      const oracle::Surface& expected = outline.targets[0][0];
      uint64_t inside = 0, wrong = 0;
      for (size_t i = 0; i < expected.pixels.size(); ++i) {
        if (expected.pixels[i].uncertain) continue;
        const uint32_t hits = expected.pixels[i].overdraw;
        inside += hits;
        const uint32_t color = hits == 1 ? 0x80808080u : 0xffffffffu;
        if (layer.stencil[i] == hits && layer.color[i] == color) continue;
        if (wrong++ == 0) {
          ADD_FAILURE() << "pixel (" << i % size_t(layer.width) << ", " << i / size_t(layer.width) << ") is hit "
                        << int(layer.stencil[i]) << " times instead of " << hits;
        }
      }
      EXPECT_EQ(wrong, 0u);
      EXPECT_GT(inside, 3000u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WatertightMesh,
                         testing::Values(MeshCase{oracle::MeshKind::grid_points, "GridPoints"},
                                         MeshCase{oracle::MeshKind::centres, "Centres"},
                                         MeshCase{oracle::MeshKind::perspective, "Perspective"},
                                         MeshCase{oracle::MeshKind::near_plane, "NearPlane"},
                                         MeshCase{oracle::MeshKind::guard_band, "GuardBand"}),
                         [](const auto& mesh_case) { return std::string(mesh_case.param.name); });

}  // namespace
}  // namespace brokkr
