// Maps coordinates to a place in a texture: cube faces, layers, texels along an axis for each wrap mode, levels.
#pragma once

#include "frame/texture_tables.h"
#include "shader.h"
#include "shader/operation.h"

BROKKR_MACHINE_BEGIN

// A direction, or its derivative, in the coordinates of a cube's face (OpenGL 4.6, table 8.19). `ma` is along the
// face's axis.
struct OnFace {
  Float sc, tc, ma;
};
struct CubeFace {
  Mask z_major, x_major, negative;

  BROKKR_FN Int number() const { return select(z_major, 4, select(x_major, Int(0), 2)) + select(negative, 1, 0); }
  BROKKR_FN OnFace seen(Float x, Float y, Float z) const {
    const Float sx = select(negative, -x, x), sy = select(negative, -y, y), sz = select(negative, -z, z);
    return {select(z_major, sx, select(x_major, -sz, x)), select(z_major || x_major, -y, sz),
            select(z_major, sz, select(x_major, sx, sy))};
  }
};
BROKKR_FN CubeFace face_of(Float x, Float y, Float z) {
  const Float ax = absolute(x), ay = absolute(y), az = absolute(z);
  const Mask z_major = az >= maximum(ax, ay), x_major = !z_major && ax > ay;
  const Float along = select(z_major, z, select(x_major, x, y));
  return {z_major, x_major, as_int(along) < 0 && along == along};  // the sign of a NaN depends on the processor
}

// Replaces a texel one step beyond a face's edge by the neighbour's texel at that place. Texel centres of a face are at
// odd or even integers in -(size - 1) .. size - 1, and the face's plane is at `size`, so all arithmetic is exact.
BROKKR_FN void cross_edges(Int& face, Int& column, Int& row, Int size) {
  const Float n = to_float(size), inside = n - 1.0f;
  Float s = to_float(column) * 2.0f - inside, t = to_float(row) * 2.0f - inside;
  const Mask over_s = absolute(s) > inside, over_t = absolute(t) > inside && !over_s;
  const Float axis = select(over_s || over_t, inside, n);
  s = select(over_s, select(s < 0.0f, -n, n), s);
  t = select(over_t, select(t < 0.0f, -n, n), clamp_to(t, -inside, inside));
  const Mask negative = (face & 1) != 0, x_face = face < 2, y_face = !x_face && face < 4;
  const Float signed_s = select(negative, -s, s), signed_axis = select(negative, -axis, axis);
  const Float x = select(x_face, signed_axis, select(y_face, s, signed_s));
  const Float y = select(y_face, signed_axis, -t);
  const Float z = select(x_face, -signed_s, select(y_face, select(negative, -t, t), signed_axis));
  const CubeFace next = face_of(x, y, z);
  const OnFace seen = next.seen(x, y, z);
  face = next.number();
  column = clamp_to(to_int((seen.sc + inside) * 0.5f), 0, size - 1);
  row = clamp_to(to_int((seen.tc + inside) * 0.5f), 0, size - 1);
}

// Coordinates on a level, in 0..1 (in texels for a rectangle), and the first layer that the array index selects. The
// face is counted from that layer.
struct TexturePlace {
  Float coordinates[3];
  Int layer, face;
};
// Takes coordinates in the shader's order. Infinite values and NaN count as 0, because they would address texels
// outside the texture.
BROKKR_FN TexturePlace place_of(const SampledRecord& texture, const Float (&given)[4]) {
  const TextureKind kind = texture.kind;
  Float coordinates[3] = {given[0], given[1], given[2]};
  Int layer(0), number_of_face(0);
  if (shader::is_array(kind)) {
    const int count = int(shader::is_cube(kind) ? texture.depth / 6 : texture.depth);
    const int directions = shader::directions_of(kind);
    const Float number = directions == 1 ? given[1] : directions == 2 ? given[2] : given[3];
    layer = to_int(clamp_to(floor(number + 0.5f), 0.0f, float(count - 1)));
  }
  if (shader::is_cube(kind)) {
    const CubeFace face = face_of(coordinates[0], coordinates[1], coordinates[2]);
    const OnFace seen = face.seen(coordinates[0], coordinates[1], coordinates[2]);
    const Float scale = 0.5f / seen.ma;
    coordinates[0] = seen.sc * scale + 0.5f;
    coordinates[1] = seen.tc * scale + 0.5f;
    layer = layer * 6;
    number_of_face = face.number();
  }
  const auto finite = [](Float coordinate) { return select(is_finite(coordinate), coordinate, 0.0f); };
  return {{finite(coordinates[0]), finite(coordinates[1]), finite(coordinates[2])}, layer, number_of_face};
}

