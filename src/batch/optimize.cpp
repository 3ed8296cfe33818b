#include "batch/optimize.h"

#include <algorithm>
#include <stdexcept>

#include "batch/bucket_queue.h"
#include "batch/open_batch.h"

namespace brokkr {
namespace {

// At most this many triangles around a vertex become candidates or have their valence updated. The priority of the
// others is computed when the queue comes to them.
constexpr size_t kMaxAround = 64;
constexpr uint32_t kMaxCost = 4095;

// Triangles with a corner in the batch's memory are few; they are kept in a list and their priorities worked out anew
// at every step. All others differ in V and N alone and wait in a bucket queue.
template <class Memory>
class Optimizer {
 public:
  Optimizer(const BatchModel& model, std::span<const uint32_t> indices, const BatchWeights& weights, Memory& memory)
      : weights_(weights),
        batch_(model, indices, memory),
        queue_(batch_.triangles(), kMaxCost),
        listed_in_(batch_.triangles(), 0),
        touched_in_(batch_.triangles(), 0),
        age_(batch_.triangles(), 0),
        nearness_(weights.distance != 0 ? batch_.triangles() : 0) {}

  std::vector<uint32_t> run() {
    const uint32_t triangles = batch_.triangles();
    // From the last to the first: among equal costs the queue gives what was put in last, and a mesh should begin with
    // its first triangle.
    for (uint32_t t = triangles; t-- > 0;) queue_.put(t, cost(t));
    while (batch_.order().size() < triangles) {
      uint32_t t = best_candidate();
      if (t == kNoTriangle) {
        settle();
        t = queue_.take([&](uint32_t item) { return cost(item); });
      } else if (!batch_.has_room(t)) {
        end_batch();
        continue;
      }
      add(t);
    }
    return batch_.take_order();
  }

 private:
  const BatchWeights weights_;
  OpenBatch<Memory> batch_;
  BucketQueue queue_;
  std::vector<uint32_t> listed_in_;   // batch that has it as a candidate
  std::vector<uint32_t> touched_in_;  // batch that changed its V or N
  std::vector<uint32_t> age_;         // number of the candidate: the lower, the longer it waits
  PerBatch<int32_t> nearness_;        // sum over the batch of radius + 1 - distance
  std::vector<uint32_t> candidates_, touched_;
  uint32_t listed_ = 0;

  // The negated part of a triangle's priority that does not depend on the batch.
  uint32_t cost(uint32_t t) const {
    const uint64_t v = uint64_t(-weights_.valence) * batch_.valence(t);
    return uint32_t(std::min<uint64_t>(v + uint64_t(-weights_.neighborhood) * batch_.neighborhood(t), kMaxCost));
  }
  int reused(uint32_t t) const {
    const uint32_t* c = batch_.corners(t);
    return int(batch_.finds(c[0])) + int(batch_.finds(c[1], 1)) + int(batch_.finds(c[2], 2));
  }

  uint32_t best_candidate() {
    uint32_t best = kNoTriangle;
    int64_t best_priority = 0;
    for (size_t i = 0; i < candidates_.size();) {
      const uint32_t t = candidates_[i];
      const int reuse = batch_.is_taken(t) ? 0 : reused(t);
      if (reuse == 0) {  // taken, or its vertices are forgotten
        listed_in_[t] = 0;
        candidates_[i] = candidates_.back();
        candidates_.pop_back();
        continue;
      }
      int64_t priority = int64_t(weights_.reuse) * reuse - int64_t(cost(t));
      if (weights_.distance != 0) {
        const int64_t far = int64_t(weights_.radius + 1) * int64_t(batch_.members());
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

  void add(uint32_t t) {
    if (batch_.at_segment_end() || batch_.is_full()) end_batch();
    if (!batch_.use(t)) {  // as the predictor would: it opens the next batch
      end_batch();
      batch_.use(t);
    }
    batch_.take(t);
    queue_.remove(t);
    for (size_t i = 0; i < 3; ++i) {
      const auto list = batch_.around().of(batch_.corners(t)[i]);
      for (const uint32_t other : list.first(std::min(list.size(), kMaxAround))) {
        touch(other);
        if (listed_in_[other] == batch_.number()) continue;
        listed_in_[other] = batch_.number();
        age_[other] = listed_++;
        candidates_.push_back(other);
      }
    }
    if (weights_.distance == 0) return;
    batch_.each_nearby(t, weights_.radius,
                       [&](uint32_t near, int distance) { nearness_[near] += weights_.radius + 1 - distance; });
  }

  void touch(uint32_t t) {
    if (touched_in_[t] == batch_.number()) return;
    touched_in_[t] = batch_.number();
    touched_.push_back(t);
  }
  // Brings the queue up to date.
  void settle() {
    for (const uint32_t t : touched_) {
      touched_in_[t] = 0;
      if (!batch_.is_taken(t)) queue_.put(t, cost(t));
    }
    touched_.clear();
  }

  void end_batch() {
    batch_.complete([&](uint32_t beside) { touch(beside); });
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
  return order_with<Optimizer>(model, indices, weights);
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
