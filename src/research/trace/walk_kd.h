// Nearest hits with a kd-tree, and with GrUG: a uniform grid whose cells refer to groups with trees of their own
// [Steffen12, appendix A].
#pragma once

#include "trace/ray.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {

// GrUG's first layer: integer positions whose highest bits are the cell number ([Steffen12, A], hash table function and
// integer operations).
struct GrugCell {
  Int x = 0, y = 0, z = 0;
};
BROKKR_CONSTANT int kPositionBits = 23;

// The cell of a coordinate, clamped to the grid.
BROKKR_FN Int grug_cell_on_axis(const SceneTables& scene, Float p, int axis) {
  const float size = scene.high[axis] - scene.low[axis];
  const Float part = clamp_to((p - scene.low[axis]) * (1.0f / size), 0.0f, 0.99999988f);
  return to_int(part * float(1 << kPositionBits)) >> int(kPositionBits - scene.grid_bits);
}
// Projects a ray to distance t and finds the cell there: the two stages of GrUG's fixed hardware [Steffen12, Fig. A.5].
// A machine that has them replaces this class (simt/kernels/rays.cu).
struct GrugStages {
  BROKKR_FN static GrugCell cell_at(const SceneTables& scene, V3 origin, V3 direction, Float t) {
    const V3 p = origin + direction * t;
    return {grug_cell_on_axis(scene, p.x, 0), grug_cell_on_axis(scene, p.y, 1), grug_cell_on_axis(scene, p.z, 2)};
  }
};

template <class Stages>
class GrugGrid {
 public:
  BROKKR_FN GrugGrid(Warp& w, const SceneTables& scene) : w_(w), s_(scene) {}

  BROKKR_FN GrugCell cell_at(const Ray& ray, Float t) const {
    return Stages::cell_at(s_, ray.origin, ray.direction, t);
  }
  BROKKR_FN Uint group_of(const GrugCell& c, Mask m) const {
    const uint32_t bits = s_.grid_bits;
    return w_.gather(s_.cells, c.x + (c.y << int(bits)) + (c.z << int(2 * bits)), m);
  }
  // Leaves the group through the nearest plane: sets the distance and the next cell. Returns the lanes of m that are
  // still inside the grid.
  BROKKR_FN Mask leave(const Ray& ray, Uint group, GrugCell& cell, Float& leave_at, Mask m) const {
    const Uint low = gather_bits(w_, s_.groups, group, kGroupWords, group_word::kLow, m),
               high = gather_bits(w_, s_.groups, group, kGroupWords, group_word::kHigh, m);
    Int from[3], to[3];
    for (int a = 0; a < 3; ++a) {
      from[a] = as_int((low >> uint32_t(10 * a)) & 1023u);
      to[a] = as_int((high >> uint32_t(10 * a)) & 1023u);
    }
    const Float tx = exit_on_axis(ray.origin.x, ray.direction.x, ray.inverse.x, from[0], to[0], 0);
    const Float ty = exit_on_axis(ray.origin.y, ray.direction.y, ray.inverse.y, from[1], to[1], 1);
    const Float tz = exit_on_axis(ray.origin.z, ray.direction.z, ray.inverse.z, from[2], to[2], 2);
    leave_at = select(m, minimum(minimum(tx, ty), tz), leave_at);
    const GrugCell at = cell_at(ray, leave_at);
    const Mask by_x = tx <= ty && tx <= tz, by_y = !by_x && ty <= tz, by_z = !by_x && !by_y;
    const Int x = next_on_axis(at.x, ray.direction.x, from[0], to[0], by_x);
    const Int y = next_on_axis(at.y, ray.direction.y, from[1], to[1], by_y);
    const Int z = next_on_axis(at.z, ray.direction.z, from[2], to[2], by_z);
    cell = {select(m, x, cell.x), select(m, y, cell.y), select(m, z, cell.z)};
    const int n = 1 << s_.grid_bits;
    return m && x >= 0 && y >= 0 && z >= 0 && x < n && y < n && z < n;
  }

 private:
  Warp& w_;
  const SceneTables& s_;

  BROKKR_FN Float exit_on_axis(Float o, Float d, Float inverse, Int from, Int to, int axis) const {
    const float size = (s_.high[axis] - s_.low[axis]) / float(1 << s_.grid_bits);
    const Int plane = select(d < 0.0f, from, to + 1);
    return (to_float(plane) * size + s_.low[axis] - o) * inverse;
  }
  // On the other axes the ray stays in the group, and rounding must not change that.
  BROKKR_FN Int next_on_axis(Int cell, Float d, Int from, Int to, Mask leaves) const {
    return select(leaves, select(d < 0.0f, from - 1, to + 1), clamp_to(cell, from, to));
  }
};

