// Programs over hierarchical bucket queues: the persistent loop of a worker, which is one warp [Kerbl18, 5.2.2 to
// 5.2.6].
//
// A worker decides bottom-up which queue to take tasks from. It takes as many as its lanes can process, and runs them;
// tasks may enqueue further tasks. The program ends when no task is queued or running. If *stop is not 0, workers leave
// between two tasks and the queues keep their content. A run with `resumed` continues with this content.
//
// The queues lie in global memory. A block can also have queues of its own in its on-chip memory (OwnQueues).
#pragma once

#include "machine/clock.h"
#include "schedule/payload_pool.h"
#include "schedule/schedule_tables.h"
#include "schedule/task_tree.h"

// Progressive sorting of queues during use ([Kerbl18, 5.2.5], after [Steinberger12]).
//
// A window of one slot per lane moves from the back of a queue to its front in steps of half its width, and sorts its
// content; then it starts again at the back. It keeps a safety margin from the front, where elements are about to be
// taken. Unlike the original, it locks the slots that it exchanges: it replaces a slot's ticket by one that nobody
// waits for. A dequeue that comes too close waits for the exchange. A dequeue locks its slots as well, so a maintainer
// that was delayed after it looked at the front finds them locked. No element is lost.
//
// If there are several queues, the next queue is the one with the most exchanges in its last pass and the most arrivals
// since then.

BROKKR_MACHINE_BEGIN

template <class Root>
class Maintainer {
 public:
  static constexpr int kWords = 1 + Root::kPayloadWords;
  static constexpr int kMargin = 2 * kWidth;  // slots

  BROKKR_FN Maintainer(Warp& w, const QueueMemory<kWords>& queues, uint32_t* stop) : w_(w), m_(queues), stop_(stop) {}

  // Sorts one queue once from back to front. Returns the number of elements that changed places.
  BROKKR_FN int pass(const MaintainState& state) {
    int best = -1;
    uint32_t max_unsorted = 0;
    Root::each_leaf(TreePlace{}, [&](auto queue, int leaf) {
      if constexpr (decltype(queue)::kSorted) {
        const uint32_t tail = read(m_.control[leaf].tail);
        const uint32_t unsorted = 1 + exchanged_[leaf % kTrackedQueues] + (tail - sorted_[leaf % kTrackedQueues]);
        if (int32_t(tail - read(m_.control[leaf].head)) > kMargin && unsorted > max_unsorted) {
          max_unsorted = unsorted;
          best = leaf;
        }
      }
    });
    if (best < 0) return 0;
    int moved = 0;
    Root::each_leaf(TreePlace{}, [&](auto queue, int leaf) {
      if constexpr (decltype(queue)::kSorted) {
        if (leaf == best) moved = sort_queue(queue, leaf, state);
      }
    });
    return moved;
  }

 private:
  Warp& w_;
  QueueMemory<kWords> m_;
  uint32_t* stop_;
  uint32_t sorted_[kTrackedQueues] = {}, exchanged_[kTrackedQueues] = {};

