// Primary rays through a kd-tree in a generated scene, by the path tracer's own steps: as loops of threads, as
// µ-kernels, as a warp-wide loop, and as tasks on queues; and through GrUG, as loops of threads. All find the same hits
// as the CPU's walk, to the bit.
#include <algorithm>

#include "base/failure.h"
#include "simt/programs.h"
#include "simt/rays/ray_runs.h"

namespace brokkr::simt {
namespace {

struct RayLaunch {
  const char* kernel;
  uint32_t block = 64;       // threads
  bool whole_warps = false;  // control flow is warp-wide
  bool persistent = false;   // as many warps as fit, which take tasks
  uint32_t stay_percent = 0;
  bool groups = false;  // GrUG
};

void run_rays(Runner& runner, const ProgramSize& size, const RayLaunch& launch) {
  if (launch.whole_warps && runner.config().warp != 32)
    fail("{}: its control flow needs warps of 32 threads, and {} has others", launch.kernel, runner.config().name);
  const auto scene = ray_scene(size.place, size.triangles, size.budget, launch.groups ? size.grid : 0);
  const uint64_t rays = uint64_t(size.width) * size.width;
  const HeldMemory device_memory(size.budget,
                                 scene->scene.triangles.size() * sizeof(scene->scene.triangles[0]) +
                                     scene->tree.memory_bytes() + rays * (3 * kRayStack + 16) * sizeof(uint32_t),
                                 "rays");
  RayPlan plan = make_plan(*scene, size.width, [&]<class T>(const std::vector<T>& values) {
    return static_cast<const T*>(runner.buffer(values));
  });
  plan.stacks = runner.buffer<uint32_t>(size_t(3) * kRayStack * plan.rays);
  plan.t = runner.buffer<float>(plan.rays);
  plan.primitive = runner.buffer<uint32_t>(plan.rays);
  plan.counts = runner.buffer<RayCounts>(1);
  std::fill(plan.primitive, plan.primitive + plan.rays, kRayPending);
  uint32_t blocks = (plan.rays + launch.block - 1) / launch.block;
  plan.workers = blocks * launch.block / 32;
  if (launch.persistent) {
    plan.stay = lanes_of(launch.stay_percent, 32);
    plan.capacity = ray_capacity(plan.rays);
    blocks = std::min(runner.resident_blocks(launch.kernel, launch.block), blocks);
    plan.workers = blocks * launch.block / 32;
    const RayMemory memory = any_ray_kernels().memory(plan.capacity, plan.workers);
    auto* const bytes = runner.buffer<std::byte>(memory.bytes);
    std::memcpy(bytes + memory.open_at, &plan.workers, sizeof plan.workers);
    plan.memory = bytes;
  }
  runner.launch(launch.kernel, {blocks}, {launch.block}, plan);
  runner.count_done(
      uint64_t(std::count_if(plan.primitive, plan.primitive + plan.rays, [](uint32_t h) { return h != kRayPending; })));
  if (!runner.was_stopped()) expect_hits(launch.kernel, cpu_hits(*scene, size.width), plan.t, plan.primitive);
}

}  // namespace

void run_rays_loops(Runner& runner, const ProgramSize& size) { run_rays(runner, size, {"rays_loops"}); }
void run_rays_spawned(Runner& runner, const ProgramSize& size) { run_rays(runner, size, {"rays_begin"}); }
void run_rays_warp(Runner& runner, const ProgramSize& size) { run_rays(runner, size, {"ray_loop", 64, true}); }
void run_rays_tasks(Runner& runner, const ProgramSize& size) {
  run_rays(runner, size, {"ray_tasks", 32, true, true, size.stay_percent});
}
void run_rays_tasks_own(Runner& runner, const ProgramSize& size) {
  run_rays(runner, size, {"ray_tasks_own", 128, true, true, size.stay_percent});
}
void run_rays_groups(Runner& runner, const ProgramSize& size) {
  run_rays(runner, size, {.kernel = "rays_groups", .groups = true});
}

}  // namespace brokkr::simt
