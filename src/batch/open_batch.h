// The state of a mesh and of the batch that is being filled, for every form of [Kerbl18, Alg. 3] (optimize.cpp,
// heap_optimize.cpp); the forms differ in how they find the triangle of highest priority.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "batch/batch_model.h"
#include "batch/predict.h"
#include "batch/triangle_graph.h"
#include "batch/vertex_memory.h"

namespace brokkr {

// `Memory` is a module of vertex_memory.h. Triangles are numbered 0 .. triangles() - 1, batches from 1.
template <class Memory>
class OpenBatch {
 public:
  // All three outlive the object; `indices` is a triangle list.
  OpenBatch(const BatchModel& model, std::span<const uint32_t> indices, Memory& memory)
      : model_(model),
        indices_(indices),
        memory_(memory),
        around_(indices),
        neighbors_(edge_neighbors(indices, around_)),
        batch_of_(neighbors_.size(), 0),
        beside_(neighbors_.size(), 0) {
    order_.reserve(neighbors_.size());
    memory_.reset();
  }

  uint32_t triangles() const { return uint32_t(neighbors_.size()); }
  const uint32_t* corners(uint32_t t) const { return indices_.data() + size_t(t) * 3; }
  const VertexTriangles& around() const { return around_; }  // of triangles that no batch has taken
  uint32_t valence(uint32_t t) const {                       // V of [Kerbl18, Eq. 6.1]
    const uint32_t* c = corners(t);
    return around_.count(c[0]) + around_.count(c[1]) + around_.count(c[2]);
  }
  bool is_taken(uint32_t t) const { return batch_of_[t] != 0; }
  uint32_t neighborhood(uint32_t t) const { return beside_[t]; }  // N: 1 next to a completed batch

  uint32_t number() const { return batch_; }
  uint32_t members() const { return members_; }
  bool finds(uint32_t vertex, uint32_t corner = 0) const { return memory_.has(vertex, size_ + corner); }
  bool is_full() const { return size_ + 3 > model_.max_size; }
  // The model ends batches at multiples of its segment.
  bool at_segment_end() const { return model_.segment > 0 && size_ > 0 && order_.size() * 3 % model_.segment == 0; }
  // Whether `t` keeps to the limits of size and of unique vertices.
  bool has_room(uint32_t t) const { return !is_full() && uniques_ + missing(t) <= model_.max_uniques; }

  // The batch uses the corners of `t`. False: that was more unique vertices than a batch may have.
  bool use(uint32_t t) {
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t v = corners(t)[i];
      uniques_ += !finds(v, i);
      memory_.use(v, size_ + i);
    }
    return uniques_ <= model_.max_uniques;
  }
  // Makes `t`, whose corners are used, the batch's last triangle.
  void take(uint32_t t) {
    size_ += 3;
    ++members_;
    order_.push_back(t);
    batch_of_[t] = batch_;
    around_.remove(t, indices_);
  }

  // f(t, distance) for the triangles within `radius` steps over edges from `origin`, nearer ones first; paths lead
  // through what is not taken and through this batch.
  template <class F>
  void each_nearby(uint32_t origin, int radius, F&& f) {
    if (seen_.empty()) seen_.resize(triangles(), 0);
    ++search_;
    seen_[origin] = search_;
    front_.assign(1, origin);
    for (int distance = 1; distance <= radius && !front_.empty(); ++distance) {
      next_front_.clear();
      for (const uint32_t from : front_) {
        for (const uint32_t to : neighbors_[from]) {
          if (to == kNoTriangle || seen_[to] == search_) continue;
          if (batch_of_[to] != 0 && batch_of_[to] != batch_) continue;  // gone with an earlier batch
          seen_[to] = search_;
          next_front_.push_back(to);
          f(to, distance);
        }
      }
      front_.swap(next_front_);
    }
  }

  // Completes the batch and begins the next. Calls f(t) for each triangle beside the batch that was beside no batch
  // before.
  template <class F>
  void complete(F&& f) {
    for (size_t i = order_.size() - members(); i < order_.size(); ++i) {
      for (const uint32_t other : neighbors_[order_[i]]) {
        if (other == kNoTriangle || is_taken(other) || beside_[other]) continue;
        beside_[other] = 1;
        f(other);
      }
    }
    memory_.reset();
    members_ = size_ = uniques_ = 0;
    ++batch_;
  }

  const std::vector<uint32_t>& order() const { return order_; }
  std::vector<uint32_t> take_order() { return std::move(order_); }

 private:
  const BatchModel& model_;
  std::span<const uint32_t> indices_;
  Memory& memory_;
  VertexTriangles around_;
  EdgeNeighbors neighbors_;
  std::vector<uint32_t> order_;     // triangles as they were taken
  std::vector<uint32_t> batch_of_;  // 0: not taken yet
  std::vector<uint8_t> beside_;
  std::vector<uint32_t> seen_, front_, next_front_;  // seen_: number of the search that reached a triangle
  uint32_t search_ = 0, batch_ = 1;
  uint32_t members_ = 0, size_ = 0, uniques_ = 0;  // triangles, indices and unique vertices of the batch

  // Unique vertices that `t` would add.
  uint32_t missing(uint32_t t) const {
    const uint32_t* c = corners(t);
    const bool second = c[1] != c[0] && !finds(c[1], 1);
    const bool third = c[2] != c[0] && c[2] != c[1] && !finds(c[2], 2);
    return uint32_t(!finds(c[0])) + uint32_t(second) + uint32_t(third);
  }
};

// The order that Optimizer<Memory> finds for `model`; the model's 16-bit rule is left out. Throws std::invalid_argument
// for limits or a length that predict_batches refuses.
template <template <class> class Optimizer, class Weights>
std::vector<uint32_t> order_with(const BatchModel& model, std::span<const uint32_t> indices, const Weights& weights) {
  predict_batches(model, indices.first(0));  // checks the model
  if (indices.size() % 3 != 0) {
    throw std::invalid_argument("batch order: " + std::to_string(indices.size()) +
                                " indices are no triangle list; give a multiple of 3");
  }
  if (indices.empty()) return {};
  BatchModel unpaged = model;
  unpaged.forgets_at_pages = false;
  return with_memory(unpaged, vertex_bound(indices), [&]<class Memory>(Memory& memory) {
    return Optimizer<Memory>(unpaged, indices, weights, memory).run();
  });
}

}  // namespace brokkr
