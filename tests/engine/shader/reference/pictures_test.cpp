// Shaders in the style of games over one triangle: the interpreter's picture against llvmpipe's, and its bits on every
// build.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/loading.h"
#include "gl_triangle.h"
#include "plan/prepare.h"
#include "shade/triangle.h"
#include "shader/run_shader.h"

namespace brokkr::shader::test {
namespace {

constexpr int kPictureWidth = 200, kPictureHeight = 120;

using Numbers = std::vector<float>;

struct Case {
  const char* file;
  std::map<std::string, Numbers> uniforms;
  std::map<std::string, std::array<Numbers, 3>> corners;  // of varyings; the corners (1) and (2) lie outside
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.file; }

// Smooth waves in each channel, different for each seed; sides that are not powers of two.
Texture waves(uint32_t seed) {
  Texture texture{"waves", 96, 80, false, {}, {}};
  for (int y = 0; y < texture.height; ++y) {
    for (int x = 0; x < texture.width; ++x) {
      uint32_t texel = 0;
      for (uint32_t c = 0; c < 4; ++c) {
        const double turns = 6.2831853 * (double((seed + c) % 3 + 1) * x / texture.width +
                                          double((seed * 2 + c) % 4 + 1) * y / texture.height);
        texel |= uint32_t(std::lround(127.5 + 120 * std::sin(turns + seed + c))) << (8 * c);
      }
      texture.texels.push_back(texel);
    }
  }
  return texture;
}

// Adds them with all levels.
void add_waves(uint32_t seed, BoundTextures& textures) {
  const LoadOptions options;
  Loading loading(options);
  std::vector<uint32_t> texels;
  const TextureRecord chain = append_mip_chain(waves(seed), texels, loading);
  textures.add({.width = int(chain.width), .height = int(chain.height), .levels = int(chain.levels)},
               std::as_bytes(std::span(texels)), {});
}

void add_depths(BoundTextures& textures) {
  std::vector<float> depths;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) depths.push_back(0.5f + 0.2f * std::sin(float(x) * 0.3f) * std::cos(float(y) * 0.2f));
  CapturedSampler sampler;
  sampler.mip = MipFilter::none;
  sampler.wrap.fill(TextureWrap::clamp_to_edge);
  sampler.compare = CompareFunc::lequal;
  textures.add({.format = TexelFormat::depth32f, .base = TexelBase::depth, .width = 64, .height = 64},
               std::as_bytes(std::span(depths)), sampler);
}

TriangleScene scene_of(const Case& one, const Program& program) {
  TriangleScene scene;
  scene.width = kPictureWidth;
  scene.height = kPictureHeight;
  scene.uniforms.resize(program.uniform_words);
  for (const Uniform& uniform : program.uniforms) {
    const auto given = one.uniforms.find(uniform.name);
    EXPECT_NE(given, one.uniforms.end()) << uniform.name;
    if (given == one.uniforms.end()) continue;
    EXPECT_EQ(given->second.size(), uniform.words) << uniform.name;
    for (uint32_t i = 0; i < uniform.words; ++i) {
      const float value = given->second.at(i);
      scene.uniforms[uniform.first + i] =
          uniform.kind == Kind::number ? std::bit_cast<uint32_t>(value) : uint32_t(int32_t(value));
    }
  }
  for (uint32_t c = 0; c < 3; ++c) {
    scene.corners[c].resize(program.input_words);
    for (const Input& input : program.inputs) {
      const auto given = one.corners.find(input.name);
      if (input.kind != InputKind::varying) continue;
      EXPECT_NE(given, one.corners.end()) << input.name;
      for (uint32_t i = 0; given != one.corners.end() && i < input.words; ++i)
        scene.corners[c][input.first + i] = std::bit_cast<uint32_t>(given->second[c].at(i));
    }
  }
  for (size_t i = 0; i < program.samplers.size(); ++i) {
    if (program.samplers[i].compares) {
      add_depths(scene.textures);
    } else {
      add_waves(uint32_t(i), scene.textures);
    }
  }
  scene.textures.prepare();
  return scene;
}

TrianglePicture picture_on(const std::string& isa, const Program& program, const TriangleScene& scene) {
  const Code code = assemble(program);
  Instance instance(code, *find_kernel(isa), scene.uniforms);
  instance.bind(scene.textures.tables, scene.textures.slots);
  return shade_triangle(program, instance, scene.width, scene.height, scene.corners);
}

// The distance of a colour from llvmpipe's in 1/255, clamped to [0, 1]. A pixel flips if a last bit changes the result
// of a threshold: one of the two discards it, or a channel differs by more than 32.
struct Agreement {
  double psnr = 0, psnr_all = 0;  // dB, of pixels that do not flip; of all pixels that both keep
  double within_2 = 0;            // share of the pixels that both keep
  double flipped = 0;             // share of all
};

double decibels(double squares, size_t numbers) {
  return 10 * std::log10(255.0 * 255.0 / std::max(squares / double(std::max<size_t>(numbers, 1)), 1e-10));
}

Agreement compared(const Program& program, const TrianglePicture& ours, const std::vector<float>& theirs,
                   const Output& output) {
  double squares = 0, squares_all = 0;
  size_t both = 0, near = 0, flipped = 0;
  const auto clamped = [](float v) { return v > 0 ? std::min(v, 1.0f) : 0.0f; };
  for (size_t pixel = 0; pixel < ours.kept.size(); ++pixel) {
    const bool kept = theirs[4 * pixel] != -7.0f;
    if (kept != (ours.kept[pixel] != 0)) ++flipped;
    if (!kept || ours.kept[pixel] == 0) continue;
    double worst = 0, sum = 0;
    for (uint32_t c = 0; c < output.words; ++c) {
      const float found = ours.outputs[pixel * program.output_words + output.first + c];
      const double difference = 255 * std::abs(double(clamped(found)) - double(clamped(theirs[4 * pixel + c])));
      worst = std::max(worst, difference);
      sum += difference * difference;
    }
    ++both;
    near += worst <= 2;
    squares_all += sum;
    if (worst > 32) {
      ++flipped;
    } else {
      squares += sum;
    }
  }
  return {decibels(squares, both * output.words), decibels(squares_all, both * output.words),
          double(near) / double(std::max<size_t>(both, 1)), double(flipped) / double(ours.kept.size())};
}

class ShaderPictures : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() {
    try {
      CompatibilityContext::begin();
      problem_.clear();
    } catch (const std::runtime_error& error) {
      problem_ = error.what();
    }
  }
  void SetUp() override {
    if (!problem_.empty()) GTEST_SKIP() << "OpenGL: " << problem_;
  }
  static inline std::string problem_;
};

