// Texture lookups of run-time shaders, as OpenGL 4.6, 8.14 defines them. Magnification reads level 0, whatever the
// filters are. Anisotropic lookups are in texture_aniso.h.
//
// Most textures take a short path in integers, for 8-bit colours and filters with 8-bit weights (texture_usual.h).
#pragma once

#include "shade/texel_store.h"
#include "shade/texture_place.h"
#include "shade/texture_plain.h"
#include "shader/call.h"

BROKKR_MACHINE_BEGIN

// The parameters of a lookup besides its coordinates. `sample_bits`: the bits of a sample (shader/operation.h).
struct TextureLookup {
  const SampledRecord* texture;
  const uint32_t* texels;
  uint32_t sample_bits;
  Float reference;  // the reference depth to compare with
  Mask lanes;
  const Int* offset = nullptr;  // gather: texels added to its two coordinates; null: the offset in `sample_bits`
};

// One level per lane.
struct LevelTexels {
  Int first, width, height, depth;
};
BROKKR_FN LevelTexels level_texels(Warp& w, const TextureLookup& look, Int level) {
  const SampledRecord& texture = *look.texture;
  const Int depth = texture.kind == TextureKind::three ? side_of_level(texture.depth, level) : Int(int(texture.depth));
  const Int height = shader::axes_of(texture.kind) == 1 ? Int(1) : side_of_level(texture.height, level);
  const Int first =
      texture.levels == 1 ? Int(int(texture.first[0])) : as_int(w.gather(texture.first, level, look.lanes));
  return {first, side_of_level(texture.width, level), height, depth};
}

BROKKR_FN Mask is_inside(const LevelTexels& level, Int x, Int y, Int z) {
  return x >= 0 && x < level.width && y >= 0 && y < level.height && z >= 0 && z < level.depth;
}
// Reads a texel as it is stored; 0 outside the level.
BROKKR_FN Vec4<Warp> stored_texel(Warp& w, const TextureLookup& look, const LevelTexels& level, Int x, Int y, Int z) {
  const TexelEncoding encoding = look.texture->encoding;
  const Int number = (z * level.height + y) * level.width + x;
  return load_texel(w, look.texels, encoding, level.first + number * int(words_of(encoding)),
                    look.lanes && is_inside(level, x, y, z));
}
// Reads a texel. Outside the level it returns the border colour, or 0 if the texture has none. A comparing lookup
// returns the result of the comparison.
BROKKR_FN_NOINLINE Vec4<Warp> texel_at(Warp& w, const TextureLookup& look, const LevelTexels& level, Int x, Int y,
                                       Int z) {
  const SampledRecord& texture = *look.texture;
  const Mask inside = is_inside(level, x, y, z);
  Vec4<Warp> texel = stored_texel(w, look, level, x, y, z);
  const auto bordered = [&](Float stored, uint32_t border) { return select(inside, stored, as_float(Uint(border))); };
  texel = Vec4<Warp>(bordered(texel.x, texture.border[0]), bordered(texel.y, texture.border[1]),
                     bordered(texel.z, texture.border[2]), bordered(texel.w, texture.border[3]));
  if ((look.sample_bits & shader::kSampleCompare) == 0) return texel;
  const Float answer = texture.compares ? compared(texture.compare, look.reference, texel.x) : texel.x;
  return Vec4<Warp>(answer, answer, answer, answer);
}

