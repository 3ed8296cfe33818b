#include "simt/memory_model.h"

#include <algorithm>

namespace brokkr::simt {

Cache::Cache(const CacheConfig& config, uint32_t line)
    : line_(line), ways_(std::max(1u, config.ways)), sets_(std::max(1u, config.bytes / line / ways_)) {
  if (config.kind == CacheConfig::Kind::sets) lines_.resize(size_t(sets_) * ways_);
}

Cache::Result Cache::access(uint64_t address, bool dirty, bool allocate) {
  const uint64_t tag = address / line_;
  Line* const set = &lines_[size_t(tag % sets_) * ways_];
  Line* oldest = set;
  ++time_;
  for (uint32_t w = 0; w < ways_; ++w) {
    if (set[w].tag == tag) {
      set[w].used = time_;
      set[w].dirty |= dirty;
      return {true, false};
    }
    if (set[w].used < oldest->used) oldest = &set[w];
  }
  if (!allocate) return {};
  const bool wrote_back = oldest->dirty;
  *oldest = {tag, time_, dirty};
  return {false, wrote_back};
}

uint32_t bank_cycles(const std::vector<uint64_t>& addresses, uint32_t bytes, uint32_t banks) {
  if (banks == 0 || addresses.size() < 2) return 1;
  // An access wider than a word counts as one access per word. A bank serves one word per turn, to any number of lanes.
  constexpr size_t kMaxWords = 32;
  uint64_t words[kMaxWords];
  uint32_t total = 0;
  for (uint32_t part = 0; part < std::max(1u, bytes / 4); ++part) {
    size_t count = 0;
    uint32_t most = 1;
    for (const uint64_t a : addresses) {
      const uint64_t w = a / 4 + part;
      uint32_t turns = 1;
      bool is_there = false;
      for (size_t i = 0; i < count && !is_there; ++i) {
        is_there = words[i] == w;
        turns += uint32_t(((words[i] ^ w) & (banks - 1)) == 0);
      }
      if (is_there) continue;
      words[count++] = w;
      most = std::max(most, turns);
    }
    total += most;
  }
  return total;
}

void coalesce(const std::vector<uint64_t>& addresses, uint32_t bytes, uint32_t segment, std::vector<uint64_t>& out) {
  out.clear();
  const uint64_t mask = ~uint64_t(segment - 1);
  for (const uint64_t a : addresses) {
    const uint64_t last = (a + bytes - 1) & mask;
    for (uint64_t s = a & mask; s <= last; s += segment) {
      // Usually a lane touches the same segment as the lane before it.
      if (!out.empty() && out.back() == s) continue;
      if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(s);
    }
  }
}

MemoryModel::MemoryModel(const Config& config, Statistics& statistics)
    : config_(config), statistics_(statistics), channel_free_(config.memory.channels) {
  if (config.l1.kind == CacheConfig::Kind::sets) l1_.assign(config.cores, Cache(config.l1, config.memory.line));
  if (config.l2.kind == CacheConfig::Kind::sets) l2_.emplace_back(config.l2, config.memory.line);
}

uint64_t MemoryModel::channel(uint64_t address, uint32_t bytes, uint64_t cycle) {
  const MemoryConfig& m = config_.memory;
  uint64_t& is_free = channel_free_[address / m.line % m.channels];
  const uint64_t begin = std::max(cycle, is_free);
  is_free = begin + (bytes + m.bytes_per_cycle - 1) / m.bytes_per_cycle;
  return is_free + m.latency;
}

uint64_t MemoryModel::beyond_l1(AccessKind kind, uint64_t address, uint64_t cycle) {
  const uint32_t bytes = config_.memory.segment;
  const bool reads = kind != AccessKind::store, writes = kind != AccessKind::load;
  if (config_.l2.kind == CacheConfig::Kind::perfect) {
    ++statistics_.l2_hits;
    return cycle + config_.l2.latency;
  }
  if (config_.l2.kind == CacheConfig::Kind::sets) {
    const Cache::Result r = l2_[0].access(address, writes, true);
    ++(r.hit ? statistics_.l2_hits : statistics_.l2_misses);
    if (r.wrote_back) {
      statistics_.off_chip.written += bytes;
      channel(address, bytes, cycle);
    }
    if (r.hit || !reads) return cycle + config_.l2.latency;
    statistics_.off_chip.read += bytes;
    return channel(address, bytes, cycle) + config_.l2.latency;
  }
  if (reads) statistics_.off_chip.read += bytes;
  if (writes) statistics_.off_chip.written += bytes;
  return channel(address, kind == AccessKind::atomic ? 2 * bytes : bytes, cycle);
}

uint64_t MemoryModel::segment(uint32_t core, AccessKind kind, uint64_t address, uint64_t cycle) {
  if (config_.l1.kind == CacheConfig::Kind::perfect && kind != AccessKind::atomic) {
    ++statistics_.l1_hits;
    return cycle + config_.l1.latency;
  }
  if (config_.l1.kind == CacheConfig::Kind::sets && kind != AccessKind::atomic) {
    // Stores are written through and allocate no line.
    const Cache::Result r = l1_[core].access(address, false, kind == AccessKind::load);
    ++(r.hit ? statistics_.l1_hits : statistics_.l1_misses);
    if (r.hit && kind == AccessKind::load) return cycle + config_.l1.latency;
  }
  return beyond_l1(kind, address, cycle);
}

uint64_t MemoryModel::access(uint32_t core, AccessKind kind, const std::vector<uint64_t>& addresses, uint32_t bytes,
                             uint64_t cycle) {
  uint64_t done = cycle;
  coalesce(addresses, bytes, config_.memory.segment, segments_);
  for (size_t i = 0; i < segments_.size(); ++i) done = std::max(done, segment(core, kind, segments_[i], cycle + i));
  if (kind != AccessKind::atomic || config_.memory.atomic_cycles == 0) return done;
  // Atomics at one address take turns, whichever core they come from. Then the answer travels back.
  const uint64_t way = done - cycle;
  for (const uint64_t a : addresses) {
    uint64_t& is_free = atomic_free_[a];
    const uint64_t begin = std::max(cycle, is_free);
    statistics_.atomics_waited += begin - cycle;
    is_free = begin + config_.memory.atomic_cycles;
    done = std::max(done, is_free + way);
  }
  return done;
}

uint32_t MemoryModel::atomic_turns(const std::vector<uint64_t>& addresses) const {
  uint32_t most = 1;
  for (const uint64_t a : addresses) most = std::max(most, uint32_t(std::count(addresses.begin(), addresses.end(), a)));
  return most;
}

}  // namespace brokkr::simt
