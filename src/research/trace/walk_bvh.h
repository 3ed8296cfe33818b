// Nearest hits with a binary bounding volume hierarchy.
#pragma once

#include "trace/ray.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {

// Pops, for lanes m, the next node of their stack that may contain a nearer hit. Returns the lanes of `active` that
// still have a node.
BROKKR_FN Mask pop_nodes(Warp& w, LaneStack& stack, const Hit& hit, const Ray& ray, Uint& node, Uint& place, Uint& left,
                         Mask m, Mask active) {
  Mask need = m && active;
  while (w.any(need)) {
    const Mask over = need && stack.is_empty();
    active = active && !over;
    need = need && !over;
    if (!w.any(need)) break;
    stack.popped(need);
    const Uint next = stack.top(0, need);
    const Float enter = as_float(stack.top(1, need));
    const Mask good = need && enter * kNearer <= minimum(hit.t, ray.limit);
    const Mask to_leaf = good && (next & kBvhLeaf) != 0u;
    node = select(good, next, node);
    left = select(to_leaf, (next >> 27) & 15u, select(good, 0u, left));
    place = select(to_leaf, next & 0x7ffffffu, place);
    need = need && !good;
  }
  return active;
}

// `any`: stops at any hit. Lanes outside m are unchanged.
BROKKR_FN_NOINLINE void walk_bvh(Warp& w, const SceneTables& scene, const Ray& ray, Hit& hit, Effort& effort,
                                 uint32_t* memory, bool any, Mask m) {
  LaneStack stack(w, memory);
  const BvhNode* nodes = scene.bvh;
  Uint node = 0u;              // for lanes at an inner node
  Uint place = 0u, left = 0u;  // for lanes in a leaf
  Mask active = m;
  while (w.any(active)) {
    const Mask inner = active && left == 0u;
    if (w.any(inner)) {
      effort.steps += select(inner, 1u, 0u);
      const V3 low0 = gather3(w, nodes, node, kBvhWords, 0, inner),
               high0 = gather3(w, nodes, node, kBvhWords, 3, inner);
      const V3 low1 = gather3(w, nodes, node, kBvhWords, 6, inner),
               high1 = gather3(w, nodes, node, kBvhWords, 9, inner);
      const Uint child0 = gather_bits(w, nodes, node, kBvhWords, 12, inner);
      const Uint child1 = gather_bits(w, nodes, node, kBvhWords, 13, inner);
      const Span span0 = span_of(ray, low0, high0), span1 = span_of(ray, low1, high1);
      const Float far = minimum(hit.t, ray.limit);
      const Mask meets0 = inner && span0.enter * kNearer <= minimum(span0.leave, far);
      const Mask meets1 = inner && span1.enter * kNearer <= minimum(span1.leave, far);
      const Mask both = meets0 && meets1;
      const Mask second_first = both && span1.enter < span0.enter;
      const Mask take1 = second_first || (meets1 && !meets0);
      if (w.any(both)) {
        stack.push(0, select(second_first, child0, child1), both);
        stack.push(1, as_uint(select(second_first, span0.enter, span1.enter)), both);
        stack.pushed(both);
      }
      const Uint next = select(take1, child1, child0);
      const Mask goes = meets0 || meets1;
      const Mask to_leaf = goes && (next & kBvhLeaf) != 0u;
      node = select(goes, next, node);
      left = select(to_leaf, (next >> 27) & 15u, left);
      place = select(to_leaf, next & 0x7ffffffu, place);
      active = active && pop_nodes(w, stack, hit, ray, node, place, left, inner && !goes, active);
    }
    const Mask leaf = active && left != 0u;
    if (w.any(leaf)) {
      effort.tests += select(leaf, 1u, 0u);
      const Uint id = w.gather(scene.places, as_int(place), leaf);
      test_triangle(w, scene, ray, id, hit, leaf);
      place += 1u;
      left -= select(leaf, 1u, 0u);
      if (any) active = active && !(leaf && hit.primitive != kNone);
      active = active && pop_nodes(w, stack, hit, ray, node, place, left, leaf && left == 0u, active);
    }
  }
}

}  // namespace trace_machine
BROKKR_MACHINE_END
