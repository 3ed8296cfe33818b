// Reads and writes texels in each encoding (frame/texture_tables.h).
#pragma once

#include "frame/texture_tables.h"
#include "shader.h"
#include "target/pixel.h"

BROKKR_MACHINE_BEGIN

// Converts a bit field of a word to a number in 0..1.
BROKKR_FN Float unorm_bits(Uint word, uint32_t shift, uint32_t bits) {
  const uint32_t max_code = (1u << bits) - 1;
  return to_float(as_int((word >> shift) & max_code)) * (1.0f / float(max_code));
}

// Converts an sRGB-encoded component in 0 .. 255 to linear light with llvmpipe's cubic polynomial, within 0.0009 of the
// curve.
BROKKR_FN Float light_of_byte(Float c) {
  constexpr float kStep = 1.0f / 255.0f;
  const Float curve =
      ((0.3012f * (kStep * kStep * kStep) * c + 0.6935f * (kStep * kStep)) * c + 0.0030f * kStep) * c + 0.0023f;
  return select(c <= 15.0f, c * (kStep / 12.6f), curve);
}
BROKKR_FN Float srgb_bits(Uint word, uint32_t shift) { return light_of_byte(to_float(as_int((word >> shift) & 0xff))); }

// The stored channels of a texel of one word. Missing channels are 0, 0, 1.
BROKKR_FN Vec4<Warp> texel_of_word(TexelEncoding encoding, Uint word) {
  switch (encoding) {
    case TexelEncoding::rgba8:
    case TexelEncoding::rgb565:
    case TexelEncoding::rgb5_a1:
    case TexelEncoding::rgba4:
      return Vec4<Warp>(unorm_bits(word, 0, 8), unorm_bits(word, 8, 8), unorm_bits(word, 16, 8),
                        unorm_bits(word, 24, 8));
    case TexelEncoding::srgb8:
      return Vec4<Warp>(srgb_bits(word, 0), srgb_bits(word, 8), srgb_bits(word, 16), unorm_bits(word, 24, 8));
    case TexelEncoding::rgb10_a2:
      return Vec4<Warp>(unorm_bits(word, 0, 10), unorm_bits(word, 10, 10), unorm_bits(word, 20, 10),
                        unorm_bits(word, 30, 2));
    default: return Vec4<Warp>(as_float(word), 0.0f, 0.0f, 1.0f);
  }
}
// The same for two words.
BROKKR_FN Vec4<Warp> texel_of_words(TexelEncoding encoding, Uint low, Uint high) {
  switch (encoding) {
    case TexelEncoding::rgba16:
      return Vec4<Warp>(unorm_bits(low, 0, 16), unorm_bits(low, 16, 16), unorm_bits(high, 0, 16),
                        unorm_bits(high, 16, 16));
    case TexelEncoding::rgba16f: {
      Float r, g, b, a;
      floats_from_halves(low, r, g);
      floats_from_halves(high, b, a);
      return Vec4<Warp>(r, g, b, a);
    }
    default: return Vec4<Warp>(as_float(low), as_float(high), 0.0f, 1.0f);
  }
}

// Texels of two words, loaded together.
BROKKR_FN Vec4<Warp> load_texel_of_two(Warp& w, const uint32_t* texels, TexelEncoding encoding, Int word, Mask m) {
  Uint low, high;
  w.gather_near(texels, word, word + 1, m, low, high);
  return texel_of_words(encoding, low, high);
}
// Texels of two or four words.
BROKKR_FN Vec4<Warp> load_texel_of_words(Warp& w, const uint32_t* texels, TexelEncoding encoding, Int word, Mask m) {
  if (words_of(encoding) == 2) return load_texel_of_two(w, texels, encoding, word, m);
  Uint first, second, third, fourth;
  w.gather_near(texels, word, word + 1, m, first, second);
  w.gather_near(texels, word + 2, word + 3, m, third, fourth);
  return Vec4<Warp>(as_float(first), as_float(second), as_float(third), as_float(fourth));
}
// The stored channels of the texel that starts at a word; integers as their bits. Missing channels are 0, 0, 1.
BROKKR_FN_NOINLINE Vec4<Warp> load_texel(Warp& w, const uint32_t* texels, TexelEncoding encoding, Int word, Mask m) {
  if (words_of(encoding) == 1) return texel_of_word(encoding, w.gather(texels, word, m));
  return load_texel_of_words(w, texels, encoding, word, m);
}

