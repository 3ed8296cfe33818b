// Texture lookups and their gradients [Laine20, 3.4].
//
// The level of a lookup is log2 of the longer axis of the pixel's footprint in texels, plus the bias. This is half log2
// of the larger eigenvalue of J J^T, where J has the derivatives of the coordinates, in texels, by X and Y.
#pragma once

#include "diff/sums.h"

BROKKR_MACHINE_BEGIN

// Coordinates on a cube. Faces 0..5 are +x -x +y -y +z -z, (s, t) are OpenGL's coordinates on the face, and m is the
// largest coordinate.
template <class T>
struct OnFace {
  T s, t, m;
};
template <class T>
struct InSpace {
  T x, y, z;
};
template <class T>
BROKKR_FN OnFace<T> to_face(Int face, const InSpace<T>& v) {
  const Mask is_x = face < 2, is_y = face == 2 || face == 3, low = (face & 1) != 0;
  return {select(is_x, select(low, v.z, -v.z), select(is_y || !low, v.x, -v.x)),
          select(is_y, select(low, -v.z, v.z), -v.y),
          select(low, T(-1), T(1)) * select(is_x, v.x, select(is_y, v.y, v.z))};
}
// The inverse, which is also the transpose, so it propagates gradients back.
template <class T>
BROKKR_FN InSpace<T> from_face(Int face, const OnFace<T>& f) {
  const Mask is_x = face < 2, is_y = face == 2 || face == 3, low = (face & 1) != 0;
  const T major = select(low, -f.m, f.m);
  return {select(is_x, major, select(is_y || !low, f.s, -f.s)), select(is_y, major, -f.t),
          select(is_x, select(low, f.s, -f.s), select(is_y, select(low, -f.t, f.t), major))};
}
template <class T>
BROKKR_FN Int face_of(const InSpace<T>& v) {
  const T x = maximum(v.x, -v.x), y = maximum(v.y, -v.y), z = maximum(v.z, -v.z);
  const Mask is_x = x >= y && x >= z, is_y = !is_x && y >= z;
  const Mask low = select(is_x, v.x, select(is_y, v.y, v.z)) < T(0);
  return select(is_x, Int(0), select(is_y, Int(2), Int(4))) + select(low, 1, 0);
}

// The place of a lookup: coordinates 0..1 on a face, and their derivatives by X and Y.
struct Place {
  Mask m;
  Int face;
  Float s, t;
  Float s_x, s_y, t_x, t_y;
  OnFace<Float> on;  // cubes: the direction, and its derivatives
  OnFace<Float> on_x, on_y;
  Float inverse;  // cubes: 1 / on.m
};

BROKKR_FN Place place_of(const DiffSample& d, const PixelGroup& p, bool derives) {
  Place a;
  a.m = p.m;
  a.face = 0;
  if (d.boundary == DiffBoundary::cube) {
    InSpace<Float> v{finite_or_zero(read_pixels(d.uv, p, 3, 0, p.m)), finite_or_zero(read_pixels(d.uv, p, 3, 1, p.m)),
                     finite_or_zero(read_pixels(d.uv, p, 3, 2, p.m))};
    a.face = face_of(v);
    a.on = to_face(a.face, v);
    a.m = p.m && a.on.m > 0.0f;
    a.inverse = Float(1.0f) / select(a.m, a.on.m, 1.0f);
    a.s = clamp_to(a.on.s * a.inverse * 0.5f + 0.5f, 0.0f, 1.0f);
    a.t = clamp_to(a.on.t * a.inverse * 0.5f + 0.5f, 0.0f, 1.0f);
    if (derives) {
      Float da[6];
      for (int k = 0; k < 6; ++k) da[k] = finite_or_zero(read_pixels(d.uv_da, p, 6, k, p.m));
      a.on_x = to_face(a.face, InSpace<Float>{da[0], da[2], da[4]});
      a.on_y = to_face(a.face, InSpace<Float>{da[1], da[3], da[5]});
      const Float s = a.on.s * a.inverse, t = a.on.t * a.inverse;
      a.s_x = (a.on_x.s - s * a.on_x.m) * a.inverse * 0.5f;
      a.s_y = (a.on_y.s - s * a.on_y.m) * a.inverse * 0.5f;
      a.t_x = (a.on_x.t - t * a.on_x.m) * a.inverse * 0.5f;
      a.t_y = (a.on_y.t - t * a.on_y.m) * a.inverse * 0.5f;
    }
    return a;
  }
  const auto bring_near = [&](Float u) {
    u = finite_or_zero(u);
    if (d.boundary == DiffBoundary::wrap) return u - floor(u);
    if (d.boundary == DiffBoundary::clamp) return clamp_to(u, 0.0f, 1.0f);
    return clamp_to(u, -1.0f, 2.0f);
  };
  a.s = bring_near(read_pixels(d.uv, p, 2, 0, p.m));
  a.t = bring_near(read_pixels(d.uv, p, 2, 1, p.m));
  if (derives) {
    a.s_x = finite_or_zero(read_pixels(d.uv_da, p, 4, 0, p.m));
    a.s_y = finite_or_zero(read_pixels(d.uv_da, p, 4, 1, p.m));
    a.t_x = finite_or_zero(read_pixels(d.uv_da, p, 4, 2, p.m));
    a.t_y = finite_or_zero(read_pixels(d.uv_da, p, 4, 3, p.m));
  }
  return a;
}

