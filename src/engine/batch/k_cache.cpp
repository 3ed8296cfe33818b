#include <algorithm>
#include <array>

#include "batch/bucket_queue.h"
#include "batch/predict.h"
#include "batch/reorder.h"
#include "formats/triangle_graph.h"

namespace brokkr {
namespace {

// The cost of a focus vertex is k1 C1 - k2 C2 + k3 C3 [Lin06]: the vertices that its triangles push into the cache, the
// triangles that it finishes, and its distance from leaving the cache afterwards. The distance is 1 if it was just
// pushed or leaves before all its triangles are drawn, and 0 if it is about to leave. The weights are those of three
// open implementations. Two of them add the second term; the third subtracts it, and we do so too. A vertex that
// finishes more triangles then costs less, and fewer vertices miss the cache (docs/research/batches.md).
constexpr float kPushes = 1.0f, kTriangles = 0.5f, kPlace = 1.3f;
constexpr uint32_t kMaxValence = 255;
// The largest number of triangles for which a candidate's cost is computed.
constexpr size_t kMaxLooked = 64;

class KCache {
 public:
  KCache(std::span<const uint32_t> indices, uint32_t size)
      : indices_(indices),
        around_(indices),
        size_(size),
        pushed_(around_.vertices(), 0),
        queue_(around_.vertices(), kMaxValence) {}

  std::vector<uint32_t> run() {
    for (auto v = uint32_t(around_.vertices()); v-- > 0;) {
      if (around_.count(v) > 0) queue_.put(v, around_.count(v));
    }
    order_.reserve(indices_.size() / 3);
    while (order_.size() * 3 < indices_.size()) {
      uint32_t focus = next_focus();
      if (focus == BucketQueue::kNone) {
        do {
          focus = queue_.take([&](uint32_t v) { return around_.count(v); });
        } while (around_.count(focus) == 0);
      }
      draw(focus);
    }
    return std::move(order_);
  }

 private:
  std::span<const uint32_t> indices_;
  VertexTriangles around_;
  uint64_t size_, pushes_ = 0;
  std::vector<uint64_t> pushed_;  // number of the push that loaded the vertex, counted from 1
  std::vector<uint32_t> history_, order_;
  BucketQueue queue_;

  bool cached(uint32_t v) const { return pushed_[v] != 0 && pushes_ - pushed_[v] < size_; }

  uint32_t next_focus() const {
    uint32_t best = BucketQueue::kNone;
    float best_cost = 0;
    const uint64_t oldest = pushes_ > size_ ? pushes_ - size_ : 0;
    for (uint64_t push = oldest; push < pushes_; ++push) {
      const uint32_t v = history_[push];
      if (pushed_[v] != push + 1 || around_.count(v) == 0) continue;
      const float c = cost(v);
      if (best != BucketQueue::kNone && c >= best_cost) continue;
      best = v;
      best_cost = c;
    }
    return best;
  }

  float cost(uint32_t v) const {
    const auto list = around_.triangles(v);
    const auto looked = list.first(std::min(list.size(), kMaxLooked));
    uint32_t misses = 0;
    std::array<uint32_t, 2 * kMaxLooked> fresh;
    for (const uint32_t t : looked) {
      for (size_t i = 0; i < 3; ++i) {
        const uint32_t other = indices_[size_t(t) * 3 + i];
        if (other == v || cached(other)) continue;
        if (std::find(fresh.begin(), fresh.begin() + misses, other) != fresh.begin() + misses) continue;
        fresh[misses++] = other;
      }
    }
    const float age = float(pushes_ - pushed_[v] + misses) / float(size_);
    const float place = age < 1.0f ? 1.0f - age : 1.0f;
    return kPushes * float(misses) - kTriangles * float(looked.size()) + kPlace * place;
  }

  // Draws the remaining triangles of `v`. The next one is always the one with the fewest misses.
  void draw(uint32_t v) {
    while (around_.count(v) > 0) {
      const auto list = around_.triangles(v);
      uint32_t best = list[0], best_misses = 4;
      for (const uint32_t t : list.first(std::min(list.size(), kMaxLooked))) {
        uint32_t misses = 0;
        for (size_t i = 0; i < 3; ++i) misses += !cached(indices_[size_t(t) * 3 + i]);
        if (misses >= best_misses) continue;
        best = t;
        best_misses = misses;
      }
      for (size_t i = 0; i < 3; ++i) {
        const uint32_t corner = indices_[size_t(best) * 3 + i];
        if (cached(corner)) continue;
        history_.push_back(corner);
        pushed_[corner] = ++pushes_;
      }
      around_.remove(best, indices_);
      order_.push_back(best);
    }
    queue_.remove(v);
  }
};

}  // namespace

std::vector<uint32_t> k_cache_order(std::span<const uint32_t> indices, uint32_t cache_size) {
  if (indices.empty()) return {};
  return KCache(indices, cache_size).run();
}

}  // namespace brokkr
