// Finds hits with the scene's structure.
#pragma once

#include "trace/ray.h"
#include "trace/walk_kd.h"

// Nearest hits with a binary bounding volume hierarchy.

BROKKR_MACHINE_BEGIN
namespace trace_machine {

// The places of lanes in the hierarchy: the node of lanes at an inner node; the next triangle, and the number of
// remaining ones, of lanes in a leaf.
struct BvhPlaces {
  Uint node = 0u, place = 0u, left = 0u;
  Mask active;  // lanes that have a node
};

// Pops, for lanes m, the next node of their stack that may contain a hit nearer than `far`.
BROKKR_FN void pop_nodes(Warp& w, LaneStack& stack, Float far, BvhPlaces& at, Mask m) {
  Mask need = m && at.active;
  while (w.any(need)) {
    const Mask over = need && stack.is_empty();
    at.active = at.active && !over;
    need = need && !over;
    if (!w.any(need)) break;
    stack.popped(need);
    const Uint next = stack.top(0, need);
    const Float enter = as_float(stack.top(1, need));
    const Mask good = need && enter * kNearer <= far;
    const Mask to_leaf = good && (next & kBvhLeaf) != 0u;
    at.node = select(good, next, at.node);
    at.left = select(to_leaf, (next >> 27) & 15u, select(good, 0u, at.left));
    at.place = select(to_leaf, next & 0x7ffffffu, at.place);
    need = need && !good;
  }
}

// `any`: stops at any hit. Lanes outside m are unchanged.
BROKKR_FN_NOINLINE void walk_bvh(Warp& w, Search search, const Ray& ray, Hit& hit, bool any, Mask m) {
  const SceneTables& scene = search.scene;
  Effort& effort = search.effort;
  LaneStack stack(w, search.memory);
  const BvhNode* nodes = scene.bvh;
  BvhPlaces at{.active = m};
  while (w.any(at.active)) {
    const Uint node = at.node;
    const Mask inner = at.active && at.left == 0u;
    if (w.any(inner)) {
      effort.steps += select(inner, 1u, 0u);
      const V3 low0 = gather3(w, nodes, node, kBvhWords, bvh_word::kLow0, inner),
               high0 = gather3(w, nodes, node, kBvhWords, bvh_word::kHigh0, inner);
      const V3 low1 = gather3(w, nodes, node, kBvhWords, bvh_word::kLow1, inner),
               high1 = gather3(w, nodes, node, kBvhWords, bvh_word::kHigh1, inner);
      const Uint child0 = gather_bits(w, nodes, node, kBvhWords, bvh_word::kChild, inner);
      const Uint child1 = gather_bits(w, nodes, node, kBvhWords, bvh_word::kChild + 1, inner);
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
      at.node = select(goes, next, node);
      at.left = select(to_leaf, (next >> 27) & 15u, at.left);
      at.place = select(to_leaf, next & 0x7ffffffu, at.place);
      pop_nodes(w, stack, far, at, inner && !goes);
    }
    const Mask leaf = at.active && at.left != 0u;
    if (w.any(leaf)) {
      effort.tests += select(leaf, 1u, 0u);
      const Uint id = w.gather(scene.places, as_int(at.place), leaf);
      test_triangle(w, scene, ray, id, hit, leaf);
      at.place += 1u;
      at.left -= select(leaf, 1u, 0u);
      if (any) at.active = at.active && !(leaf && hit.primitive != kNone);
      pop_nodes(w, stack, minimum(hit.t, ray.limit), at, leaf && at.left == 0u);
    }
  }
}

}  // namespace trace_machine
BROKKR_MACHINE_END

// Nearest hits with an eight-wide bounding volume hierarchy [Wald08]: the lanes of a warp test the children of one
// ray's node, or the triangles of its leaf, together, and the warp processes one ray after another. So incoherent rays,
// as after a bounce, cost no more than coherent ones. On warps wider than a node, the remaining lanes would idle: such
// machines use binary nodes with a ray per lane (walk_bvh).

