// Antialiasing over silhouettes, and its gradients [Laine20, 3.6].
//
// We compare two neighbours that show different triangles. The silhouette edge of the nearer triangle passes between
// their centres at the distance d (0..1) from the nearer triangle's pixel. S and O are the colours of that pixel and of
// the other one. If d > 1/2, the surface covers a part of the other pixel, which takes (d - 1/2) (S - O). Otherwise,
// the surface's own pixel takes this amount. An edge is a silhouette if no triangle, or more than one, lies at its
// other side, or if both triangles lie on the same side of it.
//
// In homogeneous coordinates relative to the surface's pixel centre, (X, Y, w) as in diff/geometry.h, the edge's line
// is l = P x Q. It crosses the row (Y = 0) at X/w = -l_w / l_x, and the column at Y/w = -l_w / l_y.
#pragma once

#include "diff/geometry.h"

BROKKR_MACHINE_BEGIN

// The position of a vertex relative to the centre of a pixel, in homogeneous coordinates.
struct NearCorner {
  Double x, y, w;
};
struct Line {
  Double x, y, w;
  BROKKR_FN Line(const NearCorner& p, const NearCorner& q)
      : x(p.y * q.w - p.w * q.y), y(p.w * q.x - p.x * q.w), w(p.x * q.y - p.y * q.x) {}
  BROKKR_FN Double at(const NearCorner& p) const { return x * p.x + y * p.y + w * p.w; }
};

// The edges that pass between pixels and their right (axis 0) or upper (axis 1) neighbours.
struct Crossing {
  Mask m;            // a silhouette passes
  Mask is_second;    // the surface is the neighbour's
  Mask into_second;  // the neighbour takes colour
  Float share;       // d - 1/2
  // Values for the gradient of d.
  Double fx, fy, l_w, l_axis, d, scale;
  NearCorner p, q;
  Int vertex_p, vertex_q, edge;
};

// The first pixels of the pairs start at `first_x`. `a` has the numbers of their triangles, `b` those of the
// neighbours. `m`: both pixels exist.
BROKKR_FN Crossing cross(const DiffAntialias& d, const PixelGroup& group, Int first_x, int first_y, int axis, Int a,
                         Int b, Float z_a, Float z_b, Mask m) {
  const DiffGeometry& g = d.g;
  Crossing c;
  c.m = m && a != b;
  c.is_second = a < 0 || (b >= 0 && z_b < z_a);
  const PixelTriangles t = triangles_of(g, select(c.is_second, b, a), c.m);
  const Int step = select(c.is_second, 1, 0);
  c.fx = ndc(axis == 0 ? first_x + step : first_x, g.shape.width);
  c.fy = ndc(axis == 0 ? Int(first_y) : step + first_y, g.shape.height);
  c.scale = select(c.is_second, -0.5, 0.5) * double(axis == 0 ? g.shape.width : g.shape.height);
  const float* const pos = g.pos + group.image * g.pos_stride;
  const auto near_corner = [&](Int vertex, Mask lanes) {
    const Int element = vertex * 4;
    const Double x = to_double(Warp::gather(pos, element, lanes)), y = to_double(Warp::gather(pos + 1, element, lanes));
    const Double w = to_double(Warp::gather(pos + 3, element, lanes));
    return NearCorner{x - c.fx * w, y - c.fy * w, w};
  };
  NearCorner corner[3];
  for (int i = 0; i < 3; ++i) corner[i] = near_corner(t.vertex[i], t.m);
  c.m = Mask(false);
  c.d = 2.0;
  for (int e = 0; e < 3; ++e) {
    const NearCorner &p = corner[e], &q = corner[(e + 1) % 3], &o = corner[(e + 2) % 3];
    const Line l(p, q);
    const Double by_x = maximum(l.x, -l.x) * double(g.shape.height), by_y = maximum(l.y, -l.y) * double(g.shape.width);
    const Double l_axis = axis == 0 ? l.x : l.y;
    const Double end_p = axis == 0 ? p.y : p.x, end_q = axis == 0 ? q.y : q.x;
    // l_axis divided by the difference of the ends is the w of the point where they cross. It is positive if the point
    // is in front.
    const Double front = axis == 0 ? l.x * (p.y - q.y) : l.y * (q.x - p.x);
    Mask ok = t.m && (axis == 0 ? by_x > by_y : by_y >= by_x) && end_p * end_q <= 0.0 && front > 0.0;
    if (!Warp::any(ok)) continue;
    const Double distance = -c.scale * l.w / select(ok, l_axis, 1.0);
    ok = ok && distance >= 0.0 && distance <= 1.0 && distance < c.d;
    if (!Warp::any(ok)) continue;
    const Int other = Warp::gather(d.opposite + e, t.id * 3, ok);
    const Mask has_other = ok && as_uint(other) < uint32_t(g.vertices);
    if (Warp::any(has_other)) {
      const NearCorner r = near_corner(other, has_other);
      ok = ok && (!has_other || l.at(o) * l.at(r) > 0.0);
    }
    c.m = c.m || ok;
    c.d = select(ok, distance, c.d);
    c.l_w = select(ok, l.w, e == 0 ? Double(0.0) : c.l_w);
    c.l_axis = select(ok, l_axis, e == 0 ? Double(1.0) : c.l_axis);
    const auto keep = [&](NearCorner& kept, const NearCorner& end) {
      kept.x = select(ok, end.x, kept.x);
      kept.y = select(ok, end.y, kept.y);
      kept.w = select(ok, end.w, kept.w);
    };
    keep(c.p, p);
    keep(c.q, q);
    c.vertex_p = select(ok, t.vertex[e], c.vertex_p);
    c.vertex_q = select(ok, t.vertex[(e + 1) % 3], c.vertex_q);
    c.edge = select(ok, t.id * 3 + e, c.edge);
  }
  c.share = to_float(c.d - 0.5);
  c.into_second = c.is_second != (c.d > 0.5);
  return c;
}

