#include "batch/optimize.h"

#include <algorithm>
#include <stdexcept>

#include "batch/bucket_queue.h"
#include "batch/predict.h"
#include "batch/triangle_graph.h"
#include "batch/vertex_memory.h"

namespace brokkr {
namespace {

// Of a vertex with very many triangles only so many become candidates or are told of its valence: the others'
// turn comes, and their priority is looked up when it does.
constexpr size_t kMaxAround = 64;
constexpr uint32_t kMaxCost = 4095;

// Triangles with a corner in the batch's memory are few; they are kept in a list and their priorities worked
// out anew at every step. All others differ in V and N alone and wait in a bucket queue.
template <class Memory>
class Optimizer {
 public:
  Optimizer(const BatchModel& model, std::span<const uint32_t> indices, const BatchWeights& weights,
            Memory& memory)
      : model_(model),
        indices_(indices),
        weights_(weights),
        memory_(memory),
        around_(indices),
        neighbors_(edge_neighbors(indices, around_)),
        triangles_(uint32_t(indices.size() / 3)),
        queue_(triangles_, kMaxCost),
        batch_of_(triangles_, 0),
        listed_in_(triangles_, 0),
        touched_in_(triangles_, 0),
        beside_(triangles_, 0),
        age_(triangles_, 0),
        nearness_(weights.distance != 0 ? triangles_ : 0) {}

