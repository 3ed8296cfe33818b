// Hierarchical bucket queues [Kerbl18, 5.2]: a tree of types, known at compile time.
//
//   Queue<Callbacks, Tasks...>      a leaf: a broker work distributor for payloads of these tasks
//   Bucket<Callbacks, Children...>  an inner node over queues and buckets
//   Repeat<n, Callbacks, Child>     a bucket of n equal children
//
// A task T defines T::kId (unique in the program), T::kThreads (lanes that work on one task, a power of two up to 32),
// T::kWords (words of its payload; more than kMaxSlotWords are in a record of the program's pool) and
//
//   template <class Worker>
//   static void execute(Worker&, const Uint (&payload)[kWords], Int thread, Mask active)
//
// execute runs for several tasks in a warp at once. Lane i works as `thread` of the task whose payload it sees.
//
// Leaf callbacks
//   static Ulong check_leaf(Ulong count)
//       the report of a queue with `count` elements to its bucket; 0: nothing
//   template <class T> static Uint maintain(const Uint (&payload)[T::kWords], const MaintainState&)
//       optional; larger for more urgent tasks: a maintainer sorts the queue by it
//
// Bucket callbacks. state.shared has kSharedWords per child, for all workers; state.local has kLocalWords per worker.
//   template <class T> static Int traverse(const BucketState&, const Uint (&payload)[T::kWords], Mask)
//       returns the child that takes the payload; not called if only one child can
//   static Ulong propagate(const BucketState&, Int child, Ulong info)
//       rates a child that reported something; the largest rating wins; never returns 0. If there is an overload for
//       LaneState, several buckets of a kind are rated at once
//   static void chosen(const BucketState&, int child)
//       called by one lane after the decision
//   static void executed(const BucketState&, int child, uint64_t ns)
//       called by one lane after the child's tasks have run, if kTimed
//   static void init(const BucketState&, uint32_t worker)
//       called by one lane before a worker's first decision
//   static bool settles(const BucketState&, int child, uint64_t info)
//       optional: children are asked in their order; true ends that after this child
//   static bool lowers(const BucketState&), static void lowered(const BucketState&)
//       optional, for a bucket of equal children. lowers returns true if this worker has just changed which child takes
//       which task, so that queued tasks are in children that are too low. The worker then inserts these tasks again,
//       from the last child to the first, and calls lowered. One lane calls both, after a decision
//
// In [Kerbl18], propagate sees all children's reports and returns one of them. Here it rates one child, lanes rate
// different children, and the largest rating wins, so a decision is a reduction over the warp. A bucket passes its
// winner's report upwards. If a subtree's leaves fit in the warp, they are rated together, whatever its depth (5.2.4):
// lanes hold the leaves side by side, and each level of buckets is a few exchanges between lanes. A larger tree takes
// one round for each warp that its leaves fill.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "schedule/tree_queue.h"

BROKKR_MACHINE_BEGIN

