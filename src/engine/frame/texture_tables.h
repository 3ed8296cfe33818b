// Captured textures in the form that run-time shaders sample (shade/texture_unit.h). They are tables of plain data that
// the host makes once per frame (shader/textures.h), the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brokkr/states.h"

namespace brokkr {

// The storage of texels in words. The host converts all formats to these few, which lanes read cheaply.
enum class TexelEncoding : uint8_t {
  rgba8,     // one word: 8 bits each, 0 .. 1, red in the lowest bits
  srgb8,     // the same, with sRGB-encoded red, green and blue
  rgb10_a2,  // one word: 10, 10, 10 and 2 bits, 0 .. 1
  rgba16,    // two words: 16 bits each, 0 .. 1
  rgba16f,   // two words: halves
  r32,       // one, two and four words: floats, or integers if SampledRecord::type is not SampledType::real
  rg32,
  rgba32,
  // The word of rgba8 with the codes that the format has, widened to 8 bits by repeating them. Only planes and what is
  // copied from them are encoded so, because a lookup reads the word as rgba8.
  rgb565,
  rgb5_a1,
  rgba4
};
constexpr bool has_few_bits(TexelEncoding encoding) { return encoding >= TexelEncoding::rgb565; }
constexpr uint32_t words_of(TexelEncoding encoding) {
  if (encoding < TexelEncoding::rgba16 || encoding == TexelEncoding::r32 || has_few_bits(encoding)) return 1;
  return encoding == TexelEncoding::rgba32 ? 4 : 2;
}

// The number of words that each store of texels has beyond its last texel, because machines may load four words of a
// lane where it needs two.
inline constexpr size_t kTexelWordsBeyond = 2;

// The number of levels of the largest texture, which has 16384 x 16384 texels.
inline constexpr uint32_t kMaxSampledLevels = 15;

// The texels of a captured texture in FrameTables::sampled_texels. Texel (x, y) of layer z of a level begins at the
// word first[level] + ((z * h + y) * w + x) * words_of(encoding), where w and h are the level's sides. `depth` counts
// slices, layers, or six faces for each cube, in OpenGL's order.
struct TextureTexels {
  TextureKind kind;
  TexelEncoding encoding;
  uint32_t width, height, depth, levels;
  uint32_t first[kMaxSampledLevels];
};

// The source of a result's channel is a stored channel 0 .. 3, or one of these constants.
inline constexpr uint8_t kChannelZero = 4, kChannelOne = 5;

// A texture together with the sampler that reads it. Level 0 is the sampler's base level.
struct SampledRecord {
  TextureKind kind;
  TexelEncoding encoding;
  SampledType type;
  // True for 8-bit colours of kind two or cube with linear filters that repeat or clamp to edges. Most textures are
  // like this and take a faster path.
  bool usual;
  bool nearest;      // the same for kind two with nearest filters within levels
  bool has_details;  // lookups depend on the level of detail
  TextureWrap wrap[3];
  bool magnify_linear, minify_linear;
  MipFilter mip;
  bool seamless;     // cubes: filters continue across edges
  bool anisotropic;  // kinds two and cube, and arrays of them: samples are ellipses (shade/texture_aniso.h)
  bool compares;
  CompareFunc compare;
  bool clamps_reference;  // the depth format's values lie in 0..1
  uint8_t channel[4];     // sources of red, green, blue and alpha
  uint32_t width, height, depth, levels;
  float lod_min, lod_max, lod_bias;
  uint32_t border[4];                 // in stored channels: bits of floats, or integers
  uint32_t first[kMaxSampledLevels];  // as in TextureTexels
};

// Returns true for one, two or three axes without layers, or a rectangle, real numbers, and the same filter near and
// far: lookups take the path of shade/texture_plain.h if they do not take a faster one.
constexpr bool is_plain(const SampledRecord& texture) {
  const bool fits = texture.kind == TextureKind::one || texture.kind == TextureKind::two ||
                    texture.kind == TextureKind::three ||
                    (texture.kind == TextureKind::rectangle && texture.levels == 1);
  return fits && texture.type == SampledType::real && texture.magnify_linear == texture.minify_linear;
}

}  // namespace brokkr