  BROKKR_FN uint32_t read(uint32_t& word) {
    return w_.uniform([&]() -> uint32_t { return device_atomic<uint32_t>(word).load(kAcquire); });
  }
  template <class Leaf>
  BROKKR_FN int sort_queue(Leaf, int leaf, const MaintainState& state) {
    const uint32_t tail = read(m_.control[leaf].tail);
    int moved = 0;
    for (uint32_t p = tail - uint32_t(kWidth); int32_t(p - read(m_.control[leaf].head)) >= kMargin;
         p -= uint32_t(kWidth / 2)) {
      moved += sort_window<Leaf>(leaf, p, state);
      if (read(*stop_) != 0) break;
    }
    sorted_[leaf % kTrackedQueues] = tail;
    exchanged_[leaf % kTrackedQueues] = uint32_t(moved);
    return moved;
  }
  BROKKR_FN uint32_t* slot_of(int leaf, uint32_t p) const {
    return m_.slots +
           (size_t(uint32_t(leaf)) * m_.capacity + (p & (m_.capacity - 1))) * QueueMemory<kWords>::kSlotWords;
  }
  template <class Leaf>
  BROKKR_FN int sort_window(int leaf, uint32_t first, const MaintainState& state) {
    const uint32_t mask = 0u - m_.capacity;
    // Slots whose element has arrived and that this warp has locked.
    auto locked = w_.spill(0u);
    Warp::Spilled<uint32_t> words[kWords];
    for (auto& word : words) word = w_.spill(0u);
    w_.for_lanes(w_.first_lanes(kWidth), [&](int i) {
      uint32_t* slot = slot_of(leaf, first + uint32_t(i));
      uint32_t published = ((first + uint32_t(i)) & mask) + 1u;
      if (!device_atomic<uint32_t>(*slot).compare_exchange_strong(published, locked_ticket(published), kAcqRel)) return;
      locked.set(i, 1u);
      for (int k = 0; k < kWords; ++k) words[k].set(i, slot[1 + k]);
    });
    const Mask mine = locked.lanes() != 0;
    const uint32_t bits = w_.ballot(mine);
    Uint element[kWords];
    for (int k = 0; k < kWords; ++k) element[k] = words[k].lanes();
    const Uint urgency = urgency_of(Leaf{}, element, state);
    // The r-th most urgent element moves to the r-th locked slot.
    Int rank = 0;
    for (uint32_t left = bits; left != 0; left &= left - 1) {
      const int j = lowest_bit(left);
      const uint32_t other = w_.broadcast(urgency, j);
      rank += select(other > urgency || (other == urgency && j < w_.lane()), 1, 0);
    }
    const auto rank_of = w_.spill(rank);
    auto moved = w_.spill(0u);
    w_.for_lanes(mine, [&](int i) {
      uint32_t left = bits;
      for (int above = rank_of[i]; above > 0; --above) left &= left - 1;
      const int slot_number = lowest_bit(left);
      moved.set(i, slot_number != i ? 1u : 0u);
      uint32_t* slot = slot_of(leaf, first + uint32_t(slot_number));
      for (int k = 0; k < kWords; ++k) slot[1 + k] = words[k][i];
    });
    w_.sync();  // all elements are in place before any slot is unlocked
    w_.for_lanes(mine, [&](int i) {
      device_atomic<uint32_t>(*slot_of(leaf, first + uint32_t(i))).store(((first + uint32_t(i)) & mask) + 1u, kRelease);
    });
    return w_.count(mine && moved.lanes() != 0);
  }
  template <class Callbacks, class... Tasks>
  BROKKR_FN Uint urgency_of(Queue<Callbacks, Tasks...>, const Uint (&element)[kWords], const MaintainState& state) {
    Uint urgency = 0u;
    const auto one = [&](auto task) {
      using Task = typename decltype(task)::Type;
      Uint payload[Task::kWords];
      for (int k = 0; k < Task::kWords; ++k) payload[k] = element[1 + k];
      const Mask here = element[0] == Task::kId;
      urgency = select(here, Callbacks::template maintain<Task>(payload, state), urgency);
    };
    (one(Named<Tasks>{}), ...);
    return urgency;
  }
  template <class T>
  struct Named {
    using Type = T;
  };
};

BROKKR_MACHINE_END

BROKKR_MACHINE_BEGIN

// The memory of a program as one piece, as host and device see it.
template <class Root>
struct ProgramMemory {
  static constexpr int kWords = 1 + Root::kPayloadWords;
  static constexpr int kRecordWords = task_tree::record_words_of<Root>();
  QueueMemory<kWords> queues;     // one per leaf
  PoolMemory<kRecordWords> pool;  // for payloads that do not fit in a slot; its waits end with those of `queues`
  uint64_t* begin_ns = nullptr;   // start of the program, clock_ns; 0: set by the first worker
  uint64_t* shared = nullptr;     // [Root::kShared]
  uint64_t* user = nullptr;       // [kUserWords], for callbacks of sorted queues
  uint32_t* open = nullptr;       // tasks queued or running, plus workers that have not seeded
  uint32_t* refused = nullptr;    // enqueues that found their queue full; the task that tried was told
  uint32_t* stop = nullptr;       // not 0: workers leave between two tasks. queues.abort ends waits
  uint32_t* local = nullptr;      // [workers][Root::kLocal]
  uint32_t maintainers = 1;       // if a queue is sorted, workers 0 .. maintainers - 1 only sort
  bool resumed = false;           // an earlier run was stopped: workers do not seed, and *open continues from that run

