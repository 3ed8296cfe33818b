// Records for payloads that are larger than a queue's slot. All queues of a program share the pool. The queue carries
// the number of a task's record. Released numbers wait in the free list, a broker queue.
//
// Zeroed memory is a pool of free records and needs no initialization: numbers that were never taken come from a
// counter, and the free list is tried before it. A pool without a free record refuses a request, and the caller handles
// that like a full queue.
//
// A warp that gets a record's number from a queue sees everything that other lanes wrote to the record. A record is
// released as soon as its words have been read, before its task runs, so a pool of few records serves many tasks.
#pragma once

#include "queue/broker_queue.h"

namespace brokkr {

// The number of payload words that a slot holds, in addition to the task's id.
inline constexpr int kMaxSlotWords = 15;

template <class Task>
constexpr bool is_pooled() {
  return Task::kWords > kMaxSlotWords;
}
// The size of a task's queue element: its payload, or the number of its record.
template <class Task>
constexpr int slot_words() {
  return is_pooled<Task>() ? 1 : Task::kWords;
}

// A pool's static memory, as host and device see it.
template <int kRecordWords>
struct PoolMemory {
  QueueMemory<1> free;        // numbers of released records
  uint32_t* fresh = nullptr;  // the first number that was never taken
  uint32_t* words = nullptr;  // [free.capacity][kRecordWords]

  // records: a power of two in 2 .. 2^28.
  static constexpr size_t bytes(uint32_t records) {
    return kRecordWords == 0 ? 0 : words_at(records) + (size_t(records) * kRecordWords * 4 + 63) / 64 * 64;
  }
  // Returns a view of bytes(records) at `memory`, which is zeroed and aligned to 64 bytes.
  static constexpr PoolMemory layout(std::byte* memory, uint32_t records) {
    PoolMemory m;
    if (kRecordWords == 0) return m;
    // The layout is that of QueueMemory::layout. Only the host can call that function, because it throws.
    m.free.control = reinterpret_cast<QueueControl*>(memory);
    m.free.slots = reinterpret_cast<uint32_t*>(m.free.control + 1);
    m.free.capacity = records;
    m.free.queues = 1;
    m.fresh = reinterpret_cast<uint32_t*>(memory + words_at(records) - 64);
    m.words = reinterpret_cast<uint32_t*>(memory + words_at(records));
    return m;
  }

 private:
  static constexpr size_t words_at(uint32_t records) {
    const size_t slots = size_t(records) * QueueMemory<1>::kSlotWords * sizeof(uint32_t);
    return (sizeof(QueueControl) + slots + 63) / 64 * 64 + 64;
  }
};

}  // namespace brokkr

BROKKR_MACHINE_BEGIN

template <int kRecordWords>
class PayloadPool {
 public:
  BROKKR_FN explicit PayloadPool(const PoolMemory<kRecordWords>& m) : m_(m), free_(m.free) {}

  // Takes a record for each lane of m. Returns the lanes that got one, which are the first lanes; for the others, the
  // pool is empty.
  BROKKR_FN Mask take(Warp& w, Uint& record, Mask m) {
    const int wanted = w.count(m);
    Uint number[1] = {Uint(0u)};
    const int old = free_.dequeue(w, 0, number, wanted);
    const int missing = wanted - old;
    const uint64_t claimed = missing == 0 ? 0 : w.uniform([&]() -> uint64_t { return claim_fresh(missing); });
    const int got = old + int(claimed >> 32);
    const Int rank = as_int(w.inclusive_count(m)) - 1;
    const Int source = select(m && rank < old, rank, 0);
    record = select(rank < old, w.shuffle(number[0], source), as_uint(rank - old) + uint32_t(claimed));
    return m && rank < got;
  }
  // Releases the records of the lanes of m. They must not be read any more.
  BROKKR_FN void give_back(Warp& w, Uint record, Mask m) {
    const Uint number[1] = {record};
    free_.enqueue(w, 0, number, m);  // the list has room for all records
  }

  template <int kWords>
  BROKKR_FN void write(Warp& w, Uint record, const Uint (&payload)[kWords], Mask m) {
    static_assert(kWords <= kRecordWords);
    const auto record_of = w.spill(record);
    Warp::Spilled<uint32_t> words[kWords];
    for (int k = 0; k < kWords; ++k) words[k] = w.spill(payload[k]);
    w.for_lanes(m, [&](int i) {
      uint32_t* stored = m_.words + size_t(record_of[i]) * kRecordWords;
      for (int k = 0; k < kWords; ++k) stored[k] = words[k][i];
    });
  }
  // Lanes outside m get zeros.
  template <int kWords>
  BROKKR_FN void read(Warp& w, Uint record, Uint (&payload)[kWords], Mask m) {
    static_assert(kWords <= kRecordWords);
    const auto record_of = w.spill(record);
    Warp::Spilled<uint32_t> words[kWords];
    for (auto& word : words) word = w.spill(0u);
    w.for_lanes(m, [&](int i) {
      const uint32_t* stored = m_.words + size_t(record_of[i]) * kRecordWords;
      for (int k = 0; k < kWords; ++k) words[k].set(i, stored[k]);
    });
    for (int k = 0; k < kWords; ++k) payload[k] = words[k].lanes();
  }

 private:
  PoolMemory<kRecordWords> m_;
  BrokerQueues<1> free_;

  // Claims up to n records that were never taken. Returns their count << 32 | the first number. Call from one lane.
  BROKKR_FN uint64_t claim_fresh(int n) const {
    device_atomic<uint32_t> fresh(*m_.fresh);
    for (uint32_t first = fresh.load(kRelaxed); first < m_.free.capacity;) {
      const uint32_t left = m_.free.capacity - first, mine = left < uint32_t(n) ? left : uint32_t(n);
      if (fresh.compare_exchange_weak(first, first + mine, kRelaxed)) return uint64_t(mine) << 32 | first;
    }
    return 0;
  }
};

// For a program whose payloads fit in slots.
template <>
class PayloadPool<0> {
 public:
  BROKKR_FN explicit PayloadPool(const PoolMemory<0>&) {}
};

BROKKR_MACHINE_END
