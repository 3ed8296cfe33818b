// Texture lookup, filtered in linear light (plan/mip_chain.cpp). It is trilinear with repeat, or follows the texture's
// sampler.
#pragma once

#include "brokkr/states.h"
#include "shader.h"

BROKKR_MACHINE_BEGIN

// The channels of a texel; those of sRGB textures are in linear light.
BROKKR_FN Vec4<Warp> texel_color(TexelCode code, Uint texel) {
  const auto part = [&](uint32_t shift, uint32_t mask) {
    return to_float(as_int((texel >> shift) & mask)) * (1.0f / float(mask));
  };
  if (code == TexelCode::root_opaque) {
    const Float r = part(0, 0x7ff), g = part(11, 0x7ff), b = part(22, 0x3ff);
    return Vec4<Warp>(r * r, g * g, b * b, 1.0f);
  }
  const Float r = part(0, 0xff), g = part(8, 0xff), b = part(16, 0xff), a = part(24, 0xff);
  return code == TexelCode::root ? Vec4<Warp>(r * r, g * g, b * b, a) : Vec4<Warp>(r, g, b, a);
}

// One level per lane: its first texel in FrameTables::texels, and its size.
struct MipLevel {
  Int first, width, height;
};
BROKKR_FN MipLevel mip_level(Warp& w, const TextureRecord& texture, Int level, Mask m) {
  const Int one(1);
  return {as_int(w.gather(texture.first_texel, level, m)), maximum(int(texture.width) >> level, one),
          maximum(int(texture.height) >> level, one)};
}
// The same if all lanes read one level.
BROKKR_FN MipLevel mip_level(const TextureRecord& texture, int level) {
  const int width = int(texture.width) >> level, height = int(texture.height) >> level;
  return {int(texture.first_texel[level]), width > 1 ? width : 1, height > 1 ? height : 1};
}

// The four texels around a point: their numbers in FrameTables::texels, then the texels, row by row; and the point's
// distance from the first of them, 0 .. 1.
struct TexelSquare {
  Int at[4];
  Uint texel[4];
  Float tx, ty;

  BROKKR_FN void place(const MipLevel& level, Int x0, Int x1, Int y0, Int y1) {
    const Int low = level.first + y0 * level.width, high = level.first + y1 * level.width;
    at[0] = low + x0;
    at[1] = low + x1;
    at[2] = high + x0;
    at[3] = high + x1;
  }
  BROKKR_FN void load(Warp& w, const FrameTables& frame, Mask m) {
    w.gather_near(frame.texels, at[0], at[1], m, texel[0], texel[1]);
    w.gather_near(frame.texels, at[2], at[3], m, texel[2], texel[3]);
  }
  BROKKR_FN Vec4<Warp> mixed(TexelCode code) const {
    const Vec4<Warp> a = texel_color(code, texel[0]), b = texel_color(code, texel[1]), c = texel_color(code, texel[2]),
                     d = texel_color(code, texel[3]);
    const auto mix = [&](Float p, Float q, Float r, Float s) {
      const Float bottom = p + (q - p) * tx, top = r + (s - r) * tx;
      return bottom + (top - bottom) * ty;
    };
    return Vec4<Warp>(mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y), mix(a.z, b.z, c.z, d.z),
                      mix(a.w, b.w, c.w, d.w));
  }
};

// The first texel's column and row for a repeated texture, -1 if it lies at the other side. Texture coordinates are u
// and v; a difference of 1 is a whole repeat.
struct TexelCorner {
  Int column, row;
};
BROKKR_FN TexelCorner bilinear_corner(const MipLevel& level, Float u, Float v, TexelSquare& square) {
  // Wrapping first keeps the integers small for any coordinate.
  const Float x = fraction(u) * to_float(level.width) - 0.5f, y = fraction(v) * to_float(level.height) - 0.5f;
  const Float fx = floor(x), fy = floor(y);
  square.tx = x - fx;
  square.ty = y - fy;
  return {to_int(fx), to_int(fy)};
}
// Wraps the four texels around the corner.
BROKKR_FN void place_wrapped(const MipLevel& level, const TexelCorner& corner, TexelSquare& square) {
  const Int one(1), width = level.width, height = level.height;
  Int x0 = corner.column, y0 = corner.row;
  Int x1 = x0 + one, y1 = y0 + one;
  x0 = select(x0 < 0, width - one, x0);
  y0 = select(y0 < 0, height - one, y0);
  x1 = select(x1 >= width, 0, x1);
  y1 = select(y1 >= height, 0, y1);
  square.place(level, x0, x1, y0, y1);
}
BROKKR_FN void place_bilinear(const MipLevel& level, Float u, Float v, TexelSquare& square) {
  place_wrapped(level, bilinear_corner(level, u, v, square), square);
}