  static constexpr size_t kUserWords = 64;
  // Byte offsets where host code writes before a program begins. `records` is the pool's size, a power of two in 2 ..
  // 2^28; by default it is a queue's number of slots. A program without large payloads has no pool.
  static size_t shared_at(uint32_t capacity) { return shared_at(capacity, capacity); }
  static size_t shared_at(uint32_t capacity, uint32_t records) { return queue_bytes(capacity, records) + 8; }
  static size_t user_at(uint32_t capacity) { return shared_at(capacity) + size_t(Root::kShared) * 8; }
  static size_t open_at(uint32_t capacity) { return open_at(capacity, capacity); }
  static size_t open_at(uint32_t capacity, uint32_t records) { return queue_bytes(capacity, records) + words64() * 8; }

  // capacity: tasks per queue, a power of two in 4 .. 2^28.
  static size_t bytes(uint32_t capacity, uint32_t workers) { return bytes(capacity, workers, capacity); }
  static size_t bytes(uint32_t capacity, uint32_t workers, uint32_t records) {
    QueueMemory<kWords>::bytes(Root::kLeaves, capacity);  // throws for invalid queue sizes
    QueueMemory<1>::bytes(1, records);
    return queue_bytes(capacity, records) + size_t(words64()) * 8 + 16 + size_t(workers) * Root::kLocal * 4;
  }
  // Returns a view of `memory`, which is zeroed and aligned to 64 bytes, and possibly on the device. Before the program
  // begins, the caller must set *open to the number of workers.
  static constexpr ProgramMemory layout(void* memory, uint32_t capacity) { return layout(memory, capacity, capacity); }
  static constexpr ProgramMemory layout(void* memory, uint32_t capacity, uint32_t records) {
    ProgramMemory m;
    std::byte* bytes = static_cast<std::byte*>(memory) + queue_bytes(capacity, records);
    m.begin_ns = reinterpret_cast<uint64_t*>(bytes);
    m.shared = m.begin_ns + 1;
    m.user = m.shared + Root::kShared;
    m.open = reinterpret_cast<uint32_t*>(m.begin_ns + words64());
    m.refused = m.open + 1;
    m.stop = m.open + 2;
    m.local = m.open + 4;
    // The layout is that of QueueMemory::layout. Only the host can call that function, because it throws.
    m.queues.control = static_cast<QueueControl*>(memory);
    m.queues.slots = reinterpret_cast<uint32_t*>(m.queues.control + Root::kLeaves);
    m.queues.abort = m.stop;
    m.queues.capacity = capacity;
    m.queues.queues = Root::kLeaves;
    m.pool = PoolMemory<kRecordWords>::layout(static_cast<std::byte*>(memory) + queue_bytes(capacity, 0), records);
    return m;
  }

 private:
  // Includes the bytes of the pool, unless `records` is 0.
  static constexpr size_t queue_bytes(uint32_t capacity, uint32_t records) {
    const size_t slots = size_t(capacity) * QueueMemory<kWords>::kSlotWords * sizeof(uint32_t);
    return (Root::kLeaves * (sizeof(QueueControl) + slots) + 63) / 64 * 64 +
           (records == 0 ? 0 : PoolMemory<kRecordWords>::bytes(records));
  }
  static constexpr size_t words64() { return 1 + Root::kShared + kUserWords; }
};

// The queues of a block's own [Kerbl18, 3.1]: the program's queues once more, with `kSlots` slots each, a power of two
// from 4 on, in the block's on-chip memory. Its warps put tasks there first, and in the program's queues if there is no
// room. They take their own tasks if these fill a warp, or if the program's queues have none. All bytes must be 0
// before the first worker of the block begins.
template <class Root, uint32_t kSlots>
struct OwnQueues {
  static constexpr int kWords = ProgramMemory<Root>::kWords;
  static_assert(kSlots >= 4 && (kSlots & (kSlots - 1)) == 0);
  static_assert(!Root::kSorted, "warps that sort look at the program's queues alone");
  static_assert(!task_tree::reclassifies<Root>(), "tasks that change their queue must be in the program's queues");

  QueueControl control[Root::kLeaves];
  uint32_t slots[size_t(Root::kLeaves) * kSlots * size_t(QueueMemory<kWords>::kSlotWords)];

