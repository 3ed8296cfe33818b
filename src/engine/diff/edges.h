// Gradients of positions at boundaries between triangles, for pictures that no antialiasing changes [Pidhorskyi24].
//
// Two neighbours A and B that show different triangles have a boundary between their centres. If it moves by d pixels
// from A to B, A's colour replaces B's in a share d of a pixel. On average, the two pixels lose half of it each, so the
// gradient of d is (g_A + g_B) / 2 * (I_A - I_B), where g are the gradients of the colours I. A horizontal pair gives
// the gradient of the motion along x, a vertical pair that along y.
//
// Planes of z/w decide which surface moves the boundary. They are affine in the picture, so they continue beyond their
// triangles:
// - A is in front at both centres: the boundary is an edge of A, and moves with the point of A at A's centre. The same
//   holds for B, and for both (half each) if each plane is in front at the other's centre, as on a ridge.
// - Each is in front at its own centre: the surfaces intersect. Their planes have slopes s along the axis and t across
//   it. The boundary is where the depths are equal, so if the surfaces move by (x, y, z), it moves by
//   (s_A x_A + t_A y_A - z_A - s_B x_B - t_B y_B + z_B) / (s_A - s_B).
// Triangles that share an edge belong to one surface and have no boundary.
#pragma once

#include "diff/geometry.h"

BROKKR_MACHINE_BEGIN

// The triangles of pixels, and their planes of z/w over normalized device coordinates.
struct Facet {
  PixelTriangles t;
  Weights n;
  Double w;                  // of the triangle's point at the pixel's centre
  Double depth, by_x, by_y;  // z/w there, and its derivatives

  BROKKR_FN Facet(const DiffGeometry& g, const PixelGroup& p, Int id, Mask m) : t(triangles_of(g, id, m)), n(g, p, t) {
    n.derive();
    const Double sum_w = n.b[0] * n.c[0].w + n.b[1] * n.c[1].w + n.b[2] * n.c[2].w;
    t.m = t.m && n.inverse != 0.0 && sum_w != 0.0;
    w = select(t.m, sum_w, 1.0);
    depth = (n.b[0] * n.c[0].z + n.b[1] * n.c[1].z + n.b[2] * n.c[2].z) / w;
    by_x = (n.a_x[0] * n.c[0].z + n.a_x[1] * n.c[1].z + n.a_x[2] * n.c[2].z) * n.inverse / w;
    by_y = (n.a_y[0] * n.c[0].z + n.a_y[1] * n.c[1].z + n.a_y[2] * n.c[2].z) * n.inverse / w;
  }
};

// The gradients of the motion of a facet's point: x and y in normalized device coordinates, z of z/w.
struct PointGradient {
  Double x, y, z;
};

// Adds the gradients of the facet's vertices. The point keeps its weights, so it is sum b (x, y, z) / sum b w.
template <class Sums>
BROKKR_FN void add_point(Sums& sums, const DiffGeometry& g, int image, const Facet& f, const PointGradient& gradient,
                         Mask m) {
  if (!Warp::any(m)) return;
  const uint64_t base = uint64_t(image) * uint64_t(g.pos_stride);
  const Double along = -(f.n.fx * gradient.x + f.n.fy * gradient.y + f.depth * gradient.z);
  sums.begin(f.t.id, m);
  for (int i = 0; i < 3; ++i) {
    const Double share = f.n.b[i] / f.w;
    const Int element = f.t.vertex[i] * 4;
    sums.add(base, element, 0, share * gradient.x, m);
    sums.add(base, element + 1, 1, share * gradient.y, m);
    sums.add(base, element + 2, 2, share * gradient.z, m);
    sums.add(base, element + 3, 3, share * along, m);
  }
}

BROKKR_FN Mask share_an_edge(const PixelTriangles& a, const PixelTriangles& b) {
  Int count = 0;
  for (int i = 0; i < 3; ++i) {
    const Mask shared = a.vertex[i] == b.vertex[0] || a.vertex[i] == b.vertex[1] || a.vertex[i] == b.vertex[2];
    count += select(shared, Int(1), Int(0));
  }
  return a.m && b.m && count >= 2;
}

template <class Sums>
BROKKR_FN void edges_backward(const DiffEdgesBackward& d, DiffPart part) {
  constexpr double kLeastAngle = 1e-7;  // planes whose depths differ by less from centre to centre count as one
  const int n = d.channels;
  Sums sums(d.sums, part);
  for_boundaries(d.g, part, [&](const PixelGroup& p, const PixelPair& pair) {
    const int axis = pair.axis;
    const int64_t offset = pair.offset;
    const Int own = pair.own, other = pair.other;
    const Mask differ = pair.differ;
    Double g = 0.0;
    for (int k = 0; k < n; ++k) {
      const Float i_a = read_pixels(d.color, p, n, k, differ), i_b = read_pixels(d.color + offset * n, p, n, k, differ);
      const Float g_a = read_pixels(d.grad_out, p, n, k, differ),
                  g_b = read_pixels(d.grad_out + offset * n, p, n, k, differ);
      g += (to_double(g_a) + to_double(g_b)) * (to_double(i_a) - to_double(i_b));
    }
    const double side = double(axis == 0 ? d.g.shape.width : d.g.shape.height);
    g = g * (0.25 * side * double(d.boost));  // half of it, in normalized device coordinates
    const Mask matters = differ && g != 0.0;
    if (!Warp::any(matters)) return;
    PixelGroup q = p;
    if (axis == 0)
      q.x = p.x + 1;
    else
      q.y = p.y + 1;
    const Facet a(d.g, p, own, matters), b(d.g, q, other, matters);
    const Mask both = a.t.m && b.t.m && !share_an_edge(a.t, b.t);
    const double step = 2.0 / side;
    const Double s_a = axis == 0 ? a.by_x : a.by_y, s_b = axis == 0 ? b.by_x : b.by_y;
    const Double t_a = axis == 0 ? a.by_y : a.by_x, t_b = axis == 0 ? b.by_y : b.by_x;
    const Mask a_at_a = a.depth <= b.depth - s_b * step, a_at_b = a.depth + s_a * step <= b.depth;
    const Mask crosses = both && a_at_a && !a_at_b && (s_a - s_b) * step > kLeastAngle;
    const Mask ridge = both && !a_at_a && a_at_b;
    const Mask only_a = a.t.m && other < 0, only_b = b.t.m && own < 0;
    const Mask moves_a = only_a || (both && a_at_b), moves_b = only_b || (both && !a_at_a);
    const Double of_edge = select(ridge, g * 0.5, g);
    const Double by_angle = g / select(crosses, s_a - s_b, 1.0);
    const auto gradient = [&](Double sign, Double s, Double t) {
      const Double along = select(crosses, sign * s * by_angle, of_edge),
                   across = select(crosses, sign * t * by_angle, 0.0);
      return PointGradient{axis == 0 ? along : across, axis == 0 ? across : along,
                           select(crosses, -(sign * by_angle), 0.0)};
    };
    add_point(sums, d.g, p.image, a, gradient(1.0, s_a, t_a), moves_a || crosses);
    add_point(sums, d.g, p.image, b, gradient(-1.0, s_b, t_b), moves_b || crosses);
  });
}
BROKKR_FN void edges_largest(const DiffEdgesBackward& d, DiffPart part) { edges_backward<Largest>(d, part); }
BROKKR_FN void edges_add(const DiffEdgesBackward& d, DiffPart part) { edges_backward<Adder>(d, part); }

BROKKR_MACHINE_END
