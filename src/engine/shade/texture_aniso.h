// Anisotropic lookups of run-time shaders (SampledRecord::anisotropic): the mean of the texels in the ellipse that a
// sample covers, with weights that fall off from its centre like a Gaussian (Heckbert, Fundamentals of Texture Mapping
// and Image Warping, 1989, p. 59).
//
// OpenGL leaves the way open, and this is llvmpipe's: one level, that of the ellipse's shorter axis, whatever the
// filters are; a sampler's anisotropy says that ellipses are used, not how long they may be. Texels are visited along
// the longer side of the ellipse's box, on each line those alone that are inside of it.
#pragma once

#include "shade/texture_unit.h"

BROKKR_MACHINE_BEGIN

// How the two coordinates change to the right and upwards.
struct TextureChanges {
  Float dx[2], dy[2];
};

// The longest change that an ellipse is made of, in texels of its level; longer ones are shortened. With twice as many
// the slowest lookup needs twice the time.
BROKKR_CONSTANT float kLongestChange = 256.0f;

// a x^2 + b x y + c y^2 <= f is inside, x and y in texels from the centre: the half box is sqrt(c) wide and sqrt(a)
// high.
struct TexelEllipse {
  Float a, b, c, f;
};
// `scale_x`, `scale_y`: texels of the level that a coordinate of 1 stands for.
BROKKR_FN TexelEllipse ellipse_of(const TextureChanges& changes, Float scale_x, Float scale_y) {
  Float ux = changes.dx[0] * scale_x, vx = changes.dx[1] * scale_y;
  Float uy = changes.dy[0] * scale_x, vy = changes.dy[1] * scale_y;
  const Float longest = maximum(ux * ux + vx * vx, uy * uy + vy * vy);
  const Float shrunk = kLongestChange / sqrt(maximum(longest, kLongestChange * kLongestChange));
  const auto kept = [&](Float v) { return select(is_finite(longest), v * shrunk, 0.0f); };
  ux = kept(ux), vx = kept(vx), uy = kept(uy), vy = kept(vy);
  const Float a = vx * vx + vy * vy + 1.0f, c = ux * ux + uy * uy + 1.0f;
  const Float b = (ux * vx + uy * vy) * -2.0f;
  return {a, b, c, a * c - b * b * 0.25f};
}

// Weights are of whole numbers from 0 to kMostWeights - 1 and fall off from 1 to e^-2. A weight is the product of that
// of the number's upper five bits and that of its lower five.
BROKKR_CONSTANT int kMostWeights = 1024, kWeightSteps = 32;
BROKKR_CONSTANT float kWeightEdge = float(kMostWeights - 1), kWeightFalloff = -2.0f * 1.44269504088896f / kWeightEdge;

#if !defined(__CUDACC__)
// All of them, for machines that read a small table faster than they compute: what exp2_lanes gives.
struct EllipseWeights {
  float upper[kWeightSteps], lower[kWeightSteps];
  float weight[kMostWeights];
};
constexpr float exp2_of_weight(float x) {
  int whole = 0;  // of x + 0.5, downwards
  while (float(whole) > x + 0.5f) --whole;
  float weight = exp2_of_fraction(x - float(whole));
  for (; whole < 0; ++whole) weight = weight * 0.5f;
  return weight;
}
constexpr EllipseWeights ellipse_weights() {
  EllipseWeights all{};
  for (int i = 0; i < kWeightSteps; ++i) {
    all.upper[i] = exp2_of_weight(float(i * kWeightSteps) * kWeightFalloff);
    all.lower[i] = exp2_of_weight(float(i) * kWeightFalloff);
  }
  for (int i = 0; i < kMostWeights; ++i) all.weight[i] = all.upper[i / kWeightSteps] * all.lower[i % kWeightSteps];
  return all;
}
inline constexpr EllipseWeights kEllipseWeights = ellipse_weights();
#endif