  BROKKR_FN QueueMemory<kWords> queues(uint32_t* abort) {
    QueueMemory<kWords> m;
    m.control = control;
    m.slots = slots;
    m.abort = abort;
    m.capacity = kSlots;
    m.queues = Root::kLeaves;
    return m;
  }
};
struct NoOwnQueues {};

// The observer of queues in shared memory, whose words only the warps of one block access.
struct InOneBlock : Unobserved {};
template <class T>
class Watched<T, InOneBlock> : public block_atomic<T> {
 public:
  using block_atomic<T>::block_atomic;
};

// Own: OwnQueues of the worker's block, or NoOwnQueues.
template <class Root, class Context, class Own = NoOwnQueues>
class Worker {
 public:
  using Memory = ProgramMemory<Root>;
  static constexpr int kWords = Memory::kWords;
  static constexpr bool kOwns = !std::is_same_v<Own, NoOwnQueues>;

  BROKKR_FN Worker(Warp& w, const ProgramMemory<Root>& memory, Context& context, uint32_t number, Own* own = nullptr)
      : w_(w), m_(memory), context_(context), queues_(memory.queues), pool_(pool_of(memory)), number_(number) {
    if constexpr (kOwns) block_view_.queues = own->queues(memory.queues.abort);
    view_.queues = memory.queues;
    view_.shared = memory.shared;
    view_.local = memory.local + size_t(number) * Root::kLocal;
    if constexpr (kOwns) block_view_.shared = view_.shared, block_view_.local = view_.local;
    begin_ = w.uniform([&]() -> uint64_t {
      uint64_t begin = 0;
      const uint64_t present = clock_ns();
      device_atomic<uint64_t> word(*memory.begin_ns);
      return word.compare_exchange_strong(begin, present, kRelaxed) ? present : begin;
    });
    w.once([&] { Root::init(view_, TreePlace{}, number); });
  }

  BROKKR_FN Warp& warp() { return w_; }
  BROKKR_FN Context& context() { return context_; }
  BROKKR_FN uint64_t* user() const { return m_.user; }
  BROKKR_FN uint32_t number() const { return number_; }
  BROKKR_FN uint64_t now() {
    return w_.uniform([&]() -> uint64_t { return clock_ns() - begin_; });
  }

  BROKKR_FN PayloadPool<Memory::kRecordWords>& pool() { return pool_; }

  // Enqueues one task per lane of m. Returns the lanes whose task was accepted. For the other lanes, their queue or the
  // pool of large payloads was full, and the caller must handle that.
  template <class Task>
  BROKKR_FN Mask enqueue(const Uint (&payload)[Task::kWords], Mask m) {
    if (!w_.any(m)) return m;
    if constexpr (is_pooled<Task>()) {
      Uint record[1];
      const Mask has = pool_.take(w_, record[0], m);
      pool_.write(w_, record[0], payload, has);
      refuse(w_.count(m) - w_.count(has));
      const Mask got = put<Task>(payload, record, has);
      pool_.give_back(w_, record[0], has && !got);
      return got;
    } else {
      return put<Task>(payload, payload, m);
    }
  }

  // Does the same for a task whose record is already written; `slot` is its queue element.
  template <class Task>
  BROKKR_FN Mask put(const Uint (&payload)[Task::kWords], const Uint (&slot)[slot_words<Task>()], Mask m) {
    static_assert(Root::template kAccepts<Task>, "no queue of the tree takes this task");
    if (!w_.any(m)) return m;
    const Int leaf = Root::template leaf_for<Task>(view_, TreePlace{}, payload, m);
    const int wanted = w_.count(m);
    w_.once([&] { device_atomic<uint32_t>(*m_.open).fetch_add(uint32_t(wanted), kRelaxed); });
    Mask got = false;
    if constexpr (kOwns) {
      if (!leaves_) got = put_in<Task>(OfBlock(block_view_.queues), leaf, slot, m);
    }
    got = got || put_in<Task>(queues_, leaf, slot, m && !got);
    const int lost = wanted - w_.count(got);
    if (lost > 0) w_.once([&] { device_atomic<uint32_t>(*m_.open).fetch_add(0u - uint32_t(lost), kRelaxed); });
    refuse(lost);
    return got;
  }

