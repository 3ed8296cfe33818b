#include "batch/reorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>

#include "batch/predict.h"
#include "batch/vertex_memory.h"
#include "formats/triangle_graph.h"

namespace brokkr {
namespace {

constexpr uint32_t kMaxReflected = 48;  // triangles in a reflected stretch
constexpr uint32_t kMaxSpan = 1 << 14;  // distance of two triangles that are moved together; those in between shift
constexpr uint32_t kMaxTail = 256;      // triangles within which the effect of a change must end
constexpr int kMaxPasses = 8;
constexpr double kLeastGain = 1e-3;  // fraction of all runs that a pass must save for another pass to follow

// The cost of one triangle in an order: the corners that are shaded (bits 0 to 2), and whether it begins a batch.
using Mark = uint8_t;
constexpr Mark kCut = 8;
uint32_t runs_of(Mark mark) { return uint32_t(std::popcount(uint8_t(mark & 7))); }

// An order and the costs of its triangles.
struct MarkedOrder {
  std::span<const uint32_t> indices;
  std::vector<uint32_t> triangles;
  std::vector<Mark> marks;

  const uint32_t* corners_at(uint32_t place) const { return indices.data() + size_t(triangles[place]) * 3; }
};

// One FIFO cache. Both cost classes have the same functions:
//   begin(order, place)  sets the state before that place of the order
//   depart()             says that the next triangle is not the next one of the order
//   step(corners, old)   draws a triangle that had the mark `old` in the order, and returns its new mark
//   is_as_before()       returns true if the triangles since `depart` have led to the same state as in the order
class CacheCost {
 public:
  CacheCost(size_t vertices, uint32_t size) : size_(size), pushed_(vertices) {}

  void begin(const MarkedOrder& order, uint32_t place) {
    recent_.clear();
    for (uint32_t at = place; at-- > 0 && recent_.size() < size_;) {
      for (uint32_t i = 3; i-- > 0 && recent_.size() < size_;) {
        if ((order.marks[at] >> i & 1) != 0) recent_.push_back(order.corners_at(at)[i]);
      }
    }
    pushed_.reset();
    pushes_ = 0;
    for (size_t i = recent_.size(); i-- > 0;) pushed_[recent_[i]] = ++pushes_;
    agreed_ = size_;
  }
  void depart() { agreed_ = 0; }
  Mark step(const uint32_t* corners, Mark old) {
    Mark mark = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t v = corners[i];
      const bool missed = !pushed_.has(v) || pushes_ - pushed_.get(v) >= size_;
      if (missed) {
        pushed_[v] = ++pushes_;
        mark |= Mark(1 << i);
      }
      const bool missed_before = (old >> i & 1) != 0;
      agreed_ = missed != missed_before ? 0 : agreed_ + uint32_t(missed);
    }
    return mark;
  }
  // The cache holds the last pushed vertices, and they are the same ones in the same order.
  bool is_as_before() const { return agreed_ >= size_; }

 private:
  uint32_t size_, pushes_ = 0, agreed_ = 0;
  PerBatch<uint32_t> pushed_;  // number of the push, counted from 1
  std::vector<uint32_t> recent_;
};

// The batches of a model.
template <class Memory>
class BatchCost {
 public:
  BatchCost(const BatchModel& model, Memory& memory) : model_(model), memory_(memory) {}

  void begin(const MarkedOrder& order, uint32_t place) {
    uint32_t at = place;  // of the previous batch: another triangle here may still belong to it
    while (at > 0 && ((order.marks[--at] & kCut) == 0)) {
    }
    cut();
    for (; at < place; ++at) step(order.corners_at(at), order.marks[at]);
    as_before_ = true;
  }
  void depart() { as_before_ = false; }
  Mark step(const uint32_t* corners, Mark old) {
    if (drawn_ + 3 > model_.max_size) cut();
    for (;;) {
      Mark mark = 0;
      for (uint32_t i = 0; i < 3; ++i) {
        if (!memory_.has(corners[i], drawn_ + i)) mark |= Mark(1 << i);
        memory_.use(corners[i], drawn_ + i);
      }
      if (model_.fits(drawn_ + 3, uniques_ + runs_of(mark))) {
        if (drawn_ == 0) mark |= kCut;
        uniques_ += runs_of(mark);
        drawn_ += 3;
        if ((mark & old & kCut) != 0) as_before_ = true;
        return mark;
      }
      cut();
    }
  }
  bool is_as_before() const { return as_before_; }