// The channels that the sampler returns: swizzled, and expanded by the base format. `sources`: as in
// SampledRecord::channel.
BROKKR_FN Vec4<Warp> handed_on(const uint8_t (&sources)[4], Float one, const Vec4<Warp>& texel) {
  const auto channel = [&](uint8_t c) {
    return c == 0             ? texel.x
           : c == 1           ? texel.y
           : c == 2           ? texel.z
           : c == 3           ? texel.w
           : c == kChannelOne ? one
                              : Float(0.0f);
  };
  return Vec4<Warp>(channel(sources[0]), channel(sources[1]), channel(sources[2]), channel(sources[3]));
}
BROKKR_FN Vec4<Warp> handed_on(const SampledRecord& texture, const Vec4<Warp>& texel) {
  return handed_on(texture.channel, texture.type == SampledType::real ? Float(1.0f) : as_float(Uint(1u)), texel);
}

// The nearest code of `bits` bits to a number, clamped to 0..1. Ties go to the even code, as processors and llvmpipe
// round.
BROKKR_FN Uint unorm_code(Float number, uint32_t bits) {
  constexpr float kWhole = 0x1.8p23f;  // floats of this size have no fraction
  return as_uint(to_int(saturate(number) * float((1u << bits) - 1) + kWhole - kWhole));
}

// Narrows the word of rgba8 to the codes of a format with fewer bits, and widens them again. As in llvmpipe, 5 and 6
// bits are the highest of 8, and 4 bits are rounded.
BROKKR_FN Uint narrowed(TexelEncoding encoding, Uint word) {
  if (encoding == TexelEncoding::rgb565)
    return (word & 0xf8fcf8u) | (word >> 5 & 0x070007u) | (word >> 6 & 0x000300u) | 0xff000000u;
  if (encoding == TexelEncoding::rgb5_a1)
    return (word & 0xf8f8f8u) | (word >> 5 & 0x070707u) | (as_uint(as_int(word) >> 31) & 0xff000000u);
  // (code + 8) / 17, which is the nearest of 16 codes.
  const auto four = [&](uint32_t shift) { return (((word >> shift & 0xffu) + 8u) * 241u >> 12) * 17u << shift; };
  return four(0) | four(8) | four(16) | four(24);
}

// Encodes a texel: calls put(k, word) for each of its words. srgb8 takes linear light; integers are passed as bits.
template <class Put>
BROKKR_FN void encode_texel(TexelEncoding encoding, const Vec4<Warp>& value, Put put) {
  Vec4<Warp> texel = value;
  switch (encoding) {
    case TexelEncoding::srgb8:
      texel = Vec4<Warp>(srgb_from_linear(saturate(texel.x)), srgb_from_linear(saturate(texel.y)),
                         srgb_from_linear(saturate(texel.z)), texel.w);
      [[fallthrough]];
    case TexelEncoding::rgba8:
      put(0, unorm_code(texel.x, 8) | unorm_code(texel.y, 8) << 8 | unorm_code(texel.z, 8) << 16 |
                 unorm_code(texel.w, 8) << 24);
      return;
    case TexelEncoding::rgb565:
    case TexelEncoding::rgb5_a1:
    case TexelEncoding::rgba4:
      put(0, narrowed(encoding, unorm_code(texel.x, 8) | unorm_code(texel.y, 8) << 8 | unorm_code(texel.z, 8) << 16 |
                                    unorm_code(texel.w, 8) << 24));
      return;
    case TexelEncoding::rgb10_a2:
      put(0, unorm_code(texel.x, 10) | unorm_code(texel.y, 10) << 10 | unorm_code(texel.z, 10) << 20 |
                 unorm_code(texel.w, 2) << 30);
      return;
    case TexelEncoding::rgba16:
      put(0, unorm_code(texel.x, 16) | unorm_code(texel.y, 16) << 16);
      put(1, unorm_code(texel.z, 16) | unorm_code(texel.w, 16) << 16);
      return;
    case TexelEncoding::rgba16f:
      put(0, half_from_float(texel.x) | half_from_float(texel.y) << 16);
      put(1, half_from_float(texel.z) | half_from_float(texel.w) << 16);
      return;
    case TexelEncoding::rgba32:
      put(2, as_uint(texel.z));
      put(3, as_uint(texel.w));
      [[fallthrough]];
    case TexelEncoding::rg32: put(1, as_uint(texel.y)); [[fallthrough]];
    case TexelEncoding::r32: put(0, as_uint(texel.x)); return;
  }
}

// Writes texels at the words of lanes `m`.
BROKKR_FN_NOINLINE void store_texel(Warp& w, uint32_t* texels, TexelEncoding encoding, Int word,
                                    const Vec4<Warp>& value, Mask m) {
  encode_texel(encoding, value, [&](int k, Uint code) BROKKR_INLINE_LAMBDA { w.scatter(texels, word + k, code, m); });
}

BROKKR_MACHINE_END