  // Makes a decision, takes tasks and runs them. Returns the number of tasks that it ran; 0 if there were none.
  BROKKR_FN int step() {
    view_.now = now();
    if constexpr (kOwns) {
      block_view_.now = view_.now;
      if (const int ran = step_in(block_view_, OfBlock(block_view_.queues), true); ran > 0) return ran;
      if (const int ran = step_in(view_, queues_, false); ran > 0) return ran;
      return step_in(block_view_, OfBlock(block_view_.queues), false);
    } else {
      return step_in(view_, queues_, false);
    }
  }

  // The loop of a worker. Each worker first calls context.seed(worker), unless the program is resumed. If a queue is
  // sorted, the first workers only sort after that.
  BROKKR_FN void run() {
    if (!m_.resumed) {
      context_.seed(*this);
      close(1);
    }
    if constexpr (Root::kSorted) {
      if (number_ < m_.maintainers) return maintain();
    }
    for (int spin = 0; !over();) {
      if (step() > 0) {
        spin = 0;
      } else {
        pause(spin++);
      }
    }
    if constexpr (kOwns) leave();
  }

 private:
  using OfBlock = BrokerQueues<kWords, InOneBlock>;
  struct Nothing {};
  Warp& w_;
  const ProgramMemory<Root>& m_;
  Context& context_;
  BrokerQueues<kWords> queues_;
  PayloadPool<Memory::kRecordWords> pool_;
  TreeView<kWords> view_;
  std::conditional_t<kOwns, TreeView<kWords, InOneBlock>, Nothing> block_view_;
  bool leaves_ = false;  // tasks go to the program's queues alone
  uint32_t number_;
  uint64_t begin_ = 0;

  // Enqueues the tasks in their leaves' queues. Returns the lanes whose task was accepted.
  template <class Task, class Queues>
  BROKKR_FN Mask put_in(Queues queues, Int leaf, const Uint (&slot)[slot_words<Task>()], Mask m) {
    if constexpr (Root::template kLeavesFor<Task> == 1) {
      // All tasks go to the same queue, so one reservation suffices.
      Uint element[kWords];
      for (int k = 0; k < kWords; ++k) element[k] = 0u;
      element[0] = uint32_t(Task::kId);
      for (int k = 0; k < slot_words<Task>(); ++k) element[1 + k] = slot[k];
      return queues.enqueue(w_, w_.reduce_max(leaf), element, m);
    } else {
      return m && put_each<Task>(queues, leaf, slot, m).lanes() != 0;
    }
  }
  // Enqueues each lane's task in its own queue. Returns 1 for tasks that were accepted.
  template <class Task, class Queues>
  BROKKR_FN Warp::Spilled<uint32_t> put_each(const Queues& queues, Int leaf, const Uint (&slot)[slot_words<Task>()],
                                             Mask m) {
    const auto leaf_of = w_.spill(leaf);
    Warp::Spilled<uint32_t> words[slot_words<Task>()];
    for (int k = 0; k < slot_words<Task>(); ++k) words[k] = w_.spill(slot[k]);
    auto in = w_.spill(0u);
    w_.for_lanes(m, [&](int i) {
      uint32_t element[1][kWords] = {};
      element[0][0] = uint32_t(Task::kId);
      for (int k = 0; k < slot_words<Task>(); ++k) element[0][1 + k] = words[k][i];
      in.set(i, uint32_t(queues.enqueue_from_lane(leaf_of[i], element, 1)));
    });
    return in;
  }
  BROKKR_FN static PoolMemory<Memory::kRecordWords> pool_of(const Memory& memory) {
    PoolMemory<Memory::kRecordWords> pool = memory.pool;
    pool.free.abort = memory.queues.abort;
    return pool;
  }
  BROKKR_FN void refuse(int tasks) {
    if (tasks > 0) w_.once([&] { device_atomic<uint32_t>(*m_.refused).fetch_add(uint32_t(tasks), kRelaxed); });
  }

