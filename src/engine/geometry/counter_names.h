// Names of the stages' counters, shared with the host that reads them.
#pragma once

namespace brokkr {

// The names in Statistics, which documents them. The last two are maxima.
#define BROKKR_COUNTERS(X)     \
  X(batches)                   \
  X(vertex_shader_runs)        \
  X(vertex_program_runs)       \
  X(vertex_loops_cut)          \
  X(triangles_in)              \
  X(triangles_culled)          \
  X(triangles_clipped)         \
  X(triangles_out)             \
  X(triangles_direct)          \
  X(triangle_rasterizer_pairs) \
  X(triangle_bin_pairs)        \
  X(queue_elements)            \
  X(fragments)                 \
  X(fragments_shaded) X(quads) X(visits) X(admission_waits) X(spins) X(loops_cut) X(queue_peak) X(store_peak)
#define BROKKR_COUNTER(name) name,
enum class Counter : int { BROKKR_COUNTERS(BROKKR_COUNTER) count };
#undef BROKKR_COUNTER
inline constexpr int kCounters = int(Counter::count);
inline constexpr bool is_peak(Counter c) { return c == Counter::queue_peak || c == Counter::store_peak; }

}  // namespace brokkr
