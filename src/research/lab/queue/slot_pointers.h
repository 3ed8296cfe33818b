// The broker queue with pointers to slots [Kerbl18, 4.3.3]: an operation returns the slot that it acquired, and the
// element of any size is made and used there. Nothing is copied, and no element needs memory elsewhere.
#pragma once

#include "queue/broker_queue.h"

BROKKR_MACHINE_BEGIN

// One linearizable queue in memory of slot_pointer_bytes(capacity, words), aligned to 64 bytes; zeroed memory is an
// empty queue. Capacity: a power of two, 2 .. 2^26; words: of 32 bits, 1 or more. Single lanes use it. A thread must
// publish or release a slot that it holds before it waits for another thread.
template <class Observer = Unobserved>
class SlotPointers {
 public:
  BROKKR_FN SlotPointers(std::byte* memory, uint32_t capacity, uint32_t words, uint32_t* abort)
      : control_(reinterpret_cast<QueueControl*>(memory)),
        slots_(reinterpret_cast<uint32_t*>(control_ + 1)),
        abort_(abort),
        capacity_(capacity),
        slot_words_(words + 1) {}

  // Returns the words of a free slot, which the caller fills and then publishes; nullptr if the queue is full, or after
  // an abort.
  BROKKR_FN uint32_t* room() const {
    for (int spin = 0; broker().claim_room(1) == 0; ++spin) {
      if (broker().observed_full() || aborted()) return nullptr;
      Observer::pause(spin);
    }
    return await(broker().draw_enqueue(1), 0);
  }
  BROKKR_FN void publish(uint32_t* element) const { pass_on(element, 1); }

  // The words of the oldest element, which belong to the caller until it releases them. nullptr if the queue is empty,
  // or after an abort.
  BROKKR_FN uint32_t* oldest() const {
    for (int spin = 0; broker().claim_elements(1) == 0; ++spin) {
      if (broker().observed_empty() || aborted()) return nullptr;
      Observer::pause(spin);
    }
    return await(broker().draw_dequeue(1), 1);
  }
  BROKKR_FN void release(uint32_t* element) const { pass_on(element, capacity_ - 1); }

 private:
  QueueControl* control_;
  uint32_t* slots_;  // [capacity][ticket, words]; tickets as in queue/broker_queue.h
  uint32_t* abort_;
  uint32_t capacity_, slot_words_;

  BROKKR_FN Broker<Observer> broker() const { return Broker<Observer>(*control_, capacity_); }
  BROKKR_FN bool aborted() const { return abort_ != nullptr && system_atomic<uint32_t>(*abort_).load(kRelaxed) != 0; }
  BROKKR_FN uint32_t* await(uint32_t p, uint32_t turn) const {
    uint32_t* const slot = slots_ + size_t(p & (capacity_ - 1)) * slot_words_;
    const uint32_t ticket = (p & (0u - capacity_)) + turn;
    for (int spin = 0; Watched<uint32_t, Observer>(*slot).load(kAcquire) != ticket; ++spin) {
      if (aborted()) return nullptr;
      Observer::pause(spin);
    }
    return slot + 1;
  }
  // Only the holder of a slot changes its ticket.
  BROKKR_FN static void pass_on(uint32_t* element, uint32_t by) {
    const Watched<uint32_t, Observer> ticket(element[-1]);
    ticket.store(ticket.load(kRelaxed) + by, kRelease);
  }
};

BROKKR_MACHINE_END
