// Colours of a target beyond its first.
#pragma once

#include "geometry/features.h"
#include "shade/texel_store.h"
#include "target/pixel.h"
#include "target/target_tables.h"

BROKKR_MACHINE_BEGIN

// Samples `place` .. place + width - 1 of a target's plane; `place` indexes the planes of TargetTables. `raw`: sRGB is
// neither decoded nor encoded.
struct PlanePlace {
  uint32_t target, plane;
  size_t place;
  bool raw;
};

// These samples of a plane beyond the first.
class PlaneSamples {
 public:
  BROKKR_FN PlaneSamples(const TargetTables& tables, const PlanePlace& place)
      : record_(tables.targets[place.target].planes[place.plane]), encoding_(TexelEncoding(record_.encoding)) {
    const size_t first = size_t(tables.targets[place.target].first_region) << (2 * tables.region_shift);
    texels_ = tables.more_colors + size_t(record_.first) + (place.place - first) * record_.words;
    if (place.raw && encoding_ == TexelEncoding::srgb8) encoding_ = TexelEncoding::rgba8;
  }
  BROKKR_FN bool is_float() const { return encoding_ >= TexelEncoding::rgba16f && !has_few_bits(encoding_); }
  // On CPUs all words of the samples are loaded, whatever m is.
  BROKKR_FN Color load(Warp& w, Mask m) const {
    if constexpr (Warp::takes_turns) return load_all(w);
    const Vec4<Warp> texel = load_texel(w, texels_, encoding_, w.lane() * int(record_.words), m);
    return {texel.x, texel.y, texel.z, texel.w};
  }
  BROKKR_FN void store(Warp& w, const Color& c, Mask m) const {
    if constexpr (Warp::takes_turns) return store_all(w, c, m);
    store_texel(w, texels_, encoding_, w.lane() * int(record_.words), Vec4<Warp>(c.r, c.g, c.b, c.a), m);
  }

  // Stores a colour to vectors of samples: at `first`, then every `step` samples until `end`, counted from `place`.
  BROKKR_FN_NOINLINE void fill(Warp& w, const Color& c, int first, int step, int end) const;

 private:
  const PlaneRecord& record_;
  TexelEncoding encoding_;
  uint32_t* texels_;

  // The same for warps whose vectors take adjacent words.
  BROKKR_FN_NOINLINE Color load_all(Warp& w) const;
  BROKKR_FN_NOINLINE void store_all(Warp& w, const Color& c, Mask m) const;
};

// Word k of each of `kWidth` adjacent texels of kWords words. The loops have constant bounds, so they become
// permutations of vectors.
template <int kWords>
BROKKR_FN void load_adjacent(const uint32_t* texels, Uint (&word)[4]) {
  alignas(64) uint32_t values[kWords][kWidth];
  for (int i = 0; i < kWidth; ++i) {
    for (int k = 0; k < kWords; ++k) values[k][i] = texels[i * kWords + k];
  }
  for (int k = 0; k < kWords; ++k) word[k] = Warp::load(values[k]);
}
// Stores the texels of lanes m.
template <int kWords>
BROKKR_FN void store_adjacent(Warp& w, uint32_t* texels, const Uint (&word)[4], Mask m) {
  alignas(64) uint32_t values[kWords][kWidth], together[kWidth * kWords];
  for (int k = 0; k < kWords; ++k) w.store(values[k], word[k]);
  for (int i = 0; i < kWidth; ++i) {
    for (int k = 0; k < kWords; ++k) together[i * kWords + k] = values[k][i];
  }
  if (w.all(m)) {
    __builtin_memcpy(texels, together, sizeof together);
    return;
  }
  w.for_lanes(m,
              [&](int i) { __builtin_memcpy(texels + i * kWords, together + i * kWords, kWords * sizeof(uint32_t)); });
}

