// Computes the raster of known triangles, and its gradient [Laine20, 3.2; Olano97].
#pragma once

#include "diff/geometry.h"

BROKKR_MACHINE_BEGIN

BROKKR_FN void rasterize(const DiffRasterize& d, DiffPart part) {
  for_pixels(d.g.shape, part, [&](const PixelGroup& p) {
    const PixelTriangles t = triangles_of(d.g, p);
    Float rast[4] = {0.0f, 0.0f, 0.0f, 0.0f}, db[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (Warp::any(t.m)) {
      Weights n(d.g, p, t);
      const Double z = n.b[0] * n.c[0].z + n.b[1] * n.c[1].z + n.b[2] * n.c[2].z;
      const Double w = n.b[0] * n.c[0].w + n.b[1] * n.c[1].w + n.b[2] * n.c[2].w;
      const Double zw = select(w != 0.0, z / select(w != 0.0, w, 1.0), 0.0);
      // A centre on an edge may lie slightly outside, because coverage uses positions rounded to 1/256 pixel.
      const Float u = clamp_to(to_float(n.b[0]), 0.0f, 1.0f);
      const Float v = minimum(maximum(to_float(n.b[1]), 0.0f), Float(1.0f) - u);
      rast[0] = select(t.m, u, 0.0f);
      rast[1] = select(t.m, v, 0.0f);
      rast[2] = select(t.m, clamp_to(to_float(zw), -1.0f, 1.0f), 0.0f);
      rast[3] = select(t.m, to_float(t.id + 1), 0.0f);
      if (d.rast_db != nullptr) {
        n.derive();
        const double sx = 2.0 / d.g.shape.width, sy = 2.0 / d.g.shape.height;
        const Double all[4] = {n.u_x * sx, n.u_y * sy, n.v_x * sx, n.v_y * sy};
        for (int k = 0; k < 4; ++k) db[k] = select(t.m, to_float(all[k]), 0.0f);
      }
    }
    for (int k = 0; k < 4; ++k) {
      write_pixels(d.rast, p, 4, k, rast[k], p.m);
      if (d.rast_db != nullptr) write_pixels(d.rast_db, p, 4, k, db[k], p.m);
    }
  });
}

// The gradients of the vertices' X, Y, z and w, computed from the gradients of u, v, z/w (g) and of their derivatives
// by fx and fy (g_db). This is reverse mode through b_i = a_i / s, their derivatives (a_i' - b_i s') / s, and z/w = sum
// b_i z_i / sum b_i w_i.
struct CornerGradients {
  Double x[3], y[3], z[3], w[3];
};
BROKKR_FN CornerGradients corner_gradients(Weights& n, const Double (&g)[3], const Double (&g_db)[4], bool has_db) {
  CornerGradients out;
  Double(&g_x)[3] = out.x, (&g_y)[3] = out.y, (&g_z)[3] = out.z, (&g_w)[3] = out.w;
  for (int i = 0; i < 3; ++i) g_x[i] = g_y[i] = 0.0;
  const Double z = n.b[0] * n.c[0].z + n.b[1] * n.c[1].z + n.b[2] * n.c[2].z;
  const Double w = n.b[0] * n.c[0].w + n.b[1] * n.c[1].w + n.b[2] * n.c[2].w;
  const Double g_sum_z = select(w != 0.0, g[2] / select(w != 0.0, w, 1.0), 0.0);
  const Double g_sum_w = select(w != 0.0, -(g_sum_z * z) / select(w != 0.0, w, 1.0), 0.0);
  for (int i = 0; i < 3; ++i) {
    g_z[i] = n.b[i] * g_sum_z;
    g_w[i] = n.b[i] * g_sum_w;
  }
  Double g_u = g[0] + g_sum_z * (n.c[0].z - n.c[2].z) + g_sum_w * (n.c[0].w - n.c[2].w);
  Double g_v = g[1] + g_sum_z * (n.c[1].z - n.c[2].z) + g_sum_w * (n.c[1].w - n.c[2].w);
  Double g_s = 0.0;
  if (has_db) {
    n.derive();
    g_s = -(g_db[0] * n.u_x + g_db[1] * n.u_y + g_db[2] * n.v_x + g_db[3] * n.v_y) * n.inverse;
    g_u -= (g_db[0] * n.s_x + g_db[1] * n.s_y) * n.inverse;
    g_v -= (g_db[2] * n.s_x + g_db[3] * n.s_y) * n.inverse;
    const Double g_s_x = -(g_db[0] * n.b[0] + g_db[2] * n.b[1]) * n.inverse;
    const Double g_s_y = -(g_db[1] * n.b[0] + g_db[3] * n.b[1]) * n.inverse;
    const Double g_a_x[3] = {g_db[0] * n.inverse + g_s_x, g_db[2] * n.inverse + g_s_x, g_s_x};
    const Double g_a_y[3] = {g_db[1] * n.inverse + g_s_y, g_db[3] * n.inverse + g_s_y, g_s_y};
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      g_y[j] += g_a_x[i] * n.c[k].w;
      g_w[k] += g_a_x[i] * n.y[j];
      g_w[j] -= g_a_x[i] * n.y[k];
      g_y[k] -= g_a_x[i] * n.c[j].w;
      g_w[j] += g_a_y[i] * n.x[k];
      g_x[k] += g_a_y[i] * n.c[j].w;
      g_x[j] -= g_a_y[i] * n.c[k].w;
      g_w[k] -= g_a_y[i] * n.x[j];
    }
  }
  g_s -= (g_u * n.b[0] + g_v * n.b[1]) * n.inverse;
  const Double g_a[3] = {g_u * n.inverse + g_s, g_v * n.inverse + g_s, g_s};
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    g_x[j] += g_a[i] * n.y[k];
    g_y[k] += g_a[i] * n.x[j];
    g_y[j] -= g_a[i] * n.x[k];
    g_x[k] -= g_a[i] * n.y[j];
  }
  return out;
}

