// [Kerbl18, Alg. 3] as printed: every triangle's priority is kept in a heap and adjusted whenever it changes.
#include "batch/fibonacci_heap.h"
#include "batch/open_batch.h"
#include "batch/optimize.h"

namespace brokkr {
namespace {

template <class Memory>
class HeapOptimizer {
 public:
  HeapOptimizer(const BatchModel& model, std::span<const uint32_t> indices, const BatchWeights& weights, Memory& memory)
      : weights_(weights),
        batch_(model, indices, memory),
        heap_(batch_.triangles()),
        distance_(batch_.triangles()),
        in_memory_(batch_.around().vertices()) {}

  std::vector<uint32_t> run() {
    for (uint32_t t = 0; t < batch_.triangles(); ++t) {
      heap_.insert(t, int64_t(weights_.valence) * batch_.valence(t));
    }
    while (!heap_.empty()) {
      const uint32_t t = heap_.top();
      if (batch_.members() == 0 || (!batch_.at_segment_end() && batch_.has_room(t))) {
        add(t);
      } else {
        end_batch();
      }
    }
    return batch_.take_order();
  }

 private:
  const BatchWeights weights_;
  OpenBatch<Memory> batch_;
  FibonacciHeap heap_;
  std::vector<uint32_t> remembered_, near_;
  PerBatch<int64_t> distance_;   // per triangle: k_d D, as far as the heap has it
  PerBatch<uint8_t> in_memory_;  // per vertex: whether it is in remembered_

  void adjust(uint32_t t, int64_t by) {
    if (by != 0) heap_.change(t, heap_.priority(t) + by);
  }
  void adjust_around(uint32_t vertex, int64_t by) {
    for (const uint32_t t : batch_.around().of(vertex)) adjust(t, by);
  }

  void add(uint32_t t) {
    heap_.take_top();
    batch_.use(t);
    batch_.take(t);
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t v = batch_.corners(t)[i];
      const bool fresh = !in_memory_.has(v);
      adjust_around(v, (fresh ? weights_.reuse : 0) - weights_.valence);
      if (!fresh) continue;
      in_memory_[v] = 1;
      remembered_.push_back(v);
    }
    if (weights_.distance != 0) {
      batch_.each_nearby(t, weights_.radius, [&](uint32_t near, int distance) { bring_near(near, distance); });
    }
    for (size_t i = 0; i < remembered_.size();) {
      const uint32_t v = remembered_[i];
      if (batch_.finds(v)) {
        ++i;
        continue;
      }
      adjust_around(v, -weights_.reuse);
      in_memory_.forget(v);
      remembered_[i] = remembered_.back();
      remembered_.pop_back();
    }
  }

  void bring_near(uint32_t t, int distance) {
    if (batch_.is_taken(t)) return;
    const int64_t by = int64_t(weights_.distance) * (distance - (weights_.radius + 1));
    if (!distance_.has(t)) near_.push_back(t);
    distance_[t] += by;
    adjust(t, by);
  }

  void end_batch() {
    for (const uint32_t v : remembered_) adjust_around(v, -weights_.reuse);
    for (const uint32_t t : near_) {
      if (!batch_.is_taken(t)) adjust(t, -distance_.get(t));
    }
    batch_.complete([&](uint32_t beside) { adjust(beside, weights_.neighborhood); });
    remembered_.clear();
    near_.clear();
    in_memory_.reset();
    distance_.reset();
  }
};

}  // namespace

std::vector<uint32_t> heap_order(const BatchModel& model, std::span<const uint32_t> indices,
                                 const BatchWeights& weights) {
  return order_with<HeapOptimizer>(model, indices, weights);
}

}  // namespace brokkr
