// Texture lookups of run-time shaders: of pictures of two dimensions, by the samplers that scenes have
// (shaders/texture.h).
#pragma once

#include "shader/call.h"
#include "texture.h"

BROKKR_MACHINE_BEGIN

// What a lookup needs beside its coordinates.
struct TextureLookup {
  const FrameTables* frame;
  const TextureRecord* texture;
  CompareFunc compare;
  Mask lanes;
};

// The level of detail of coordinates that change by dx to the right and by dy upwards (OpenGL 4.5, 8.14.1), before it
// is clamped.
BROKKR_FN Float detail_of(const TextureRecord& texture, const Vec2<Warp>& dx, const Vec2<Warp>& dy) {
  const Float width(float(texture.width)), height(float(texture.height));
  const Float ux = dx.x * width, vx = dx.y * height, uy = dy.x * width, vy = dy.y * height;
  const Float rho = maximum(ux * ux + vx * vx, uy * uy + vy * vy);
  return 0.5f * log2_lanes(clamp_to(rho, 1e-20f, 1e20f));
}

BROKKR_FN_NOINLINE Vec4<Warp> looked_up(Warp& w, const TextureLookup& look, const Vec2<Warp>& uv, Float detail) {
  const TextureRecord& texture = *look.texture;
  if (texture.sampler.usual == 0) return sample_as_set(w, *look.frame, texture, uv, detail, look.lanes);
  const Float lod = clamp_to(detail, 0.0f, float(texture.levels - 1));
  return mixed_levels(w, texture, lod, look.lanes, [&](Int level) {
    return sample_bilinear(w, *look.frame, texture, level, uv.x, uv.y, look.lanes);
  });
}

BROKKR_FN Float compared(CompareFunc func, Float reference, Float texel) {
  Mask passes(true);
  switch (func) {
    case CompareFunc::never: passes = Mask(false); break;
    case CompareFunc::less: passes = reference < texel; break;
    case CompareFunc::equal: passes = reference == texel; break;
    case CompareFunc::lequal: passes = reference <= texel; break;
    case CompareFunc::greater: passes = reference > texel; break;
    case CompareFunc::notequal: passes = reference != texel; break;
    case CompareFunc::gequal: passes = reference >= texel; break;
    case CompareFunc::always: break;
  }
  return select(passes, 1.0f, 0.0f);
}

// Percentage-closer filtering of the first level of a texture whose texels are depths, as floats: the four texels are
// compared, and what they answer is filtered.
BROKKR_FN_NOINLINE Float compared_lookup(Warp& w, const TextureLookup& look, const Vec2<Warp>& uv, Float reference) {
  const TextureRecord& texture = *look.texture;
  const Int width(int(texture.width)), height(int(texture.height));
  const Wrap wrap_x = Wrap(texture.sampler.wrap_x), wrap_y = Wrap(texture.sampler.wrap_y);
  const bool nearest = texture.sampler.magnify_nearest != 0;
  const float half = nearest ? 0.0f : 0.5f;
  const Float x = unwrapped(uv.x, to_float(width), wrap_x) - half, y = unwrapped(uv.y, to_float(height), wrap_y) - half;
  const Float fx = floor(x), fy = floor(y);
  const Int i = to_int(fx), j = to_int(fy);
  const Int x0 = wrapped(i, width, wrap_x), y0 = wrapped(j, height, wrap_y);
  const Int x1 = wrapped(i + 1, width, wrap_x), y1 = wrapped(j + 1, height, wrap_y);
  reference = saturate(reference);
  const auto at = [&](Int px, Int py) {
    const Int texel = Int(int(texture.first_texel[0])) + py * width + px;
    return compared(look.compare, reference, as_float(w.gather(look.frame->texels.get(), texel, look.lanes)));
  };
  const Float a = at(x0, y0);
  if (nearest) return a;
  const Float b = at(x1, y0), c = at(x0, y1), d = at(x1, y1), tx = x - fx, ty = y - fy;
  const Float low = a + (b - a) * tx, high = c + (d - c) * tx;
  return low + (high - low) * ty;
}

// The texel in column x and row y of a level; what lies outside is the nearest one that does not.
BROKKR_FN_NOINLINE Vec4<Warp> fetched(Warp& w, const TextureLookup& look, Int x, Int y, Int level) {
  const TextureRecord& texture = *look.texture;
  level = clamp_to(level, 0, int(texture.levels) - 1);
  const Int one(1);
  const Int width = maximum(Int(int(texture.width)) >> level, one),
            height = maximum(Int(int(texture.height)) >> level, one);
  const Int base = as_int(w.gather(texture.first_texel, level, look.lanes));
  const Int at = base + clamp_to(y, 0, height - one) * width + clamp_to(x, 0, width - one);
  return load_texel(w, look.frame->texels, texture.code, at, look.lanes);
}

BROKKR_MACHINE_END
