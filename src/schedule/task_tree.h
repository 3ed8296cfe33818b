// Hierarchical bucket queues [Kerbl18, 5.2]: a tree of types, known when a program is compiled.
//
//   Queue<Callbacks, Tasks...>      a leaf: a broker work distributor for payloads of these tasks
//   Bucket<Callbacks, Children...>  an inner node over queues and buckets
//   Repeat<n, Callbacks, Child>     a bucket of n equal children
//
// A task T says T::kId (unique in the program), T::kThreads (lanes that work on one, a power of two up to 32),
// T::kWords (words of its payload) and has
//
//   template <class Worker>
//   static void execute(Worker&, const Uint (&payload)[kWords], Int thread, Mask active)
//
// which runs for several tasks in a warp: lane i works as `thread` of the task whose payload it sees.
//
// Leaf callbacks
//   static Ulong check_leaf(Ulong count)
//       the report of a queue with `count` elements to its bucket; 0: nothing
//   template <class T> static Uint maintain(const Uint (&payload)[T::kWords], const MaintainState&)
//       optional; larger for more urgent tasks: a maintainer sorts the queue by it
//
// Bucket callbacks; state.shared has kSharedWords per child for all workers, state.local kLocalWords for each
//   template <class T> static Int traverse(const BucketState&, const Uint (&payload)[T::kWords], Mask)
//       the child that takes the payload; not asked where only one can
//   static Ulong propagate(const BucketState&, Int child, Ulong info)
//       rates a child that reported something; the largest rating wins; never 0
//   static void chosen(const BucketState&, int child)
//       after the decision; one lane
//   static void executed(const BucketState&, int child, uint64_t ns)
//       after its tasks have run, where kTimed; one lane
//   static void init(const BucketState&, uint32_t worker)
//       before a worker's first decision; one lane
//   static bool settles(const BucketState&, int child, uint64_t info)
//       optional: children are asked in their order; true ends that after this child
//
// In [Kerbl18], propagate looks at all children's reports and returns one of them. Here it rates one child, lanes rate
// different children, and the largest number wins: that makes the decision a reduction over the warp. A bucket reports
// upwards what its winner reported.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "schedule/tree_queue.h"

BROKKR_MACHINE_BEGIN

template <class Callbacks, class... Children>
struct Bucket {
  static constexpr bool kIsLeaf = false;
  static constexpr int kChildren = int(sizeof...(Children));
  using First = std::tuple_element_t<0, std::tuple<Children...>>;
  static constexpr bool kAlike = (std::is_same_v<First, Children> && ...);
  static constexpr int kLeaves = (Children::kLeaves + ...);
  static constexpr int kOwnShared = Callbacks::kSharedWords * kChildren;
  static constexpr int kShared = kOwnShared + (Children::kShared + ...);
  static constexpr int kLocal = Callbacks::kLocalWords + (Children::kLocal + ...);
  static constexpr int kPayloadWords = [] {
    int words = 0;
    ((words = words > Children::kPayloadWords ? words : Children::kPayloadWords), ...);
    return words;
  }();
  static constexpr bool kSorted = (Children::kSorted || ...);
  static constexpr bool kTimed = Callbacks::kTimed || (Children::kTimed || ...);
  template <class Task>
  static constexpr bool kAccepts = (Children::template kAccepts<Task> || ...);

  template <class Task, class View>
  BROKKR_FN static Int leaf_for(const View& view, const TreePlace& at, const Uint (&payload)[Task::kWords], Mask m) {
    constexpr int kViable = (int(Children::template kAccepts<Task>) + ...);
    Int child = 0;
    if constexpr (kViable > 1) child = Callbacks::template traverse<Task>(state_of(view, at), payload, m);
    if constexpr (kViable > 1 && kAlike && First::kIsLeaf) return at.leaf + child;
    Int leaf = kNoLeaf;
    Warp w;
    each_child(at, [&](auto node, int c, const TreePlace& place) {
      using Node = decltype(node);
      if constexpr (Node::template kAccepts<Task>) {
        const Mask here = kViable == 1 ? m : m && child == c;
        if (w.any(here)) leaf = select(here, Node::template leaf_for<Task>(view, place, payload, here), leaf);
      }
    });
    return leaf;
  }

