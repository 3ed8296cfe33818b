#include "ptx/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "ptx/settings.h"

namespace brokkr::ptx {
namespace {

constexpr uint64_t kSpan = uint64_t(1) << 38;  // addresses are not reused, so reserve 256 GiB
constexpr uint32_t kMaxRanges = 1u << 20;

void* reserve(size_t bytes, int protection) {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::runtime_error("ptx: no address space for device memory");
  return p;
}

}  // namespace

Memory& Memory::instance() {
  static Memory& memory = *new Memory;  // never destroyed: programs free buffers while they exit
  return memory;
}

Memory::Memory() {
  base_ = reinterpret_cast<uint64_t>(reserve(kSpan, PROT_NONE));
  pages_ = kSpan >> kPageBits;
  table_ = static_cast<uint32_t*>(reserve(pages_ * sizeof(uint32_t), PROT_READ | PROT_WRITE));
  ranges_ = static_cast<Range*>(reserve(kMaxRanges * sizeof(Range), PROT_READ | PROT_WRITE));
  ranges_[0] = Range();
  total_ = size_t(settings().memory_mib) << 20;
  poison_ = settings().poison;
  if (settings().touched) touched_ = static_cast<uint8_t*>(reserve(kSpan >> kLineBits, PROT_READ | PROT_WRITE));
}

void* Memory::allocate(size_t bytes, RangeKind kind, const void* owner, bool zeroed) {
  const std::lock_guard lock(mutex_);
  const uint64_t pages = (bytes + (1u << kPageBits) - 1) >> kPageBits;
  if ((kind == kGlobalRange && used_ + bytes > total_) || next_page_ + pages + 1 > pages_) return nullptr;
  uint32_t index = 0;
  if (!free_ranges_.empty() && free_ranges_.size() > 4096) {
    index = free_ranges_.front();
    free_ranges_.erase(free_ranges_.begin());
  } else if (range_count_ < kMaxRanges) {
    index = range_count_++;
  } else {
    return nullptr;
  }
  const uint64_t begin = base_ + (next_page_ << kPageBits);
  void* memory = reinterpret_cast<void*>(begin);
  if (mprotect(memory, pages << kPageBits, PROT_READ | PROT_WRITE) != 0) return nullptr;
  if (poison_ >= 0 && !zeroed) std::memset(memory, poison_, bytes);
  ranges_[index] = {begin, begin + bytes, kind, owner, allocations_++, false};
  for (uint64_t i = 0; i < pages; ++i) table_[next_page_ + i] = index;
  next_page_ += pages + 1;
  if (kind == kGlobalRange) used_ += bytes;
  return memory;
}

void Memory::free(void* memory) {
  if (memory == nullptr) return;
  const std::lock_guard lock(mutex_);
  const uint64_t address = reinterpret_cast<uint64_t>(memory);
  const uint64_t page = (address - base_) >> kPageBits;
  if (page >= pages_ || table_[page] == 0 || ranges_[table_[page]].begin != address) {
    std::fprintf(stderr, "ptx: free of %p, which is not an allocation\n", memory);
    return;
  }
  const uint32_t index = table_[page];
  Range& range = ranges_[index];
  const uint64_t bytes = range.end - range.begin, pages = (bytes + (1u << kPageBits) - 1) >> kPageBits;
  if (range.kind == kGlobalRange) used_ -= bytes;
  range.kind = 0;
  range.freed = true;
  free_ranges_.push_back(index);
  // Pages return to the system and stay inaccessible, so that later accesses are caught.
  mmap(memory, pages << kPageBits, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void Memory::give(void* memory, const void* owner) {
  const std::lock_guard lock(mutex_);
  ranges_[table_[(reinterpret_cast<uint64_t>(memory) - base_) >> kPageBits]].owner = owner;
}

void Memory::print_touched(const std::string& who) {
  if (touched_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (uint32_t i = 1; i < range_count_; ++i) {
    const Range& r = ranges_[i];
    if (r.kind != kGlobalRange) continue;
    uint8_t* const first = touched_ + ((r.begin - base_) >> kLineBits);
    uint8_t* const last = touched_ + ((r.end - base_ + (1u << kLineBits) - 1) >> kLineBits);
    const uint64_t bytes = uint64_t(std::count(first, last, 1)) << kLineBits;
    std::fill(first, last, uint8_t(0));
    if (bytes == 0) continue;
    std::fprintf(stderr, "ptx: %s touches %llu bytes of allocation %llu, %llu bytes\n", who.c_str(),
                 static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(r.number),
                 static_cast<unsigned long long>(r.end - r.begin));
  }
}

std::string Memory::describe(uint64_t address) const {
  const Range& r = range_of(address);
  char text[160];
  if (r.end == 0) {
    // The address may lie just behind an allocation.
    const Range& before = range_of(address - (1u << kPageBits));
    if (before.end == 0) return "there is no allocation";
    std::snprintf(text, sizeof text, "%llu bytes behind allocation %llu of %llu bytes%s",
                  static_cast<unsigned long long>(address - before.end), static_cast<unsigned long long>(before.number),
                  static_cast<unsigned long long>(before.end - before.begin), before.freed ? ", freed" : "");
    return text;
  }
  const char* kinds[] = {"global", "pinned", "shared", "local", "parameter", "constant"};
  const char* kind = "freed";
  for (int i = 0; i < 6; ++i) {
    if (r.kind == 1u << i) kind = kinds[i];
  }
  std::snprintf(text, sizeof text, "at byte %lld of %s allocation %llu of %llu bytes",
                static_cast<long long>(address - r.begin), kind, static_cast<unsigned long long>(r.number),
                static_cast<unsigned long long>(r.end - r.begin));
  return text;
}

}  // namespace brokkr::ptx
