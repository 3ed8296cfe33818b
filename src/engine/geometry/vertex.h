// Vertex fetch and vertex shading: from a vertex number of a run to a clip-space position.
#pragma once

#include <type_traits>

#include "base/sanitizers.h"
#include "frame/frame_tables.h"
#include "geometry/features.h"
#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

template <class T>
struct ClipVertexOf {
  T x, y, z, w;
};
using ClipVertex = ClipVertexOf<Float>;

struct Triangle {
  ClipVertex corner[3];
};

// Positions of vertices in a warp's scratch memory, component by component, with room for a whole warp after the last
// one.
template <int kVertices>
using PositionTable = float[4][kVertices + kWidth];

// Vertex number_i of a PositionTable.
template <int kRoom>
BROKKR_FN ClipVertex gather_vertex(Warp& w, const float (&memory)[4][kRoom], Int number, Mask m) {
  return {w.gather(memory[0], number, m), w.gather(memory[1], number, m), w.gather(memory[2], number, m),
          w.gather(memory[3], number, m)};
}
// Stores the vertices of m as numbers g, g + 1, ... of a PositionTable.
template <int kRoom>
BROKKR_FN void store_vertex(Warp& w, float (&memory)[4][kRoom], int g, const ClipVertex& position, Mask m) {
  w.store(memory[0] + g, position.x, m);
  w.store(memory[1] + g, position.y, m);
  w.store(memory[2] + g, position.z, m);
  w.store(memory[3] + g, position.w, m);
}
template <int kRoom>
BROKKR_FN void scatter_vertex(Warp& w, float (&memory)[4][kRoom], Int number, const ClipVertex& position, Mask m) {
  w.scatter(memory[0], number, position.x, m);
  w.scatter(memory[1], number, position.y, m);
  w.scatter(memory[2], number, position.z, m);
  w.scatter(memory[3], number, position.w, m);
}

// Values that all vertices and triangles of a run share.
struct Run {
  TablePointer<const DrawRecord> draw = nullptr;
  uint32_t number = kNoPrimitive;  // index into FrameTables::runs
  uint32_t draw_number = 0;        // index into FrameTables::draws
  uint32_t view = 0, instance = 0, first_batch = 0;
  uint32_t target = 0, layer = 0;  // of the view
  uint32_t first_vertex = 0;       // of this instance
  float clip[16] = {};             // object -> clip, kDrawTransform only
};

// clip = view_projection * model, column by column. All machines round in the same way.
BROKKR_FN void multiply_matrices(const float* a, const float* b, float* out) {
  for (int column = 0; column < 16; column += 4) {
    for (int row = 0; row < 4; ++row) {
      out[column + row] = ((a[row] * b[column] + a[4 + row] * b[column + 1]) + a[8 + row] * b[column + 2]) +
                          a[12 + row] * b[column + 3];
    }
  }
}

BROKKR_FN void open_run(const FrameTables& frame, uint32_t number, Run& run) {
  const RunRecord& record = frame.runs[number];
  const DrawRecord& draw = frame.draws[record.draw];
  run.draw = &draw;
  run.draw_number = record.draw;
  run.number = number;
  run.view = record.view;
  run.instance = record.instance;
  run.first_batch = record.first_batch;
  run.target = frame.views[record.view].target;
  run.layer = frame.views[record.view].layer;
  run.first_vertex = draw.first_vertex;
  if (draw.bits & kDrawTransform) {
    multiply_matrices(frame.views[record.view].view_projection,
                      frame.models + size_t(draw.first_instance + record.instance) * 16, run.clip);
  } else {
    run.first_vertex += record.instance * draw.vertex_count;
  }
}

// The three vertex numbers of a triangle in a run's instance, in submission order, with its winding.
BROKKR_FN void assemble(Warp& w, const FrameTables& frame, const DrawRecord& draw, Int triangle, Mask m,
                        Int (&vertex)[3]) {
  Int element[3];
  if (draw.assembly == Assembly::list) {
    element[0] = triangle * 3;
    element[1] = element[0] + 1;
    element[2] = element[0] + 2;
  } else if (draw.assembly == Assembly::strip) {
    const Int odd = triangle & 1;
    element[0] = triangle + odd;
    element[1] = triangle + 1 - odd;
    element[2] = triangle + 2;
  } else {
    element[0] = 0;
    element[1] = triangle + 1;
    element[2] = triangle + 2;
  }
  for (int i = 0; i < 3; ++i) {
    vertex[i] =
        draw.bits & kDrawIndexed ? as_int(w.gather(frame.indices + draw.first_index, element[i], m)) : element[i];
  }
}

