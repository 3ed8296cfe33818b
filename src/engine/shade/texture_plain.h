// Lookups in plain textures (is_plain) of run-time shaders, with one, two or three axes, or rectangles. Colours are
// filtered as floats. This path gives the bits of the general one (texture_unit.h), and decides what is equal for all
// lanes only once.
#pragma once

#include "shade/texture_usual.h"

BROKKR_MACHINE_BEGIN

// The properties of a plain texture that are the same for all lookups.
struct PlainKind {
  TexelEncoding encoding;
  TextureWrap wrap[2];  // the record has that of the third axis, which few textures have
  MipFilter mip;        // none if there is one level
  bool linear;          // both filters within a level; otherwise both are nearest
  bool compares;        // texels are compared with the lookup's reference, and the answers are filtered
  CompareFunc compare;
  bool counts_texels;  // a rectangle, whose coordinates are in texels
};
// `compares`: the lookup compares, and so does the texture.
BROKKR_FN PlainKind plain_kind(const SampledRecord& texture, bool compares) {
  return {texture.encoding,
          {texture.wrap[0], texture.wrap[1]},
          texture.levels > 1 ? texture.mip : MipFilter::none,
          texture.magnify_linear,
          compares,
          texture.compare,
          texture.kind == TextureKind::rectangle};
}
// The same for a shader that is compiled for its textures: constants, which functions that compilers do not inline know
// too. `kKnown`: a set of KnownBit.
template <uint32_t kKnown, bool kCompares>
struct KnownPlainKind {
  static constexpr uint32_t first = kKnown >> shader::kPlainEncoding & 7;
  static constexpr bool compares = kCompares;
  static constexpr CompareFunc compare = CompareFunc(first);
  static constexpr TexelEncoding encoding = kCompares ? TexelEncoding::r32 : TexelEncoding(first);
  static constexpr TextureWrap wrap[2] = {TextureWrap(kKnown >> shader::kPlainWrap & 7),
                                          TextureWrap(kKnown >> (shader::kPlainWrap + 3) & 7)};
  static constexpr bool counts_texels = shader::counts_texels(kKnown);
  static constexpr MipFilter mip = counts_texels ? MipFilter::none : MipFilter(kKnown >> shader::kPlainMip & 3);
  static constexpr bool linear = (kKnown & shader::kPlainLinear) != 0;
};

BROKKR_FN Vec4<Warp> chosen(Mask m, const Vec4<Warp>& a, const Vec4<Warp>& b) {
  return Vec4<Warp>(select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z), select(m, a.w, b.w));
}

// The colour between those of two levels. Lanes of weight 0 keep `own`: whether they read the other level at all
// depends on the other lanes of their vector, and infinite texels must not show it.
BROKKR_FN Vec4<Warp> between_levels(const Vec4<Warp>& own, const Vec4<Warp>& next, Float weight) {
  return chosen(weight > 0.0f, mixed(own, next, weight), own);
}

BROKKR_FN Float compared(CompareFunc func, Float reference, Float texel) {
  return select(compare(uint8_t(func), reference, texel), 1.0f, 0.0f);
}

struct PlainLookup {
  const SampledRecord* texture;
  const uint32_t* texels;
  Mask lanes;
  Float reference;  // read only if the kind compares
};

// A level of a plain texture: the same for all lanes, or one per lane. Sides along missing axes are 1.
struct PlainLevel {
  Int width, height, depth, first;
};

// The two texels on an axis whose numbers are inside the level. `out`: the lanes in which they are border texels.
struct PlainPair {
  TexelPair texels;
  Mask out[2];
};
template <class Kind>
BROKKR_FN PlainPair plain_pair(const Kind& kind, TextureWrap wrap, Float u, Int size) {
  const Float scale = kind.counts_texels ? Float(1.0f) : to_float(size);
  PlainPair pair{texels_at(u, size, scale, 0.0f, wrap, Mask(kind.linear)), {false, false}};
  if (wrap != TextureWrap::clamp_to_border && (wrap != TextureWrap::clamp || !kind.linear)) return pair;
  const Int a = clamp_to(pair.texels.a, 0, size - 1), b = clamp_to(pair.texels.b, 0, size - 1);
  pair.out[0] = a != pair.texels.a;
  pair.out[1] = b != pair.texels.b;
  pair.texels.a = a;
  pair.texels.b = b;
  return pair;
}

