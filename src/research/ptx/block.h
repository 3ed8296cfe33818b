// A block: its warps, its shared memory and its barriers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "ptx/program.h"
#include "ptx/warp.h"
#include "ptx/weak.h"

namespace brokkr::ptx {

class Machine;

class Block {
 public:
  Block(Machine& machine, const Launch& launch, uint32_t number);
  // A warp of `threads` arbitrary threads, which Warp::identify assigns.
  Block(Machine& machine, const Launch& launch, uint32_t number, uint32_t threads);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  bool ended() const;
  Machine& machine() const { return machine_; }
  // Releases a barrier's threads once all have arrived. `least`: number of threads; 0: all that have not ended.
  void settle_barrier(uint32_t id, uint32_t least);
  void settle_barriers();
  // Weak memory: stores that are visible in the block but not outside.
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

  LaneView met;        // what lanes see after a barrier of the block
  Races::View joined;  // the same, for race detection
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
  // Gives a lane the result of a voting barrier.
  void give_vote(Warp& w, const Instruction& in, uint32_t lane, uint32_t votes, uint32_t there) const;
  void release(Warp& w, uint32_t id, uint32_t votes, uint32_t there);

  Machine& machine_;
  std::vector<HeldStore> held_;
};

// Operations that the lanes of a warp perform together, or that happen at barriers of a block.

// Lanes meet only at instructions of the same kind.
enum class Collective : uint8_t {
  sync_warp,
  shfl_idx,
  shfl_up,
  shfl_down,
  shfl_bfly,
  vote_any,
  vote_all,
  vote_uni,
  vote_ballot,
  match_any32,
  match_any64,
  match_all32,
  match_all64,
  redux_add,
  redux_min_u,
  redux_min_s,
  redux_max_u,
  redux_max_s,
  redux_and,
  redux_or,
  redux_xor,
  elect,
};
enum class BarrierVote : uint8_t { none, count, all, any };

Handler collective_handler(Collective kind);
// The lanes are at several instructions: in[lane] is the instruction of each lane.
void collect_mixed(Warp& warp, const Instruction* const* in, uint32_t lanes);

}  // namespace brokkr::ptx
