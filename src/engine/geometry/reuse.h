// Warp-local vertex reuse: the distinct vertices of a batch are found in a small hash table and shaded once.
//
// A sub-batch is a sequence of consecutive triangles with at most 32 distinct vertices ([Kerbl18, 6.1]: 32 unique
// vertices, 96 indices). A batch of 32 triangles with more is cut before the 33rd.
#pragma once

#include "geometry/constants.h"
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

// The hash table that finds equal corners. It is not used after shade_sub_batch.
struct ReuseTable {
  uint32_t key[kReuseSlots];    // vertex number in this slot
  uint32_t first[kReuseSlots];  // first corner that uses it
};

// Collects the corners of triangles first .. first + count - 1 of the run.
BROKKR_FN void collect_corners(Warp& w, const FrameTables& frame, const Run& run, int first, int count,
                               ReuseScratch& scratch) {
  for (int g = 0; g < count; g += w.width) {
    const Mask m = w.first_lanes(count - g);
    Int vertex[3];
    assemble(w, frame, *run.draw, w.lane() + (first + g), m, vertex);
    for (int c = 0; c < 3; ++c) w.scatter(scratch.vertex, (w.lane() + g) * 3 + c, as_uint(vertex[c]), m);
  }
  w.sync();
}

// Finds how many of the triangles from `begin` (within the batch of `count`) form the next sub-batch, and shades its
// vertices. Returns that number; `unique` receives the number of vertex shader runs.
BROKKR_FN_NOINLINE int shade_sub_batch(Warp& w, const FrameTables& frame, const Run& run, int begin, int count,
                                       ReuseScratch& storage, ReuseTable& of_corners, int& unique) {
  ReuseScratch& scratch = *in_shared_memory(&storage);
  ReuseTable& table = *in_shared_memory(&of_corners);
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
      // if several lanes have the same slot, one writes and the others look again
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
  unique = int(scratch.seen[(begin + triangles) * 3 - 1]);
  for (int g = 0; g < unique; g += w.width) {
    const Mask m = w.first_lanes(unique - g);
    const ClipVertex position = shade_vertex(w, frame, run, as_int(w.load(scratch.unique + g, m)), m);
    w.store(scratch.position[0] + g, position.x, m);
    w.store(scratch.position[1] + g, position.y, m);
    w.store(scratch.position[2] + g, position.z, m);
    w.store(scratch.position[3] + g, position.w, m);
  }
  w.sync();
  return triangles;
}

// Corner c of a triangle (numbered within the batch), for triangles of the sub-batch just shaded.
BROKKR_FN ClipVertex reuse_vertex(Warp& w, const ReuseScratch& scratch, Int triangle, int c, Mask m) {
  const Uint slot = w.gather(scratch.slot, triangle * 3 + c, m);
  return gather_vertex(w, scratch.position, as_int(w.gather(scratch.number, as_int(slot), m)), m);
}

BROKKR_MACHINE_END