// The levels that a lookup reads, and the weight of the second.
struct Levels {
  Int first, second;
  Float f;
  Mask is_free;                          // the level is not at an end of its range, so it has a gradient
  Float by_s_x, by_s_y, by_t_x, by_t_y;  // derivatives of the level
};

BROKKR_FN Levels levels_of(const DiffSample& d, const PixelGroup& p, const Place& a, bool derives) {
  Levels l;
  Float level = 0.0f;
  if (derives) {
    const float w = float(d.widths[0]), h = float(d.heights[0]);
    const Float s_x = a.s_x * w, s_y = a.s_y * w, t_x = a.t_x * h, t_y = a.t_y * h;
    const Float s = s_x * s_x + s_y * s_y, t = t_x * t_x + t_y * t_y, st = s_x * t_x + s_y * t_y;
    const Float root = sqrt((s - t) * (s - t) + st * st * 4.0f);
    const Float square = clamp_to((s + t + root) * 0.5f, 1.0e-30f, 1.0e30f);  // square of the longer axis
    level = log2_lanes(square) * 0.5f;
    const Float by_square = Float(0.72134752044f) / square;  // 1 / (2 ln 2)
    const Mask is_round = !(root > 0.0f);
    const Float per_root = Float(1.0f) / select(is_round, Float(1.0f), root);
    const Float tilt = select(is_round, Float(0.0f), (s - t) * per_root);
    const Float by_s = (tilt + 1.0f) * by_square, by_t = (Float(1.0f) - tilt) * by_square;  // times 2
    const Float by_st = select(is_round, Float(0.0f), st * 2.0f * per_root) * by_square;
    l.by_s_x = (by_s * s_x + by_st * t_x) * w;
    l.by_s_y = (by_s * s_y + by_st * t_y) * w;
    l.by_t_x = (by_t * t_x + by_st * s_x) * h;
    l.by_t_y = (by_t * t_y + by_st * s_y) * h;
  }
  if (d.bias != nullptr) level += finite_or_zero(Warp::load(d.bias + p.pixel, p.m));
  l.is_free = level > 0.0f && level < float(d.levels);
  level = clamp_to(level, 0.0f, float(d.levels));
  if (d.filter == DiffFilter::linear_mipmap_nearest) {
    l.first = to_int(floor(level + 0.5f));
    l.second = l.first;
    l.f = 0.0f;
    l.is_free = Mask(false);
  } else {
    l.first = to_int(floor(level));
    l.second = minimum(l.first + 1, d.levels);
    l.f = level - to_float(l.first);
  }
  return l;
}

// The texels of one level that a lookup reads: the numbers of their first channels, their weights, and the derivatives
// of the weights by s and t.
template <int kTaps>
struct Taps {
  Mask in_base, in_mips;  // in level 0, or in smaller levels
  Int at[kTaps];
  Float weight[kTaps], by_s[kTaps], by_t[kTaps];
};

// The texel (x, y) of a face. It may lie just beyond an edge, and then belongs to another face. Computes with integer
// coordinates of centres, in units of half a texel.
BROKKR_FN void turn_edge(Int& face, Int& x, Int& y, Int size) {
  const OnFace<Int> on{x * 2 + 1 - size, y * 2 + 1 - size, size};
  const InSpace<Int> v = from_face(face, on);
  const Int next = face_of(v);
  const OnFace<Int> there = to_face(next, v);
  const auto texel = [&](Int c) {
    const Mask at_end = c == size || c == -size;
    return select(at_end, select(c > 0, size - 1, Int(0)), (c + size - 1) >> 1);
  };
  const Mask beyond = x < 0 || y < 0 || x >= size || y >= size;
  x = select(beyond, texel(there.s), x);
  y = select(beyond, texel(there.t), y);
  face = select(beyond, next, face);
}

