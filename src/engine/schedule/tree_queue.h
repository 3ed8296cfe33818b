// The leaf of a task tree (schedule/task_tree.h): a queue of tasks, and the code that runs the tasks that a warp took.
#pragma once

#include <tuple>
#include <type_traits>

#include "queue/broker_queue.h"
#include "schedule/payload_pool.h"
#include "schedule/schedule_tables.h"

// Data of a task tree's nodes (schedule/task_tree.h): the state that callbacks see, the result of a decision, and the
// places of nodes in a program's memory.

BROKKR_MACHINE_BEGIN

struct BucketState {
  uint64_t* shared = nullptr;  // [children * kSharedWords]
  uint32_t* local = nullptr;   // [kLocalWords], for one worker
  int children = 0;
  uint64_t now = 0;                 // ns since the program began
  const uint32_t* ranks = nullptr;  // [children], if the program provides ranks
};

// The state of buckets that are rated side by side in a warp. The words of lane i begin at shared[at_i] and
// local[at_i]. `number` is the child that the lane holds.
struct LaneState {
  const uint64_t* shared = nullptr;
  const uint32_t* local = nullptr;
  Int shared_at = 0, local_at = 0;
  int children = 0;
  uint64_t now = 0;
};

struct MaintainState {
  uint64_t now = 0;          // ns since the program began
  uint64_t* user = nullptr;  // ProgramMemory::user
};

// Defaults for optional callbacks of a bucket.
struct BucketDefaults {
  static constexpr int kSharedWords = 0, kLocalWords = 0;
  static constexpr bool kTimed = false;  // whether `executed` is called
  BROKKR_FN static void chosen(const BucketState&, int) {}
  BROKKR_FN static void executed(const BucketState&, int, uint64_t) {}
  BROKKR_FN static void init(const BucketState&, uint32_t) {}
};

template <class Callbacks>
concept Settling = requires {
  &Callbacks::settles;
};
// True for callbacks that change which child takes which task (schedule/task_tree.h).
template <class Callbacks>
concept Reclassifying = requires {
  &Callbacks::lowers;
};
// True for callbacks that rate children of several instances of their bucket at once.
template <class Callbacks>
concept RatesLanes = requires(const LaneState& state) {
  Callbacks::propagate(state, Int(0), Ulong(uint64_t(0)));
};

// The value that means that no leaf was chosen.
BROKKR_CONSTANT int kNoLeaf = -1;

// A decision: the leaf to take tasks from, or kNoLeaf if no leaf has any tasks.
struct Choice {
  uint64_t info = 0;
  int leaf = kNoLeaf;
};

// A decision per lane; info 0: nothing was found.
struct LaneChoice {
  Ulong info = uint64_t(0);
  Int leaf = kNoLeaf;
};

// The input of decisions, and the places of bucket states. Observer: of the accesses to the queues.
template <int kWords, class Observer = Unobserved>
struct TreeView {
  QueueMemory<kWords> queues;
  uint64_t* shared = nullptr;
  uint32_t* local = nullptr;
  uint64_t now = 0;
  uint32_t excluded[kMaxExcludedLeaves / 32] = {};  // leaves that were found empty

  BROKKR_FN bool is_excluded(int leaf) const {
    return leaf < kMaxExcludedLeaves && (excluded[leaf >> 5] >> (leaf & 31) & 1u) != 0;
  }
  BROKKR_FN void exclude(int leaf) {
    if (leaf < kMaxExcludedLeaves) excluded[leaf >> 5] |= 1u << (leaf & 31);
  }
  BROKKR_FN void exclude_none() {
    for (uint32_t& bits : excluded) bits = 0;
  }
  // The number of elements in leaves first .. first + n - 1, one leaf per lane.
  BROKKR_FN Ulong counts(Warp& w, int first, int n) const {
    auto count = w.spill(uint64_t(0));
    w.for_lanes(w.first_lanes(n), [&](int i) {
      if (is_excluded(first + i)) return;
      count.set(i, uint64_t(Broker<Observer>(queues.control[first + i], queues.capacity).available()));
    });
    return count.lanes();
  }
  // The number of elements in each lane's leaf.
  BROKKR_FN Ulong counts_of(Warp& w, Int leaf, Mask m) const {
    auto count = w.spill(uint64_t(0));
    const auto leaf_of = w.spill(leaf);
    w.for_lanes(m, [&](int i) {
      if (is_excluded(leaf_of[i])) return;
      count.set(i, uint64_t(Broker<Observer>(queues.control[leaf_of[i]], queues.capacity).available()));
    });
    return count.lanes();
  }
};