BROKKR_MACHINE_BEGIN
namespace trace_machine {

// Narrow warps process a row of eight in several steps.
BROKKR_CONSTANT int kWideLanes = kWidth < kWide ? kWidth : kWide;
BROKKR_CONSTANT int kWideParts = kWide / kWideLanes;

// Loads a part of a row; 0 in lanes beyond it.
template <class T>
BROKKR_FN Lane<T> wide_row(const T (&row)[kWide], int part) {
  if constexpr (kWidth > kWide) {
    return Warp::load(&row[0], Warp::first_lanes(kWide));
  } else {
    return Warp::load(&row[0] + part * kWideLanes);
  }
}

// The walk of one ray, which all lanes share.
class WideWalk {
 public:
  // For the ray of lane `lane`. memory: Search::memory.
  BROKKR_FN WideWalk(Warp& w, const SceneTables& scene, const Ray& rays, int lane, uint32_t* memory)
      : w_(w), s_(scene), stack_(reinterpret_cast<uint64_t*>(memory)) {
    const auto of_lane = [&](auto a) { return w.shuffle(a, Int(lane)); };
    const auto of_lane3 = [&](const V3& a) { return V3{of_lane(a.x), of_lane(a.y), of_lane(a.z)}; };
    ray_.origin = of_lane3(rays.origin);
    ray_.direction = of_lane3(rays.direction);
    ray_.inverse = of_lane3(rays.inverse);
    ray_.after = of_lane(rays.after);
    ray_.after_primitive = of_lane(rays.after_primitive);
    ray_.limit = of_lane(rays.limit);
  }

  // high: bit a is set if the ray comes from the high side of axis a.
  BROKKR_FN void run(const uint32_t (&high)[3], bool any) {
    find_farthest();
    for (uint32_t at = 0; at != kNone;) {
      if ((at & kBvhLeaf) == 0) {
        at = step(s_.wide[at], high);
        continue;
      }
      test(at);
      if (any && found_) return;
      at = pop();
    }
  }

  Hit hit;  // the same in all lanes
  uint32_t steps = 0, tests = 0;

 private:
  Warp& w_;
  const SceneTables& s_;
  Ray ray_;
  // Postponed children, the nearest child of a node on top. An entry is the child's number and, above it, the bits of
  // the entry distance, which have the same order as the distances.
  uint64_t* stack_;
  int waiting_ = 0;
  Float far_;  // anything beyond this is irrelevant
  uint32_t far_bits_ = 0;
  bool found_ = false;

  BROKKR_FN void find_farthest() {
    far_ = minimum(hit.t, ray_.limit);
    far_bits_ = w_.broadcast(as_uint(far_), 0);
  }

  // Returns the nearest child that the ray hits; the others are postponed.
  BROKKR_FN uint32_t step(const WideNode& node, const uint32_t (&high)[3]) {
    ++steps;
    uint32_t bits = 0;
    Uint enters[kWideParts];
    for (int part = 0; part < kWideParts; ++part) {
      const auto distance = [&](int row, Float origin, Float inverse) {
        return (wide_row(node.planes[row], part) - origin) * inverse;
      };
      const int x = int(high[0]), y = 2 + int(high[1]), z = 4 + int(high[2]);
      const V3 &o = ray_.origin, &i = ray_.inverse;
      const Float enter =
          maximum(maximum(distance(x, o.x, i.x), distance(y, o.y, i.y)), maximum(distance(z, o.z, i.z), 0.0f)) *
          kNearer;
      const Float leave = minimum(minimum(distance(x ^ 1, o.x, i.x), distance(y ^ 1, o.y, i.y)),
                                  minimum(distance(z ^ 1, o.z, i.z), far_));
      enters[part] = as_uint(enter);
      bits |= w_.ballot(enter <= leave) << (part * kWideLanes);
    }
    if constexpr (kWidth > kWide) bits &= (1u << kWide) - 1u;
    if (bits == 0) return pop();
    const int first = lowest_bit(bits);
    bits &= bits - 1;
    if (bits == 0) return node.child[first];
    const auto entry = [&](int k) {
      const uint32_t enter = w_.broadcast(enters[kWideParts == 1 ? 0 : k / kWideLanes], k % kWideLanes);
      return (uint64_t(enter) << 32) | node.child[k];
    };
    uint64_t nearest = entry(first);
    const int base = waiting_;
    for (; bits != 0; bits &= bits - 1) {
      const uint64_t other = entry(lowest_bit(bits));
      push(other < nearest ? nearest : other, base);
      nearest = other < nearest ? other : nearest;
    }
    return uint32_t(nearest);
  }
  // Inserts an entry into the sorted entries from `base` on.
  BROKKR_FN void push(uint64_t entry, int base) {
    w_.once([&] {
      int at = waiting_;
      for (; at > base && stack_[at - 1] < entry; --at) stack_[at] = stack_[at - 1];
      stack_[at] = entry;
    });
    ++waiting_;
  }
  // The next entry that may contain a nearer hit; kNone if the stack is empty.
  BROKKR_FN uint32_t pop() {
    while (waiting_ > 0) {
      --waiting_;
      const uint64_t entry = w_.uniform([&] { return stack_[waiting_]; });
      if (uint32_t(entry >> 32) <= far_bits_) return uint32_t(entry);
    }
    return kNone;
  }

