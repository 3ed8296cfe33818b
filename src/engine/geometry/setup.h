// Triangle setup: clip space -> window -> 1/256-pixel fixed point, facing, bounding box, depth plane.
//
// Coverage and depth depend only on the values computed here. Every operation is IEEE-754 single or double precision in
// a fixed order, or exact integer arithmetic held in doubles (products stay below 2^53).
#pragma once

#include "geometry/records.h"
#include "geometry/vertex.h"

BROKKR_MACHINE_BEGIN

struct Setup {
  Uint field[kRecordFields];
  Mask valid;
};

// The distance from a plane of the clip volume; positive is inside. The order of planes is near, far, then the guard
// band's left, right, bottom, top.
template <class T>
BROKKR_FN T clip_distance(const DrawRecord& draw, int plane, T x, T y, T z, T w) {
  switch (plane) {
    case 0: return draw.bits & kDrawDepthClamp ? w : (draw.bits & kDrawZeroToOne ? z : z + w);
    case 1: return draw.bits & kDrawDepthClamp ? w : w - z;
    case 2: return x * draw.scale[0] + w * (draw.offset[0] - (kGuardMin + kGuardMargin));
    case 3: return w * ((kGuardMax - kGuardMargin) - draw.offset[0]) - x * draw.scale[0];
    case 4: return y * draw.scale[1] + w * (draw.offset[1] - (kGuardMin + kGuardMargin));
    default: return w * ((kGuardMax - kGuardMargin) - draw.offset[1]) - y * draw.scale[1];
  }
}

BROKKR_FN Float clip_distance(const DrawRecord& draw, int plane, const ClipVertex& corner) {
  return clip_distance(draw, plane, corner.x, corner.y, corner.z, corner.w);
}

// Triangles that cannot hit a sample of the viewport according to their corners: a corner is not finite, or all corners
// lie outside one plane of the view volume.
BROKKR_FN Mask outside_view(const DrawRecord& draw, const Triangle& tri) {
  Mask left = true, right = true, bottom = true, top = true;
  for (const ClipVertex& corner : tri.corner) {
    left = left && corner.x < -corner.w;
    right = right && corner.x > corner.w;
    bottom = bottom && corner.y < -corner.w;
    top = top && corner.y > corner.w;
  }
  const Mask beside = left || right || bottom || top;
  if (draw.bits & kDrawInside) return beside;  // its corners are finite, and inside the near and far planes
  Mask finite = true, front = true, back = true;
  for (const ClipVertex& corner : tri.corner) {
    finite = finite && is_finite(corner.x) && is_finite(corner.y) && is_finite(corner.z) && is_finite(corner.w);
    front = front && clip_distance(draw, 0, corner) < 0.0f;
    back = back && clip_distance(draw, 1, corner) < 0.0f;
  }
  return !finite || beside || front || back;
}

// Triangles with a corner outside the near, far or guard-band planes. This uses the same distances as clipping, so that
// triangles with a common edge agree on it.
BROKKR_FN Mask needs_clipping(Warp& w, const DrawRecord& draw, const Triangle& tri, Mask m) {
  if (draw.bits & kDrawInside) return false;
  Mask outside = false, far_out = false;
  for (const ClipVertex& corner : tri.corner) {
    outside =
        outside || clip_distance(draw, 0, corner) < 0.0f || clip_distance(draw, 1, corner) < 0.0f || !(corner.w > 0.0f);
    far_out = far_out || absolute(corner.x) > corner.w || absolute(corner.y) > corner.w;
  }
  if (!w.any(m && far_out)) return outside;
  for (int plane = 2; plane < kClipPlanes; ++plane) {
    for (const ClipVertex& corner : tri.corner) outside = outside || clip_distance(draw, plane, corner) < 0.0f;
  }
  return outside;
}

struct WindowVertex {
  Int x, y;  // 1/256 pixel
  Float z;
};

BROKKR_FN WindowVertex to_window(const DrawRecord& draw, const ClipVertex& corner) {
  const Float inverse = 1.0f / corner.w;
  const Float x = (corner.x * inverse) * draw.scale[0] + draw.offset[0];
  const Float y = (corner.y * inverse) * draw.scale[1] + draw.offset[1];
  const auto snap = [](Float position) {
    return round_to_int(clamp_to(position * 256.0f, kGuardMin * 256.0f, kGuardMax * 256.0f));
  };
  // Depth-clamped draws keep depths outside the range until the plane is evaluated. These depths are finite.
  const Float ndc = clamp_to(corner.z * inverse, -1048576.0f, 1048576.0f);
  return {snap(x), snap(y), ndc * draw.scale[2] + draw.offset[2]};
}

