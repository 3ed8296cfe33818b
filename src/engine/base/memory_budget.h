// The memory that a computation may use. It is counted before it is allocated, and a request that exceeds the limit is
// refused.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace brokkr {

// Everything that a command allocates memory for shares one budget. Any thread may call it.
class MemoryBudget {
 public:
  // `limit_mib` is that of memory_limit_bytes (base/loading.h). `remedy` is the user's alternative to a larger limit,
  // such as "choose a smaller --size". `source`, a file or a scene, comes first in messages.
  MemoryBudget(int limit_mib, std::string remedy, std::string source = {});
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Throws std::runtime_error if `bytes` more exceed the limit. The message names `field`, the needed size and the
  // remedy.
  void check(uint64_t bytes, std::string_view field) const;
  // Does the same, and counts the bytes.
  void take(uint64_t bytes, std::string_view field);
  void give_back(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  bool fits(uint64_t bytes) const { return bytes <= left(); }
  uint64_t left() const {
    const uint64_t used = used_.load(std::memory_order_relaxed);
    return used < limit_ ? limit_ - used : 0;
  }

 private:
  const uint64_t limit_;
  const std::string remedy_, source_;
  std::atomic<uint64_t> used_{0};
};

// A part of a budget that is returned at the end of a scope. Without a budget, nothing is counted.
class HeldMemory {
 public:
  HeldMemory() = default;
  HeldMemory(std::shared_ptr<MemoryBudget> budget, uint64_t bytes, std::string_view field)
      : budget_(std::move(budget)), bytes_(bytes) {
    if (budget_) budget_->take(bytes, field);
  }
  HeldMemory(HeldMemory&& other) noexcept : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
  HeldMemory& operator=(HeldMemory&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HeldMemory() {
    if (budget_) budget_->give_back(bytes_);
  }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  uint64_t bytes_ = 0;
};

// Counts lists that grow while something is made. Before a list allocates more memory, it asks for that memory.
class GrowingMemory {
 public:
  GrowingMemory(std::shared_ptr<MemoryBudget> budget, std::string_view field)
      : budget_(std::move(budget)), field_(field) {}
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;
  ~GrowingMemory() { give_back(held_); }

  // Makes room in `list` for `more` elements. While a list moves, its memory counts twice.
  template <class List>
  void make_room(List& list, size_t more) {
    using T = typename List::value_type;
    const size_t needed = list.size() + more;
    if (needed <= list.capacity()) return;
    const size_t capacity = std::max(needed, list.capacity() * 2);
    if (budget_) budget_->check(uint64_t(capacity) * sizeof(T), field_);
    hold(uint64_t(capacity - list.capacity()) * sizeof(T));
    list.reserve(capacity);
  }
  void hold(uint64_t bytes) {
    if (budget_) budget_->take(bytes, field_);
    held_ += bytes;
  }
  void give_back(uint64_t bytes) {
    if (budget_) budget_->give_back(bytes);
    held_ -= bytes;
  }
  // The memory stays counted after this object ends, and the caller must return it.
  uint64_t release() { return std::exchange(held_, 0); }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::string field_;
  uint64_t held_ = 0;
};

}  // namespace brokkr
