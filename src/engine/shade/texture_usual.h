// The usual textures of run-time shaders (SampledRecord::usual, nearest): 8-bit colours with linear or nearest filters,
// repeated or clamped to edges. Positions and weights are in 1/256 texel. Colours are filtered as integers, two per
// word, without rounding until levels are mixed.
#pragma once

#include "shade/texel_store.h"
#include "shade/texture_place.h"

BROKKR_MACHINE_BEGIN

BROKKR_FN Vec4<Warp> mixed(const Vec4<Warp>& a, const Vec4<Warp>& b, Float t) {
  return Vec4<Warp>(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, a.w + (b.w - a.w) * t);
}

struct UsualLookup {
  const SampledRecord* texture;
  const uint32_t* texels;
  Mask lanes;
  // The same record for functions that are not inlined. `texture` may be a local copy: if no other function has its
  // address, compilers compute once what depends on it alone.
  const SampledRecord* shared;

  BROKKR_FN UsualLookup apart() const { return {shared, texels, lanes, shared}; }
};

// Lanes whose filter reads two faces of a cube, on levels where seamless filtering applies.
BROKKR_FN Mask crosses_edges(const SampledRecord& texture, const TexturePlace& place, Int level) {
  if (texture.kind != TextureKind::cube || !texture.seamless) return Mask(false);
  const Float half = 0.5f / to_float(side_of_level(texture.width, level));
  const auto is_near = [&](Float u) { return u < half || u > 1.0f - half; };
  return is_near(place.coordinates[0]) || is_near(place.coordinates[1]);
}

// The position of a filter on an axis, in 1/256 texel from the centre of the first texel.
BROKKR_FN Int usual_position(Float u, Int size, bool turns) {
  const Float inside = turns ? fraction(u) : saturate(u);
  return to_int(inside * to_float(size << 8) + 0.5f) - 128;
}
// Two texels on an axis, as word offsets (a step along the axis is `step` words), and the weight of the second, 0 ..
// 255 of 256.
struct UsualPair {
  Int a, b;
  Uint weight;
};
BROKKR_FN UsualPair usual_texels(Int position, Int size, Int step, bool turns) {
  const Int a = (position >> 8) * step, b = a + step, last = (size - 1) * step;
  const Uint weight = as_uint(position) & 255u;
  if (turns) return {select(a < 0, last, a), select(b > last, 0, b), weight};
  return {maximum(a, Int(0)), minimum(b, last), weight};
}

// Filters the channels of four texels: two channels per word along the first axis, one at a time along the second. Sums
// of 255 * 256 fit in 16 bits.
BROKKR_FN Vec4<Warp> filtered_bytes(const Uint (&texel)[4], Uint tx, Uint ty) {
  constexpr uint32_t kTwo = 0x00ff00ffu;
  const Uint right = in_both_halves(tx), left = 0x01000100u - right, up = (256u - ty) | (ty << 16u);
  const auto along = [&](Uint a, Uint b) { return weighted_halves(a, left) + weighted_halves(b, right); };
  const auto along_even = [&](Uint a, Uint b) { return along(a & kTwo, b & kTwo); };
  const auto along_odd = [&](Uint a, Uint b) { return along(odd_bytes(a), odd_bytes(b)); };
  const Uint low_rb = along_even(texel[0], texel[1]), low_ga = along_odd(texel[0], texel[1]);
  const Uint high_rb = along_even(texel[2], texel[3]), high_ga = along_odd(texel[2], texel[3]);
  const auto channel = [](Int sum) { return to_float(sum) * (1.0f / (255.0f * 65536.0f)); };
  return Vec4<Warp>(channel(sum_of_lower(low_rb, high_rb, up)), channel(sum_of_lower(low_ga, high_ga, up)),
                    channel(sum_of_upper(low_rb, high_rb, up)), channel(sum_of_upper(low_ga, high_ga, up)));
}
// The result of filtered_bytes if all four texels are the same.
BROKKR_FN Vec4<Warp> whole_bytes(Uint texel) {
  const auto channel = [&](uint32_t shift) {
    return to_float(as_int(((texel >> shift) & 0xffu) << 16u)) * (1.0f / (255.0f * 65536.0f));
  };
  return Vec4<Warp>(channel(0), channel(8), channel(16), channel(24));
}
// Does the same for sRGB-encoded colours, which it first decodes to linear light.
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

