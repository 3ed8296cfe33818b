// Anisotropic lookups of run-time shaders (SampledRecord::anisotropic): the mean of the texels in the ellipse that a
// sample covers, with Gaussian weights that fall off from its centre (Heckbert, Fundamentals of Texture Mapping and
// Image Warping, 1989, p. 59).
//
// OpenGL does not define the method; this one is llvmpipe's. It reads one level, chosen by the ellipse's minor axis,
// whatever the filters are. A sampler's anisotropy enables ellipses but does not limit their length. Texels are visited
// line by line along the longer side of the ellipse's bounding box. Only those inside the ellipse are read.
#pragma once

#include <type_traits>

#include "shade/texture_unit.h"

BROKKR_MACHINE_BEGIN

// The derivatives of the two coordinates, to the right and upwards.
struct TextureChanges {
  Float dx[2], dy[2];
};

// The longest change, in texels of its level, that an ellipse is built from; longer changes are shortened. With twice
// the limit, the slowest lookup takes twice the time.
BROKKR_CONSTANT float kLongestChange = 256.0f;

// A point (x, y), in texels from the centre, is inside if a x^2 + b x y + c y^2 <= f. Half the bounding box is sqrt(c)
// wide and sqrt(a) high.
struct TexelEllipse {
  Float a, b, c, f;
};
// `scale_x`, `scale_y`: the size of the level in texels.
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

// Weights are indexed by integers from 0 to kMaxWeights - 1 and fall from 1 to e^-2. A weight is the product of two
// table entries, one for the upper and one for the lower five bits of the index.
BROKKR_CONSTANT int kMaxWeights = 1024, kWeightSteps = 32;
BROKKR_CONSTANT float kWeightEdge = float(kMaxWeights - 1), kWeightFalloff = -2.0f * 1.44269504088896f / kWeightEdge;

#if !defined(__CUDACC__)
// All weights, for machines that read a small table faster than they compute. They have the same values as exp2_lanes.
struct EllipseWeights {
  float upper[kWeightSteps], lower[kWeightSteps];
  float weight[kMaxWeights];
};
constexpr float exp2_of_weight(float x) {
  int whole = 0;  // floor(x + 0.5)
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
  for (int i = 0; i < kMaxWeights; ++i) all.weight[i] = all.upper[i / kWeightSteps] * all.lower[i % kWeightSteps];
  return all;
}
inline constexpr EllipseWeights kEllipseWeights = ellipse_weights();
#endif

