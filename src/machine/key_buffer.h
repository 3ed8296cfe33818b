// The visibility buffer of one region: a (depth, order) key per sample, replaced by smaller keys only.
//
// Depth and order are 32-bit numbers whose unsigned order is "wins over"; equal depths fall to the smaller
// order. Where one warp owns the block (CPU) the halves are two arrays and the minimum is a masked store;
// where several warps share it (emulated, CUDA) a key is one 64-bit word and the minimum is an atomic.
// Results are the same: a minimum has no order.
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

  // Of each 64 samples in a row: no depth among them is larger.
  uint32_t farthest[kSamples / 64];

  BROKKR_FN void set_farthest(Warp& w, int tile, Uint d, Mask m) { w.store(farthest + tile, d, m); }
  BROKKR_FN Uint farthest_of(Warp& w, Int tile, Mask m) {
    if constexpr (kShared) {
      auto value = w.spill(Uint(0u));
      const auto tile_of = w.spill(tile);
      w.for_lanes(m,
                  [&](int i) { value.set(i, block_atomic<uint32_t>(farthest[tile_of[i]]).load(kRelaxed)); });
      return value.lanes();
    } else {
      return w.gather(farthest, tile, m);
    }
  }
  // Lane i promises that samples of tile_i will all have d_i or less before the region is read. The promise
  // may be used at once: what it hides would lose anyway.
  BROKKR_FN void limit_farthest(Warp& w, Int tile, Uint d, Mask m) {
    const auto tile_of = w.spill(tile);
    const auto depth_of = w.spill(d);
    w.for_lanes(m, [&](int i) {
      const uint32_t limit = depth_of[i];
      if constexpr (kShared) {
        block_atomic<uint32_t> value(farthest[tile_of[i]]);
        uint32_t old = value.load(kRelaxed);
        while (limit < old && !value.compare_exchange_weak(old, limit, kRelaxed)) {
        }
      } else if (limit < farthest[tile_of[i]]) {
        farthest[tile_of[i]] = limit;
      }
    });
  }

  // Samples at .. at + width - 1.
  BROKKR_FN void set(Warp& w, int at, Uint depth, Uint order) {
    if constexpr (kShared) {
      w.store(key + at, (Ulong(depth) << Ulong(32)) | Ulong(order));
    } else {
      w.store(split.depth + at, depth);
      w.store(split.order + at, order);
    }
  }
  BROKKR_FN Uint depth(Warp& w, int at) const {
    if constexpr (kShared)
      return Uint(w.load(key + at) >> Ulong(32));
    else
      return w.load(split.depth + at);
  }
  BROKKR_FN Uint order(Warp& w, int at) const {
    if constexpr (kShared)
      return Uint(w.load(key + at) & Ulong(0xffffffffull));
    else
      return w.load(split.order + at);
  }
  // Samples at .. at + width - 1 take (depth, order) where m holds and it is smaller.
  BROKKR_FN void take_min(Warp& w, int at, Uint d, Uint o, Mask m) {
    if constexpr (kShared) {
      take_min_at(w, w.lane() + Int(at), d, o, m);
    } else {
      const Uint old_depth = w.load(split.depth + at);
      const Uint old_order = w.load(split.order + at);
      const Mask wins = m && (d < old_depth || (d == old_depth && o < old_order));
      w.store(split.depth + at, d, wins);
      w.store(split.order + at, o, wins);
    }
  }
  // Sample at_i takes lane i's key where m holds and it is smaller; lanes may meet at a sample.
  BROKKR_FN void take_min_at(Warp& w, Int at, Uint d, Uint o, Mask m) {
    const auto at_of = w.spill(at);
    const auto depth_of = w.spill(d);
    const auto order_of = w.spill(o);
    w.for_lanes(m, [&](int i) {
      const uint32_t s = uint32_t(at_of[i]);
      if constexpr (kShared) {
        const uint64_t mine = (uint64_t(depth_of[i]) << 32) | order_of[i];
#if defined(__CUDACC__)
        atomicMin(reinterpret_cast<unsigned long long*>(key + s), static_cast<unsigned long long>(mine));
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

BROKKR_MACHINE_END