// The two levels around a level of detail.
struct NearLevels {
  Int level;
  Float weight;  // of the second level
  int first;     // all lanes read this level and the next; -1: lanes differ

  // `lod` must be within the texture's levels.
  BROKKR_FN NearLevels(Warp& w, Float lod, Mask m) {
    const Float whole = floor(lod);
    weight = lod - whole;
    level = to_int(whole);
    // Usually all lanes read the same levels.
    const uint32_t lanes = Warp::takes_turns ? w.ballot(m) : 0u;
    first = lanes != 0 ? w.broadcast(level, lowest_bit(lanes)) : -1;
    if (lanes != 0 && w.any(m && level != first)) first = -1;
  }
  BROKKR_FN MipLevel fine(Warp& w, const TextureRecord& texture, Mask m) const {
    return first >= 0 ? mip_level(texture, first) : mip_level(w, texture, level, m);
  }
  BROKKR_FN MipLevel coarse(Warp& w, const TextureRecord& texture, Mask m) const {
    const int last = int(texture.levels) - 1;
    return first >= 0 ? mip_level(texture, first < last ? first + 1 : last)
                      : mip_level(w, texture, minimum(level + 1, last), m);
  }
};
BROKKR_FN Vec4<Warp> mixed_colors(const Vec4<Warp>& fine, const Vec4<Warp>& coarse, Float t) {
  return Vec4<Warp>(fine.x + (coarse.x - fine.x) * t, fine.y + (coarse.y - fine.y) * t,
                    fine.z + (coarse.z - fine.z) * t, fine.w + (coarse.w - fine.w) * t);
}

// Mixes sample(MipLevel) of the two levels around `lod`, which must be within the texture's levels.
template <class Sample>
BROKKR_FN Vec4<Warp> mixed_levels(Warp& w, const TextureRecord& texture, Float lod, Mask m, Sample&& sample) {
  const NearLevels levels(w, lod, m);
  const Vec4<Warp> fine = sample(levels.fine(w, texture, m));
  if (!w.any(m && levels.weight > 0.0f)) return fine;
  return mixed_colors(fine, sample(levels.coarse(w, texture, m)), levels.weight);
}

// The position in texels at which a texture with `wrap` is read for coordinate `u`. It is small, however large u is, so
// that the numbers of its texels fit in an integer.
BROKKR_FN Float unwrapped(Float u, Float size, Wrap wrap) {
  if (wrap == Wrap::clamp_to_edge) return clamp_to(u, -1.0f, 2.0f) * size;
  if (wrap == Wrap::mirrored_repeat) return fraction(u * 0.5f) * (size * 2.0f);
  return fraction(u) * size;
}

// The number 0 .. size - 1 of the texel that lies at place `i`.
BROKKR_FN Int wrapped(Int i, Int size, Wrap wrap) {
  if (wrap == Wrap::mirrored_repeat) {
    const Int twice = size + size;
    i = select(i < 0, Int(-1) - i, i);
    i = select(i >= twice, i - twice, i);
    i = select(i >= size, twice - Int(1) - i, i);
  } else if (wrap == Wrap::repeat) {
    i = select(i < 0, i + size, i);
    i = select(i >= size, i - size, i);
  }
  return minimum(maximum(i, Int(0)), size - Int(1));
}