// The texels around a position on a level.
struct TexelBox {
  LevelTexels level;
  TexelPair x, y, z;
  Mask linear;
  bool crosses;  // columns and rows beyond a face's edge belong to the neighbour
};
BROKKR_FN_NOINLINE TexelBox box_at(Warp& w, const TextureLookup& look, const TexturePlace& place, Int number,
                                   Mask linear) {
  const SampledRecord& texture = *look.texture;
  const int axes = shader::axes_of(texture.kind);
  TexelBox box{level_texels(w, look, number),
               {},
               {0, 0, 0.0f},
               {place.layer + place.face, place.layer + place.face, 0.0f},
               linear,
               false};
  box.crosses = shader::is_cube(texture.kind) && texture.seamless;
  const auto along = [&](int axis, Int size) {
    const Float scale = texture.kind == TextureKind::rectangle ? Float(1.0f) : to_float(size);
    const TextureWrap wrap = box.crosses ? TextureWrap::clamp : texture.wrap[axis];
    const bool repeats = wrap == TextureWrap::mirrored_repeat;
    const bool gathers_mirrored =
        (look.sample_bits & shader::kSampleGather) != 0 && (repeats || wrap == TextureWrap::mirror_clamp_to_edge);
    const auto texels = [&](auto offset) {
      return gathers_mirrored ? mirrored_texels_at(place.coordinates[axis], size, scale, offset, repeats)
                              : texels_at(place.coordinates[axis], size, scale, offset, wrap, linear);
    };
    if (look.offset != nullptr) return texels(to_float(look.offset[axis]));
    return texels(float(shader::offset_of_sample(look.sample_bits, axis)));
  };
  box.x = along(0, box.level.width);
  if (axes > 1) box.y = along(1, box.level.height);
  if (axes > 2) box.z = along(2, box.level.depth);
  return box;
}

// The four texels of a slice: lower left, lower right, upper left, upper right. At a cube's corner, where three faces
// meet, the missing fourth texel is the mean of the others.
struct TexelSquare4 {
  Vec4<Warp> texels[4];
};
BROKKR_FN TexelSquare4 square_at(Warp& w, const TextureLookup& look, const TexturePlace& place, const TexelBox& box,
                                 Int slice) {
  TexelSquare4 square;
  for (int i = 0; i < 4; ++i) {
    Int x = (i & 1) != 0 ? box.x.b : box.x.a, y = (i & 2) != 0 ? box.y.b : box.y.a, z = slice;
    if (box.crosses) {
      Int face = place.face;
      cross_edges(face, x, y, box.level.width);
      z = place.layer + face;
    }
    square.texels[i] = texel_at(w, look, box.level, x, y, z);
  }
  if (!box.crosses) return square;
  const auto is_outside = [&](Int i) { return i < 0 || i >= box.level.width; };
  Mask corner[4];
  for (int i = 0; i < 4; ++i)
    corner[i] = is_outside((i & 1) != 0 ? box.x.b : box.x.a) && is_outside((i & 2) != 0 ? box.y.b : box.y.a);
  if (!w.any(look.lanes && (corner[0] || corner[1] || corner[2] || corner[3]))) return square;
  const TexelSquare4 all = square;
  for (int i = 0; i < 4; ++i) {
    const Vec4<Warp>&a = all.texels[(i + 1) & 3], &b = all.texels[(i + 2) & 3], &c = all.texels[(i + 3) & 3];
    const float third = 1.0f / 3.0f;
    const Vec4<Warp> mean(((a.x + b.x) + c.x) * third, ((a.y + b.y) + c.y) * third, ((a.z + b.z) + c.z) * third,
                          ((a.w + b.w) + c.w) * third);
    square.texels[i] = chosen(corner[i], mean, all.texels[i]);
  }
  return square;
}

// Filters one level per lane. Lanes that are `linear` filter linearly.
BROKKR_FN_NOINLINE Vec4<Warp> filtered_level(Warp& w, const TextureLookup& look, const TexturePlace& place, Int number,
                                             Mask linear) {
  const TexelBox box = box_at(w, look, place, number, linear);
  const int axes = shader::axes_of(look.texture->kind);
  if (!w.any(look.lanes && linear)) return texel_at(w, look, box.level, box.x.a, box.y.a, box.z.a);
  if (axes == 1) {
    const Vec4<Warp> a = texel_at(w, look, box.level, box.x.a, box.y.a, box.z.a);
    const Vec4<Warp> b = texel_at(w, look, box.level, box.x.b, box.y.a, box.z.a);
    return chosen(linear, mixed(a, b, box.x.weight), a);
  }
  const auto slice_texel = [&](const TexelSquare4& square) {
    return mixed(mixed(square.texels[0], square.texels[1], box.x.weight),
                 mixed(square.texels[2], square.texels[3], box.x.weight), box.y.weight);
  };
  const TexelSquare4 square = square_at(w, look, place, box, box.z.a);
  Vec4<Warp> texel = slice_texel(square);
  if (axes == 3) texel = mixed(texel, slice_texel(square_at(w, look, place, box, box.z.b)), box.z.weight);
  return chosen(linear, texel, square.texels[0]);
}

