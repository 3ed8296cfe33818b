// Names of the stages' counters, shared with the host that reads them.
#pragma once

namespace brokkr {

enum class Counter : int {
  batches,
  vertex_runs,
  triangles_in,
  triangles_culled,
  triangles_clipped,
  triangles_out,
  rasterizer_pairs,
  bin_pairs,
  queue_elements,
  fragments,
  fragments_shaded,
  quads,
  visits,
  admission_waits,
  spins,
  queue_peak,
  store_peak,  // maxima
  count
};
inline constexpr int kCounters = int(Counter::count);
inline constexpr bool is_peak(Counter c) { return c == Counter::queue_peak || c == Counter::store_peak; }

}  // namespace brokkr