// The start of a node's leaves and state.
struct TreePlace {
  int leaf = 0, shared = 0, local = 0;
};
// The same start for each lane.
struct LanePlace {
  Int leaf = 0, shared = 0, local = 0;
};

BROKKR_MACHINE_END

BROKKR_MACHINE_BEGIN

template <class Callbacks, class... Tasks>
struct Queue {
  using LeafCallbacks = Callbacks;
  static constexpr bool kIsLeaf = true;
  static constexpr int kLeaves = 1, kShared = 0, kLocal = 0;
  static constexpr int kSpan = 1;
  template <class Task>
  static constexpr bool kPlaceless = true;
  static constexpr bool kTimed = false;
  static constexpr int kPayloadWords = [] {
    int words = 0;
    ((words = words > slot_words<Tasks>() ? words : slot_words<Tasks>()), ...);
    return words;
  }();
  static constexpr int kRecordWords = [] {
    int words = 0;
    ((words = is_pooled<Tasks>() && Tasks::kWords > words ? Tasks::kWords : words), ...);
    return words;
  }();
  static constexpr int kMaxThreads = [] {
    int threads = 1;
    ((threads = threads > Tasks::kThreads ? threads : Tasks::kThreads), ...);
    return threads;
  }();
  static constexpr bool kSorted = requires {
    &Callbacks::template maintain<std::tuple_element_t<0, std::tuple<Tasks...>>>;
  };
  static_assert(!kSorted || kRecordWords == 0, "what sorts a queue looks at whole payloads, which slots must hold");
  template <class Task>
  static constexpr bool kAccepts = (std::is_same_v<Task, Tasks> || ...);
  template <class Task>
  static constexpr int kLeavesFor = kAccepts<Task> ? 1 : 0;

  template <class Task, class View>
  BROKKR_FN static Int leaf_for(const View&, const TreePlace& place, const Uint (&)[Task::kWords], Mask) {
    return place.leaf;
  }
  template <class View>
  BROKKR_FN static Choice choose(Warp& w, const View& view, const TreePlace& place) {
    const uint64_t info = w.broadcast(Callbacks::check_leaf(view.counts(w, place.leaf, 1)), 0);
    return {info, info == 0 ? kNoLeaf : place.leaf};
  }
  // Does the work of `choose` with a separate queue for each lane of m.
  template <class View>
  BROKKR_FN static LaneChoice choose_lanes(Warp& w, const View& view, const LanePlace& place, Int, Mask m) {
    const Ulong info = select(m, Callbacks::check_leaf(view.counts_of(w, place.leaf, m)), uint64_t(0));
    return {info, select(info == 0, kNoLeaf, place.leaf)};
  }
  // Walks from the root to a leaf. Calls f(bucket callbacks, state, child) at every bucket and g(Queue) at the end.
  template <class View, class F, class G>
  BROKKR_FN static void walk(const View&, const TreePlace&, int, F&&, G&& g) {
    g(Queue{});
  }
  template <class View>
  BROKKR_FN static void init(const View&, const TreePlace&, uint32_t) {}
  // Calls f(Queue, leaf) for every leaf.
  template <class F>
  BROKKR_FN static void each_leaf(const TreePlace& place, F&& f) {
    f(Queue{}, place.leaf);
  }

