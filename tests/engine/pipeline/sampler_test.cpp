// Textures with their samplers, and coordinates with their mappings, against the definition in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "brokkr/renderer.h"
#include "oracle/frame_builder.h"
#include "pictures.h"

namespace brokkr {
namespace {

using oracle::FrameBuilder;

constexpr int kSize = 64, kTexels = 4;
constexpr double kTolerance = 1.0 / 512;  // half-precision pixels

// Red of the texel in column x and row y; all texels differ.
uint32_t texel(int x, int y) { return 0xff000000u | uint32_t(13 * (x + kTexels * y) + 20); }

// A square of one unlit material across the picture; its texture coordinates run from `low` to `high`.
Frame square(const Sampler& sampler, const glm::vec2& low, const glm::vec2& high) {
  FrameBuilder builder(kSize, kSize, ColorFormat::rgba16f);
  Frame& f = builder.frame;
  f.models = {glm::mat4(1)};
  std::vector<uint32_t> texels;
  for (int y = 0; y < kTexels; ++y) {
    for (int x = 0; x < kTexels; ++x) texels.push_back(texel(x, y));
  }
  f.textures.push_back({"texture", kTexels, kTexels, false, texels, sampler});
  f.materials[0].kind = MaterialKind::metallic_roughness;
  f.materials[0].diffuse = glm::vec3(1);
  f.materials[0].unlit = true;
  f.materials[0].diffuse_texture = 0;
  std::vector<glm::vec4> corners;
  for (const glm::vec2& c : {glm::vec2(0, 0), {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}}) {
    corners.emplace_back(2.0f * c - 1.0f, 0, 1);
    f.normals.emplace_back(0, 0, -1);
    f.texcoords.push_back(low + (high - low) * c);
  }
  builder.draw(builder.default_state(), corners).vertex_kind = VertexKind::transform;
  return builder.frame;
}

std::vector<float> render(const Frame& frame, MachineKind machine) {
  RenderOptions o;
  o.machine = machine;
  o.workers = 1;
  return Renderer().render(frame, o).targets[0].layers[0].color_float;
}

int wrapped(int i, int size, Wrap wrap) {
  const auto modulo = [](int a, int b) { return (a % b + b) % b; };
  switch (wrap) {
    case Wrap::repeat: return modulo(i, size);
    case Wrap::clamp_to_edge: return std::clamp(i, 0, size - 1);
    case Wrap::mirrored_repeat: break;
  }
  const int k = modulo(i, 2 * size);
  return k < size ? k : 2 * size - 1 - k;
}

// Red at (u, v) of level 0.
double expected(const Sampler& sampler, bool linear, double u, double v) {
  const auto red = [&](int x, int y) {
    return double(texel(wrapped(x, kTexels, sampler.wrap_x), wrapped(y, kTexels, sampler.wrap_y)) & 255) / 255;
  };
  const double x = u * kTexels - (linear ? 0.5 : 0), y = v * kTexels - (linear ? 0.5 : 0);
  const int i = int(std::floor(x)), j = int(std::floor(y));
  if (!linear) return red(i, j);
  const double tx = x - i, ty = y - j;
  return (red(i, j) * (1 - tx) + red(i + 1, j) * tx) * (1 - ty) +
         (red(i, j + 1) * (1 - tx) + red(i + 1, j + 1) * tx) * ty;
}

TEST(Sampler, WrapsAndFiltersAsDefined) {
  const glm::vec2 low(-2.375f, -1.625f), high(2.625f, 2.125f);  // magnified: 64 pixels over 20 texels
  for (const Wrap x : {Wrap::repeat, Wrap::mirrored_repeat, Wrap::clamp_to_edge}) {
    for (const Wrap y : {Wrap::repeat, Wrap::mirrored_repeat, Wrap::clamp_to_edge}) {
      for (const bool linear : {true, false}) {
        const Sampler sampler{.wrap_x = x, .wrap_y = y, .magnify_linear = linear};
        const Frame frame = square(sampler, low, high);
        for (const MachineKind machine : test::machines()) {
          const std::vector<float> picture = render(frame, machine);
          for (int p = 0; p < kSize * kSize; ++p) {
            const double u = double(low.x) + double(high.x - low.x) * (p % kSize + 0.5) / kSize;
            const double v = double(low.y) + double(high.y - low.y) * (p / kSize + 0.5) / kSize;
            ASSERT_NEAR(double(picture[size_t(4 * p)]), expected(sampler, linear, u, v), kTolerance)
                << "wrap " << int(x) << int(y) << " linear " << linear << " at " << u << ", " << v;
          }
        }
      }
    }
  }
}

// Coordinates so large that their texel numbers fit no integer still find a texel.
TEST(Sampler, TakesCoordinatesFarAway) {
  for (const Wrap wrap : {Wrap::repeat, Wrap::mirrored_repeat, Wrap::clamp_to_edge}) {
    const Frame frame =
        square({.wrap_x = wrap, .wrap_y = wrap, .magnify_linear = false}, {-1e15f, 1e15f}, {1e15f, 1.5e15f});
    for (const float value : render(frame, MachineKind::cpu)) {
      ASSERT_GE(value, 0);
      ASSERT_LE(value, 1);
    }
  }
}

// A picture with 4 x 4 texels per pixel shows one texel of the picture or of its smallest level.
TEST(Sampler, ChoosesLevelsAsDefined) {
  double mean = 0;
  for (int i = 0; i < kTexels * kTexels; ++i) mean += double(texel(i % kTexels, i / kTexels) & 255) / 255 / 16;
  const float far = 16.0f * kSize / kTexels;  // repeats, so that a pixel covers 16 x 16 texels
  const auto first = [&](const Sampler& sampler) {
    return double(render(square(sampler, glm::vec2(0.03125f), glm::vec2(far + 0.03125f)), MachineKind::cpu)[0]);
  };
  const double seen_nearest = first({.mip = MipFilter::none, .minify_linear = false});
  const double at = 0.03125 + 0.5 * double(far) / kSize;
  EXPECT_NEAR(seen_nearest, expected({}, false, at, at), kTolerance);
  EXPECT_NEAR(first({.mip = MipFilter::none}), expected({}, true, at, at), kTolerance);
  EXPECT_NEAR(first({.mip = MipFilter::nearest}), mean, 1.0 / 255);
  EXPECT_NEAR(first({.mip = MipFilter::linear}), mean, 1.0 / 255);
  // Between two levels: 2.7 texels per pixel are nearer to level 1, in which a texel covers 2 x 2.
  const float between = 2.7f * kSize / kTexels;
  const Frame half = square({.mip = MipFilter::nearest, .minify_linear = false}, glm::vec2(0), glm::vec2(between));
  const double u = 0.5 * double(between) / kSize;
  double level1 = 0;
  for (int k = 0; k < 4; ++k) {
    const int x = int(u * 2) % 2 * 2 + k % 2, y = int(u * 2) % 2 * 2 + k / 2;
    level1 += double(texel(x, y) & 255) / 255 / 4;
  }
  EXPECT_NEAR(double(render(half, MachineKind::cpu)[0]), level1, 1.0 / 255);
}

TEST(Sampler, MappingsMoveCoordinatesOfEitherSet) {
  Frame frame = square({.magnify_linear = false}, {0, 0}, {1, 1});
  for (const glm::vec2& t : frame.texcoords) frame.second_texcoords.push_back(1.0f - t);
  TextureMapping& mapping = frame.materials[0].diffuse_mapping;
  mapping.linear = glm::mat2(0.5f, 0.75f, -1.25f, 0.25f);
  mapping.offset = {0.375f, -0.0625f};
  for (const uint32_t set : {0u, 1u}) {
    mapping.set = set;
    for (const MachineKind machine : test::machines()) {
      const std::vector<float> picture = render(frame, machine);
      for (int p = 0; p < kSize * kSize; ++p) {
        double u = (p % kSize + 0.5) / kSize, v = (p / kSize + 0.5) / kSize;
        if (set == 1) u = 1 - u, v = 1 - v;
        const double mu = 0.5 * u - 1.25 * v + 0.375, mv = 0.75 * u + 0.25 * v - 0.0625;
        // Between two texels, rounding decides.
        const auto on_edge = [](double t) { return std::abs(t * kTexels - std::round(t * kTexels)) < 1e-4; };
        if (on_edge(mu) || on_edge(mv)) continue;
        ASSERT_NEAR(double(picture[size_t(4 * p)]), expected({}, false, mu, mv), kTolerance) << u << ", " << v;
      }
    }
  }
}

}  // namespace
}  // namespace brokkr