// One of a pixel's four neighbours.
struct Side {
  int x, y;
};
BROKKR_FN Side side_of(int i) { return {i == 0 ? -1 : i == 1 ? 1 : 0, i == 2 ? -1 : i == 3 ? 1 : 0}; }

// Calls f(offset to the neighbour in pixels, mask, coefficient, takes) for each side of the pixels where a silhouette
// crosses. If `takes`, the pixel takes coefficient * (its colour - the neighbour's). Otherwise, the neighbour takes
// this amount with the opposite sign.
template <class F>
BROKKR_FN void for_sides(const DiffAntialias& d, const PixelGroup& p, F&& f) {
  const DiffShape& s = d.g.shape;
  const Int own = ids_of(d.g, p.pixel, p.m);
  for (int i = 0; i < 4; ++i) {
    const Side side = side_of(i);
    if (p.y + side.y < 0 || p.y + side.y >= s.height) continue;
    const Mask m = p.m && p.x + side.x >= 0 && p.x + side.x < s.width;
    const int64_t offset = int64_t(side.y) * s.width + side.x;
    const Int other = ids_of(d.g, p.pixel + uint64_t(offset), m);
    const Mask differ = m && own != other;
    if (!Warp::any(differ)) continue;
    const float* const z = d.g.rast + p.pixel * 4 + 2;
    const Float z_own = Warp::gather(z, Warp::lane() * 4, differ);
    const Float z_other = Warp::gather(z + offset * 4, Warp::lane() * 4, differ);
    const bool is_second = side.x + side.y < 0;  // this pixel is the second of the pair
    const Crossing c = is_second
                           ? cross(d, p, p.x + side.x, p.y + side.y, side.y != 0, other, own, z_other, z_own, differ)
                           : cross(d, p, p.x, p.y, side.y != 0, own, other, z_own, z_other, differ);
    if (!Warp::any(c.m)) continue;
    const Mask is_surface = is_second ? c.is_second : !c.is_second;
    f(offset, c.m, select(is_surface, c.share, -c.share), is_second ? c.into_second : !c.into_second);
  }
}

BROKKR_FN void antialias(const DiffAntialias& d, DiffPart part) {
  for_pixels(d.g.shape, part, [&](const PixelGroup& p) {
    const int n = d.channels;
    for (int k = 0; k < n; ++k) write_pixels(d.out, p, n, k, read_pixels(d.color, p, n, k, p.m), p.m);
    for_sides(d, p, [&](int64_t offset, Mask m, Float coefficient, Mask takes) {
      const Mask add = m && takes;
      if (!Warp::any(add)) return;
      for (int k = 0; k < n; ++k) {
        const Float own = read_pixels(d.color, p, n, k, add);
        const Float other = read_pixels(d.color + offset * n, p, n, k, add);
        write_pixels(d.out, p, n, k, read_pixels(d.out, p, n, k, add) + coefficient * (own - other), add);
      }
    });
  });
}

