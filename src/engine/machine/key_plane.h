// Keys of samples in memory that all blocks share, 64 bits each. The smallest key wins (machine/key_buffer.h). A word
// holds the complement of its key, so that zeroed memory contains no keys.
#pragma once

#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

struct KeyPlane {
  uint64_t* word;

  // In lanes m, sample at_i takes lane i's key if it is smaller. Lanes of all blocks may have the same sample.
  BROKKR_FN void take_min_at(Warp& w, Int at, Uint depth, Uint order, Mask m) const {
    const auto at_of = w.spill(at);
    const auto depth_of = w.spill(depth);
    const auto order_of = w.spill(order);
    w.for_lanes(m, [&](int i) {
      uint64_t* const sample = word + at_of[i];
      const uint64_t mine = ~((uint64_t(depth_of[i]) << 32) | order_of[i]);
#if defined(__CUDACC__)
      // The result is unused and the address space is known, so this becomes a reduction that nothing waits for.
      __builtin_assume(__isGlobal(sample));
      atomicMax(reinterpret_cast<unsigned long long*>(sample), static_cast<unsigned long long>(mine));
#else
      device_atomic<uint64_t> key(*sample);
      uint64_t old = key.load(kRelaxed);
      while (mine > old && !key.compare_exchange_weak(old, mine, kRelaxed)) {
      }
#endif
    });
  }

  // The words of samples at .. at + width - 1: complements of keys, or 0. In an aborted frame, other blocks may change
  // them at the same time.
  BROKKR_FN Ulong load(Warp& w, int at) const {
    auto words = w.spill(uint64_t(0));
    w.for_lanes(true, [&](int i) { words.set(i, device_atomic<uint64_t>(word[at + i]).load(kRelaxed)); });
    return words.lanes();
  }
  // Removes the keys of the lanes of m.
  BROKKR_FN void clear(Warp& w, int at, Mask m) const {
    w.for_lanes(m, [&](int i) { device_atomic<uint64_t>(word[at + i]).store(0, kRelaxed); });
  }
};

BROKKR_MACHINE_END