// The weight of q, which is at least 0 and less than kMostWeights in lanes m.
BROKKR_FN Float ellipse_weight(Warp& w, Float q, Mask m) {
#if !defined(__CUDACC__)
  if constexpr (Warp::has_small_tables) {
    const Int number = to_int(maximum(q, Float(0.0f)));  // any in other lanes: tables count modulo 32
    const Float upper = w.of_32(kEllipseWeights.upper, number >> 5), lower = w.of_32(kEllipseWeights.lower, number);
    return select(m, upper * lower, 0.0f);
  }
#endif
  const Int number = to_int(select(m, maximum(q, Float(0.0f)), 0.0f));
#if defined(__CUDACC__)
  const auto weight = [&](Int i) { return exp2_lanes(to_float(i) * kWeightFalloff); };
  return select(m, weight(number & ~(kWeightSteps - 1)) * weight(number & (kWeightSteps - 1)), 0.0f);
#else
  return w.gather(kEllipseWeights.weight, number, m);
#endif
}

// The texel that number i of an axis is, which may be any.
BROKKR_FN Int wrapped_texel(const SampledRecord& texture, int axis, Int i, Int size, int offset) {
  const TextureWrap wrap = texture.wrap[axis];
  const uint32_t side = axis == 0 ? texture.width : texture.height;
  if (wrap == TextureWrap::repeat && (side & (side - 1)) == 0) return (i + offset) & (size - 1);
  if (wrap == TextureWrap::clamp_to_edge) return clamp_to(i + offset, 0, size - 1);
  const Float n = to_float(size);
  return texels_at(to_float(i) / n, size, n, float(offset), wrap, Mask(false)).a;
}

// How texels along lines of an ellipse lie in memory, where both axes are repeated and powers of two, or both are
// clamped to edges: what of that does not change from texel to texel. In lanes `high` lines are across y.
struct EllipseLines {
  bool is_plain = false, repeats = false;
  Mask high = false;
  Int offset, end;                       // of the axis along lines: its last texel
  Int step = 0, last = 0;                // words from texel to texel, and to the last one
  Int line_offset, line_end, line_step;  // the same of the axis across them
  Int base, first = 0;                   // word of the level, and of a line

  BROKKR_FN EllipseLines() = default;
  BROKKR_FN EllipseLines(const TextureLookup& look, const LevelTexels& level, Mask lies_high) : high(lies_high) {
    const SampledRecord& texture = *look.texture;
    const auto both = [&](TextureWrap wrap) { return texture.wrap[0] == wrap && texture.wrap[1] == wrap; };
    const auto is_power = [](uint32_t side) { return (side & (side - 1)) == 0; };
    repeats = both(TextureWrap::repeat) && is_power(texture.width) && is_power(texture.height);
    is_plain = texture.usual && (repeats || both(TextureWrap::clamp_to_edge));
    if (!is_plain) return;
    offset = select(high, shader::offset_of_sample(look.how, 0), shader::offset_of_sample(look.how, 1));
    end = select(high, level.width, level.height) - 1;
    step = select(high, 1, level.width);
    last = end * step;
    line_offset = select(high, shader::offset_of_sample(look.how, 1), shader::offset_of_sample(look.how, 0));
    line_end = select(high, level.height, level.width) - 1;
    line_step = select(high, level.width, 1);
    base = level.first;
  }
  // Goes to a line. Returns how many words behind its first one a texel would be if nothing turned or ended; texels far
  // outside count as ones that are nearer.
  BROKKR_FN Int take(Int line, Int texel) {
    constexpr int kFar = 4096;  // lines are shorter
    const Int row = line + line_offset, number = texel + offset;
    first = base + (repeats ? row & line_end : clamp_to(row, 0, line_end)) * line_step;
    return (repeats ? number & end : clamp_to(number, -kFar, end + kFar)) * step;
  }
  // The word of a texel that would be so far behind. Where texels repeat, words count modulo a power of two.
  BROKKR_FN Int word(Int behind) const { return first + (repeats ? behind & last : clamp_to(behind, 0, last)); }
};

// One texel after another.
class EllipseTexels {
 public:
  BROKKR_FN EllipseTexels(Warp& warp, const TextureLookup& lookup, Int number, Int slice, Mask lies_high)
      : w(warp),
        look(lookup),
        level(level_texels(warp, lookup, number)),
        layer(slice),
        high(lies_high),
        are_bytes(lookup.texture->usual && lookup.texture->encoding == TexelEncoding::rgba8) {
    // Usual texels are of one word, and found without the layer.
    if (lookup.texture->usual && shader::is_cube(lookup.texture->kind))
      level.first = level.first + slice * level.height * level.width;
    if (Warp::takes_turns) lines = EllipseLines(look, level, high);
  }

