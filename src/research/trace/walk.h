// Finds hits with the scene's structure.
#pragma once

#include "trace/walk_bvh.h"
#include "trace/walk_kd.h"
#include "trace/walk_wide.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {

BROKKR_FN Hit find_hit(Warp& w, const SceneTables& scene, const Ray& ray, Effort& effort, uint32_t* memory, bool any,
                       Mask m) {
  Hit hit;
  if (scene.structure != StructureKind::bvh) {
    walk_kd(w, scene, ray, hit, effort, memory, any, m);
  } else if (scene.bvh_children == 2) {
    walk_bvh(w, scene, ray, hit, effort, memory, any, m);
  } else {
    walk_wide(w, scene, ray, hit, effort, memory, any, m);
  }
  return hit;
}
// The nearest hit of each lane of m.
BROKKR_FN Hit nearest_hit(Warp& w, const SceneTables& scene, const Ray& ray, Effort& effort, uint32_t* memory, Mask m) {
  return find_hit(w, scene, ray, effort, memory, false, m);
}
// The lanes of m whose ray hits anything.
BROKKR_FN Mask any_hit(Warp& w, const SceneTables& scene, const Ray& ray, Effort& effort, uint32_t* memory, Mask m) {
  return m && find_hit(w, scene, ray, effort, memory, true, m).primitive != kNone;
}

}  // namespace trace_machine
BROKKR_MACHINE_END
