// Primary rays through a kd-tree by the path tracer's own steps (trace/walk_kd.h), with one independent thread per ray:
// as three nested loops (down to a leaf, through its triangles, back to skipped nodes), and with each loop as a
// µ-kernel [Steffen12, 7.2.1].
#define BROKKR_LONE_LANES 1
#include "simt/kernels/intrinsics.h"
#include "simt/rays/ray_walk.h"

namespace {

using namespace brokkr;
using ray_machine::RayPlan;
using ray_machine::RayWalk;

__device__ __forceinline__ uint32_t thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ __forceinline__ void load_state(RayWalk& walk) {
  const uint4* const from = static_cast<const uint4*>(brokkr_simt_state());
  Uint words[RayWalk::kWords];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const uint4 part = from[k];
    words[4 * k] = part.x, words[4 * k + 1] = part.y, words[4 * k + 2] = part.z, words[4 * k + 3] = part.w;
  }
  walk.restore(words, true);
}
// Stores the state in one place, whichever µ-kernel follows, so that only the spawn itself diverges [Steffen12, Alg.
// 2].
__device__ __forceinline__ void go_on(RayWalk& walk) {
  uint4* const to = static_cast<uint4*>(brokkr_simt_state());
  Uint words[RayWalk::kWords];
  walk.save(words);
#pragma unroll
  for (int k = 0; k < 3; ++k)
    to[k] = make_uint4(words[4 * k].v, words[4 * k + 1].v, words[4 * k + 2].v, words[4 * k + 3].v);
  if (!walk.active().m)
    walk.finish(true);
  else if (walk.leaf().m)
    brokkr_simt_spawn("rays_leaf", to);
  else
    brokkr_simt_spawn("rays_down", to);
}

}  // namespace

extern "C" __global__ void rays_loops(const __grid_constant__ RayPlan plan) {
  Warp w;
  RayWalk walk(w, plan);
  if (thread_number() >= plan.rays) return;
  walk.begin(thread_number(), true);
  while (walk.active().m) {
    while (walk.inner().m) {
      if (walk.step_down(true).m) break;  // an empty leaf
    }
    while (walk.leaf().m) walk.step_leaf(true);
    walk.pop(true);
  }
  walk.finish(true);
}

extern "C" __global__ void rays_down(const __grid_constant__ RayPlan plan) {
  Warp w;
  RayWalk walk(w, plan);
  load_state(walk);
  if (walk.step_down(true).m) walk.pop(true);  // an empty leaf
  go_on(walk);
}

extern "C" __global__ void rays_leaf(const __grid_constant__ RayPlan plan) {
  Warp w;
  RayWalk walk(w, plan);
  load_state(walk);
  if (walk.step_leaf(true).m) walk.pop(true);
  go_on(walk);
}

extern "C" __global__ void rays_begin(const __grid_constant__ RayPlan plan) {
  Warp w;
  RayWalk walk(w, plan);
  if (thread_number() >= plan.rays) return;
  walk.begin(thread_number(), true);
  go_on(walk);
}