// Sets up the lanes of m. Lanes are invalid if they are degenerate, face the wrong way, or have no sample in their box.
BROKKR_FN void set_up(Warp& w, const DrawRecord& draw, const Triangle& tri, Uint primitive, Mask m, Setup& out) {
  WindowVertex corner[3];
  for (int i = 0; i < 3; ++i) corner[i] = to_window(draw, tri.corner[i]);

  const Double dx1 = to_double(corner[1].x - corner[0].x), dy1 = to_double(corner[1].y - corner[0].y);
  const Double dx2 = to_double(corner[2].x - corner[0].x), dy2 = to_double(corner[2].y - corner[0].y);
  const Double area = dx1 * dy2 - dx2 * dy1;  // twice the area, 1/65536 square pixels, exact
  const Mask positive = area > 0.0, negative = area < 0.0;
  const bool clockwise = (draw.bits & kDrawFrontClockwise) != 0;
  const Mask front = clockwise ? negative : positive;
  const Mask back = clockwise ? positive : negative;
  m = m && (positive || negative);
  if (draw.bits & kDrawCullFront) m = m && !front;
  if (draw.bits & kDrawCullBack) m = m && !back;

  // Pixel centres are at odd multiples of 128: the first centre at or after x is (x + 127) >> 8, and the last before it
  // is (x - 128) >> 8. Samples lie up to `reach` before and after the centres.
  const int reach = draw.reach, before = 127 - reach, behind = 128 - reach;
  const Int min_x = maximum((minimum(minimum(corner[0].x, corner[1].x), corner[2].x) + before) >> 8, draw.rect[0]);
  const Int min_y = maximum((minimum(minimum(corner[0].y, corner[1].y), corner[2].y) + before) >> 8, draw.rect[1]);
  const Int max_x = minimum((maximum(maximum(corner[0].x, corner[1].x), corner[2].x) - behind) >> 8, draw.rect[2] - 1);
  const Int max_y = minimum((maximum(maximum(corner[0].y, corner[1].y), corner[2].y) - behind) >> 8, draw.rect[3] - 1);
  m = m && min_x <= max_x && min_y <= max_y;
  out.valid = m;
  if (!w.any(m)) return;

  // The depth plane through the snapped corners; its origin is the first sample of the box.
  const Double dz1 = to_double(corner[1].z) - to_double(corner[0].z),
               dz2 = to_double(corner[2].z) - to_double(corner[0].z);
  const Double scale = 256.0 / area;
  const Double z_dx = (dz1 * dy2 - dz2 * dy1) * scale;
  const Double z_dy = (dz2 * dx1 - dz1 * dx2) * scale;
  const Double to_x = to_double((min_x << 8) + 128 - corner[0].x) * (1.0 / 256.0);
  const Double to_y = to_double((min_y << 8) + 128 - corner[0].y) * (1.0 / 256.0);
  Double z = (to_double(corner[0].z) + z_dx * to_x) + z_dy * to_y;
  if (draw.bits & kDrawPolygonOffset) {
    const Double ax = select(z_dx < 0.0, -z_dx, z_dx), ay = select(z_dy < 0.0, -z_dy, z_dy);
    z = z + (double(draw.offset_factor) * maximum(ax, ay) + (double(draw.offset_units) * 0x1p-24));
  }

  out.field[kX0] = as_uint(corner[0].x);
  out.field[kY0] = as_uint(corner[0].y);
  out.field[kX1] = as_uint(select(positive, corner[1].x, corner[2].x));
  out.field[kY1] = as_uint(select(positive, corner[1].y, corner[2].y));
  out.field[kX2] = as_uint(select(positive, corner[2].x, corner[1].x));
  out.field[kY2] = as_uint(select(positive, corner[2].y, corner[1].y));
  out.field[kMin] = pack_sample(min_x, min_y);
  out.field[kMax] = pack_sample(max_x, max_y);
  out.field[kZ] = as_uint(to_float(z));
  out.field[kZdx] = as_uint(to_float(z_dx));
  out.field[kZdy] = as_uint(to_float(z_dy));
  out.field[kPrimitive] = primitive;
}

BROKKR_MACHINE_END