// The way that texels become colours: the properties of a usual texture that are the same for all lookups.
struct UsualKind {
  static constexpr bool apart = false;      // texels at the edges of a level have a separate function
  static constexpr bool* blocks = nullptr;  // NearWords::gather_word

  bool light, repeats[2];
  MipFilter mip;  // none if there is one level
  uint8_t channel[4];
};
BROKKR_FN UsualKind usual_kind(const SampledRecord& texture) {
  const uint8_t(&c)[4] = texture.channel;
  return {texture.encoding == TexelEncoding::srgb8,
          {texture.wrap[0] == TextureWrap::repeat, texture.wrap[1] == TextureWrap::repeat},
          texture.levels > 1 ? texture.mip : MipFilter::none,
          {c[0], c[1], c[2], c[3]}};
}
BROKKR_FN constexpr uint8_t known_channel(uint32_t known, uint32_t c) {
  return uint8_t(known >> (shader::kKnownChannel + 2 * c) & 3);
}
// `known`: a set of KnownBit. Constant channels are treated like others.
BROKKR_FN constexpr UsualKind usual_kind(uint32_t known) {
  return {(known & shader::kKnownLight) != 0,
          {(known >> shader::kKnownRepeat & 1) != 0, (known >> shader::kKnownRepeat & 2) != 0},
          shader::mip_of_known(known),
          {known_channel(known, 0), known_channel(known, 1), known_channel(known, 2), known_channel(known, 3)}};
}

// The same for a shader that is compiled for its textures. The members are constants, so functions that are not inlined
// know them too. kApart: shaders with many lookups would take compilers too long with their edges inline.
template <uint32_t kKnown, bool kApart>
struct KnownUsualKind {
  static constexpr bool apart = kApart;
  static constexpr bool light = usual_kind(kKnown).light;
  static constexpr bool repeats[2] = {usual_kind(kKnown).repeats[0], usual_kind(kKnown).repeats[1]};
  static constexpr MipFilter mip = usual_kind(kKnown).mip;
  static constexpr uint8_t channel[4] = {known_channel(kKnown, 0), known_channel(kKnown, 1), known_channel(kKnown, 2),
                                         known_channel(kKnown, 3)};
  bool* blocks = nullptr;
};

// The same for the kinds that most textures have: not sRGB, the same wrap on both axes, and colours as they are stored.
// Alpha may be 1 instead.
template <bool kRepeats>
struct CommonUsualKind {
  static constexpr bool apart = false, light = false;
  static constexpr bool repeats[2] = {kRepeats, kRepeats};
  static constexpr uint8_t channel[4] = {0, 1, 2, 3};
  MipFilter mip;
  bool* blocks;
};
BROKKR_FN bool is_common(const UsualKind& kind) {
  const uint8_t(&c)[4] = kind.channel;
  return !kind.light && kind.repeats[0] == kind.repeats[1] && c[0] == 0 && c[1] == 1 && c[2] == 2 &&
         (c[3] == 3 || c[3] == kChannelOne);
}