  // Goes to a line, and returns what `get` is told of its texel; of the next one it is `step` more.
  BROKKR_FN Int take_line(Int number, Int texel) {
    line = number;
    return Warp::takes_turns && lines.is_plain ? lines.take(line, texel) : Int(0);
  }
  BROKKR_FN Int step() const { return Warp::takes_turns ? lines.step : Int(0); }
  // A texel of the line, of lanes m. Colours of 8 bits are whole numbers.
  BROKKR_FN Vec4<Warp> get(Int texel, Int behind, Mask m) {
    const SampledRecord& texture = *look.texture;
    const bool is_plain = Warp::takes_turns && lines.is_plain;
    Int x = select(high, texel, line), y = select(high, line, texel), word = 0;
    if (is_plain) {
      word = lines.word(behind);
    } else {
      x = wrapped_texel(texture, 0, x, level.width, shader::offset_of_sample(look.how, 0));
      y = wrapped_texel(texture, 1, y, level.height, shader::offset_of_sample(look.how, 1));
      word = level.first + y * level.width + x;
    }
    if (are_bytes) {
      const Uint bits = w.gather(look.texels, word, m);
      const auto channel = [&](uint32_t shift) { return to_float(as_int((bits >> shift) & 255u)); };
      return Vec4<Warp>(channel(0), channel(8), channel(16), channel(24));
    }
    if (texture.usual) return load_texel(w, look.texels, texture.encoding, word, m);
    TextureLookup of_texel = look;
    of_texel.lanes = m;
    return texel_at(w, of_texel, level, x, y, layer);
  }
  BROKKR_FN float one() const { return are_bytes ? 255.0f : 1.0f; }

 private:
  Warp& w;
  const TextureLookup& look;
  LevelTexels level;
  Int layer, line = 0;
  Mask high;
  bool are_bytes;
  EllipseLines lines;
};

// How far a line is from the ellipse's centre, and its texels.
struct EllipseLine {
  Float m;
  Int begin, end;
};

// Whether a channel of the result is the fourth of the texels.
BROKKR_FN bool reads_alpha(const SampledRecord& texture) {
  const uint8_t(&c)[4] = texture.channel;
  return c[0] == 3 || c[1] == 3 || c[2] == 3 || c[3] == 3;
}

// `given` and `detail` as of looked_up.
BROKKR_FN_NOINLINE Vec4<Warp> covered(Warp& w, const TextureLookup& look, const Float (&given)[4], Float detail,
                                      const TextureChanges& changes) {
  constexpr float kEdge = kWeightEdge, kBeyond = 1024.0f / 1023.0f;
  constexpr float kFarthest = 16777216.0f;
  const SampledRecord& texture = *look.texture;
  const TexturePlace place = place_of(texture, given);
  const Float lod = texture.mip == MipFilter::none ? Float(0.0f) : clamped_detail(texture, detail);
  const Int number = to_int(clamp_to(lod, 0.0f, float(texture.levels - 1)));
  const Float shrunk = as_float((127 - number) << 23);
  const Float scale_x = shrunk * float(texture.width), scale_y = shrunk * float(texture.height);
  const TexelEllipse e = ellipse_of(changes, scale_x, scale_y);
  const Float u = clamp_to(place.at[0] * scale_x - 0.5f, -kFarthest, kFarthest);
  const Float v = clamp_to(place.at[1] * scale_y - 0.5f, -kFarthest, kFarthest);

  const Mask high = e.a > e.c;  // lines are across y
  const Float at = select(high, v, u), at_line = select(high, u, v);
  const Float along = select(high, e.c, e.a), across = select(high, e.a, e.c), share = 1.0f / across;
  const Float reach = sqrt(across), width = e.f * share, slope = e.b * -0.5f * share, scale = kEdge / e.f;
  const Int last = to_int(floor(at + reach)) + 1;
  EllipseTexels texels(w, look, number, place.layer + place.face, high);
  const Int step = texels.step();
  const bool compares = (look.how & shader::kSampleCompare) != 0 && texture.compares;
  const bool has_alpha = !Warp::takes_turns || compares || reads_alpha(texture);
  // No members of `texels`: a compiler writes those to memory for each texel.
  Vec4<Warp> sum(0.0f, 0.0f, 0.0f, 0.0f);
  Float weights = 0.0f;
  const auto line_at = [&](Int number_of_line) {
    const Float m = to_float(number_of_line) - at;
    const Float half = sqrt(maximum(width * (kBeyond - m * m * share), Float(0.0f))) + 0.01f,
                middle = at_line + slope * m;
    return EllipseLine{m, to_int(floor(middle - half)) + 1, to_int(floor(middle + half))};
  };
  Int line = to_int(floor(at - reach));
  for (EllipseLine next = line_at(line);; line = line + 1) {
    const Mask is_line = look.lanes && line <= last;
    if (!w.any(is_line)) break;
    // Where a line ends is no processor's guess: it is known before the line is come to.
    const EllipseLine present = Warp::takes_turns ? next : line_at(line);
    if (Warp::takes_turns) next = line_at(line + 1);
    const Float m = present.m;
    const Int end = present.end;
    Int texel = present.begin, behind = texels.take_line(line, texel);
    for (;; texel = texel + 1, behind = behind + step) {
      const Mask is_near = is_line && texel <= end;
      if (!w.any(is_near)) break;
      const Float n = to_float(texel) - at_line;
      const Float q = ((along * m + e.b * n) * m + across * n * n) * scale;
      const Mask inside = is_near && q < kEdge + 1.0f;
      const Float weight = ellipse_weight(w, q, inside);
      const Vec4<Warp> c = texels.get(texel, behind, inside);
      sum = Vec4<Warp>(sum.x + c.x * weight, sum.y + c.y * weight, sum.z + c.z * weight, sum.w);
      if (has_alpha) sum.w = sum.w + c.w * weight;
      weights = weights + weight;
    }
  }
  const Float part = 1.0f / texels.one() / select(weights > 0.0f, weights, 1.0f);
  const Vec4<Warp> mean(sum.x * part, sum.y * part, sum.z * part, sum.w * part);
  return compares ? mean : handed_on(texture, mean);
}

