// A queue of items with small whole-number costs, cheapest first, for costs that change often by little.
//
// An item whose cost changes is put in again; its old entry is dropped when the queue comes to it. All operations take
// constant time on average, without the links and the consolidation of a Fibonacci heap (which [Kerbl18, 6.3] uses;
// docs/research/batches.md compares their times).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace brokkr {

class BucketQueue {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  BucketQueue(size_t items, uint32_t max_cost) : buckets_(size_t(max_cost) + 1), cost_(items, kNone) {}

  // Costs above the largest bucket share it.
  void put(uint32_t item, uint32_t cost) {
    cost = std::min(cost, uint32_t(buckets_.size() - 1));
    if (cost_[item] == cost) return;
    cost_[item] = cost;
    buckets_[cost].push_back(item);
    cheapest_ = std::min(cheapest_, cost);
  }
  void remove(uint32_t item) { cost_[item] = kNone; }

  // Takes out the cheapest item, among equal ones the one that was put in last; kNone where the queue is empty.
  // `cost_of(item)` is the item's cost now: an item whose cost has changed since goes back into the bucket of its new
  // cost.
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
  std::vector<uint32_t> cost_;  // of the entry that counts
  uint32_t cheapest_ = 0;
};

}  // namespace brokkr
