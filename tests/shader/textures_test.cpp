// Texture lookups: what a shader asks of a texture of 4 x 2 texels whose content says where it is.
#include "run_shader.h"

namespace brokkr::shader::test {
namespace {

constexpr int kWide = 4, kHigh = 2;

// Level 0: red is 16 x, green 16 y; level 1 has 2 x 1 texels with blue 200; level 2 has one with blue 100.
class ShaderTextures : public testing::Test {
 protected:
  ShaderTextures() {
    for (uint32_t y = 0; y < kHigh; ++y)
      for (uint32_t x = 0; x < kWide; ++x) texels_.push_back(0xff000000u | x * 16 | y * 16 << 8);
    texels_.insert(texels_.end(), 2, 0xffc80000u);
    texels_.push_back(0xff640000u);
    record_.width = kWide;
    record_.height = kHigh;
    record_.levels = 3;
    record_.first_texel[1] = 8;
    record_.first_texel[2] = 10;
    record_.sampler = {0, uint8_t(Wrap::clamp_to_edge), uint8_t(Wrap::repeat), uint8_t(MipFilter::nearest), 1, 1};
    for (const float depth : {0.25f, 0.5f, 0.75f, 1.0f}) texels_.push_back(std::bit_cast<uint32_t>(depth));
    records_[1].width = records_[1].height = 2;
    records_[1].levels = 1;
    records_[1].first_texel[0] = 11;
    records_[1].sampler = {0, uint8_t(Wrap::clamp_to_edge), uint8_t(Wrap::clamp_to_edge), 0, 1, 1};
  }

  // The shader computes `result` of x, the number of the sample.
  Results run(const std::string& expression, int texture = 0, const char* sampler = "sampler2D") {
    const Program program =
        compiled("#version 330\nuniform " + std::string(sampler) +
                 " map; in float x; out vec4 result;\nvoid main() { result = vec4(" + expression + "); }\n");
    Textures textures;
    textures.tables.textures = records_.data();
    textures.tables.texels = texels_.data();
    textures.slots[0].texture = texture;
    return run_everywhere(
        program, std::vector<uint32_t>(program.uniform_words),
        [](uint32_t, int s) { return std::bit_cast<uint32_t>(float(s)); }, textures);
  }

  std::vector<uint32_t> texels_;
  std::array<TextureRecord, 2> records_{};
  TextureRecord& record_ = records_[0];
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
  const Results fetched = run("texelFetch(map, ivec2(int(x) - 2, int(x)), int(x) % 4)");
  const Results sizes = run("vec4(textureSize(map, int(x) % 4), 0, 0)");
  for (int s = 0; s < kSamples; ++s) {
    const int level = std::min(s % 5, 2), of_fetch = std::min(s % 4, 2);
    EXPECT_EQ(code_of(levels.number(2, s)), level == 0 ? 0 : level == 1 ? 200 : 100) << s;
    EXPECT_EQ(code_of(fetched.number(2, s)), of_fetch == 0 ? 0 : of_fetch == 1 ? 200 : 100) << s;
    const int column = of_fetch == 0 ? std::clamp(s - 2, 0, 3) : 0;
    EXPECT_EQ(code_of(fetched.number(0, s)), 16 * column) << s;
    EXPECT_EQ(sizes.number(0, s), float(std::max(kWide >> (s % 4), 1)));
    EXPECT_EQ(sizes.number(1, s), float(std::max(kHigh >> (s % 4), 1)));
  }
}

// Half a texel a sample in x, in the quad's x: level 0; with a bias of 2, or two texels a sample, level 1.
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
  const Results nearest = run("texture(map, vec3(0.75, 0.25, x / 64.0))", 1, "sampler2DShadow");
  records_[1].sampler.magnify_nearest = 0;
  const Results filtered = run("texture(map, vec3(0.5, 0.5, x / 64.0))", 1, "sampler2DShadow");
  for (int s = 0; s < kSamples; ++s) {
    EXPECT_EQ(nearest.number(0, s), s <= 32 ? 1.0f : 0.0f) << s;
    EXPECT_EQ(filtered.number(0, s), s <= 16 ? 1.0f : s <= 32 ? 0.75f : s <= 48 ? 0.5f : 0.25f) << s;
  }
}

// Coordinates that are no numbers, or larger than any texture, read a texel of it.
TEST_F(ShaderTextures, AnyCoordinateReadsTheTexture) {
  const char* const wild = "vec2(x > 40.0 ? sqrt(-x) : exp2(x * 3.0), x > 50.0 ? sqrt(-x) : -exp2(x * 3.0))";
  for (const Wrap wrap : {Wrap::repeat, Wrap::mirrored_repeat, Wrap::clamp_to_edge}) {
    for (const uint8_t usual : {uint8_t(0), uint8_t(wrap == Wrap::repeat)}) {
      record_.sampler = {usual, uint8_t(wrap), uint8_t(wrap), uint8_t(MipFilter::linear), 0, 0};
      for (const std::string lookup : {"texture(map, ", "textureLod(map, "}) {
        const Results results = run(lookup + wild + (lookup == "texture(map, " ? ")" : ", x)"));
        for (int s = 0; s < kSamples; ++s) EXPECT_EQ(results.number(3, s), 1.0f) << s;
      }
    }
  }
  const Results fetched = run("texelFetch(map, ivec2(int(exp2(x)), -int(exp2(x))), int(exp2(x)))");
  for (int s = 0; s < kSamples; ++s) EXPECT_EQ(fetched.number(3, s), 1.0f) << s;
}

TEST_F(ShaderTextures, WithoutATextureSamplersAreBlack) {
  const Results results = run("texture(map, vec2(x))", -1);
  EXPECT_EQ(results.number(0, 5), 0.0f);
  EXPECT_EQ(results.number(3, 5), 1.0f);
}

}  // namespace
}  // namespace brokkr::shader::test
