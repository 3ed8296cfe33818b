#include "frame/primitive_counts.h"

#include <algorithm>

namespace brokkr {

void PrimitiveCounts::find_restarts() {
  searched_ = true;
  for (uint64_t i = 0; i < frame_.indices.size(); i++) {
    if (frame_.indices[i] == kRestartIndex) restarts_.push_back(i);
  }
}

uint64_t PrimitiveCounts::count(const DrawCommand& draw) {
  if (!draw.indexed || !draw.restart) return primitive_count(draw.topology, draw.element_count);
  if (!searched_) find_restarts();
  const uint64_t begin = draw.first_index, end = begin + draw.element_count;
  const auto first = std::lower_bound(restarts_.begin(), restarts_.end(), begin);
  const auto last = std::lower_bound(first, restarts_.end(), end);  // the first restart after the draw
  if (first == last) return primitive_count(draw.topology, draw.element_count);
  std::vector<uint64_t>& sums = sums_[size_t(draw.topology)];
  if (sums.empty()) {
    uint64_t sum = 0, run_begin = 0;
    for (const uint64_t restart : restarts_) {
      sum += primitive_count(draw.topology, restart - run_begin);
      sums.push_back(sum);
      run_begin = restart + 1;
    }
  }
  const uint64_t whole_runs = sums[size_t(last - restarts_.begin()) - 1] - sums[size_t(first - restarts_.begin())];
  return primitive_count(draw.topology, *first - begin) + whole_runs +
         primitive_count(draw.topology, end - *(last - 1) - 1);
}

}  // namespace brokkr