// Returns true if every filter reads a single texel with weight 256 * 256, as in pictures drawn with one texel per
// pixel.
template <class Kind>
BROKKR_FN bool is_one_texel(Warp& w, Mask lanes, const Kind& kind, Uint weights) {
  return Warp::takes_turns && !kind.light && !w.any(lanes && weights != 0u);
}
template <class Kind>
BROKKR_FN Vec4<Warp> usual_filtered(const Kind& kind, const Uint (&texel)[4], Uint tx, Uint ty) {
  return handed_on(kind.channel, 1.0f, kind.light ? filtered_srgb(texel, tx, ty) : filtered_bytes(texel, tx, ty));
}
// The place of a filter on a level: usual_position on both axes, the level's sides, and its first texel.
struct UsualPlace {
  Int x, y, width, height, base;
};
// Filters texels that may lie at the edges of a level: addresses wrap or are clamped.
template <class Kind>
BROKKR_FN Vec4<Warp> usual_texel_at_edges(Warp& w, const uint32_t* texels, Mask lanes, const Kind& kind,
                                          const UsualPlace& usual_place) {
  const UsualPair x = usual_texels(usual_place.x, usual_place.width, 1, kind.repeats[0]);
  const UsualPair y = usual_texels(usual_place.y, usual_place.height, usual_place.width, kind.repeats[1]);
  const Int left = usual_place.base + x.a, low = left + y.a, high = left + y.b;
  if (is_one_texel(w, lanes, kind, x.weight | y.weight))
    return handed_on(kind.channel, 1.0f, whole_bytes(w.gather(texels, low, lanes)));
  Uint texel[4];
  w.gather_square(texels, low, high, x.b - x.a, lanes, texel);
  return usual_filtered(kind, texel, x.weight, y.weight);
}
template <class Kind>
[[gnu::cold]] BROKKR_FN_NOINLINE Vec4<Warp> usual_texel_apart(Warp& w, const uint32_t* texels, Mask lanes,
                                                              const Kind& kind, const UsualPlace& usual_place) {
  return usual_texel_at_edges(w, texels, lanes, kind, usual_place);
}
// A level's sides, which are int if all lanes share them, otherwise Int, and its first texel.
template <class Side>
struct UsualLevel {
  Side width, height;
  Int base;
};
template <class Kind, class Side>
BROKKR_FN Vec4<Warp> usual_texel(Warp& w, const UsualLookup& look, const Kind& kind, Float u, Float v,
                                 const UsualLevel<Side>& level) {
  const Int width(level.width), height(level.height), base = level.base;
  const Int at_x = usual_position(u, width, kind.repeats[0]), at_y = usual_position(v, height, kind.repeats[1]);
  if constexpr (Warp::takes_turns) {
    // Usually all four texels lie inside the level. Then no address wraps or is clamped.
    const Int column = at_x >> 8, row = at_y >> 8;
    const Mask apart = as_uint(column) >= as_uint(width - 1) || as_uint(row) >= as_uint(height - 1);
    if (w.are_squares(apart, look.lanes)) {
      const Int low = base + (multiply_small(row, width) + column);
      const Uint tx = as_uint(at_x) & 255u, ty = as_uint(at_y) & 255u;
      if (is_one_texel(w, look.lanes, kind, tx | ty))
        return handed_on(kind.channel, 1.0f, whole_bytes(w.gather_word(look.texels, low, look.lanes, kind.blocks)));
      Uint texel[4];
      w.gather_rows(look.texels, low, level.width, look.lanes, texel, kind.blocks);
      return usual_filtered(kind, texel, tx, ty);
    }
  }
  const UsualPlace usual_place{at_x, at_y, width, height, base};
  if constexpr (Kind::apart)
    return usual_texel_apart(w, look.texels, look.lanes, Kind(), usual_place);  // without `blocks`, which is local
  else
    return usual_texel_at_edges(w, look.texels, look.lanes, kind, usual_place);
}

// Filters a level for each lane.
BROKKR_FN_NOINLINE Vec4<Warp> usual_level(Warp& w, const UsualLookup& look, const TexturePlace& place, Int level) {
  const SampledRecord& texture = *look.texture;
  const Int width = side_of_level(texture.width, level), height = side_of_level(texture.height, level);
  Int base = texture.levels == 1 ? Int(int(texture.first[0])) : as_int(w.gather(texture.first, level, look.lanes));
  if (texture.kind == TextureKind::cube) base = base + place.face * (width * height);
  return usual_texel(w, look, usual_kind(texture), place.coordinates[0], place.coordinates[1],
                     UsualLevel<Int>{width, height, base});
}

// Filters one level for all lanes; the texture is of kind two.
template <class Kind>
BROKKR_FN Vec4<Warp> usual_base(Warp& w, const UsualLookup& look, const Kind& kind, Float u, Float v, uint32_t level) {
  const SampledRecord& texture = *look.texture;
  const auto side = [&](uint32_t size) { return size >> level > 1 ? int(size >> level) : 1; };
  return usual_texel(w, look, kind, u, v,
                     UsualLevel<int>{side(texture.width), side(texture.height), int(texture.first[level])});
}