// Does the same for one triangle of the whole warp.
BROKKR_FN void assemble_one(const FrameTables& frame, const DrawRecord& draw, uint32_t triangle,
                            uint32_t (&vertex)[3]) {
  triangle_elements(draw.assembly, triangle, vertex);
  if (!(draw.bits & kDrawIndexed)) return;
  for (uint32_t& number : vertex) number = frame.indices[draw.first_index + number];
}

// Prefetches data of an indexed list's triangles first .. first + count - 1: their positions or, on a warp that holds a
// whole batch, their indices. When the warp reaches that batch, it waits only for its vertices. Nothing is kept in
// registers until then, because it would be spilled, and a spill waits for the loaded data.
BROKKR_FN void prefetch_triangles(Warp& w, const FrameTables& frame, const Run& run, int first, int count) {
  const DrawRecord& draw = *run.draw;
  if (!(draw.bits & kDrawIndexed) || draw.assembly != Assembly::list) return;
  const uint32_t* index = frame.indices + draw.first_index + size_t(first) * 3;
  if constexpr (kWidth >= int(kBatchTriangles)) {
    w.for_lanes(w.first_lanes(count), [&](int i) { prefetch_near(index + 3 * i); });
    return;
  }
  const float* positions = frame.positions + size_t(run.first_vertex) * 4;
  for (int i = 0; i < 3 * count; ++i) prefetch(positions + size_t(index[i]) * 4);
}

// The pipeline's vertex shader: captured positions are passed through, object-space positions are transformed.
// `position(c)` is component c of the vertex.
template <class T = Float, class Position>
BROKKR_FN ClipVertexOf<T> transform_vertex(const Run& run, Position&& position) {
  const T x = position(0), y = position(1), z = position(2);
  if (!(run.draw->bits & kDrawTransform)) return {x, y, z, position(3)};
  const auto row = [&](const float* clip) { return ((clip[0] * x + clip[4] * y) + clip[8] * z) + clip[12]; };
  return {row(run.clip), row(run.clip + 1), row(run.clip + 2), row(run.clip + 3)};
}

// Simulates a longer vertex shader: performs multiply-adds and returns the same vertex.
BROKKR_FN_NOINLINE Float work_on(Float x, uint32_t multiply_adds) {
  Float a = clamp_to(x, -1.0f, 1.0f);
  for (uint32_t i = 0; i < multiply_adds; ++i) a = a * 0.999f + 0.001f;
  return select(a < -2.0f, a, x);  // a stays between -1 and 1, so this returns x; the compiler cannot know that
}

// Takes the place of vertex programs where the geometry stage runs none. A pass with programs has a class with the same
// members (pipeline/vertex_programs.h):
//   kRuns                                           whether it runs programs at all
//   shades(draw)                                    whether it shades the draw's vertices
//   shade(w, run, numbers, count, place)            shades vertices numbers[0 .. count - 1] of the run's instance, and
//                                                   calls place(g, position, m) for each vector of them
struct NoVertexPrograms {
  static constexpr bool kRuns = false;
  BROKKR_FN bool shades(const DrawRecord&) const { return false; }
  template <class Place>
  BROKKR_FN void shade(Warp&, const Run&, const uint32_t*, int, Place) {}
};

// Reads a word of positions or varyings. While vertex programs run in the geometry stage, warps that share a vertex
// write the same bits to its words, at any time. A CPU reads an aligned word as a whole, so the value is right; only a
// thread sanitizer must know that the word is shared. The memory model of CUDA demands an atomic read.
template <class T>
BROKKR_FN T vertex_word(const T* p) {
#if BROKKR_THREAD_SANITIZER
  T value;
  __atomic_load(p, &value, __ATOMIC_RELAXED);
  return value;
#elif defined(__CUDACC__)
  if constexpr ((kKernelFeatures & kFeatureVertexPrograms) != 0) {
    auto& word = *reinterpret_cast<uint32_t*>(const_cast<T*>(p));
    const uint32_t bits = device_atomic<uint32_t>(word).load(kRelaxed);
    if constexpr (std::is_same_v<T, float>)
      return __uint_as_float(bits);
    else
      return bits;
  } else {
    return *p;
  }
#else
  return *p;
#endif
}

BROKKR_FN ClipVertex shade_vertex(Warp& w, const FrameTables& frame, const Run& run, Int vertex, Mask m) {
  const float* base = frame.positions + size_t(run.first_vertex) * 4;
  ClipVertex position = transform_vertex(run, [&](int c) { return w.gather(base + c, vertex * 4, m); });
  if ((kKernelFeatures & kFeatureReuse) && frame.vertex_work != 0) position.x = work_on(position.x, frame.vertex_work);
  return position;
}

BROKKR_MACHINE_END