  BROKKR_FN void close(int tasks) {
    w_.once([&] { device_atomic<uint32_t>(*m_.open).fetch_add(0u - uint32_t(tasks), kRelease); });
  }
  BROKKR_FN bool over() {
    return w_.uniform([&]() -> bool {
      return device_atomic<uint32_t>(*m_.open).load(kAcquire) == 0 ||
             system_atomic<uint32_t>(*m_.stop).load(kRelaxed) != 0;
    });
  }
  // Does a step with one set of queues, of which `view` is a view. fills: only with tasks that fill the warp.
  template <class View, class Queues>
  BROKKR_FN int step_in(View& view, const Queues& queues, bool fills) {
    view.exclude_none();
    for (int tries = 0; tries < kMaxTriesOfWorker; ++tries) {
      const Choice choice = Root::choose(w_, view, TreePlace{});
      if (choice.leaf == kNoLeaf) return 0;
      int ran = 0;
      Root::walk(
          view, TreePlace{}, choice.leaf, [](auto, const BucketState&, int) {},
          [&](auto queue) { ran = take_and_run(queues, queue, choice.leaf, fills); });
      if (ran > 0) {
        if constexpr (task_tree::reclassifies<Root>()) reclassify();
        return ran;
      }
      view.exclude(choice.leaf);  // other workers were faster, or the tasks do not fill the warp
    }
    return 0;
  }
  template <class Queues, class Leaf>
  BROKKR_FN int take_and_run(Queues queues, Leaf, int leaf, bool fills) {
    constexpr int kTasks = Leaf::kMaxThreads < kWidth ? kWidth / Leaf::kMaxThreads : 1;
    if (fills && queues.size(w_, leaf) < kTasks) return 0;
    Uint element[kWords];
    const int n = queues.template dequeue<Leaf::kSorted>(w_, leaf, element, kTasks);
    if (n == 0) return 0;
    walk(leaf, [](auto callbacks, const BucketState& state, int child) { decltype(callbacks)::chosen(state, child); });
    if constexpr (Root::kTimed) {
      const uint64_t begin = w_.uniform([]() -> uint64_t { return clock_ns(true); });
      Leaf::run(*this, element, n);
      const uint64_t ns = w_.uniform([]() -> uint64_t { return clock_ns(true); }) - begin;
      walk(leaf, [ns](auto callbacks, const BucketState& state, int child) {
        decltype(callbacks)::executed(state, child, ns);
      });
    } else {
      Leaf::run(*this, element, n);
    }
    close(n);
    return n;
  }
  // If a bucket has changed which child takes which task, the worker that noticed the change inserts the tasks below it
  // again. They count as open until they are in their new queue, so the program does not end in the meantime.
  BROKKR_FN_NOINLINE void reclassify() {
    Root::each_reclassifying(
        view_, TreePlace{}, [&](auto bucket, auto callbacks, const BucketState& state, const TreePlace& place) {
          if (!w_.uniform([&]() -> bool { return decltype(callbacks)::lowers(state); })) return;
          decltype(bucket)::each_leaf_down(place, [&](auto queue, int leaf) { insert_again(queues_, queue, leaf); });
          w_.once([&] { decltype(callbacks)::lowered(state); });
        });
  }
  // Moves the present tasks of a queue to the queues that accept them now.
  template <class Queues, class Leaf>
  BROKKR_FN void insert_again(Queues queues, Leaf, int leaf) {
    for (int left = queues.size(w_, leaf); left > 0;) {
      Uint element[kWords];
      const int n = queues.template dequeue<Leaf::kSorted>(w_, leaf, element, left < kWidth ? left : kWidth);
      if (n == 0) break;
      Leaf::insert_again(*this, element, n);
      close(n);
      left -= n;
    }
  }
  // Moves the block's own tasks to the program's queues, which keep them through a pause. Every warp of the block does
  // this after its last task, so that none stays.
  BROKKR_FN void leave() {
    leaves_ = true;
    Root::each_leaf(TreePlace{}, [&](auto queue, int leaf) { insert_again(OfBlock(block_view_.queues), queue, leaf); });
  }
  template <class F>
  BROKKR_FN void walk(int leaf, F&& f) {
    w_.once([&] { Root::walk(view_, TreePlace{}, leaf, f, [](auto) {}); });
  }
  BROKKR_FN void maintain() {
    Maintainer<Root> maintainer(w_, m_.queues, m_.stop);
    for (int spin = 0; !over();) {
      if (maintainer.pass({now(), m_.user}) > 0) {
        spin = 0;
      } else {
        pause(spin++);
      }
    }
  }
};

BROKKR_MACHINE_END
