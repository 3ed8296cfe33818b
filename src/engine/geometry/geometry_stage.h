// The geometry stage: a warp takes a batch from vertex fetch to triangle records.
#pragma once

#include <concepts>

#include "geometry/counters.h"
#include "geometry/reuse.h"
#include "geometry/setup.h"

// Homogeneous clipping of one triangle (Sutherland-Hodgman against near, far and the guard band).
//
// New corners are computed from the inside end of an edge to its outside end. Two triangles that share the edge
// therefore get the same corner, whichever way they go along it.

BROKKR_MACHINE_BEGIN

// Scratch memory of one warp; a corner list has room for a whole warp to load from any of its corners.
struct ClipScratch {
  float corner[2][4][kMaxClippedCorners + 3 + kWidth];  // list, component, corner
};

// Clips the triangle whose corners are in scratch list 0. Returns the number of remaining corners (0, or 3 to 9), which
// are in list `list`.
BROKKR_FN_NOINLINE int clip_triangle(Warp& w, const DrawRecord& draw_of_run, ClipScratch& storage, int& list) {
  const DrawRecord& draw = *TablePointer<const DrawRecord>(&draw_of_run);
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

// Packs set-up triangles into blocks of the triangle store, in submission order.

BROKKR_MACHINE_BEGIN

// The target and layer of a run's triangles.
struct DrawTarget {
  uint32_t target = 0, layer = 0;
};

// The source and destination of blocks. `take_block` returns the number of a free block, and `distribute` accepts a
// finished block. `draw_small` may draw triangles immediately, so that they need no block, and returns their lanes.
template <class T>
concept BlockDistributor = requires(T distributor, Warp& w, uint32_t block, const DrawRecord& draw,
                                    const DrawTarget& place, const Setup& setup) {
  { distributor.take_block(w) } -> std::same_as<uint32_t>;
  distributor.distribute(w, block);
  { distributor.draw_small(w, draw, place, setup) } -> std::same_as<Mask>;
};

// Every triangle leaves geometry through this class: emit() fills a block, close() distributes it. Triangles that
// draw_small() draws need no block.
//
// There are two distributors. The pipeline's distributor sends a block to the rasterizers whose bins it touches
// (bin/distribute.h). The distributor of inspect/sample_kernel.cpp reads the block's triangles itself. The distributor
// is therefore a parameter, and geometry needs no knowledge of bins. We considered two other designs. If the writer
// returned full blocks to a caller that distributes them, it would have to stop in the middle of a batch, or even of a
// clipped triangle, and continue there later: state that is in registers would be saved around each block. A pointer to
// a function would hide the call from the compiler.
template <BlockDistributor Distributor>
class BlockWriter {
 public:
  // `run`: the run of the next triangles. A block holds triangles of one run, so call close() before the run changes.
  BROKKR_FN BlockWriter(TriangleBlock* blocks, Distributor& distributor, const Run& run, uint32_t task)
      : blocks_(blocks), distributor_(&distributor), run_(run), task_(task) {}

  // Call before emit. Removes the triangles that are drawn immediately from setup.valid.
  BROKKR_FN void draw_small(Warp& w, Setup& setup) {
    const Mask drawn = distributor_->draw_small(w, *run_.draw, {run_.target, run_.layer}, setup);
    records_ += uint32_t(w.count(drawn));
    setup.valid = setup.valid && !drawn;
  }

  BROKKR_FN void emit(Warp& w, const Setup& setup, Mask m) {
    uint32_t bits = w.ballot(m && setup.valid);
    while (bits != 0) {
      if (!open_) open(w);
      uint32_t rest = 0;
      if (count_ + count_bits(bits) > kBlockRecords) {
        rest = bits;
        for (int i = count_; i < kBlockRecords; ++i) rest &= rest - 1;
      }
      const uint32_t now = bits ^ rest;
      TriangleBlock& block = blocks_[block_];
      if (Warp::takes_turns && count_bits(now) == w.width) {
        for (int f = 0; f < kRecordFields; ++f) w.store(block.field[f] + count_, setup.field[f]);
      } else {
        const Mask store = w.lanes_of(now);
        for (int f = 0; f < kRecordFields; ++f) w.compress_store(block.field[f] + count_, setup.field[f], store);
      }
      count_ += count_bits(now);
      if (count_ == kBlockRecords) close(w);
      bits = rest;
    }
  }

  BROKKR_FN void close(Warp& w) {
    if (!open_) return;
    TriangleBlock& block = blocks_[block_];
    w.once([&] { block.count = uint32_t(count_); });
    w.sync();
    distributor_->distribute(w, block_);
    records_ += uint32_t(count_);
    open_ = false;
    count_ = 0;
  }

  // The number of triangles so far.
  BROKKR_FN uint32_t records() const { return records_; }

 private:
  BROKKR_FN void open(Warp& w) {
    block_ = distributor_->take_block(w);
    open_ = true;
    count_ = 0;
    TriangleBlock& block = blocks_[block_];
    w.once([&] {
      block.run = run_.number;
      block.draw = run_.draw_number;
      block.target = run_.target;
      block.layer = run_.layer;
      block.phase = run_.draw->phase;
      block.task = task_;
      block.sequence = sequence_;
      block.z_min = run_.draw->z_min;
      block.z_max = run_.draw->z_max;
      block.top_edges = run_.draw->bits & kDrawTopEdges ? 1 : 0;
    });
    ++sequence_;
  }

  TablePointer<TriangleBlock> blocks_;
  Distributor* distributor_;
  const Run& run_;
  uint32_t task_, block_ = 0, sequence_ = 0, records_ = 0;
  int count_ = 0;
  bool open_ = false;
};

BROKKR_MACHINE_END

BROKKR_MACHINE_BEGIN

struct GeometryScratch {
  ClipScratch clip;
  union {
    ReuseScratch reuse;
    CornerScratch corners;
    PlannedScratch planned;
  };
  union {  // neither is used after its function: find_sub_batch, distribute
    ReuseTable table;
    uint32_t near_masks[kNearMasks];  // DistributionScratch::mask
  };
};

// The vertex programs of a pass. Kernels without vertex programs have no room for them: the pass lies on a thread's
// stack.
template <class Programs>
class PassPrograms {
 public:
  BROKKR_FN explicit PassPrograms(Programs& programs) : programs_(&programs) {}
  BROKKR_FN Programs& programs() const { return *programs_; }

 private:
  Programs* programs_;
};
template <>
class PassPrograms<NoVertexPrograms> {
 public:
  BROKKR_FN explicit PassPrograms(const NoVertexPrograms&) {}
  BROKKR_FN NoVertexPrograms programs() const { return {}; }
};

// One task of geometry and the state of its warp. A triangle takes this path: process_batches (or process_planned)
// shades its corners; emit_triangles culls it, and sets it up or has it clipped; the writer's emit and close pass it to
// `Distributor` in a block with others. `Programs` shades the vertices of draws with vertex programs
// (geometry/vertex.h).
template <BlockDistributor Distributor, class Programs = NoVertexPrograms>
struct GeometryPass : PassPrograms<Programs> {
  const FrameTables& frame;
  // vertex reuse in draws that transform their vertices, in draws with vertex programs, or in all draws
  bool reuse_transforms, reuse_programs, reuse_all;
  GeometryScratch& scratch;
  Run& run;  // the run that the warp opened last; kept between tasks, because opening one takes three dependent reads
  Counters& counters;
  BlockWriter<Distributor>& writer;

  BROKKR_FN bool reuses(const DrawRecord& draw) const {
    return (kKernelFeatures & kFeatureReuse) && (reuse_all || (reuse_transforms && (draw.bits & kDrawTransform)) ||
                                                 (reuse_programs && this->programs().shades(draw)));
  }
};

// Clips the triangle of lane `lane` and emits the remaining parts.
template <BlockDistributor Distributor, class Programs>
BROKKR_FN_NOINLINE void emit_clipped(Warp& w, const GeometryPass<Distributor, Programs>& pass,
                                     const DrawRecord& draw_of_run, const Triangle& tri, int lane, uint32_t primitive) {
  const DrawRecord& draw = *TablePointer<const DrawRecord>(&draw_of_run);
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
      const int index = g + i;
      piece.corner[i] = {w.load(left[0] + index, m), w.load(left[1] + index, m), w.load(left[2] + index, m),
                         w.load(left[3] + index, m)};
    }
    for (const ClipVertex& corner : piece.corner) m = m && corner.w > 0.0f;
    Setup setup;
    set_up(w, draw, piece, primitive, m, setup);
    pass.writer.emit(w, setup, setup.valid);
  }
  w.sync();
}

