// S of [Kerbl18, 5.3.5], counted without looking at every pair.
#include "lab/schedule_experiments.h"
#include "lab/schedule_plan.h"

namespace brokkr::lab {

double schedule_accuracy(const std::vector<uint32_t>& numbers, uint32_t tasks, uint32_t seed) {
  if (numbers.empty() || tasks < 2) return 100;
  // Queued tasks by priority: a Fenwick tree over its upper 20 bits.
  constexpr uint32_t kBits = 20, kSize = 1u << kBits;
  std::vector<int32_t> tree(kSize + 1);
  const auto place = [&](uint32_t n) { return (drawn_priority(n, seed) >> (24 - kBits)) + 1; };
  const auto add = [&](uint32_t at, int32_t n) {
    for (; at <= kSize; at += at & (0u - at)) tree[at] += n;
  };
  const auto below_or_equal = [&](uint32_t at) {
    int64_t sum = 0;
    for (; at > 0; at -= at & (0u - at)) sum += tree[at];
    return sum;
  };
  for (uint32_t n = 0; n < tasks; ++n) add(place(n), 1);
  int64_t right = 0, all = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint32_t n = numbers[i];
    add(place(n), -1);
    right += below_or_equal(place(n));
    all += tasks - 1;
    add(place(uint32_t(tasks + i)), 1);  // the task that it made begins after it
  }
  return all > 0 ? 100.0 * double(right) / double(all) : 100;
}

}  // namespace brokkr::lab
