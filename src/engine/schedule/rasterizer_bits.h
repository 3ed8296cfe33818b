// What decisions ask about all rasterizers at once: a bit for each, 32 to a word. So a block finds those that have work
// among hundreds without a look at each.
//
// Claims. A rasterizer belongs to the block that has set its bit; one that has finished keeps the bit, so that no block
// looks at it again. Setting acquires what the holder before has released. Others change the word in between, by
// read-modify-writes too, which pass that release on.
//
// Filled queues, where no rasterizer has work before it is sent an element or all tasks are complete (`filled` is null
// in other launches, where any may have some). Who brings the count of a queue from 0 sets the bit behind that, with
// release. The rasterizer's block clears it with acquire and then takes elements until the count is 0, so that whoever
// puts the next one sets the bit. No element is left behind a bit that is not set: either the clearing comes behind the
// setting, and its block sees the count that the setter has made, or the setting comes behind the clearing, and the bit
// stays. The other way round, a bit may be set of a queue that is empty already: who finds it looks at the count.
#pragma once

#include "machine/machine.h"
#include "schedule/schedule_tables.h"

BROKKR_MACHINE_BEGIN

// Run by single lanes.
class RasterizerBits {
 public:
  BROKKR_FN explicit RasterizerBits(const RasterizerBitTables& tables) : tables_(tables) {}

  // `filling`: elements may still come. False: another block has it, or it has finished.
  BROKKR_FN bool claim(uint32_t r, bool filling) const {
    if ((word(tables_.claimed, r).fetch_or(bit(r), kAcquire) & bit(r)) != 0) return false;
    if (filling && tables_.filled != nullptr) word(tables_.filled, r).fetch_and(~bit(r), kAcquire);
    return true;
  }
  BROKKR_FN void give_back(uint32_t r) const { word(tables_.claimed, r).fetch_and(~bit(r), kRelease); }
  // By who has put an element into its empty queue, or has promised one.
  BROKKR_FN void note_filled(uint32_t r) const {
    if (tables_.filled != nullptr) word(tables_.filled, r).fetch_or(bit(r), kRelease);
  }

  BROKKR_FN bool is_claimed(uint32_t r) const { return (word(tables_.claimed, r).load(kRelaxed) & bit(r)) != 0; }
  // Those among rasterizers 32 i .. 32 i + 31 that nobody has and that may have work; bits behind the last mean
  // nothing.
  BROKKR_FN uint32_t may_have_work(uint32_t i, bool filling) const {
    const uint32_t free = ~word(tables_.claimed, 32 * i).load(kRelaxed);
    return filling && tables_.filled != nullptr ? free & word(tables_.filled, 32 * i).load(kRelaxed) : free;
  }

 private:
  RasterizerBitTables tables_;

  BROKKR_FN static device_atomic<uint32_t> word(const TablePointer<uint32_t>& bits, uint32_t r) {
    return device_atomic<uint32_t>(bits[r >> 5]);
  }
  BROKKR_FN static uint32_t bit(uint32_t r) { return 1u << (r & 31); }
};

BROKKR_MACHINE_END