BROKKR_FN_NOINLINE Color PlaneSamples::load_all(Warp& w) const {
  Uint word[4] = {0u, 0u, 0u, 0u};
  Vec4<Warp> texel;
  switch (record_.words) {
    case 1: texel = texel_of_word(encoding_, w.load(texels_)); break;
    case 2:
      load_adjacent<2>(texels_, word);
      texel = texel_of_words(encoding_, word[0], word[1]);
      break;
    default:
      load_adjacent<4>(texels_, word);
      texel = Vec4<Warp>(as_float(word[0]), as_float(word[1]), as_float(word[2]), as_float(word[3]));
      break;
  }
  return {texel.x, texel.y, texel.z, texel.w};
}
BROKKR_FN_NOINLINE void PlaneSamples::fill(Warp& w, const Color& c, int first, int step, int end) const {
  // All vectors have the same words, because a vector holds whole texels.
  uint32_t word[4] = {0, 0, 0, 0};
  encode_texel(encoding_, Vec4<Warp>(c.r, c.g, c.b, c.a), [&](int k, Uint code) { word[k] = w.broadcast(code, 0); });
  alignas(64) uint32_t repeated[kWidth];
  const int words = int(record_.words);
  for (int i = 0; i < kWidth; ++i) repeated[i] = word[i & (words - 1)];
  const Uint vector = w.load(repeated);
  for (int s = first; s < end; s += step) {
    for (int i = 0; i < words; ++i) w.store(texels_ + size_t(s) * size_t(words) + size_t(i * kWidth), vector);
  }
}
BROKKR_FN_NOINLINE void PlaneSamples::store_all(Warp& w, const Color& c, Mask m) const {
  Uint word[4] = {0u, 0u, 0u, 0u};
  encode_texel(encoding_, Vec4<Warp>(c.r, c.g, c.b, c.a), [&](int k, Uint code) { word[k] = code; });
  switch (record_.words) {
    case 1: w.merge(texels_, word[0], m); break;
    case 2: store_adjacent<2>(w, texels_, word, m); break;
    default: store_adjacent<4>(w, texels_, word, m); break;
  }
}

// Loads colours from arbitrary places of a target's plane, which may be the first plane.
BROKKR_FN Color load_plane_at(Warp& w, const TargetTables& tables, uint32_t target, uint32_t plane, Int place, Mask m) {
  const TargetRecord& record = tables.targets[target];
  if (plane == 0) {
    return load_color(record.format, w.gather(tables.color.get(), place, m),
                      tables.color_high ? w.gather(tables.color_high.get(), place, m) : Uint(0u));
  }
  const PlaneRecord& plane_record = record.planes[plane];
  const Int sample = place - (int(record.first_region) << (2 * tables.region_shift));
  const Vec4<Warp> texel = load_texel(w, tables.more_colors + size_t(plane_record.first),
                                      TexelEncoding(plane_record.encoding), sample * int(plane_record.words), m);
  return {texel.x, texel.y, texel.z, texel.w};
}
// The average of a pixel's samples; `place` is the place of sample 0. sRGB is averaged as linear light. For integers,
// returns the value of sample 0.
BROKKR_FN Color average_color(Warp& w, const TargetTables& tables, uint32_t target, uint32_t plane, Int place, Mask m) {
  const TargetRecord& record = tables.targets[target];
  Color sum = load_plane_at(w, tables, target, plane, place, m);
  if (!(kKernelFeatures & kFeatureSamples) || record.samples == 1 || record.planes[plane].whole != 0) return sum;
  const int stride = int(record.sample_regions) << (2 * tables.region_shift);
  for (int i = 1; i < int(record.samples); ++i) {
    const Color one = load_plane_at(w, tables, target, plane, place + i * stride, m);
    sum = {sum.r + one.r, sum.g + one.g, sum.b + one.b, sum.a + one.a};
  }
  const float share = 1.0f / float(record.samples);
  return {sum.r * share, sum.g * share, sum.b * share, sum.a * share};
}
// Returns true if all samples of each pixel of m have the same word in the first plane of a target of 8-bit colours.
// The average then has this word too. `word`: gives the words of sample i.
template <class Words>
BROKKR_FN bool are_same_samples(Warp& w, const TargetRecord& target, Mask m, Words&& word) {
  if (!Warp::takes_turns || target.format == uint32_t(ColorFormat::rgba16f)) return false;
  const Uint first = word(0);
  Uint differences = 0u;
  for (int i = 1; i < int(target.samples); ++i) differences = differences | (word(i) ^ first);
  return !w.any(m && differences != 0u);
}
// Stores colours to samples of any plane.
BROKKR_FN void store_plane(Warp& w, const TargetTables& tables, const PlanePlace& place, const Color& color, Mask m) {
  if (place.plane != 0) return PlaneSamples(tables, place).store(w, color, m);
  uint32_t format = tables.targets[place.target].format;
  if (place.raw && format == uint32_t(ColorFormat::rgba8_srgb)) format = uint32_t(ColorFormat::rgba8);
  const Stored stored = store_color(format, color);
  w.merge(tables.color + place.place, stored.low, m);
  if (tables.color_high) w.merge(tables.color_high + place.place, stored.high, m);
}

BROKKR_MACHINE_END
