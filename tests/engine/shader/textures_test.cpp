// Texture lookups in a texture of 4 x 2 texels whose content encodes its position.
#include "bound_textures.h"
#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

constexpr int kWide = 4, kHigh = 2;

// Level 0: red is 16 x, green 16 y; level 1 has 2 x 1 texels with blue 200; level 2 has one texel with blue 100.
class ShaderTextures : public testing::Test {
 protected:
  ShaderTextures() {
    for (uint32_t y = 0; y < kHigh; ++y)
      for (uint32_t x = 0; x < kWide; ++x) texels_.push_back(0xff000000u | x * 16 | y * 16 << 8);
    texels_.insert(texels_.end(), 2, 0xffc80000u);
    texels_.push_back(0xff640000u);
    sampler_.wrap = {TextureWrap::clamp_to_edge, TextureWrap::repeat, TextureWrap::repeat};
    sampler_.magnify_linear = sampler_.minify_linear = false;
    sampler_.mip = MipFilter::nearest;
  }

  // The shader computes `result` from x, the number of the sample. `added`: the texture of `map`.
  Results run(const std::string& expression, const BoundTextures& added, const char* sampler = "sampler2D") {
    const Program program =
        compiled("#version 400\nuniform " + std::string(sampler) +
                 " map; in float x; out vec4 result;\nvoid main() { result = vec4(" + expression + "); }\n");
    return run_everywhere(program, std::vector<uint32_t>(program.uniform_words),
                          [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); },
                          {added.tables, added.slots});
  }
  Results run(const std::string& expression) {
    BoundTextures added;
    added.add({.width = kWide, .height = kHigh, .levels = 3}, std::as_bytes(std::span(texels_)), sampler_);
    added.prepare();
    return run(expression, added);
  }
  Results compared(const std::string& expression, bool linear) {
    const float depths[] = {0.25f, 0.5f, 0.75f, 1.0f};
    BoundTextures added;
    CapturedSampler sampler;
    sampler.wrap.fill(TextureWrap::clamp_to_edge);
    sampler.magnify_linear = linear;
    sampler.compare = CompareFunc::lequal;
    added.add({.format = TexelFormat::depth32f, .base = TexelBase::depth, .width = 2, .height = 2},
              std::as_bytes(std::span(depths)), sampler);
    added.prepare();
    return run(expression, added, "sampler2DShadow");
  }

  std::vector<uint32_t> texels_;
  CapturedSampler sampler_;
};

int code_of(float v) { return int(std::lround(v * 255)); }

TEST_F(ShaderTextures, WrapByTheirSampler) {
  const Results results = run("textureLod(map, vec2((x - 8.0) / 4.0 + 0.125, x / 2.0 + 0.25), 0.0)");
  for (int s = 0; s < kSamples; ++s) {
    EXPECT_EQ(code_of(results.number(0, s)), 16 * std::clamp(s - 8, 0, 3)) << s;
    EXPECT_EQ(code_of(results.number(1, s)), 16 * (s % 2)) << s;
  }
}

TEST_F(ShaderTextures, LevelsAreChosenAndFetched) {
  const Results levels = run("textureLod(map, vec2(0.3), mod(x, 5.0))");
  const Results fetched =
      run("texelFetch(map, clamp(ivec2(int(x) - 2, int(x)), ivec2(0), textureSize(map, int(x) % 4) - 1), int(x) % 4)");
  const Results sizes = run("vec4(textureSize(map, int(x) % 4), 0, 0)");
  for (int s = 0; s < kSamples; ++s) {
    const int level = std::min(s % 5, 2), of_fetch = std::min(s % 4, 2);
    EXPECT_EQ(code_of(levels.number(2, s)), level == 0 ? 0 : level == 1 ? 200 : 100) << s;
    EXPECT_EQ(code_of(fetched.number(2, s)), of_fetch == 0 ? 0 : of_fetch == 1 ? 200 : 100) << s;
    EXPECT_EQ(code_of(fetched.number(0, s)), of_fetch == 0 ? 16 * std::clamp(s - 2, 0, 3) : 0) << s;
    EXPECT_EQ(sizes.number(0, s), float(std::max(kWide >> (s % 4), 1)));
    EXPECT_EQ(sizes.number(1, s), float(std::max(kHigh >> (s % 4), 1)));
  }
}