// The level of detail of coordinates that do not change between samples, and the square of the corresponding span in
// texels.
BROKKR_CONSTANT float kLeastSpan = 0x1p-66f, kLeastDetail = -33.0f;

// The level of detail for a span whose square is `rho`. It is computed like llvmpipe's from the float's exponent and
// mantissa: exact at powers of two, and at most 0.05 too small in between.
BROKKR_FN Float detail_of_span(Float rho) {
  return to_float(as_int(clamp_to(rho, kLeastSpan, 0x1p66f))) * 0x1p-24f - 63.5f;
}

// The level of detail: the logarithm of the number of base-level texels that a sample spans (OpenGL 4.6, 8.14.1), if
// the coordinates change by dx to the right and dy upwards. `given`: the direction, for cubes. `may_be_ellipse`:
// anisotropic textures use the smaller change.
BROKKR_FN Float detail_of(const SampledRecord& texture, const Float (&given)[3], const Float (&dx)[3],
                          const Float (&dy)[3], bool may_be_ellipse) {
  const TextureKind kind = texture.kind;
  const int axes = shader::axes_of(kind);
  const bool counts_texels = kind == TextureKind::rectangle;
  const float size[3] = {counts_texels ? 1.0f : float(texture.width), counts_texels ? 1.0f : float(texture.height),
                         float(texture.depth)};
  const auto span = [&](Float x, Float y, Float z) {
    x = x * size[0];
    Float sum = x * x;
    if (axes > 1) y = y * size[1], sum = sum + y * y;
    if (axes > 2) z = z * size[2], sum = sum + z * z;
    return sum;
  };
  Float rho;
  if (shader::is_cube(kind)) {
    const CubeFace face = face_of(given[0], given[1], given[2]);
    const OnFace seen = face.seen(given[0], given[1], given[2]);
    const Float scale = 0.5f / seen.ma, s = seen.sc / seen.ma, t = seen.tc / seen.ma;
    const auto square_of_change = [&](const Float(&change)[3]) {
      const OnFace d = face.seen(change[0], change[1], change[2]);
      return span((d.sc - s * d.ma) * scale, (d.tc - t * d.ma) * scale, 0.0f);
    };
    rho = maximum(square_of_change(dx), square_of_change(dy));
  } else {
    const Float right = span(dx[0], dx[1], dx[2]), upwards = span(dy[0], dy[1], dy[2]);
    rho = may_be_ellipse && texture.anisotropic ? minimum(right, upwards) : maximum(right, upwards);
  }
  return detail_of_span(rho);
}

// The levels that a lookup reads: `level`, and the next one with weight `next`.
struct LevelChoice {
  Int level;
  Float next;
  Mask linear;  // filter within a level
};
BROKKR_FN Float clamped_detail(const SampledRecord& texture, Float detail) {
  return maximum(minimum(detail + texture.lod_bias, texture.lod_max), texture.lod_min);
}
// `mip`: the texture's mip filter.
BROKKR_FN LevelChoice levels_of(const SampledRecord& texture, MipFilter mip, Float detail) {
  const Float lod = clamped_detail(texture, detail), top(float(texture.levels - 1));
  const Mask minified = lod > 0.0f;
  const Mask linear = (minified && Mask(texture.minify_linear)) || (!minified && Mask(texture.magnify_linear));
  if (mip == MipFilter::none) return {0, 0.0f, linear};
  if (mip == MipFilter::nearest) return {to_int(clamp_to(floor(lod + 0.5f), 0.0f, top)), 0.0f, linear};
  const Float inside = clamp_to(lod, 0.0f, top), whole = floor(inside);
  return {to_int(whole), inside - whole, linear};
}
// The lanes whose lookup reads more than the base level: between levels, or in the nearest one.
BROKKR_FN Mask is_beyond_base(const SampledRecord& texture, MipFilter mip, Float detail) {
  const Float lod = clamped_detail(texture, detail);
  return mip == MipFilter::nearest ? lod + 0.5f >= 1.0f : lod > 0.0f;
}