  std::vector<uint32_t> run() {
    // Backwards: of equal ones the latest comes first, and a mesh should begin where it began.
    for (uint32_t t = triangles_; t-- > 0;) queue_.put(t, cost(t));
    order_.reserve(triangles_);
    memory_.reset();
    while (order_.size() < triangles_) {
      uint32_t t = best_candidate();
      if (t == kNoTriangle) {
        settle();
        t = queue_.take([&](uint32_t item) { return cost(item); });
      } else if (size_ + 3 > model_.max_size || uniques_ + missing(t) > model_.max_uniques) {
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
  VertexTriangles around_;
  EdgeNeighbors neighbors_;
  uint32_t triangles_;
  BucketQueue queue_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> batch_of_;    // 0: not taken yet
  std::vector<uint32_t> listed_in_;   // batch that has it as a candidate
  std::vector<uint32_t> touched_in_;  // batch that changed its V or N
  std::vector<uint8_t> beside_;       // N
  std::vector<uint32_t> age_;         // number of the candidate: the lower, the longer it waits
  PerBatch<int32_t> nearness_;        // sum over the batch of radius + 1 - distance
  std::vector<uint32_t> candidates_, touched_, front_, next_front_, batch_triangles_;
  std::vector<uint32_t> seen_;  // search number that reached a triangle
  uint32_t search_ = 0, batch_ = 1, size_ = 0, uniques_ = 0, listed_ = 0;

  const uint32_t* corners(uint32_t t) const { return indices_.data() + size_t(t) * 3; }
  uint32_t valence(uint32_t t) const {
    const uint32_t* c = corners(t);
    return around_.count(c[0]) + around_.count(c[1]) + around_.count(c[2]);
  }
  // What of a triangle's priority does not depend on the batch, negated.
  uint32_t cost(uint32_t t) const {
    const uint64_t v = uint64_t(-weights_.valence) * valence(t);
    return uint32_t(std::min<uint64_t>(v + uint64_t(-weights_.neighborhood) * beside_[t], kMaxCost));
  }
  int reused(uint32_t t) const {
    const uint32_t* c = corners(t);
    return int(memory_.has(c[0], size_)) + int(memory_.has(c[1], size_ + 1)) +
           int(memory_.has(c[2], size_ + 2));
  }
  uint32_t missing(uint32_t t) const {
    const uint32_t* c = corners(t);
    const bool second = c[1] != c[0] && !memory_.has(c[1], size_ + 1);
    const bool third = c[2] != c[0] && c[2] != c[1] && !memory_.has(c[2], size_ + 2);
    return uint32_t(!memory_.has(c[0], size_)) + uint32_t(second) + uint32_t(third);
  }

  uint32_t best_candidate() {
    uint32_t best = kNoTriangle;
    int64_t best_priority = 0;
    for (size_t i = 0; i < candidates_.size();) {
      const uint32_t t = candidates_[i];
      const int reuse = batch_of_[t] != 0 ? 0 : reused(t);
      if (reuse == 0) {  // taken, or its vertices are forgotten
        listed_in_[t] = 0;
        candidates_[i] = candidates_.back();
        candidates_.pop_back();
        continue;
      }
      int64_t priority = int64_t(weights_.reuse) * reuse - int64_t(cost(t));
      if (weights_.distance != 0) {
        const int64_t far = int64_t(weights_.radius + 1) * int64_t(batch_triangles_.size());
        priority += weights_.distance * (far - (nearness_.has(t) ? nearness_.get(t) : 0));
      }
      if (best == kNoTriangle || priority > best_priority ||
          (priority == best_priority && age_[t] < age_[best])) {
        best = t;
        best_priority = priority;
      }
      ++i;
    }
    return best;
  }

  void add(uint32_t t) {
    if (model_.segment > 0 && size_ > 0 && order_.size() * 3 % model_.segment == 0) end_batch();
    if (size_ + 3 > model_.max_size) end_batch();
    uint32_t added = use(t);
    if (uniques_ + added > model_.max_uniques) {  // as the predictor would: it opens the next batch
      end_batch();
      added = use(t);
    }
    uniques_ += added;
    size_ += 3;
    order_.push_back(t);
    batch_triangles_.push_back(t);
    batch_of_[t] = batch_;
    queue_.remove(t);
    around_.remove(t, indices_);
    for (size_t i = 0; i < 3; ++i) {
      const auto list = around_.of(corners(t)[i]);
      for (const uint32_t other : list.first(std::min(list.size(), kMaxAround))) {
        touch(other);
        if (listed_in_[other] == batch_) continue;
        listed_in_[other] = batch_;
        age_[other] = listed_++;
        candidates_.push_back(other);
      }
    }
    if (weights_.distance != 0) spread(t);
  }

  uint32_t use(uint32_t t) {
    uint32_t added = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      added += !memory_.has(corners(t)[i], size_ + i);
      memory_.use(corners(t)[i], size_ + i);
    }
    return added;
  }

  // Tells the triangles around the new one how near it is.
  void spread(uint32_t origin) {
    if (seen_.empty()) seen_.resize(triangles_, 0);
    ++search_;
    seen_[origin] = search_;
    front_.assign(1, origin);
    for (int distance = 1; distance <= weights_.radius && !front_.empty(); ++distance) {
      next_front_.clear();
      for (const uint32_t from : front_) {
        for (const uint32_t to : neighbors_[from]) {
          if (to == kNoTriangle || seen_[to] == search_) continue;
          if (batch_of_[to] != 0 && batch_of_[to] != batch_) continue;  // gone with an earlier batch
          seen_[to] = search_;
          nearness_[to] += weights_.radius + 1 - distance;
          next_front_.push_back(to);
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
  // Brings the queue up to date.
  void settle() {
    for (const uint32_t t : touched_) {
      touched_in_[t] = 0;
      if (batch_of_[t] == 0) queue_.put(t, cost(t));
    }
    touched_.clear();
  }

  void end_batch() {
    for (const uint32_t t : batch_triangles_) {
      for (const uint32_t other : neighbors_[t]) {
        if (other == kNoTriangle || batch_of_[other] != 0 || beside_[other]) continue;
        beside_[other] = 1;
        touch(other);
      }
    }
    settle();
    for (const uint32_t t : candidates_) listed_in_[t] = 0;
    candidates_.clear();
    batch_triangles_.clear();
    memory_.reset();
    nearness_.reset();
    size_ = uniques_ = 0;
    ++batch_;
  }
};

}  // namespace

std::vector<uint32_t> batch_order(const BatchModel& model, std::span<const uint32_t> indices,
                                  const BatchWeights& weights) {
  if (weights.valence > 0 || weights.neighborhood > 0 || weights.radius < 0) {
    throw std::invalid_argument("batch_order: weights of valence and neighbourhood must not be positive");
  }
  predict_batches(model, indices.first(0));  // checks the model
  if (indices.size() % 3 != 0) {
    throw std::invalid_argument("batch_order: " + std::to_string(indices.size()) +
                                " indices are no triangle list; give a multiple of 3");
  }
  if (indices.empty()) return {};
  BatchModel unpaged = model;
  unpaged.forgets_at_pages = false;
  return with_memory(unpaged, vertex_bound(indices),
                     [&](auto& memory) { return Optimizer(unpaged, indices, weights, memory).run(); });
}

std::vector<uint32_t> in_order(std::span<const uint32_t> indices, std::span<const uint32_t> order) {
  std::vector<uint32_t> result;
  result.reserve(order.size() * 3);
  for (const uint32_t t : order) {
    for (size_t i = 0; i < 3; ++i) result.push_back(indices[size_t(t) * 3 + i]);
  }
  return result;
}

}  // namespace brokkr
