#include "simt/rays/ray_runs.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/failure.h"
#include "pipeline/task_machine.h"

namespace brokkr {
#define X(isa)                           \
  inline namespace isa {                 \
  namespace ray_build {                  \
  extern const simt::RayKernels kernels; \
  }                                      \
  }
BROKKR_HAVE_ISA_LIST
#undef X
}  // namespace brokkr

namespace brokkr::simt {
namespace {

// A plan in a machine's memory, with space for its results.
struct RaysOfMachine {
  std::unique_ptr<TaskMachine> machine;
  std::vector<std::shared_ptr<void>> tables;
  RayPlan plan;
  TaskArray<uint32_t> stacks;
  TaskArray<float> t;
  TaskArray<uint32_t> primitive;
  TaskArray<RayCounts> counts;

  RaysOfMachine(std::unique_ptr<TaskMachine> its_machine, const RayScene& scene, uint32_t width)
      : machine(counted(std::move(its_machine), scene)),
        plan(make_plan(scene, width,
                       [&]<class T>(const std::vector<T>& values) {
                         tables.push_back(keep(values.size() * sizeof(T)));
                         machine->upload(tables.back().get(), values.data(), values.size() * sizeof(T));
                         return static_cast<const T*>(tables.back().get());
                       })),
        stacks(*machine, std::max<size_t>(size_t(3) * kRayStack * plan.rays, 3 * trace::kStackEntries * 32)),
        t(*machine, plan.rays),
        primitive(*machine, plan.rays),
        counts(*machine, 1) {
    plan.stacks = stacks.data();
    plan.t = t.data();
    plan.primitive = primitive.data();
    plan.counts = counts.data();
  }
  static std::unique_ptr<TaskMachine> counted(std::unique_ptr<TaskMachine> its, const RayScene& scene) {
    its->use_budget(scene.budget, "rays");
    return its;
  }
  std::shared_ptr<void> keep(size_t bytes) { return machine->allocate(std::max<size_t>(bytes, 1)); }
  void run(void (*kernel)(const RayPlan&, int)) {
    constexpr double kLongest = 1e9;  // ms
    machine->run(TaskKernel<RayPlan>{kernel, nullptr}, plan, 1, {-1, kLongest});
  }
  RayHits hits() const { return {t.values(), primitive.values()}; }
};

}  // namespace

const RayKernels& ray_kernels(const std::string& build) {
#define X(isa) \
  if (build == #isa) return isa::ray_build::kernels;
  BROKKR_HAVE_ISA_LIST
#undef X
  throw std::invalid_argument("the rays' programs were not built for " + build);
}

const RayKernels& any_ray_kernels() {
  const RayKernels* any = nullptr;
#define X(isa) any = &isa::ray_build::kernels;
  BROKKR_HAVE_ISA_LIST
#undef X
  return *any;
}

uint32_t lanes_of(uint32_t percent, int width) { return std::max(1u, (percent * uint32_t(width) + 99) / 100); }
uint32_t ray_capacity(uint32_t rays) { return std::max(4u, std::bit_ceil(rays)); }

void expect_hits(const char* program, const RayHits& expected, const float* t, const uint32_t* primitive) {
  for (size_t i = 0; i < expected.t.size(); ++i) {
    if (primitive[i] != expected.primitive[i] || std::memcmp(&t[i], &expected.t[i], sizeof t[i]) != 0) {
      fail("{}: ray {} hits triangle {} at {}, and the CPU's {} at {}", program, i, int64_t(int32_t(primitive[i])),
           t[i], int64_t(int32_t(expected.primitive[i])), expected.t[i]);
    }
  }
}

RayHits cpu_hits(const RayScene& scene, uint32_t width) {
  RaysOfMachine rays(make_task_machine("cpu"), scene, width);
  rays.run(ray_kernels(rays.machine->build).walk);
  return rays.hits();
}

CpuRays run_cpu_rays(const std::string& machine, bool tasks, uint32_t stay_percent, const RayScene& scene,
                     uint32_t width) {
  RaysOfMachine rays(make_task_machine(machine), scene, width);
  const RayKernels& kernels = ray_kernels(rays.machine->build);
  rays.plan.stay = lanes_of(stay_percent, kernels.width);
  rays.plan.capacity = ray_capacity(rays.plan.rays);
  const RayMemory needed = kernels.memory(rays.plan.capacity, 1);
  const TaskArray<std::byte> memory(*rays.machine, needed.bytes);
  rays.plan.memory = memory.data();
  const uint32_t workers = 1;
  rays.machine->upload(memory.data() + needed.open_at, &workers, sizeof workers);
  rays.run(tasks ? kernels.tasks : kernels.loop);
  const std::string isa = rays.machine->build == rays.machine->name ? "" : " " + rays.machine->build;
  return {rays.machine->name + isa, kernels.width, rays.counts.values()[0], rays.hits()};
}

}  // namespace brokkr::simt
