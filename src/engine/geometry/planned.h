// Vertex reuse by a plan: the host has formed the batches (plan/reuse_plan.cpp), and a chunk's vertices are only shaded
// into their slots.
#pragma once

#include "geometry/vertex.h"

BROKKR_MACHINE_BEGIN

struct PlannedScratch {
  PositionTable<kReuseSlotCount> position;
};

BROKKR_FN void shade_chunk(Warp& w, const FrameTables& frame, const Run& run, const ReuseChunk& chunk,
                           PlannedScratch& scratch) {
  for (int g = 0; g < int(chunk.runs); g += w.width) {
    const Mask m = w.first_lanes(int(chunk.runs) - g);
    const Uint vertex = w.load(frame.shade_vertex + chunk.first_run + g, m);
    const Int slot = as_int(w.load(frame.shade_slot + chunk.first_run + g, m));
    scatter_vertex(w, scratch.position, slot, shade_vertex(w, frame, run, as_int(vertex), m), m);
  }
  w.sync();
}

// Triangles g, g + 1, ... of the chunk, one per lane.
BROKKR_FN Triangle planned_triangle(Warp& w, const FrameTables& frame, const ReuseChunk& chunk, int g, Mask m,
                                    const PlannedScratch& scratch) {
  const Uint slots = w.load(frame.chunk_corners + chunk.first_corner + g, m);
  Triangle tri;
  for (int i = 0; i < 3; ++i) {
    tri.corner[i] = gather_vertex(w, scratch.position, as_int((slots >> (8 * i)) & 255), m);
  }
  return tri;
}

// The planned batch that each primitive of m belongs to.
BROKKR_FN Uint planned_batch_of(Warp& w, const FrameTables& frame, Uint primitive, Mask m) {
  static_assert(sizeof(PlannedBatch) == 16);
  const uint32_t* first = &frame.planned[0].first_primitive;
  Int low = 0, high = int(frame.batches);  // the result lies in low .. high - 1
  while (w.any(m && high - low > 1)) {
    const Int middle = (low + high) >> 1;
    const Mask before = w.gather(first, middle * 4, m) <= primitive;
    low = select(before, middle, low);
    high = select(before, high, middle);
  }
  return as_uint(low);
}

BROKKR_MACHINE_END
