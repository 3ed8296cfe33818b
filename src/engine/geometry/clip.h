// Homogeneous clipping of one triangle (Sutherland-Hodgman against near, far and the guard band).
//
// New corners are computed from the inside end of an edge to its outside end, so that two triangles that share the edge
// get the same corner whichever way they walk it.
#pragma once

#include "geometry/setup.h"

BROKKR_MACHINE_BEGIN

// Scratch memory of one warp; a corner list has room for a whole warp to load from any of its corners.
struct ClipScratch {
  float corner[2][4][kMaxClippedCorners + 3 + kWidth];  // list, component, corner
};

// Clips the triangle whose corners are in scratch list 0. Returns the number of remaining corners (0, or 3 to 9), which
// are in list `list`.
BROKKR_FN_NOINLINE int clip_triangle(Warp& w, const DrawRecord& of_run, ClipScratch& storage, int& list) {
  const DrawRecord& draw = *TablePointer<const DrawRecord>(&of_run);
  ClipScratch& scratch = *in_shared_memory(&storage);
  int corners = 3;
  list = 0;
  for (int plane = 0; plane < kClipPlanes; ++plane) {
    const auto& in = scratch.corner[list];
    auto& out = scratch.corner[1 - list];
    bool cut = false;
    for (int i = 0; i < corners; ++i) cut |= clip_distance(draw, plane, in[0][i], in[1][i], in[2][i], in[3][i]) < 0;
    if (!cut) continue;
    int kept = 0;
    for (int i = 0; i < corners; ++i) {
      const int j = i + 1 < corners ? i + 1 : 0;
      const float di = clip_distance(draw, plane, in[0][i], in[1][i], in[2][i], in[3][i]);
      const float dj = clip_distance(draw, plane, in[0][j], in[1][j], in[2][j], in[3][j]);
      if (di >= 0) {
        for (int c = 0; c < 4; ++c) out[c][kept] = in[c][i];
        ++kept;
      }
      if ((di >= 0) != (dj >= 0)) {
        const int a = di >= 0 ? i : j, b = di >= 0 ? j : i;
        const double da = di >= 0 ? di : dj, db = di >= 0 ? dj : di;
        const double t = da / (da - db);
        for (int c = 0; c < 4; ++c) {
          out[c][kept] = float(double(in[c][a]) + (double(in[c][b]) - double(in[c][a])) * t);
        }
        ++kept;
      }
    }
    w.sync();
    corners = kept;
    list = 1 - list;
    if (corners < 3) return 0;
  }
  return corners;
}

BROKKR_MACHINE_END