// Like place_bilinear, but follows the texture's sampler. Lanes of `nearest` get the nearest texel.
BROKKR_FN void place_as_set(const TextureRecord& texture, const MipLevel& level, const Vec2<Warp>& uv, Mask nearest,
                            TexelSquare& square) {
  const Int one(1), width = level.width, height = level.height;
  const Wrap wrap_x = Wrap(texture.sampler.wrap_x), wrap_y = Wrap(texture.sampler.wrap_y);
  const Float half = select(nearest, 0.0f, 0.5f);
  const Float x = unwrapped(uv.x, to_float(width), wrap_x) - half, y = unwrapped(uv.y, to_float(height), wrap_y) - half;
  const Float fx = floor(x), fy = floor(y);
  square.tx = select(nearest, 0.0f, x - fx);
  square.ty = select(nearest, 0.0f, y - fy);
  const Int i = to_int(fx), j = to_int(fy);
  const Int x0 = wrapped(i, width, wrap_x), x1 = wrapped(i + one, width, wrap_x);
  const Int y0 = wrapped(j, height, wrap_y), y1 = wrapped(j + one, height, wrap_y);
  square.place(level, x0, x1, y0, y1);
}

// Reads a texture whose sampler is not the usual one; `lod` is the level of detail before it is clamped. This is a
// separate function, so that usual textures cost nothing extra.
BROKKR_FN_NOINLINE Vec4<Warp> sample_as_set(Warp& w, const FrameTables& frame, const TextureRecord& texture,
                                            const Vec2<Warp>& uv, Float lod, Mask m) {
  const SamplerRecord& sampler = texture.sampler;
  const Mask magnified = lod <= 0.0f;
  const Mask nearest =
      (magnified && Mask(sampler.magnify_nearest != 0)) || (!magnified && Mask(sampler.minify_nearest != 0));
  const Float top(float(texture.levels - 1));
  lod = clamp_to(lod, 0.0f, top);
  if (MipFilter(sampler.mip) == MipFilter::none) lod = 0.0f;
  if (MipFilter(sampler.mip) == MipFilter::nearest) lod = minimum(floor(lod + 0.5f), top);
  return mixed_levels(w, texture, lod, m, [&](const MipLevel& level) {
    TexelSquare square;
    place_as_set(texture, level, uv, nearest, square);
    square.load(w, frame, m);
    return square.mixed(texture.code);
  });
}

// The level of detail before it is clamped. dx and dy are the changes of the coordinates to the next sample to the
// right and upwards.
BROKKR_FN Float level_of_detail(const TextureRecord& texture, const Vec2<Warp>& dx, const Vec2<Warp>& dy) {
  const Float sx(float(texture.width)), sy(float(texture.height));
  const Float ux = dx.x * sx, vx = dx.y * sy, uy = dy.x * sx, vy = dy.y * sy;
  const Float rho = maximum(ux * ux + vx * vx, uy * uy + vy * vy);
  return 0.5f * log2_lanes(clamp_to(rho, 1e-20f, 1e20f));
}
BROKKR_FN Float clamped_level(const TextureRecord& texture, Float detail) {
  return clamp_to(detail, 0.0f, Float(float(texture.levels - 1)));
}

BROKKR_FN Vec4<Warp> sample_trilinear(Warp& w, const FrameTables& frame, int texture_number, const Texcoords<Warp>& c,
                                      Mask m) {
  const TextureRecord& texture = frame.textures[texture_number];
  const Float detail = level_of_detail(texture, c.dx, c.dy);
  if (texture.sampler.usual == 0) return sample_as_set(w, frame, texture, c.at, detail, m);
  return mixed_levels(w, texture, clamped_level(texture, detail), m, [&](const MipLevel& level) {
    TexelSquare square;
    place_bilinear(level, c.at.x, c.at.y, square);
    square.load(w, frame, m);
    return square.mixed(texture.code);
  });
}

// The texels of one level, for TrilinearLookup.
struct PlacedSquare {
  TexelSquare square;
  int stride;  // from row to row, if all lanes read one level and nothing wraps: at[0] is then enough. Otherwise -1

  // `side`: the width if all lanes read one level, otherwise -1.
  BROKKR_FN void place(Warp& w, const MipLevel& level, int side, const Vec2<Warp>& at, Mask m) {
    const TexelCorner corner = bilinear_corner(level, at.x, at.y, square);
    const Mask apart =
        as_uint(corner.column) >= as_uint(level.width - 1) || as_uint(corner.row) >= as_uint(level.height - 1);
    stride = w.are_squares(apart, m) ? side : -1;
    if (stride >= 0)
      square.at[0] = level.first + (corner.row * level.width + corner.column);
    else
      place_wrapped(level, corner, square);
  }
  BROKKR_FN void load(Warp& w, const FrameTables& frame, Mask m) {
    if (stride >= 0)
      w.gather_rows(frame.texels, square.at[0], stride, m, square.texel);
    else
      square.load(w, frame, m);
  }
};

