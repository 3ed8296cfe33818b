// The time that accesses take: banks on chip, coalescing, caches, channels, atomics at one address in turn.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/config.h"
#include "simt/statistics.h"

namespace brokkr::simt {

// Least recently used lines of a set-associative cache.
class Cache {
 public:
  Cache(const CacheConfig& config, uint32_t line);
  struct Result {
    bool hit = false;
    bool wrote_back = false;  // a dirty line had to leave
  };
  // `allocate`: a line that is not there is brought in.
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

// Cycles that a bank's busiest lane waits: words of one bank follow each other, lanes at one word are served together.
// `addresses`: of each lane that takes part, `bytes` each. At least 1.
uint32_t bank_cycles(const std::vector<uint64_t>& addresses, uint32_t bytes, uint32_t banks);

// Segments that the lanes touch, each once, in the order of lanes. `segment` is a power of two.
void coalesce(const std::vector<uint64_t>& addresses, uint32_t bytes, uint32_t segment, std::vector<uint64_t>& out);

enum class AccessKind : uint8_t { load, store, atomic };

class MemoryModel {
 public:
  MemoryModel(const Config& config, Statistics& statistics);
  // Off the chip, from a core: returns the cycle in which the last lane has what it asked for.
  uint64_t access(uint32_t core, AccessKind kind, const std::vector<uint64_t>& addresses, uint32_t bytes,
                  uint64_t cycle);
  // Atomics on chip: lanes at one address in turn.
  uint32_t atomic_turns(const std::vector<uint64_t>& addresses) const;

 private:
  uint64_t segment(uint32_t core, AccessKind kind, uint64_t address, uint64_t cycle);
  uint64_t beyond_l1(AccessKind kind, uint64_t address, uint64_t cycle);
  uint64_t channel(uint64_t address, uint32_t bytes, uint64_t cycle);

  const Config& config_;
  Statistics& statistics_;
  std::vector<Cache> l1_;
  std::vector<Cache> l2_;
  std::vector<uint64_t> channel_free_;                  // of each: the cycle from which it is
  std::unordered_map<uint64_t, uint64_t> atomic_free_;  // of each word
  std::vector<uint64_t> segments_;
};

}  // namespace brokkr::simt
