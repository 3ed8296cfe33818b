// Vertex fetch and vertex shading: from a vertex number of a run to a clip-space position.
#pragma once

#include "machine/machine.h"
#include "scene/frame_tables.h"

BROKKR_MACHINE_BEGIN

struct ClipVertex {
  Float x, y, z, w;
};

// Values that all vertices and triangles of a run share.
struct Run {
  const DrawRecord* draw = nullptr;
  uint32_t number = kNoPrimitive;  // into FrameTables::runs
  uint32_t draw_number = 0;        // into FrameTables::draws
  uint32_t view = 0, instance = 0, first_batch = 0;
  uint32_t first_vertex = 0;  // of this instance
  float clip[16] = {};        // object -> clip, kDrawTransform only
};

// clip = view_projection * model, column by column; every machine rounds alike.
BROKKR_FN void multiply_matrices(const float* a, const float* b, float* out) {
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) {
      out[c * 4 + r] =
          ((a[r] * b[c * 4] + a[4 + r] * b[c * 4 + 1]) + a[8 + r] * b[c * 4 + 2]) + a[12 + r] * b[c * 4 + 3];
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
  run.first_vertex = draw.first_vertex;
  if (draw.bits & kDrawTransform) {
    multiply_matrices(frame.views[record.view].view_projection,
                      frame.models + size_t(draw.first_instance + record.instance) * 16, run.clip);
  } else {
    run.first_vertex += record.instance * draw.vertex_count;
  }
}

// The three vertex numbers of triangle `t` of a run's instance, in submission order, winding kept.
BROKKR_FN void assemble(Warp& w, const FrameTables& frame, const DrawRecord& draw, Int t, Mask m, Int (&vertex)[3]) {
  Int element[3];
  if (draw.assembly == Assembly::list) {
    element[0] = t * 3;
    element[1] = element[0] + 1;
    element[2] = element[0] + 2;
  } else if (draw.assembly == Assembly::strip) {
    const Int odd = t & 1;
    element[0] = t + odd;
    element[1] = t + 1 - odd;
    element[2] = t + 2;
  } else {
    element[0] = Int(0);
    element[1] = t + 1;
    element[2] = t + 2;
  }
  for (int i = 0; i < 3; ++i) {
    vertex[i] =
        draw.bits & kDrawIndexed ? as_int(w.gather(frame.indices + draw.first_index, element[i], m)) : element[i];
  }
}

// The same for one triangle of the whole warp.
BROKKR_FN void assemble_one(const FrameTables& frame, const DrawRecord& draw, uint32_t t, uint32_t (&vertex)[3]) {
  const uint32_t odd = draw.assembly == Assembly::strip ? t & 1u : 0u;
  const uint32_t start = draw.assembly == Assembly::list ? 3 * t : t;
  vertex[0] = draw.assembly == Assembly::fan ? 0u : start + odd;
  vertex[1] = start + 1 - odd;
  vertex[2] = start + 2;
  if (!(draw.bits & kDrawIndexed)) return;
  for (uint32_t& v : vertex) v = frame.indices[draw.first_index + v];
}

// Prefetches the positions of an indexed list's triangles first .. first + count - 1.
BROKKR_FN void prefetch_triangles(const FrameTables& frame, const Run& run, int first, int count) {
  const DrawRecord& draw = *run.draw;
  if (!(draw.bits & kDrawIndexed) || draw.assembly != Assembly::list) return;
  const uint32_t* index = frame.indices + draw.first_index + size_t(first) * 3;
  const float* positions = frame.positions + size_t(run.first_vertex) * 4;
  for (int i = 0; i < 3 * count; ++i) prefetch(positions + size_t(index[i]) * 4);
}

// The vertex shader of this pipeline: captured positions pass unchanged, object-space positions are transformed.
// `position(c)` is component c of the vertex.
template <class Position>
BROKKR_FN ClipVertex transform_vertex(const Run& run, Position&& position) {
  ClipVertex p;
  p.x = position(0);
  p.y = position(1);
  p.z = position(2);
  if (run.draw->bits & kDrawTransform) {
    const float* c = run.clip;
    const Float x = p.x, y = p.y, z = p.z;
    p.x = ((c[0] * x + c[4] * y) + c[8] * z) + c[12];
    p.y = ((c[1] * x + c[5] * y) + c[9] * z) + c[13];
    p.z = ((c[2] * x + c[6] * y) + c[10] * z) + c[14];
    p.w = ((c[3] * x + c[7] * y) + c[11] * z) + c[15];
  } else {
    p.w = position(3);
  }
  return p;
}

// Stands for a longer vertex shader: does multiply-adds and gives the same vertex.
BROKKR_FN_NOINLINE Float work_on(Float x, uint32_t multiply_adds) {
  Float a = clamp_to(x, -1.0f, 1.0f);
  for (uint32_t i = 0; i < multiply_adds; ++i) a = a * 0.999f + 0.001f;
  return select(a < -2.0f, a, x);  // a stays between -1 and 1, so that x remains; the compiler cannot know that
}

BROKKR_FN ClipVertex shade_vertex(Warp& w, const FrameTables& frame, const Run& run, Int vertex, Mask m) {
  const float* base = frame.positions + size_t(run.first_vertex) * 4;
  ClipVertex v = transform_vertex(run, [&](int c) { return w.gather(base + c, vertex * 4, m); });
  if (frame.vertex_work != 0) v.x = work_on(v.x, frame.vertex_work);
  return v;
}

BROKKR_MACHINE_END