// Returns true if nearest lookups never read a border or a neighbouring face, in any lane.
BROKKR_FN bool is_borderless(const SampledRecord& texture, uint32_t sample_bits) {
  return (texture.kind == TextureKind::two || texture.kind == TextureKind::two_array) &&
         !shader::has_offset(sample_bits) && (sample_bits & shader::kSampleCompare) == 0 &&
         texture.wrap[0] != TextureWrap::clamp_to_border && texture.wrap[1] != TextureWrap::clamp_to_border;
}
// Does the same as filtered_level for a texture without a border if no lane is linear.
BROKKR_FN_NOINLINE Vec4<Warp> nearest_level(Warp& w, const TextureLookup& look, const TexturePlace& place, Int number) {
  const SampledRecord& texture = *look.texture;
  const LevelTexels level = level_texels(w, look, number);
  const auto nearest = [&](int axis, Int size) {
    return texels_at(place.coordinates[axis], size, to_float(size), 0.0f, texture.wrap[axis], Mask(false)).a;
  };
  const Int row = place.layer * level.height + nearest(1, level.height);
  const Int texel = row * level.width + nearest(0, level.width);
  return load_texel(w, look.texels, texture.encoding, level.first + texel * int(words_of(texture.encoding)),
                    look.lanes);
}

// Returns true if linear filters read no border either.
BROKKR_FN bool filters_borderless(const SampledRecord& texture, uint32_t sample_bits) {
  return is_borderless(texture, sample_bits) && texture.wrap[0] != TextureWrap::clamp &&
         texture.wrap[1] != TextureWrap::clamp;
}
// Does the same as filtered_level if filters_borderless() is true.
BROKKR_FN_NOINLINE Vec4<Warp> plain_level(Warp& w, const TextureLookup& look, const TexturePlace& place, Int number,
                                          Mask linear) {
  const SampledRecord& texture = *look.texture;
  const TexelEncoding encoding = texture.encoding;
  const int words = int(words_of(encoding));
  const LevelTexels level = level_texels(w, look, number);
  const auto along = [&](int axis, Int size) {
    return texels_at(place.coordinates[axis], size, to_float(size), 0.0f, texture.wrap[axis], linear);
  };
  const TexelPair x = along(0, level.width), y = along(1, level.height);
  const Int first = place.layer * level.height;
  const Int low = (first + y.a) * level.width, high = (first + y.b) * level.width;
  const auto load = [&](Int number_of_texel) {
    const Int word = level.first + number_of_texel * words;
    return words == 2 ? load_texel_of_two(w, look.texels, encoding, word, look.lanes)
                      : load_texel(w, look.texels, encoding, word, look.lanes);
  };
  const Vec4<Warp> corner = load(low + x.a);
  const Vec4<Warp> lower = mixed(corner, load(low + x.b), x.weight);
  const Vec4<Warp> upper = mixed(load(high + x.a), load(high + x.b), x.weight);
  return chosen(linear, mixed(lower, upper, y.weight), corner);
}

// Returns true if plain_lookup gives the lookup's result.
BROKKR_FN bool goes_plain(Warp& w, const TextureLookup& look) {
  const SampledRecord& texture = *look.texture;
  const bool compares = (look.sample_bits & shader::kSampleCompare) != 0;
  return is_plain(texture) && (compares ? texture.compares : !texture.usual) && !shader::has_offset(look.sample_bits) &&
         w.any(look.lanes);
}

// plain_lookup for textures that are less common than those of two axes.
template <int kAxes>
BROKKR_FN_NOINLINE Vec4<Warp> plain_apart(Warp& w, const PlainLookup& look, const PlainKind& kind,
                                          const Float (&given)[4], Float detail) {
  return plain_lookup<kAxes>(w, look, kind, {given[0], given[1], given[2]}, detail);
}

