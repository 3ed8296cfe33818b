// Triangle setup: clip space -> window -> 1/256-pixel fixed point, facing, bounding box, depth plane.
//
// Coverage and depth depend only on the values that are computed here; every operation is IEEE-754 single or double
// precision in a fixed order, or exact integer arithmetic held in doubles (products stay below 2^53).
#pragma once

#include "geometry/records.h"
#include "geometry/vertex.h"

BROKKR_MACHINE_BEGIN

// Window coordinates of set-up triangles stay inside these limits; triangles that reach beyond them are clipped. A
// triangle spans less than 2^15 pixels, so edge functions change by less than 2^30 within a region and fit 32 bits
// there.
BROKKR_CONSTANT float kGuardMin = -8192.0f;
BROKKR_CONSTANT float kGuardMax = 24576.0f;

struct Triangle {
  ClipVertex v[3];
};

struct Setup {
  Uint field[kRecordFields];
  Mask valid;
};

// Planes of the clip volume in order: near, far, then the guard band's left, right, bottom, top. Positive is inside.
BROKKR_CONSTANT int kClipPlanes = 6;

template <class T>
BROKKR_FN T clip_distance(const DrawRecord& draw, int plane, T x, T y, T z, T w) {
  const float margin = 1.0f;
  switch (plane) {
    case 0: return draw.bits & kDrawDepthClamp ? w : (draw.bits & kDrawZeroToOne ? z : z + w);
    case 1: return draw.bits & kDrawDepthClamp ? w : w - z;
    case 2: return x * draw.scale[0] + w * (draw.offset[0] - (kGuardMin + margin));
    case 3: return w * ((kGuardMax - margin) - draw.offset[0]) - x * draw.scale[0];
    case 4: return y * draw.scale[1] + w * (draw.offset[1] - (kGuardMin + margin));
    default: return w * ((kGuardMax - margin) - draw.offset[1]) - y * draw.scale[1];
  }
}

// Triangles that no sample of the viewport can hit, by position alone: not finite, or outside of one plane of the view
// volume.
BROKKR_FN Mask outside_view(const DrawRecord& draw, const Triangle& tri) {
  Mask finite = true, left = true, right = true, bottom = true, top = true, front = true, back = true;
  for (int i = 0; i < 3; ++i) {
    const ClipVertex& v = tri.v[i];
    finite = finite && is_finite(v.x) && is_finite(v.y) && is_finite(v.z) && is_finite(v.w);
    left = left && v.x < -v.w;
    right = right && v.x > v.w;
    bottom = bottom && v.y < -v.w;
    top = top && v.y > v.w;
    front = front && clip_distance(draw, 0, v.x, v.y, v.z, v.w) < 0.0f;
    back = back && clip_distance(draw, 1, v.x, v.y, v.z, v.w) < 0.0f;
  }
  return !finite || left || right || bottom || top || front || back;
}

// Triangles of which some corner lies outside of the near, far or guard-band planes. It uses the same distances as
// clipping, so that triangles that share an edge agree on it.
BROKKR_FN Mask needs_clipping(Warp& w, const DrawRecord& draw, const Triangle& tri, Mask m) {
  Mask depth = false, far_out = false;
  for (int i = 0; i < 3; ++i) {
    const ClipVertex& v = tri.v[i];
    depth = depth || clip_distance(draw, 0, v.x, v.y, v.z, v.w) < 0.0f ||
            clip_distance(draw, 1, v.x, v.y, v.z, v.w) < 0.0f || !(v.w > 0.0f);
    far_out = far_out || absolute(v.x) > v.w || absolute(v.y) > v.w;
  }
  if (!w.any(m && far_out)) return depth;
  for (int plane = 2; plane < kClipPlanes; ++plane) {
    for (int i = 0; i < 3; ++i) {
      const ClipVertex& v = tri.v[i];
      depth = depth || clip_distance(draw, plane, v.x, v.y, v.z, v.w) < 0.0f;
    }
  }
  return depth;
}

struct WindowVertex {
  Int x, y;  // 1/256 pixel
  Float z;
};

