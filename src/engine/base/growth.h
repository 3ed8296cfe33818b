// Lists that grow while a file is read. A std::vector grows at once, which takes a second for a gigabyte on a busy
// computer. These functions grow in steps, and call a function between two steps that may stop them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/loading.h"

namespace brokkr {

inline constexpr size_t kGrowthStep = size_t(1) << 20;  // bytes

// Makes `list` consist of `count` times `value`. Calls `watch()` before each step, which may throw.
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

// Moves a full list to one of twice the size. Passes on what `loading` throws.
template <typename T>
[[gnu::noinline]] void grow_in_steps(std::vector<T>& list, Loading& loading) {
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

// Appends `value`. If the list is full, moves it to one of twice the size. Passes on what `loading` throws.
template <typename T>
[[gnu::always_inline]] inline void push_in_steps(std::vector<T>& list, const T& value, Loading& loading) {
  if (list.size() == list.capacity()) grow_in_steps(list, loading);
  if (list.size() == list.capacity()) __builtin_unreachable();  // push_back needs no code that grows the list
  list.push_back(value);
}

}  // namespace brokkr
