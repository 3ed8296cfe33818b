// Visibility buffers: a (depth, order) key per sample, of one region (KeyBuffer) or of whole planes (KeyPlane). Only a
// smaller key replaces a key.
//
// Depth and order are 32-bit numbers. The smaller unsigned number wins; among equal depths, the smaller order wins. If
// one warp owns the block (CPU), the halves are two arrays and the minimum is a masked store. If several warps share it
// (emulated, CUDA), a key is one 64-bit word and the minimum is an atomic. The results are equal because a minimum does
// not depend on the order of updates.
#pragma once

BROKKR_MACHINE_BEGIN

template <int kSamples>
struct KeyBuffer {
#if defined(__CUDACC__)
  static constexpr bool kShared = true;
#else
  static constexpr bool kShared = kWidth == 32;
#endif
  struct Split {
    uint32_t depth[kSamples], order[kSamples];
  };
  union {
    alignas(64) uint64_t key[kSamples];
    Split split;
  };

  // An upper bound on the depths of each 64 consecutive samples.
  uint32_t farthest[kSamples / 64];

  // A key buffer always lies in the shared storage of its block.
  BROKKR_FN uint64_t* keys() { return in_shared_memory(key); }
  BROKKR_FN const uint64_t* keys() const { return in_shared_memory(key); }
  BROKKR_FN uint32_t* farthest_depths() { return in_shared_memory(farthest); }

  BROKKR_FN void set_farthest(Warp& w, int tile, Uint d, Mask m) { w.store(farthest_depths() + tile, d, m); }
  BROKKR_FN Uint farthest_of(Warp& w, Int tile, Mask m) {
#if defined(__CUDACC__)
    auto value = w.spill(0u);
    const auto tile_of = w.spill(tile);
    w.for_lanes(m, [&](int i) {
      value.set(i, *static_cast<volatile const uint32_t*>(farthest_depths() + tile_of[i]));  // other warps lower it
    });
    return value.lanes();
#else
    if constexpr (kShared) {
      auto value = w.spill(0u);
      const auto tile_of = w.spill(tile);
      w.for_lanes(m, [&](int i) { value.set(i, block_atomic<uint32_t>(farthest[tile_of[i]]).load(kRelaxed)); });
      return value.lanes();
    } else {
      return w.gather(farthest, tile, m);
    }
#endif
  }
  // Lane i promises that, before the region is read, no sample of tile_i will be deeper than d_i. The promise takes
  // effect immediately, because fragments that it rejects would lose anyway.
  BROKKR_FN void limit_farthest(Warp& w, Int tile, Uint d, Mask m) {
    const auto tile_of = w.spill(tile);
    const auto depth_of = w.spill(d);
    w.for_lanes(m, [&](int i) {
      const uint32_t limit = depth_of[i];
#if defined(__CUDACC__)
      atomicMin(farthest_depths() + tile_of[i], limit);
#else
      if constexpr (kShared) {
        block_atomic<uint32_t> value(farthest[tile_of[i]]);
        uint32_t old = value.load(kRelaxed);
        while (limit < old && !value.compare_exchange_weak(old, limit, kRelaxed)) {
        }
      } else if (limit < farthest[tile_of[i]]) {
        farthest[tile_of[i]] = limit;
      }
#endif
    });
  }

  // Lowers a tile's bound to its deepest sample. Only one warp may own the block.
  BROKKR_FN void find_farthest(Warp& w, int tile) {
    static_assert(64 % kWidth == 0);
    Uint deepest = depth(w, tile * 64);
    for (int s = kWidth; s < 64; s += kWidth) deepest = maximum(deepest, depth(w, tile * 64 + s));
    farthest[tile] = w.reduce_max(deepest);
  }

