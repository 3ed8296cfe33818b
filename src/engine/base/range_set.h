// Ranges of an array that are kept and moved together, so that nothing lies between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace brokkr {

class RangeSet {
 public:
  // Ranges may overlap. Ranges that overlap or touch become one.
  void add(uint64_t begin, uint64_t count) {
    if (count == 0) return;
    uint64_t end = begin + count;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second.end >= begin) --next;
    while (next != ranges_.end() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second.end);
      next = ranges_.erase(next);
    }
    ranges_[begin] = {end, 0};
  }

  // Calls move(from, to, count) for each range, in ascending order, and returns the total number of elements.
  template <typename Move>
  uint64_t pack(Move&& move) {
    uint64_t size = 0;
    for (auto& [begin, range] : ranges_) {
      move(begin, size, range.end - begin);
      range.moved = size;
      size += range.end - begin;
    }
    return size;
  }

  // The place to which `pack` moved the element at `place`; 0 if the place is in no range.
  uint64_t moved(uint64_t place) const {
    const auto after = ranges_.upper_bound(place);
    if (after == ranges_.begin()) return 0;
    const auto& [begin, range] = *std::prev(after);
    return place < range.end ? range.moved + (place - begin) : 0;
  }

 private:
  struct Range {
    uint64_t end, moved;
  };
  std::map<uint64_t, Range> ranges_;  // by their first elements
};

}  // namespace brokkr
