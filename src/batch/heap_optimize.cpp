// Algorithm 3 as printed: every triangle's priority is kept in a heap and adjusted whenever it changes.
#include <algorithm>

#include "batch/fibonacci_heap.h"
#include "batch/optimize.h"
#include "batch/predict.h"
#include "batch/triangle_graph.h"
#include "batch/vertex_memory.h"

namespace brokkr {
namespace {

template <class Memory>
class HeapOptimizer {
 public:
  HeapOptimizer(const BatchModel& model, std::span<const uint32_t> indices, const BatchWeights& weights,
                Memory& memory)
      : model_(model),
        indices_(indices),
        weights_(weights),
        memory_(memory),
        around_(indices),
        neighbors_(edge_neighbors(indices, around_)),
        heap_(neighbors_.size()),
        batch_of_(neighbors_.size(), 0),
        beside_(neighbors_.size(), 0),
        seen_(neighbors_.size(), 0),
        distance_(neighbors_.size()),
        in_memory_(around_.vertices()) {}

  std::vector<uint32_t> run() {
    const auto triangles = uint32_t(neighbors_.size());
    for (uint32_t t = 0; t < triangles; ++t) {
      int64_t valence = 0;
      for (size_t i = 0; i < 3; ++i) valence += around_.count(corners(t)[i]);
      heap_.insert(t, weights_.valence * valence);
    }
    memory_.reset();
    while (!heap_.empty()) {
      const uint32_t t = heap_.top();
      if (!fits(t)) {
        end_batch();
      } else {
        add(t);
      }
    }
    return std::move(order_);
  }

 private:
  const BatchModel& model_;
  std::span<const uint32_t> indices_;
  const BatchWeights weights_;
  Memory& memory_;
  VertexTriangles around_;
  EdgeNeighbors neighbors_;
  FibonacciHeap heap_;
  std::vector<uint32_t> order_, batch_of_;
  std::vector<uint8_t> beside_;
  std::vector<uint32_t> seen_, front_, next_front_, batch_triangles_, remembered_, near_;
  PerBatch<int64_t> distance_;
  PerBatch<uint8_t> in_memory_;
  uint32_t search_ = 0, batch_ = 1, size_ = 0, uniques_ = 0;

  const uint32_t* corners(uint32_t t) const { return indices_.data() + size_t(t) * 3; }
  void adjust(uint32_t t, int64_t by) {
    if (by != 0) heap_.change(t, heap_.priority(t) + by);
  }
  void adjust_around(uint32_t vertex, int64_t by) {
    for (const uint32_t t : around_.of(vertex)) adjust(t, by);
  }
  bool fits(uint32_t t) const {
    if (size_ == 0) return true;
    if (size_ + 3 > model_.max_size) return false;
    if (model_.segment > 0 && order_.size() * 3 % model_.segment == 0) return false;
    const uint32_t* c = corners(t);
    uint32_t missing = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      const bool again = (i > 0 && c[i] == c[0]) || (i > 1 && c[i] == c[1]);
      missing += !again && !memory_.has(c[i], size_ + i);
    }
    return uniques_ + missing <= model_.max_uniques;
  }

  void add(uint32_t t) {
    heap_.take_top();
    around_.remove(t, indices_);
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t v = corners(t)[i];
      uniques_ += !memory_.has(v, size_ + i);
      memory_.use(v, size_ + i);
    }
    size_ += 3;
    order_.push_back(t);
    batch_of_[t] = batch_;
    batch_triangles_.push_back(t);
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t v = corners(t)[i];
      const bool fresh = !in_memory_.has(v);
      adjust_around(v, (fresh ? weights_.reuse : 0) - weights_.valence);
      if (!fresh) continue;
      in_memory_[v] = 1;
      remembered_.push_back(v);
    }
    if (weights_.distance != 0) spread(t);
    for (size_t i = 0; i < remembered_.size();) {
      const uint32_t v = remembered_[i];
      if (memory_.has(v, size_)) {
        ++i;
        continue;
      }
      adjust_around(v, -weights_.reuse);
      in_memory_.forget(v);
      remembered_[i] = remembered_.back();
      remembered_.pop_back();
    }
  }

  void spread(uint32_t origin) {
    ++search_;
    seen_[origin] = search_;
    front_.assign(1, origin);
    for (int d = 1; d <= weights_.radius && !front_.empty(); ++d) {
      next_front_.clear();
      for (const uint32_t from : front_) {
        for (const uint32_t to : neighbors_[from]) {
          if (to == kNoTriangle || seen_[to] == search_) continue;
          if (batch_of_[to] != 0 && batch_of_[to] != batch_) continue;
          seen_[to] = search_;
          next_front_.push_back(to);
          if (batch_of_[to] != 0) continue;
          const int64_t by = int64_t(weights_.distance) * (d - (weights_.radius + 1));
          if (!distance_.has(to)) near_.push_back(to);
          distance_[to] += by;
          adjust(to, by);
        }
      }
      front_.swap(next_front_);
    }
  }

  void end_batch() {
    for (const uint32_t v : remembered_) adjust_around(v, -weights_.reuse);
    for (const uint32_t t : near_) {
      if (batch_of_[t] == 0) adjust(t, -distance_.get(t));
    }
    for (const uint32_t t : batch_triangles_) {
      for (const uint32_t other : neighbors_[t]) {
        if (other == kNoTriangle || batch_of_[other] != 0 || beside_[other]) continue;
        beside_[other] = 1;
        adjust(other, weights_.neighborhood);
      }
    }
    remembered_.clear();
    near_.clear();
    batch_triangles_.clear();
    in_memory_.reset();
    distance_.reset();
    memory_.reset();
    size_ = uniques_ = 0;
    ++batch_;
  }
};

}  // namespace

std::vector<uint32_t> heap_order(const BatchModel& model, std::span<const uint32_t> indices,
                                 const BatchWeights& weights) {
  if (indices.empty()) return {};
  BatchModel unpaged = model;
  unpaged.forgets_at_pages = false;
  return with_memory(unpaged, vertex_bound(indices),
                     [&](auto& memory) { return HeapOptimizer(unpaged, indices, weights, memory).run(); });
}

}  // namespace brokkr