TEST_P(ShaderPictures, AreThoseOfLlvmpipe) {
  const std::string text = text_of_file(GetParam().file);
  const Program program = compiled(text);
  const TriangleScene scene = scene_of(GetParam(), program);
  const std::vector<std::string> isas = runnable_kernels();
  const TrianglePicture ours = picture_on(isas.front(), program, scene);
  for (size_t i = 1; i < isas.size(); ++i) {
    const TrianglePicture other = picture_on(isas[i], program, scene);
    EXPECT_EQ(other.kept, ours.kept) << isas[i];
    size_t different = 0;
    for (size_t k = 0; k < ours.outputs.size(); ++k)
      different +=
          same_nan(std::bit_cast<uint32_t>(other.outputs[k])) != same_nan(std::bit_cast<uint32_t>(ours.outputs[k]));
    EXPECT_EQ(different, 0u) << isas[i];
  }
  for (const Output& output : program.outputs) {
    const std::vector<float> theirs = GlTriangle(program, text, scene).draw(output.location);
    const Agreement agreement = compared(program, ours, theirs, output);
    std::printf("%s, %s: %.1f dB, %.1f with pixels that flip; %.3f %% within 2/255, %.3f %% flip\n", GetParam().file,
                output.name.c_str(), agreement.psnr, agreement.psnr_all, 100 * agreement.within_2,
                100 * agreement.flipped);
    EXPECT_GE(agreement.psnr, 45.0) << output.name;
    EXPECT_GE(agreement.within_2, 0.995) << output.name;
    EXPECT_LE(agreement.flipped, 0.005) << output.name;
  }
}

// Corners at which a varying goes from `a` to about `b` over the picture, differently in x and y.
std::array<Numbers, 3> over(const Numbers& a, const Numbers& b) {
  std::array<Numbers, 3> corners{a, a, a};
  for (size_t i = 0; i < a.size(); ++i) {
    corners[1][i] += (i % 2 == 0 ? 2.0f : 0.6f) * (b[i] - a[i]);
    corners[2][i] += (i % 2 == 0 ? 0.4f : 2.0f) * (b[i] - a[i]);
  }
  return corners;
}

