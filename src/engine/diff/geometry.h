// The triangles of pixels, in homogeneous coordinates [Olano97]. For a pixel centre at (fx, fy) in normalized device
// coordinates and a vertex (x, y, z, w), let X = x - fx w and Y = y - fy w. Then a_i = X_j Y_k - Y_j X_k for (i, j, k)
// in cyclic order, s = a_0 + a_1 + a_2, and b_i = a_i / s are the perspective-correct weights of the vertices. No
// vertex is divided by its w, which may be negative.
#pragma once

#include "diff/sums.h"

BROKKR_MACHINE_BEGIN

// The vertices of the pixels' triangles. Lanes outside `m` have none.
struct PixelTriangles {
  Mask m;
  Int id;
  Int vertex[3];
};

// Numbers outside the arrays do not count as triangles.
BROKKR_FN PixelTriangles triangles_of(const DiffGeometry& g, Int id, Mask inside) {
  PixelTriangles t;
  t.id = id;
  t.m = inside && as_uint(id) < uint32_t(g.triangles);
  for (int i = 0; i < 3; ++i) {
    t.vertex[i] = Warp::gather(g.tri + i, id * 3, t.m);
    t.m = t.m && as_uint(t.vertex[i]) < uint32_t(g.vertices);
  }
  return t;
}
BROKKR_FN Int ids_of(const DiffGeometry& g, uint64_t first_pixel, Mask inside) {
  if (g.ids != nullptr) return Warp::load(g.ids + first_pixel, inside, -1);
  const Float number = Warp::gather(g.rast + first_pixel * 4 + 3, Warp::lane() * 4, inside);
  // NaN and numbers that do not fit in an int32 do not count as triangles.
  return select(number > 0.0f && number < 2147483520.0f, to_int(clamp_to(number, 0.0f, 2147483520.0f)), 0) - 1;
}

// Each lane's pixel and its right (axis 0) or lower (axis 1) neighbour.
struct PixelPair {
  int axis;
  int64_t offset;  // from the pixel to its neighbour
  Int own, other;  // their triangles
  Mask differ;     // lanes in which these are not the same
};

// Calls f(group, pair) for all pairs of neighbours in which any lane's triangles differ.
template <class F>
BROKKR_FN void for_boundaries(const DiffGeometry& g, DiffPart part, F&& f) {
  for_pixels(g.shape, part, [&](const PixelGroup& p) {
    const Int own = ids_of(g, p.pixel, p.m);
    for (int axis = 0; axis < 2; ++axis) {
      if (axis == 1 && p.y + 1 >= g.shape.height) continue;
      const Mask m = axis == 0 ? p.m && p.x + 1 < g.shape.width : p.m;
      const int64_t offset = axis == 0 ? 1 : g.shape.width;
      const Int other = ids_of(g, p.pixel + uint64_t(offset), m);
      const Mask differ = m && own != other;
      if (Warp::any(differ)) f(p, PixelPair{axis, offset, own, other, differ});
    }
  });
}
BROKKR_FN PixelTriangles triangles_of(const DiffGeometry& g, const PixelGroup& p) {
  return triangles_of(g, ids_of(g, p.pixel, p.m), p.m);
}

// The centres of pixels in normalized device coordinates.
BROKKR_FN Double ndc(Int pixel, int size) { return to_double(pixel * 2 + 1) / double(size) - 1.0; }

struct Corner {
  Double x, y, z, w;
};
BROKKR_FN Corner corner_of(const DiffGeometry& g, int image, Int vertex, Mask m) {
  const float* const p = g.pos + image * g.pos_stride;
  const Int element = vertex * 4;
  return {to_double(Warp::gather(p, element, m)), to_double(Warp::gather(p + 1, element, m)),
          to_double(Warp::gather(p + 2, element, m)), to_double(Warp::gather(p + 3, element, m))};
}

// The weights of a pixel's vertices, and their derivatives by fx and fy.
struct Weights {
  Corner c[3];
  Double fx, fy, x[3], y[3];  // X and Y
  Double inverse;             // 1 / s, or 0 if s is 0
  Double b[3];
  Double a_x[3], a_y[3], s_x, s_y;  // derivatives of a_i and s
  Double u_x, u_y, v_x, v_y;

  BROKKR_FN Weights(const DiffGeometry& g, const PixelGroup& p, const PixelTriangles& t) {
    fx = ndc(p.x, g.shape.width);
    fy = ndc(Int(p.y), g.shape.height);
    for (int i = 0; i < 3; ++i) {
      c[i] = corner_of(g, p.image, t.vertex[i], t.m);
      x[i] = c[i].x - fx * c[i].w;
      y[i] = c[i].y - fy * c[i].w;
    }
    Double a[3];
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      a[i] = x[j] * y[k] - y[j] * x[k];
    }
    const Double s = a[0] + a[1] + a[2];
    inverse = select(s != 0.0, Double(1.0) / select(s != 0.0, s, 1.0), 0.0);
    for (int i = 0; i < 3; ++i) b[i] = a[i] * inverse;
  }
  BROKKR_FN void derive() {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      a_x[i] = y[j] * c[k].w - c[j].w * y[k];
      a_y[i] = c[j].w * x[k] - x[j] * c[k].w;
    }
    s_x = a_x[0] + a_x[1] + a_x[2];
    s_y = a_y[0] + a_y[1] + a_y[2];
    u_x = (a_x[0] - b[0] * s_x) * inverse;
    u_y = (a_y[0] - b[0] * s_y) * inverse;
    v_x = (a_x[1] - b[1] * s_x) * inverse;
    v_y = (a_y[1] - b[1] * s_y) * inverse;
  }
};

BROKKR_MACHINE_END
