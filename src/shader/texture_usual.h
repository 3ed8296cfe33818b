// The usual textures of run-time shaders (SampledRecord::usual): colours of 8 bits, filtered linearly, repeated or
// clamped to edges. Positions and weights are whole 256ths of a texel; colours are filtered as integers, two to a word,
// and lose nothing until the levels are mixed.
#pragma once

#include "shader/texel_store.h"
#include "shader/texture_place.h"

BROKKR_MACHINE_BEGIN

struct UsualLookup {
  const SampledRecord* texture;
  const uint32_t* texels;
  Mask lanes;
};

// The lanes whose filter reads from two faces of a cube whose filters go across edges, down to a level.
BROKKR_FN Mask crosses_edges(const SampledRecord& texture, const TexturePlace& place, Int level) {
  if (texture.kind != TextureKind::cube || !texture.seamless) return Mask(false);
  const Float half = 0.5f / to_float(side_of_level(texture.width, level));
  const auto is_near = [&](Float u) { return u < half || u > 1.0f - half; };
  return is_near(place.at[0]) || is_near(place.at[1]);
}

// Two texels of an axis and the weight of the second, 0 .. 255 of 256.
struct UsualPair {
  Int a, b;
  Uint weight;
};
BROKKR_FN UsualPair usual_texels(Float u, Int size, TextureWrap wrap) {
  const bool turns = wrap == TextureWrap::repeat;
  const Float inside = turns ? fraction(u) : saturate(u);
  const Int x = to_int(inside * (to_float(size) * 256.0f) + 0.5f) - 128;
  const Int a = x >> 8, b = a + 1, last = size - 1;
  const Uint weight = as_uint(x) & 255u;
  if (turns) return {select(a < 0, last, a), select(b > last, 0, b), weight};
  return {maximum(a, Int(0)), minimum(b, last), weight};
}

// Channels of four texels, filtered: two channels of a word at a time along the first axis, one at a time along the
// second. Sums of 255 * 256 fit 16 bits.
BROKKR_FN Vec4<Warp> filtered_bytes(const Uint (&texel)[4], Uint tx, Uint ty) {
  constexpr uint32_t kTwo = 0x00ff00ffu;
  const Uint sx = 256u - tx, sy = 256u - ty;
  const auto along = [&](Uint a, Uint b, uint32_t shift) {
    return ((a >> shift) & kTwo) * sx + ((b >> shift) & kTwo) * tx;
  };
  const Uint low_rb = along(texel[0], texel[1], 0), low_ga = along(texel[0], texel[1], 8);
  const Uint high_rb = along(texel[2], texel[3], 0), high_ga = along(texel[2], texel[3], 8);
  const auto channel = [&](Uint low, Uint high) {
    return to_float(as_int(low * sy + high * ty)) * (1.0f / (255.0f * 65536.0f));
  };
  return Vec4<Warp>(channel(low_rb & 0xffff, high_rb & 0xffff), channel(low_ga & 0xffff, high_ga & 0xffff),
                    channel(low_rb >> 16, high_rb >> 16), channel(low_ga >> 16, high_ga >> 16));
}
// The same of colours that are encoded as sRGB, of which each is brought to linear light first.
BROKKR_FN Vec4<Warp> filtered_srgb(const Uint (&texel)[4], Uint tx, Uint ty) {
  const Float x = to_float(as_int(tx)) * (1.0f / 256.0f), y = to_float(as_int(ty)) * (1.0f / 256.0f);
  const auto filtered = [&](Float a, Float b, Float c, Float d) {
    const Float low = a + (b - a) * x, high = c + (d - c) * x;
    return low + (high - low) * y;
  };
  const auto color = [&](uint32_t shift) {
    return filtered(srgb_bits(texel[0], shift), srgb_bits(texel[1], shift), srgb_bits(texel[2], shift),
                    srgb_bits(texel[3], shift));
  };
  const Float alpha = filtered(unorm_bits(texel[0], 24, 8), unorm_bits(texel[1], 24, 8), unorm_bits(texel[2], 24, 8),
                               unorm_bits(texel[3], 24, 8));
  return Vec4<Warp>(color(0), color(8), color(16), alpha);
}

BROKKR_FN_NOINLINE Vec4<Warp> usual_level(Warp& w, const UsualLookup& look, const TexturePlace& place, Int level) {
  const SampledRecord& texture = *look.texture;
  const Int width = side_of_level(texture.width, level), height = side_of_level(texture.height, level);
  Int base = texture.levels == 1 ? Int(int(texture.first[0])) : as_int(w.gather(texture.first, level, look.lanes));
  if (texture.kind == TextureKind::cube) base = base + place.face * (width * height);
  const UsualPair x = usual_texels(place.at[0], width, texture.wrap[0]);
  const UsualPair y = usual_texels(place.at[1], height, texture.wrap[1]);
  const Int low = base + y.a * width, high = base + y.b * width;
  Uint texel[4];
  w.gather_near(look.texels, low + x.a, low + x.b, look.lanes, texel[0], texel[1]);
  w.gather_near(look.texels, high + x.a, high + x.b, look.lanes, texel[2], texel[3]);
  return handed_on(texture, texture.encoding == TexelEncoding::srgb8 ? filtered_srgb(texel, x.weight, y.weight)
                                                                     : filtered_bytes(texel, x.weight, y.weight));
}

BROKKR_MACHINE_END
