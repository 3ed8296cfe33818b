// Times of accesses: on-chip banks, coalescing, caches, channels, and serialized atomics at one address.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/config.h"
#include "simt/statistics.h"

namespace brokkr::simt {

// A set-associative cache that replaces the least recently used line.
class Cache {
 public:
  Cache(const CacheConfig& config, uint32_t line);
  struct Result {
    bool hit = false;
    bool wrote_back = false;  // a dirty line was evicted
  };
  // `allocate`: a missing line is loaded.
  Result access(uint64_t address, bool dirty, bool allocate);

 private:
  struct Line {
    uint64_t tag = ~uint64_t(0), used = 0;
    bool dirty = false;
  };
  uint32_t line_, ways_, sets_;
  uint64_t time_ = 0;
  std::vector<Line> lines_;
};

// The number of turns of the busiest bank, at least 1. Different words in one bank are serialized; lanes at the same
// word are served together. `addresses`: one per active lane, `bytes` each.
uint32_t bank_cycles(const std::vector<uint64_t>& addresses, uint32_t bytes, uint32_t banks);

// The distinct segments that the lanes touch, in lane order. `segment` is a power of two.
void coalesce(const std::vector<uint64_t>& addresses, uint32_t bytes, uint32_t segment, std::vector<uint64_t>& out);

enum class AccessKind : uint8_t { load, store, atomic };

class MemoryModel {
 public:
  MemoryModel(const Config& config, Statistics& statistics);
  // An off-chip access from a core. Returns the cycle in which the last lane receives its data.
  uint64_t access(uint32_t core, AccessKind kind, const std::vector<uint64_t>& addresses, uint32_t bytes,
                  uint64_t cycle);
  // The number of turns of on-chip atomics, because lanes at the same address are serialized.
  uint32_t atomic_turns(const std::vector<uint64_t>& addresses) const;

 private:
  uint64_t segment(uint32_t core, AccessKind kind, uint64_t address, uint64_t cycle);
  uint64_t beyond_l1(AccessKind kind, uint64_t address, uint64_t cycle);
  uint64_t channel(uint64_t address, uint32_t bytes, uint64_t cycle);

  const Config& config_;
  Statistics& statistics_;
  std::vector<Cache> l1_;
  std::vector<Cache> l2_;
  std::vector<uint64_t> channel_free_;                  // per channel: the cycle from which it is free
  std::unordered_map<uint64_t, uint64_t> atomic_free_;  // per word
  std::vector<uint64_t> segments_;
};

}  // namespace brokkr::simt
