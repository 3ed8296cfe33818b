// Computes attributes of pixels from those of vertices, and their gradients [Laine20, 3.3].
#pragma once

#include "diff/geometry.h"

BROKKR_MACHINE_BEGIN

BROKKR_FN void interpolate(const DiffInterpolate& d, DiffPart part) {
  for_pixels(d.g.shape, part, [&](const PixelGroup& p) {
    const PixelTriangles t = triangles_of(d.g, p);
    const bool any = Warp::any(t.m);
    Float u = 0.0f, v = 0.0f, db[4];
    Int elements[3];
    if (any) {
      u = read_pixels(d.g.rast, p, 4, 0, t.m);
      v = read_pixels(d.g.rast, p, 4, 1, t.m);
      for (int i = 0; i < 3; ++i) elements[i] = t.vertex[i] * d.channels;
      if (d.diff_count > 0)
        for (int i = 0; i < 4; ++i) db[i] = read_pixels(d.rast_db, p, 4, i, t.m);
    }
    const float* const attr = d.attr + p.image * d.attr_stride;
    const Float rest = Float(1.0f) - u - v;
    for (int k = 0; k < d.channels; ++k) {
      Float a = 0.0f;
      if (any) {
        a = u * Warp::gather(attr + k, elements[0], t.m) + v * Warp::gather(attr + k, elements[1], t.m) +
            rest * Warp::gather(attr + k, elements[2], t.m);
        a = select(t.m, a, 0.0f);
      }
      write_pixels(d.out, p, d.channels, k, a, p.m);
    }
    for (int i = 0; i < d.diff_count; ++i) {
      Float a_x = 0.0f, a_y = 0.0f;
      if (any) {
        const int k = Warp::uniform([&] { return d.diff_attrs[i]; });
        const Float a2 = Warp::gather(attr + k, elements[2], t.m);
        const Float by_u = Warp::gather(attr + k, elements[0], t.m) - a2,
                    by_v = Warp::gather(attr + k, elements[1], t.m) - a2;
        a_x = select(t.m, db[0] * by_u + db[2] * by_v, 0.0f);
        a_y = select(t.m, db[1] * by_u + db[3] * by_v, 0.0f);
      }
      write_pixels(d.out_da, p, d.diff_count * 2, i * 2, a_x, p.m);
      write_pixels(d.out_da, p, d.diff_count * 2, i * 2 + 1, a_y, p.m);
    }
  });
}

template <class Sums>
BROKKR_FN void interpolate_backward(const DiffInterpolateBackward& b, DiffPart part) {
  const DiffInterpolate& d = b.f;
  const bool has_sums = b.sums.words != nullptr;
  Sums sums(b.sums, part);
  for_pixels(d.g.shape, part, [&](const PixelGroup& p) {
    const PixelTriangles t = triangles_of(d.g, p);
    const bool any = Warp::any(t.m);
    Float g_u = 0.0f, g_v = 0.0f, g_db[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (any) {
      const float* const attr = d.attr + p.image * d.attr_stride;
      const uint64_t base = uint64_t(p.image) * uint64_t(d.attr_stride);
      const Float u = read_pixels(d.g.rast, p, 4, 0, t.m), v = read_pixels(d.g.rast, p, 4, 1, t.m);
      const Float rest = Float(1.0f) - u - v;
      Int elements[3];
      for (int i = 0; i < 3; ++i) elements[i] = t.vertex[i] * d.channels;
      if (has_sums) sums.begin(t.id, t.m);
      for (int k = 0; k < d.channels; ++k) {
        const Float g = read_pixels(b.grad_out, p, d.channels, k, t.m);
        if (Sums::kAdds && b.grad_rast != nullptr) {
          const Float a2 = Warp::gather(attr + k, elements[2], t.m);
          g_u += g * (Warp::gather(attr + k, elements[0], t.m) - a2);
          g_v += g * (Warp::gather(attr + k, elements[1], t.m) - a2);
        }
        if (has_sums) {
          const Double wide = to_double(g);
          sums.add(base, elements[0] + k, k, to_double(u) * wide, t.m);
          sums.add(base, elements[1] + k, k, to_double(v) * wide, t.m);
          sums.add(base, elements[2] + k, k, to_double(rest) * wide, t.m);
        }
      }
      for (int i = 0; i < d.diff_count; ++i) {
        const int k = Warp::uniform([&] { return d.diff_attrs[i]; });
        const Float g_x = read_pixels(b.grad_out_da, p, d.diff_count * 2, i * 2, t.m);
        const Float g_y = read_pixels(b.grad_out_da, p, d.diff_count * 2, i * 2 + 1, t.m);
        if (Sums::kAdds && b.grad_rast_db != nullptr) {
          const Float a2 = Warp::gather(attr + k, elements[2], t.m);
          const Float by_u = Warp::gather(attr + k, elements[0], t.m) - a2,
                      by_v = Warp::gather(attr + k, elements[1], t.m) - a2;
          g_db[0] += g_x * by_u;
          g_db[1] += g_y * by_u;
          g_db[2] += g_x * by_v;
          g_db[3] += g_y * by_v;
        }
        if (has_sums) {
          Double db[4];
          for (int j = 0; j < 4; ++j) db[j] = to_double(read_pixels(d.rast_db, p, 4, j, t.m));
          const Double by_u = to_double(g_x) * db[0] + to_double(g_y) * db[1];
          const Double by_v = to_double(g_x) * db[2] + to_double(g_y) * db[3];
          sums.add(base, elements[0] + k, k, by_u, t.m);
          sums.add(base, elements[1] + k, k, by_v, t.m);
          sums.add(base, elements[2] + k, k, -by_u - by_v, t.m);
        }
      }
    }
    if (!Sums::kAdds) return;
    if (b.grad_rast != nullptr) {
      write_pixels(b.grad_rast, p, 4, 0, select(t.m, g_u, 0.0f), p.m);
      write_pixels(b.grad_rast, p, 4, 1, select(t.m, g_v, 0.0f), p.m);
      write_pixels(b.grad_rast, p, 4, 2, 0.0f, p.m);
      write_pixels(b.grad_rast, p, 4, 3, 0.0f, p.m);
    }
    if (b.grad_rast_db != nullptr)
      for (int k = 0; k < 4; ++k) write_pixels(b.grad_rast_db, p, 4, k, select(t.m, g_db[k], 0.0f), p.m);
  });
}
BROKKR_FN void interpolate_largest(const DiffInterpolateBackward& d, DiffPart part) {
  interpolate_backward<Largest>(d, part);
}
BROKKR_FN void interpolate_add(const DiffInterpolateBackward& d, DiffPart part) {
  interpolate_backward<Adder>(d, part);
}

BROKKR_MACHINE_END
