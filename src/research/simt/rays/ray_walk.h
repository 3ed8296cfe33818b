// A ray's walk through a kd-tree or GrUG, one step at a time, with the path tracer's own steps (trace/walk_kd.h),
// whoever executes them.
#pragma once

#include "simt/rays/ray_plan.h"
#include "trace/walk_kd.h"

BROKKR_MACHINE_BEGIN
namespace ray_machine {
using namespace trace_machine;
using brokkr::simt::RayPlan;

// A separate stack for each ray.
class RayStack {
 public:
  BROKKR_FN RayStack(Warp& w, uint32_t* memory, uint32_t rays) : w_(w), memory_(memory), rays_(rays) {}
  BROKKR_FN void push(int word, Uint value, Mask m) { w_.scatter(plane(word), place(), value, m); }
  BROKKR_FN void pushed(Mask m) { size_ += select(m, 1, 0); }
  BROKKR_FN void popped(Mask m) { size_ -= select(m, 1, 0); }
  BROKKR_FN Uint top(int word, Mask m) const { return w_.gather(plane(word), place(), m); }
  BROKKR_FN Mask is_empty() const { return size_ == 0; }
  BROKKR_FN void set(Uint ray, Int size) { ray_ = ray, size_ = size; }
  BROKKR_FN Int size() const { return size_; }

 private:
  Warp& w_;
  uint32_t* memory_;
  uint32_t rays_;
  Uint ray_ = 0u;
  Int size_ = 0;

  BROKKR_FN Int place() const { return as_int(as_uint(size_) * rays_ + ray_); }
  BROKKR_FN uint32_t* plane(int word) const {
    return memory_ + size_t(uint32_t(word)) * brokkr::simt::kRayStack * rays_;
  }
};

template <class Stages>
class WalkOfRay {
 public:
  // The state that a step passes on to the next one: 48 bytes.
  static constexpr int kWords = 12;

  BROKKR_FN WalkOfRay(Warp& w, const RayPlan& plan)
      : w_(w), plan_(plan), walk_(w, plan.scene, {}, {}, RayStack(w, plan.stacks, plan.rays)) {}
  WalkOfRay(const WalkOfRay&) = delete;

  BROKKR_FN void begin(Uint number, Mask m) {
    const Uint y = number / plan_.width, x = number - y * plan_.width;
    const Float at_x = to_float(as_int(x)) + 0.5f, at_y = to_float(as_int(y)) + 0.5f;
    number_ = number;
    walk_.ray() =
        make_ray(uniform(plan_.eye), uniform(plan_.corner) + uniform(plan_.right) * at_x + uniform(plan_.up) * at_y);
    walk_.stack().set(number, 0);
    walk_.begin(m);
  }
  // The same in GrUG. Rays between two groups enter_groups; pop_group skips a node, or leaves the group. Such a walk
  // cannot be saved.
  BROKKR_FN void begin_groups(Uint number, Mask m) {
    begin(number, m);
    walk_.begin_groups();
  }
  BROKKR_FN Mask between() const { return walk_.between(); }
  BROKKR_FN void enter_groups() { walk_.enter_groups(); }
  BROKKR_FN void pop_group(Mask m) { walk_.pop(true, m); }

  BROKKR_FN void save(Uint (&words)[kWords]) {
    Uint place[5];
    walk_.save(place);
    for (int k = 0; k < 5; ++k) words[k] = place[k];
    words[5] = number_;
    words[6] = as_uint(walk_.stack().size());
    words[7] = as_uint(walk_.hit().t);
    words[8] = walk_.hit().primitive;
    words[9] = as_uint(walk_.ray().direction.x);
    words[10] = as_uint(walk_.ray().direction.y);
    words[11] = as_uint(walk_.ray().direction.z);
  }
  BROKKR_FN void restore(const Uint (&words)[kWords], Mask m) {
    Uint place[5];
    for (int k = 0; k < 5; ++k) place[k] = words[k];
    walk_.restore(place, m);
    number_ = words[5];
    walk_.stack().set(number_, as_int(words[6]));
    walk_.hit().t = as_float(words[7]);
    walk_.hit().primitive = words[8];
    walk_.ray() = make_ray(uniform(plan_.eye), {as_float(words[9]), as_float(words[10]), as_float(words[11])});
  }

  BROKKR_FN Mask active() const { return walk_.active(); }
  BROKKR_FN Mask inner() const { return walk_.inner(); }
  BROKKR_FN Mask leaf() const { return walk_.leaf(); }
  // Both return the lanes that have reached an empty leaf or the end of their leaf: these continue with a skipped node.
  BROKKR_FN Mask step_down(Mask m) { return walk_.step_nodes(m); }
  BROKKR_FN Mask step_leaf(Mask m) { return walk_.test_leaves(false, m); }
  BROKKR_FN void pop(Mask m) { walk_.pop(false, m); }
  BROKKR_FN void finish(Mask m) {
    w_.scatter(plan_.t, as_int(number_), walk_.hit().t, m);
    w_.scatter(plan_.primitive, as_int(number_), walk_.hit().primitive, m);
  }

 private:
  Warp& w_;
  const RayPlan& plan_;
  Uint number_ = 0u;
  KdWalk<RayStack, Stages> walk_;
};
using RayWalk = WalkOfRay<GrugStages>;

}  // namespace ray_machine
BROKKR_MACHINE_END
