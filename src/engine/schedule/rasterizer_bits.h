// Bit sets over all rasterizers, 32 per word, which decisions read. They let a block find the rasterizers that have
// work, among hundreds, without reading the state of each.
//
// Claims. A rasterizer belongs to the block that has set its bit. A finished rasterizer keeps the bit, so no block
// considers it again. A block that sets the bit acquires what the previous holder released; other blocks'
// read-modify-writes of the word in between continue that release sequence.
//
// Filled queues. They are used in launches in which a rasterizer has work only after it was sent an element or when all
// tasks are complete. In other launches `filled` is null, and any rasterizer may have work. A warp that raises a
// queue's count from 0 sets the bit afterwards, with release. The rasterizer's block clears the bit with acquire and
// then takes elements until the count is 0, so that the warp that adds the next element sets the bit. No element is
// missed: either the clear comes after the set and its block sees the setter's count, or the set comes after the clear
// and the bit stays. Conversely, a set bit may belong to a queue that is already empty, so a block that finds the bit
// checks the count.
#pragma once

#include "machine/machine.h"
#include "schedule/schedule_tables.h"

BROKKR_MACHINE_BEGIN

// Single lanes call the member functions.
class RasterizerBits {
 public:
  BROKKR_FN explicit RasterizerBits(const RasterizerBitTables& tables) : tables_(tables) {}

  // `filling`: elements may still arrive. Returns false if another block has the rasterizer or if it has finished.
  BROKKR_FN bool claim(uint32_t r, bool filling) const {
    if ((word(tables_.claimed, r).fetch_or(bit(r), kAcquire) & bit(r)) != 0) return false;
    if (filling && tables_.filled != nullptr) word(tables_.filled, r).fetch_and(~bit(r), kAcquire);
    return true;
  }
  BROKKR_FN void give_back(uint32_t r) const { word(tables_.claimed, r).fetch_and(~bit(r), kRelease); }
  // Call after adding an element to the rasterizer's empty queue, or after promising one.
  BROKKR_FN void note_filled(uint32_t r) const {
    if (tables_.filled != nullptr) word(tables_.filled, r).fetch_or(bit(r), kRelease);
  }

  BROKKR_FN bool is_claimed(uint32_t r) const { return (word(tables_.claimed, r).load(kRelaxed) & bit(r)) != 0; }
  // The rasterizers among 32 i .. 32 i + 31 that are unclaimed and may have work. Bits after the last rasterizer are
  // undefined.
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
