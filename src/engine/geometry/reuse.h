// Warp-local vertex reuse: a small hash table finds the distinct vertices of a batch, and each is shaded once.
//
// A sub-batch is a sequence of consecutive triangles with at most 32 distinct vertices ([Kerbl18, 6.1]: 32 unique
// vertices, 96 indices). If a batch of 32 triangles has more distinct vertices, it is cut before the 33rd.
#pragma once

#include <type_traits>

#include "geometry/triangle_store.h"
#include "geometry/vertex.h"

BROKKR_MACHINE_BEGIN

BROKKR_CONSTANT int kBatchCorners = 3 * int(kBatchTriangles);
BROKKR_CONSTANT uint32_t kEmptySlot = 0xffffffffu;

struct ReuseScratch {
  uint32_t vertex[kBatchCorners + kWidth];  // vertex number of corner 3 t + c
  uint32_t slot[kBatchCorners + kWidth];    // hash slot of that corner
  uint32_t seen[kBatchCorners + kWidth];    // distinct vertices up to and including that corner
  uint32_t number[kReuseSlots];             // number of the vertex in its sub-batch
  uint32_t unique[kMaxUnique + kWidth];     // vertex numbers of the sub-batch
  PositionTable<kMaxUnique> position;       // shaded
};

// Corners of a batch that a vertex program shades one by one.
struct CornerScratch {
  uint32_t vertex[kBatchCorners + kWidth];  // vertex number of corner 3 t + c
  PositionTable<kBatchCorners> position;    // shaded
};

// The hash table that finds equal corners. It is not used after find_sub_batch.
struct ReuseTable {
  uint32_t key[kReuseSlots];    // vertex number in this slot
  uint32_t first[kReuseSlots];  // first corner that uses it
};

// Collects the corners of triangles first .. first + count - 1 of the run.
BROKKR_FN void collect_corners(Warp& w, const FrameTables& frame, const Run& run, int first, int count,
                               uint32_t (&numbers)[kBatchCorners + kWidth]) {
  for (int g = 0; g < count; g += w.width) {
    const Mask m = w.first_lanes(count - g);
    Int vertex[3];
    assemble(w, frame, *run.draw, w.lane() + (first + g), m, vertex);
    for (int c = 0; c < 3; ++c) w.scatter(numbers, (w.lane() + g) * 3 + c, as_uint(vertex[c]), m);
  }
  w.sync();
}

// Shades the collected corners of `count` triangles with their vertex program.
template <class Programs>
BROKKR_FN void shade_corners(Warp& w, Programs&& programs, const Run& run, int count, CornerScratch& scratch) {
  programs.shade(w, run, scratch.vertex, 3 * count,
                 [&](int g, const ClipVertex& position, Mask m) { store_vertex(w, scratch.position, g, position, m); });
  w.sync();
}

// The number of triangles in a sub-batch, and of their distinct vertices.
struct SubBatch {
  int triangles, unique;
};

// Finds the next sub-batch, which starts at triangle `begin` of a batch of `count` triangles, and its distinct
// vertices.
BROKKR_FN SubBatch find_sub_batch(Warp& w, int begin, int count, ReuseScratch& scratch, ReuseTable& table) {
  for (int g = 0; g < kReuseSlots; g += w.width) {
    w.store(table.key + g, kEmptySlot);
    w.store(table.first + g, kEmptySlot);
  }
  w.sync();
  const int first_corner = begin * 3, end_corner = count * 3;
  for (int g = first_corner; g < end_corner; g += w.width) {
    const Mask m = w.first_lanes(end_corner - g);
    const Uint vertex = w.load(scratch.vertex + g, m);
    Uint slot = hash_lanes(vertex) & (kReuseSlots - 1);
    Mask todo = m;
    while (w.any(todo)) {
      const Mask empty = todo && w.gather(table.key, as_int(slot), todo) == kEmptySlot;
      w.sync();
      // If several lanes have the same slot, one writes and the others look again.
      w.scatter(table.key, as_int(slot), vertex, empty);
      w.sync();
      const Mask found = todo && w.gather(table.key, as_int(slot), todo) == vertex;
      todo = todo && !found;
      slot = select(todo, (slot + 1) & (kReuseSlots - 1), slot);
    }
    w.store(scratch.slot + g, slot, m);
    w.scatter_min(table.first, as_int(slot), as_uint(w.lane() + g), m);
    w.sync();
  }
  // Numbers the vertices in the order of first use, and stops before the 33rd.
  uint32_t seen = 0;
  int triangles = 0;
  for (int g = first_corner; g < end_corner; g += w.width) {
    const Mask m = w.first_lanes(end_corner - g);
    const Uint slot = w.load(scratch.slot + g, m);
    const Uint corner = as_uint(w.lane() + g);
    const Mask is_first = m && w.gather(table.first, as_int(slot), m) == corner;
    const Uint running = w.inclusive_count(is_first) + seen;
    w.store(scratch.seen + g, running, m);
    const Mask fits = is_first && running <= kMaxUnique;
    w.scatter(scratch.number, as_int(slot), running - 1, fits);
    w.scatter(scratch.unique, as_int(running - 1), w.load(scratch.vertex + g, m), fits);
    seen += uint32_t(w.count(is_first));
  }
  w.sync();
  for (int g = begin; g < count; g += w.width) {
    const Mask m = w.first_lanes(count - g);
    const Uint upto = w.gather(scratch.seen, (w.lane() + g) * 3 + 2, m);
    triangles += w.count(m && upto <= kMaxUnique);
  }
  return {triangles, int(scratch.seen[(begin + triangles) * 3 - 1])};
}

// Corner c of a triangle, numbered within the batch. The triangle must be in the sub-batch that was shaded last.
BROKKR_FN ClipVertex reuse_vertex(Warp& w, const ReuseScratch& scratch, Int triangle, int c, Mask m) {
  const Uint slot = w.gather(scratch.slot, triangle * 3 + c, m);
  return gather_vertex(w, scratch.position, as_int(w.gather(scratch.number, as_int(slot), m)), m);
}

BROKKR_MACHINE_END

// Vertex reuse by a plan. The host has formed the batches (plan/reuse_plan.cpp), so a chunk's vertices are only shaded
// into their slots.

BROKKR_MACHINE_BEGIN

struct PlannedScratch {
  PositionTable<kReuseSlotCount> position;
};

template <class Programs>
BROKKR_FN void shade_chunk(Warp& w, const FrameTables& frame, Programs&& programs, const Run& run,
                           const ReuseChunk& chunk, PlannedScratch& scratch) {
  if constexpr (std::remove_reference_t<Programs>::kRuns) {
    if (programs.shades(*run.draw)) {
      programs.shade(w, run, frame.shade_vertex + chunk.first_run, chunk.runs,
                     [&](int g, const ClipVertex& position, Mask m) {
                       const Int slot = as_int(w.load(frame.shade_slot + chunk.first_run + g, m));
                       scatter_vertex(w, scratch.position, slot, position, m);
                     });
      w.sync();
      return;
    }
  }
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