namespace task_tree {
// The number of lanes that hold a node's leaves side by side: a power of two, or 0 if the node is too large.
template <class Node>
constexpr int span_of() {
  if constexpr (requires { Node::kSpan; }) return Node::kSpan;
  return 0;
}
constexpr int power_not_below(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}
template <class Callbacks, class... Children>
constexpr int span_of_bucket() {
  int widest = 0;
  bool all = RatesLanes<Callbacks>;
  ((widest = widest > span_of<Children>() ? widest : span_of<Children>(), all = all && span_of<Children>() > 0), ...);
  // On a narrow warp, one reduction is faster for a bucket that fills the warp alone.
  constexpr int kMaxSpan = kWidth < 16 ? kWidth / 2 : kWidth;
  const int span = widest * power_not_below(int(sizeof...(Children)));
  return all && span <= kMaxSpan ? span : 0;
}
template <class Node>
constexpr int record_words_of() {
  if constexpr (requires { Node::kRecordWords; }) return Node::kRecordWords;
  return 0;
}
template <class Node>
constexpr bool reclassifies() {
  if constexpr (requires { Node::kReclassifies; }) return Node::kReclassifies;
  return false;
}
// True if a task's leaf within a node depends only on the payload.
template <class Node, class Task>
constexpr bool is_placeless() {
  if constexpr (requires { Node::template kPlaceless<Task>; }) return Node::template kPlaceless<Task>;
  return false;
}
}  // namespace task_tree

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
  static constexpr int kRecordWords = [] {
    int words = 0;
    ((words = words > task_tree::record_words_of<Children>() ? words : task_tree::record_words_of<Children>()), ...);
    return words;
  }();
  static constexpr bool kReclassifies = Reclassifying<Callbacks> || (task_tree::reclassifies<Children>() || ...);
  static constexpr bool kSorted = (Children::kSorted || ...);
  static constexpr bool kTimed = Callbacks::kTimed || (Children::kTimed || ...);
  template <class Task>
  static constexpr bool kAccepts = (Children::template kAccepts<Task> || ...);
  // The number of queues that accept the task.
  template <class Task>
  static constexpr int kLeavesFor = (Children::template kLeavesFor<Task> + ...);
  static constexpr int kSpan = task_tree::span_of_bucket<Callbacks, Children...>();
  template <class Task>
  static constexpr bool kPlaceless =
      ((int(Children::template kAccepts<Task>) + ...) == 1 ||
       (Callbacks::kSharedWords == 0 && Callbacks::kLocalWords == 0)) &&
      ((!Children::template kAccepts<Task> || task_tree::is_placeless<Children, Task>()) && ...);

  template <class Task, class View>
  BROKKR_FN static Int leaf_for(const View& view, const TreePlace& node_place, const Uint (&payload)[Task::kWords],
                                Mask m) {
    constexpr int kViable = (int(Children::template kAccepts<Task>) + ...);
    Int child = 0;
    if constexpr (kViable > 1) child = Callbacks::template traverse<Task>(state_of(view, node_place), payload, m);
    if constexpr (kViable > 1 && kAlike && First::kIsLeaf) return node_place.leaf + child;
    if constexpr (kViable > 1 && kAlike && task_tree::is_placeless<First, Task>())
      return node_place.leaf + child * First::kLeaves + First::template leaf_for<Task>(view, TreePlace{}, payload, m);
    Int leaf = kNoLeaf;
    Warp w;
    each_child(node_place, [&](auto node, int c, const TreePlace& place) {
      using Node = decltype(node);
      if constexpr (Node::template kAccepts<Task>) {
        const Mask here = kViable == 1 ? m : m && child == c;
        if (w.any(here)) leaf = select(here, Node::template leaf_for<Task>(view, place, payload, here), leaf);
      }
    });
    return leaf;
  }

  template <class View>
  BROKKR_FN static Choice choose(Warp& w, const View& view, const TreePlace& node_place) {
    const BucketState state = state_of(view, node_place);
    Choice best;
    uint64_t best_score = 0;
    const auto consider = [&](Int child, Ulong info, Int leaf) {
      const Ulong rated = Callbacks::propagate(state, child, info);
      const Ulong score = select(info == 0 || child >= kChildren, 0, rated);
      const uint64_t top = w.reduce_max(score);
      if (top <= best_score) return;
      best_score = top;
      const int lane = lowest_bit(w.ballot(score == top));
      best = {w.broadcast(info, lane), w.broadcast(leaf, lane)};
    };
    if constexpr (kAlike && First::kIsLeaf) {
      for (int first = 0; first < kChildren; first += kWidth) {
        const int n = kChildren - first;
        consider(w.lane() + first, First::LeafCallbacks::check_leaf(view.counts(w, node_place.leaf + first, n)),
                 w.lane() + (node_place.leaf + first));
      }
    } else if constexpr (kSpan > 0 && !Settling<Callbacks>) {
      const LaneChoice its =
          choose_lanes(w, view, {node_place.leaf, node_place.shared, node_place.local}, w.lane(), w.first_lanes(kSpan));
      return {w.broadcast(its.info, 0), w.broadcast(its.leaf, 0)};
    } else if constexpr (kAlike && task_tree::span_of<First>() > 0 && !Settling<Callbacks>) {
      for (int first = 0; first < kChildren; first += kWidth / First::kSpan) {
        const Int child = w.lane() / First::kSpan + first;
        const LaneChoice its = First::choose_lanes(w, view, lane_place_of(node_place, child),
                                                   w.lane() & (First::kSpan - 1), child < kChildren);
        consider(child, its.info, its.leaf);
      }
    } else {
      Ulong info = 0;
      Int leaf = kNoLeaf;
      bool settled = false;
      each_child(node_place, [&](auto node, int c, const TreePlace& place) {
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
          consider(w.lane() + (c - c % kWidth), info, leaf);
          info = 0;
        }
      });
    }
    return best;
  }

  // Does the work of `choose` for buckets of this kind side by side. Each group of kSpan lanes, which starts at a
  // multiple of kSpan, holds the children of the bucket at `node_place`, one child per lane at `position`. All of these
  // lanes get the bucket's choice.
  template <class View>
  BROKKR_FN static LaneChoice choose_lanes(Warp& w, const View& view, const LanePlace& node_place, Int position,
                                           Mask m) {
    constexpr int kChildSpan = kSpan / task_tree::power_not_below(kChildren);
    const Int child = position / kChildSpan;
    const Int within = position & (kChildSpan - 1);
    const Mask is_child = m && child < kChildren;
    LaneChoice best;
    if constexpr (kAlike) {
      const LanePlace first{node_place.leaf, node_place.shared + kOwnShared, node_place.local + Callbacks::kLocalWords};
      const Int c = select(is_child, child, 0);
      best = First::choose_lanes(
          w, view,
          {first.leaf + c * First::kLeaves, first.shared + c * First::kShared, first.local + c * First::kLocal}, within,
          is_child);
    } else {
      each_child(TreePlace{}, [&](auto node, int c, const TreePlace& place) {
        const Mask here = is_child && child == c;
        const LaneChoice its = decltype(node)::choose_lanes(
            w, view, {node_place.leaf + place.leaf, node_place.shared + place.shared, node_place.local + place.local},
            within, here);
        best.info = select(here, its.info, best.info);
        best.leaf = select(here, its.leaf, best.leaf);
      });
    }
    const LaneState state{view.shared, view.local, node_place.shared, node_place.local, kChildren, view.now};
    Ulong score = Callbacks::propagate(state, child, best.info);
    score = select(is_child && best.info != 0, score, uint64_t(0));
    // Children are side by side, so a lower lane holds a lower child. The winner's report is fetched at the end.
    Int winner = w.lane();
    for (int step = kChildSpan; step < kSpan; step *= 2) {
      const Int other = w.lane() ^ step;
      const Ulong other_score = w.shuffle(score, other);
      const Int other_winner = w.shuffle(winner, other);
      const Mask better = other_score > score || (other_score == score && other_winner < winner);
      score = select(better, other_score, score);
      winner = select(better, other_winner, winner);
    }
    if constexpr (kChildSpan < kSpan) best = {w.shuffle(best.info, winner), w.shuffle(best.leaf, winner)};
    const Mask none = score == 0;
    return {select(none, uint64_t(0), best.info), select(none, kNoLeaf, best.leaf)};
  }

  template <class View, class F, class G>
  BROKKR_FN static void walk(const View& view, const TreePlace& node_place, int leaf, F&& f, G&& g) {
    if constexpr (kAlike) {
      const int c = (leaf - node_place.leaf) / First::kLeaves;
      f(Callbacks{}, state_of(view, node_place), c);
      First::walk(view, place_of_alike(node_place, c), leaf, f, g);
    } else {
      each_child(node_place, [&](auto node, int c, const TreePlace& place) {
        using Node = decltype(node);
        if (leaf < place.leaf || leaf >= place.leaf + Node::kLeaves) return;
        f(Callbacks{}, state_of(view, node_place), c);
        Node::walk(view, place, leaf, f, g);
      });
    }
  }
  template <class View>
  BROKKR_FN static void init(const View& view, const TreePlace& node_place, uint32_t worker) {
    Callbacks::init(state_of(view, node_place), worker);
    each_child(node_place, [&](auto node, int, const TreePlace& place) { decltype(node)::init(view, place, worker); });
  }
  template <class F>
  BROKKR_FN static void each_leaf(const TreePlace& node_place, F&& f) {
    each_child(node_place, [&](auto node, int, const TreePlace& place) { decltype(node)::each_leaf(place, f); });
  }
  // Calls f(Queue, leaf) for every leaf, starting with the leaves of the last child.
  template <class F>
  BROKKR_FN static void each_leaf_down(const TreePlace& node_place, F&& f) {
    static_assert(kAlike);
    for (int c = kChildren - 1; c >= 0; --c) First::each_leaf(place_of_alike(node_place, c), f);
  }
  // Calls f(Bucket, Callbacks, its state, its place) for every bucket that may change which child takes which task.
  template <class View, class F>
  BROKKR_FN static void each_reclassifying(const View& view, const TreePlace& node_place, F&& f) {
    if constexpr (Reclassifying<Callbacks>) {
      f(Bucket{}, Callbacks{}, state_of(view, node_place), node_place);
    } else {
      each_child(node_place, [&](auto node, int, const TreePlace& place) {
        using Node = decltype(node);
        if constexpr (task_tree::reclassifies<Node>()) Node::each_reclassifying(view, place, f);
      });
    }
  }

 private:
  template <class View>
  BROKKR_FN static BucketState state_of(const View& view, const TreePlace& node_place) {
    return {view.shared + node_place.shared, view.local + node_place.local, kChildren, view.now};
  }
  BROKKR_FN static TreePlace place_of_alike(const TreePlace& node_place, int c) {
    return {node_place.leaf + c * First::kLeaves, node_place.shared + kOwnShared + c * First::kShared,
            node_place.local + Callbacks::kLocalWords + c * First::kLocal};
  }
  BROKKR_FN static LanePlace lane_place_of(const TreePlace& node_place, Int child) {
    const Int c = select(child < kChildren, child, 0);
    return {c * First::kLeaves + node_place.leaf, c * First::kShared + (node_place.shared + kOwnShared),
            c * First::kLocal + (node_place.local + Callbacks::kLocalWords)};
  }
  // Calls f(child's type, its number, its place) for every child.
  template <class F>
  BROKKR_FN static void each_child(const TreePlace& node_place, F&& f) {
    if constexpr (kAlike) {
      for (int c = 0; c < kChildren; ++c) f(First{}, c, place_of_alike(node_place, c));
    } else {
      int c = 0;
      TreePlace place{node_place.leaf, node_place.shared + kOwnShared, node_place.local + Callbacks::kLocalWords};
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
