// Programs that are folded for the textures of a draw give the bits of the original program, interpreted on every build
// and compiled.
#include "shader/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "bound_textures.h"
#include "run_shader.h"
#include "shader/compiled.h"

namespace brokkr::shader::test {
namespace {

namespace fs = std::filesystem;

// Lookups of every form, some in a branch, and values that depend on channels that may be constant.
const char* const kLookups = R"(#version 400
uniform sampler2D picture;
uniform sampler2D other;
in vec4 at;
out vec4 color;
void main() {
  vec4 a = texture(picture, at.xy), b = texture(other, at.yx, at.z);
  if (at.w > 0.2) a += textureLod(picture, at.zw, at.x * 3.0) * a.a;
  b *= textureGather(other, at.xy, 1) + texelFetch(picture, ivec2(at.xy * 7.0), 0) + textureOffset(other, at.zw, ivec2(1, -2));
  if (b.a < 0.01) discard;
  color = a * b.a + b * a.r + textureGrad(picture, at.xy, at.zw * 0.1, at.xz * 0.2);
})";

struct Case {
  const char* name;
  TexelFormat format;
  TexelBase base;
  CapturedSampler sampler;
  int levels;
  bool finite = false;  // no half is infinite or NaN
};
CapturedSampler sampler_of(TextureWrap wrap, bool linear, MipFilter mip, float anisotropy = 1) {
  CapturedSampler sampler;
  sampler.wrap = {wrap, wrap, wrap};
  sampler.magnify_linear = sampler.minify_linear = linear;
  sampler.mip = mip;
  sampler.anisotropy = anisotropy;
  return sampler;
}

std::vector<Case> cases() {
  constexpr TextureWrap kRepeat = TextureWrap::repeat, kEdge = TextureWrap::clamp_to_edge;
  CapturedSampler swapped = sampler_of(kEdge, true, MipFilter::none);
  swapped.swizzle = {Swizzle::b, Swizzle::one, Swizzle::zero, Swizzle::r};
  return {
      {"one level", TexelFormat::rgba8, TexelBase::rgba, sampler_of(kRepeat, true, MipFilter::none), 1},
      {"clamped", TexelFormat::rgba8, TexelBase::rgb, sampler_of(kEdge, true, MipFilter::linear), 1},
      {"levels", TexelFormat::rgba8, TexelBase::rgba, sampler_of(kRepeat, true, MipFilter::linear), 7},
      {"nearest level", TexelFormat::rgba8, TexelBase::rgb, sampler_of(kEdge, true, MipFilter::nearest), 7},
      {"light", TexelFormat::rgba8_srgb, TexelBase::rgba, sampler_of(kRepeat, true, MipFilter::linear), 7},
      {"swapped", TexelFormat::rgba8, TexelBase::rgba, swapped, 1},
      {"luminance", TexelFormat::rgba8, TexelBase::luminance, sampler_of(kRepeat, true, MipFilter::none), 1},
      {"unfiltered", TexelFormat::rgba8, TexelBase::rgb, sampler_of(kRepeat, false, MipFilter::none), 1},
      {"unfiltered levels", TexelFormat::rgba8, TexelBase::rgba, sampler_of(kEdge, false, MipFilter::linear), 7},
      {"unfiltered light", TexelFormat::rgba8_srgb, TexelBase::rgba, sampler_of(kRepeat, false, MipFilter::nearest), 7},
      {"half border", TexelFormat::rgba8, TexelBase::rgba, sampler_of(TextureWrap::clamp, true, MipFilter::linear), 7},
      {"mirrored", TexelFormat::rgba8, TexelBase::rgba,
       sampler_of(TextureWrap::mirrored_repeat, true, MipFilter::linear), 7},
      {"halves", TexelFormat::rgba16f, TexelBase::rgba, sampler_of(kEdge, true, MipFilter::none), 1},
      {"finite halves", TexelFormat::rgba16f, TexelBase::rgba, sampler_of(kEdge, true, MipFilter::linear), 7, true},
      {"one channel", TexelFormat::r8, TexelBase::alpha, sampler_of(TextureWrap::clamp, true, MipFilter::linear), 7},
      {"border of halves", TexelFormat::rgba16f, TexelBase::rgba,
       sampler_of(TextureWrap::clamp_to_border, true, MipFilter::linear), 7},
      {"16 bits", TexelFormat::rgba16, TexelBase::rgba, sampler_of(kRepeat, false, MipFilter::nearest), 7},
      {"half border, light", TexelFormat::rgba8_srgb, TexelBase::rgba,
       sampler_of(TextureWrap::clamp, true, MipFilter::none), 1},
      {"10 bits", TexelFormat::rgb10_a2, TexelBase::rgba,
       sampler_of(TextureWrap::mirror_clamp_to_edge, true, MipFilter::linear), 7},
      {"32 bits", TexelFormat::rgba32f, TexelBase::rgba, sampler_of(kEdge, false, MipFilter::none), 1},
      {"filtered 32 bits", TexelFormat::rgba32f, TexelBase::rgba, sampler_of(kRepeat, true, MipFilter::linear), 7},
      {"ellipse", TexelFormat::rgba8, TexelBase::rgb, sampler_of(kRepeat, true, MipFilter::linear, 4), 7}};
}

CapturedTexture picture_of(const Case& one) {
  CapturedTexture picture;
  picture.width = 64;
  picture.height = 32;
  picture.levels = one.levels;
  picture.format = one.format;
  picture.base = one.base;
  return picture;
}

std::vector<uint32_t> random_texels() {
  std::vector<uint32_t> texels(64 * 32 * 8);  // four words a texel, with levels
  std::mt19937 random(19);
  for (uint32_t& texel : texels) texel = uint32_t(random());
  return texels;
}

uint32_t input(uint32_t word, int sample) {
  if (sample == 13 && word == 1) return 0x7fc00000u;
  return std::bit_cast<uint32_t>(float(word) * 0.37f - 1.0f + float(sample * sample % 61) * 0.05f);
}

void expect_same(const Results& got, const Results& expected, const std::string& what) {
  EXPECT_EQ(got.kept, expected.kept) << what;
  for (size_t word = 0; word < expected.outputs.size(); ++word) {
    for (int sample = 0; sample < kSamples; ++sample) {
      if ((expected.kept >> sample & 1) == 0) continue;
      EXPECT_EQ(same_nan(got.outputs[word][size_t(sample)]), same_nan(expected.outputs[word][size_t(sample)]))
          << what << ", output " << word << ", sample " << sample;
    }
  }
}

// Compiled for each machine, program i gives expected[i] with the textures bound[i].
void expect_same_compiled(const std::vector<Program>& programs, const std::vector<BoundTextures>& bound,
                          const std::vector<Results>& expected, uint32_t (&input)(uint32_t, int) = test::input) {
  if (find_compiler().empty()) GTEST_SKIP() << "there is no C++ compiler";
  std::vector<Code> codes;
  std::vector<const Code*> pointers;
  for (const Program& one : programs) codes.push_back(assemble(one));
  for (const Code& code : codes) pointers.push_back(&code);
  for (const std::string& isa : compiled_kernels()) {
    CompiledShaders shaders(isa, find_kernel(isa)->width);
    shaders.take_cached({pointers, {}});
    shaders.start();
    const std::atomic<uint32_t> abort{0};
    shaders.wait(abort);
    ASSERT_NE(shaders.functions(), nullptr) << shaders.problem();
    for (size_t i = 0; i < programs.size(); ++i) {
      const Textures textures{bound[i].tables, bound[i].slots};
      expect_same(run_on(isa, programs[i], {}, input, textures, shaders.functions()[i]), expected[i],
                  fmt::format("compiled for {}, program {}", isa, i));
    }
  }
}

class FoldLookupsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string made = (fs::temp_directory_path() / "brokkr-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(made.data()), nullptr);
    folder_ = made;
    setenv("XDG_CACHE_HOME", made.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  fs::path folder_;
};

TEST_F(FoldLookupsTest, GivesTheBitsOfTheProgramAsItWas) {
  const Program program = compiled(kLookups);
  const ShaderKernel& kernel = *find_kernel(runnable_kernels().front());
  const std::vector<uint32_t> texels = random_texels();
  std::vector<uint32_t> finite = texels;
  for (uint32_t& texel : finite) texel &= 0xbfffbfffu;  // the highest bit of an exponent
  const std::vector<Case> all = cases();
  std::vector<Program> folded;
  std::vector<BoundTextures> bound(all.size() + 1);
  for (size_t i = 0; i <= all.size(); ++i) {
    // Each texture together with the one before; the last case has no texture at all.
    for (size_t k = 0; k < 2 && i < all.size(); ++k) {
      const Case& one = all[(i + all.size() - k) % all.size()];
      bound[i].add(picture_of(one), std::as_bytes(std::span(one.finite ? finite : texels)), one.sampler);
    }
    bound[i].prepare(2);
    std::vector<LookupFacts> facts;
    for (size_t s = 0; s < 2; ++s) {
      const int32_t record = bound[i].slots[s].record;
      facts.push_back(facts_of(program.samplers[s], record < 0 ? nullptr : &bound[i].sampled.records[size_t(record)]));
    }
    Program& made = folded.emplace_back(program);
    fold_lookups(made, facts, kernel);
    ASSERT_NO_THROW(verify(made));
  }
  std::vector<Results> expected;
  for (size_t i = 0; i <= all.size(); ++i) {
    const std::string name = i < all.size() ? all[i].name : "none";
    const Textures textures{bound[i].tables, bound[i].slots};
    expected.push_back(run_everywhere(program, {}, input, textures));
    expect_same(run_everywhere(folded[i], {}, input, textures), expected.back(), name);
    if (i == all.size()) {
      EXPECT_LT(folded[i].code.size(), program.code.size() / 2);
    }
  }

  expect_same_compiled(folded, bound, expected);
}

// The column (word 0) or row (word 1) of a sample in its tile.
uint32_t input_of_tile(uint32_t word, int sample) {
  const int bits = sample >> (word & 1u);
  return std::bit_cast<uint32_t>(float((bits & 1) | (bits >> 1 & 2) | (bits >> 2 & 4)));
}

// Pictures drawn with one texel per pixel, whose texels some machines load by rows: upright, upside down, between
// texels, at edges; and pictures whose first rows look as if they were. Alpha is stored or 1.
TEST_F(FoldLookupsTest, PicturesDrawnTexelByPixelGiveTheSameBits) {
  std::vector<uint32_t> texels = random_texels();
  for (uint32_t& texel : texels) texel &= 0xbfffbfffu;  // finite halves
  std::vector<Program> programs;
  std::vector<BoundTextures> bound(24);
  std::vector<Results> expected;
  for (const char* const place :
       {"at.xy + vec2(20.5, 9.5)", "vec2(at.x + 17.3, 25.8 - at.y)", "at.xy + vec2(-2.3, 28.7)",
        "vec2(at.x + 8.5, at.y < 4.0 ? at.y + 5.5 : 3.0 * at.x)", "vec2(20.5 - at.x, at.y + 7.2)",
        "vec2(at.x < 2.0 ? at.x + 11.25 : at.x + 13.5, at.y + 3.5)"}) {
    const Program program =
        compiled(std::string("#version 400\nuniform sampler2D map;\nin vec4 at;\nout vec4 color;\n") +
                 "void main() {\n  color = texture(map, (" + place + ") / vec2(64, 32));\n}\n");
    for (const TextureWrap wrap : {TextureWrap::repeat, TextureWrap::clamp_to_edge}) {
      const CapturedSampler sampler = sampler_of(wrap, true, MipFilter::none);
      const TexelBase base = wrap == TextureWrap::repeat ? TexelBase::rgba : TexelBase::rgb;
      for (const TexelFormat format : {TexelFormat::rgba8, TexelFormat::rgba16f}) {
        BoundTextures& textures = bound[programs.size()];
        textures.add(picture_of({"", format, base, sampler, 1}), std::as_bytes(std::span(texels)), sampler);
        textures.prepare();
        SCOPED_TRACE(fmt::format("{}, wrap {}", place, int(wrap)));
        expected.push_back(run_everywhere(program, {}, input_of_tile, {textures.tables, textures.slots}));
        Program& made = programs.emplace_back(program);
        fold_lookups(made, {facts_of(program.samplers[0], &textures.sampled.records[size_t(textures.slots[0].record)])},
                     *find_kernel(runnable_kernels().front()));
      }
    }
  }
  // The first picture shows the texels as they are.
  for (int sample = 0; sample < kSamples; ++sample) {
    const auto at = [&](uint32_t word) { return int(std::bit_cast<float>(input_of_tile(word, sample))); };
    EXPECT_FLOAT_EQ(expected[0].number(0, sample), float(texels[size_t((at(1) + 9) * 64 + at(0) + 20)] & 255) / 255.0f);
  }
  expect_same_compiled(programs, bound, expected, input_of_tile);
}

// An array of one layer has the same texels, and takes the general path of lookups.
TEST_F(FoldLookupsTest, PlainTexturesGiveTheBitsOfTheGeneralPath) {
  const auto program_of = [](const std::string& sampler, const std::string& place) {
    return compiled("#version 400\nuniform " + sampler + " map;\nin vec4 at;\nout vec4 a, b;\nvoid main() {\n" +
                    "  a = textureLod(map, " + place + ", at.z * 2.5);\n  b = texture(map, " + place + ");\n}\n");
  };
  const Program plain = program_of("sampler2D", "at.xy * 1.3"),
                general = program_of("sampler2DArray", "vec3(at.xy * 1.3, 0)");
  const std::vector<uint32_t> texels = random_texels();  // infinite ones and NaN among them
  for (const TexelFormat format :
       {TexelFormat::r8, TexelFormat::rgba8_srgb, TexelFormat::rgb10_a2, TexelFormat::rgba16, TexelFormat::rg16f,
        TexelFormat::rgba16f, TexelFormat::r32f, TexelFormat::rg32f, TexelFormat::rgba32f}) {
    for (const TextureWrap wrap :
         {TextureWrap::repeat, TextureWrap::mirrored_repeat, TextureWrap::clamp_to_edge, TextureWrap::clamp_to_border,
          TextureWrap::clamp, TextureWrap::mirror_clamp_to_edge}) {
      for (const int filters : {0, 1, 2, 3}) {
        const bool has_bytes = format == TexelFormat::r8 || format == TexelFormat::rgba8_srgb;
        const bool is_usual = has_bytes && (wrap == TextureWrap::repeat || wrap == TextureWrap::clamp_to_edge);
        if (is_usual && (filters & 1) != 0) continue;  // filtered in integers
        CapturedSampler sampler =
            sampler_of(wrap, (filters & 1) != 0, (filters & 2) != 0 ? MipFilter::linear : MipFilter::none);
        sampler.border = {0.25f, 0.5f, -0.75f, 2.0f};
        Case one{"", format, TexelBase::rgba, sampler, 6};
        const std::string name = fmt::format("format {}, wrap {}, filters {}", int(format), int(wrap), filters);
        const auto results_of = [&](const Program& program, TextureKind kind) {
          SCOPED_TRACE(name + ", texture kind " + std::to_string(int(kind)));
          CapturedTexture picture = picture_of(one);
          picture.kind = kind;
          BoundTextures bound;
          bound.add(picture, std::as_bytes(std::span(texels)), sampler);
          bound.prepare();
          return run_everywhere(program, {}, input, {bound.tables, bound.slots});
        };
        expect_same(results_of(plain, TextureKind::two), results_of(general, TextureKind::two_array), name);
      }
    }
  }
}

// Textures of one and of three axes, folded and compiled as well. Their general path is that of arrays of one layer,
// and that of samplers with another filter near, where all samples are far.
TEST_F(FoldLookupsTest, LinesAndVolumesGiveTheBitsOfTheGeneralPath) {
  const auto program_of = [](const std::string& sampler, const std::string& place) {
    return compiled("#version 400\nuniform " + sampler + " map;\nin vec4 at;\nout vec4 a, b;\nvoid main() {\n" +
                    "  a = textureLod(map, " + place + ", 0.1 + abs(at.w) * 2.0);\n  b = at.w > 0.3 ? texture(map, " +
                    place + ") : vec4(0.5);\n}\n");
  };
  const Program line = program_of("sampler1D", "at.x * 1.3"),
                lines = program_of("sampler1DArray", "vec2(at.x * 1.3, 0)"),
                volume = program_of("sampler3D", "at.xyz * 1.3");
  const std::vector<uint32_t> texels = random_texels();
  std::vector<Program> folded;
  std::vector<BoundTextures> kept(20);
  std::vector<Results> expected;
  int number = 0;
  for (const bool is_volume : {false, true}) {
    for (const TexelFormat format :
         {TexelFormat::r8, TexelFormat::rgba8_srgb, TexelFormat::rgb10_a2, TexelFormat::rg16f, TexelFormat::rgba16f,
          TexelFormat::r32f, TexelFormat::rgba32f}) {
      for (int wrap = 0; wrap < 6; ++wrap) {
        for (const int filters : {0, 1, 2, 3}) {
          const bool is_linear = (filters & 1) != 0;
          CapturedSampler sampler =
              sampler_of(TextureWrap(wrap), is_linear, (filters & 2) != 0 ? MipFilter::linear : MipFilter::none);
          sampler.border = {0.25f, 0.5f, -0.75f, 2.0f};
          if (number % 3 == 2) sampler.wrap[2] = TextureWrap((wrap + number) % 6);
          CapturedTexture picture = picture_of({"", format, TexelBase::rgba, sampler, 4});
          picture.kind = is_volume ? TextureKind::three : TextureKind::one;
          picture.width = is_volume ? 16 : 61;
          picture.height = is_volume ? 8 : 1;
          picture.depth = is_volume ? 5 : 1;
          const std::string name =
              fmt::format("volume {}, format {}, wrap {}, filters {}", is_volume, int(format), wrap, filters);
          SCOPED_TRACE(name);
          const auto run = [&](const Program& program, BoundTextures& bound, const CapturedSampler& with,
                               TextureKind kind) {
            CapturedTexture texture = picture;
            texture.kind = kind;
            bound.add(texture, std::as_bytes(std::span(texels)), with);
            bound.prepare();
            return run_everywhere(program, {}, input, {bound.tables, bound.slots});
          };
          const bool is_kept = number++ % 17 == 0 && folded.size() < kept.size();
          BoundTextures general, own;
          BoundTextures& bound = is_kept ? kept[folded.size()] : own;
          const Program& program = is_volume ? volume : line;
          const Results results = run(program, bound, sampler, picture.kind);
          if (is_volume) {
            CapturedSampler other = sampler;
            other.magnify_linear = !is_linear;
            Results far = run(volume, general, other, picture.kind);
            for (int word = 4; word < 8; ++word)
              far.outputs[size_t(word)] = results.outputs[size_t(word)];  // some near
            expect_same(results, far, name);
          } else {
            expect_same(results, run(lines, general, sampler, TextureKind::one_array), name);
          }
          if (!is_kept) continue;
          Program& made = folded.emplace_back(program);
          fold_lookups(made, {facts_of(program.samplers[0], &bound.sampled.records[size_t(bound.slots[0].record)])},
                       *find_kernel(runnable_kernels().front()));
          ASSERT_NO_THROW(verify(made));
          expect_same(run_everywhere(made, {}, input, {bound.tables, bound.slots}), results, name + ", folded");
          expected.push_back(results);
        }
      }
    }
  }
  ASSERT_EQ(folded.size(), kept.size());
  int known = 0;
  for (const Program& one : folded) {
    known += std::any_of(one.code.begin(), one.code.end(),
                         [](const Instruction& i) { return i.op == Op::sample && is_known_plain(i.known); });
  }
  EXPECT_GT(known, 15);
  expect_same_compiled(folded, kept, expected);
}

// Rectangles, folded and compiled as well. Their general path is that of samplers with another filter near, where all
// samples are far.
TEST_F(FoldLookupsTest, RectanglesGiveTheBitsOfTheGeneralPath) {
  const Program program = compiled(
      "#version 400\nuniform sampler2DRect map;\nin vec4 at;\nout vec4 a;\nvoid main() {\n"
      "  a = textureGrad(map, at.xy * 40.0, vec2(8.0, 0.0), vec2(0.0, 8.0));\n}\n");
  const std::vector<uint32_t> texels = random_texels();
  std::vector<Program> folded;
  std::vector<BoundTextures> kept(48);
  std::vector<Results> expected;
  for (const TexelFormat format :
       {TexelFormat::rgba8, TexelFormat::rgba8_srgb, TexelFormat::rgba16f, TexelFormat::rgba32f}) {
    for (int wrap = 0; wrap < 6; ++wrap) {
      for (const bool is_linear : {false, true}) {
        CapturedSampler sampler = sampler_of(TextureWrap(wrap), is_linear, MipFilter::none), other = sampler;
        sampler.border = other.border = {0.25f, 0.5f, -0.75f, 2.0f};
        other.magnify_linear = !is_linear;
        const std::string name = fmt::format("format {}, wrap {}, linear {}", int(format), wrap, is_linear);
        SCOPED_TRACE(name);
        CapturedTexture picture = picture_of({"", format, TexelBase::rgba, sampler, 1});
        picture.kind = TextureKind::rectangle;
        const auto run = [&](BoundTextures& bound, const CapturedSampler& with) {
          bound.add(picture, std::as_bytes(std::span(texels)), with);
          bound.prepare();
          return run_everywhere(program, {}, input, {bound.tables, bound.slots});
        };
        BoundTextures general;
        BoundTextures& bound = kept[folded.size()];
        const Results results = run(bound, sampler);
        expect_same(results, run(general, other), name);
        Program& made = folded.emplace_back(program);
        fold_lookups(made, {facts_of(program.samplers[0], &bound.sampled.records[size_t(bound.slots[0].record)])},
                     *find_kernel(runnable_kernels().front()));
        ASSERT_NO_THROW(verify(made));
        EXPECT_TRUE(std::any_of(made.code.begin(), made.code.end(), [](const Instruction& i) {
          return i.op == Op::sample && is_known_plain(i.known) && counts_texels(i.known);
        }));
        expected.push_back(results);
      }
    }
  }
  expect_same_compiled(folded, kept, expected);
}

// The same for lookups that compare, folded and compiled as well.
TEST_F(FoldLookupsTest, ComparisonsGiveTheBitsOfTheGeneralPath) {
  const auto program_of = [](const std::string& sampler, const std::string& place) {
    return compiled("#version 400\nuniform " + sampler + " map;\nin vec4 at;\nout vec4 a;\nvoid main() {\n" +
                    "  a = vec4(texture(map, " + place + "), at.w > 0.3 ? texture(map, " + place +
                    " * 0.7) : 0.5, 0.0, 1.0);\n}\n");
  };
  const Program plain = program_of("sampler2DShadow", "vec3(at.xy * 1.3, at.z)"),
                general = program_of("sampler2DArrayShadow", "vec4(at.xy * 1.3, 0, at.z)"),
                line = program_of("sampler1DShadow", "vec3(at.x * 1.3, 0, at.z)"),
                lines = program_of("sampler1DArrayShadow", "vec3(at.x * 1.3, 0, at.z)");
  std::vector<uint32_t> texels = random_texels();
  for (size_t i = 0; i < texels.size(); ++i) {
    if (i % 5 != 0) texels[i] = std::bit_cast<uint32_t>(float(texels[i] >> 8) * 0x1p-24f);
  }
  std::vector<Program> folded;
  std::vector<BoundTextures> kept(16);
  std::vector<Results> expected;
  for (int func = 0; func < 8; ++func) {
    for (int wrap = 0; wrap < 6; ++wrap) {
      for (const int filters : {0, 1, 2, 3}) {
        CapturedSampler sampler =
            sampler_of(TextureWrap(wrap), (filters & 1) != 0, (filters & 2) != 0 ? MipFilter::linear : MipFilter::none);
        sampler.compare = CompareFunc(func);
        sampler.border = {0.25f, 0.25f, 0.25f, 0.25f};
        const TexelFormat format = (func + wrap) % 2 == 0 ? TexelFormat::depth32f : TexelFormat::depth16;
        const Case one{"", format, TexelBase::depth, sampler, 6};
        const std::string name = fmt::format("function {}, wrap {}, filters {}", func, wrap, filters);
        SCOPED_TRACE(name);
        const auto bind = [&](BoundTextures& bound, TextureKind kind) {
          CapturedTexture picture = picture_of(one);
          picture.kind = kind;
          if (kind == TextureKind::one || kind == TextureKind::one_array) picture.height = 1;
          bound.add(picture, std::as_bytes(std::span(texels)), sampler);
          bound.prepare();
        };
        BoundTextures layers, own;
        bind(layers, TextureKind::two_array);
        const Results of_layers = run_everywhere(general, {}, input, {layers.tables, layers.slots});
        const bool is_kept = filters == func % 4 && wrap == func % 6;
        BoundTextures& bound = is_kept ? kept[folded.size()] : own;
        bind(bound, TextureKind::two);
        expect_same(run_everywhere(plain, {}, input, {bound.tables, bound.slots}), of_layers, name);
        BoundTextures rows, single_row;
        bind(rows, TextureKind::one_array);
        const Results of_rows = run_everywhere(lines, {}, input, {rows.tables, rows.slots});
        BoundTextures& row = is_kept ? kept[folded.size() + 1] : single_row;
        bind(row, TextureKind::one);
        expect_same(run_everywhere(line, {}, input, {row.tables, row.slots}), of_rows, name + ", a line");
        if (!is_kept) continue;
        const auto fold = [&](const Program& program, const BoundTextures& textures, const Results& unfolded) {
          Program& made = folded.emplace_back(program);
          fold_lookups(made,
                       {facts_of(program.samplers[0], &textures.sampled.records[size_t(textures.slots[0].record)])},
                       *find_kernel(runnable_kernels().front()));
          ASSERT_NO_THROW(verify(made));
          expect_same(run_everywhere(made, {}, input, {textures.tables, textures.slots}), unfolded, name + ", folded");
          expected.push_back(unfolded);
        };
        fold(plain, bound, of_layers);
        fold(line, row, of_rows);
      }
    }
  }
  ASSERT_EQ(folded.size(), 16u);
  for (const Program& one : folded) {
    EXPECT_TRUE(std::any_of(one.code.begin(), one.code.end(),
                            [](const Instruction& i) { return i.op == Op::sample && is_known_plain(i.known); }));
  }
  expect_same_compiled(folded, kept, expected);
}

TEST_F(FoldLookupsTest, WhatNothingDependsOnIsLeftOut) {
  const Program program = compiled(R"(#version 330
uniform sampler2D picture;
in vec2 at;
out vec4 color;
void main() { color = texture(picture, at) * texture(picture, at.yx).a; })");
  const auto count = [](const Program& one, Op op) {
    return std::count_if(one.code.begin(), one.code.end(), [&](const Instruction& i) { return i.op == op; });
  };
  ASSERT_EQ(count(program, Op::detail), 2);
  const std::vector<uint32_t> texels = random_texels();
  const Case one = cases()[1];  // without alpha, with one level
  BoundTextures bound;
  bound.add(picture_of(one), std::as_bytes(std::span(texels)), one.sampler);
  bound.prepare();
  Program folded = program;
  fold_lookups(folded, {facts_of(program.samplers[0], bound.sampled.records.data())},
               *find_kernel(runnable_kernels().front()));
  EXPECT_EQ(count(folded, Op::detail), 0);
  EXPECT_EQ(count(folded, Op::change_x), 0);
  EXPECT_EQ(count(folded, Op::sample), 1);
  EXPECT_EQ(count(folded, Op::multiply), 0);
}

}  // namespace
}  // namespace brokkr::shader::test
