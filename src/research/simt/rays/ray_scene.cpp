#include "simt/rays/ray_scene.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <utility>

#include "base/failure.h"
#include "simt/programs/expect.h"
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
  constexpr size_t kMostKept = 3;  // a figure has as many
  static std::mutex mutex;
  static std::deque<std::pair<uint32_t, std::shared_ptr<const RayScene>>> kept;
  const std::lock_guard lock(mutex);
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const auto& k) { return k.first == triangles; });
  if (known != kept.end()) return known->second;
  if (kept.size() == kMostKept) kept.pop_front();
  kept.emplace_back(triangles, build_scene(triangles, budget));
  return kept.back().second;
}

}  // namespace brokkr::simt
