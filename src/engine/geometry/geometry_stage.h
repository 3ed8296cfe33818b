// The geometry stage: a warp takes a batch from vertex fetch to triangle records.
#pragma once

#include "geometry/block_writer.h"
#include "geometry/clip.h"
#include "geometry/counters.h"
#include "geometry/planned.h"
#include "geometry/reuse.h"

BROKKR_MACHINE_BEGIN

struct GeometryScratch {
  ClipScratch clip;
  union {
    ReuseScratch reuse;
    PlannedScratch planned;
  };
  union {  // neither outlives its function: shade_sub_batch, distribute
    ReuseTable table;
    uint32_t near_masks[kNearMasks];  // DistributionScratch::mask
  };
};

// One task of geometry, as its warp works on it. The way of a triangle: process_batches (or process_planned) shades its
// corners, emit_triangles culls it, sets it up or has it clipped, and the writer's emit and close hand it, in a block
// of others, to `Distributor` (geometry/block_writer.h).
template <BlockDistributor Distributor>
struct GeometryPass {
  const FrameTables& frame;
  bool reuse_transforms, reuse_all;  // vertex reuse in draws that transform their vertices, or in all draws
  GeometryScratch& scratch;
  Run& run;  // the run that the warp opened last; kept between tasks, because opening one takes three dependent reads
  Counters& counters;
  BlockWriter<Distributor>& writer;
};

// Clips the triangle of lane `lane` and emits the remaining parts.
template <BlockDistributor Distributor>
BROKKR_FN_NOINLINE void emit_clipped(Warp& w, const GeometryPass<Distributor>& pass, const DrawRecord& of_run,
                                     const Triangle& tri, int lane, uint32_t primitive) {
  const DrawRecord& draw = *TablePointer<const DrawRecord>(&of_run);
  GeometryScratch& scratch = *in_shared_memory(&pass.scratch);
  auto& start = scratch.clip.corner[0];
  for (int i = 0; i < 3; ++i) {
    start[0][i] = w.broadcast(tri.corner[i].x, lane);
    start[1][i] = w.broadcast(tri.corner[i].y, lane);
    start[2][i] = w.broadcast(tri.corner[i].z, lane);
    start[3][i] = w.broadcast(tri.corner[i].w, lane);
  }
  w.sync();
  int list = 0;
  const int corners = clip_triangle(w, draw, scratch.clip, list);
  const auto& left = scratch.clip.corner[list];
  for (int g = 0; g + 2 < corners; g += w.width) {
    Mask m = w.first_lanes(corners - 2 - g);
    Triangle piece;
    piece.corner[0] = {left[0][0], left[1][0], left[2][0], left[3][0]};
    for (int i = 1; i < 3; ++i) {
      const int at = g + i;
      piece.corner[i] = {w.load(left[0] + at, m), w.load(left[1] + at, m), w.load(left[2] + at, m),
                         w.load(left[3] + at, m)};
    }
    for (const ClipVertex& corner : piece.corner) m = m && corner.w > 0.0f;
    Setup setup;
    set_up(w, draw, piece, primitive, m, setup);
    pass.writer.emit(w, setup, setup.valid);
  }
  w.sync();
}

// Culls, clips, sets up and emits the triangles of m; primitive ids increase with the lanes.
template <BlockDistributor Distributor>
BROKKR_FN void emit_triangles(Warp& w, const GeometryPass<Distributor>& pass, const DrawRecord& draw,
                              const Triangle& tri, Uint primitive, Mask m) {
  Counters& counters = pass.counters;
  BlockWriter<Distributor>& writer = pass.writer;
  const int submitted = w.count(m);
  m = m && !outside_view(draw, tri);
  if (!w.any(m)) {
    counters.add(w, Counter::triangles_culled, uint64_t(submitted));
    return;
  }
  const Mask clip = m && needs_clipping(w, draw, tri, m);
  Setup setup;
  set_up(w, draw, tri, primitive, m && !clip, setup);
  uint32_t clip_bits = w.ballot(clip);
  counters.add(w, Counter::triangles_culled, uint64_t(submitted - w.count(setup.valid) - count_bits(clip_bits)));
  Triangle corners;  // emit_clipped reads these in memory, so `tri` can stay in registers
  if (clip_bits != 0) {
    corners = tri;
    counters.add(w, Counter::triangles_clipped, uint64_t(count_bits(clip_bits)));
  }
  writer.draw_small(w, setup);
  // Records keep submission order: the triangles before a clipped one are emitted first.
  for (Mask pending = setup.valid;; clip_bits &= clip_bits - 1) {
    const int lane = clip_bits != 0 ? lowest_bit(clip_bits) : w.width;
    writer.emit(w, setup, pending && w.first_lanes(lane));
    if (clip_bits == 0) return;
    pending = pending && !w.first_lanes(lane);
    emit_clipped(w, pass, draw, corners, lane, w.broadcast(primitive, lane));
  }
}