// The weight of q; in lanes m, 0 <= q < kMaxWeights.
BROKKR_FN Float ellipse_weight(Warp& w, Float q, Mask m) {
#if !defined(__CUDACC__)
  if constexpr (Warp::has_small_tables) {
    const Int number = to_int(maximum(q, Float(0.0f)));  // other lanes hold any value: table indices wrap modulo 32
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

// Applies an axis's wrap mode to texel index i, which may have any value.
BROKKR_FN Int wrapped_texel(const SampledRecord& texture, int axis, Int i, Int size, int offset) {
  const TextureWrap wrap = texture.wrap[axis];
  const uint32_t side = axis == 0 ? texture.width : texture.height;
  if (wrap == TextureWrap::repeat && (side & (side - 1)) == 0) return (i + offset) & (size - 1);
  if (wrap == TextureWrap::clamp_to_edge) return clamp_to(i + offset, 0, size - 1);
  const Float n = to_float(size);
  return texels_at(to_float(i) / n, size, n, float(offset), wrap, Mask(false)).a;
}

// Addresses of texels along lines of an ellipse, if both axes repeat with power-of-two sizes or both clamp to edges.
// This is the part that does not change from texel to texel. In lanes `high`, lines run along y.
struct EllipseLines {
  bool is_plain = false, repeats = false;
  Mask high = false;
  Int offset, end;                       // of the axis along lines: offset, and index of the last texel
  Int step = 0, last = 0;                // words per step from texel to texel, and offset of the last texel
  Int line_offset, line_end, line_step;  // the same for the axis across lines
  Int base, first = 0;                   // first word of the level, and of a line

  BROKKR_FN EllipseLines() = default;
  BROKKR_FN EllipseLines(const TextureLookup& look, const LevelTexels& level, Mask lies_high) : high(lies_high) {
    const SampledRecord& texture = *look.texture;
    const auto both = [&](TextureWrap wrap) { return texture.wrap[0] == wrap && texture.wrap[1] == wrap; };
    const auto is_power = [](uint32_t side) { return (side & (side - 1)) == 0; };
    repeats = both(TextureWrap::repeat) && is_power(texture.width) && is_power(texture.height);
    is_plain = texture.usual && (repeats || both(TextureWrap::clamp_to_edge));
    if (!is_plain) return;
    offset = select(high, shader::offset_of_sample(look.sample_bits, 0), shader::offset_of_sample(look.sample_bits, 1));
    end = select(high, level.width, level.height) - 1;
    step = select(high, 1, level.width);
    last = end * step;
    line_offset =
        select(high, shader::offset_of_sample(look.sample_bits, 1), shader::offset_of_sample(look.sample_bits, 0));
    line_end = select(high, level.height, level.width) - 1;
    line_step = select(high, level.width, 1);
    base = level.first;
  }
  // Moves to a line. Returns the texel's offset in words from the line's first texel, before wrapping or clamping.
  // Texels that lie far outside are replaced by nearer ones.
  BROKKR_FN Int take(Int line, Int texel) {
    constexpr int kFar = 4096;  // upper bound on a line's length
    const Int row = line + line_offset, number = texel + offset;
    first = base + (repeats ? row & line_end : clamp_to(row, 0, line_end)) * line_step;
    return (repeats ? number & end : clamp_to(number, -kFar, end + kFar)) * step;
  }
  // The word of the texel at this offset. If texels repeat, offsets wrap modulo a power of two.
  BROKKR_FN Int word(Int behind) const { return first + (repeats ? behind & last : clamp_to(behind, 0, last)); }
};

// Reads one texel after another.
class EllipseTexels {
 public:
  BROKKR_FN EllipseTexels(Warp& warp, const TextureLookup& lookup, Int number, Int slice, Mask lies_high)
      : w(warp),
        look(lookup),
        level(level_texels(warp, lookup, number)),
        layer(slice),
        high(lies_high),
        are_bytes(lookup.texture->usual && lookup.texture->encoding == TexelEncoding::rgba8) {
    // Usual textures have one word per texel, and their address ignores the layer.
    if (lookup.texture->usual && shader::is_cube(lookup.texture->kind))
      level.first = level.first + slice * level.height * level.width;
    if (Warp::takes_turns) lines = EllipseLines(look, level, high);
  }

  // Moves to a line and returns the offset that `get` takes for its first texel; each further texel adds `step`.
  BROKKR_FN Int take_line(Int number, Int texel) {
    line = number;
    return Warp::takes_turns && lines.is_plain ? lines.take(line, texel) : Int(0);
  }
  BROKKR_FN Int step() const { return Warp::takes_turns ? lines.step : Int(0); }
  // Reads a texel of the line for lanes m. 8-bit colours are returned as whole numbers.
  BROKKR_FN Vec4<Warp> get(Int texel, Int behind, Mask m) {
    const SampledRecord& texture = *look.texture;
    const bool is_plain = Warp::takes_turns && lines.is_plain;
    Int x = select(high, texel, line), y = select(high, line, texel), word = 0;
    if (is_plain) {
      word = lines.word(behind);
    } else {
      x = wrapped_texel(texture, 0, x, level.width, shader::offset_of_sample(look.sample_bits, 0));
      y = wrapped_texel(texture, 1, y, level.height, shader::offset_of_sample(look.sample_bits, 1));
      word = level.first + y * level.width + x;
    }
    if (are_bytes) return bytes_at(word, m);
    if (texture.usual) return load_texel(w, look.texels, texture.encoding, word, m);
    TextureLookup texel_look = look;
    texel_look.lanes = m;
    return texel_at(w, texel_look, level, x, y, layer);
  }
  BROKKR_FN float one() const { return are_bytes ? 255.0f : 1.0f; }

  // If are_plain_bytes() is true, a copy of plain_lines() and bytes_at() replace take_line() and get(), and no texel
  // needs a decision.
  BROKKR_FN bool are_plain_bytes() const { return Warp::takes_turns && lines.is_plain && are_bytes; }
  BROKKR_FN const EllipseLines& plain_lines() const { return lines; }
  BROKKR_FN Vec4<Warp> bytes_at(Int word, Mask m) const {
    const Uint bits = w.gather(look.texels, word, m);
    const auto channel = [&](uint32_t shift) { return to_float(as_int((bits >> shift) & 255u)); };
    return Vec4<Warp>(channel(0), channel(8), channel(16), channel(24));
  }

 private:
  Warp& w;
  const TextureLookup& look;
  LevelTexels level;
  Int layer, line = 0;
  Mask high;
  bool are_bytes;
  EllipseLines lines;
};

// A line's distance from the ellipse's centre, and its range of texels.
struct EllipseLine {
  Float m;
  Int begin, end;
};

// Cuts an ellipse into lines of texels.
struct EllipseCut {
  Float centre, line_centre;  // of the ellipse, across the lines and along them
  Float width, slope, share;

  BROKKR_FN EllipseLine line(Int number) const {
    constexpr float kBeyond = 1024.0f / 1023.0f;
    const Float m = to_float(number) - centre;
    const Float half = sqrt(maximum(width * (kBeyond - m * m * share), Float(0.0f))) + 0.01f;
    const Float middle = line_centre + slope * m;
    return {m, to_int(floor(middle - half)) + 1, to_int(floor(middle + half))};
  }
};

// Returns true if a channel of the result reads the texels' fourth channel.
BROKKR_FN bool reads_alpha(const SampledRecord& texture) {
  const uint8_t(&c)[4] = texture.channel;
  return c[0] == 3 || c[1] == 3 || c[2] == 3 || c[3] == 3;
}

// `given` and `detail` are those of looked_up.
BROKKR_FN_NOINLINE Vec4<Warp> covered(Warp& w, const TextureLookup& look, const Float (&given)[4], Float detail,
                                      const TextureChanges& changes) {
  constexpr float kEdge = kWeightEdge;
  constexpr float kFarthest = 16777216.0f;
  const SampledRecord& texture = *look.texture;
  const TexturePlace place = place_of(texture, given);
  const Float lod = texture.mip == MipFilter::none ? Float(0.0f) : clamped_detail(texture, detail);
  const Int number = to_int(clamp_to(lod, 0.0f, float(texture.levels - 1)));
  const Float shrunk = as_float((127 - number) << 23);
  const Float scale_x = shrunk * float(texture.width), scale_y = shrunk * float(texture.height);
  const TexelEllipse e = ellipse_of(changes, scale_x, scale_y);
  const Float u = clamp_to(place.coordinates[0] * scale_x - 0.5f, -kFarthest, kFarthest);
  const Float v = clamp_to(place.coordinates[1] * scale_y - 0.5f, -kFarthest, kFarthest);

  const Mask high = e.a > e.c;  // lines run along y
  const Float centre = select(high, v, u), line_centre = select(high, u, v);
  const Float along = select(high, e.c, e.a), across = select(high, e.a, e.c), share = 1.0f / across;
  const Float reach = sqrt(across), width = e.f * share, slope = e.b * -0.5f * share, scale = kEdge / e.f;
  const Int last = to_int(floor(centre + reach)) + 1;
  EllipseTexels texels(w, look, number, place.layer + place.face, high);
  const Int step = texels.step();
  const bool compares = (look.sample_bits & shader::kSampleCompare) != 0 && texture.compares;
  const bool has_alpha = !Warp::takes_turns || compares || reads_alpha(texture);
  // These are copies of the members of `texels`, because a compiler would write the members to memory for each texel.
  Vec4<Warp> sum(0.0f, 0.0f, 0.0f, 0.0f);
  Float weights = 0.0f;
  const EllipseCut cut{centre, line_centre, width, slope, share};
  const auto add_texels = [&](auto plain_bytes) BROKKR_INLINE_LAMBDA {
    constexpr bool kPlainBytes = decltype(plain_bytes)::value;
    EllipseLines lines;
    if constexpr (kPlainBytes) lines = texels.plain_lines();
    Int line = to_int(floor(centre - reach));
    for (EllipseLine next = cut.line(line);; line = line + 1) {
      const Mask is_line = look.lanes && line <= last;
      if (!w.any(is_line)) break;
      // The end of a line is computed one line ahead, so that no processor has to predict it.
      const EllipseLine present = Warp::takes_turns ? next : cut.line(line);
      if (Warp::takes_turns) next = cut.line(line + 1);
      const Float m = present.m;
      const Int end = present.end;
      Int texel = present.begin, behind = kPlainBytes ? lines.take(line, texel) : texels.take_line(line, texel);
      for (;; texel = texel + 1, behind = behind + step) {
        const Mask is_near = is_line && texel <= end;
        if (!w.any(is_near)) break;
        const Float n = to_float(texel) - line_centre;
        const Float q = ((along * m + e.b * n) * m + across * n * n) * scale;
        const Mask inside = is_near && q < kEdge + 1.0f;
        const Float weight = ellipse_weight(w, q, inside);
        const Vec4<Warp> c =
            kPlainBytes ? texels.bytes_at(lines.word(behind), inside) : texels.get(texel, behind, inside);
        sum = Vec4<Warp>(sum.x + c.x * weight, sum.y + c.y * weight, sum.z + c.z * weight, sum.w);
        if (has_alpha) sum.w = sum.w + c.w * weight;
        weights = weights + weight;
      }
    }
  };
  if constexpr (Warp::takes_turns) {
    if (texels.are_plain_bytes())
      add_texels(std::true_type());
    else
      add_texels(std::false_type());
  } else {
    add_texels(std::false_type());
  }
  const Float part = 1.0f / texels.one() / select(weights > 0.0f, weights, 1.0f);
  const Vec4<Warp> mean(sum.x * part, sum.y * part, sum.z * part, sum.w * part);
  return compares ? mean : handed_on(texture, mean);
}

// The derivatives of the positions on the cube's faces, from sample `first` of each quad to its horizontal and vertical
// neighbours, in lanes `beside` and `beyond`; 0 elsewhere. Across edges of faces they are meaningless, as in llvmpipe.
BROKKR_FN TextureChanges changes_on_faces(Warp& w, const Float (&positions)[3], Int first, Mask beside, Mask beyond) {
  const auto change = [&](int axis, int bit, Mask is_there) {
    return select(is_there, w.shuffle(positions[axis], first ^ bit) - w.shuffle(positions[axis], first), 0.0f);
  };
  return {{change(0, 1, beside), change(1, 1, beside)}, {change(0, 2, beyond), change(1, 2, beyond)}};
}

// Does the same for a cube. `first`: the lane of each lane's quad that determines the derivatives.
BROKKR_FN_NOINLINE Vec4<Warp> covered_of_face(Warp& w, const TextureLookup& look, const Float (&given)[4], Float detail,
                                              Int first) {
  const TexturePlace place = place_of(*look.texture, given);
  const Int takes_part = select(look.lanes, Int(1), Int(0)), own = w.shuffle(takes_part, first);
  const Mask beside = (own & w.shuffle(takes_part, first ^ 1)) != 0;
  const Mask beyond = (own & w.shuffle(takes_part, first ^ 2)) != 0;
  return covered(w, look, given, detail, changes_on_faces(w, place.coordinates, first, beside, beyond));
}

// The level of detail of an anisotropic cube lookup whose direction changes by dx to the right and dy upwards. It is
// that of the smaller change of the positions on the faces.
BROKKR_FN_NOINLINE Float detail_of_faces(Warp& w, const SampledRecord& texture, const Float (&direction)[3],
                                         const Float (&dx)[3], const Float (&dy)[3], Int first) {
  const Float given[4] = {direction[0], direction[1], direction[2], 0.0f};
  // Inactive samples have no derivatives.
  const auto moves = [&](const Float(&d)[3]) {
    const Int does = select(d[0] != 0.0f || d[1] != 0.0f || d[2] != 0.0f, Int(1), Int(0));
    return w.shuffle(does, first) != 0;
  };
  const TextureChanges changes = changes_on_faces(w, place_of(texture, given).coordinates, first, moves(dx), moves(dy));
  const auto span = [&](const Float(&change)[2]) {
    const Float x = change[0] * float(texture.width), y = change[1] * float(texture.height);
    return x * x + y * y;
  };
  return detail_of_span(minimum(span(changes.dx), span(changes.dy)));
}

BROKKR_MACHINE_END