  // Runs n <= width tasks that were taken from this queue. Word 0 is the task's id, and its payload follows.
  template <class Worker, int kElementWords>
  BROKKR_FN static void run(Worker& worker, const Uint (&element)[kElementWords], int n) {
    (run_task<Tasks>(worker, element, lanes_with<Tasks>(worker.warp(), element, n)), ...);
  }
  // Moves n <= width tasks that were taken from this queue to the queues that accept them now. Tasks that find no room
  // run immediately.
  template <class Worker, int kElementWords>
  BROKKR_FN static void insert_again(Worker& worker, const Uint (&element)[kElementWords], int n) {
    (insert_task_again<Tasks>(worker, element, lanes_with<Tasks>(worker.warp(), element, n)), ...);
  }

 private:
  template <class Task, int kElementWords>
  BROKKR_FN static Mask lanes_with(Warp& w, const Uint (&element)[kElementWords], int n) {
    const Mask first = w.first_lanes(n);
    if constexpr (sizeof...(Tasks) > 1) return first && element[0] == Task::kId;
    return first;
  }
  template <class Task, class Worker, int kElementWords>
  BROKKR_FN static void insert_task_again(Worker& worker, const Uint (&element)[kElementWords], Mask mine) {
    Warp& w = worker.warp();
    if (!w.any(mine)) return;
    Uint payload[Task::kWords], slot[slot_words<Task>()];
    for (int k = 0; k < slot_words<Task>(); ++k) slot[k] = element[1 + k];
    if constexpr (is_pooled<Task>()) {
      worker.pool().read(w, element[1], payload, mine);
    } else {
      for (int k = 0; k < Task::kWords; ++k) payload[k] = element[1 + k];
    }
    run_task<Task>(worker, element, mine && !worker.template put<Task>(payload, slot, mine));
  }
  template <class Task, class Worker, int kElementWords>
  BROKKR_FN static void run_task(Worker& worker, const Uint (&element)[kElementWords], Mask mine) {
    Warp& w = worker.warp();
    uint32_t left = w.ballot(mine);
    if (left == 0) return;
    Uint payload[Task::kWords];
    if constexpr (Task::kThreads == 1) {
      if constexpr (is_pooled<Task>()) {
        worker.pool().read(w, element[1], payload, mine);
        worker.pool().give_back(w, element[1], mine);
      } else {
        for (int k = 0; k < Task::kWords; ++k) payload[k] = element[1 + k];
      }
      Task::execute(worker, payload, 0, mine);
    } else {
      // Processes one task per group of lanes that the warp has. A task that is wider than the warp takes several
      // steps.
      constexpr int kLanes = Task::kThreads < kWidth ? Task::kThreads : kWidth;
      while (left != 0) {
        Int source_lane = -1;
        [[maybe_unused]] const uint32_t before = left;
        for (int slot = 0; slot < kWidth / kLanes && left != 0; ++slot, left &= left - 1) {
          source_lane = select(w.lane() >= slot * kLanes, lowest_bit(left), source_lane);
          source_lane = select(w.lane() >= (slot + 1) * kLanes, -1, source_lane);
        }
        const Mask active = source_lane >= 0;
        const Int lane = select(active, source_lane, 0);
        if constexpr (is_pooled<Task>()) {
          w.sync();  // all lanes see the result that one of them waited for
          worker.pool().read(w, w.shuffle(element[1], lane), payload, active);
          worker.pool().give_back(w, element[1], w.lanes_of(before & ~left));
        } else {
          for (int k = 0; k < Task::kWords; ++k) payload[k] = w.shuffle(element[1 + k], lane);
        }
        for (int step = 0; step < Task::kThreads; step += kLanes) {
          Task::execute(worker, payload, (w.lane() & (kLanes - 1)) + step, active);
        }
      }
    }
  }
};

BROKKR_MACHINE_END
