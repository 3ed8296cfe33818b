// The states, samplers and programs of a frame by their content: a frame has each once, however many draws use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::capture {

// Equal for equal values.
uint64_t content_hash(const State& state);
uint64_t content_hash(const CapturedSampler& sampler);
uint64_t content_hash(const FragmentProgram& program);

// The number of a value among `all`, whose elements nobody else adds. It takes as long for the last draw of a frame as
// for the first: of values with one hash, which are equal but for an accident or a NaN, it compares the last.
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
  std::unordered_map<uint64_t, uint32_t> last_;  // of each hash
};

}  // namespace brokkr::capture
