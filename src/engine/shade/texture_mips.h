// Generates texture levels from the previous ones when a frame requests it (GenerateMipsCommand).
#pragma once

#include "shade/texel_store.h"
#include "shade/texture_place.h"

BROKKR_MACHINE_BEGIN

// The number of texels in a level, over all layers.
BROKKR_FN uint32_t texels_of_level(const TextureTexels& texture, uint32_t level) {
  const auto side = [&](uint32_t size) { return size >> level > 1 ? size >> level : 1u; };
  const uint32_t height = shader::axes_of(texture.kind) == 1 ? 1 : side(texture.height);
  return side(texture.width) * height * (texture.kind == TextureKind::three ? side(texture.depth) : texture.depth);
}

// Generates texels of a level after the first, one per lane. Texel numbers count rows and layers in memory order. A
// texel is the previous level's linear filter at its centre; for even sizes, this is the mean of two by two texels.
BROKKR_FN_NOINLINE void make_mip(Warp& w, uint32_t* texels, const TextureTexels& texture, uint32_t level, Uint number,
                                 Mask m) {
  const int axes = shader::axes_of(texture.kind);
  const uint32_t words = words_of(texture.encoding);
  const auto side = [&](uint32_t size, uint32_t wanted_level) {
    return int(size >> wanted_level > 1 ? size >> wanted_level : 1u);
  };
  const int width = side(texture.width, level), height = axes > 1 ? side(texture.height, level) : 1;
  const int source_size[3] = {side(texture.width, level - 1), axes > 1 ? side(texture.height, level - 1) : 1,
                              axes > 2 ? side(texture.depth, level - 1) : 1};
  const int new_size[3] = {width, height, axes > 2 ? side(texture.depth, level) : 1};
  // Numbers are below 2^31, so quotients in double precision are exact enough.
  const auto quotient = [](Int a, int b) { return to_int(floor((to_double(a) + 0.5) / double(b))); };
  const Int row = quotient(as_int(number), width), x = as_int(number) - row * width;
  const Int slice = quotient(row, height), y = row - slice * height;
  const auto pair = [&](Int i, int axis) {
    const Float n = float(source_size[axis]);
    return texels_at((to_float(i) + 0.5f) / float(new_size[axis]), Int(source_size[axis]), n, 0.0f,
                     TextureWrap::clamp_to_edge, Mask(true));
  };
  const TexelPair px = pair(x, 0), py = pair(y, 1),
                  pz = axes > 2 ? pair(slice, 2) : TexelPair{slice, slice, Float(0.0f)};
  const auto load = [&](Int column, Int line, Int layer) {
    const Int texel = (layer * source_size[1] + line) * source_size[0] + column;
    return load_texel(w, texels, texture.encoding, Int(int(texture.first[level - 1])) + texel * int(words), m);
  };
  const auto mix = [](const Vec4<Warp>& a, const Vec4<Warp>& b, Float t) {
    return Vec4<Warp>(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, a.w + (b.w - a.w) * t);
  };
  const auto slice_texel = [&](Int layer) {
    return mix(mix(load(px.a, py.a, layer), load(px.b, py.a, layer), px.weight),
               mix(load(px.a, py.b, layer), load(px.b, py.b, layer), px.weight), py.weight);
  };
  Vec4<Warp> value = slice_texel(pz.a);
  if (axes > 2) value = mix(value, slice_texel(pz.b), pz.weight);
  store_texel(w, texels, texture.encoding, Int(int(texture.first[level])) + as_int(number) * int(words), value, m);
}

BROKKR_MACHINE_END
