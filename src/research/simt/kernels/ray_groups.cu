// Primary rays through GrUG [Steffen12, Alg. 5], with one independent thread per ray, by the path tracer's own steps
// (trace/walk_kd.h).
#define BROKKR_LONE_LANES 1
#include "simt/kernels/intrinsics.h"
#include "simt/rays/ray_walk.h"

namespace {

using namespace brokkr;
using ray_machine::GrugCell;
using ray_machine::RayPlan;
using ray_machine::V3;

// A machine with the unit executes this in hardware; on others it is an ordinary function.
__device__ __noinline__ GrugCell fixed_unit_cell(const trace::SceneTables& scene, V3 origin, V3 direction, Float t) {
  return ray_machine::GrugStages::cell_at(scene, origin, direction, t);
}
struct FixedStages {
  static __device__ __forceinline__ GrugCell cell_at(const trace::SceneTables& scene, V3 origin, V3 direction,
                                                     Float t) {
    return fixed_unit_cell(scene, origin, direction, t);
  }
};

}  // namespace

extern "C" __global__ void rays_groups(const __grid_constant__ RayPlan plan) {
  Warp w;
  ray_machine::WalkOfRay<FixedStages> walk(w, plan);
  const uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= plan.rays) return;
  walk.begin_groups(number, true);
  while (walk.active().m) {
    while (walk.between().m) walk.enter_groups();
    while (walk.inner().m) {
      if (walk.step_down(true).m) break;  // an empty leaf
    }
    while (walk.leaf().m) walk.step_leaf(true);
    if (walk.active().m) walk.pop_group(true);
  }
  walk.finish(true);
}
