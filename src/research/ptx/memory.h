// Device memory: a reserved part of the host's address space, so that a device pointer is a host pointer. Every access
// of a kernel is checked against the allocation that its page belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace brokkr::ptx {

// The use of a range of addresses. A set of these determines the ranges that an instruction may access.
enum RangeKind : uint32_t {
  kGlobalRange = 1,
  kPinnedRange = 2,
  kSharedRange = 4,
  kLocalRange = 8,
  kParamRange = 16,
  kConstRange = 32,
  kAnyRange = 63,
  kWritableRanges = kGlobalRange | kPinnedRange | kSharedRange | kLocalRange,
};

struct Range {
  uint64_t begin = 1, end = 0;  // initially empty, so that every access fails
  uint32_t kind = 0;
  const void* owner = nullptr;  // the only block that may access it
  uint64_t number = 0;          // number of the allocation, in order of creation
  bool freed = false;
};

class Memory {
 public:
  static Memory& instance();

  // Allocates memory that is zeroed, or filled with BROKKR_PTX_POISON's byte; nullptr if the device has no more. It is
  // aligned to 4096 bytes, and the page after it is never used.
  void* allocate(size_t bytes, RangeKind kind, const void* owner = nullptr, bool zeroed = false);
  void free(void* memory);
  void give(void* memory, const void* owner);  // passes memory to another block
  size_t used() const { return used_; }
  size_t total() const { return total_; }

  const Range& range_of(uint64_t address) const {
    const uint64_t page = (address - base_) >> kPageBits;
    return ranges_[page < pages_ ? table_[page] : 0];
  }
  bool holds(const void* address, RangeKind kind) const {
    return (range_of(reinterpret_cast<uint64_t>(address)).kind & kind) != 0;
  }
  // Records the line of an access if BROKKR_PTX_TOUCHED is set.
  void touch(uint64_t address) const {
    if (touched_ != nullptr) [[unlikely]]
      // several threads may write it
      __atomic_store_n(&touched_[(address - base_) >> kLineBits], uint8_t(1), __ATOMIC_RELAXED);
  }
  bool is_recorded() const { return touched_ != nullptr; }
  // Prints which part of each allocation was accessed, and resets the records.
  void print_touched(const std::string& who);
  // Describes an address that no instruction may access.
  std::string describe(uint64_t address) const;

 private:
  static constexpr int kPageBits = 12, kLineBits = 7;
  Memory();

  mutable std::mutex mutex_;
  uint64_t base_ = 0, pages_ = 0, next_page_ = 1, allocations_ = 0;
  uint32_t* table_ = nullptr;  // by page: index of its range
  Range* ranges_ = nullptr;
  uint8_t* touched_ = nullptr;  // by line; nullptr: not recorded
  uint32_t range_count_ = 1;
  std::vector<uint32_t> free_ranges_;
  size_t used_ = 0, total_ = 0;
  int poison_ = -1;
};

// Two-dimensional memory that kernels write through a handle.
struct Surface {
  uint8_t* data = nullptr;
  uint64_t pitch = 0, height = 0;
};

// A handle is the surface's address; 0: none.
inline const Surface* surface_of(uint64_t handle) { return reinterpret_cast<const Surface*>(handle); }

}  // namespace brokkr::ptx
