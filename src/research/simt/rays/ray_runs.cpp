#include "simt/rays/ray_runs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <tuple>
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

// The three scenes add exactly `triangles` triangles, or a few more if there are very few.

void add_conference(TraceScene& scene, uint32_t triangles) {
  const int cells = std::max(1, int(std::sqrt(float(triangles) / 30.0f)));
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
}

// A point of a column's outline: 16 corners, of which every second one lies further in, like flutes.
glm::vec3 outline(int corner, float radius, glm::vec3 middle) {
  constexpr float kCosine[] = {1, 0.923880f, 0.707107f, 0.382683f, 0};  // cosines of quarters of 90 degrees
  const int quarter = (corner / 4) % 4, step = corner % 4;
  const float x = kCosine[step], z = kCosine[4 - step];
  const float r = corner % 2 == 0 ? radius : 0.8f * radius;
  const glm::vec2 turned = quarter == 0   ? glm::vec2(x, z)
                           : quarter == 1 ? glm::vec2(-z, x)
                           : quarter == 2 ? glm::vec2(-x, -z)
                                          : glm::vec2(z, -x);
  return middle + glm::vec3(r * turned.x, 0, r * turned.y);
}

void add_atrium(TraceScene& scene, uint32_t triangles) {
  constexpr int kColumns = 10, kCorners = 16;
  const int cells = std::max(1, int(std::sqrt(float(triangles) / 60.0f)));
  add_sheet(scene, {-1, 0, -1}, {2, 0, 0}, {0, 0, 2}, cells);
  add_sheet(scene, {-1, 0, 1}, {2, 0, 0}, {0, 1, 0}, cells);
  add_sheet(scene, {-1, 0, -1}, {0, 0, 2}, {0, 1, 0}, cells);
  const size_t left = triangles - std::min<size_t>(triangles, scene.triangles.size());
  const int rings = std::max(1, int(left / size_t(kColumns * kColumns * kCorners * 2)) + 1);
  for (int ring = 0; ring < rings; ++ring) {  // ring by ring, so that a remainder is spread over all columns
    // The rings of a column are alternately wide and narrow.
    const auto radius = [](int r) { return r % 2 == 0 ? 0.06f : 0.045f; };
    const float low = float(ring) / float(rings), high = float(ring + 1) / float(rings);
    for (int column = 0; column < kColumns * kColumns; ++column) {
      const auto place = [&](int i) { return -0.9f + 1.8f * float(i) / float(kColumns - 1); };
      const glm::vec3 middle(place(column % kColumns), 0, place(column / kColumns));
      for (int i = 0; i < kCorners && scene.triangles.size() < triangles; ++i) {
        const glm::vec3 a = outline(i, radius(ring), middle + glm::vec3(0, low, 0));
        const glm::vec3 b = outline((i + 1) % kCorners, radius(ring), middle + glm::vec3(0, low, 0));
        const glm::vec3 c = outline(i, radius(ring + 1), middle + glm::vec3(0, high, 0));
        const glm::vec3 d = outline((i + 1) % kCorners, radius(ring + 1), middle + glm::vec3(0, high, 0));
        add_triangle(scene, a, b, c);
        if (scene.triangles.size() < triangles) add_triangle(scene, b, d, c);
      }
    }
  }
}

void add_fairyforest(TraceScene& scene, uint32_t triangles) {
  constexpr uint32_t kTrees = 16, kFigures = 3;
  add_sheet(scene, {-1, 0, -1}, {2, 0, 0}, {0, 0, 2}, std::max(1, int(std::sqrt(float(triangles) / 400.0f))));
  Numbers numbers(11);
  const auto spread = [&](float size) { return (numbers.unit() + numbers.unit() + numbers.unit() - 1.5f) * size; };
  std::vector<glm::vec3> trees;
  for (uint32_t i = 0; i < kTrees; ++i) {
    const glm::vec3 foot(1.8f * numbers.unit() - 0.9f, 0, 1.6f * numbers.unit() - 0.6f);
    trees.push_back(foot + glm::vec3(0, 0.45f + 0.2f * numbers.unit(), 0));
    const glm::vec3 side(0.015f, 0, 0), depth(0, 0, 0.015f);
    for (const glm::vec3 way : {side, -side, depth, -depth}) add_triangle(scene, foot + way, foot - way, trees.back());
  }
  const glm::vec3 figures[kFigures] = {{0.35f, 0.08f, -0.35f}, {0.1f, 0.08f, 0.0f}, {-0.3f, 0.08f, 0.3f}};
  const float leaf = 2.0f / std::sqrt(float(triangles)), small = 0.3f / std::sqrt(float(triangles));
  while (scene.triangles.size() < triangles) {
    const bool on_figure = numbers.below(2) == 0;
    const glm::vec3 middle = on_figure ? figures[numbers.below(kFigures)] : trees[numbers.below(kTrees)];
    const float wide = on_figure ? 0.05f : 0.14f, size = on_figure ? small : leaf;
    const glm::vec3 p = middle + glm::vec3(spread(wide), spread(wide), spread(wide));
    const auto corner = [&] { return p + glm::vec3(spread(size), spread(size), spread(size)); };
    const glm::vec3 a = corner(), b = corner(), c = corner();
    add_triangle(scene, a, b, c);
  }
}

TraceScene make_scene(RayPlace place, uint32_t triangles, const std::shared_ptr<MemoryBudget>& budget) {
  constexpr uint64_t kLeast = 1000;  // sheets and trunks of a scene of few triangles
  TraceScene scene;
  const uint64_t most = triangles + kLeast;
  scene.memory = std::make_shared<HeldMemory>(budget, most * sizeof(TriangleRecord), "triangles");
  scene.triangles.reserve(most);
  switch (place) {
    case RayPlace::conference: add_conference(scene, triangles); break;
    case RayPlace::atrium: add_atrium(scene, triangles); break;
    case RayPlace::fairyforest: add_fairyforest(scene, triangles); break;
  }
  scene.tolerance = 1e-5f;
  trace::Box all;
  for (const TriangleRecord& t : scene.triangles) all.add(trace::bounds_of(t, scene.tolerance));
  scene.low = all.low, scene.high = all.high;
  return scene;
}

std::shared_ptr<const RayScene> build_scene(RayPlace place, uint32_t triangles, uint32_t grid,
                                            const std::shared_ptr<MemoryBudget>& budget) {
  auto built = std::make_shared<RayScene>();
  built->budget = budget;
  built->scene = make_scene(place, triangles, budget);
  built->tree = trace::build_kd(built->scene, grid, budget);
  if (built->tree.depth > int(kRayStack)) fail("rays: the tree is {} deep, more than stacks hold", built->tree.depth);
  return built;
}

}  // namespace

const std::vector<std::string>& ray_place_names() {
  static const std::vector<std::string> names = {"conference", "atrium", "fairyforest"};
  return names;
}

std::shared_ptr<const RayScene> ray_scene(RayPlace place, uint32_t triangles,
                                          const std::shared_ptr<MemoryBudget>& budget, uint32_t grid) {
  constexpr size_t kMaxKept = 3;  // a figure has as many
  using Key = std::tuple<RayPlace, uint32_t, uint32_t>;
  static std::mutex mutex;
  static std::deque<std::pair<Key, std::shared_ptr<const RayScene>>> kept;
  const std::lock_guard lock(mutex);
  const Key wanted = {place, triangles, grid};
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const auto& k) { return k.first == wanted; });
  if (known != kept.end()) return known->second;
  if (kept.size() == kMaxKept) kept.pop_front();
  kept.emplace_back(wanted, build_scene(place, triangles, grid, budget));
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
