#include <algorithm>
#include <stdexcept>
#include <utility>

#include "batch/bucket_queue.h"
#include "batch/predict.h"
#include "batch/reorder.h"
#include "batch/vertex_memory.h"
#include "formats/triangle_graph.h"

namespace brokkr {
namespace {

// At most this many triangles around a vertex become candidates or get a new valence. The priorities of the others are
// computed when the queue reaches them.
constexpr size_t kMaxAround = 64;
constexpr uint32_t kMaxCost = 4095;

// Triangles are numbered from 0, batches from 1. `Memory` is a module of vertex_memory.h.
//
// Few triangles have a corner in the batch's memory. They are kept in a list, and their priorities are recomputed at
// every step. All others differ only in V and N, and wait in a bucket queue.
template <class Memory>
class Optimizer {
 public:
  // All arguments but `weights` must outlive the object; `indices` is a triangle list.
  Optimizer(const BatchModel& model, std::span<const uint32_t> indices, const BatchWeights& weights, Memory& memory)
      : model_(model),
        indices_(indices),
        weights_(weights),
        memory_(memory),
        around_(indices),
        neighbors_(edge_neighbors(indices, around_)),
        triangles_(uint32_t(neighbors_.size())),
        queue_(triangles_, kMaxCost),
        batch_of_(triangles_, 0),
        beside_(triangles_, 0),
        listed_in_(triangles_, 0),
        touched_in_(triangles_, 0),
        age_(triangles_, 0),
        seen_(weights.distance != 0 ? triangles_ : 0),
        nearness_(seen_.size()) {
    order_.reserve(triangles_);
    memory_.reset();
  }

  std::vector<uint32_t> run() {
    // Insert from the last to the first. Among equal costs the queue returns the item that was inserted last, and a
    // mesh should begin with its first triangle.
    for (uint32_t t = triangles_; t-- > 0;) queue_.put(t, cost(t));
    while (order_.size() < triangles_) {
      uint32_t t = best_candidate();
      if (t == kNoTriangle) {
        settle();
        t = queue_.take([&](uint32_t item) { return cost(item); });
      } else if (is_full() || !model_.fits(size_ + 3, uniques_ + missing(t))) {
        end_batch();
        continue;
      }
      add(t);
    }
    return std::move(order_);
  }

 private:
  const BatchModel& model_;
  std::span<const uint32_t> indices_;
  const BatchWeights weights_;
  Memory& memory_;
  VertexTriangles around_;  // triangles that no batch has taken
  EdgeNeighbors neighbors_;
  uint32_t triangles_;
  BucketQueue queue_;
  std::vector<uint32_t> order_;       // triangles in the order in which they were taken
  std::vector<uint32_t> batch_of_;    // 0: not taken yet
  std::vector<uint8_t> beside_;       // N: 1 if next to a completed batch
  std::vector<uint32_t> listed_in_;   // the batch that lists it as a candidate
  std::vector<uint32_t> touched_in_;  // the batch that changed its V or N
  std::vector<uint32_t> age_;         // number of the candidate; lower numbers have waited longer
  std::vector<uint32_t> seen_;        // number of the search that reached the triangle
  PerBatch<int32_t> nearness_;        // sum over the batch's triangles of radius + 1 - distance
  std::vector<uint32_t> candidates_, touched_, front_, next_front_;
  uint32_t listed_ = 0, search_ = 0, batch_ = 1;
  uint32_t members_ = 0, size_ = 0, uniques_ = 0;  // triangles, indices and unique vertices in the batch

  const uint32_t* corners(uint32_t t) const { return indices_.data() + size_t(t) * 3; }
  bool finds(uint32_t t, uint32_t corner) const { return memory_.has(corners(t)[corner], size_ + corner); }
  bool is_full() const { return size_ + 3 > model_.max_size; }

  // The part of a triangle's priority that does not depend on the batch, negated.
  uint32_t cost(uint32_t t) const {
    const uint32_t* c = corners(t);
    const uint64_t valence = around_.count(c[0]) + around_.count(c[1]) + around_.count(c[2]);
    const uint64_t v = uint64_t(-weights_.valence) * valence;
    return uint32_t(std::min<uint64_t>(v + uint64_t(-weights_.neighborhood) * beside_[t], kMaxCost));
  }
  // The number of unique vertices that `t` would add.
  uint32_t missing(uint32_t t) const {
    const uint32_t* c = corners(t);
    const bool second = c[1] != c[0] && !finds(t, 1);
    const bool third = c[2] != c[0] && c[2] != c[1] && !finds(t, 2);
    return uint32_t(!finds(t, 0)) + uint32_t(second) + uint32_t(third);
  }

