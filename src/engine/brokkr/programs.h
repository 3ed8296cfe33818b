// What a captured frame says of its colours: fragment programs, what each draw gave them, textures. All plain data,
// which frame files of version 2 hold (docs/reference/frame-format.md). A Frame out of another source has none of it.
//
// Names, types and offsets are OpenGL's: they are those of the program that the application linked, as far as its
// fragment shader reads them.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec4.hpp>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/states.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// Numbers of shaders, by their names in GLSL; f32, i32, u32 and b32 are float, int, uint and bool. Each component takes
// 32 bits; matrices stand column by column, and mat2x3 has two columns of three.
enum class ShaderType : uint8_t {
  f32,
  vec2,
  vec3,
  vec4,
  i32,
  ivec2,
  ivec3,
  ivec4,
  u32,
  uvec2,
  uvec3,
  uvec4,
  b32,
  bvec2,
  bvec3,
  bvec4,
  mat2,
  mat2x3,
  mat2x4,
  mat3x2,
  mat3,
  mat3x4,
  mat4x2,
  mat4x3,
  mat4
};

struct ShaderShape {
  uint32_t rows = 1, columns = 1;
  uint32_t components() const { return rows * columns; }
};
constexpr ShaderShape shape_of(ShaderType type) {
  const auto number = uint32_t(type);
  if (type < ShaderType::mat2) return {number % 4 + 1, 1};
  const uint32_t matrix = number - uint32_t(ShaderType::mat2);
  return {matrix % 3 + 2, matrix / 3 + 2};
}

enum class Interpolation : uint8_t { smooth, flat, noperspective };

// What a fragment shader gets from the vertices: `count` elements (1: no array), next to each other from component
// `offset` of a vertex's varyings on. Built-in ones go by their names: gl_Color, gl_SecondaryColor, gl_TexCoord[2],
// gl_FogFragCoord. The vertex colours are clamped already. Three are there for rasterization, whether the shader knows
// them or not: gl_PointSize in pixels, and gl_BackColor and gl_BackSecondaryColor, which take the place of the two
// colours on back faces.
struct ProgramVarying {
  std::string name;
  ShaderType type = ShaderType::vec4;
  uint32_t count = 1, offset = 0;
  Interpolation interpolation = Interpolation::smooth;
  bool centroid = false;
  bool operator==(const ProgramVarying&) const = default;
};

// A uniform of the default block (`block` -1) or of a block. `offset` and strides are in bytes; in the default block,
// elements and columns stand without gaps. Built-in ones are of the default block: gl_Fog.color.
struct ProgramUniform {
  std::string name;
  ShaderType type = ShaderType::vec4;
  uint32_t count = 1;
  int32_t block = -1;
  uint32_t offset = 0, array_stride = 0, matrix_stride = 0;
  bool row_major = false;
  bool operator==(const ProgramUniform&) const = default;
};

struct ProgramBlock {
  std::string name;
  uint32_t size = 0;  // bytes, a multiple of 4
  bool operator==(const ProgramBlock&) const = default;
};

// A uniform through which textures are read, or `count` of them.
struct ProgramSampler {
  std::string name;
  TextureKind kind = TextureKind::two;
  SampledType type = SampledType::real;
  bool shadow = false;  // compares with a reference value
  uint32_t count = 1;
  bool operator==(const ProgramSampler&) const = default;
};

// A variable that the fragment shader writes, gl_FragColor and gl_FragData[0] among them, and the number of the draw
// buffer that it goes to (the first of `count`). `index` 1: a second source of blending.
struct ProgramOutput {
  std::string name;
  ShaderType type = ShaderType::vec4;
  uint32_t count = 1, location = 0, index = 0;
  bool operator==(const ProgramOutput&) const = default;
};