const Case kCases[] = {
    {"lightmapped.frag",
     {{"u_overbright", {2}}},
     {{"v_surface", over({0, 0}, {3, 2})}, {"v_lightmap", over({0.1f, 0.2f}, {0.6f, 0.7f})}}},
    {"foliage.frag",
     {{"u_alphaRef", {0.4f}}, {"u_sun", {0.48f, 0.6f, 0.64f}}, {"u_ambient", {0.2f, 0.25f, 0.3f}}},
     {{"v_tex", over({0, 0}, {2, 2})},
      {"v_normal", over({-1, 0.2f, 0.4f}, {1, 0.5f, 0.9f})},
      {"v_tint", over({0}, {1})}}},
    {"terrain.frag",
     {{"u_fogColor", {0.6f, 0.7f, 0.8f, 1}}, {"u_fogRange", {20, 90}}},
     {{"v_map", over({0, 0}, {1, 1})},
      {"v_tile", over({0, 0}, {9, 7})},
      {"v_light", over({0.4f, 0.5f, 0.6f}, {1, 0.9f, 0.8f})},
      {"v_distance", over({10}, {80})}}},
    {"shadowed.frag",
     {{"u_shadowScale", {64, 64, 1 / 64.0f, 1 / 64.0f}},
      {"u_sunDir", {0.48f, 0.6f, 0.64f}},
      {"u_sunColor", {0.9f, 0.85f, 0.7f}},
      {"u_ambient", {0.2f, 0.2f, 0.3f}},
      {"u_gloss", {24}}},
     {{"v_shadow", over({0.1f, 0.1f, 0.4f, 1}, {0.9f, 0.9f, 0.62f, 1})},
      {"v_normal", over({-0.5f, -0.2f, 0.7f}, {0.9f, 0.8f, 0.9f})},
      {"v_half", over({0.2f, 0.3f, 0.8f}, {0.5f, 0.5f, 0.6f})},
      {"v_tex", over({0, 0}, {2, 3})}}},
    {"water.frag",
     {{"time", {3.7f}}, {"tint", {0.5f, 0.8f, 0.9f}}},
     {{"uv", over({0, 0}, {2, 2})},
      {"toEye", over({-1, 0.3f, 0.2f}, {1, 0.9f, 0.8f})},
      {"screen", over({0, 0}, {1, 1})},
      {"shore", over({0.2f}, {0.9f})}}},
    {"fixed.frag",
     {{"environment", {0.5f, 0.6f, 0.7f, 1}}, {"density", {0.05f}}},
     {{"coords0", over({0, 0}, {3, 3})},
      {"coords1", over({0, 0}, {1, 1})},
      {"fogDepth", over({1}, {30})},
      {"primary", over({0.3f, 0.4f, 0.5f, 1}, {1, 0.9f, 0.8f, 0.7f})},
      {"secondary", over({0, 0, 0, 0}, {0.2f, 0.3f, 0.1f, 0})}}},
    {"toon.frag",
     {{"light", {0.48f, 0.6f, 0.64f}},
      {"base", {0.9f, 0.4f, 0.2f}},
      {"levels", {0.2f, 0.45f, 0.7f, 0.9f}},
      {"count", {4}}},
     {{"normal", over({-0.9f, -0.8f, 0.2f}, {0.9f, 0.8f, 0.6f})},
      {"toEye", over({0.1f, 0.1f, 1}, {0.4f, 0.3f, 0.8f})}}},
    {"sky.frag",
     {{"zenith", {0.1f, 0.2f, 0.6f}},
      {"horizon", {0.7f, 0.7f, 0.8f}},
      {"sunDir", {0.48f, 0.6f, 0.64f}},
      {"night", {0.8f}}},
     {{"direction", over({-1, 0, 0.5f}, {1, 0.9f, 0.7f})}, {"drift", over({0, 0}, {1.5f, 1})}}},
    {"text.frag",
     {{"u_color", {1, 0.9f, 0.3f, 1}}, {"u_outline", {0.1f, 0.1f, 0.2f, 0.9f}}, {"u_hasOutline", {1}}},
     {{"v_tex", over({0, 0}, {1, 1})}}},
    {"particles.frag",
     {{"planes", {0.5f, 100}}, {"columns", {4}}},
     {{"corner", over({0, 0}, {1, 1})},
      {"age", over({0.05f}, {0.55f})},
      {"tint", over({1, 0.8f, 0.6f, 0.9f}, {0.5f, 0.7f, 1, 0.5f})}}},
    {"bumped.frag",
     {{"lights", {1, 1, 1, -1, 2, 2, 0.5f, 0.5f, 0.5f}},
      {"colors", {0.7f, 0.6f, 0.5f, 0.2f, 0.3f, 0.5f, 0.3f, 0.1f, 0.1f}},
      {"depth", {0.05f}}},
     {{"uv", over({0, 0}, {1, 1})}, {"eye", over({-0.6f, -0.4f, 0.6f}, {0.6f, 0.5f, 1})}}},
    {"deferred.frag",
     {{"fromClip", {2, 0, 0, 0, 0, 1.5f, 0, 0, 0, 0, 1, 0.1f, 0, 0, -2, 1}},
      {"lamps[0].place", {0.5f, 0.5f, 1, 4}},
      {"lamps[0].color", {1, 0.8f, 0.6f}},
      {"lamps[0].kind", {0}},
      {"lamps[1].place", {0.3f, 0.9f, 0.4f, 1}},
      {"lamps[1].color", {0.5f, 0.5f, 0.6f}},
      {"lamps[1].kind", {1}},
      {"lamps[2].place", {-1, 0, 2, 5}},
      {"lamps[2].color", {0.2f, 1, 0.4f}},
      {"lamps[2].kind", {2}},
      {"lamps[3].place", {0, 0, 3, 9}},
      {"lamps[3].color", {0.6f, 0.2f, 0.8f}},
      {"lamps[3].kind", {7}},
      {"mask", {15}}},
     {{"uv", over({0, 0}, {1, 1})}}},
};

INSTANTIATE_TEST_SUITE_P(Games, ShaderPictures, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& named) {
                           const std::string file = named.param.file;
                           return file.substr(0, file.find('.'));
                         });

}  // namespace
}  // namespace brokkr::shader::test
