// The smallest key of every sample, one after the other.
#pragma once

#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "block_case.h"

namespace brokkr::machine_test {

inline BlockInput random_block_input(uint32_t seed) {
  std::mt19937 random(seed);
  BlockInput in{};
  for (int n = 0; n < BlockInput::kKeys; ++n) {
    in.depth[n] = uint32_t(random()) >> (random() % 2 == 0 ? 28 : 0);  // many ties
    in.order[n] = uint32_t(random());
    in.scattered[n] = int32_t(random() % (random() % 4 == 0 ? 3 : kKeySamples));  // lanes and warps collide
  }
  for (int row = 0; row < BlockInput::kKeys / 32; ++row) {
    in.mask[row] = random() % 4 == 0 ? ~0u : uint32_t(random());
    in.where[row] = int32_t(random() % (kKeySamples / 32));
  }
  return in;
}

// Returns an empty string if all samples hold the smallest key and the barrier has worked.
inline std::string check(const BlockInput& in, const BlockAnswers& out, int warps) {
  std::vector<std::pair<uint32_t, uint32_t>> least(kKeySamples, {~0u, ~0u});
  for (int n = 0; n < BlockInput::kKeys; ++n) {
    if ((in.mask[n / 32] >> (n % 32) & 1u) == 0) continue;
    const int at = n / 32 % 2 == 0 ? 32 * in.where[n / 32] + n % 32 : in.scattered[n];
    least[size_t(at)] = std::min(least[size_t(at)], {in.depth[n], in.order[n]});
  }
  std::ostringstream error;
  for (int at = 0; at < kKeySamples && error.tellp() < 500; ++at) {
    const auto [depth, order] = least[size_t(at)];
    if (out.depth[at] != depth || out.order[at] != order) {
      error << "sample " << at << ": (" << out.depth[at] << ", " << out.order[at] << "), expected (" << depth << ", "
            << order << "); ";
    }
  }
  if (out.early != 0) error << out.early << " warps did not see all others behind the barrier; ";
  for (const uint32_t phase : out.phases) {
    if (phase != uint32_t(warps)) error << phase << " warps arrived, expected " << warps << "; ";
  }
  return error.str();
}

}  // namespace brokkr::machine_test
