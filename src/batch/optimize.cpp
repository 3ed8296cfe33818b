#include "batch/optimize.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "batch/bucket_queue.h"
#include "batch/predict.h"
#include "batch/triangle_graph.h"
#include "batch/vertex_memory.h"

namespace brokkr {
namespace {

// At most this many triangles around a vertex become candidates or have their valence updated. The priority of the
// others is computed when the queue comes to them.
constexpr size_t kMaxAround = 64;
constexpr uint32_t kMaxCost = 4095;

// What Algorithm 3 keeps of a mesh and of the batch that it is filling. `Memory` is a module of vertex_memory.h.
// Triangles are numbered 0 .. triangles() - 1, batches from 1.
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

std::vector<uint32_t> in_order(std::span<const uint32_t> indices, std::span<const uint32_t> order) {
  std::vector<uint32_t> result;
  result.reserve(order.size() * 3);
  for (const uint32_t t : order) {
    for (size_t i = 0; i < 3; ++i) result.push_back(indices[size_t(t) * 3 + i]);
  }
  return result;
}

}  // namespace brokkr
