// Fixed function: the colours of the generated shader against llvmpipe's fixed function, for random environments, fog
// and colours.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/loading.h"
#include "gl_triangle.h"
#include "reference/gl_captured_program.h"
#include "shader/captured.h"
#include "shader/run_shader.h"

namespace brokkr::shader::test {
namespace {

using Color = std::array<float, 4>;

struct BaseFormat {
  TexelBase base;
  GLint internal;
};
constexpr BaseFormat kBases[] = {{TexelBase::rgba, GL_RGBA8},
                                 {TexelBase::rgb, GL_RGB8},
                                 {TexelBase::alpha, GL_ALPHA8},
                                 {TexelBase::luminance, GL_LUMINANCE8},
                                 {TexelBase::luminance_alpha, GL_LUMINANCE8_ALPHA8},
                                 {TexelBase::intensity, GL_INTENSITY8}};

// The sampler type of a texture of this kind.
Color read_as(TexelBase base, const Color& texel) {
  const auto [r, g, b, a] = texel;
  switch (base) {
    case TexelBase::rgb: return {r, g, b, 1};
    case TexelBase::alpha: return {0, 0, 0, a};
    case TexelBase::luminance: return {r, r, r, 1};
    case TexelBase::luminance_alpha: return {r, r, r, a};
    case TexelBase::intensity: return {r, r, r, r};
    default: return texel;
  }
}

// A random program with textures of one texel each, and a sample's colours and fog for each of 64 points.
struct Setting {
  FragmentProgram program;
  std::vector<UnitTexture> textures;
  std::vector<GLint> formats;
  std::vector<Color> texels;
  std::array<std::array<float, 9>, kSamples> points{};  // gl_Color, gl_SecondaryColor, gl_FogFragCoord
};

class Chance {
 public:
  explicit Chance(uint32_t seed) : numbers_(seed) {}
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(numbers_); }
  float part() { return float(below(256)) / 255; }
  Color color() { return {part(), part(), part(), part()}; }

  CombineTerm term(bool alpha, int units) {
    CombineTerm term;
    term.op = CombineOp(below(alpha ? 6 : 8));
    for (int i = 0; i < 3; ++i) {
      const int source = below(4 + units);
      term.sources[size_t(i)] = CombineSource(source);
      term.operands[size_t(i)] = CombineOperand(alpha ? 2 + below(2) : below(4));
    }
    term.scale = float(1 << below(3));
    return term;
  }

  Setting setting(EnvironmentMode mode) {
    Setting result;
    FixedFunction fixed;
    const int units = 1 + below(3);
    for (int i = 0; i < units; ++i) {
      const BaseFormat& base = kBases[size_t(below(mode == EnvironmentMode::decal ? 2 : 6))];
      const Color constant = color();
      fixed.units.push_back({.unit = uint32_t(i), .mode = mode});
      fixed.units.back().color = {constant[0], constant[1], constant[2], constant[3]};
      fixed.units.back().rgb = term(false, units);
      fixed.units.back().alpha = term(true, units);
      result.textures.push_back({.base = base.base});
      result.formats.push_back(base.internal);
      result.texels.push_back(color());
      result.program.samplers.push_back({.name = unit_sampler(size_t(i))});
    }
    fixed.separate_specular = below(2) == 0;
    if (below(2) == 0) {
      const Color fog = color();
      fixed.fog = Fog{.mode = FogMode(below(3)), .color = {fog[0], fog[1], fog[2], fog[3]}};
      fixed.fog->density = 0.02f + 0.2f * part();
      fixed.fog->start = 1 + part();
      fixed.fog->end = 6 + 10 * part();
    }
    result.program.fixed = fixed;
    for (auto& point : result.points) {
      std::generate(point.begin(), point.end(), [&] { return part(); });
      point[8] *= 20;
    }
    return result;
  }

