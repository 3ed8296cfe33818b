// Test of warps that share a block: a key buffer that all of them write, and their barrier.
#pragma once

#include <cstdint>

namespace brokkr::machine_test {

constexpr int kKeySamples = 256;

// Key number n goes to sample 32 * where[n / 32] + n % 32 (take_min), or to scattered[n] (take_min_at). Every warp
// takes those numbers whose row of `width` is its own, modulo the warps.
struct BlockInput {
  static constexpr int kKeys = 4096;
  uint32_t depth[kKeys], order[kKeys], mask[kKeys / 32];
  int32_t where[kKeys / 32], scattered[kKeys];
};
struct BlockAnswers {
  uint32_t depth[kKeySamples], order[kKeySamples];
  uint32_t early;       // times that a warp was past the barrier before all had reached it
  uint32_t phases[64];  // warps that arrived
};

}  // namespace brokkr::machine_test