 private:
  void cut() {
    memory_.reset();
    drawn_ = uniques_ = 0;
  }

  const BatchModel& model_;
  Memory& memory_;
  uint32_t drawn_ = 0, uniques_ = 0;  // indices and runs of the current batch
  bool as_before_ = false;
};

// Places begin .. end - 1 of the order, forwards or backwards.
struct Piece {
  uint32_t begin = 0, end = 0;
  bool reflected = false;
};

// A replacement for the places lo .. hi: pieces of that stretch.
struct Change {
  uint32_t lo = 0, hi = 0;
  std::array<Piece, 2> pieces;
};

// Moves the triangle at place `other` next to the one at `place`.
struct Changes {
  std::array<Change, 3> list;
  uint32_t count = 0;
  void add(const Change& change) { list[count++] = change; }
};
Changes changes_between(uint32_t place, uint32_t other, uint32_t places) {
  Changes changes;
  if (other > place) {  // it moves back, behind `place`
    const uint32_t lo = place + 1;
    changes.add({lo, other, {Piece{other, other + 1}, {lo, other}}});
    if (other + 1 < places) changes.add({lo, other + 1, {Piece{other, other + 2}, {lo, other}}});
    if (other - lo < kMaxReflected) changes.add({lo, other, {Piece{lo, other + 1, true}, {}}});
  } else {  // it moves forward, behind `place`
    changes.add({other, place, {Piece{other + 1, place + 1}, {other, other + 1}}});
    if (other > 0) changes.add({other - 1, place, {Piece{other + 1, place + 1}, {other - 1, other + 1}}});
    if (place - other < kMaxReflected) changes.add({other + 1, place, {Piece{other + 1, place + 1, true}, {}}});
  }
  return changes;
}

template <class Cost>
class LocalOrder {
 public:
  LocalOrder(std::span<const uint32_t> indices, std::vector<uint32_t> order, Cost cost)
      : order_{indices, std::move(order), {}},
        neighbors_(edge_neighbors(indices, VertexTriangles(indices))),
        place_(order_.triangles.size()),
        cost_(std::move(cost)) {
    const auto places = uint32_t(order_.triangles.size());
    cost_.begin(order_, 0);
    for (uint32_t place = 0; place < places; ++place) {
      place_[order_.triangles[place]] = place;
      order_.marks.push_back(cost_.step(order_.corners_at(place), 0));
      runs_ += runs_of(order_.marks[place]);
    }
  }

  std::vector<uint32_t> run(const OrderProgress& progress) {
    const auto places = uint32_t(order_.triangles.size());
    for (int pass = 1; pass <= kMaxPasses; ++pass) {
      const uint64_t before = runs_;
      for (uint32_t place = 0; place < places; ++place) {
        if (progress && place % 4096 == 0) progress(fmt::format("pass {}, {} %", pass, uint64_t(place) * 100 / places));
        improve(place);
      }
      if (double(before - runs_) <= kLeastGain * double(before)) break;
    }
    return std::move(order_.triangles);
  }

 private:
  struct Marked {
    uint32_t place;
    Mark mark;
  };

  MarkedOrder order_;
  EdgeNeighbors neighbors_;
  std::vector<uint32_t> place_;  // per triangle
  Cost cost_;
  uint64_t runs_ = 0;
  std::vector<Marked> written_;  // marks after the last tried change
  std::vector<uint32_t> moved_;
  std::vector<Mark> moved_marks_;