// A run-time index, different in each sample, chooses the sampler in an array. The three textures are 1, 2 and 3 texels
// wide and have the red values 50, 100 and 150. An index beyond them reads the last.
TEST_F(ShaderTextures, AnIndexChoosesTheSampler) {
  BoundTextures added;
  for (uint32_t i = 1; i <= 3; ++i) {
    const std::vector<uint32_t> texels(i, 0xff000000u | 50 * i);
    added.add({.width = int(i)}, std::as_bytes(std::span(texels)), sampler_);
  }
  added.prepare(kMaxSamplers);
  const Program program = compiled(R"(#version 400
    struct Layer { vec4 tint; sampler2D map; };
    uniform Layer layers[3];
    in float x;
    out vec4 result;
    void main() {
      int i = int(x) % 4, k = int(x) % 2;
      result = vec4(texture(layers[i].map, vec2(0.1)).r, textureSize(layers[i].map, 0).x,
                    texelFetch(layers[k].map, ivec2(k, 0), 0).r, textureGather(layers[k + 1].map, vec2(0.5)).x);
    }
  )");
  const Results results =
      run_everywhere(program, std::vector<uint32_t>(program.uniform_words),
                     [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); }, {added.tables, added.slots});
  for (int s = 0; s < kSamples; ++s) {
    const int chosen = std::min(s % 4, 2) + 1, other = s % 2 + 1;
    EXPECT_EQ(code_of(results.number(0, s)), 50 * chosen) << s;
    EXPECT_EQ(results.number(1, s), float(chosen)) << s;
    EXPECT_EQ(code_of(results.number(2, s)), 50 * other) << s;
    EXPECT_EQ(code_of(results.number(3, s)), 50 * (other + 1)) << s;
  }
}

// GLSL 4.60, 8.9: the layer is floor(number + 0.5), clamped to the texture's layers.
TEST_F(ShaderTextures, LayersOfArraysAreTheNearest) {
  const uint32_t texels[] = {0xff000032u, 0xff000064u, 0xff000096u};
  BoundTextures added;
  added.add({.kind = TextureKind::two_array, .width = 1, .height = 1, .depth = 3}, std::as_bytes(std::span(texels)),
            sampler_);
  added.prepare();
  const Results results = run("texture(map, vec3(0.1, 0.1, x * 0.25 - 0.75))", added, "sampler2DArray");
  for (int s = 0; s < kSamples; ++s) {
    const int layer = std::clamp(int(std::floor(float(s) * 0.25f - 0.25f)), 0, 2);
    EXPECT_EQ(code_of(results.number(0, s)), 50 * (layer + 1)) << s;
  }
}

// Nested arrays: each has a run-time index.
TEST_F(ShaderTextures, TwoIndicesChooseTheSampler) {
  BoundTextures added;
  for (uint32_t i = 1; i <= 4; ++i) {
    const std::vector<uint32_t> texels(1, 0xff000000u | 50 * i);
    added.add({.width = 1}, std::as_bytes(std::span(texels)), sampler_);
  }
  added.prepare(kMaxSamplers);
  const Program program = compiled(R"(#version 400
    struct Layer { sampler2D map[2]; };
    uniform Layer layers[2];
    in float x;
    out float result;
    void main() { result = texture(layers[int(x) / 2 % 2].map[int(x) % 2], vec2(0.1)).r; }
  )");
  const Results results =
      run_everywhere(program, std::vector<uint32_t>(program.uniform_words),
                     [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); }, {added.tables, added.slots});
  for (int s = 0; s < kSamples; ++s) EXPECT_EQ(code_of(results.number(0, s)), 50 * (s % 4 + 1)) << s;
}

// The derivatives of coordinates are those between the samples of a quad, even if these choose different samplers.
TEST_F(ShaderTextures, AChosenSamplerHasItsQuadsLevel) {
  BoundTextures added;
  for (int i = 0; i < 2; ++i)
    added.add({.width = kWide, .height = kHigh, .levels = 3}, std::as_bytes(std::span(texels_)), sampler_);
  added.prepare(kMaxSamplers);
  const Program program = compiled(R"(#version 400
    uniform sampler2D maps[2];
    in float x;
    out vec4 result;
    void main() { result = texture(maps[int(x) & 1], vec2(float(int(x) & 1) * 0.5, 0.2)); }
  )");
  const Results results =
      run_everywhere(program, std::vector<uint32_t>(program.uniform_words),
                     [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); }, {added.tables, added.slots});
  for (int s = 0; s < kSamples; ++s) EXPECT_EQ(code_of(results.number(2, s)), 200) << s;
}

