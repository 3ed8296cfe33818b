// The ray programs compiled for one CPU machine (BROKKR_ISA).
#include "simt/rays/ray_plan.h"
#include "simt/rays/ray_tasks.h"
#include "trace/walk.h"

BROKKR_MACHINE_BEGIN
namespace ray_build {

using namespace ray_machine;

static void walk_warp(const RayPlan& plan, int warp) {
  Warp w;
  uint32_t* const stack = plan.stacks + size_t(uint32_t(warp)) * (3 * trace::kStackEntries * 32);
  for (uint32_t first = uint32_t(warp) * uint32_t(kWidth); first < plan.rays;
       first += plan.workers * uint32_t(kWidth)) {
    const Uint number = as_uint(w.lane()) + first;
    const Mask m = number < plan.rays;
    const Uint y = number / plan.width, x = number - y * plan.width;
    const Ray ray =
        make_ray(uniform(plan.eye), uniform(plan.corner) + uniform(plan.right) * (to_float(as_int(x)) + 0.5f) +
                                        uniform(plan.up) * (to_float(as_int(y)) + 0.5f));
    Effort effort;
    const Hit hit = nearest_hit(w, {plan.scene, stack, effort}, ray, m);
    w.scatter(plan.t, as_int(number), hit.t, m);
    w.scatter(plan.primitive, as_int(number), hit.primitive, m);
  }
}
static void loop_warp(const RayPlan& plan, int warp) {
  Warp w;
  run_loop<NoNote>(w, plan, warp);
}
static void task_warp(const RayPlan& plan, int warp) {
  Warp w;
  run_tasks<NoNote>(w, plan, warp);
}
static simt::RayMemory memory_of(uint32_t capacity, uint32_t workers) {
  const size_t open_at = ProgramMemory<RayTree>::open_at(capacity);
  return {open_at + 16 + size_t(workers) * RayTree::kLocal * sizeof(uint32_t), open_at};
}

extern const simt::RayKernels kernels;
const simt::RayKernels kernels = {kWidth, &walk_warp, &loop_warp, &task_warp, &memory_of};

}  // namespace ray_build
BROKKR_MACHINE_END