  void improve(uint32_t place) {
    Change best;
    int best_gain = 0;
    for (const uint32_t other : neighbors_[order_.triangles[place]]) {
      if (other == kNoTriangle) continue;
      const uint32_t other_place = place_[other];
      if (other_place + 1 == place || other_place == place + 1) continue;
      if (std::max(other_place, place) - std::min(other_place, place) > kMaxSpan) continue;
      const Changes changes = changes_between(place, other_place, uint32_t(order_.triangles.size()));
      for (uint32_t i = 0; i < changes.count; ++i) {
        const int gain = try_change(changes.list[i]);
        if (gain <= best_gain) continue;
        best_gain = gain;
        best = changes.list[i];
      }
    }
    if (best_gain == 0) return;
    try_change(best);
    runs_ -= uint64_t(best_gain);
    apply(best);
  }

  // The number of runs that the change saves; 0 if the effect does not end within kMaxTail triangles. Leaves the
  // triangles' new marks in written_.
  int try_change(const Change& change) {
    written_.clear();
    int gain = 0;
    cost_.begin(order_, change.lo);
    uint32_t new_place = change.lo;
    for (const Piece& piece : change.pieces) {
      cost_.depart();
      for (uint32_t i = piece.begin; i < piece.end; ++i, ++new_place) {
        const uint32_t old_place = piece.reflected ? piece.end - 1 - (i - piece.begin) : i;
        draw(old_place, new_place, gain);
        if (piece.reflected) {
          cost_.depart();
          continue;
        }
        if (i - piece.begin > kMaxTail) return 0;
        if (!cost_.is_as_before()) continue;
        cost_.begin(order_, piece.end);  // the rest of the piece has the same cost as before
        new_place += piece.end - 1 - i;
        i = piece.end - 1;
      }
    }
    cost_.depart();
    const auto places = uint32_t(order_.triangles.size());
    for (uint32_t place = change.hi + 1; place < places; ++place) {
      draw(place, place, gain);
      if (cost_.is_as_before()) return gain;
      if (place - change.hi > kMaxTail) return 0;
    }
    return gain;
  }

  void draw(uint32_t old_place, uint32_t new_place, int& gain) {
    const Mark mark = cost_.step(order_.corners_at(old_place), order_.marks[old_place]);
    gain += int(runs_of(order_.marks[old_place])) - int(runs_of(mark));
    written_.push_back({new_place, mark});
  }

  void apply(const Change& change) {
    moved_.clear();
    moved_marks_.clear();
    for (const Piece& piece : change.pieces) {
      for (uint32_t i = piece.begin; i < piece.end; ++i) {
        const uint32_t old_place = piece.reflected ? piece.end - 1 - (i - piece.begin) : i;
        moved_.push_back(order_.triangles[old_place]);
        moved_marks_.push_back(order_.marks[old_place]);
      }
    }
    for (uint32_t i = 0; i < moved_.size(); ++i) {
      order_.triangles[change.lo + i] = moved_[i];
      order_.marks[change.lo + i] = moved_marks_[i];
      place_[moved_[i]] = change.lo + i;
    }
    for (const Marked& m : written_) order_.marks[m.place] = m.mark;
  }
};

}  // namespace

std::vector<uint32_t> improve_cache_order(std::span<const uint32_t> indices, std::vector<uint32_t> order,
                                          uint32_t cache_size, const OrderProgress& progress) {
  return LocalOrder(indices, std::move(order), CacheCost(vertex_bound(indices), cache_size)).run(progress);
}

std::vector<uint32_t> improve_batch_order(const BatchModel& model, std::span<const uint32_t> indices,
                                          std::vector<uint32_t> order, const OrderProgress& progress) {
  if (model.memory == VertexMemory::nothing || model.segment > 0) return order;
  return with_memory(model, vertex_bound(indices), [&]<class Memory>(Memory& memory) {
    return LocalOrder(indices, std::move(order), BatchCost<Memory>(model, memory)).run(progress);
  });
}

}  // namespace brokkr
