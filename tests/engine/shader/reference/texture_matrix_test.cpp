// Texture lookups of every kind, format, wrap mode and filter against llvmpipe with its approximations turned off, and
// their bits on every build. Texels are noise, so that a wrong one is noticed.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "gl_triangle.h"
#include "shade/triangle.h"
#include "shader/run_shader.h"
#include "shader/texels.h"

namespace brokkr::shader::test {
namespace {

constexpr int kWidth = 96, kHeight = 64;

// Differences from an ordinary texture: 2D, rgba8, trilinear, repeated.
struct TextureCase {
  std::string name;
  TextureKind kind = TextureKind::two;
  TexelFormat format = TexelFormat::rgba8;
  TexelBase base = TexelBase::rgba;
  CapturedSampler sampler;
  std::string lookup;            // of `p`, the coordinates; empty: texture(map, p)
  double tolerance = 1.0 / 255;  // of a channel, and relative to it above 1
  double others = 0.01;          // share of pixels that may be further off, since a last bit decides
  float scale = 1.0f;            // of the coordinates
  int width = 20, height = 12;
};
std::ostream& operator<<(std::ostream& out, const TextureCase& one) { return out << one.name; }

uint32_t noise(uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  return (state ^ state >> 15) * 0x2c1b3c6du >> 3 ^ state;
}

// The base format that has all channels of a format.
TexelBase base_of(TexelFormat format) {
  constexpr TexelBase kChannels[] = {TexelBase::red, TexelBase::rg, TexelBase::rgba};
  if (format > TexelFormat::rgba8_srgb && format <= TexelFormat::rgba32ui)
    return kChannels[(int(format) - int(TexelFormat::r8_snorm)) % 3];
  if (format <= TexelFormat::rgba8) return kChannels[int(format)];
  if (format >= TexelFormat::depth16 && format <= TexelFormat::depth32f) return TexelBase::depth;
  if (format == TexelFormat::bc4 || format == TexelFormat::bc4_snorm) return TexelBase::red;
  return format == TexelFormat::bc5 || format == TexelFormat::bc5_snorm ? TexelBase::rg : TexelBase::rgba;
}

// Random bits without those of non-finite numbers.
std::vector<std::byte> texels_of(const CapturedTexture& texture) {
  using enum TexelFormat;
  const size_t bytes = size_t(texture_bytes(texture));
  std::vector<std::byte> data(bytes);
  uint32_t state = uint32_t(texture.format) * 77 + uint32_t(texture.kind);
  for (std::byte& one : data) one = std::byte(noise(state) >> 7);
  const auto each_word = [&](size_t size, auto&& change) {
    for (size_t at = 0; at + size <= bytes; at += size) {
      uint32_t word = 0;
      std::memcpy(&word, data.data() + at, size);
      word = change(word);
      std::memcpy(data.data() + at, &word, size);
    }
  };
  const auto number = [](uint32_t word) { return float(int32_t(word)) * 0x1p-31f; };
  if (texture.format >= r16f && texture.format <= rgba16f) each_word(2, [](uint32_t w) { return w & 0xbfffu; });
  if (texture.format >= r32f && texture.format <= rgba32f)
    each_word(4, [&](uint32_t w) { return std::bit_cast<uint32_t>(2 * number(w)); });
  if (texture.format == depth32f)
    each_word(4, [&](uint32_t w) { return std::bit_cast<uint32_t>(std::abs(number(w))); });
  if (texture.format == depth24) each_word(4, [](uint32_t w) { return w & 0xffffffu; });
  if (texture.format == r11g11b10f) each_word(4, [](uint32_t w) { return w & 0xdfeffbffu; });
  if (texture.format >= bc7) {  // all modes alike
    for (size_t at = 0; at < bytes; at += 16)
      data[at] = std::byte((0x80u | (noise(state) & 0x700u)) >> (noise(state) >> 9 & 7) & 0xffu);
  }
  return data;
}

CapturedTexture texture_of(const TextureCase& one) {
  CapturedTexture texture{
      .kind = one.kind, .format = one.format, .base = one.base, .width = one.width, .height = one.height};
  texture.levels = 5;
  switch (one.kind) {
    case TextureKind::one: texture.height = 1; break;
    case TextureKind::three: texture.depth = 6; break;
    case TextureKind::cube: texture.height = texture.width, texture.depth = 6; break;
    case TextureKind::rectangle: texture.levels = 1; break;
    case TextureKind::one_array: texture.height = 1, texture.depth = 5; break;
    case TextureKind::two_array: texture.depth = 5; break;
    case TextureKind::cube_array: texture.height = texture.width, texture.depth = 12; break;
    case TextureKind::buffer: texture.height = 1, texture.levels = 1, texture.width = 300; break;
    case TextureKind::two:
    case TextureKind::multisampled: break;  // samples are compared by gl_samples_test.cpp
  }
  return texture;
}

// `p` for each kind, over several repeats and at distances that grow with x.
std::string text_of(const TextureCase& one) {
  const char* const names[] = {"1D", "2D", "3D", "Cube", "2DRect", "1DArray", "2DArray", "CubeArray", "Buffer"};
  const char* const places[] = {"float p = q.x",
                                "vec2 p = q.xy",
                                "vec3 p = q",
                                "vec3 p = d",
                                "vec2 p = q.xy * vec2(20, 12)",
                                "vec2 p = vec2(q.x, layer)",
                                "vec3 p = vec3(q.xy, layer)",
                                "vec4 p = vec4(d, layer * 0.4)",
                                "int p = int(at.x * 70.0 + 30.0)"};
  const SampledType type = type_of(one.format);
  const bool compares = one.sampler.compare.has_value();
  const std::string prefix = type == SampledType::real ? "" : type == SampledType::integer ? "i" : "u";
  std::string lookup = one.lookup.empty() ? "texture(map, p)" : one.lookup;
  return "#version 450\nuniform " + prefix + "sampler" + names[size_t(one.kind)] + (compares ? "Shadow" : "") +
         " map;\nuniform float scale;\nin vec3 at;\nlayout(location = 0) out vec4 result;\nvoid main() {\n"
         "  vec3 q = at * (0.35 + 1.7 * at.x * at.x) * scale;\n"
         "  vec3 d = vec3(sin(at.x * 2.1), cos(at.y * 2.3), sin(at.x * 1.3 + at.y * 1.9)) + 0.1 * q;\n"
         "  float layer = floor((at.x * 2.0 + at.y) * 1.7) + 1.3;\n  float ref = 0.5 + 0.4 * at.z;\n  " +
         places[size_t(one.kind)] + ";\n  result = vec4(" + lookup + ");\n}\n";
}

class TextureMatrix : public testing::TestWithParam<TextureCase> {
 protected:
  static void SetUpTestSuite() {
    try {
      static const CompatibilityContext context;
    } catch (const std::exception& error) {
      missing_ = error.what();
    }
  }
  void SetUp() override {
    if (!missing_.empty()) GTEST_SKIP() << "OpenGL: " << missing_;
  }
  static inline std::string missing_;
};

TriangleScene scene_of(const TextureCase& one, const Program& program) {
  TriangleScene scene;
  scene.width = kWidth;
  scene.height = kHeight;
  scene.uniforms.assign(std::max(program.uniform_words, 1u), std::bit_cast<uint32_t>(one.scale));
  const float corners[3][3] = {{-1.1f, -0.9f, -1}, {2.9f, -0.6f, 0.5f}, {-0.8f, 2.7f, 1.5f}};
  for (size_t c = 0; c < 3; ++c) {
    scene.corners[c].resize(program.input_words);
    for (const Input& input : program.inputs)
      for (uint32_t i = 0; i < input.words; ++i)
        scene.corners[c][input.first + i] = std::bit_cast<uint32_t>(corners[c][i]);
  }
  const CapturedTexture texture = texture_of(one);
  scene.textures.add(texture, texels_of(texture), one.sampler);
  scene.textures.prepare();
  return scene;
}

TEST_P(TextureMatrix, IsAsLlvmpipeHasIt) {
  const TextureCase& one = GetParam();
  const std::string text = text_of(one);
  const Program program = compiled(text);
  const TriangleScene scene = scene_of(one, program);
  ASSERT_EQ(program.samplers.size(), 1u);
  ASSERT_EQ(misfit(program.samplers[0], scene.textures.sampled.records[0]), "");
  const Code code = assemble(program);
  TrianglePicture ours;
  for (const std::string& isa : runnable_kernels()) {
    Instance instance(code, *find_kernel(isa), scene.uniforms);
    instance.bind(scene.textures.tables, scene.textures.slots);
    TrianglePicture picture = shade_triangle(program, instance, kWidth, kHeight, scene.corners);
    if (!ours.outputs.empty()) {
      for (size_t i = 0; i < ours.outputs.size(); ++i)
        ASSERT_EQ(same_nan(std::bit_cast<uint32_t>(picture.outputs[i])),
                  same_nan(std::bit_cast<uint32_t>(ours.outputs[i])))
            << isa << ", number " << i;
    }
    ours = std::move(picture);
  }
  const std::vector<float> theirs = GlTriangle(program, text, scene).draw(0);
  size_t off = 0;
  double worst_of_near = 0;
  std::string first;
  for (size_t pixel = 0; pixel < ours.kept.size(); ++pixel) {
    double worst = 0;
    for (size_t c = 0; c < 4; ++c) {
      const double a = ours.outputs[4 * pixel + c], b = theirs[4 * pixel + c];
      worst = std::max(worst, std::abs(a - b) / std::max(1.0, std::abs(b)));
      if (std::isnan(a) != std::isnan(b)) worst = 1;
    }
    if (worst <= one.tolerance) {
      worst_of_near = std::max(worst_of_near, worst);
      continue;
    }
    if (++off <= 4) {
      first += "(" + std::to_string(pixel % kWidth) + ", " + std::to_string(pixel / kWidth) + "): ";
      for (size_t c = 0; c < 4; ++c)
        first += std::to_string(ours.outputs[4 * pixel + c]) + " / " + std::to_string(theirs[4 * pixel + c]) + "  ";
    }
  }
  const double share = double(off) / double(ours.kept.size());
  RecordProperty("off", std::to_string(share));
  EXPECT_LE(share, one.others) << first;
  if (std::getenv("BROKKR_TEXTURE_FIGURES") != nullptr)
    std::printf("%s: %.3f %% off, the others within %.5f\n", one.name.c_str(), 100 * share, worst_of_near);
}

CapturedSampler sampler_of(bool linear, MipFilter mip, TextureWrap wrap) {
  CapturedSampler s;
  s.magnify_linear = s.minify_linear = linear;
  s.mip = mip;
  s.wrap.fill(wrap);
  s.border = {0.2f, 0.9f, 0.4f, 0.7f};
  return s;
}

const char* const kKindNames[] = {"One",      "Two",      "Three",     "Cube",  "Rectangle",
                                  "OneArray", "TwoArray", "CubeArray", "Buffer"};
const char* const kWrapNames[] = {"Repeat", "Mirror", "Edge", "Border", "Clamp", "MirrorEdge"};
const char* const kMipNames[] = {"", "MipNearest", "MipLinear"};

std::vector<TextureCase> wraps_and_filters() {
  std::vector<TextureCase> cases;
  for (int kind = 0; kind < int(TextureKind::buffer); ++kind) {
    for (int wrap = 0; wrap <= int(TextureWrap::mirror_clamp_to_edge); ++wrap) {
      const bool rectangle = TextureKind(kind) == TextureKind::rectangle;
      if (rectangle && (wrap < 2 || wrap == 5)) continue;  // not allowed
      for (int filter = 0; filter < 6; ++filter) {
        const auto mip = MipFilter(filter / 2);
        if (rectangle && mip != MipFilter::none) continue;
        TextureCase one;
        one.name = std::string(kKindNames[kind]) + kWrapNames[wrap] + (filter % 2 == 1 ? "Linear" : "Nearest") +
                   kMipNames[filter / 2];
        one.kind = TextureKind(kind);
        one.sampler = sampler_of(filter % 2 == 1, mip, TextureWrap(wrap));
        if (filter % 2 == 0) one.others = 0.02;
        cases.push_back(one);
      }
    }
  }
  return cases;
}

std::vector<TextureCase> formats() {
  std::vector<TextureCase> cases;
  for (int format = 0; format <= int(TexelFormat::bc7_srgb); ++format) {
    if (TexelFormat(format) == TexelFormat::stencil8) continue;  // Mesa 22.3 has no textures of it
    TextureCase one;
    one.name = "Format" + std::to_string(format);
    one.format = TexelFormat(format);
    const SampledType type = type_of(one.format);
    one.base = base_of(one.format);
    if (type != SampledType::real) one.lookup = "texture(map, p) % 65536";
    one.sampler = sampler_of(false, MipFilter::none, TextureWrap::repeat);
    one.scale = 0.5f;
    one.others = 0.02;
    one.tolerance = one.format == TexelFormat::bc7_srgb ? 0.0012 : 1e-6;  // llvmpipe decodes this one with the curve
    // Codes of few bits are widened to 8.
    if (one.format >= TexelFormat::rgb565 && one.format <= TexelFormat::rgba4) one.tolerance = 0.003;
    cases.push_back(one);
  }
  return cases;
}

std::vector<TextureCase> filtered_formats() {
  std::vector<TextureCase> cases;
  for (const TexelFormat format :
       {TexelFormat::rgba8_srgb, TexelFormat::rgb10_a2, TexelFormat::rgba16, TexelFormat::rgba16f, TexelFormat::rg32f,
        TexelFormat::rgba8_snorm, TexelFormat::bc3_srgb, TexelFormat::bc7, TexelFormat::depth24}) {
    TextureCase one;
    one.name = "Filtered" + std::to_string(int(format));
    one.format = format;
    one.base = base_of(format);
    one.sampler = sampler_of(true, MipFilter::linear, TextureWrap::clamp_to_border);
    cases.push_back(one);
    one.name += "Repeat";
    one.sampler.wrap.fill(TextureWrap::repeat);
    cases.push_back(one);
  }
  TextureCase raw;
  raw.name = "SrgbAsItIs";
  raw.format = TexelFormat::rgba8_srgb;
  raw.sampler.srgb_decode = false;
  cases.push_back(raw);
  return cases;
}

std::vector<TextureCase> levels() {
  std::vector<TextureCase> cases;
  const auto add = [&](const char* name, auto&& change) {
    TextureCase one;
    one.name = name;
    change(one);
    cases.push_back(one);
  };
  add("Bias", [](TextureCase& c) { c.sampler.lod_bias = 1.3f; });
  add("BiasOfTheShader", [](TextureCase& c) { c.lookup = "texture(map, p, -0.7)"; });
  add("LowestLevel", [](TextureCase& c) { c.sampler.lod_min = 1.4f; });
  add("HighestLevel", [](TextureCase& c) { c.sampler.lod_max = 1.2f; });
  add("BaseLevel", [](TextureCase& c) { c.sampler.base_level = 1; });
  add("MaxLevel", [](TextureCase& c) { c.sampler.max_level = 2; });
  add("BaseAndMaxLevel", [](TextureCase& c) { c.sampler.base_level = 1, c.sampler.max_level = 2; });
  add("MagnifyNearest", [](TextureCase& c) { c.sampler.magnify_linear = false, c.others = 0.02; });
  add("MinifyNearest", [](TextureCase& c) { c.sampler.minify_linear = false, c.others = 0.02; });
  add("Lod", [](TextureCase& c) { c.lookup = "textureLod(map, p, at.x * 3.0)"; });
  add("Grad", [](TextureCase& c) { c.lookup = "textureGrad(map, p, vec2(0.1 * at.x, 0.02), vec2(0.05, 0.2 * at.y))"; });
  add("Proj", [](TextureCase& c) { c.lookup = "textureProj(map, vec3(p, 1.5 + at.y))"; });
  add("Offset", [](TextureCase& c) { c.lookup = "textureOffset(map, p, ivec2(3, -2))"; });
  add("OffsetBorder", [](TextureCase& c) {
    c.lookup = "textureOffset(map, p, ivec2(-7, 6))";
    c.sampler.wrap.fill(TextureWrap::clamp_to_border);
  });
  add("Fetch", [](TextureCase& c) { c.lookup = "texelFetch(map, ivec2(abs(at.xy) * 4.0), int(abs(at.z)))"; });
  add("FetchOffset",
      [](TextureCase& c) { c.lookup = "texelFetchOffset(map, ivec2(abs(at.xy) * 4.0), 0, ivec2(2, 1))"; });
  add("FetchOfArrays", [](TextureCase& c) {
    c.kind = TextureKind::two_array;
    c.lookup = "texelFetch(map, ivec3(abs(at) * 4.0), 0)";
  });
  // Numbers between two layers. Half-way between them llvmpipe takes the even one; GLSL and Brokkr take the upper one.
  for (const auto& [kind, place] : {std::pair{TextureKind::one_array, "vec2(q.x"},
                                    {TextureKind::two_array, "vec3(q.xy"},
                                    {TextureKind::cube_array, "vec4(d"}}) {
    add((std::string("FractionOf") + kKindNames[int(kind)]).c_str(), [kind, place](TextureCase& c) {
      c.kind = kind;
      c.lookup = std::string("texture(map, ") + place + ", at.x * 4.0 - 1.2))";
    });
  }
  add("FetchOfBuffers", [](TextureCase& c) { c.kind = TextureKind::buffer, c.lookup = "texelFetch(map, p)"; });
  add("Size", [](TextureCase& c) {
    c.lookup = "textureSize(map, int(abs(at.z) * 2.0)), textureQueryLevels(map), 1", c.others = 0.05;
  });
  add("SizeOfArrays", [](TextureCase& c) {
    c.kind = TextureKind::cube_array;
    c.lookup = "textureSize(map, int(abs(at.x))), 1", c.others = 0.05;
  });
  add("QueryLod", [](TextureCase& c) { c.lookup = "textureQueryLod(map, p), 0, 1", c.tolerance = 0.01; });
  add("Gather", [](TextureCase& c) { c.lookup = "textureGather(map, p)", c.others = 0.02; });
  add("GatherBlue", [](TextureCase& c) { c.lookup = "textureGather(map, p, 2)", c.others = 0.02; });
  add("GatherOffsets", [](TextureCase& c) {
    c.lookup = "textureGatherOffsets(map, p, ivec2[4](ivec2(1, -2), ivec2(-3, 0), ivec2(7, 4), ivec2(-8, 5)), 1)";
    c.others = 0.02;
  });
  add("GatherFarOffsets", [](TextureCase& c) {
    c.lookup = "textureGatherOffsets(map, p, ivec2[4](ivec2(-32, 31), ivec2(9, 0), ivec2(30, -9), ivec2(0, 1)))";
    c.others = 0.02;
  });
  for (const auto& [name, wrap] :
       {std::pair{"GatherAnyOffset", TextureWrap::repeat}, {"GatherAnyOffsetBorder", TextureWrap::clamp_to_border}}) {
    add(name, [wrap](TextureCase& c) {
      c.lookup = "textureGatherOffset(map, p, ivec2(at.xy * 9.0) - 4, 3)";
      c.sampler.wrap.fill(wrap);
      c.others = 0.02;
    });
  }
  for (const TextureWrap wrap : {TextureWrap::mirrored_repeat, TextureWrap::mirror_clamp_to_edge}) {
    const std::string name = kWrapNames[int(wrap)];
    const auto add_mirrored = [&, wrap](const std::string& kind, auto&& change) {
      add(("Gather" + kind + name).c_str(), [&](TextureCase& c) {
        c.lookup = "textureGather(map, p, 2)";
        c.sampler.wrap.fill(wrap);
        c.others = 0.02;
        change(c);
      });
    };
    add_mirrored("", [](TextureCase&) {});
    add_mirrored("OneAxis", [](TextureCase& c) { c.sampler.wrap[1] = TextureWrap::repeat; });
    add_mirrored("AnyOffset",
                 [](TextureCase& c) { c.lookup = "textureGatherOffset(map, p, ivec2(at.xy * 9.0) - 4, 3)"; });
    add_mirrored("Array", [](TextureCase& c) { c.kind = TextureKind::two_array; });
  }
  add("GatherOfCubes",
      [](TextureCase& c) { c.kind = TextureKind::cube, c.lookup = "textureGather(map, p, 1)", c.others = 0.02; });
  add("Seamless", [](TextureCase& c) { c.kind = TextureKind::cube, c.sampler.seamless = true; });
  add("SeamlessCorner", [](TextureCase& c) {
    c.kind = TextureKind::cube, c.sampler.seamless = true, c.width = 16;
    c.lookup = "texture(map, vec3(1.0, 1.0 - 0.03 * abs(at.x), 1.0 - 0.03 * abs(at.y)))";
  });
  add("SeamlessNearest", [](TextureCase& c) {
    c.kind = TextureKind::cube, c.others = 0.02;
    c.sampler = sampler_of(false, MipFilter::nearest, TextureWrap::repeat);
    c.sampler.seamless = true;
  });
  add("SeamlessFloats", [](TextureCase& c) {
    c.kind = TextureKind::cube_array, c.format = TexelFormat::rgba16f;
    c.sampler.seamless = true;
  });
  add("GradOfCubes", [](TextureCase& c) {
    c.kind = TextureKind::cube;
    c.lookup = "textureGrad(map, p, vec3(0.1, at.x * 0.1, 0.02), vec3(0.2, 0.05, 0.1 * at.y))";
  });
  return cases;
}

std::vector<TextureCase> channels() {
  std::vector<TextureCase> cases;
  const auto add = [&](const char* name, TexelFormat format, TexelBase base, auto&& change) {
    TextureCase one;
    one.name = name;
    one.format = format;
    one.base = base;
    one.sampler = sampler_of(true, MipFilter::none, TextureWrap::clamp_to_border);
    change(one);
    cases.push_back(one);
  };
  const auto nothing = [](TextureCase&) {};
  add("Red", TexelFormat::r8, TexelBase::red, nothing);
  add("Rg", TexelFormat::rg8, TexelBase::rg, nothing);
  add("Rgb", TexelFormat::rgba8, TexelBase::rgb, nothing);
  add("RgbOfBlocks", TexelFormat::bc1, TexelBase::rgb, nothing);
  add("Alpha", TexelFormat::r8, TexelBase::alpha, nothing);
  add("Luminance", TexelFormat::r8, TexelBase::luminance, nothing);
  add("LuminanceAlpha", TexelFormat::rg8, TexelBase::luminance_alpha, nothing);
  add("Intensity", TexelFormat::r8, TexelBase::intensity, nothing);
  add("Swizzle", TexelFormat::rgba8, TexelBase::rgba, [](TextureCase& c) {
    c.sampler.swizzle = {Swizzle::b, Swizzle::zero, Swizzle::a, Swizzle::one};
  });
  add("SwizzleOfLuminance", TexelFormat::r8, TexelBase::luminance, [](TextureCase& c) {
    c.sampler.swizzle = {Swizzle::a, Swizzle::g, Swizzle::one, Swizzle::r};
  });
  // From GLSL 1.30 on, Mesa treats intensity as alpha.
  for (const auto& [name, mode] : {std::pair{"DepthLuminance", DepthMode::luminance},
                                   {"DepthIntensity", DepthMode::intensity},
                                   {"DepthRed", DepthMode::red}}) {
    add(name, TexelFormat::depth32f, TexelBase::depth, [mode](TextureCase& c) { c.sampler.depth_mode = mode; });
  }
  return cases;
}

std::vector<TextureCase> shadows() {
  std::vector<TextureCase> cases;
  const auto add = [&](const std::string& name, TextureKind kind, const char* lookup) -> TextureCase& {
    TextureCase one;
    one.name = name;
    one.kind = kind;
    one.format = TexelFormat::depth32f;
    one.base = TexelBase::depth;
    one.sampler = sampler_of(true, MipFilter::none, TextureWrap::clamp_to_border);
    one.sampler.compare = CompareFunc::lequal;
    one.lookup = lookup;
    one.tolerance = 2.0 / 255;
    one.others = 0.02;
    return cases.emplace_back(one);
  };
  for (const CompareFunc func : {CompareFunc::never, CompareFunc::less, CompareFunc::lequal, CompareFunc::greater,
                                 CompareFunc::gequal, CompareFunc::notequal, CompareFunc::always})
    add("Compare" + std::to_string(int(func)), TextureKind::two, "texture(map, vec3(p, ref))").sampler.compare = func;
  add("Depth16", TextureKind::two, "texture(map, vec3(p, ref * 1.5 - 0.3))").format = TexelFormat::depth16;
  add("Depth24", TextureKind::two, "texture(map, vec3(p, ref * 1.5 - 0.3))").format = TexelFormat::depth24;
  add("Proj", TextureKind::two, "textureProj(map, vec4(p, ref, 1.2))");
  add("Mips", TextureKind::two, "texture(map, vec3(p, ref))").sampler.mip = MipFilter::linear;
  add("Offset", TextureKind::two, "textureOffset(map, vec3(p, ref), ivec2(1, -3))");
  add("Gather", TextureKind::two, "textureGather(map, p, ref)");
  add("GatherAnyOffset", TextureKind::two, "textureGatherOffset(map, p, ref, ivec2(at.xy * 9.0) - 4)");
  add("GatherOffsets", TextureKind::two,
      "textureGatherOffsets(map, p, ref, ivec2[4](ivec2(1, -2), ivec2(-3, 0), ivec2(7, 4), ivec2(-8, 5)))");
  add("One", TextureKind::one, "texture(map, vec3(p, 0.0, ref))");
  add("Rectangle", TextureKind::rectangle, "texture(map, vec3(p, ref))");
  add("OneArray", TextureKind::one_array, "texture(map, vec3(p, ref))");
  add("TwoArray", TextureKind::two_array, "texture(map, vec4(p, ref))");
  add("Cube", TextureKind::cube, "texture(map, vec4(p, ref))");
  add("CubeArray", TextureKind::cube_array, "texture(map, p, ref)");
  return cases;
}

std::vector<TextureCase> integers() {
  std::vector<TextureCase> cases;
  for (const auto& [name, kind, format] : {std::tuple{"ThreeSigned", TextureKind::three, TexelFormat::rgba16i},
                                           std::tuple{"CubeUnsigned", TextureKind::cube, TexelFormat::rgba8ui},
                                           std::tuple{"ArraySigned", TextureKind::two_array, TexelFormat::rg8i},
                                           std::tuple{"OneUnsigned", TextureKind::one, TexelFormat::r16ui},
                                           std::tuple{"BufferUnsigned", TextureKind::buffer, TexelFormat::r32ui}}) {
    TextureCase one;
    one.name = name;
    one.kind = kind;
    one.format = format;
    one.base = base_of(format);
    one.sampler = sampler_of(false, MipFilter::nearest, TextureWrap::repeat);
    one.lookup = kind == TextureKind::buffer ? "texelFetch(map, p) % 65536" : "texture(map, p) % 65536";
    one.others = 0.02;
    cases.push_back(one);
  }
  return cases;
}

// Ellipses of many directions and lengths, in textures with power-of-two sides except for one.
std::vector<TextureCase> ellipses() {
  std::vector<TextureCase> cases;
  const auto add = [&](const char* name, auto&& change) {
    TextureCase one;
    one.name = name;
    one.others = 0.001;
    one.width = 32, one.height = 16;
    one.sampler.anisotropy = 4;
    one.scale = 0.5f;
    one.lookup = "texture(map, p * vec2(1.0, 0.15 + 0.1 * at.y) + p.yx * 0.3)";
    change(one);
    cases.push_back(one);
  };
  add("Repeat", [](TextureCase&) {});
  add("Magnified", [](TextureCase& c) { c.scale = 0.05f; });
  add("Edge", [](TextureCase& c) { c.sampler.wrap.fill(TextureWrap::clamp_to_edge); });
  add("Mirror", [](TextureCase& c) { c.sampler.wrap.fill(TextureWrap::mirrored_repeat); });
  add("Border", [](TextureCase& c) {
    c.sampler = sampler_of(true, MipFilter::linear, TextureWrap::clamp_to_border);
    c.sampler.anisotropy = 2;
  });
  add("AnySize", [](TextureCase& c) {
    c.width = 20, c.height = 12;
    c.sampler.wrap.fill(TextureWrap::clamp_to_edge);
  });
  add("MipNearest", [](TextureCase& c) { c.sampler.mip = MipFilter::nearest; });
  add("NoMips", [](TextureCase& c) { c.sampler.mip = MipFilter::none; });
  add("Nearest", [](TextureCase& c) { c.sampler.magnify_linear = c.sampler.minify_linear = false; });
  add("Bias", [](TextureCase& c) { c.sampler.lod_bias = 0.8f; });
  add("BiasOfTheShader", [](TextureCase& c) { c.lookup = "texture(map, p * vec2(1.0, 0.2), 0.9)"; });
  add("Offset", [](TextureCase& c) { c.lookup = "textureOffset(map, p * vec2(1.0, 0.2), ivec2(3, -2))"; });
  add("Proj", [](TextureCase& c) { c.lookup = "textureProj(map, vec3(p * vec2(1.0, 0.2), 1.5 + at.y))"; });
  add("Srgb", [](TextureCase& c) { c.format = TexelFormat::rgba8_srgb; });
  add("Blocks", [](TextureCase& c) { c.format = TexelFormat::bc3; });
  add("Floats", [](TextureCase& c) { c.format = TexelFormat::rgba16f; });
  add("Array", [](TextureCase& c) {
    c.kind = TextureKind::two_array;
    c.lookup = "texture(map, vec3(p.xy * vec2(1.0, 0.2), p.z))";
  });
  for (const auto& [name, format] : {std::pair{"Cube", TexelFormat::rgba8},
                                     {"CubeLight", TexelFormat::rgba8_srgb},
                                     {"CubeFloats", TexelFormat::rgba16f}}) {
    add(name, [format](TextureCase& c) {
      c.kind = TextureKind::cube;
      c.format = format;
      c.width = 64;
      c.lookup = "texture(map, p * vec3(1.0, 0.3, 1.0) + vec3(0.0, 0.3 * at.x, 0.0))";
    });
  }
  add("CubeArray", [](TextureCase& c) {
    c.kind = TextureKind::cube_array;
    c.width = 32;
    c.lookup = "texture(map, p * vec4(1.0, 0.3, 1.0, 1.0))";
  });
  return cases;
}

const auto kName = [](const testing::TestParamInfo<TextureCase>& one) { return one.param.name; };
INSTANTIATE_TEST_SUITE_P(Wraps, TextureMatrix, testing::ValuesIn(wraps_and_filters()), kName);
INSTANTIATE_TEST_SUITE_P(Formats, TextureMatrix, testing::ValuesIn(formats()), kName);
INSTANTIATE_TEST_SUITE_P(Filters, TextureMatrix, testing::ValuesIn(filtered_formats()), kName);
INSTANTIATE_TEST_SUITE_P(Levels, TextureMatrix, testing::ValuesIn(levels()), kName);
INSTANTIATE_TEST_SUITE_P(Channels, TextureMatrix, testing::ValuesIn(channels()), kName);
INSTANTIATE_TEST_SUITE_P(Shadows, TextureMatrix, testing::ValuesIn(shadows()), kName);
INSTANTIATE_TEST_SUITE_P(Ellipses, TextureMatrix, testing::ValuesIn(ellipses()), kName);
INSTANTIATE_TEST_SUITE_P(Integers, TextureMatrix, testing::ValuesIn(integers()), kName);

}  // namespace
}  // namespace brokkr::shader::test
