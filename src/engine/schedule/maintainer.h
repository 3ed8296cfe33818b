// Progressive sorting of queues during use ([Kerbl18, 5.2.5], after [Steinberger12]).
//
// A window of one slot per lane moves from the back of a queue to its front in steps of half its width, and sorts its
// content; then it starts again at the back. It keeps a safety margin from the front, where elements are about to be
// taken. Unlike the original, it locks the slots that it exchanges: it swaps a slot's ticket for one that nobody waits
// for. A dequeue that comes too close waits for the exchange, and no element is lost.
//
// Among several queues, the next one is the queue with the most exchanges in its last pass and the most arrivals since.
#pragma once

#include "schedule/constants.h"
#include "schedule/task_tree.h"

BROKKR_MACHINE_BEGIN

template <class Root>
class Maintainer {
 public:
  static constexpr int kWords = 1 + Root::kPayloadWords;
  static constexpr int kMargin = 2 * kWidth;  // slots

  BROKKR_FN Maintainer(Warp& w, const QueueMemory<kWords>& queues, uint32_t* stop) : w_(w), m_(queues), stop_(stop) {}

  // Sorts one queue once from back to front. Returns how many elements changed places.
  BROKKR_FN int pass(const MaintainState& state) {
    int best = -1;
    uint32_t most = 0;
    Root::each_leaf(TreePlace{}, [&](auto queue, int leaf) {
      if constexpr (decltype(queue)::kSorted) {
        const uint32_t tail = read(m_.control[leaf].tail);
        const uint32_t unsorted = 1 + exchanged_[leaf % kTrackedQueues] + (tail - sorted_[leaf % kTrackedQueues]);
        if (int32_t(tail - read(m_.control[leaf].head)) > kMargin && unsorted > most) {
          most = unsorted;
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
      if (!device_atomic<uint32_t>(*slot).compare_exchange_strong(published, published + 1u, kAcqRel)) return;
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
      const int to = lowest_bit(left);
      moved.set(i, to != i ? 1u : 0u);
      uint32_t* slot = slot_of(leaf, first + uint32_t(to));
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