  BROKKR_FN void test(uint32_t leaf) {
    tests += (leaf >> 27) & 15u;
    const TriangleBlock& block = s_.blocks[leaf & 0x7ffffffu];
    for (int part = 0; part < kWideParts; ++part) {
      const auto row3 = [&](int k) {
        return V3{wide_row(block.words[k], part), wide_row(block.words[k + 1], part),
                  wide_row(block.words[k + 2], part)};
      };
      const Uint id = wide_row(block.primitive, part);
      const Meeting at = meet_triangle(w_, s_, ray_, {row3(0), row3(3), row3(6), id}, hit, true);
      const Mask is_hit = at.nearer;
      uint32_t bits = w_.ballot(is_hit);
      if (bits == 0) continue;
      // The nearest of several hits; among equals the first, which has the lowest number.
      if ((bits & (bits - 1)) != 0) bits = w_.ballot(is_hit && at.t == w_.reduce_min(select(is_hit, at.t, 3e38f)));
      const Int nearest(lowest_bit(bits));
      hit.t = w_.shuffle(at.t, nearest);
      hit.u = w_.shuffle(at.u, nearest);
      hit.v = w_.shuffle(at.v, nearest);
      hit.primitive = w_.shuffle(id, nearest);
      found_ = true;
      find_farthest();
    }
  }
};

// `any`: stops at any hit. Lanes outside m are unchanged.
BROKKR_FN_NOINLINE void walk_wide(Warp& w, Search search, const Ray& ray, Hit& hit, bool any, Mask m) {
  Effort& effort = search.effort;
  const V3& d = ray.direction;
  const uint32_t negative[3] = {w.ballot(d.x < 0.0f), w.ballot(d.y < 0.0f), w.ballot(d.z < 0.0f)};
  for (uint32_t bits = w.ballot(m); bits != 0; bits &= bits - 1) {
    const int lane = lowest_bit(bits);
    const uint32_t high[3] = {negative[0] >> lane & 1u, negative[1] >> lane & 1u, negative[2] >> lane & 1u};
    WideWalk walk(w, search.scene, ray, lane, search.memory);
    walk.run(high, any);
    const Mask mine = w.lane() == lane;
    hit.t = select(mine, walk.hit.t, hit.t);
    hit.u = select(mine, walk.hit.u, hit.u);
    hit.v = select(mine, walk.hit.v, hit.v);
    hit.primitive = select(mine, walk.hit.primitive, hit.primitive);
    effort.steps += select(mine, walk.steps, 0u);
    effort.tests += select(mine, walk.tests, 0u);
  }
}

}  // namespace trace_machine
BROKKR_MACHINE_END

BROKKR_MACHINE_BEGIN
namespace trace_machine {

BROKKR_FN Hit find_hit(Warp& w, Search search, const Ray& ray, bool any, Mask m) {
  const SceneTables& scene = search.scene;
  Hit hit;
  if (scene.structure != StructureKind::bvh) {
    walk_kd(w, search, ray, hit, any, m);
  } else if (scene.bvh_children == 2) {
    walk_bvh(w, search, ray, hit, any, m);
  } else {
    walk_wide(w, search, ray, hit, any, m);
  }
  return hit;
}
// The nearest hit of each lane of m.
BROKKR_FN Hit nearest_hit(Warp& w, Search search, const Ray& ray, Mask m) { return find_hit(w, search, ray, false, m); }
// The lanes of m whose ray hits anything.
BROKKR_FN Mask any_hit(Warp& w, Search search, const Ray& ray, Mask m) {
  return m && find_hit(w, search, ray, true, m).primitive != kNone;
}

}  // namespace trace_machine
BROKKR_MACHINE_END