// How the places on the faces that the samples of a quad see change from its sample `first` to the one beside it and to
// the one above or below it, in lanes `beside` and `beyond`, else 0. Along the edges of faces that means nothing, as
// llvmpipe has it.
BROKKR_FN TextureChanges changes_on_faces(Warp& w, const Float (&at)[3], Int first, Mask beside, Mask beyond) {
  const auto change = [&](int axis, int bit, Mask is_there) {
    return select(is_there, w.shuffle(at[axis], first ^ bit) - w.shuffle(at[axis], first), 0.0f);
  };
  return {{change(0, 1, beside), change(1, 1, beside)}, {change(0, 2, beyond), change(1, 2, beyond)}};
}

// The same of a cube. `first`: the lane of each lane's quad whose changes it has.
BROKKR_FN_NOINLINE Vec4<Warp> covered_of_face(Warp& w, const TextureLookup& look, const Float (&given)[4], Float detail,
                                              Int first) {
  const TexturePlace place = place_of(*look.texture, given);
  const Int takes_part = select(look.lanes, Int(1), Int(0)), own = w.shuffle(takes_part, first);
  const Mask beside = (own & w.shuffle(takes_part, first ^ 1)) != 0;
  const Mask beyond = (own & w.shuffle(takes_part, first ^ 2)) != 0;
  return covered(w, look, given, detail, changes_on_faces(w, place.at, first, beside, beyond));
}

// The level of detail of such a lookup, of a direction that changes by dx to the right and dy upwards: that of the
// lesser change of the places on the faces.
BROKKR_FN_NOINLINE Float detail_of_faces(Warp& w, const SampledRecord& texture, const Float (&direction)[3],
                                         const Float (&dx)[3], const Float (&dy)[3], Int first) {
  const Float given[4] = {direction[0], direction[1], direction[2], 0.0f};
  // Samples of another path do not change.
  const auto moves = [&](const Float(&d)[3]) {
    const Int does = select(d[0] != 0.0f || d[1] != 0.0f || d[2] != 0.0f, Int(1), Int(0));
    return w.shuffle(does, first) != 0;
  };
  const TextureChanges changes = changes_on_faces(w, place_of(texture, given).at, first, moves(dx), moves(dy));
  const auto span = [&](const Float(&change)[2]) {
    const Float x = change[0] * float(texture.width), y = change[1] * float(texture.height);
    return x * x + y * y;
  };
  return detail_of_span(minimum(span(changes.dx), span(changes.dy)));
}

BROKKR_MACHINE_END