// The walk of a warp's rays: each lane is between two groups, at an inner node, or within a leaf. `Stack` is a
// LaneStack, or another class with the same functions; `Stages` is GrugStages, or the like.
template <class Stack, class Stages = GrugStages>
class KdWalk {
 public:
  // `hit`: only nearer hits count.
  BROKKR_FN KdWalk(Warp& w, const SceneTables& scene, const Ray& ray, const Hit& hit, const Stack& stack)
      : w_(w), s_(scene), ray_(ray), hit_(hit), grid_(w, scene), stack_(stack) {}

  BROKKR_FN void run(bool any, Mask m) {
    const bool grouped = s_.structure == StructureKind::grug;
    begin(m);
    if (grouped) begin_groups();
    while (w_.any(active_)) {
      if (grouped && w_.any(between_)) enter_groups();
      Mask need = step_nodes(inner());
      need = need || test_leaves(any, leaf());
      need = need && active_;
      if (w_.any(need)) pop(grouped, need);
    }
  }

  // ---- Single steps, for callers that schedule the walk themselves.

  // Starts at the root: lanes of m whose rays hit the scene's box become active.
  BROKKR_FN void begin(Mask m) {
    const Span box = span_of(ray_, uniform(s_.low), uniform(s_.high));
    enter_ = group_leave_ = box.enter;
    leave_ = box.leave;
    active_ = m && enter_ * kNearer <= minimum(leave_, found());
  }
  // For groups, after `begin`: all active lanes are between two groups.
  BROKKR_FN void begin_groups() {
    cell_ = grid_.cell_at(ray_, enter_);
    between_ = active_;
  }
  BROKKR_FN Mask active() const { return active_; }
  BROKKR_FN Mask between() const { return between_; }
  BROKKR_FN Mask inner() const { return active_ && !between_ && left_ == 0u; }
  BROKKR_FN Mask leaf() const { return active_ && !between_ && left_ != 0u; }

  // One step down for lanes at inner nodes. Returns the lanes that reached an empty leaf.
  BROKKR_FN Mask step_nodes(Mask inner) {
    if (!w_.any(inner)) return false;
    effort_.steps += select(inner, 1u, 0u);
    const Uint value = gather_bits(w_, s_.kd, node_, kKdWords, kd_word::kValue, inner);
    const Uint link = gather_bits(w_, s_.kd, node_, kKdWords, kd_word::kLink, inner);
    const Uint axis = link & 3u;
    const Mask is_leaf = inner && axis == 3u, splits = inner && axis != 3u;
    place_ = select(is_leaf, value, place_);
    left_ = select(is_leaf, link >> 2, left_);
    const auto along_axis = [&](V3 vector) {
      return select(axis == 0u, vector.x, select(axis == 1u, vector.y, vector.z));
    };
    const Float split = as_float(value), o = along_axis(ray_.origin);
    const Float t = (split - o) * along_axis(ray_.inverse);
    const Mask low_first = o < split || (o == split && along_axis(ray_.direction) <= 0.0f);
    const Uint low = link >> 2;
    const Uint near = select(low_first, low, low + 1u), far = select(low_first, low + 1u, low);
    const Mask near_only = t < 0.0f || t * kNearer > leave_;
    const Mask far_only = !near_only && t < enter_ * kNearer;
    const Mask both = splits && !near_only && !far_only;
    if (w_.any(both)) {
      stack_.push(0, far, both);
      stack_.push(1, as_uint(maximum(t, enter_)), both);
      stack_.push(2, as_uint(leave_), both);
      stack_.pushed(both);
      leave_ = select(both, minimum(t, leave_), leave_);
    }
    node_ = select(splits, select(far_only, far, near), node_);
    return is_leaf && left_ == 0u;
  }
  // One triangle test for lanes in leaves. Returns the lanes that have finished their leaf.
  BROKKR_FN Mask test_leaves(bool any, Mask leaf) {
    if (!w_.any(leaf)) return false;
    effort_.tests += select(leaf, 1u, 0u);
    test_triangle(w_, s_, ray_, w_.gather(s_.places, as_int(place_), leaf), hit_, leaf);
    place_ += 1u;
    left_ -= select(leaf, 1u, 0u);
    if (any) active_ = active_ && !(leaf && hit_.primitive != kNone);
    return leaf && left_ == 0u;
  }
  // Pops the next postponed node; lanes without a relevant one become inactive.
  BROKKR_FN void pop(bool grouped, Mask need) {
    const Mask over = need && stack_.is_empty(), pops = need && !stack_.is_empty();
    stack_.popped(pops);
    node_ = select(pops, stack_.top(0, pops), node_);
    enter_ = select(pops, as_float(stack_.top(1, pops)), enter_);
    leave_ = select(pops, as_float(stack_.top(2, pops)), leave_);
    // Stack entries are sorted by distance: if one is too far, all below are.
    const Mask ends = (pops && enter_ * kNearer > found()) || (over && group_leave_ * kNearer > found());
    active_ = active_ && !ends && !(over && !(grouped ? is_inside() : Mask(false)));
    between_ = between_ || (over && active_);
  }