// Filters four texels of halves that lie beside each other. Returns false if a colour is not finite: processors make
// signalling NaNs quiet. low, high: the words of the first texel of each row.
template <class W>
BROKKR_FN bool filter_half_rows(const PlainLookup& look, Int low, Int high, Float x, Float y, Vec4<W>& color) {
  const auto row = [&](Int at) {
    Float column[8];
    W::load_half_rows(look.texels, at, column);
    return mixed(Vec4<W>(column[0], column[1], column[2], column[3]),
                 Vec4<W>(column[4], column[5], column[6], column[7]), x);
  };
  const Vec4<W> lower = row(low);
  color = mixed(lower, row(high), y);
  const Mask finite = is_finite(color.x) && is_finite(color.y) && is_finite(color.z) && is_finite(color.w);
  return !W::any(look.lanes && !finite);
}

// Returns true if the sampler returns no stored channel but the first.
BROKKR_FN bool reads_first_channel(const SampledRecord& texture) {
  bool others = false;
  for (int c = 0; c < 4; ++c) others = others || (texture.channel[c] >= 1 && texture.channel[c] <= 3);
  return !others;
}

// Filters one level. Kind: PlainKind or KnownPlainKind.
template <int kAxes, class Kind>
BROKKR_FN Vec4<Warp> plain_texel(Warp& w, const PlainLookup& look, const Kind& kind, const PlainLevel& level,
                                 const Float (&position)[3]) {
  const PlainPair missing{{0, 0, 0.0f}, {false, false}}, x = plain_pair(kind, kind.wrap[0], position[0], level.width);
  const PlainPair y = kAxes > 1 ? plain_pair(kind, kind.wrap[1], position[1], level.height) : missing;
  const PlainPair z = kAxes > 2 ? plain_pair(kind, look.texture->wrap[2], position[2], level.depth) : missing;
  const Mask borders =
      x.out[0] || x.out[1] || (kAxes > 1 && (y.out[0] || y.out[1])) || (kAxes > 2 && (z.out[0] || z.out[1]));
  const bool has_border = w.any(look.lanes && borders);
  // The colour of a texel, from what is stored.
  const auto texel = [&](const Vec4<Warp>& stored, int column, int row, int slice) BROKKR_INLINE_LAMBDA {
    Vec4<Warp> color = stored;
    if (has_border) {
      const uint32_t(&border)[4] = look.texture->border;
      const auto channel = [&](int c) { return as_float(Uint(border[c])); };
      color = chosen(x.out[column] || y.out[row] || z.out[slice],
                     Vec4<Warp>(channel(0), channel(1), channel(2), channel(3)), color);
    }
    if (!kind.compares) return color;
    const Float answer = compared(kind.compare, look.reference, color.x);
    return Vec4<Warp>(answer, answer, answer, answer);
  };
  const auto slice_texel = [&](int slice) BROKKR_INLINE_LAMBDA {
    const Int first_row = (slice == 0 ? z.texels.a : z.texels.b) * level.height;
    const Int low = (first_row + y.texels.a) * level.width, high = (first_row + y.texels.b) * level.width;
    const auto filtered = [&](auto&& stored) BROKKR_INLINE_LAMBDA {  // stored(column, row)
      const auto texel_of = [&](int column, int row)
                                BROKKR_INLINE_LAMBDA { return texel(stored(column, row), column, row, slice); };
      const Vec4<Warp> corner = texel_of(0, 0);
      if (!kind.linear) return corner;
      const Vec4<Warp> lower = mixed(corner, texel_of(1, 0), x.texels.weight);
      if constexpr (kAxes == 1) return lower;
      return mixed(lower, mixed(texel_of(0, 1), texel_of(1, 1), x.texels.weight), y.texels.weight);
    };
    const auto word_of = [&](int column, int row) BROKKR_INLINE_LAMBDA {
      return level.first +
             ((row == 0 ? low : high) + (column == 0 ? x.texels.a : x.texels.b)) * int(words_of(kind.encoding));
    };
    if constexpr (kAxes == 2 && Warp::has_half_rows) {
      Vec4<Warp> color;
      if (kind.encoding == TexelEncoding::rgba16f && kind.linear && !kind.compares && !has_border &&
          !w.any(x.texels.b != x.texels.a + 1) &&
          filter_half_rows(look, word_of(0, 0), word_of(0, 1), x.texels.weight, y.texels.weight, color))
        return color;
    }
    if (words_of(kind.encoding) > 1) {
      return filtered([&](int column, int row) BROKKR_INLINE_LAMBDA {
        return load_texel_of_words(w, look.texels, kind.encoding, word_of(column, row), look.lanes);
      });
    }
    const Int left = level.first + x.texels.a;
    Uint stored[4] = {0u, 0u, 0u, 0u};
    if (!kind.linear)
      stored[0] = w.gather(look.texels, left + low, look.lanes);
    else if constexpr (kAxes == 1)
      w.gather_near(look.texels, left, level.first + x.texels.b, look.lanes, stored[0], stored[1]);
    else
      w.gather_square(look.texels, left + low, left + high, x.texels.b - x.texels.a, look.lanes, stored);
    return filtered([&](int column, int row)
                        BROKKR_INLINE_LAMBDA { return texel_of_word(kind.encoding, stored[2 * row + column]); });
  };
  const Vec4<Warp> near = slice_texel(0);
  if constexpr (kAxes < 3) return near;
  return kind.linear ? mixed(near, slice_texel(1), z.texels.weight) : near;
}

