// Lists that grow while a file is read. What a std::vector does at once, which takes a second for a gigabyte on a busy
// computer, goes on in steps here, and between two steps somebody is asked whether it shall.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/loading.h"

namespace brokkr {

inline constexpr size_t kGrowthStep = size_t(1) << 20;  // bytes

// Makes `list` one of `count` times `value`. `watch()` is called before each step, and may throw.
template <typename T, typename Watch>
void fill_in_steps(std::vector<T>& list, size_t count, const T& value, const Watch& watch) {
  constexpr size_t kStep = std::max<size_t>(kGrowthStep / sizeof(T), 1);
  list.clear();
  list.reserve(count);
  while (list.size() < count) {
    watch();
    list.resize(std::min(list.size() + kStep, count), value);
  }
}

// Appends `value`. Where the list is full it moves to one of twice the size. Throws what `loading` throws.
template <typename T>
void push_in_steps(std::vector<T>& list, const T& value, Loading& loading) {
  if (list.size() == list.capacity()) {
    constexpr size_t kStep = std::max<size_t>(kGrowthStep / sizeof(T), 1), kLeast = 16;
    std::vector<T> larger;
    larger.reserve(std::max(2 * list.size(), kLeast));
    for (auto from = list.begin(); from != list.end();) {
      loading.look();
      const auto to = from + std::min(std::ptrdiff_t(kStep), list.end() - from);
      larger.insert(larger.end(), from, to);
      from = to;
    }
    list.swap(larger);
  }
  list.push_back(value);
}

}  // namespace brokkr