  // One group further, for lanes between two groups.
  BROKKR_FN void enter_groups() {
    effort_.steps += select(between_, 1u, 0u);
    effort_.groups += select(between_, 1u, 0u);
    const Uint group = grid_.group_of(cell_, between_);
    const Uint root = gather_bits(w_, s_.groups, group, kGroupWords, group_word::kRoot, between_);
    enter_ = select(between_, group_leave_, enter_);
    const Mask inside = grid_.leave(ray_, group, cell_, group_leave_, between_);
    leave_ = select(between_, group_leave_, leave_);
    const Mask empty = between_ && root == kNone;
    node_ = select(between_ && !empty, root, node_);
    // The ray ends if the last group is empty, or if no nearer hit is possible.
    const Mask ends = empty && (!inside || group_leave_ * kNearer > found());
    active_ = active_ && !ends;
    between_ = empty && !ends;
  }

  // Saves a lane's state in a kd-tree for continuation elsewhere: five words in addition to its ray, its hit and its
  // stack.
  BROKKR_FN void save(Uint (&words)[5]) const {
    words[0] = node_;
    words[1] = as_uint(enter_);
    words[2] = as_uint(leave_);
    words[3] = place_;
    words[4] = left_;
  }
  BROKKR_FN void restore(const Uint (&words)[5], Mask m) {
    node_ = words[0];
    enter_ = as_float(words[1]);
    leave_ = as_float(words[2]);
    place_ = words[3];
    left_ = words[4];
    active_ = m;
  }
  BROKKR_FN Ray& ray() { return ray_; }
  BROKKR_FN Hit& hit() { return hit_; }
  BROKKR_FN const Effort& effort() const { return effort_; }
  BROKKR_FN Stack& stack() { return stack_; }

 private:
  // Members other than the tables are values, because compilers keep a member in a register only if no reference points
  // to it.
  Warp& w_;
  const SceneTables& s_;
  Ray ray_;
  Hit hit_;
  Effort effort_;
  GrugGrid<Stages> grid_;
  Stack stack_;
  Mask active_ = false, between_ = false;
  Float enter_ = 0.0f, leave_ = 0.0f;        // where the ray enters and leaves the lane's node
  Uint node_ = 0u, place_ = 0u, left_ = 0u;  // the node; in a leaf, the next primitive and the number of remaining ones
  GrugCell cell_;                            // cell of the next group, and where the ray leaves the current group
  Float group_leave_ = 0.0f;

  // Anything beyond this distance is irrelevant.
  BROKKR_FN Float found() const { return minimum(hit_.t, ray_.limit); }
  BROKKR_FN Mask is_inside() const {
    const int n = 1 << s_.grid_bits;
    return cell_.x >= 0 && cell_.y >= 0 && cell_.z >= 0 && cell_.x < n && cell_.y < n && cell_.z < n;
  }
};

// `any`: stops at any hit. Lanes outside m are unchanged.
BROKKR_FN_NOINLINE void walk_kd(Warp& w, Search search, const Ray& ray, Hit& hit, bool any, Mask m) {
  Effort& effort = search.effort;
  KdWalk<LaneStack> walk(w, search.scene, ray, hit, LaneStack(w, search.memory));
  walk.run(any, m);
  hit = walk.hit();
  effort.steps += walk.effort().steps;
  effort.groups += walk.effort().groups;
  effort.tests += walk.effort().tests;
}

}  // namespace trace_machine
BROKKR_MACHINE_END