// sample_trilinear in four steps, for shaders with parts. A step is short, so a processor computes the levels of many
// vectors at the same time, and then waits for the texels of many. Machines that run the parts of one vector only do
// all work in the last step, where it needs the fewest registers.
struct TrilinearLookup {
  static constexpr bool kHasSteps = Warp::takes_turns;
  Float detail, weight;
  PlacedSquare fine, coarse;
  bool needs_coarse;

  BROKKR_FN void measure(const FrameTables& frame, int texture_number, const Texcoords<Warp>& c) {
    if constexpr (kHasSteps) detail = level_of_detail(frame.textures[texture_number], c.dx, c.dy);
  }
  BROKKR_FN void place(Warp& w, const FrameTables& frame, int texture_number, const Texcoords<Warp>& c, Mask m) {
    if constexpr (kHasSteps) {
      const TextureRecord& texture = frame.textures[texture_number];
      if (texture.sampler.usual == 0) return;
      const NearLevels levels(w, clamped_level(texture, detail), m);
      weight = levels.weight;
      needs_coarse = w.any(m && weight > 0.0f);
      if (levels.first < 0) {
        fine.place(w, levels.fine(w, texture, m), -1, c.at, m);
        if (needs_coarse) coarse.place(w, levels.coarse(w, texture, m), -1, c.at, m);
        return;
      }
      // Addresses do not wait for the level.
      const int level = foreseen(levels.first), last = int(texture.levels) - 1;
      const auto place_in = [&](PlacedSquare& square, int number) {
        const int width = int(texture.width) >> number;
        square.place(w, mip_level(texture, number), width > 1 ? width : 1, c.at, m);
      };
      place_in(fine, level);
      if (needs_coarse) place_in(coarse, level < last ? level + 1 : last);
    }
  }
  BROKKR_FN void load(Warp& w, const FrameTables& frame, int texture_number, Mask m) {
    if constexpr (kHasSteps) {
      if (frame.textures[texture_number].sampler.usual == 0) return;
      fine.load(w, frame, m);
      if (needs_coarse) coarse.load(w, frame, m);
    }
  }
  BROKKR_FN Vec4<Warp> mixed(Warp& w, const FrameTables& frame, int texture_number, const Texcoords<Warp>& c,
                             Mask m) const {
    if constexpr (!kHasSteps) return sample_trilinear(w, frame, texture_number, c, m);
    const TextureRecord& texture = frame.textures[texture_number];
    if (texture.sampler.usual == 0) return sample_as_set(w, frame, texture, c.at, detail, m);
    switch (texture.code) {
      case TexelCode::linear: return mixed_as<TexelCode::linear>();
      case TexelCode::root: return mixed_as<TexelCode::root>();
      case TexelCode::root_opaque: break;
    }
    return mixed_as<TexelCode::root_opaque>();
  }

 private:
  // The code is a constant, so that it is not looked at for each texel.
  template <TexelCode kCode>
  BROKKR_FN Vec4<Warp> mixed_as() const {
    Vec4<Warp> color = fine.square.mixed(kCode);
    if (needs_coarse) color = mixed_colors(color, coarse.square.mixed(kCode), weight);
    if (kCode == TexelCode::root_opaque) color.w = 1.0f;
    return color;
  }
};

// For coordinates that the shader computes. Lanes must come as quads, because differences between them determine the
// level of detail.
BROKKR_FN Vec4<Warp> sample_trilinear(Warp& w, const FrameTables& frame, int texture_number, Float u, Float v, Mask m) {
  const Texcoords<Warp> c{Vec2<Warp>(u, v), Vec2<Warp>(ddx(w, u), ddx(w, v)), Vec2<Warp>(ddy(w, u), ddy(w, v))};
  return sample_trilinear(w, frame, texture_number, c, m);
}

BROKKR_MACHINE_END
