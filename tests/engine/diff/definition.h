// The outputs of differentiable rendering in double precision, pixel by pixel. The tests compare the stages with them,
// and the gradients of the stages with their central differences.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "brokkr/diff.h"

namespace brokkr::diff_test {

using Numbers = std::vector<double>;

// Triangles as `DiffMesh` has them, in double, with the visible triangle of each pixel.
struct Scene {
  DiffShape shape;
  int vertices = 0;
  Numbers pos;  // [N, V, 4]
  std::vector<int32_t> tri, ids, opposite;

  int pixels() const { return shape.images * shape.height * shape.width; }
  const double* corner(int image, int32_t vertex) const {
    return pos.data() + (size_t(image) * size_t(vertices) + size_t(vertex)) * 4;
  }
};

inline double ndc(int pixel, int size) { return (2.0 * pixel + 1) / size - 1; }

// u, v, z/w and du/dX, du/dY, dv/dX, dv/dY. The derivatives are those of weights that are quotients of determinants.
inline std::array<double, 7> raster_of(const Scene& s, int pixel, int32_t id) {
  const int w = s.shape.width, h = s.shape.height, image = pixel / (w * h);
  const double* c[3];
  for (int i = 0; i < 3; ++i) c[i] = s.corner(image, s.tri[size_t(id) * 3 + size_t(i)]);
  const auto weights = [&](double fx, double fy) {
    double a[3], sum = 0;
    for (int i = 0; i < 3; ++i) {
      const double *p = c[(i + 1) % 3], *q = c[(i + 2) % 3];
      a[i] = (p[0] - fx * p[3]) * (q[1] - fy * q[3]) - (p[1] - fy * p[3]) * (q[0] - fx * q[3]);
      sum += a[i];
    }
    return std::array<double, 3>{a[0] / sum, a[1] / sum, a[2] / sum};
  };
  const double fx = ndc(pixel % w, w), fy = ndc(pixel / w % h, h);
  const auto b = weights(fx, fy);
  double z = 0, ww = 0;
  for (int i = 0; i < 3; ++i) {
    z += b[size_t(i)] * c[i][2];
    ww += b[size_t(i)] * c[i][3];
  }
  // b = A / s with A and s linear in fx and fy: (A' s - A s') / s^2, from values half a pixel to both sides.
  std::array<double, 7> r{b[0], b[1], z / ww};
  for (int axis = 0; axis < 2; ++axis) {
    const double step = 1.0 / (axis == 0 ? w : h);
    double a[3][3];  // at -, 0, +
    for (int k = 0; k < 3; ++k) {
      const double x = fx + (axis == 0 ? (k - 1) * step : 0), y = fy + (axis == 1 ? (k - 1) * step : 0);
      for (int i = 0; i < 3; ++i) {
        const double *p = c[(i + 1) % 3], *q = c[(i + 2) % 3];
        a[k][i] = (p[0] - x * p[3]) * (q[1] - y * q[3]) - (p[1] - y * p[3]) * (q[0] - x * q[3]);
      }
    }
    // Determinants are linear in x and y: half a pixel to both sides gives the derivative per pixel.
    const auto derivative = [&](int i) { return a[2][i] - a[0][i]; };
    const double sum = a[1][0] + a[1][1] + a[1][2], sum_d = derivative(0) + derivative(1) + derivative(2);
    for (int i = 0; i < 2; ++i) r[size_t(3 + 2 * i + axis)] = (derivative(i) * sum - a[1][i] * sum_d) / (sum * sum);
  }
  return r;
}

// [pixels, 7] for the scene's ids.
inline Numbers raster(const Scene& s) {
  Numbers out(size_t(s.pixels()) * 7);
  for (int p = 0; p < s.pixels(); ++p) {
    if (s.ids[size_t(p)] < 0) continue;
    const auto r = raster_of(s, p, s.ids[size_t(p)]);
    std::copy(r.begin(), r.end(), out.begin() + p * 7);
  }
  return out;
}

// [pixels, A] and the derivatives [pixels, 2 A] from `raster`.
inline void interpolate(const Scene& s, const Numbers& raster, const Numbers& attr, int channels, Numbers& out,
                        Numbers& out_da) {
  out.assign(size_t(s.pixels() * channels), 0);
  out_da.assign(size_t(s.pixels() * channels) * 2, 0);
  for (int p = 0; p < s.pixels(); ++p) {
    if (s.ids[size_t(p)] < 0) continue;
    const double* r = raster.data() + p * 7;
    const int32_t* t = s.tri.data() + s.ids[size_t(p)] * 3;
    for (int k = 0; k < channels; ++k) {
      const double a0 = attr[size_t(t[0] * channels + k)], a1 = attr[size_t(t[1] * channels + k)],
                   a2 = attr[size_t(t[2] * channels + k)];
      out[size_t(p * channels + k)] = r[0] * a0 + r[1] * a1 + (1 - r[0] - r[1]) * a2;
      out_da[size_t(p * channels + k) * 2] = r[3] * (a0 - a2) + r[5] * (a1 - a2);
      out_da[size_t(p * channels + k) * 2 + 1] = r[4] * (a0 - a2) + r[6] * (a1 - a2);
    }
  }
}

// Blends over silhouettes in screen space. It divides by w and needs w > 0.
inline Numbers antialias(const Scene& s, const Numbers& raster, const Numbers& color, int channels) {
  Numbers out = color;
  const int w = s.shape.width, h = s.shape.height;
  struct Point {
    double x, y;
  };
  const auto screen = [&](int image, int32_t v) {
    const double* c = s.corner(image, v);
    return Point{(c[0] / c[3] + 1) * w / 2 - 0.5, (c[1] / c[3] + 1) * h / 2 - 0.5};
  };
  for (int p = 0; p < s.pixels(); ++p) {
    for (int axis = 0; axis < 2; ++axis) {
      const int x = p % w, y = p / w % h, image = p / (w * h);
      if (axis == 0 ? x + 1 >= w : y + 1 >= h) continue;
      const int other = axis == 0 ? p + 1 : p + w;
      const int32_t a = s.ids[size_t(p)], b = s.ids[size_t(other)];
      if (a == b) continue;
      const bool second = a < 0 || (b >= 0 && raster[size_t(other) * 7 + 2] < raster[size_t(p) * 7 + 2]);
      const int32_t t = second ? b : a;
      const double sx = x + (second && axis == 0), sy = y + (second && axis == 1), step = second ? -1 : 1;
      double best = 2;
      for (int e = 0; e < 3; ++e) {
        const Point P = screen(image, s.tri[size_t(t * 3 + e)]), Q = screen(image, s.tri[size_t(t * 3 + (e + 1) % 3)]),
                    O = screen(image, s.tri[size_t(t * 3 + (e + 2) % 3)]);
        const double dx = Q.x - P.x, dy = Q.y - P.y;
        if (axis == 0 ? !(std::abs(dy) > std::abs(dx)) : !(std::abs(dx) >= std::abs(dy))) continue;
        const double k = axis == 0 ? (sy - P.y) / dy : (sx - P.x) / dx;
        if (k < 0 || k > 1) continue;
        const double d = (axis == 0 ? P.x + k * dx - sx : P.y + k * dy - sy) * step;
        if (d < 0 || d > 1 || d >= best) continue;
        const int32_t far = s.opposite[size_t(t * 3 + e)];
        if (far >= 0) {
          const Point R = screen(image, far);
          const auto side = [&](const Point& v) { return dx * (v.y - P.y) - dy * (v.x - P.x); };
          if (!(side(O) * side(R) > 0)) continue;
        }
        best = d;
      }
      if (best > 1) continue;
      const int surface = second ? other : p, background = second ? p : other;
      const int to = best > 0.5 ? background : surface;
      for (int k = 0; k < channels; ++k)
        out[size_t(to * channels + k)] +=
            (best - 0.5) * (color[size_t(surface * channels + k)] - color[size_t(background * channels + k)]);
    }
  }
  return out;
}

// A pyramid: level l is [faces, h, w, C].
struct Pyramid {
  int faces = 1, channels = 1;
  std::vector<Numbers> levels;
  std::vector<std::array<int, 2>> sizes;  // h, w
};

struct Lookup {
  DiffFilter filter;
  DiffBoundary boundary;
};

inline double texel(const Pyramid& t, int level, int face, int y, int x, int k) {
  const auto [h, w] = t.sizes[size_t(level)];
  return t.levels[size_t(level)][size_t(((face * h + y) * w + x) * t.channels + k)];
}

using Direction = std::array<double, 3>;
inline int face_of(const Direction& v) {
  const double x = std::abs(v[0]), y = std::abs(v[1]), z = std::abs(v[2]);
  const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  return axis * 2 + (v[size_t(axis)] < 0);
}
// Rows are faces: the combination of (x, y, z) that gives s, t and the distance, from OpenGL's table.
inline Direction on_face(int face, const Direction& v) {
  switch (face) {
    case 0: return {-v[2], -v[1], v[0]};
    case 1: return {v[2], -v[1], -v[0]};
    case 2: return {v[0], v[2], v[1]};
    case 3: return {v[0], -v[2], -v[1]};
    case 4: return {v[0], -v[1], v[2]};
    default: return {-v[0], -v[1], -v[2]};
  }
}
inline Direction in_space(int face, double s, double t, double m) {
  switch (face) {
    case 0: return {m, -t, -s};
    case 1: return {-m, -t, s};
    case 2: return {s, m, t};
    case 3: return {s, -m, -t};
    case 4: return {s, -t, m};
    default: return {-s, -t, -m};
  }
}

// A channel of one level at (s, t) of a face.
inline double at_level(const Pyramid& p, const Lookup& l, int level, int face, double s, double t, int k) {
  const int h = p.sizes[size_t(level)][0], w = p.sizes[size_t(level)][1];
  const auto get = [&](int y, int x) -> double {
    switch (l.boundary) {
      case DiffBoundary::wrap: return texel(p, level, 0, (y % h + h) % h, (x % w + w) % w, k);
      case DiffBoundary::clamp: return texel(p, level, 0, std::clamp(y, 0, h - 1), std::clamp(x, 0, w - 1), k);
      case DiffBoundary::zero: return y < 0 || x < 0 || y >= h || x >= w ? 0 : texel(p, level, 0, y, x, k);
      default: break;
    }
    const bool out_x = x < 0 || x >= w, out_y = y < 0 || y >= h;
    if (!out_x && !out_y) return texel(p, level, face, y, x, k);
    // The centre of a texel beyond the edge, seen from the centre of the cube.
    const Direction v = in_space(face, (2.0 * x + 1) / w - 1, (2.0 * y + 1) / h - 1, 1);
    const int next = face_of(v);
    const Direction o = on_face(next, v);
    const auto index = [&](double c) { return std::clamp(int(std::floor((c / o[2] + 1) / 2 * w)), 0, w - 1); };
    return texel(p, level, next, index(o[1]), index(o[0]), k);
  };
  if (l.filter == DiffFilter::nearest) {
    int x = int(std::floor(s * w)), y = int(std::floor(t * h));
    if (l.boundary == DiffBoundary::cube) {
      x = std::clamp(x, 0, w - 1);
      y = std::clamp(y, 0, h - 1);
    }
    return get(y, x);
  }
  const double u = s * w - 0.5, v = t * h - 0.5;
  const int x0 = int(std::floor(u)), y0 = int(std::floor(v));
  double sum = 0, missing = 0, mean = 0;
  for (int i = 0; i < 4; ++i) {
    const int x = x0 + i % 2, y = y0 + i / 2;
    const double share = (i % 2 ? u - x0 : 1 - (u - x0)) * (i / 2 ? v - y0 : 1 - (v - y0));
    if (l.boundary == DiffBoundary::cube && (x < 0 || x >= w) && (y < 0 || y >= h)) {
      missing = share;
      continue;
    }
    sum += share * get(y, x);
    mean += get(y, x) / 3;
  }
  // At a corner of a cube the missing texel is the mean of the other three.
  return missing == 0 ? sum : sum + missing * mean;
}

// A channel of a lookup. uv has 2 or 3 numbers, da 4 or 6 (may be null).
inline double sample(const Pyramid& p, const Lookup& l, const double* uv, const double* da, double bias, int k) {
  double s = uv[0], t = uv[1], d[4] = {};
  int face = 0;
  if (l.boundary == DiffBoundary::cube) {
    const Direction v{uv[0], uv[1], uv[2]};
    face = face_of(v);
    const Direction o = on_face(face, v);
    if (!(o[2] > 0)) return 0;
    s = (o[0] / o[2] + 1) / 2;
    t = (o[1] / o[2] + 1) / 2;
    for (int i = 0; da != nullptr && i < 2; ++i) {
      const Direction o_d = on_face(face, {da[i], da[2 + i], da[4 + i]});
      d[i] = (o_d[0] * o[2] - o[0] * o_d[2]) / (o[2] * o[2]) / 2;
      d[2 + i] = (o_d[1] * o[2] - o[1] * o_d[2]) / (o[2] * o[2]) / 2;
    }
  } else if (da != nullptr) {
    std::copy_n(da, 4, d);
  }
  const int most = int(p.levels.size()) - 1;
  if (l.filter == DiffFilter::nearest || l.filter == DiffFilter::linear) return at_level(p, l, 0, face, s, t, k);
  double level = 0;
  if (da != nullptr) {
    // The major semi-axis of the ellipse: the larger singular value.
    const auto [h, w] = p.sizes[0];
    const double a = d[0] * w, b = d[1] * w, c = d[2] * h, e = d[3] * h;
    const double q = a * a + b * b + c * c + e * e, det = a * e - b * c;
    level = 0.5 * std::log2((q + std::sqrt(std::max(0.0, q * q - 4 * det * det))) / 2);
  }
  level = std::clamp(level + bias, 0.0, double(most));
  if (l.filter == DiffFilter::linear_mipmap_nearest) return at_level(p, l, int(std::floor(level + 0.5)), face, s, t, k);
  const int first = int(std::floor(level));
  const double f = level - first;
  const double c = at_level(p, l, first, face, s, t, k);
  return f == 0 ? c : c + f * (at_level(p, l, first + 1, face, s, t, k) - c);
}

}  // namespace brokkr::diff_test