template <int kTaps>
BROKKR_FN Taps<kTaps> taps_of(const DiffSample& d, const Place& a, Int level, Mask m) {
  Taps<kTaps> taps;
  m = m && a.m;
  taps.in_base = m && level == 0;
  taps.in_mips = m && level != 0;
  const Int width = Warp::gather(d.widths, level, m, 1), height = Warp::gather(d.heights, level, m, 1);
  const Int offset = Warp::gather(d.offsets, level, m);
  const Float w = to_float(width), h = to_float(height);
  const bool is_cube = d.boundary == DiffBoundary::cube;
  if constexpr (kTaps == 1) {
    Int x = to_int(floor(a.s * w)), y = to_int(floor(a.t * h));
    Mask ok = m;
    if (d.boundary == DiffBoundary::zero) ok = ok && x >= 0 && y >= 0 && x < width && y < height;
    x = clamp_to(x, Int(0), width - 1);
    y = clamp_to(y, Int(0), height - 1);
    taps.at[0] = offset + ((a.face * height + y) * width + x) * d.channels;
    taps.weight[0] = select(ok, Float(1.0f), 0.0f);
    taps.by_s[0] = taps.by_t[0] = 0.0f;
    return taps;
  } else {
    const Float u = a.s * w - 0.5f, v = a.t * h - 0.5f;
    const Float u0 = floor(u), v0 = floor(v), fu = u - u0, fv = v - v0;
    const Int x0 = to_int(u0), y0 = to_int(v0);
    const Float wu[2] = {Float(1.0f) - fu, fu}, wv[2] = {Float(1.0f) - fv, fv};
    Mask corner = false, is_missing[4];
    for (int i = 0; i < 4; ++i) {
      Int x = x0 + (i & 1), y = y0 + (i >> 1), face = a.face;
      taps.weight[i] = wu[i & 1] * wv[i >> 1];
      taps.by_s[i] = (i & 1 ? w : -w) * wv[i >> 1];
      taps.by_t[i] = (i >> 1 ? h : -h) * wu[i & 1];
      const Mask out_x = x < 0 || x >= width, out_y = y < 0 || y >= height;
      Mask ok = m;
      if (is_cube) {
        is_missing[i] = out_x && out_y;  // three faces meet
        corner = corner || is_missing[i];
        turn_edge(face, x, y, width);
        x = clamp_to(x, Int(0), width - 1);
        y = clamp_to(y, Int(0), height - 1);
      } else if (d.boundary == DiffBoundary::wrap) {
        x = select(x < 0, x + width, select(x >= width, x - width, x));
        y = select(y < 0, y + height, select(y >= height, y - height, y));
      } else {
        if (d.boundary == DiffBoundary::zero) ok = ok && !out_x && !out_y;
        x = clamp_to(x, Int(0), width - 1);
        y = clamp_to(y, Int(0), height - 1);
      }
      taps.weight[i] = select(ok, taps.weight[i], 0.0f);
      taps.by_s[i] = select(ok, taps.by_s[i], 0.0f);
      taps.by_t[i] = select(ok, taps.by_t[i], 0.0f);
      taps.at[i] = offset + ((face * height + y) * width + x) * d.channels;
    }
    if (is_cube && Warp::any(m && corner)) {
      // A corner of the cube has no fourth texel, so the other three share its weight.
      for (Float* const all : {taps.weight, taps.by_s, taps.by_t}) {
        Float share = 0.0f;
        for (int i = 0; i < 4; ++i) share += select(is_missing[i], all[i], 0.0f);
        share = share * (1.0f / 3.0f);
        for (int i = 0; i < 4; ++i) all[i] = select(corner, select(is_missing[i], Float(0.0f), all[i] + share), all[i]);
      }
    }
    return taps;
  }
}

// A channel of a texel.
template <int kTaps>
BROKKR_FN Float fetch(const float* tex, const float* mips, const Taps<kTaps>& taps, int i, int channel) {
  Float a = 0.0f;
  if (Warp::any(taps.in_base)) a = Warp::gather(tex + channel, taps.at[i], taps.in_base);
  if (Warp::any(taps.in_mips)) a = select(taps.in_mips, Warp::gather(mips + channel, taps.at[i], taps.in_mips), a);
  return a;
}

