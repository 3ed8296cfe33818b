// The programs of a captured frame: fragment programs, the inputs of each draw, and textures. They are plain data,
// stored in frame files of version 2 (docs/reference/frame-format.md). Frames from other sources have none.
//
// Names, types and offsets are OpenGL's, in the program that the application linked. Only those that its fragment
// shader reads are present.
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

// Number types of shaders, by their GLSL names; f32, i32, u32 and b32 are float, int, uint and bool. Each component
// takes 32 bits. Matrices are stored column by column; mat2x3 has two columns of three.
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

// An input of a fragment shader from the vertices: `count` elements (1: not an array), contiguous from component
// `offset` of a vertex's varyings on. Built-ins use their names: gl_Color, gl_SecondaryColor, gl_TexCoord[2],
// gl_FogFragCoord. Vertex colours are already clamped. Three names serve rasterization, whether or not the shader reads
// them: gl_PointSize in pixels, and gl_BackColor and gl_BackSecondaryColor, which replace the two colours on back
// faces.
struct ProgramVarying {
  std::string name;
  ShaderType type = ShaderType::vec4;
  uint32_t count = 1, offset = 0;
  Interpolation interpolation = Interpolation::smooth;
  bool centroid = false, sample = false;  // `centroid` and `sample` of GLSL: the place within the pixel
  bool operator==(const ProgramVarying&) const = default;
};

// A uniform of the default block (`block` -1) or of a uniform block. `offset` and strides are in bytes; the default
// block has no gaps between elements and columns. Built-ins such as gl_Fog.color are in the default block.
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

// A uniform that samples textures, or an array of `count` such uniforms.
struct ProgramSampler {
  std::string name;
  TextureKind kind = TextureKind::two;
  SampledType type = SampledType::real;
  bool shadow = false;  // compares with a reference depth
  uint32_t count = 1;
  bool operator==(const ProgramSampler&) const = default;
};

// An output variable of the fragment shader (gl_FragColor and gl_FragData[0] too) and its draw buffer; for an array,
// the first of `count` draw buffers. `index` 1: the second source of blending.
struct ProgramOutput {
  std::string name;
  ShaderType type = ShaderType::vec4;
  uint32_t count = 1, location = 0, index = 0;
  bool operator==(const ProgramOutput&) const = default;
};

// Fixed function, which replaces a fragment shader, as OpenGL 1.5 defines it.
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

// A unit with a texture. The sampler with the same number in the program reads the texture at the varying
// gl_TexCoord[unit].
struct TextureUnit {
  uint32_t unit = 0;
  EnvironmentMode mode = EnvironmentMode::modulate;
  glm::vec4 color{0.0f};
  CombineTerm rgb, alpha;  // EnvironmentMode::combine only
  bool operator==(const TextureUnit&) const = default;
};

enum class FogMode : uint8_t { linear, exp, exp2 };
struct Fog {
  FogMode mode = FogMode::exp;
  glm::vec4 color{0.0f};
  float density = 1, start = 0, end = 1;
  bool operator==(const Fog&) const = default;
};

// A uniform of 1024 floats: the pattern of stippled triangles, 32 rows from the bottom, 0 or 1 for each pixel. A fixed-
// function program that has it discards the fragments where it is 0; texts do so by themselves.
inline constexpr const char* kStippleUniform = "brokkr_stipple";

struct FixedFunction {
  std::vector<TextureUnit> units;
  bool separate_specular = false;  // gl_SecondaryColor is added after texturing
  std::optional<Fog> fog;
  bool operator==(const FixedFunction&) const = default;
};

// The program that draws of a captured frame run per fragment: GLSL texts, or fixed function.
struct FragmentProgram {
  std::vector<std::string> texts;  // in GLSL: all fragment shaders that were linked together
  int version = 110;               // #version of the first text
  std::vector<ProgramVarying> varyings;
  std::vector<ProgramUniform> uniforms;
  std::vector<ProgramBlock> blocks;
  std::vector<ProgramSampler> samplers;
  std::vector<ProgramOutput> outputs;
  std::optional<FixedFunction> fixed;  // if set, there are no texts
  bool operator==(const FragmentProgram&) const = default;
};

// An attribute of a vertex program, with OpenGL's name: gl_Vertex, gl_MultiTexCoord0. If draws renumber vertices, the
// program has an attribute gl_VertexID of type i32.
struct VertexAttribute {
  std::string name;
  ShaderType type = ShaderType::vec4;
  bool operator==(const VertexAttribute&) const = default;
};

// The program that draws run per vertex, in GLSL. It computes gl_Position, and each varying of the draw's fragment
// program that has the name of one of its outputs. gl_FrontColor, clamped to 0..1, provides gl_Color.
struct VertexProgram {
  std::vector<std::string> texts;  // all vertex shaders that were linked together
  int version = 110;               // #version of the first text
  std::vector<VertexAttribute> attributes;
  std::vector<ProgramUniform> uniforms;
  std::vector<ProgramBlock> blocks;
  std::vector<ProgramSampler> samplers;
  bool operator==(const VertexProgram&) const = default;
};