// The same, without the channels that nothing reads.
template <int kAxes, class Kind>
BROKKR_FN Vec4<Warp> plain_channels(Warp& w, const PlainLookup& look, const Kind& kind, const PlainLevel& level,
                                    const Float (&position)[3]) {
  if constexpr (kAxes == 2 && Warp::takes_turns) {
    if (kind.linear && !kind.compares && reads_first_channel(*look.texture))
      return Vec4<Warp>(plain_texel<kAxes>(w, look, kind, level, position).x, 0.0f, 0.0f, 0.0f);
  }
  return plain_texel<kAxes>(w, look, kind, level, position);
}

// A lookup in a plain texture with kAxes axes, without offsets. `kind` is plain_kind of the texture, `detail` that of
// looked_up. At least one lane is active.
template <int kAxes, class Kind>
BROKKR_FN Vec4<Warp> plain_lookup(Warp& w, const PlainLookup& look, const Kind& kind, const Float (&given)[3],
                                  Float detail) {
  const SampledRecord& texture = *look.texture;
  Float position[3] = {0.0f, 0.0f, 0.0f};
  for (int axis = 0; axis < kAxes; ++axis) position[axis] = finite_or_zero(given[axis]);
  const auto level_texel = [&](uint32_t level) {
    const auto side = [&](int axis, uint32_t size) {
      return Int(axis < kAxes && size >> level > 1 ? int(size >> level) : 1);
    };
    const PlainLevel one{side(0, texture.width), side(1, texture.height), side(2, texture.depth),
                         Int(int(texture.first[level]))};
    return plain_channels<kAxes>(w, look, kind, one, position);
  };
  const auto handed = [&](const Vec4<Warp>& texel)
                          BROKKR_INLINE_LAMBDA { return kind.compares ? texel : handed_on(texture, texel); };
  if (kind.mip == MipFilter::none) return handed(level_texel(0));
  const LevelChoice choice = levels_of(texture, kind.mip, detail);
  const bool mixes = kind.mip == MipFilter::linear && w.any(look.lanes && choice.next > 0.0f);
  const uint32_t last = texture.levels - 1;
  const int level = w.broadcast(choice.level, lowest_bit(w.ballot(look.lanes)));
  if (!w.any(look.lanes && choice.level != level)) {
    const auto all = uint32_t(level);
    const Vec4<Warp> own = level_texel(all);
    return handed(mixes ? between_levels(own, level_texel(all < last ? all + 1 : last), choice.next) : own);
  }
  const auto lanes_texel = [&](Int number) {
    const auto side = [&](int axis, uint32_t size) { return axis < kAxes ? side_of_level(size, number) : Int(1); };
    const PlainLevel each{side(0, texture.width), side(1, texture.height), side(2, texture.depth),
                          as_int(w.gather(texture.first, number, look.lanes))};
    return plain_channels<kAxes>(w, look, kind, each, position);
  };
  const Vec4<Warp> own = lanes_texel(choice.level);
  return handed(mixes ? between_levels(own, lanes_texel(minimum(choice.level + 1, int(last))), choice.next) : own);
}

BROKKR_MACHINE_END