  uint32_t best_candidate() {
    uint32_t best = kNoTriangle;
    int64_t best_priority = 0;
    for (size_t i = 0; i < candidates_.size();) {
      const uint32_t t = candidates_[i];
      const int reuse = batch_of_[t] != 0 ? 0 : int(finds(t, 0)) + int(finds(t, 1)) + int(finds(t, 2));
      if (reuse == 0) {  // taken, or its vertices were forgotten
        listed_in_[t] = 0;
        candidates_[i] = candidates_.back();
        candidates_.pop_back();
        continue;
      }
      int64_t priority = int64_t(weights_.reuse) * reuse - int64_t(cost(t));
      if (weights_.distance != 0) {
        const int64_t far = int64_t(weights_.radius + 1) * int64_t(members_);
        priority += weights_.distance * (far - (nearness_.has(t) ? nearness_.get(t) : 0));
      }
      if (best == kNoTriangle || priority > best_priority || (priority == best_priority && age_[t] < age_[best])) {
        best = t;
        best_priority = priority;
      }
      ++i;
    }
    return best;
  }

  // Adds the corners of `t` to the batch. Returns false if that exceeded the batch's limits.
  bool use(uint32_t t) {
    for (uint32_t i = 0; i < 3; ++i) {
      uniques_ += !finds(t, i);
      memory_.use(corners(t)[i], size_ + i);
    }
    return model_.fits(size_ + 3, uniques_);
  }

  void add(uint32_t t) {
    const bool at_segment_end = model_.segment > 0 && size_ > 0 && order_.size() * 3 % model_.segment == 0;
    if (at_segment_end || is_full()) end_batch();
    if (!use(t)) {  // as in the predictor, it opens the next batch
      end_batch();
      use(t);
    }
    size_ += 3;
    ++members_;
    order_.push_back(t);
    batch_of_[t] = batch_;
    around_.remove(t, indices_);
    queue_.remove(t);
    for (size_t i = 0; i < 3; ++i) {
      const auto list = around_.triangles(corners(t)[i]);
      for (const uint32_t other : list.first(std::min(list.size(), kMaxAround))) {
        touch(other);
        if (listed_in_[other] == batch_) continue;
        listed_in_[other] = batch_;
        age_[other] = listed_++;
        candidates_.push_back(other);
      }
    }
    if (weights_.distance != 0) come_near(t);
  }

  // Increases the nearness of triangles within the radius, along edges from `origin`. Paths go through triangles that
  // are not taken and through this batch.
  void come_near(uint32_t origin) {
    seen_[origin] = ++search_;
    front_.assign(1, origin);
    for (int distance = 1; distance <= weights_.radius && !front_.empty(); ++distance) {
      next_front_.clear();
      for (const uint32_t reached : front_) {
        for (const uint32_t neighbor : neighbors_[reached]) {
          if (neighbor == kNoTriangle || seen_[neighbor] == search_) continue;
          if (batch_of_[neighbor] != 0 && batch_of_[neighbor] != batch_) continue;  // taken by an earlier batch
          seen_[neighbor] = search_;
          next_front_.push_back(neighbor);
          nearness_[neighbor] += weights_.radius + 1 - distance;
        }
      }
      front_.swap(next_front_);
    }
  }

  void touch(uint32_t t) {
    if (touched_in_[t] == batch_) return;
    touched_in_[t] = batch_;
    touched_.push_back(t);
  }
  // Updates the queue.
  void settle() {
    for (const uint32_t t : touched_) {
      touched_in_[t] = 0;
      if (batch_of_[t] == 0) queue_.put(t, cost(t));
    }
    touched_.clear();
  }

  // Completes the batch and starts the next one.
  void end_batch() {
    for (size_t i = order_.size() - members_; i < order_.size(); ++i) {
      for (const uint32_t other : neighbors_[order_[i]]) {
        if (other == kNoTriangle || batch_of_[other] != 0 || beside_[other]) continue;
        beside_[other] = 1;
        touch(other);
      }
    }
    memory_.reset();
    members_ = size_ = uniques_ = 0;
    ++batch_;
    settle();
    for (const uint32_t t : candidates_) listed_in_[t] = 0;
    candidates_.clear();
    nearness_.reset();
  }
};

}  // namespace

std::vector<uint32_t> batch_order(const BatchModel& model, std::span<const uint32_t> indices,
                                  const BatchWeights& weights) {
  if (weights.valence > 0 || weights.neighborhood > 0 || weights.radius < 0) {
    throw std::invalid_argument("batch_order: weights of valence and neighbourhood must not be positive");
  }
  predict_batches(model, indices.first(0));  // validates the model
  require_triangles("batch_order", indices);
  if (indices.empty()) return {};
  return with_memory(model, vertex_bound(indices), [&]<class Memory>(Memory& memory) {
    return Optimizer<Memory>(model, indices, weights, memory).run();
  });
}

}  // namespace brokkr