// A lookup in a nearest texture (SampledRecord::nearest) of kind two. It resembles usual_two, but does not filter
// within a level.
template <class Kind>
BROKKR_FN Vec4<Warp> nearest_two(Warp& w, const UsualLookup& look, const Kind& kind, Float u, Float v, Float detail) {
  const SampledRecord& texture = *look.texture;
  u = finite_or_zero(u);
  v = finite_or_zero(v);
  const auto level_texel = [&](Int width, Int height, Int first) {
    const auto along = [&](Float coordinate, Int size, bool turns) {
      const TextureWrap wrap = turns ? TextureWrap::repeat : TextureWrap::clamp_to_edge;
      return texels_at(coordinate, size, to_float(size), 0.0f, wrap, Mask(false)).a;
    };
    const Int row = along(v, height, kind.repeats[1]);
    const Uint texel = w.gather(look.texels, first + (row * width + along(u, width, kind.repeats[0])), look.lanes);
    const auto channel = [&](uint32_t shift) {
      return kind.light && shift < 24 ? srgb_bits(texel, shift) : unorm_bits(texel, shift, 8);
    };
    return handed_on(kind.channel, 1.0f, Vec4<Warp>(channel(0), channel(8), channel(16), channel(24)));
  };
  const auto base = [&](uint32_t level) {
    const auto side = [&](uint32_t size) { return Int(size >> level > 1 ? int(size >> level) : 1); };
    return level_texel(side(texture.width), side(texture.height), Int(int(texture.first[level])));
  };
  if (kind.mip == MipFilter::none) return base(0);
  if (Warp::takes_turns && !w.any(look.lanes && is_beyond_base(texture, kind.mip, detail))) return base(0);
  const LevelChoice choice = levels_of(texture, kind.mip, detail);
  const auto lanes_texel = [&](Int level) {
    return level_texel(side_of_level(texture.width, level), side_of_level(texture.height, level),
                       as_int(w.gather(texture.first, level, look.lanes)));
  };
  const Vec4<Warp> own = lanes_texel(choice.level);
  if (kind.mip == MipFilter::nearest || !w.any(look.lanes && choice.next > 0.0f)) return own;
  return mixed(own, lanes_texel(minimum(choice.level + 1, int(texture.levels) - 1)), choice.next);
}

// A lookup in a usual texture of kind two, without offsets and comparisons. `kind` is usual_kind of the texture;
// `detail` is that of looked_up. Kind: UsualKind or KnownUsualKind.
template <class Kind>
BROKKR_FN Vec4<Warp> usual_two(Warp& w, const UsualLookup& look, const Kind& kind, Float u, Float v, Float detail) {
  const SampledRecord& texture = *look.texture;
  u = finite_or_zero(u);
  v = finite_or_zero(v);
  if (kind.mip == MipFilter::none) return usual_base(w, look, kind, u, v, 0);
  if (Warp::takes_turns && !w.any(look.lanes && is_beyond_base(texture, kind.mip, detail)))
    return usual_base(w, look, kind, u, v, 0);
  const LevelChoice choice = levels_of(texture, kind.mip, detail);
  const uint32_t last = texture.levels - 1;
  const bool mixes = kind.mip == MipFilter::linear && w.any(look.lanes && choice.next > 0.0f);
  if (Warp::takes_turns) {
    const uint32_t lanes = w.ballot(look.lanes);
    const int level = w.broadcast(choice.level, lowest_bit(lanes));
    if (!w.any(look.lanes && choice.level != level)) {
      const auto all = uint32_t(foreseen(level));
      const Vec4<Warp> own = usual_base(w, look, kind, u, v, all);
      if (!mixes) return own;
      const uint32_t next = all < last ? all + 1 : last;
      return mixed(own, usual_base(w, look, kind, u, v, next), choice.next);
    }
  }
  const TexturePlace place{{u, v, 0.0f}, 0, 0};
  const Vec4<Warp> own = usual_level(w, look.apart(), place, choice.level);
  if (!mixes) return own;
  return mixed(own, usual_level(w, look.apart(), place, minimum(choice.level + 1, int(last))), choice.next);
}

BROKKR_MACHINE_END