 private:
  std::mt19937 numbers_;
};

// The pixels of 64 points in a row, drawn by llvmpipe.
std::array<std::array<uint8_t, 4>, kSamples> drawn(const Setting& setting) {
  const GlTexture target = GlTexture::create(GLenum(GL_TEXTURE_2D));
  glTextureStorage2D(target.id(), 1, GL_RGBA8, kSamples, 1);
  const GlFramebuffer framebuffer = GlFramebuffer::create();
  glNamedFramebufferTexture(framebuffer.id(), GL_COLOR_ATTACHMENT0, target.id(), 0);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  glViewport(0, 0, kSamples, 1);
  glUseProgram(0);
  apply_fixed_function(setting.program);
  std::vector<GlTexture> textures;
  for (size_t i = 0; i < setting.texels.size(); ++i) {
    textures.push_back(GlTexture::create(GLenum(GL_TEXTURE_2D)));
    glActiveTexture(GL_TEXTURE0 + GLenum(i));
    glBindTexture(GL_TEXTURE_2D, textures.back().id());
    glTexImage2D(GL_TEXTURE_2D, 0, setting.formats[i], 1, 1, 0, GL_RGBA, GL_FLOAT, setting.texels[i].data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  }
  glActiveTexture(GL_TEXTURE0);
  glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
  glBegin(GL_POINTS);
  for (int i = 0; i < kSamples; ++i) {
    const auto& point = setting.points[size_t(i)];
    glColor4fv(point.data());
    glSecondaryColor3fv(point.data() + 4);
    glFogCoordf(point[8]);
    glVertex2f((float(i) + 0.5f) / kSamples * 2 - 1, 0);
  }
  glEnd();
  std::array<std::array<uint8_t, 4>, kSamples> pixels{};
  glReadPixels(0, 0, kSamples, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  EXPECT_EQ(glGetError(), GLenum(GL_NO_ERROR));
  return pixels;
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what << " is not in " << text;
  text.replace(at, what.size(), by);
}

// The same with the shader, in which the textures' colours are uniforms.
Results shaded(const Setting& setting, std::string& text) {
  text = fixed_function_text(setting.program, setting.textures);
  for (size_t i = 0; i < setting.texels.size(); ++i) {
    const std::string name = unit_sampler(i);
    replace(text, "uniform sampler2D " + name, "uniform vec4 " + name);
    replace(text, "texture2DProj(" + name + ", gl_TexCoord[" + std::to_string(i) + "])", name);
  }
  const Program program = compiled(text);
  std::vector<uint32_t> uniforms(program.uniform_words);
  for (const Uniform& uniform : program.uniforms) {
    const auto number = size_t(uniform.name.back() - '0');
    const Color texel = read_as(setting.textures[number].base, setting.texels[number]);
    for (uint32_t i = 0; i < 4; ++i) uniforms[uniform.first + i] = std::bit_cast<uint32_t>(texel[i]);
  }
  return run_everywhere(program, uniforms, [&](uint32_t word, int sample) {
    for (const Input& input : program.inputs) {
      if (word < input.first || word >= input.first + input.words) continue;
      const size_t first = input.name == "gl_Color" ? 0 : input.name == "gl_SecondaryColor" ? 4 : 8;
      return std::bit_cast<uint32_t>(setting.points[size_t(sample)][first + word - input.first]);
    }
    return 0u;
  });
}

class FixedFunctions : public testing::TestWithParam<EnvironmentMode> {
 protected:
  void SetUp() override {
    try {
      CompatibilityContext::begin();
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << "OpenGL: " << error.what();
    }
  }
};

TEST_P(FixedFunctions, AreThoseOfLlvmpipe) {
  const int settings = GetParam() == EnvironmentMode::combine ? 120 : 24;
  Chance chance(7);
  for (int number = 0; number < settings && !HasFailure(); ++number) {
    const Setting setting = chance.setting(GetParam());
    const auto theirs = drawn(setting);
    std::string text;
    const Results ours = shaded(setting, text);
    for (size_t sample = 0; sample < kSamples; ++sample) {
      for (size_t c = 0; c < 4; ++c) {
        const float value = std::clamp(ours.number(c, int(sample)), 0.0f, 1.0f) * 255;
        ASSERT_LE(std::abs(value - float(theirs[sample][c])), 1.0f)
            << "setting " << number << ", point " << sample << ", channel " << c << "\n"
            << text;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, FixedFunctions,
                         testing::Values(EnvironmentMode::modulate, EnvironmentMode::replace, EnvironmentMode::decal,
                                         EnvironmentMode::blend, EnvironmentMode::add, EnvironmentMode::combine));

}  // namespace
}  // namespace brokkr::shader::test