// The lookups of a group's pixels: places, levels, and the texels of both levels.
template <int kTaps, bool kTwoLevels, bool kHasLevels>
struct Footprint {
  Place place;
  Levels levels;
  Taps<kTaps> first, second;
  Mask mixes;  // pixels that also read the second level
  bool has_second;

  BROKKR_FN Footprint(const DiffSample& d, const PixelGroup& p, bool derives) : place(place_of(d, p, derives)) {
    levels.first = levels.second = 0;
    levels.f = 0.0f;
    if constexpr (kHasLevels) levels = levels_of(d, p, place, derives);
    first = taps_of<kTaps>(d, place, levels.first, p.m);
    mixes = p.m && levels.f > 0.0f;
    has_second = kTwoLevels && Warp::any(mixes);
    if (has_second) second = taps_of<kTaps>(d, place, levels.second, mixes);
  }
};

template <int kTaps, bool kTwoLevels, bool kHasLevels>
BROKKR_FN void sample(const DiffSample& d, DiffPart part) {
  const bool derives = kHasLevels && d.uv_da != nullptr;
  for_pixels(d.shape, part, [&](const PixelGroup& p) {
    const Footprint<kTaps, kTwoLevels, kHasLevels> at(d, p, derives);
    const float* const tex = d.tex + p.image * d.tex_stride;
    const float* const mips = d.mips + p.image * d.mip_stride;
    for (int k = 0; k < d.channels; ++k) {
      Float c = 0.0f;
      for (int i = 0; i < kTaps; ++i) c += at.first.weight[i] * fetch(tex, mips, at.first, i, k);
      if constexpr (kTwoLevels) {
        if (at.has_second) {
          Float c2 = 0.0f;
          for (int i = 0; i < kTaps; ++i) c2 += at.second.weight[i] * fetch(tex, mips, at.second, i, k);
          c = select(at.mixes, c + at.levels.f * (c2 - c), c);
        }
      }
      write_pixels(d.out, p, d.channels, k, c, p.m);
    }
  });
}

// Adds the part of a pixel's gradient that goes to texels which it read with a weight of `share`.
template <class Sums, int kTaps>
BROKKR_FN void spread(const DiffSampleBackward& b, const PixelGroup& p, const Taps<kTaps>& taps, Float share,
                      Sums& sums) {
  const uint64_t base = uint64_t(p.image) * uint64_t(b.f.tex_stride);
  const uint64_t base_mips = b.mips_at + uint64_t(p.image) * uint64_t(b.f.mip_stride);
  for (int i = 0; i < kTaps; ++i) {
    const Double weight = to_double(taps.weight[i]) * to_double(share);
    for (int in_mips = 0; in_mips < 2; ++in_mips) {
      const Mask m = (in_mips != 0 ? taps.in_mips : taps.in_base) && weight != 0.0;
      if (!Warp::any(m)) continue;
      sums.begin(taps.at[i], m);
      for (int k = 0; k < b.f.channels; ++k) {
        const Double g = to_double(read_pixels(b.grad_out, p, b.f.channels, k, m));
        sums.add(in_mips != 0 ? base_mips : base, taps.at[i] + k, k, weight * g, m);
      }
    }
  }
}