// An unsigned sampler reads the bits of signed integers.
TEST_F(ShaderTextures, IntegersAreReadWithAndWithoutASign) {
  const int8_t texels[] = {-1, 2, -128, 127};
  BoundTextures added;
  added.add({.format = TexelFormat::r8i, .base = TexelBase::red, .width = 4}, std::as_bytes(std::span(texels)),
            sampler_);
  added.prepare();
  const Results results =
      run("texelFetch(map, ivec2(int(x) & 3, 0), 0).x == uint(-1) ? 1.0 : 0.0", added, "usampler2D");
  const Results signs = run("texelFetch(map, ivec2(int(x) & 3, 0), 0).x", added, "isampler2D");
  for (int s = 0; s < kSamples; ++s) {
    EXPECT_EQ(results.number(0, s), s % 4 == 0 ? 1.0f : 0.0f) << s;
    EXPECT_EQ(signs.number(0, s), float(texels[s % 4])) << s;
  }
}

// Half a texel per sample in x gives level 0; with a bias of 2, or with two texels per sample, level 1.
TEST_F(ShaderTextures, LevelsComeFromDifferences) {
  const std::string uv = "vec2(float(int(x) & 1) * STEP, 0.2)";
  const auto blue_at = [&](const std::string& step, const std::string& bias) {
    std::string at = uv;
    at.replace(at.find("STEP"), 4, step);
    return code_of(run("texture(map, " + at + bias + ")").number(2, 0));
  };
  EXPECT_EQ(blue_at("0.125", ""), 0);
  EXPECT_EQ(blue_at("0.5", ""), 200);
  EXPECT_EQ(blue_at("0.125", ", 2.0"), 200);
  EXPECT_EQ(code_of(run("textureGrad(map, vec2(0.1), vec2(0.0, 2.0), vec2(0.0))").number(2, 0)), 100);
  EXPECT_EQ(code_of(run("textureProj(map, vec3(0.75, 0.5, 2.0))").number(0, 0)), 16);
}

TEST_F(ShaderTextures, ComparisonsAnswerBeforeTheyAreFiltered) {
  const Results nearest = compared("texture(map, vec3(0.75, 0.25, x / 64.0))", false);
  const Results filtered = compared("texture(map, vec3(0.5, 0.5, x / 64.0))", true);
  for (int s = 0; s < kSamples; ++s) {
    EXPECT_EQ(nearest.number(0, s), s <= 32 ? 1.0f : 0.0f) << s;
    EXPECT_EQ(filtered.number(0, s), s <= 16 ? 1.0f : s <= 32 ? 0.75f : s <= 48 ? 0.5f : 0.25f) << s;
  }
}

// NaN coordinates, or coordinates larger than any texture, still read one of its texels.
TEST_F(ShaderTextures, AnyCoordinateReadsTheTexture) {
  const char* const wild = "vec2(x > 40.0 ? sqrt(-x) : exp2(x * 3.0), x > 50.0 ? sqrt(-x) : -exp2(x * 3.0))";
  for (int wrap = 0; wrap <= int(TextureWrap::mirror_clamp_to_edge); ++wrap) {
    for (const bool linear : {false, true}) {
      sampler_.wrap.fill(TextureWrap(wrap));
      sampler_.magnify_linear = sampler_.minify_linear = linear;
      sampler_.mip = MipFilter::linear;
      sampler_.border = {0, 0, 0, 1};
      for (const std::string lookup : {"texture(map, ", "textureLod(map, ", "textureOffset(map, "}) {
        const std::string rest = lookup == "texture(map, "      ? ")"
                                 : lookup == "textureLod(map, " ? ", x)"
                                                                : ", ivec2(7, -8))";
        const Results results = run(lookup + wild + rest);
        for (int s = 0; s < kSamples; ++s) EXPECT_EQ(results.number(3, s), 1.0f) << s;
      }
    }
  }
  const Results fetched = run("texelFetch(map, ivec2(int(exp2(x)), -int(exp2(x))), int(exp2(x)))");
  for (int s = 0; s < kSamples; ++s) EXPECT_EQ(fetched.number(3, s), 0.0f) << s;
}

TEST_F(ShaderTextures, WithoutATextureSamplersAreBlack) {
  BoundTextures none;
  none.prepare(1);
  const Results results = run("texture(map, vec2(x))", none);
  EXPECT_EQ(results.number(0, 5), 0.0f);
  EXPECT_EQ(results.number(3, 5), 1.0f);
}

}  // namespace
}  // namespace brokkr::shader::test
