// Vertex reuse by a plan: batches that the host has found (pipeline/reuse_plan.cpp). Here, a chunk's vertices are only
// shaded into their slots.
#pragma once

#include "geometry/vertex.h"

BROKKR_MACHINE_BEGIN

struct PlannedScratch {
  float position[4][kReuseSlotCount + kWidth];
};

BROKKR_FN void shade_chunk(Warp& w, const FrameTables& frame, const Run& run, const ReuseChunk& chunk,
                           PlannedScratch& scratch) {
  for (int g = 0; g < int(chunk.runs); g += w.width) {
    const Mask m = w.first_lanes(int(chunk.runs) - g);
    const Uint vertex = w.load(frame.shade_vertex + chunk.first_run + g, m);
    const Int slot = as_int(w.load(frame.shade_slot + chunk.first_run + g, m));
    const ClipVertex v = shade_vertex(w, frame, run, as_int(vertex), m);
    w.scatter(scratch.position[0], slot, v.x, m);
    w.scatter(scratch.position[1], slot, v.y, m);
    w.scatter(scratch.position[2], slot, v.z, m);
    w.scatter(scratch.position[3], slot, v.w, m);
  }
  w.sync();
}

// Triangles g, g + 1, ... of the chunk.
BROKKR_FN void planned_triangle(Warp& w, const FrameTables& frame, const ReuseChunk& chunk, int g, Mask m,
                                const PlannedScratch& scratch, ClipVertex (&v)[3]) {
  const Uint corners = w.load(frame.chunk_corners + chunk.first_corner + g, m);
  for (int c = 0; c < 3; ++c) {
    const Int slot = as_int((corners >> (8 * c)) & 255);
    v[c].x = w.gather(scratch.position[0], slot, m);
    v[c].y = w.gather(scratch.position[1], slot, m);
    v[c].z = w.gather(scratch.position[2], slot, m);
    v[c].w = w.gather(scratch.position[3], slot, m);
  }
}

// The planned batch that each primitive of m belongs to.
BROKKR_FN Uint planned_batch_of(Warp& w, const FrameTables& frame, Uint primitive, Mask m) {
  static_assert(sizeof(PlannedBatch) == 16);
  const uint32_t* first = &frame.planned[0].first_primitive;
  Int low(0), high(int(frame.batches));  // the answer lies in low .. high - 1
  while (w.any(m && high - low > 1)) {
    const Int middle = (low + high) >> 1;
    const Mask before = w.gather(first, middle * 4, m) <= primitive;
    low = select(before, middle, low);
    high = select(before, high, middle);
  }
  return as_uint(low);
}

BROKKR_MACHINE_END