BROKKR_FN WindowVertex to_window(const DrawRecord& draw, const ClipVertex& v) {
  const Float inverse = 1.0f / v.w;
  const Float lo(kGuardMin * 256.0f), hi(kGuardMax * 256.0f);
  const Float x = (v.x * inverse) * draw.scale[0] + draw.offset[0];
  const Float y = (v.y * inverse) * draw.scale[1] + draw.offset[1];
  WindowVertex r;
  r.x = round_to_int(clamp_to(x * 256.0f, lo, hi));
  r.y = round_to_int(clamp_to(y * 256.0f, lo, hi));
  // Depth-clamped draws keep depths outside of the range until the plane is evaluated; they stay finite.
  const Float ndc = clamp_to(v.z * inverse, -1048576.0f, 1048576.0f);
  r.z = ndc * draw.scale[2] + draw.offset[2];
  return r;
}

// Sets up the lanes of m. Lanes that are degenerate, face the wrong way or hit no sample centre's box are not valid.
BROKKR_FN void set_up(Warp& w, const DrawRecord& draw, const Triangle& tri, Uint primitive, Mask m, Setup& out) {
  WindowVertex v[3];
  for (int i = 0; i < 3; ++i) v[i] = to_window(draw, tri.v[i]);

  const Double dx1 = to_double(v[1].x - v[0].x), dy1 = to_double(v[1].y - v[0].y);
  const Double dx2 = to_double(v[2].x - v[0].x), dy2 = to_double(v[2].y - v[0].y);
  const Double area = dx1 * dy2 - dx2 * dy1;  // twice the area, 1/65536 square pixels, exact
  const Mask positive = area > 0.0, negative = area < 0.0;
  const bool clockwise = (draw.bits & kDrawFrontClockwise) != 0;
  const Mask front = clockwise ? negative : positive;
  const Mask back = clockwise ? positive : negative;
  m = m && (positive || negative);
  if (draw.bits & kDrawCullFront) m = m && !front;
  if (draw.bits & kDrawCullBack) m = m && !back;

  // Sample centres lie at odd multiples of 128: the first at or after x is (x + 127) >> 8, the last (x - 128) >> 8.
  const Int min_x = maximum((minimum(minimum(v[0].x, v[1].x), v[2].x) + 127) >> 8, draw.rect[0]);
  const Int min_y = maximum((minimum(minimum(v[0].y, v[1].y), v[2].y) + 127) >> 8, draw.rect[1]);
  const Int max_x = minimum((maximum(maximum(v[0].x, v[1].x), v[2].x) - 128) >> 8, draw.rect[2] - 1);
  const Int max_y = minimum((maximum(maximum(v[0].y, v[1].y), v[2].y) - 128) >> 8, draw.rect[3] - 1);
  m = m && min_x <= max_x && min_y <= max_y;
  out.valid = m;
  if (!w.any(m)) return;

  // Depth plane through the snapped corners; the first sample of the box is its origin.
  const Double dz1 = to_double(v[1].z) - to_double(v[0].z), dz2 = to_double(v[2].z) - to_double(v[0].z);
  const Double scale = 256.0 / area;
  const Double z_dx = (dz1 * dy2 - dz2 * dy1) * scale;
  const Double z_dy = (dz2 * dx1 - dz1 * dx2) * scale;
  const Double to_x = to_double((min_x << 8) + 128 - v[0].x) * (1.0 / 256.0);
  const Double to_y = to_double((min_y << 8) + 128 - v[0].y) * (1.0 / 256.0);
  Double z = (to_double(v[0].z) + z_dx * to_x) + z_dy * to_y;
  if (draw.bits & kDrawPolygonOffset) {
    const Double ax = select(z_dx < 0.0, -z_dx, z_dx), ay = select(z_dy < 0.0, -z_dy, z_dy);
    z = z + (double(draw.offset_factor) * maximum(ax, ay) + (double(draw.offset_units) * 0x1p-24));
  }

  out.field[kX0] = as_uint(v[0].x);
  out.field[kY0] = as_uint(v[0].y);
  out.field[kX1] = as_uint(select(positive, v[1].x, v[2].x));
  out.field[kY1] = as_uint(select(positive, v[1].y, v[2].y));
  out.field[kX2] = as_uint(select(positive, v[2].x, v[1].x));
  out.field[kY2] = as_uint(select(positive, v[2].y, v[1].y));
  out.field[kMin] = pack_sample(min_x, min_y);
  out.field[kMax] = pack_sample(max_x, max_y);
  out.field[kZ] = as_uint(to_float(z));
  out.field[kZdx] = as_uint(to_float(z_dx));
  out.field[kZdy] = as_uint(to_float(z_dy));
  out.field[kPrimitive] = primitive;
}

BROKKR_MACHINE_END