// Fixed function: what takes the place of a fragment shader, as OpenGL 1.5 defines it.
enum class EnvironmentMode : uint8_t { modulate, replace, decal, blend, add, combine };
enum class CombineOp : uint8_t { replace, modulate, add, add_signed, interpolate, subtract, dot3_rgb, dot3_rgba };
enum class CombineSource : uint8_t {
  texture,
  constant,
  primary,
  previous,
  texture0,
  texture1,
  texture2,
  texture3,
  texture4,
  texture5,
  texture6,
  texture7
};
enum class CombineOperand : uint8_t { color, one_minus_color, alpha, one_minus_alpha };

struct CombineTerm {
  CombineOp op = CombineOp::modulate;
  std::array<CombineSource, 3> sources{CombineSource::texture, CombineSource::previous, CombineSource::constant};
  std::array<CombineOperand, 3> operands{CombineOperand::color, CombineOperand::color, CombineOperand::alpha};
  float scale = 1;
  bool operator==(const CombineTerm&) const = default;
};

// A unit that has a texture; the program's sampler of the same number reads it, at the varying gl_TexCoord[unit].
struct TextureUnit {
  uint32_t unit = 0;
  EnvironmentMode mode = EnvironmentMode::modulate;
  glm::vec4 color{0.0f};
  CombineTerm rgb, alpha;  // of EnvironmentMode::combine
  bool operator==(const TextureUnit&) const = default;
};

enum class FogMode : uint8_t { linear, exp, exp2 };
struct Fog {
  FogMode mode = FogMode::exp;
  glm::vec4 color{0.0f};
  float density = 1, start = 0, end = 1;
  bool operator==(const Fog&) const = default;
};

struct FixedFunction {
  std::vector<TextureUnit> units;
  bool separate_specular = false;  // gl_SecondaryColor is added after texturing
  std::optional<Fog> fog;
  bool operator==(const FixedFunction&) const = default;
};

// What draws of a captured frame ran for each fragment: texts, or fixed function.
struct FragmentProgram {
  std::vector<std::string> texts;  // of all fragment shaders that were linked together, in GLSL
  int version = 110;               // of the first text's #version
  std::vector<ProgramVarying> varyings;
  std::vector<ProgramUniform> uniforms;
  std::vector<ProgramBlock> blocks;
  std::vector<ProgramSampler> samplers;
  std::vector<ProgramOutput> outputs;
  std::optional<FixedFunction> fixed;  // there are no texts then
  bool operator==(const FragmentProgram&) const = default;
};

// Components of a vertex's varyings; 32-bit words of the default block; textures that a draw binds.
uint64_t varying_components(const FragmentProgram& program);
uint64_t uniform_words(const FragmentProgram& program);
uint64_t bound_textures(const FragmentProgram& program);

// How texels are stored; bc1 to bc7 are blocks of 4 x 4. Depth of 24 bits stands in the low bits of 32.
enum class TexelFormat : uint8_t {
  r8,
  rg8,
  rgba8,
  rgba8_srgb,
  r8_snorm,
  rg8_snorm,
  rgba8_snorm,
  r16,
  rg16,
  rgba16,
  r16_snorm,
  rg16_snorm,
  rgba16_snorm,
  r16f,
  rg16f,
  rgba16f,
  r32f,
  rg32f,
  rgba32f,
  r8i,
  rg8i,
  rgba8i,
  r16i,
  rg16i,
  rgba16i,
  r32i,
  rg32i,
  rgba32i,
  r8ui,
  rg8ui,
  rgba8ui,
  r16ui,
  rg16ui,
  rgba16ui,
  r32ui,
  rg32ui,
  rgba32ui,
  rgb10_a2,
  rgb10_a2ui,
  r11g11b10f,
  rgb9_e5,
  depth16,
  depth24,
  depth32f,
  stencil8,
  bc1,
  bc1_srgb,
  bc2,
  bc2_srgb,
  bc3,
  bc3_srgb,
  bc4,
  bc4_snorm,
  bc5,
  bc5_snorm,
  bc6h,
  bc6h_signed,
  bc7,
  bc7_srgb
};
// Bytes of a block of `edge` x `edge` texels.
struct TexelBlock {
  uint32_t edge = 1, bytes = 4;
};
TexelBlock texel_block(TexelFormat format);

