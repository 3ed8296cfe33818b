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

// The columns and rows of the four texels around a point, and the point's distance from the first of them, 0 .. 1.
struct TexelSquare {
  Int x0, x1, y0, y1;
  Float tx, ty;
};
BROKKR_FN Vec4<Warp> mixed_texels(Warp& w, const FrameTables& frame, const TextureRecord& texture,
                                  const MipLevel& level, const TexelSquare& square, Mask m) {
  const Int low = level.first + square.y0 * level.width, high = level.first + square.y1 * level.width;
  Uint texel[4];
  w.gather_near(frame.texels, low + square.x0, low + square.x1, m, texel[0], texel[1]);
  w.gather_near(frame.texels, high + square.x0, high + square.x1, m, texel[2], texel[3]);
  const Vec4<Warp> a = texel_color(texture.code, texel[0]), b = texel_color(texture.code, texel[1]),
                   c = texel_color(texture.code, texel[2]), d = texel_color(texture.code, texel[3]);
  const auto mix = [&](Float p, Float q, Float r, Float s) {
    const Float bottom = p + (q - p) * square.tx, top = r + (s - r) * square.tx;
    return bottom + (top - bottom) * square.ty;
  };
  return Vec4<Warp>(mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y), mix(a.z, b.z, c.z, d.z), mix(a.w, b.w, c.w, d.w));
}

// Texture coordinates are u and v; a difference of 1 is a whole repeat.
BROKKR_FN Vec4<Warp> sample_bilinear(Warp& w, const FrameTables& frame, const TextureRecord& texture,
                                     const MipLevel& level, Float u, Float v, Mask m) {
  const Int one(1), width = level.width, height = level.height;
  // Wrapping first keeps the integers small for any coordinate.
  const Float x = fraction(u) * to_float(width) - 0.5f, y = fraction(v) * to_float(height) - 0.5f;
  const Float fx = floor(x), fy = floor(y);
  const Float tx = x - fx, ty = y - fy;
  Int x0 = to_int(fx), y0 = to_int(fy);
  Int x1 = x0 + one, y1 = y0 + one;
  x0 = select(x0 < 0, width - one, x0);
  y0 = select(y0 < 0, height - one, y0);
  x1 = select(x1 >= width, 0, x1);
  y1 = select(y1 >= height, 0, y1);
  return mixed_texels(w, frame, texture, level, {x0, x1, y0, y1, tx, ty}, m);
}

// Mixes sample(MipLevel) of the two levels around `lod`, which must be within the texture's levels.
template <class Sample>
BROKKR_FN Vec4<Warp> mixed_levels(Warp& w, const TextureRecord& texture, Float lod, Mask m, Sample&& sample) {
  const Float whole = floor(lod);
  const Float t = lod - whole;
  const Int level = to_int(whole);
  const int last = int(texture.levels) - 1;
  // Usually all lanes read the same levels.
  const uint32_t lanes = Warp::takes_turns ? w.ballot(m) : 0u;
  const int first = lanes != 0 ? w.broadcast(level, lowest_bit(lanes)) : 0;
  const bool shared = lanes != 0 && !w.any(m && level != first);
  const Vec4<Warp> fine = sample(shared ? mip_level(texture, first) : mip_level(w, texture, level, m));
  if (!w.any(m && t > 0.0f)) return fine;
  const Vec4<Warp> coarse = sample(shared ? mip_level(texture, first < last ? first + 1 : last)
                                          : mip_level(w, texture, minimum(level + 1, last), m));
  return Vec4<Warp>(fine.x + (coarse.x - fine.x) * t, fine.y + (coarse.y - fine.y) * t,
                    fine.z + (coarse.z - fine.z) * t, fine.w + (coarse.w - fine.w) * t);
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

// Like sample_bilinear, but follows the texture's sampler. Lanes of `nearest` get the nearest texel.
BROKKR_FN Vec4<Warp> sample_level(Warp& w, const FrameTables& frame, const TextureRecord& texture,
                                  const MipLevel& level, const Vec2<Warp>& uv, Mask nearest, Mask m) {
  const Int one(1), width = level.width, height = level.height;
  const Wrap wrap_x = Wrap(texture.sampler.wrap_x), wrap_y = Wrap(texture.sampler.wrap_y);
  const Float half = select(nearest, 0.0f, 0.5f);
  const Float x = unwrapped(uv.x, to_float(width), wrap_x) - half, y = unwrapped(uv.y, to_float(height), wrap_y) - half;
  const Float fx = floor(x), fy = floor(y);
  const Float tx = select(nearest, 0.0f, x - fx), ty = select(nearest, 0.0f, y - fy);
  const Int i = to_int(fx), j = to_int(fy);
  const Int x0 = wrapped(i, width, wrap_x), x1 = wrapped(i + one, width, wrap_x);
  const Int y0 = wrapped(j, height, wrap_y), y1 = wrapped(j + one, height, wrap_y);
  return mixed_texels(w, frame, texture, level, {x0, x1, y0, y1, tx, ty}, m);
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
  return mixed_levels(w, texture, lod, m,
                      [&](const MipLevel& level) { return sample_level(w, frame, texture, level, uv, nearest, m); });
}

// (ux, vx) and (uy, vy) are the changes of the coordinates to the next sample to the right and upwards. They determine
// the level of detail.
BROKKR_FN Vec4<Warp> sample_trilinear(Warp& w, const FrameTables& frame, int texture_number, const Vec2<Warp>& uv,
                                      const Vec2<Warp>& dx, const Vec2<Warp>& dy, Mask m) {
  const TextureRecord& texture = frame.textures[texture_number];
  const Float sx(float(texture.width)), sy(float(texture.height));
  const Float ux = dx.x * sx, vx = dx.y * sy, uy = dy.x * sx, vy = dy.y * sy;
  const Float rho = maximum(ux * ux + vx * vx, uy * uy + vy * vy);
  const Float top(float(texture.levels - 1));
  const Float detail = 0.5f * log2_lanes(clamp_to(rho, 1e-20f, 1e20f));
  if (texture.sampler.usual == 0) return sample_as_set(w, frame, texture, uv, detail, m);
  const Float lod = clamp_to(detail, 0.0f, top);
  return mixed_levels(w, texture, lod, m,
                      [&](const MipLevel& level) { return sample_bilinear(w, frame, texture, level, uv.x, uv.y, m); });
}

// For coordinates that the shader computes. Lanes must come as quads, because differences between them determine the
// level of detail.
BROKKR_FN Vec4<Warp> sample_trilinear(Warp& w, const FrameTables& frame, int texture_number, Float u, Float v, Mask m) {
  return sample_trilinear(w, frame, texture_number, Vec2<Warp>(u, v), Vec2<Warp>(ddx(w, u), ddx(w, v)),
                          Vec2<Warp>(ddy(w, u), ddy(w, v)), m);
}

BROKKR_MACHINE_END
