// Reads the records of a triangle block: a group of records, one per lane, or a single one.
#pragma once

#include "brokkr/frame.h"
#include "geometry/triangle_store.h"
#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

// The form of a box's corner in a record: x is in the lower half of a word, y in the upper half.
static_assert(kMaxTargetSize <= 1 << 16);
BROKKR_FN Uint pack_sample(Int x, Int y) { return as_uint(x | (y << 16)); }
BROKKR_FN Box<Int> unpack_box(Uint lo, Uint hi) {
  return {as_int(lo & 0xffff), as_int(lo >> 16), as_int(hi & 0xffff), as_int(hi >> 16)};
}
BROKKR_FN Box<int32_t> unpack_box(uint32_t lo, uint32_t hi) {
  return {int32_t(lo & 0xffffu), int32_t(lo >> 16), int32_t(hi & 0xffffu), int32_t(hi >> 16)};
}

// The field of corner 0, 1 or 2.
static_assert(kY0 == kX0 + 1 && kX1 == kX0 + 2 && kX2 == kX0 + 4 && kY2 == kX2 + 1);
BROKKR_FN RecordField x_field(int corner) { return RecordField(kX0 + 2 * corner); }
BROKKR_FN RecordField y_field(int corner) { return RecordField(kY0 + 2 * corner); }

// Records g .. g + width - 1 of a block, for the lanes of m.
struct RecordGroup {
  const TriangleBlock& block;
  int g;
  Mask m;

  BROKKR_FN Uint field(Warp& w, RecordField which) const { return w.load(block.field[which] + g, m); }
  BROKKR_FN Int x(Warp& w, int corner) const { return as_int(field(w, x_field(corner))); }
  BROKKR_FN Int y(Warp& w, int corner) const { return as_int(field(w, y_field(corner))); }
  BROKKR_FN Box<Int> box(Warp& w) const { return unpack_box(field(w, kMin), field(w, kMax)); }
};

BROKKR_FN Box<int32_t> record_box(const TriangleBlock& block, int i) {
  return unpack_box(block.field[kMin][i], block.field[kMax][i]);
}

// The change of a triangle's edge functions, each from corner i to the next corner, per unit in x (a) and in y (b).
template <class I>
BROKKR_FN void edge_steps(const I (&x)[3], const I (&y)[3], I (&a)[3], I (&b)[3]) {
  for (int i = 0; i < 3; ++i) {
    const int next = i == 2 ? 0 : i + 1;
    a[i] = y[i] - y[next];
    b[i] = x[next] - x[i];
  }
}

// Left edges, which go down, and horizontal bottom edges own the samples on them. This is the rule of OpenGL's drivers,
// which count rows from the bottom; Direct3D's top-left rule is the same for rows counted from the top. `top_edges`:
// top edges own samples, and bottom edges do not.
template <class I>
BROKKR_FN auto owns_samples(const I& a, const I& b, bool top_edges) {
  return a > 0 || (a == 0 && (top_edges ? b < 0 : b > 0));
}

// The lanes of a group that starts at record g, whose records are in a mask of the block's records.
BROKKR_FN Mask lanes_of_group(Warp& w, uint32_t records, int g) {
  static_assert(kBlockRecords == 32);
  return w.lanes_of(w.width == 32 ? records : (records >> g) & ((1u << (w.width & 31)) - 1u));
}

// True if two boxes share a sample; for boxes per lane, the lanes in which they do.
template <class I, class J>
BROKKR_FN auto meet(const Box<I>& a, const Box<J>& b) {
  return a.min_x <= b.max_x && a.min_y <= b.max_y && a.max_x >= b.min_x && a.max_y >= b.min_y;
}

BROKKR_MACHINE_END