// Computes the gradients of coordinates and of their derivatives from those of s, t and the level.
BROKKR_FN void write_coordinates(const DiffSampleBackward& b, const PixelGroup& p, const Place& a, const Levels& l,
                                 Float g_s, Float g_t, Float g_level, bool derives) {
  Float g_s_x = 0.0f, g_s_y = 0.0f, g_t_x = 0.0f, g_t_y = 0.0f;
  if (derives) {
    g_s_x = g_level * l.by_s_x;
    g_s_y = g_level * l.by_s_y;
    g_t_x = g_level * l.by_t_x;
    g_t_y = g_level * l.by_t_y;
  }
  if (b.f.boundary != DiffBoundary::cube) {
    if (b.grad_uv != nullptr) {
      write_pixels(b.grad_uv, p, 2, 0, g_s, p.m);
      write_pixels(b.grad_uv, p, 2, 1, g_t, p.m);
    }
    if (b.grad_uv_da != nullptr) {
      write_pixels(b.grad_uv_da, p, 4, 0, g_s_x, p.m);
      write_pixels(b.grad_uv_da, p, 4, 1, g_s_y, p.m);
      write_pixels(b.grad_uv_da, p, 4, 2, g_t_x, p.m);
      write_pixels(b.grad_uv_da, p, 4, 3, g_t_y, p.m);
    }
    return;
  }
  // s = (on.s / on.m + 1) / 2 and s_x = (on_x.s - on.s / on.m on_x.m) / (2 on.m); t likewise.
  const Float s = a.on.s * a.inverse, t = a.on.t * a.inverse, half = a.inverse * 0.5f;
  OnFace<Float> g, g_x{0.0f, 0.0f, 0.0f}, g_y{0.0f, 0.0f, 0.0f};
  Float g_ratio_s = g_s * 0.5f, g_ratio_t = g_t * 0.5f;
  g.m = 0.0f;
  if (derives) {
    g_x.s = g_s_x * half;
    g_x.t = g_t_x * half;
    g_x.m = -(g_x.s * s + g_x.t * t);
    g_y.s = g_s_y * half;
    g_y.t = g_t_y * half;
    g_y.m = -(g_y.s * s + g_y.t * t);
    g_ratio_s -= g_x.s * a.on_x.m + g_y.s * a.on_y.m;
    g_ratio_t -= g_x.t * a.on_x.m + g_y.t * a.on_y.m;
    g.m = -(g_s_x * a.s_x + g_s_y * a.s_y + g_t_x * a.t_x + g_t_y * a.t_y) * a.inverse;
  }
  g.s = g_ratio_s * a.inverse;
  g.t = g_ratio_t * a.inverse;
  g.m -= g.s * s + g.t * t;
  const auto write = [&](float* to, int stride, int first_of, const OnFace<Float>& on, int apart) {
    const InSpace<Float> v = from_face(a.face, on);
    write_pixels(to, p, stride, first_of, select(a.m, v.x, 0.0f), p.m);
    write_pixels(to, p, stride, first_of + apart, select(a.m, v.y, 0.0f), p.m);
    write_pixels(to, p, stride, first_of + 2 * apart, select(a.m, v.z, 0.0f), p.m);
  };
  if (b.grad_uv != nullptr) write(b.grad_uv, 3, 0, g, 1);
  if (b.grad_uv_da != nullptr) {
    write(b.grad_uv_da, 6, 0, g_x, 2);
    write(b.grad_uv_da, 6, 1, g_y, 2);
  }
}

template <class Sums, int kTaps, bool kTwoLevels, bool kHasLevels>
BROKKR_FN void sample_backward(const DiffSampleBackward& b, DiffPart part) {
  const DiffSample& d = b.f;
  const bool derives = kHasLevels && d.uv_da != nullptr;
  const bool has_sums = b.sums.words != nullptr;
  const bool has_coordinates =
      Sums::kAdds && (b.grad_uv != nullptr || b.grad_uv_da != nullptr || b.grad_bias != nullptr);
  const int n = d.channels;
  Sums sums(b.sums, part);
  for_pixels(d.shape, part, [&](const PixelGroup& p) {
    const Footprint<kTaps, kTwoLevels, kHasLevels> at(d, p, derives);
    const Place& a = at.place;
    const Levels& l = at.levels;
    if (has_sums) {
      spread(b, p, at.first, kTwoLevels ? Float(1.0f) - l.f : Float(1.0f), sums);
      if (at.has_second) spread(b, p, at.second, l.f, sums);
    }
    if (!has_coordinates) return;
    const float* const tex = d.tex + p.image * d.tex_stride;
    const float* const mips = d.mips + p.image * d.mip_stride;
    // A level at its lower end also has a derivative, towards the next level.
    Taps<kTaps> next = at.second;
    if constexpr (kTwoLevels) {
      const Mask on_level = p.m && l.is_free && !(l.f > 0.0f);
      if (!at.has_second || Warp::any(on_level)) next = taps_of<kTaps>(d, a, l.second, p.m);
    }
    Float g_s = 0.0f, g_t = 0.0f, g_level = 0.0f;
    for (int k = 0; k < n; ++k) {
      const Float g = read_pixels(b.grad_out, p, n, k, p.m);
      Float c[2] = {0.0f, 0.0f}, by_s[2] = {0.0f, 0.0f}, by_t[2] = {0.0f, 0.0f};
      const auto read = [&](const Taps<kTaps>& taps, int which) {
        for (int i = 0; i < kTaps; ++i) {
          const Float texel = fetch(tex, mips, taps, i, k);
          c[which] += taps.weight[i] * texel;
          by_s[which] += taps.by_s[i] * texel;
          by_t[which] += taps.by_t[i] * texel;
        }
      };
      read(at.first, 0);
      if constexpr (kTwoLevels) {
        read(next, 1);
        by_s[0] += l.f * (by_s[1] - by_s[0]);
        by_t[0] += l.f * (by_t[1] - by_t[0]);
        g_level += g * (c[1] - c[0]);
      }
      g_s += g * by_s[0];
      g_t += g * by_t[0];
    }
    g_level = select(l.is_free, g_level, 0.0f);
    if (b.grad_bias != nullptr) Warp::store(b.grad_bias + p.pixel, kTwoLevels ? g_level : Float(0.0f), p.m);
    write_coordinates(b, p, a, l, g_s, g_t, kTwoLevels ? g_level : Float(0.0f), kTwoLevels && derives);
  });
}