// Sets the run of the following triangles.
template <BlockDistributor Distributor>
BROKKR_FN void switch_run(Warp& w, const GeometryPass<Distributor>& pass, uint32_t number) {
  if (number == pass.run.number) return;
  pass.writer.close(w);
  w.sync();  // nothing reads the old one any more
  w.once([&] { open_run(pass.frame, number, pass.run); });
}

// Ends a task of this many batches.
template <BlockDistributor Distributor>
BROKKR_FN void finish(Warp& w, const GeometryPass<Distributor>& pass, uint32_t batches, uint64_t triangles,
                      uint64_t vertex_runs) {
  pass.writer.close(w);
  pass.counters.add(w, Counter::batches, batches);
  pass.counters.add(w, Counter::triangles_in, triangles);
  pass.counters.add(w, Counter::vertex_shader_runs, vertex_runs);
  pass.counters.add(w, Counter::triangles_out, pass.writer.records());
}

// Runs batches first .. end - 1.
template <BlockDistributor Distributor>
BROKKR_FN void process_batches(Warp& w, const GeometryPass<Distributor>& pass, uint32_t first, uint32_t end) {
  const FrameTables& frame = pass.frame;
  ReuseScratch& scratch = pass.scratch.reuse;
  const Run& run = pass.run;
  uint32_t triangles = 0, vertex_runs = 0;  // in one task
  for (uint32_t batch = first; batch < end; ++batch) {
    switch_run(w, pass, frame.batch_run[batch]);
    const DrawRecord& draw = *run.draw;
    const int t0 = int((batch - run.first_batch) * kBatchTriangles);
    const int left = int(draw.triangle_count) - t0;
    const int count = left < int(kBatchTriangles) ? left : int(kBatchTriangles);
    const uint32_t first_primitive = batch * kBatchTriangles;
    const bool reuse = (kKernelFeatures & kFeatureReuse) &&
                       (pass.reuse_all || (pass.reuse_transforms && (draw.bits & kDrawTransform)));
    triangles += uint32_t(count);
    const int after = left - count;
    if (after > 0) {
      prefetch_triangles(w, frame, run, t0 + count, after < int(kBatchTriangles) ? after : int(kBatchTriangles));
    }
    if (reuse) collect_corners(w, frame, run, t0, count, scratch);
    for (int begin = 0; begin < count;) {
      int stop = count;
      if (reuse) {
        int unique = 0;
        stop = begin + shade_sub_batch(w, frame, run, begin, count, scratch, pass.scratch.table, unique);
        vertex_runs += uint32_t(unique);
      } else {
        vertex_runs += uint32_t(3 * count);
      }
      for (int g = begin; g < stop; g += w.width) {
        const Mask m = w.first_lanes(stop - g);
        const Int at = w.lane() + g;
        Triangle tri;
        if (reuse) {
          for (int c = 0; c < 3; ++c) tri.corner[c] = reuse_vertex(w, scratch, at, c, m);
        } else {
          Int vertex[3];
          assemble(w, frame, draw, at + t0, m, vertex);
          for (int c = 0; c < 3; ++c) tri.corner[c] = shade_vertex(w, frame, run, vertex[c], m);
        }
        emit_triangles(w, pass, draw, tri, as_uint(at) + first_primitive, m);
      }
      begin = stop;
    }
  }
  finish(w, pass, end - first, triangles, vertex_runs);
}

// Runs planned batches first .. end - 1.
template <BlockDistributor Distributor>
BROKKR_FN_NOINLINE void process_planned(Warp& w, const GeometryPass<Distributor>& pass, uint32_t first, uint32_t end) {
  const FrameTables& frame = pass.frame;
  PlannedScratch& scratch = pass.scratch.planned;
  const Run& run = pass.run;
  uint64_t triangles = 0, vertex_runs = 0;
  for (uint32_t batch = first; batch < end; ++batch) {
    const PlannedBatch& planned = frame.planned[batch];
    switch_run(w, pass, planned.run);
    uint32_t primitive = planned.first_primitive;
    for (uint32_t c = 0; c < planned.chunks; ++c) {
      const ReuseChunk& chunk = frame.chunks[planned.first_chunk + c];
      shade_chunk(w, frame, run, chunk, scratch);
      for (int g = 0; g < int(chunk.triangles); g += w.width) {
        const Mask m = w.first_lanes(int(chunk.triangles) - g);
        const Triangle tri = planned_triangle(w, frame, chunk, g, m, scratch);
        emit_triangles(w, pass, *run.draw, tri, as_uint(w.lane() + g) + primitive, m);
      }
      w.sync();  // slots may be reused
      primitive += chunk.triangles;
      vertex_runs += chunk.runs;
    }
    triangles += primitive - planned.first_primitive;
  }
  finish(w, pass, end - first, triangles, vertex_runs);
}

BROKKR_MACHINE_END