// OpenGL's base formats: which of the four channels there are, and what the others are. The format of `alpha`,
// `luminance` and `intensity` is one channel, that of `luminance_alpha` two; `rgb` may be stored with a fourth channel
// that does not count.
enum class TexelBase : uint8_t { red, rg, rgb, rgba, alpha, luminance, luminance_alpha, intensity, depth, stencil };

// A plane of a render target: the colour of a draw buffer's number, depth or stencil.
enum class TargetPlane : uint8_t { color0, color1, color2, color3, color4, color5, color6, color7, depth, stencil };
inline constexpr size_t kMaxColorPlanes = 8;

struct TargetColor {
  TexelFormat format = TexelFormat::rgba8;
  TexelBase base = TexelBase::rgba;
  bool operator==(const TargetColor&) const = default;
};

// A level's layer that is what a plane of a target holds at that moment.
struct TextureImage {
  uint32_t level = 0, layer = 0;
  uint32_t target = 0;  // index into Frame::targets
  TargetPlane plane = TargetPlane::color0;
  bool operator==(const TextureImage&) const = default;
};

// The content of a texture while it did not change: `levels` levels from the largest on, rows bottom to top as OpenGL
// counts them, layer after layer in each. `depth` counts slices, layers, or six faces for each cube. A texture whose
// `images` do not cover it and that is not `stored` is missing in the file.
struct CapturedTexture {
  std::string label;
  TextureKind kind = TextureKind::two;
  TexelFormat format = TexelFormat::rgba8;
  TexelBase base = TexelBase::rgba;
  int width = 1, height = 1, depth = 1, levels = 1;
  bool stored = false;
  uint64_t first_byte = 0;  // into Frame::texture_data, stored textures
  std::vector<TextureImage> images;
};
struct TexelExtent {
  int width, height, depth;
};
TexelExtent level_extent(const CapturedTexture& texture, int level);
// Bytes of one level, and of all levels.
uint64_t level_bytes(const CapturedTexture& texture, int level);
uint64_t texture_bytes(const CapturedTexture& texture);

enum class Swizzle : uint8_t { r, g, b, a, zero, one };
enum class DepthMode : uint8_t { luminance, intensity, alpha, red };  // channels that a depth is read as

// How a draw read a texture: parameters of the sampler object or, where there was none, of the texture, and those that
// only textures have.
struct CapturedSampler {
  bool magnify_linear = true, minify_linear = true;
  MipFilter mip = MipFilter::linear;
  std::array<TextureWrap, 3> wrap{TextureWrap::repeat, TextureWrap::repeat, TextureWrap::repeat};
  float lod_min = -1000, lod_max = 1000, lod_bias = 0;
  float anisotropy = 1;
  glm::vec4 border{0.0f};
  std::optional<CompareFunc> compare;
  bool srgb_decode = true, seamless = false;
  int base_level = 0, max_level = 1000;
  std::array<Swizzle, 4> swizzle{Swizzle::r, Swizzle::g, Swizzle::b, Swizzle::a};
  DepthMode depth_mode = DepthMode::red;
  bool operator==(const CapturedSampler&) const = default;
};

// -1: nothing was bound.
struct BoundTexture {
  int32_t texture = -1;  // index into Frame::captured_textures
  int32_t sampler = -1;  // index into Frame::captured_samplers
  bool operator==(const BoundTexture&) const = default;
};

// What one draw gave its fragment program.
struct DrawInputs {
  uint32_t program = 0;                   // index into Frame::programs
  uint64_t first_varying = 0;             // into Frame::varyings; vertex after vertex, instance after instance
  uint64_t first_uniform = 0;             // into Frame::uniforms: the default block
  std::vector<uint64_t> first_of_blocks;  // into Frame::uniforms
  std::vector<BoundTexture> textures;     // of each sampler in turn, of arrays element by element
};

}  // namespace brokkr
#pragma GCC visibility pop
