// Records where grids meet: for every line, its dyadic parts that are sides of grids, and how finely those grids are
// diced.
//
// A line is a side of patches (all patches that share it use the same number) or a line within one patch. Its parts are
// the nodes of a binary tree: node 1 is the whole line, 2 n and 2 n + 1 are the halves of n. A side of a grid is one
// node. It is marked with the logarithm of its number of micropolygons, and all nodes above are marked as divided. From
// these marks any grid finds all vertices on its sides: since all vertices come from repeated halving, a vertex
// strictly inside a part exists if and only if its midpoint is one.
//
// The table is a hash table with open addressing. Marks are bits that are only ever set, so the result depends neither
// on the order of grids nor on the number of workers.
#pragma once

#include "machine/machine.h"
#include "reyes/reyes_plan.h"

BROKKR_MACHINE_BEGIN
namespace reyes {
using namespace brokkr;

// Bits 0 .. kMaxDice of a node's mark: a grid that has this side is halved that often. The next bit: the node is
// divided.
BROKKR_CONSTANT uint32_t kParted = 1u << 7;
BROKKR_CONSTANT int kParameterBits = 15;

// One lane's view of a line.
struct Line {
  uint64_t key = 0;        // common part of its nodes' keys; the node number goes into the lowest bits
  bool backwards = false;  // the line's direction is opposite to the grid's parameter
};

// The line of a piece's side. Sides 0 and 1 run along u at v0 and v1; sides 2 and 3 run along v at u0 and u1. Call it
// from one lane.
BROKKR_FN Line line_of(const ReyesPlan& plan, uint32_t patch, uint32_t corner, uint32_t shape, int side) {
  const uint32_t along_v = side < 2 ? 0u : 1u;
  const uint32_t start = along_v != 0 ? corner & 0xffffu : corner >> 16;
  const uint32_t level = along_v != 0 ? shape & 15u : shape >> 4 & 15u;
  const uint32_t at = start + ((side & 1) != 0 ? kParameterOne >> level : 0u);
  if (at == 0 || at == kParameterOne) {
    const uint32_t edge = plan.edges[patch * 4 + along_v * 2 + (at == 0 ? 0u : 1u)];
    return {uint64_t(1) << 62 | uint64_t(edge >> 1) << 11, (edge & 1u) != 0};
  }
  return {(uint64_t(patch * 2 + along_v) << 15 | at) << 11, false};
}

// The node of the part [first, first + kParameterOne >> level) of the grid's parameter.
BROKKR_FN uint32_t node_of(const Line& line, uint32_t level, uint32_t number) {
  const uint32_t count = 1u << level;
  return count | (line.backwards ? count - 1 - number : number);
}

class EdgeTable {
 public:
  BROKKR_FN explicit EdgeTable(const ReyesPlan& plan) : plan_(plan) {}

  // Call it from one lane. Returns false if the table is full.
  BROKKR_FN bool mark(const Line& line, uint32_t node, uint32_t dice) const {
    uint32_t bits = 1u << dice;
    for (; node != 0; node >>= 1, bits = kParted) {
      const uint32_t place = find_or_add(line.key | node);
      if (place == ~0u) return false;
      const uint32_t old = device_atomic<uint32_t>(plan_.edge_marks[place]).fetch_or(bits, kRelaxed);
      if ((old & bits) != 0 && bits == kParted) break;  // whoever set it also marks the nodes above
    }
    return true;
  }
  // The marks of a node. Call it from one lane, after all grids have marked their sides.
  BROKKR_FN uint32_t marks(const Line& line, uint32_t node) const {
    const uint64_t key = line.key | node;
    for (uint32_t k = 0, place = first_place(key); k < plan_.edge_capacity; ++k, place = next(place)) {
      if (plan_.edge_keys[place] == key) return plan_.edge_marks[place];
      if (plan_.edge_keys[place] == 0) return 0;
    }
    return 0;
  }
  // The finest level to which any grid halves this part, among grids with this part, or a part that contains it, as a
  // side.
  BROKKR_FN uint32_t level_at(const Line& line, uint32_t node) const {
    uint32_t most = 0;
    uint32_t level = 31u - uint32_t(leading_zeros(node));
    for (; node != 0; node >>= 1, --level) {
      if (level > kMaxSplits) continue;
      const uint32_t dice = marks(line, node) & (kParted - 1);
      if (dice == 0) continue;
      const uint32_t reach = level + 31u - uint32_t(leading_zeros(dice));
      most = most < reach ? reach : most;
    }
    return most;
  }
  // Returns true if the midpoint of the part is a vertex.
  BROKKR_FN bool is_parted(const Line& line, uint32_t level, uint32_t number) const {
    if (level > kMaxSplits + kMaxDice) return false;
    const uint32_t node = node_of(line, level, number);
    return (level <= kMaxSplits && (marks(line, node) & kParted) != 0) || level_at(line, node) > level;
  }

 private:
  const ReyesPlan& plan_;

  BROKKR_FN static int leading_zeros(uint32_t bits) {
    int n = 0;
    for (uint32_t one = 1u << 31; (bits & one) == 0 && one != 0; one >>= 1) ++n;
    return n;
  }
  BROKKR_FN uint32_t first_place(uint64_t key) const {
    uint64_t x = key * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
    return uint32_t(x >> 32) & (plan_.edge_capacity - 1);
  }
  BROKKR_FN uint32_t next(uint32_t place) const { return (place + 1) & (plan_.edge_capacity - 1); }
  BROKKR_FN uint32_t find_or_add(uint64_t key) const {
    for (uint32_t k = 0, place = first_place(key); k < plan_.edge_capacity; ++k, place = next(place)) {
      device_atomic<uint64_t> word(plan_.edge_keys[place]);
      uint64_t found = word.load(kRelaxed);
      if (found == 0 && word.compare_exchange_strong(found, key, kRelaxed)) return place;
      if (found == key) return place;
    }
    return ~0u;
  }
};

}  // namespace reyes
BROKKR_MACHINE_END
