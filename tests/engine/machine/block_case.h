// Test of warps that share a block: they all write one key buffer and meet at a barrier.
#pragma once

#include <cstdint>

namespace brokkr::machine_test {

constexpr int kKeySamples = 256;

// Key number n goes to sample 32 * where[n / 32] + n % 32 (take_min), or to scattered[n] (take_min_at). Each warp takes
// the keys whose row of `width` keys, modulo the number of warps, is its own number.
struct BlockInput {
  static constexpr int kKeys = 4096;
  uint32_t depth[kKeys], order[kKeys], mask[kKeys / 32];
  int32_t where[kKeys / 32], scattered[kKeys];
};
struct BlockAnswers {
  uint32_t depth[kKeySamples], order[kKeySamples];
  uint32_t early;       // times that a warp passed the barrier before all had reached it
  uint32_t phases[64];  // warps that arrived
};

}  // namespace brokkr::machine_test
