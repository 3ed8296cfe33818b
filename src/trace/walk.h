// Asks the scene's structure.
#pragma once

#include "trace/walk_bvh.h"
#include "trace/walk_kd.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {

// The nearest hit of each lane of m.
BROKKR_FN Hit nearest_hit(Warp& w, const SceneTables& scene, const Ray& ray, Effort& effort, uint32_t* memory, Mask m) {
  Hit hit;
  if (scene.structure == StructureKind::bvh) {
    walk_bvh(w, scene, ray, hit, effort, memory, false, m);
  } else {
    walk_kd(w, scene, ray, hit, effort, memory, false, m);
  }
  return hit;
}
// Whether anything is hit, of each lane of m.
BROKKR_FN Mask any_hit(Warp& w, const SceneTables& scene, const Ray& ray, Effort& effort, uint32_t* memory, Mask m) {
  Hit hit;
  if (scene.structure == StructureKind::bvh) {
    walk_bvh(w, scene, ray, hit, effort, memory, true, m);
  } else {
    walk_kd(w, scene, ray, hit, effort, memory, true, m);
  }
  return m && hit.primitive != kNone;
}

}  // namespace trace_machine
BROKKR_MACHINE_END
