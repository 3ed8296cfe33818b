// The memory that a computation may have: it is counted before it is taken, and what is too much is refused.
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

// Shared by all that a command takes memory for. From any thread.
class MemoryBudget {
 public:
  // `limit_mib` as memory_limit_bytes (base/loading.h) takes it. `remedy` is what the user can do but for a larger
  // limit, as in "choose a smaller --size"; `source` is named first in messages, a file or a scene.
  MemoryBudget(int limit_mib, std::string remedy, std::string source = {});
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Throws std::runtime_error naming `field`, what is needed and the remedy where `bytes` more are beyond the limit.
  void check(uint64_t bytes, std::string_view field) const;
  // The same, and counts them.
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

// A part of a budget that is given back at the end of a scope. Without a budget nothing is counted.
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

// Counts the lists that grow while something is made: before a list takes more memory, it is asked for.
class GrowingMemory {
 public:
  GrowingMemory(std::shared_ptr<MemoryBudget> budget, std::string_view field)
      : budget_(std::move(budget)), field_(field) {}
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;
  ~GrowingMemory() { give_back(held_); }

  // Room in `list` for `more` elements. While a list moves, it is there twice.
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
  // The held memory stays held after this object's end: the caller answers for it.
  uint64_t release() { return std::exchange(held_, 0); }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::string field_;
  uint64_t held_ = 0;
};

}  // namespace brokkr
