// Lookups in plain textures (is_plain) of run-time shaders. Colours are filtered as floats. This path gives the bits of
// the general one (texture_unit.h), and decides what is equal for all lanes only once.
#pragma once

#include "shade/texture_usual.h"

BROKKR_MACHINE_BEGIN

// The properties of a plain texture that are the same for all lookups.
struct PlainKind {
  TexelEncoding encoding;
  TextureWrap wrap[2];
  MipFilter mip;  // none if there is one level
  bool linear;    // both filters within a level; otherwise both are nearest
  bool compares;  // texels are compared with the lookup's reference, and the answers are filtered
  CompareFunc compare;
};
// `compares`: the lookup compares, and so does the texture.
BROKKR_FN PlainKind plain_kind(const SampledRecord& texture, bool compares) {
  return {texture.encoding,
          {texture.wrap[0], texture.wrap[1]},
          texture.levels > 1 ? texture.mip : MipFilter::none,
          texture.magnify_linear,
          compares,
          texture.compare};
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
  static constexpr MipFilter mip = MipFilter(kKnown >> shader::kPlainMip & 3);
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

// A level of a plain texture: the same for all lanes, or one per lane.
struct PlainLevel {
  Int width, height, first;
};

// Filters one level. Kind: PlainKind or KnownPlainKind.
template <class Kind>
BROKKR_FN Vec4<Warp> plain_texel(Warp& w, const PlainLookup& look, const Kind& kind, const PlainLevel& level, Float u,
                                 Float v) {
  const Mask linear(kind.linear);
  TexelPair x = texels_at(u, level.width, to_float(level.width), 0.0f, kind.wrap[0], linear);
  TexelPair y = texels_at(v, level.height, to_float(level.height), 0.0f, kind.wrap[1], linear);
  // Border texels: `out` has the columns and rows that lie outside the level.
  Mask out_x[2] = {false, false}, out_y[2] = {false, false};
  const auto hold = [&](TexelPair& pair, TextureWrap wrap, Int size, Mask(&out)[2]) BROKKR_INLINE_LAMBDA {
    if (wrap != TextureWrap::clamp_to_border && (wrap != TextureWrap::clamp || !kind.linear)) return;
    const Int a = clamp_to(pair.a, 0, size - 1), b = clamp_to(pair.b, 0, size - 1);
    out[0] = a != pair.a;
    out[1] = b != pair.b;
    pair.a = a;
    pair.b = b;
  };
  hold(x, kind.wrap[0], level.width, out_x);
  hold(y, kind.wrap[1], level.height, out_y);
  const bool has_border = w.any(look.lanes && (out_x[0] || out_x[1] || out_y[0] || out_y[1]));
  const auto bordered = [&](const Vec4<Warp>& color, int column, int row) BROKKR_INLINE_LAMBDA {
    if (!has_border) return color;
    const uint32_t(&border)[4] = look.texture->border;
    const auto channel = [&](int c) { return as_float(Uint(border[c])); };
    return chosen(out_x[column] || out_y[row], Vec4<Warp>(channel(0), channel(1), channel(2), channel(3)), color);
  };
  const Int low = y.a * level.width, high = y.b * level.width;
  const auto filtered = [&](auto&& stored) BROKKR_INLINE_LAMBDA {  // stored(column, row)
    const auto texel = [&](int column, int row) BROKKR_INLINE_LAMBDA {
      const Vec4<Warp> color = bordered(stored(column, row), column, row);
      if (!kind.compares) return color;
      const Float answer = compared(kind.compare, look.reference, color.x);
      return Vec4<Warp>(answer, answer, answer, answer);
    };
    const Vec4<Warp> corner = texel(0, 0);
    if (!kind.linear) return corner;
    const Vec4<Warp> lower = mixed(corner, texel(1, 0), x.weight);
    return mixed(lower, mixed(texel(0, 1), texel(1, 1), x.weight), y.weight);
  };
  if (words_of(kind.encoding) == 2) {
    return filtered([&](int column, int row) BROKKR_INLINE_LAMBDA {
      const Int word = level.first + ((row == 0 ? low : high) + (column == 0 ? x.a : x.b)) * 2;
      Uint first, second;
      w.gather_near(look.texels, word, word + 1, look.lanes, first, second);
      return texel_of_words(kind.encoding, first, second);
    });
  }
  if (words_of(kind.encoding) == 4) {
    return filtered([&](int column, int row) BROKKR_INLINE_LAMBDA {
      const Int word = level.first + ((row == 0 ? low : high) + (column == 0 ? x.a : x.b)) * 4;
      Uint first, second, third, fourth;
      w.gather_near(look.texels, word, word + 1, look.lanes, first, second);
      w.gather_near(look.texels, word + 2, word + 3, look.lanes, third, fourth);
      return Vec4<Warp>(as_float(first), as_float(second), as_float(third), as_float(fourth));
    });
  }
  const Int left = level.first + x.a;
  Uint texel[4];
  if (kind.linear)
    w.gather_square(look.texels, left + low, left + high, x.b - x.a, look.lanes, texel);
  else
    texel[0] = w.gather(look.texels, left + low, look.lanes);
  return filtered([&](int column, int row)
                      BROKKR_INLINE_LAMBDA { return texel_of_word(kind.encoding, texel[2 * row + column]); });
}

// A lookup in a plain texture, without offsets. `kind` is plain_kind of the texture, `detail` that of looked_up. At
// least one lane is active.
template <class Kind>
BROKKR_FN Vec4<Warp> plain_two(Warp& w, const PlainLookup& look, const Kind& kind, Float u, Float v, Float detail) {
  const SampledRecord& texture = *look.texture;
  u = finite_or_zero(u);
  v = finite_or_zero(v);
  const auto of_level = [&](uint32_t level) {
    const auto side = [&](uint32_t size) { return Int(size >> level > 1 ? int(size >> level) : 1); };
    const PlainLevel one{side(texture.width), side(texture.height), Int(int(texture.first[level]))};
    return plain_texel(w, look, kind, one, u, v);
  };
  const auto given = [&](const Vec4<Warp>& v)
                         BROKKR_INLINE_LAMBDA { return kind.compares ? v : handed_on(texture, v); };
  if (kind.mip == MipFilter::none) return given(of_level(0));
  const LevelChoice choice = levels_of(texture, kind.mip, detail);
  const bool mixes = kind.mip == MipFilter::linear && w.any(look.lanes && choice.next > 0.0f);
  const uint32_t last = texture.levels - 1;
  const int level = w.broadcast(choice.level, lowest_bit(w.ballot(look.lanes)));
  if (!w.any(look.lanes && choice.level != level)) {
    const auto all = uint32_t(level);
    const Vec4<Warp> own = of_level(all);
    return given(mixes ? between_levels(own, of_level(all < last ? all + 1 : last), choice.next) : own);
  }
  const auto of_lanes = [&](Int number) {
    const PlainLevel each{side_of_level(texture.width, number), side_of_level(texture.height, number),
                          as_int(w.gather(texture.first, number, look.lanes))};
    return plain_texel(w, look, kind, each, u, v);
  };
  const Vec4<Warp> own = of_lanes(choice.level);
  return given(mixes ? between_levels(own, of_lanes(minimum(choice.level + 1, int(last))), choice.next) : own);
}

BROKKR_MACHINE_END
