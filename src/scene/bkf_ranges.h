// Gathers the parts of a frame file's blob that become one of the Frame's arrays.
//
// Draws share ranges, and ranges may overlap. All ranges of one element type are collected, merged where they overlap
// or touch, and copied once, one after another: the array cannot become larger than the blob, however many draws refer
// to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace brokkr::bkf {

template <typename T>
class BlobRanges {
 public:
  // [offset, offset + count * sizeof(T)) lies inside the blob, and offset is aligned to alignof(T).
  void add(uint64_t offset, uint64_t count) {
    if (count > 0) ranges_.push_back({offset, offset + count * sizeof(T), 0});
  }

  // Merges what was added and copies it.
  std::vector<T> gather(std::span<const std::byte> blob) {
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    size_t merged = 0;
    for (const Range& range : ranges_) {
      if (merged > 0 && range.begin <= ranges_[merged - 1].end) {
        ranges_[merged - 1].end = std::max(ranges_[merged - 1].end, range.end);
      } else {
        ranges_[merged++] = range;
      }
    }
    ranges_.resize(merged);
    uint64_t total = 0;
    for (Range& range : ranges_) {
      range.first = total;
      total += (range.end - range.begin) / sizeof(T);
    }
    std::vector<T> result(static_cast<size_t>(total));
    for (const Range& range : ranges_) {
      std::memcpy(&result[size_t(range.first)], &blob[size_t(range.begin)], size_t(range.end - range.begin));
    }
    return result;
  }

  // After `gather`: where in the array the element at `offset` went; 0 for an offset that begins no range.
  uint64_t first(uint64_t offset) const {
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                                  [](uint64_t value, const Range& range) { return value < range.begin; });
    if (after == ranges_.begin()) return 0;
    const Range& range = *std::prev(after);
    return offset < range.end ? range.first + (offset - range.begin) / sizeof(T) : 0;
  }

 private:
  struct Range {
    uint64_t begin, end;  // bytes of the blob
    uint64_t first;       // element of the array
  };
  std::vector<Range> ranges_;
};

}  // namespace brokkr::bkf
