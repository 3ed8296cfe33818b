// Finds equal vertices while a mesh is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/growth.h"
#include "base/loading.h"

namespace brokkr {

// Numbers keys of kWords words in the order of their first use, from 0. Its two lists are freed at once. A
// std::unordered_map consists of millions of nodes; freeing them would take longer than a user who cancels a loading
// waits.
template <size_t kWords>
class VertexNumbers {
 public:
  using Key = std::array<uint32_t, kWords>;
  // Bytes per key, including the copies of growing lists.
  static constexpr uint64_t kBytes = 3 * sizeof(Key) + 12 * sizeof(uint32_t);

  explicit VertexNumbers(Loading& loading) : loading_(loading), slots_(kLeastSlots, kFree) {}

  size_t size() const { return keys_.size(); }
  // Returns the key's number. The number of a new key is the previous size(). Passes on what `loading` throws.
  uint32_t number_of(const Key& key) {
    uint32_t& slot = slot_of(key);
    if (slot != kFree) return slot;
    const auto number = uint32_t(keys_.size());
    slot = number;
    push_in_steps(keys_, key, loading_);
    if (2 * keys_.size() > slots_.size()) grow();
    return number;
  }

 private:
  static constexpr uint32_t kFree = ~uint32_t(0);
  static constexpr size_t kLeastSlots = 64;  // all sizes are powers of two

  uint32_t& slot_of(const Key& key) {
    constexpr uint64_t kOdd = 0x9e3779b97f4a7c15u;
    uint64_t value = 0;
    for (const uint32_t bits : key) value = (value ^ bits) * kOdd;
    value = (value ^ value >> 32) * kOdd;  // the upper half depends on all bits
    const size_t mask = slots_.size() - 1;
    size_t slot = size_t(value >> 32) & mask;
    while (slots_[slot] != kFree && keys_[slots_[slot]] != key) slot = (slot + 1) & mask;
    return slots_[slot];
  }
  void grow() {
    fill_in_steps(slots_, slots_.size() * 2, kFree, [&] { loading_.look(); });
    for (size_t i = 0; i < keys_.size(); i++) {
      loading_.step();
      slot_of(keys_[i]) = uint32_t(i);
    }
  }

  Loading& loading_;
  std::vector<Key> keys_;
  std::vector<uint32_t> slots_;  // open addressing
};

}  // namespace brokkr
