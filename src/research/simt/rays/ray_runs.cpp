#include "simt/rays/ray_runs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "base/failure.h"
#include "pipeline/task_machine.h"
#include "simt/programs.h"
#include "simt/rays/ray_plan.h"

namespace brokkr::simt {
namespace {

using trace::TraceScene;
using trace::TriangleRecord;

void add_triangle(TraceScene& scene, glm::vec3 a, glm::vec3 b, glm::vec3 c) {
  TriangleRecord t = {};
  for (int i = 0; i < 3; ++i) {
    t.corner[i] = a[i];
    t.edge1[i] = b[i] - a[i];
    t.edge2[i] = c[i] - a[i];
  }
  scene.triangles.push_back(t);
}

// Adds a sheet of cells x cells squares.
void add_sheet(TraceScene& scene, glm::vec3 from, glm::vec3 u, glm::vec3 v, int cells) {
  for (int y = 0; y < cells; ++y) {
    for (int x = 0; x < cells; ++x) {
      const auto at = [&](int i, int j) { return from + (u * float(i) + v * float(j)) / float(cells); };
      add_triangle(scene, at(x, y), at(x + 1, y), at(x, y + 1));
      add_triangle(scene, at(x + 1, y), at(x + 1, y + 1), at(x, y + 1));
    }
  }
}

TraceScene make_room(uint32_t triangles, const std::shared_ptr<MemoryBudget>& budget) {
  TraceScene scene;
  const int cells = std::max(1, int(std::sqrt(float(triangles) / 30.0f)));
  const uint64_t most = std::max<uint64_t>(triangles, 6 * uint64_t(cells) * uint64_t(cells));
  scene.memory = std::make_shared<HeldMemory>(budget, most * sizeof(TriangleRecord), "triangles");
  scene.triangles.reserve(most);
  add_sheet(scene, {-1, 0, -1}, {2, 0, 0}, {0, 0, 2}, cells);
  add_sheet(scene, {-1, 0, 1}, {2, 0, 0}, {0, 1, 0}, cells);
  add_sheet(scene, {-1, 0, -1}, {0, 0, 2}, {0, 1, 0}, cells);
  Numbers numbers(10);
  const auto spread = [&](float size) { return (numbers.unit() + numbers.unit() + numbers.unit() - 1.5f) * size; };
  std::vector<glm::vec3> places;
  for (int i = 0; i < 24; ++i) places.emplace_back(spread(1.1f), 0.1f + 0.3f * numbers.unit(), spread(1.1f));
  const float small = 0.8f / std::sqrt(float(triangles));
  while (scene.triangles.size() < triangles) {
    const glm::vec3 middle = places[std::min(numbers.below(24), numbers.below(24))];
    const glm::vec3 p = middle + glm::vec3(spread(0.2f), spread(0.2f), spread(0.2f));
    const auto corner = [&] { return p + glm::vec3(spread(small), spread(small), spread(small)) * 4.0f; };
    const glm::vec3 a = corner(), b = corner(), c = corner();
    add_triangle(scene, a, b, c);
  }
  scene.tolerance = 1e-5f;
  trace::Box all;
  for (const TriangleRecord& t : scene.triangles) all.add(trace::bounds_of(t, scene.tolerance));
  scene.low = all.low, scene.high = all.high;
  return scene;
}

std::shared_ptr<const RayScene> build_scene(uint32_t triangles, const std::shared_ptr<MemoryBudget>& budget) {
  auto built = std::make_shared<RayScene>();
  built->budget = budget;
  built->scene = make_room(triangles, budget);
  built->tree = trace::build_kd(built->scene, 0, budget);
  if (built->tree.depth > int(kRayStack)) fail("rays: the tree is {} deep, more than stacks hold", built->tree.depth);
  return built;
}

}  // namespace

std::shared_ptr<const RayScene> ray_scene(uint32_t triangles, const std::shared_ptr<MemoryBudget>& budget) {
  constexpr size_t kMaxKept = 3;  // a figure has as many
  static std::mutex mutex;
  static std::deque<std::pair<uint32_t, std::shared_ptr<const RayScene>>> kept;
  const std::lock_guard lock(mutex);
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const auto& k) { return k.first == triangles; });
  if (known != kept.end()) return known->second;
  if (kept.size() == kMaxKept) kept.pop_front();
  kept.emplace_back(triangles, build_scene(triangles, budget));
  return kept.back().second;
}

}  // namespace brokkr::simt

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
  throw std::invalid_argument("the ray programs were not built for " + build);
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