// The numbers of components of a vertex's varyings, of 32-bit words of the default block, and of textures that a draw
// binds.
uint64_t varying_components(const FragmentProgram& program);
uint64_t uniform_words(const FragmentProgram& program);
uint64_t uniform_words(const VertexProgram& program);
uint64_t bound_textures(const FragmentProgram& program);
uint64_t bound_textures(const VertexProgram& program);

// Storage formats of texels; bc1 to bc7 are blocks of 4 x 4 texels. A depth of 24 bits occupies the low bits of 32.
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
  rgb565,
  rgb5_a1,
  rgba4,
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
// Size in bytes of a block of `edge` x `edge` texels.
struct TexelBlock {
  uint32_t edge = 1, bytes = 4;
};
TexelBlock texel_block(TexelFormat format);

// OpenGL's base formats define which of the four channels exist, and the values of the others. The storage format of
// `alpha`, `luminance` and `intensity` has one channel, and that of `luminance_alpha` has two. `rgb` may have a fourth
// channel, which is ignored.
enum class TexelBase : uint8_t { red, rg, rgb, rgba, alpha, luminance, luminance_alpha, intensity, depth, stencil };

// A plane of a render target: the colour of the draw buffer with that number, depth, or stencil.
enum class TargetPlane : uint8_t { color0, color1, color2, color3, color4, color5, color6, color7, depth, stencil };
inline constexpr size_t kMaxColorPlanes = 8;

struct TargetColor {
  TexelFormat format = TexelFormat::rgba8;
  TexelBase base = TexelBase::rgba;
  bool operator==(const TargetColor&) const = default;
};

// A layer of a level that has the content of a target's plane at the time when it is read.
struct TextureImage {
  uint32_t level = 0, layer = 0;
  uint32_t target = 0;  // index into Frame::targets
  TargetPlane plane = TargetPlane::color0;
  bool operator==(const TextureImage&) const = default;
};

// A texture's content during a period in which it did not change: `levels` levels, largest first, each with its layers
// in order and rows from bottom to top, as in OpenGL. `depth` counts slices, layers, or six faces per cube. If a
// texture is not `stored` and `images` do not cover it, it is missing from the file.
struct CapturedTexture {
  std::string label;
  TextureKind kind = TextureKind::two;
  TexelFormat format = TexelFormat::rgba8;
  TexelBase base = TexelBase::rgba;
  int width = 1, height = 1, depth = 1, levels = 1;
  bool stored = false;
  uint64_t first_byte = 0;  // offset into Frame::texture_data, if stored
  std::vector<TextureImage> images;
};
struct TexelExtent {
  int width, height, depth;
};
// The width and height of level 0 .. levels - 1 in texels, and its number of slices, layers or faces.
TexelExtent level_extent(const CapturedTexture& texture, int level);
// The bytes of one level, and of all levels.
uint64_t level_bytes(const CapturedTexture& texture, int level);
uint64_t texture_bytes(const CapturedTexture& texture);

enum class Swizzle : uint8_t { r, g, b, a, zero, one };
enum class DepthMode : uint8_t { luminance, intensity, alpha, red };  // the channels that receive a depth

// The way that a draw sampled a texture: parameters of the sampler object or, without one, of the texture, and
// parameters that only textures have.
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

// -1: nothing is bound.
struct BoundTexture {
  int32_t texture = -1;  // index into Frame::captured_textures
  int32_t sampler = -1;  // index into Frame::captured_samplers
  bool operator==(const BoundTexture&) const = default;
};

// The source of a vertex attribute: `count` elements of its type, one after another. Each component is a 32-bit word.
struct VertexStream {
  uint64_t first = 0;    // into Frame::attributes
  uint32_t count = 1;    // if 1 and there is a divisor, all vertices have the same value
  uint32_t divisor = 0;  // 0: an element per vertex; n: an element per n instances
  bool operator==(const VertexStream&) const = default;
};

// The inputs of one draw's vertex program.
struct VertexInputs {
  uint32_t program = 0;                   // index into Frame::vertex_programs
  std::vector<VertexStream> attributes;   // as in the program
  uint64_t first_uniform = 0;             // into Frame::uniforms: the default block
  std::vector<uint64_t> first_of_blocks;  // into Frame::uniforms
  std::vector<BoundTexture> textures;     // for each sampler in turn; arrays element by element
  // gl_BaseVertex, which is also part of gl_VertexID; gl_BaseInstance, which is not part of gl_InstanceID; gl_DrawID.
  int32_t base_vertex = 0, base_instance = 0, draw = 0;
};

// The inputs of one draw's fragment program.
struct DrawInputs {
  uint32_t program = 0;                   // index into Frame::programs
  uint64_t first_varying = 0;             // into Frame::varyings; vertex after vertex, instance after instance
  uint64_t first_uniform = 0;             // into Frame::uniforms: the default block
  std::vector<uint64_t> first_of_blocks;  // into Frame::uniforms
  std::vector<BoundTexture> textures;     // for each sampler in turn; arrays element by element
};

}  // namespace brokkr
#pragma GCC visibility pop