// `given`: the coordinates in the shader's order; `detail`: the level of detail before bias and clamping.
BROKKR_FN_NOINLINE Vec4<Warp> looked_up(Warp& w, const TextureLookup& look, const Float (&given)[4], Float detail) {
  const SampledRecord& texture = *look.texture;
  if (Warp::takes_turns && goes_plain(w, look)) {
    const PlainLookup plain{&texture, look.texels, look.lanes, look.reference};
    const bool compares = (look.sample_bits & shader::kSampleCompare) != 0;
    const PlainKind kind = plain_kind(texture, compares);
    if (texture.kind == TextureKind::one) return plain_apart<1>(w, plain, kind, given, detail);
    if (texture.kind == TextureKind::three) return plain_apart<3>(w, plain, kind, given, detail);
    return plain_lookup<2>(w, plain, kind, {given[0], given[1], 0.0f}, detail);
  }
  const TexturePlace place = place_of(texture, given);
  const LevelChoice choice = levels_of(texture, texture.mip, detail);
  const Int next = minimum(choice.level + 1, int(texture.levels) - 1);
  const bool mixes = w.any(look.lanes && choice.next > 0.0f);
  if (is_borderless(texture, look.sample_bits) && !w.any(look.lanes && choice.linear)) {
    const Vec4<Warp> texel = nearest_level(w, look, place, choice.level);
    return handed_on(texture, mixes ? between_levels(texel, nearest_level(w, look, place, next), choice.next) : texel);
  }
  if (!texture.usual && filters_borderless(texture, look.sample_bits)) {
    const Vec4<Warp> texel = plain_level(w, look, place, choice.level, choice.linear);
    return handed_on(
        texture, mixes ? between_levels(texel, plain_level(w, look, place, next, choice.linear), choice.next) : texel);
  }
  Vec4<Warp> quick;
  TextureLookup rest = look;  // for lanes that do not take the short path
  if (texture.usual && (look.sample_bits & shader::kSampleCompare) == 0 && !shader::has_offset(look.sample_bits)) {
    const UsualLookup usual{&texture, look.texels, look.lanes, &texture};
    quick = usual_level(w, usual, place, choice.level);
    if (mixes) quick = mixed(quick, usual_level(w, usual, place, next), choice.next);
    rest.lanes = look.lanes && crosses_edges(texture, place, select(choice.next > 0.0f, next, choice.level));
    if (!w.any(rest.lanes)) return quick;
  }
  Vec4<Warp> texel = filtered_level(w, rest, place, choice.level, choice.linear);
  if (mixes) texel = between_levels(texel, filtered_level(w, rest, place, next, choice.linear), choice.next);
  if ((look.sample_bits & shader::kSampleCompare) == 0 || !texture.compares) texel = handed_on(texture, texel);
  return texture.usual ? chosen(rest.lanes, texel, quick) : texel;
}

// One channel of the four texels that a base-level filter would read: upper left, upper right, lower right and lower
// left.
BROKKR_FN_NOINLINE Vec4<Warp> gathered(Warp& w, const TextureLookup& look, const Float (&given)[4]) {
  const SampledRecord& texture = *look.texture;
  const TexturePlace place = place_of(texture, given);
  const TexelBox box = box_at(w, look, place, 0, Mask(true));
  const TexelSquare4 square = square_at(w, look, place, box, box.z.a);
  const int channel =
      (look.sample_bits & shader::kSampleCompare) != 0 ? 0 : shader::channel_of_sample(look.sample_bits);
  const auto part = [&](const Vec4<Warp>& stored) {
    if ((look.sample_bits & shader::kSampleCompare) != 0) return stored.x;
    const Vec4<Warp> texel = handed_on(texture, stored);
    return channel == 0 ? texel.x : channel == 1 ? texel.y : channel == 2 ? texel.z : texel.w;
  };
  return Vec4<Warp>(part(square.texels[2]), part(square.texels[3]), part(square.texels[1]), part(square.texels[0]));
}

// The texel at integer coordinates of a level, in the shader's order. Outside the level, the stored channels are 0.
BROKKR_FN_NOINLINE Vec4<Warp> fetched(Warp& w, const TextureLookup& look, const Int (&given)[4], Int level) {
  const SampledRecord& texture = *look.texture;
  const int axes = shader::axes_of(texture.kind);
  const LevelTexels of_level = level_texels(w, look, clamp_to(level, 0, int(texture.levels) - 1));
  const Int x = given[0], y = axes > 1 ? given[1] : Int(0);
  const Int z = axes > 2 ? given[2] : shader::is_array(texture.kind) ? given[axes] : Int(0);
  return handed_on(texture, stored_texel(w, look, of_level, x, y, z));
}

BROKKR_MACHINE_END
