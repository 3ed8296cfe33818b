// Runs of the rays' programs on machines of the CPU.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "simt/rays/ray_kernels.h"
#include "simt/rays/ray_scene.h"

namespace brokkr::simt {

struct RayHits {
  std::vector<float> t;
  std::vector<uint32_t> primitive;
};
// Fails where one bit differs.
void expect_hits(const char* program, const RayHits& expected, const float* t, const uint32_t* primitive);

// The plan of a picture of `width` x `width` rays, but for its results; `copy` makes a copy of a vector in a machine's
// memory.
template <class Copy>
RayPlan make_plan(const RayScene& s, uint32_t width, Copy&& copy) {
  RayPlan plan = {};
  trace::SceneTables& t = plan.scene;
  t.structure = trace::StructureKind::kd;
  t.triangles = copy(s.scene.triangles);
  t.places = copy(s.tree.places);
  t.kd = copy(s.tree.kd);
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

// What a machine of the CPU finds by the path tracer's walk (trace/walk.h).
RayHits cpu_hits(const RayScene& scene, uint32_t width);

struct CpuRays {
  std::string machine;  // "cpu v3", "emulated"
  int lanes = 0;        // of its warp
  RayCounts counts = {};
  RayHits hits;
};
// One loop, or tasks that go on while `stay_percent` of a warp's lanes do; by one worker, so that the same work is
// always done in the same order.
CpuRays run_cpu_rays(const std::string& machine, bool tasks, uint32_t stay_percent, const RayScene& scene,
                     uint32_t width);

// Lanes that make up a part of a warp; more than there are: one step at a time.
uint32_t lanes_of(uint32_t percent, int width);
// The task program's memory, for so many rays: the power of two that its queues take.
uint32_t ray_capacity(uint32_t rays);

}  // namespace brokkr::simt
