// A block: its warps, its shared memory, its barriers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "ptx/launch.h"
#include "ptx/warp.h"
#include "ptx/weak.h"

namespace brokkr::ptx {

class Machine;

class Block {
 public:
  Block(Machine& machine, const Launch& launch, uint32_t number);
  // A warp of `threads` threads from anywhere: Warp::identify says whose they are.
  Block(Machine& machine, const Launch& launch, uint32_t number, uint32_t threads);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  bool ended() const;
  Machine& machine() const { return machine_; }
  // Lets all of a barrier go on once they are there; `least`: threads, 0: all that have not ended.
  void settle_barrier(uint32_t id, uint32_t least);
  void settle_barriers();
  // Weak memory: stores that the block sees and others do not.
  void hold(const HeldStore& s);
  template <class F>
  void commit_if(F&& condition) {
    for (size_t i = 0; i < held_.size();) {
      if (condition(held_[i])) {
        write(held_[i]);
        held_.erase(held_.begin() + std::ptrdiff_t(i));
      } else {
        ++i;
      }
    }
  }

  void write(const HeldStore& s);

  LaneView met;        // of all lanes that came to a barrier of the block
  Races::View joined;  // the same, for races
  SeenStores seen;
  const Launch& launch;
  uint32_t index[3] = {};
  uint32_t number;
  uint8_t* shared = nullptr;
  uint32_t shared_bytes = 0;
  uint8_t* local = nullptr;
  size_t local_bytes = 0;
  std::deque<Warp> warps;
  uint32_t barrier_least[16] = {};

 private:
  // What a barrier that votes gives a lane.
  void give_vote(Warp& w, const Instruction& in, uint32_t lane, uint32_t votes, uint32_t there) const;
  void release(Warp& w, uint32_t id, uint32_t votes, uint32_t there);

  Machine& machine_;
  std::vector<HeldStore> held_;
};

}  // namespace brokkr::ptx
