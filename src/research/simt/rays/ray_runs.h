// Runs the ray programs on CPU machines.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "simt/programs.h"
#include "simt/rays/ray_plan.h"
#include "trace/structure.h"

namespace brokkr::simt {

// A generated scene of the ray programs, in a box of 2 x 1 x 2. [Steffen12, 7.2.2] says what its three scenes test:
//   conference   a floor, walls, and clusters of small triangles, most of them in a few places: many objects that are
//                distributed unevenly
//   atrium       a floor, walls, and 100 fluted columns with rings: dense objects everywhere, evenly
//   fairyforest  a coarse ground, 16 trees, and three small figures that have half of all triangles: a large open space
//                with a few very dense places
struct RayScene {
  trace::TraceScene scene;
  trace::Structure tree;                 // a kd-tree, or GrUG over one
  std::shared_ptr<MemoryBudget> budget;  // the budget that counts the scene and runs on it; null: unlimited
};
// Returns a scene. The last few are cached, because building a tree of a million triangles takes long. `grid`: cells
// per side of GrUG's grid, a power of two in 4 .. 1024; 0: a kd-tree alone. Throws std::runtime_error if `budget` is
// given and has too little memory.
std::shared_ptr<const RayScene> ray_scene(RayPlace place, uint32_t triangles,
                                          const std::shared_ptr<MemoryBudget>& budget = nullptr, uint32_t grid = 0);

struct RayHits {
  std::vector<float> t;
  std::vector<uint32_t> primitive;
};
// Throws if any bit differs.
void expect_hits(const char* program, const RayHits& expected, const float* t, const uint32_t* primitive);

// The plan for a picture of `width` x `width` rays, without its results; `copy` copies a vector to a machine's memory.
template <class Copy>
RayPlan make_plan(const RayScene& s, uint32_t width, Copy&& copy) {
  RayPlan plan = {};
  trace::SceneTables& t = plan.scene;
  t.structure = s.tree.kind;
  t.triangles = copy(s.scene.triangles);
  t.places = copy(s.tree.places);
  t.kd = copy(s.tree.kd);
  t.groups = copy(s.tree.groups);
  t.cells = copy(s.tree.cells);
  t.grid_bits = s.tree.grid_bits;
  t.tolerance = s.scene.tolerance;
  const float eye[3] = {0.9f, 0.7f, -1.6f}, corner[3] = {-1.5f, -0.85f, 1.2f};
  for (int a = 0; a < 3; ++a) {
    t.low[a] = s.scene.low[a];
    t.high[a] = s.scene.high[a];
    plan.eye[a] = eye[a];
    plan.corner[a] = corner[a];
  }
  plan.width = width;
  plan.rays = width * width;
  plan.right[0] = 2.0f / float(width), plan.right[2] = 0.8f / float(width);
  plan.up[1] = 1.2f / float(width);
  return plan;
}

// The hits that a CPU machine finds with the path tracer's walk (trace/walk.h).
RayHits cpu_hits(const RayScene& scene, uint32_t width);

struct CpuRays {
  std::string machine;  // "cpu v3", "emulated"
  int lanes = 0;        // lanes of the machine's warp
  RayCounts counts = {};
  RayHits hits;
};
// Runs the loop, or tasks that continue while `stay_percent` of a warp's lanes do. One worker runs them, so that the
// order of work is always the same.
CpuRays run_cpu_rays(const std::string& machine, bool tasks, uint32_t stay_percent, const RayScene& scene,
                     uint32_t width);

// The number of lanes for a percentage of a warp. More lanes than a warp has means: one step at a time.
uint32_t lanes_of(uint32_t percent, int width);
// Queue capacity of the task program for this number of rays: a power of two.
uint32_t ray_capacity(uint32_t rays);

}  // namespace brokkr::simt