// Culls, clips, sets up and emits the triangles of m; primitive ids increase with the lanes.
template <BlockDistributor Distributor, class Programs>
BROKKR_FN void emit_triangles(Warp& w, const GeometryPass<Distributor, Programs>& pass, const DrawRecord& draw,
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
  // Records keep submission order, so the triangles before a clipped one are emitted first.
  for (Mask pending = setup.valid;; clip_bits &= clip_bits - 1) {
    const int lane = clip_bits != 0 ? lowest_bit(clip_bits) : w.width;
    writer.emit(w, setup, pending && w.first_lanes(lane));
    if (clip_bits == 0) return;
    pending = pending && !w.first_lanes(lane);
    emit_clipped(w, pass, draw, corners, lane, w.broadcast(primitive, lane));
  }
}

// Sets the run of the following triangles.
template <BlockDistributor Distributor, class Programs>
BROKKR_FN void switch_run(Warp& w, const GeometryPass<Distributor, Programs>& pass, uint32_t number) {
  if (number == pass.run.number) return;
  pass.writer.close(w);
  w.sync();  // nothing reads the old one any more
  w.once([&] { open_run(pass.frame, number, pass.run); });
}

// Ends a task of this many batches.
template <BlockDistributor Distributor, class Programs>
BROKKR_FN void finish(Warp& w, const GeometryPass<Distributor, Programs>& pass, uint32_t batches, uint64_t triangles,
                      uint64_t vertex_runs) {
  pass.writer.close(w);
  pass.counters.add(w, Counter::batches, batches);
  pass.counters.add(w, Counter::triangles_in, triangles);
  pass.counters.add(w, Counter::vertex_shader_runs, vertex_runs);
  pass.counters.add(w, Counter::triangles_out, pass.writer.records());
}