BROKKR_FN void antialias_color(const DiffAntialiasBackward& b, DiffPart part) {
  const DiffAntialias& d = b.f;
  for_pixels(d.g.shape, part, [&](const PixelGroup& p) {
    const int n = d.channels;
    for (int k = 0; k < n; ++k) write_pixels(b.grad_color, p, n, k, read_pixels(b.grad_out, p, n, k, p.m), p.m);
    for_sides(d, p, [&](int64_t offset, Mask m, Float coefficient, Mask takes) {
      for (int k = 0; k < n; ++k) {
        const Float own = read_pixels(b.grad_out, p, n, k, m && takes);
        const Float other = read_pixels(b.grad_out + offset * n, p, n, k, m && !takes);
        const Float g = select(takes, own, other);
        write_pixels(b.grad_color, p, n, k, read_pixels(b.grad_color, p, n, k, m) + coefficient * g, m);
      }
    });
  });
}

template <class Sums>
BROKKR_FN void antialias_backward(const DiffAntialiasBackward& b, DiffPart part) {
  const DiffAntialias& d = b.f;
  const int n = d.channels;
  Sums sums(b.sums, part);
  for_boundaries(d.g, part, [&](const PixelGroup& p, const PixelPair& pair) {
    const auto [axis, offset, own, other, differ] = pair;
    const float* const z = d.g.rast + p.pixel * 4 + 2;
    const Crossing c = cross(d, p, p.x, p.y, axis, own, other, Warp::gather(z, Warp::lane() * 4, differ),
                             Warp::gather(z + offset * 4, Warp::lane() * 4, differ), differ);
    if (!Warp::any(c.m)) return;
    Double g_d = 0.0;
    for (int k = 0; k < n; ++k) {
      const Float first = read_pixels(d.color, p, n, k, c.m), second = read_pixels(d.color + offset * n, p, n, k, c.m);
      const Float g = select(c.into_second, read_pixels(b.grad_out + offset * n, p, n, k, c.m && c.into_second),
                             read_pixels(b.grad_out, p, n, k, c.m && !c.into_second));
      g_d += to_double(g) *
             select(c.is_second, to_double(second) - to_double(first), to_double(first) - to_double(second));
    }
    g_d = g_d * double(b.boost);
    const Mask add = c.m && g_d != 0.0;
    if (!Warp::any(add)) return;
    // d = -scale l_w / l_axis
    const Double inverse = Double(1.0) / select(add, c.l_axis, 1.0);
    const Double g_w = -c.scale * g_d * inverse, g_axis = -g_d * c.d * inverse;
    NearCorner g_p, g_q;
    g_p.x = g_w * c.q.y;
    g_p.y = -g_w * c.q.x;
    g_q.x = -g_w * c.p.y;
    g_q.y = g_w * c.p.x;
    if (axis == 0) {  // l_x = p.y q.w - p.w q.y
      g_p.y += g_axis * c.q.w;
      g_q.y -= g_axis * c.p.w;
      g_p.w = -g_axis * c.q.y;
      g_q.w = g_axis * c.p.y;
    } else {  // l_y = p.w q.x - p.x q.w
      g_p.x -= g_axis * c.q.w;
      g_q.x += g_axis * c.p.w;
      g_p.w = g_axis * c.q.x;
      g_q.w = -g_axis * c.p.x;
    }
    const uint64_t base = uint64_t(p.image) * uint64_t(d.g.pos_stride);
    sums.begin(c.edge, add);
    const auto add_corner = [&](Int vertex, const NearCorner& g) {
      sums.add(base, vertex * 4, 0, g.x, add);
      sums.add(base, vertex * 4 + 1, 1, g.y, add);
      sums.add(base, vertex * 4 + 3, 3, g.w - c.fx * g.x - c.fy * g.y, add);
    };
    add_corner(c.vertex_p, g_p);
    add_corner(c.vertex_q, g_q);
  });
}
BROKKR_FN void antialias_largest(const DiffAntialiasBackward& d, DiffPart part) {
  antialias_backward<Largest>(d, part);
}
BROKKR_FN void antialias_add(const DiffAntialiasBackward& d, DiffPart part) { antialias_backward<Adder>(d, part); }

BROKKR_MACHINE_END
