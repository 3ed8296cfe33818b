// Trilinear texture lookup with repeat wrapping, filtered in linear light (pipeline/mip_chain.h).
#pragma once

#include "shader.h"

BROKKR_MACHINE_BEGIN

// A texel's channels; of sRGB textures in linear light.
BROKKR_FN Vec4<Warp> load_texel(Warp& w, const uint32_t* texels, TexelCode code, Int at, Mask m) {
  const Uint texel = w.gather(texels, at, m);
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

// One level per lane; texture coordinates u, v with 1 a whole repeat.
BROKKR_FN Vec4<Warp> sample_bilinear(Warp& w, const FrameTables& frame, const TextureRecord& texture, Int level,
                                     Float u, Float v, Mask m) {
  const Int one(1);
  const Int width = maximum(int(texture.width) >> level, one), height = maximum(int(texture.height) >> level, one);
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
  const Int base = as_int(w.gather(texture.first_texel, level, m));
  const auto at = [&](Int px, Int py) { return load_texel(w, frame.texels, texture.code, base + py * width + px, m); };
  const Vec4<Warp> a = at(x0, y0), b = at(x1, y0), c = at(x0, y1), d = at(x1, y1);
  const auto mix = [&](Float p, Float q, Float r, Float s) {
    const Float low = p + (q - p) * tx, high = r + (s - r) * tx;
    return low + (high - low) * ty;
  };
  return Vec4<Warp>(mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y), mix(a.z, b.z, c.z, d.z), mix(a.w, b.w, c.w, d.w));
}

// (ux, vx) and (uy, vy): change of the coordinates to the next sample on the right and above. They choose the level of
// detail.
BROKKR_FN Vec4<Warp> sample_trilinear(Warp& w, const FrameTables& frame, int texture_number, const Vec2<Warp>& uv,
                                      const Vec2<Warp>& dx, const Vec2<Warp>& dy, Mask m) {
  const TextureRecord& texture = frame.textures[texture_number];
  const Float sx(float(texture.width)), sy(float(texture.height));
  const Float ux = dx.x * sx, vx = dx.y * sy, uy = dy.x * sx, vy = dy.y * sy;
  const Float rho = maximum(ux * ux + vx * vx, uy * uy + vy * vy);
  const Float top(float(texture.levels - 1));
  const Float lod = clamp_to(0.5f * log2_lanes(clamp_to(rho, 1e-20f, 1e20f)), 0.0f, top);
  const Float whole = floor(lod);
  const Float t = lod - whole;
  const Int level = to_int(whole);
  const Int next = minimum(level + 1, int(texture.levels) - 1);
  const Vec4<Warp> fine = sample_bilinear(w, frame, texture, level, uv.x, uv.y, m);
  if (!w.any(m && t > 0.0f)) return fine;
  const Vec4<Warp> coarse = sample_bilinear(w, frame, texture, next, uv.x, uv.y, m);
  return Vec4<Warp>(fine.x + (coarse.x - fine.x) * t, fine.y + (coarse.y - fine.y) * t,
                    fine.z + (coarse.z - fine.z) * t, fine.w + (coarse.w - fine.w) * t);
}

// For coordinates that the shader computes: lanes must come as quads, the level of detail is taken from differences
// between them.
BROKKR_FN Vec4<Warp> sample_trilinear(Warp& w, const FrameTables& frame, int texture_number, Float u, Float v, Mask m) {
  return sample_trilinear(w, frame, texture_number, Vec2<Warp>(u, v), Vec2<Warp>(ddx(w, u), ddx(w, v)),
                          Vec2<Warp>(ddy(w, u), ddy(w, v)), m);
}

BROKKR_MACHINE_END
