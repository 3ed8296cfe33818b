// Deduplicates a frame's states, samplers and programs by content: each is stored once, however many draws use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::capture {

// Equal values have equal hashes.
uint64_t content_hash(const State& state);
uint64_t content_hash(const CapturedSampler& sampler);
uint64_t content_hash(const FragmentProgram& program);
uint64_t content_hash(const VertexProgram& program);

// Returns the number of a value among `all`, whose elements must not be added elsewhere. It is as fast for the last
// draw of a frame as for the first: among values with the same hash, which are equal except for a collision or a NaN,
// it compares only the last one.
template <typename T>
class Numbers {
 public:
  uint32_t number_of(const T& value, std::vector<T>& all) {
    const auto [known, is_new] = last_.emplace(content_hash(value), static_cast<uint32_t>(all.size()));
    if (!is_new && all[known->second] == value) return known->second;
    known->second = static_cast<uint32_t>(all.size());
    all.push_back(value);
    return known->second;
  }

 private:
  std::unordered_map<uint64_t, uint32_t> last_;  // last number with each hash
};

}  // namespace brokkr::capture