  template <class View>
  BROKKR_FN static Choice choose(Warp& w, const View& view, const TreePlace& at) {
    const BucketState state = state_of(view, at);
    Choice best;
    uint64_t best_score = 0;
    const auto consider = [&](int first, Ulong info, Int leaf) {
      const Ulong rated = Callbacks::propagate(state, w.lane() + first, info);
      const Ulong score = select(info == 0 || w.lane() + first >= kChildren, 0, rated);
      const uint64_t top = w.reduce_max(score);
      if (top <= best_score) return;
      best_score = top;
      const int lane = lowest_bit(w.ballot(score == top));
      best = {w.broadcast(info, lane), w.broadcast(leaf, lane)};
    };
    if constexpr (kAlike && First::kIsLeaf) {
      for (int first = 0; first < kChildren; first += kWidth) {
        const int n = kChildren - first;
        consider(first, First::LeafCallbacks::check_leaf(view.counts(w, at.leaf + first, n)),
                 w.lane() + (at.leaf + first));
      }
    } else {
      Ulong info = 0;
      Int leaf = kNoLeaf;
      bool settled = false;
      each_child(at, [&](auto node, int c, const TreePlace& place) {
        if (settled) return;
        const Choice its = decltype(node)::choose(w, view, place);
        if constexpr (Settling<Callbacks>) {
          if (its.info != 0 && Callbacks::settles(state, c, its.info)) {
            best = its;
            settled = true;
            return;
          }
        }
        const Mask here = w.lane() == c % kWidth;
        info = select(here, its.info, info);
        leaf = select(here, its.leaf, leaf);
        if (c % kWidth == kWidth - 1 || c == kChildren - 1) {
          consider(c - c % kWidth, info, leaf);
          info = 0;
        }
      });
    }
    return best;
  }

  template <class View, class F, class G>
  BROKKR_FN static void walk(const View& view, const TreePlace& at, int leaf, F&& f, G&& g) {
    if constexpr (kAlike) {
      const int c = (leaf - at.leaf) / First::kLeaves;
      f(Callbacks{}, state_of(view, at), c);
      First::walk(view, place_of_alike(at, c), leaf, f, g);
    } else {
      each_child(at, [&](auto node, int c, const TreePlace& place) {
        using Node = decltype(node);
        if (leaf < place.leaf || leaf >= place.leaf + Node::kLeaves) return;
        f(Callbacks{}, state_of(view, at), c);
        Node::walk(view, place, leaf, f, g);
      });
    }
  }
  template <class View>
  BROKKR_FN static void init(const View& view, const TreePlace& at, uint32_t worker) {
    Callbacks::init(state_of(view, at), worker);
    each_child(at, [&](auto node, int, const TreePlace& place) { decltype(node)::init(view, place, worker); });
  }
  template <class F>
  BROKKR_FN static void each_leaf(const TreePlace& at, F&& f) {
    each_child(at, [&](auto node, int, const TreePlace& place) { decltype(node)::each_leaf(place, f); });
  }

 private:
  template <class View>
  BROKKR_FN static BucketState state_of(const View& view, const TreePlace& at) {
    return {view.shared + at.shared, view.local + at.local, kChildren, view.now};
  }
  BROKKR_FN static TreePlace place_of_alike(const TreePlace& at, int c) {
    return {at.leaf + c * First::kLeaves, at.shared + kOwnShared + c * First::kShared,
            at.local + Callbacks::kLocalWords + c * First::kLocal};
  }
  // f(child's type, its number, its place) for every child.
  template <class F>
  BROKKR_FN static void each_child(const TreePlace& at, F&& f) {
    if constexpr (kAlike) {
      for (int c = 0; c < kChildren; ++c) f(First{}, c, place_of_alike(at, c));
    } else {
      int c = 0;
      TreePlace place{at.leaf, at.shared + kOwnShared, at.local + Callbacks::kLocalWords};
      const auto one = [&](auto node) {
        using Node = decltype(node);
        f(node, c, place);
        place.leaf += Node::kLeaves;
        place.shared += Node::kShared;
        place.local += Node::kLocal;
        ++c;
      };
      (one(Children{}), ...);
    }
  }
};

namespace task_tree {
template <class Callbacks, class Child, class Numbers>
struct RepeatOf;
template <class Callbacks, class Child, int... i>
struct RepeatOf<Callbacks, Child, std::integer_sequence<int, i...>> {
  template <int>
  using Same = Child;
  using Type = Bucket<Callbacks, Same<i>...>;
};
}  // namespace task_tree
template <int n, class Callbacks, class Child>
using Repeat = typename task_tree::RepeatOf<Callbacks, Child, std::make_integer_sequence<int, n>>::Type;

BROKKR_MACHINE_END
