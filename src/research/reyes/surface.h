// Points of bicubic patches, their colours, and the screen size of pieces of patches.
//
// A point depends only on its patch and its parameters; on a side of a patch, it depends only on the side's four
// control points in the edge's own direction. All grids that share a vertex compute it with the same bits, so there are
// no cracks.
#pragma once

#include "machine/machine.h"
#include "reyes/reyes_plan.h"

BROKKR_MACHINE_BEGIN
namespace reyes {
using namespace brokkr;

struct Vector3 {
  Float x = 0.0f, y = 0.0f, z = 0.0f;
  BROKKR_FN friend Vector3 operator+(const Vector3& a, const Vector3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  BROKKR_FN friend Vector3 operator-(const Vector3& a, const Vector3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  BROKKR_FN friend Vector3 operator*(const Vector3& a, Float s) { return {a.x * s, a.y * s, a.z * s}; }
  BROKKR_FN friend Float dot(const Vector3& a, const Vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  BROKKR_FN friend Vector3 cross(const Vector3& a, const Vector3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};
BROKKR_FN Vector3 normalized(const Vector3& a) { return a * (1.0f / sqrt(maximum(dot(a, a), 1e-30f))); }
BROKKR_FN Vector3 select(Mask m, const Vector3& a, const Vector3& b) {
  return {brokkr::select(m, a.x, b.x), brokkr::select(m, a.y, b.y), brokkr::select(m, a.z, b.z)};
}

struct Weights {
  Float weight[4];
};
BROKKR_FN Weights bernstein(Float t) {
  const Float s = 1.0f - t;
  return {{s * s * s, 3.0f * (s * s * t), 3.0f * (s * t * t), t * t * t}};
}
// Weights of the derivative, without the factor 3.
BROKKR_FN Weights bernstein_slope(Float t) {
  const Float s = 1.0f - t;
  return {{-(s * s), s * s - 2.0f * (s * t), 2.0f * (s * t) - t * t, t * t}};
}
// Converts the integer parameter t to 0..1, exactly.
BROKKR_FN Float parameter(Uint t) { return to_float(as_int(t)) * (1.0f / float(kParameterOne)); }

// The sum of the 16 control points with these weights.
BROKKR_FN Vector3 weighted(const float* points, const Weights& u, const Weights& v) {
  Vector3 sum;
  for (int j = 0; j < 4; ++j) {
    Vector3 row;
    for (int i = 0; i < 4; ++i) {
      const float* p = points + 3 * (4 * j + i);
      row = row + Vector3{u.weight[i] * p[0], u.weight[i] * p[1], u.weight[i] * p[2]};
    }
    sum = sum + row * v.weight[j];
  }
  return sum;
}
BROKKR_FN Vector3 along_side(const float* points, int side, bool backwards, Float t) {
  const int first = side == 1 ? 12 : side == 3 ? 3 : 0, step = side < 2 ? 1 : 4;
  const Weights w = bernstein(backwards ? 1.0f - t : t);
  Vector3 sum;
  for (int k = 0; k < 4; ++k) {
    const float* p = points + 3 * (first + step * (backwards ? 3 - k : k));
    sum = sum + Vector3{w.weight[k] * p[0], w.weight[k] * p[1], w.weight[k] * p[2]};
  }
  return sum;
}

// Points (u, v) of one patch, one per lane.
struct PatchPoints {
  uint32_t patch;
  Uint u, v;
};
BROKKR_FN Vector3 surface_point(Warp& w, const ReyesPlan& plan, const PatchPoints& patch_points, Mask m) {
  const auto& [patch, u, v] = patch_points;
  const float* points = plan.points + size_t(patch) * 48;
  Vector3 p = weighted(points, bernstein(parameter(u)), bernstein(parameter(v)));
  for (int side = 0; side < 4; ++side) {
    const Mask on = m && (side < 2 ? v : u) == Uint((side & 1) != 0 ? kParameterOne : 0u);
    if (!w.any(on)) continue;
    const bool backwards = (plan.edges[patch * 4 + uint32_t(side)] & 1u) != 0;
    p = select(on, along_side(points, side, backwards, parameter(side < 2 ? u : v)), p);
  }
  return p;
}

// The unit normals there. If the surface has none there, as at a pole, returns the normal of a point slightly closer to
// the middle.
BROKKR_FN Vector3 surface_normal(Warp& w, const ReyesPlan& plan, const PatchPoints& patch_points, Mask m) {
  const auto& [patch, u, v] = patch_points;
  const float* points = plan.points + size_t(patch) * 48;
  const auto normal_at = [&](Float s, Float t) {
    const Vector3 du = weighted(points, bernstein_slope(s), bernstein(t));
    const Vector3 dv = weighted(points, bernstein(s), bernstein_slope(t));
    return cross(du, dv);
  };
  const auto is_none = [&](const Vector3& n) {
    const Float* all[] = {&n.x, &n.y, &n.z};
    Float most = 0.0f;
    for (const Float* c : all) most = maximum(most, absolute(*c));
    return !(most > Float(1e-12f));
  };
  const Float s = parameter(u), t = parameter(v);
  Vector3 n = normal_at(s, t);
  const Mask none = m && is_none(n);
  if (w.any(none)) n = select(none, normal_at(s + (0.5f - s) * (1.0f / 64), t + (0.5f - t) * (1.0f / 64)), n);
  return normalized(n);
}

// The brightness factor of scales at (u, v): 1 in the middle of a scale, dark where scales meet.
BROKKR_FN Float scale_shade(float scales, Uint u, Uint v) {
  const Float a = fraction(parameter(u) * scales), b = fraction(parameter(v) * scales);
  return 0.45f + 0.75f * saturate(6.0f * (a * (1.0f - a)) * (4.0f * (b * (1.0f - b))));
}

// The lit colours of the points, which are at `at` in space, on a patch that was split `splits` times. The surface is
// two-sided: the normal is turned towards the eye.
BROKKR_FN Vector3 surface_color(const ReyesPlan& plan, const PatchPoints& patch_points, const Vector3& at,
                                Vector3 normal, uint32_t splits) {
  const float* material = plan.palette + 5 * plan.materials[patch_points.patch];
  const Vector3 to_eye =
      normalized(Vector3{Float(plan.eye[0]) - at.x, Float(plan.eye[1]) - at.y, Float(plan.eye[2]) - at.z});
  normal = select(dot(normal, to_eye) < Float(0.0f), Vector3{} - normal, normal);
  const Vector3 light{plan.light[0], plan.light[1], plan.light[2]};
  const Float sky = 0.26f + 0.14f * normal.y, lit = maximum(dot(normal, light), 0.0f) * 0.72f;
  if (plan.look == ReyesLook::depth) {
    const float heat = float(splits) * (1.0f / 12);
    const float part = heat < 1 ? heat : 1;
    const Float shade = 0.35f + 0.9f * (sky + lit);
    // From dark blue over red to bright yellow.
    const float red = 0.12f + 1.1f * part, green = 0.1f + 0.9f * part * part, blue = 0.32f - 0.2f * part;
    return {saturate(shade * red), saturate(shade * green), saturate(shade * blue)};
  }
  const Float facing = maximum(dot(normal, normalized(light + to_eye)), 0.0f);
  Float gloss = facing;
  for (int k = 0; k < 5; ++k) gloss = gloss * gloss;  // raises gloss to the 32nd power
  gloss = gloss * material[3];
  Float amount = sky + lit;
  if (material[4] > 0) {
    const Float shade = scale_shade(material[4], patch_points.u, patch_points.v);
    amount = amount * shade;
    gloss = gloss * (shade * shade);
  }
  return {saturate(amount * material[0] + gloss), saturate(amount * material[1] + gloss),
          saturate(amount * material[2] + gloss)};
}

// Writes one vertex per lane of m, to words 4 * at .. 4 * at + 3 of both arrays. `shape`: GridRecord::shape.
BROKKR_FN void write_points(Warp& w, const ReyesPlan& plan, const PatchPoints& patch_points, uint32_t shape, Int at,
                            Mask m) {
  const Vector3 p = surface_point(w, plan, patch_points, m);
  const Vector3 c = surface_color(plan, patch_points, p, surface_normal(w, plan, patch_points, m),
                                  (shape & 15u) + (shape >> 4 & 15u));
  const Float point[] = {p.x, p.y, p.z, 1.0f}, color[] = {c.x, c.y, c.z, 1.0f};
  for (int k = 0; k < 4; ++k) {
    w.scatter(plan.vertices, at * 4 + k, point[k], m);
    w.scatter(plan.colors, at * 4 + k, color[k], m);
  }
}

// Screen bounds of pieces, one per lane, from the convex hull of their control points.
struct PieceSize {
  Mask outside = false;                  // it is not visible
  Mask blind = false;                    // it reaches behind the eye, so it has no size
  Float along_u = 0.0f, along_v = 0.0f;  // upper bounds of its lengths on the screen, in pixels
  Float distance = 0.0f;                 // distance from the fixation point to its bounds, in pixels
};

// Weights that give the control points of a part [a, b] of a curve from those of the whole: the curve's polar form at
// (a, a, a), (a, a, b), (a, b, b), (b, b, b).
BROKKR_FN void part_weights(Float a, Float b, Float (&out)[4][4]) {
  for (int k = 0; k < 4; ++k) {
    const Float r = k > 2 ? b : a, s = k > 1 ? b : a, t = k > 0 ? b : a;
    const Float cr = 1.0f - r, cs = 1.0f - s, ct = 1.0f - t;
    out[k][0] = cr * cs * ct;
    out[k][1] = r * cs * ct + s * cr * ct + t * cr * cs;
    out[k][2] = r * s * ct + r * t * cs + s * t * cr;
    out[k][3] = r * s * t;
  }
}

// Control points of pieces in clip space: x, y and w.
struct ClipPoints {
  Float x[16], y[16], w[16];
};
BROKKR_FN ClipPoints clip_points(Warp& w, const ReyesPlan& plan, Uint patch, Uint corner, Uint shape, Mask m) {
  ClipPoints p;
  const Int first = as_int(patch * 48u);
  for (int k = 0; k < 16; ++k) {
    const Float px = w.gather(plan.points, first + 3 * k, m), py = w.gather(plan.points, first + (3 * k + 1), m),
                pz = w.gather(plan.points, first + (3 * k + 2), m);
    const auto row = [&](const float(&r)[4]) { return px * r[0] + py * r[1] + pz * r[2] + r[3]; };
    p.x[k] = row(plan.clip_x);
    p.y[k] = row(plan.clip_y);
    p.w[k] = row(plan.clip_w);
  }
  const Uint u0 = corner & 0xffffu, v0 = corner >> 16;
  const Uint du = Uint(kParameterOne) >> (shape & 15u), dv = Uint(kParameterOne) >> (shape >> 4 & 15u);
  Float wu[4][4], wv[4][4];
  part_weights(parameter(u0), parameter(u0 + du), wu);
  part_weights(parameter(v0), parameter(v0 + dv), wv);
  const auto part = [&](Float(&control)[16]) {
    Float q[16];
    for (int k = 0; k < 16; ++k) {
      Float sum = 0.0f;
      for (int i = 0; i < 4; ++i) sum += wu[k % 4][i] * control[k / 4 * 4 + i];
      q[k] = sum;
    }
    for (int k = 0; k < 16; ++k) {
      Float sum = 0.0f;
      for (int j = 0; j < 4; ++j) sum += wv[k / 4][j] * q[4 * j + k % 4];
      control[k] = sum;
    }
  };
  part(p.x);
  part(p.y);
  part(p.w);
  return p;
}

BROKKR_FN PieceSize piece_size(Warp& w, const ReyesPlan& plan, Uint patch, Uint corner, Uint shape, Mask m) {
  constexpr float kNear = 1e-6f;
  ClipPoints p = clip_points(w, plan, patch, corner, shape, m);
  PieceSize size;
  // Extend the picture's edges by two pixels, because of rounding.
  const float wide = 1.0f + 2.0f / plan.half_width, high = 1.0f + 2.0f / plan.half_height;
  Mask left = true, right = true, below = true, above = true, behind = true;
  for (int k = 0; k < 16; ++k) {
    left = left && p.x[k] < -(p.w[k] * wide);
    right = right && p.x[k] > p.w[k] * wide;
    below = below && p.y[k] < -(p.w[k] * high);
    above = above && p.y[k] > p.w[k] * high;
    behind = behind && p.w[k] < Float(kNear);
    size.blind = size.blind || !(p.w[k] > Float(kNear));
  }
  size.outside = left || right || below || above || behind;
  Float low_x = 1e30f, high_x = -1e30f, low_y = 1e30f, high_y = -1e30f;
  for (int k = 0; k < 16; ++k) {
    const Float over = 1.0f / brokkr::select(size.blind, Float(1.0f), p.w[k]);
    p.x[k] = p.x[k] * over * plan.half_width;
    p.y[k] = p.y[k] * over * plan.half_height;
    low_x = minimum(low_x, p.x[k]);
    high_x = maximum(high_x, p.x[k]);
    low_y = minimum(low_y, p.y[k]);
    high_y = maximum(high_y, p.y[k]);
  }
  const auto length = [&](int a, int b) {
    const Float dx = p.x[b] - p.x[a], dy = p.y[b] - p.y[a];
    return sqrt(dx * dx + dy * dy);
  };
  for (int j = 0; j < 4; ++j) {
    Float row = 0.0f, column = 0.0f;
    for (int k = 0; k < 3; ++k) {
      row += length(4 * j + k, 4 * j + k + 1);
      column += length(4 * k + j, 4 * k + 4 + j);
    }
    size.along_u = maximum(size.along_u, row);
    size.along_v = maximum(size.along_v, column);
  }
  const Float off_x = maximum(maximum(low_x - plan.fixation_x, plan.fixation_x - high_x), 0.0f);
  const Float off_y = maximum(maximum(low_y - plan.fixation_y, plan.fixation_y - high_y), 0.0f);
  size.distance = sqrt(off_x * off_x + off_y * off_y);
  return size;
}

}  // namespace reyes
BROKKR_MACHINE_END