BROKKR_FN Int side_of_level(uint32_t side, Int level) { return maximum(Int(int(side)) >> level, Int(1)); }

// Two neighbouring texels on an axis, and the weight of the second. A number outside 0 .. size - 1 is a border texel.
struct TexelPair {
  Int a, b;
  Float weight;
};
// `scale`: the size of the axis in texels. `offset`: the number of texels to add, uniform or per lane. Lanes that are
// not `linear` read only `a`.
template <class Offset>
BROKKR_FN TexelPair texels_at(Float u, Int size, Float scale, Offset offset, TextureWrap wrap, Mask linear) {
  const Float n = to_float(size);
  const bool turns = wrap == TextureWrap::repeat || wrap == TextureWrap::mirrored_repeat;
  if constexpr (std::is_same_v<Offset, float>) {
    if (turns && offset != 0.0f) u = u + offset / n;
  } else if (turns) {
    u = u + offset / n;
  }
  Float x = u * scale + offset;
  switch (wrap) {
    case TextureWrap::repeat: x = fraction(u) * n; break;
    case TextureWrap::mirrored_repeat: x = (1.0f - absolute(fraction(u * 0.5f) * 2.0f - 1.0f)) * n; break;
    case TextureWrap::clamp_to_border: x = clamp_to(x, -1.0f, n + 1.0f); break;
    case TextureWrap::mirror_clamp_to_edge: x = minimum(absolute(x), n); break;
    case TextureWrap::clamp_to_edge:
    case TextureWrap::clamp: x = clamp_to(x, 0.0f, n); break;
  }
  x = x - select(linear, 0.5f, 0.0f);
  const Float whole = floor(x);
  TexelPair pair{to_int(whole), to_int(whole) + 1, select(linear, x - whole, 0.0f)};
  const Int last = size - 1;
  if (wrap == TextureWrap::repeat) {
    pair.a = select(pair.a < 0, last, pair.a);
    pair.b = select(pair.b > last, 0, pair.b);
    pair.a = select(pair.a > last, 0, pair.a);  // rounding may make a fraction 1
  } else if (wrap == TextureWrap::clamp) {
    pair.a = select(linear, pair.a, minimum(pair.a, last));
  } else if (wrap != TextureWrap::clamp_to_border) {
    pair.a = clamp_to(pair.a, 0, last);
    pair.b = clamp_to(pair.b, 0, last);
  }
  return pair;
}

// Does the same for a gather along a mirrored axis. The two texels keep their order. Each is mirrored separately, so
// they are swapped where the picture is mirrored (OpenGL 4.6, 8.14.3).
template <class Offset>
BROKKR_FN TexelPair mirrored_texels_at(Float u, Int size, Float scale, Offset offset, bool repeats) {
  const Float n = to_float(size);
  const Float half = (u + offset / n) * 0.5f;
  const Float x = repeats ? (half - floor(half + 0.5f)) * 2.0f * n : clamp_to(u * scale + offset, -n, n);
  const Int first = to_int(floor(x - 0.5f)), last = size - 1;
  const auto mirrored = [&](Int i) { return minimum(select(i < 0, ~i, i), last); };
  return {mirrored(first), mirrored(first + 1), 0.0f};
}

BROKKR_MACHINE_END
