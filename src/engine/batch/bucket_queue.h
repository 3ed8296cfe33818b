// A priority queue of items with small integer costs, cheapest first, for costs that change often but only a little.
//
// An item whose cost changes is inserted again; its old entry is dropped when the queue reaches it. All operations take
// amortized constant time, without the links and the consolidation of a Fibonacci heap, which [Kerbl18, 6.3] uses
// (docs/research/batches.md compares their times).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace brokkr {

class BucketQueue {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  BucketQueue(size_t items, uint32_t max_cost) : buckets_(size_t(max_cost) + 1), cost_(items, kNone) {}

  // Costs above the largest bucket share that bucket.
  void put(uint32_t item, uint32_t cost) {
    cost = std::min(cost, uint32_t(buckets_.size() - 1));
    if (cost_[item] == cost) return;
    cost_[item] = cost;
    buckets_[cost].push_back(item);
    cheapest_ = std::min(cheapest_, cost);
  }
  void remove(uint32_t item) { cost_[item] = kNone; }

  // Removes and returns the cheapest item. Among equal costs, returns the item that was inserted last; kNone if the
  // queue is empty. `cost_of(item)` is the item's current cost. If it has changed, the item goes back to the bucket of
  // its new cost.
  template <class CostOf>
  uint32_t take(CostOf&& cost_of) {
    while (cheapest_ < buckets_.size()) {
      auto& bucket = buckets_[cheapest_];
      if (bucket.empty()) {
        ++cheapest_;
        continue;
      }
      const uint32_t item = bucket.back();
      bucket.pop_back();
      if (cost_[item] != cheapest_) continue;
      const uint32_t now = std::min(uint32_t(cost_of(item)), uint32_t(buckets_.size() - 1));
      if (now == cheapest_) {
        cost_[item] = kNone;
        return item;
      }
      put(item, now);
    }
    return kNone;
  }

 private:
  std::vector<std::vector<uint32_t>> buckets_;
  std::vector<uint32_t> cost_;  // cost of the item's valid entry
  uint32_t cheapest_ = 0;
};

}  // namespace brokkr