template <class Sums>
BROKKR_FN void rasterize_backward(const DiffRasterizeBackward& d, DiffPart part) {
  Sums sums(d.sums, part);
  for_pixels(d.g.shape, part, [&](const PixelGroup& p) {
    PixelTriangles t = triangles_of(d.g, p);
    if (!Warp::any(t.m)) return;
    Double g[3] = {0.0, 0.0, 0.0}, g_db[4] = {0.0, 0.0, 0.0, 0.0};
    Mask matters = false;
    if (d.grad_rast != nullptr) {
      for (int k = 0; k < 3; ++k) {
        const Float a = read_pixels(d.grad_rast, p, 4, k, t.m);
        matters = matters || a != 0.0f;
        g[k] = to_double(a);
      }
    }
    if (d.grad_db != nullptr) {
      for (int k = 0; k < 4; ++k) {
        const Float a = read_pixels(d.grad_db, p, 4, k, t.m);
        matters = matters || a != 0.0f;
        g_db[k] = to_double(a) * (k % 2 == 0 ? 2.0 / d.g.shape.width : 2.0 / d.g.shape.height);
      }
    }
    t.m = t.m && matters;
    if (!Warp::any(t.m)) return;
    Weights n(d.g, p, t);
    const CornerGradients corners = corner_gradients(n, g, g_db, d.grad_db != nullptr);
    sums.begin(t.id, t.m);
    const uint64_t base = uint64_t(p.image) * uint64_t(d.g.pos_stride);
    for (int i = 0; i < 3; ++i) {
      const Int element = t.vertex[i] * 4;
      sums.add(base, element, 0, corners.x[i], t.m);
      sums.add(base, element + 1, 1, corners.y[i], t.m);
      if (d.grad_rast != nullptr) sums.add(base, element + 2, 2, corners.z[i], t.m);
      sums.add(base, element + 3, 3, corners.w[i] - n.fx * corners.x[i] - n.fy * corners.y[i], t.m);
    }
  });
}
BROKKR_FN void rasterize_largest(const DiffRasterizeBackward& d, DiffPart part) {
  rasterize_backward<Largest>(d, part);
}
BROKKR_FN void rasterize_add(const DiffRasterizeBackward& d, DiffPart part) { rasterize_backward<Adder>(d, part); }

BROKKR_MACHINE_END