// find_and_shade for a draw whose vertex program the geometry stage runs.
template <BlockDistributor Distributor, class Programs>
BROKKR_FN_NOINLINE SubBatch run_sub_batch(Warp& w, const GeometryPass<Distributor, Programs>& pass, int begin,
                                          int count) {
  GeometryScratch& scratch = *in_shared_memory(&pass.scratch);
  ReuseScratch& reuse = scratch.reuse;
  const SubBatch batch = find_sub_batch(w, begin, count, reuse, scratch.table);
  pass.programs().shade(w, pass.run, reuse.unique, batch.unique, [&](int g, const ClipVertex& position, Mask m) {
    store_vertex(w, reuse.position, g, position, m);
  });
  w.sync();
  return batch;
}
// The same for all other draws.
BROKKR_FN_NOINLINE SubBatch shade_sub_batch(Warp& w, const FrameTables& frame, const Run& run, int begin, int count,
                                            GeometryScratch& of_warp) {
  GeometryScratch& scratch = *in_shared_memory(&of_warp);
  ReuseScratch& reuse = scratch.reuse;
  const SubBatch batch = find_sub_batch(w, begin, count, reuse, scratch.table);
  for (int g = 0; g < batch.unique; g += w.width) {
    const Mask m = w.first_lanes(batch.unique - g);
    store_vertex(w, reuse.position, g, shade_vertex(w, frame, run, as_int(w.load(reuse.unique + g, m)), m), m);
  }
  w.sync();
  return batch;
}

// Finds the next sub-batch (find_sub_batch) and shades its vertices, so `unique` is the number of vertex shader runs.
template <BlockDistributor Distributor, class Programs>
BROKKR_FN SubBatch find_and_shade(Warp& w, const GeometryPass<Distributor, Programs>& pass, int begin, int count) {
  if constexpr (Programs::kRuns) {
    if (pass.programs().shades(*pass.run.draw)) return run_sub_batch(w, pass, begin, count);
  }
  return shade_sub_batch(w, pass.frame, pass.run, begin, count, pass.scratch);
}

// Runs batches first .. end - 1.
template <BlockDistributor Distributor, class Programs>
BROKKR_FN void process_batches(Warp& w, const GeometryPass<Distributor, Programs>& pass, uint32_t first, uint32_t end) {
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
    const bool reuse = pass.reuses(draw);
    const bool shades_corners = pass.programs().shades(draw) && !reuse;
    triangles += uint32_t(count);
    const int after = left - count;
    if (after > 0 && !pass.programs().shades(draw)) {
      prefetch_triangles(w, frame, run, t0 + count, after < int(kBatchTriangles) ? after : int(kBatchTriangles));
    }
    if (reuse) collect_corners(w, frame, run, t0, count, scratch.vertex);
    if (shades_corners) {
      collect_corners(w, frame, run, t0, count, pass.scratch.corners.vertex);
      shade_corners(w, pass.programs(), run, count, pass.scratch.corners);
    }
    for (int begin = 0; begin < count;) {
      int stop = count;
      if (reuse) {
        const SubBatch part = find_and_shade(w, pass, begin, count);
        stop = begin + part.triangles;
        vertex_runs += uint32_t(part.unique);
      } else {
        vertex_runs += uint32_t(3 * count);
      }
      for (int g = begin; g < stop; g += w.width) {
        const Mask m = w.first_lanes(stop - g);
        const Int numbers = w.lane() + g;
        Triangle tri;
        if (reuse) {
          for (int c = 0; c < 3; ++c) tri.corner[c] = reuse_vertex(w, scratch, numbers, c, m);
        } else if (shades_corners) {
          for (int c = 0; c < 3; ++c)
            tri.corner[c] = gather_vertex(w, pass.scratch.corners.position, numbers * 3 + c, m);
        } else {
          Int vertex[3];
          assemble(w, frame, draw, numbers + t0, m, vertex);
          for (int c = 0; c < 3; ++c) tri.corner[c] = shade_vertex(w, frame, run, vertex[c], m);
        }
        emit_triangles(w, pass, draw, tri, as_uint(numbers) + first_primitive, m);
      }
      begin = stop;
    }
  }
  finish(w, pass, end - first, triangles, vertex_runs);
}

// Runs planned batches first .. end - 1.
template <BlockDistributor Distributor, class Programs>
BROKKR_FN_NOINLINE void process_planned(Warp& w, const GeometryPass<Distributor, Programs>& pass, uint32_t first,
                                        uint32_t end) {
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
      shade_chunk(w, frame, pass.programs(), run, chunk, scratch);
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
