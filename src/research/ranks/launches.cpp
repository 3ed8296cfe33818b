#include "ranks/launches.h"

#include <algorithm>

#include "geometry/counter_names.h"

namespace brokkr::ranks {
namespace {

template <class T>
void add_each(std::vector<T>& sum, const std::vector<T>& more) {
  sum.resize(std::max(sum.size(), more.size()));
  for (size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

void add_counts(Statistics& sum, const Statistics& more) {
  const uint64_t queue_peak = std::max(sum.queue_peak, more.queue_peak);
  const uint64_t store_peak = std::max(sum.store_peak, more.store_peak);
#define BROKKR_COUNTER(name) sum.name += more.name;
  BROKKR_COUNTERS(BROKKR_COUNTER)
#undef BROKKR_COUNTER
  sum.queue_peak = queue_peak;
  sum.store_peak = store_peak;
  sum.indices += more.indices;
  sum.draws += more.draws;
  sum.phases += more.phases;
  sum.ordered_phases += more.ordered_phases;
  sum.upload_bytes += more.upload_bytes;
  sum.download_bytes += more.download_bytes;
  sum.asr = sum.triangles_in > 0 ? double(sum.vertex_shader_runs) / double(sum.triangles_in) : 0;
}

}  // namespace

void add_launch(Statistics& sum, const Statistics& launch, double begin_ms) {
  if (sum.machine.empty()) {
    sum = launch;
  } else {
    add_counts(sum, launch);
    sum.frame_ms += launch.frame_ms;
    sum.launch_ms += launch.launch_ms;
    sum.upload_ms += launch.upload_ms;
    sum.read_back_ms += launch.read_back_ms;
    for (auto member : {&Statistics::store_bytes, &Statistics::target_bytes, &Statistics::frame_bytes})
      sum.*member = std::max(sum.*member, launch.*member);
    add_each(sum.rasterizer_fragments, launch.rasterizer_fragments);
    add_each(sum.bin_fragments, launch.bin_fragments);
    sum.block_times.resize(std::max(sum.block_times.size(), launch.block_times.size()));
    for (size_t b = 0; b < launch.block_times.size(); ++b) {
      for (size_t stage = 0; stage < size_t(Stage::count); ++stage)
        sum.block_times[b].ms[stage] += launch.block_times[b].ms[stage];
    }
    sum.trace.insert(sum.trace.end(), launch.trace.begin(), launch.trace.end());
  }
  for (size_t i = sum.trace.size() - launch.trace.size(); i < sum.trace.size(); ++i) {
    sum.trace[i].begin_us += 1000 * begin_ms;
    sum.trace[i].end_us += 1000 * begin_ms;
  }
}

}  // namespace brokkr::ranks