BROKKR_FN void sample(const DiffSample& d, DiffPart part) {
  switch (d.filter) {
    case DiffFilter::nearest: return sample<1, false, false>(d, part);
    case DiffFilter::linear: return sample<4, false, false>(d, part);
    case DiffFilter::linear_mipmap_nearest: return sample<4, false, true>(d, part);
    case DiffFilter::linear_mipmap_linear: return sample<4, true, true>(d, part);
  }
}
template <class Sums>
BROKKR_FN void sample_backward(const DiffSampleBackward& d, DiffPart part) {
  switch (d.f.filter) {
    case DiffFilter::nearest: return sample_backward<Sums, 1, false, false>(d, part);
    case DiffFilter::linear: return sample_backward<Sums, 4, false, false>(d, part);
    case DiffFilter::linear_mipmap_nearest: return sample_backward<Sums, 4, false, true>(d, part);
    case DiffFilter::linear_mipmap_linear: return sample_backward<Sums, 4, true, true>(d, part);
  }
}
BROKKR_FN void sample_largest(const DiffSampleBackward& d, DiffPart part) { sample_backward<Largest>(d, part); }
BROKKR_FN void sample_add(const DiffSampleBackward& d, DiffPart part) { sample_backward<Adder>(d, part); }

// Each texel of the small level is the average of 2 x 2 texels of the large one, or of 2 texels if that has one row or
// column.
BROKKR_FN void shrink(const DiffMip& d, DiffPart part) {
  const int h = d.height > 1 ? d.height / 2 : 1, w = d.width > 1 ? d.width / 2 : 1;
  const int dx = d.width > 1 ? d.channels : 0, dy = d.height > 1 ? d.width * d.channels : 0;
  for_pixels({d.pictures, h, w * d.channels}, part, [&](const PixelGroup& p) {
    const Int texel = to_int(floor((to_double(p.x) + 0.5) * (1.0 / d.channels)));
    const Int at = p.x + texel * (d.width > 1 ? d.channels : 0);
    const float* const row = d.large + (uint64_t(p.image) * uint64_t(d.height) + uint64_t(d.height > 1 ? p.y * 2 : 0)) *
                                           uint64_t(d.width * d.channels);
    const Float sum = (Warp::gather(row, at, p.m) + Warp::gather(row + dx, at, p.m)) +
                      (Warp::gather(row + dy, at, p.m) + Warp::gather(row + dy + dx, at, p.m));
    Warp::store(d.small + p.pixel, sum * 0.25f, p.m);
  });
}
BROKKR_FN void shrink_backward(const DiffMip& d, DiffPart part) {
  const int h = d.height > 1 ? d.height / 2 : 1, w = d.width > 1 ? d.width / 2 : 1;
  const float share = (d.height > 1 ? 0.5f : 1.0f) * (d.width > 1 ? 0.5f : 1.0f);
  for_pixels({d.pictures, d.height, d.width * d.channels}, part, [&](const PixelGroup& p) {
    const Int texel = to_int(floor((to_double(p.x) + 0.5) * (1.0 / d.channels)));
    const Int at = d.width > 1 ? p.x - (texel - (texel >> 1)) * d.channels : p.x;
    const float* const row =
        d.small + (uint64_t(p.image) * uint64_t(h) + uint64_t(d.height > 1 ? p.y / 2 : 0)) * uint64_t(w * d.channels);
    const Float sum = Warp::load(d.large + p.pixel, p.m) + Warp::gather(row, at, p.m) * share;
    Warp::store(d.large + p.pixel, sum, p.m);
  });
}

BROKKR_MACHINE_END
