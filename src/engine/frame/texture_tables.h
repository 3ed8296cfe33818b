// Captured textures as run-time shaders sample them (shade/texture_unit.h): tables that the host makes once per frame
// (shader/textures.h). Plain data, the same on every machine.
#pragma once

#include <cstdint>

#include "brokkr/states.h"

namespace brokkr {

// What the words of a texel hold: few forms that lanes read cheaply, into which the host brings all formats.
enum class TexelEncoding : uint8_t {
  rgba8,     // one word: 8 bits each from red in the lowest on, 0 .. 1
  srgb8,     // the same; red, green and blue are encoded as sRGB has it
  rgb10_a2,  // one word: 10, 10, 10 and 2 bits, 0 .. 1
  rgba16,    // two words: 16 bits each, 0 .. 1
  rgba16f,   // two words: halves
  r32,       // one, two and four words: floats, or integers where SampledRecord::type is no SampledType::real
  rg32,
  rgba32
};
constexpr uint32_t words_of(TexelEncoding encoding) {
  if (encoding < TexelEncoding::rgba16 || encoding == TexelEncoding::r32) return 1;
  return encoding == TexelEncoding::rgba32 ? 4 : 2;
}

// Levels of the largest texture, of 16384 texels.
inline constexpr uint32_t kMostSampledLevels = 15;

// The texels of a captured texture in FrameTables::sampled_texels. Texel (x, y) of layer z of a level begins at the
// word first[level] + ((z * h + y) * w + x) * words_of(encoding), where w and h are the level's sides. `depth` counts
// slices, layers, or six faces for each cube, in the order of OpenGL.
struct TextureTexels {
  TextureKind kind;
  TexelEncoding encoding;
  uint32_t width, height, depth, levels;
  uint32_t first[kMostSampledLevels];
};

// Where a channel of a result comes from: a stored channel 0 .. 3, or one of these.
inline constexpr uint8_t kChannelZero = 4, kChannelOne = 5;

// A texture as one sampler reads it. Level 0 is the sampler's base level.
struct SampledRecord {
  TextureKind kind;
  TexelEncoding encoding;
  SampledType type;
  // Colours of 8 bits of a texture of kind two or cube, filtered linearly, repeated or clamped to edges: what most
  // textures are, which has a path of its own.
  bool usual;
  bool nearest;      // the same of kind two and not filtered inside of levels
  bool has_details;  // lookups depend on the level of detail
  TextureWrap wrap[3];
  bool magnify_linear, minify_linear;
  MipFilter mip;
  bool seamless;     // cubes: filters go across edges
  bool anisotropic;  // of kind two, cube or arrays of them: samples are ellipses (shade/texture_aniso.h)
  bool compares;
  CompareFunc compare;
  bool clamps_reference;  // the depths are of a format from 0 to 1
  uint8_t channel[4];     // of red, green, blue and alpha
  uint32_t width, height, depth, levels;
  float lod_min, lod_max, lod_bias;
  uint32_t border[4];                  // of the stored channels: bits of floats, or integers
  uint32_t first[kMostSampledLevels];  // as of TextureTexels
};

}  // namespace brokkr