  // Samples first .. first + width - 1.
  BROKKR_FN void set(Warp& w, int first, Uint depth, Uint order) {
    if constexpr (kShared) {
      w.store(keys() + first, (Ulong(depth) << 32) | Ulong(order));
    } else {
      w.store(split.depth + first, depth);
      w.store(split.order + first, order);
    }
  }
  BROKKR_FN Uint depth(Warp& w, int first) const {
    if constexpr (kShared)
      return Uint(w.load(keys() + first) >> 32);
    else
      return w.load(split.depth + first);
  }
  BROKKR_FN Uint order(Warp& w, int first) const {
    if constexpr (kShared)
      return Uint(w.load(keys() + first) & 0xffffffff);
    else
      return w.load(split.order + first);
  }
  // In lanes m, samples first .. first + width - 1 take (depth, order) if it is smaller than their key.
  BROKKR_FN void take_min(Warp& w, int first, Uint d, Uint o, Mask m) {
    if constexpr (kShared) {
      take_min_at(w, w.lane() + first, d, o, m);
    } else {
      const Uint old_depth = w.load(split.depth + first);
      const Uint old_order = w.load(split.order + first);
      // In this form, AVX2, which compares unsigned numbers by their maximum, needs no complement.
      const Mask wins = m && !(d >= old_depth && !(d == old_depth && !(o >= old_order)));
      // On AMD's processors, a masked store takes eleven cycles and cannot forward to a load.
      w.store(split.depth + first, select(wins, d, old_depth));
      w.store(split.order + first, select(wins, o, old_order));
    }
  }
  // In lanes m, each lane's sample takes the lane's key if it is smaller. Several lanes may have the same sample.
  BROKKR_FN void take_min_at(Warp& w, Int samples, Uint d, Uint o, Mask m) {
    const auto sample_of = w.spill(samples);
    const auto depth_of = w.spill(d);
    const auto order_of = w.spill(o);
    w.for_lanes(m, [&](int i) {
      const uint32_t s = uint32_t(sample_of[i]);
      if constexpr (kShared) {
        const uint64_t mine = (uint64_t(depth_of[i]) << 32) | order_of[i];
#if defined(__CUDACC__)
        // Load before the atomic. A 64-bit minimum in shared memory compiles to a load, a comparison and, only if this
        // key is smaller, a compare-and-swap. The many fragments that lose stop after the load (docs/research/gpu.md).
        atomicMin(reinterpret_cast<unsigned long long*>(keys() + s), static_cast<unsigned long long>(mine));
#else
        block_atomic<uint64_t> sample(key[s]);
        uint64_t old = sample.load(kRelaxed);
        while (mine < old && !sample.compare_exchange_weak(old, mine, kRelaxed)) {
        }
#endif
      } else {
        const uint32_t dd = depth_of[i], oo = order_of[i];
        const uint32_t old = split.depth[s];
        if (dd < old || (dd == old && oo < split.order[s])) {
          split.depth[s] = dd;
          split.order[s] = oo;
        }
      }
    });
  }
};

// Keys of samples in memory that all blocks share, 64 bits each. The smallest key wins. A word holds the complement of
// its key, so that zeroed memory contains no keys.
struct KeyPlane {
  uint64_t* word;

  // In lanes m, each lane's sample takes the lane's key if it is smaller. Lanes of all blocks may have the same sample.
  BROKKR_FN void take_min_at(Warp& w, Int samples, Uint depth, Uint order, Mask m) const {
    const auto sample_of = w.spill(samples);
    const auto depth_of = w.spill(depth);
    const auto order_of = w.spill(order);
    w.for_lanes(m, [&](int i) {
      uint64_t* const sample = word + sample_of[i];
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

  // The words of samples first .. first + width - 1: complements of keys, or 0. In an aborted frame, other blocks may
  // change them at the same time.
  BROKKR_FN Ulong load(Warp& w, int first) const {
    auto words = w.spill(uint64_t(0));
    w.for_lanes(true, [&](int i) { words.set(i, device_atomic<uint64_t>(word[first + i]).load(kRelaxed)); });
    return words.lanes();
  }
  // Removes the keys of the lanes of m.
  BROKKR_FN void clear(Warp& w, int first, Mask m) const {
    w.for_lanes(m, [&](int i) { device_atomic<uint64_t>(word[first + i]).store(0, kRelaxed); });
  }
};

BROKKR_MACHINE_END
