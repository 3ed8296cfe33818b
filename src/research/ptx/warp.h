// A warp: 32 lanes, each with a program counter. It runs instructions for lanes at the same place, lets lanes meet at
// collectives and its block at barriers, and is the object that instruction handlers work on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/memory.h"
#include "ptx/program.h"
#include "ptx/races.h"
#include "ptx/weak.h"

namespace brokkr::ptx {

class Block;
class Machine;

class Warp {
 public:
  // `threads`: number of threads of its block.
  Warp(Machine& machine, Block& block, uint32_t number, uint32_t threads);
  ~Warp();
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  // Interface for handlers.
  uint32_t* words(Place p) const { return base_[p & 3] + (p >> 2); }
  uint64_t* longs(Place p) const { return reinterpret_cast<uint64_t*>(words(p)); }
  uint32_t bits(Place p, bool negated) const { return negated ? ~*words(p) : *words(p); }
  // The memory of an access, after all checks. `kinds`: permitted by the instruction's state space.
  uint8_t* at(uint64_t address, uint32_t bytes, const Instruction& in, uint32_t lane, uint32_t kinds) {
    // Most accesses of single lanes are to the lane's own local memory, which the table of pages need not confirm.
    const bool is_own = (kinds & kLocalRange) != 0 && address - local_begin(lane) <= kLocalBytes - bytes;
    if (!is_own || (address & (bytes - 1)) != 0) check(address, bytes, in, lane, kinds);
    memory_.touch(address);
    return reinterpret_cast<uint8_t*>(address);
  }
  uint8_t* shared_at(uint64_t offset, uint32_t bytes, const Instruction& in, uint32_t lane) {
    if (offset + bytes > shared_bytes_ || (offset & (bytes - 1)) != 0) [[unlikely]]
      bad_access(reinterpret_cast<uint64_t>(shared_) + offset, bytes, in, lane, kSharedRange);
    return shared_ + offset;
  }
  uint8_t* shared() const { return shared_; }
  uint64_t shared_bytes() const { return shared_bytes_; }
  // The addresses that an access may have without another check: from `begin` to `begin` + `most`. In local memory this
  // is the window of lane 0; each lane has its own.
  struct Window {
    uint64_t begin, most;
    bool is_local;
  };
  // Finds the window around the address; returns false if it has none.
  bool find_window(uint64_t address, uint32_t bytes, uint32_t kinds, Window& window) const {
    const Range& r = memory_.range_of(address);
    if ((r.kind & kinds) == 0 || r.end - r.begin < bytes || (r.owner != nullptr && r.owner != &block_) ||
        memory_.is_recorded()) [[unlikely]]
      return false;
    window.is_local = r.kind == kLocalRange;
    window.begin = window.is_local ? local_ : r.begin;
    window.most = (window.is_local ? kLocalBytes : r.end - r.begin) - bytes;
    return true;
  }
  bool is_in_order() const { return turn_ == 0; }  // accesses of lanes happen in the order of their numbers
  // Like `words`, but for one lane, which may be in another frame than the running lanes.
  uint32_t* word_of(Place p, uint32_t lane) const {
    return ((p & 3) == kFrame ? stack_ + frame_of_[lane] + (p >> 2) : words(p)) + lane;
  }
  uint64_t* long_of(Place p, uint32_t lane) const {
    return reinterpret_cast<uint64_t*>(word_of(p, lane) - lane) + lane;
  }
  uint32_t* predicate_of(Place p, uint32_t lane) const { return word_of(p, lane) - lane; }
  bool is_crowded() const { return is_crowded_; }  // other host threads run blocks of the same launch
  // is_watched returns true if stores are held back, loads may look back, or races are detected. The other functions
  // then do the work of each access.
  bool is_watched() const { return is_weak_ || races_ != nullptr; }
  void watched_load(const Instruction& in, uint32_t lane, const uint8_t* from, void* value, uint32_t bytes);
  void watched_store(const Instruction& in, uint32_t lane, uint8_t* to, const void* value, uint32_t bytes);
  void before_atomic(const Instruction& in, uint32_t lane, const uint8_t* to, uint32_t bytes);
  void fence(uint32_t lanes);
  void meet_warp(uint32_t lanes);  // at bar.warp.sync
  // Calls f for the lanes of an access, in the order of this turn.
  template <class F>
  void each(uint32_t lanes, F&& f) const {
    if (turn_ != 0) {
      const uint32_t turned = lanes >> turn_ | lanes << (32 - turn_);
      for (uint32_t m = turned; m != 0; m &= m - 1) f((uint32_t(__builtin_ctz(m)) + turn_) & 31);
      return;
    }
    for (; lanes != 0; lanes &= lanes - 1) f(uint32_t(__builtin_ctz(lanes)));
  }
  uint64_t clock() const;
  [[noreturn]] void fail(const Instruction& in, uint32_t lanes, const std::string& what) const;
  void warn(const Instruction& in, const std::string& what) const;
  [[noreturn]] void bad_access(uint64_t address, uint32_t bytes, const Instruction& in, uint32_t lane,
                               uint32_t kinds) const;

  // Interface for the machine. `run` returns the number of executed instructions: about `most`.
  uint64_t run(uint64_t most);
  bool can_run() const { return ready_ != 0; }
  bool ended() const { return live_ == 0; }
  void commit_due();  // commits stores that have been held long enough
  uint64_t wake();    // wakes lanes whose time has come; returns the next time, ~0: none sleeps
  std::string state() const;

  // For a machine that selects the lanes itself.
  Block& block() const { return block_; }
  void prefetch() const {  // fetches the lanes' next instructions
    __builtin_prefetch(&live_);
    __builtin_prefetch(pc_);
    __builtin_prefetch(frame_of_);
  }
  uint32_t live() const { return live_; }
  uint32_t ready() const { return ready_; }
  uint32_t pc_of(uint32_t lane) const { return pc_[lane]; }
  uint32_t frame_of(uint32_t lane) const { return frame_of_[lane]; }
  uint32_t lanes_at(uint32_t pc, uint32_t frame) const;
  uint32_t lanes_below(uint32_t frame) const;                     // in callers' frames
  uint32_t guarded(const Instruction& in, uint32_t lanes) const;  // lanes that the guard admits
  // The address of an access, before the access happens.
  uint64_t address_of(const Instruction& in, const Traits& traits, uint32_t lane) const;
  uint64_t local_begin(uint32_t lane) const { return local_ + uint64_t(lane) * kLocalBytes; }
  uint64_t argument_of(const Instruction& in, uint32_t lane, size_t argument) const;  // argument of a call
  void issue(uint32_t lanes);  // one instruction of ready lanes at one place
  // Assigns a thread of a block of the launch to the lane.
  void identify(const Launch& launch, uint32_t lane, uint32_t block_number, uint32_t thread);

 private:
  friend class Block;
  struct Frame {
    uint32_t begin, end;  // words
    uint32_t function, caller;
    uint32_t lanes;
  };
  // Lanes at one place that run together, until they diverge or reach a place where others wait.
  struct Group {
    uint32_t pc, base, lanes, stop;
    bool alone;          // no other lane of the warp is ready
    bool first = false;  // all other ready lanes in its frame are at later places, and no lane is in an inner frame
  };

  void weak_load(uint32_t lane, const uint8_t* from, void* value, uint32_t bytes, bool acquire);
  void weak_store(uint32_t lane, uint8_t* to, const void* value, uint32_t bytes, bool release);
  bool is_local(const uint8_t* at) const;
  Races::Who who(const Instruction& in, uint32_t lane) const;
  void commit(uint32_t lane);                                     // all held stores that the lane knows
  void commit(uint32_t lane, const uint8_t* at, uint32_t bytes);  // those that overlap
  LaneView view_now(uint32_t lane) const;                         // including its own stores
  // Fails if the lane may not access these bytes.
  void check(uint64_t address, uint32_t bytes, const Instruction& in, uint32_t lane, uint32_t kinds) const;
  bool owns(const Range& r, uint64_t address, uint32_t lane) const;
  void set_special(const Launch& launch, uint32_t lane, uint32_t thread);
  void meet_weakly(uint32_t lanes, bool whole_block);  // makes stores visible at a barrier
  void meet_block(uint32_t lanes, bool arriving);      // at a barrier of the block
  Group pick(uint32_t avoid);
  Group pick_any();
  uint64_t run_group(Group& g, uint64_t most);
  void run_plain(Group& g, uint32_t count);                     // instructions of kind `plain`
  bool part(Group& g, const Instruction& in, uint32_t active);  // at a branch that some lanes take
  bool step(Group& g);  // executes one instruction; returns true if the group continues
  void count_run(uint32_t pc, uint32_t lanes) const;
  bool control(Group& g, const Instruction& in, uint32_t active);
  bool call(Group& g, const Instruction& in, uint32_t active);
  void call_register(const Group& g, const Instruction& in, uint32_t active);
  void branch_by_table(const Instruction& in, uint32_t lanes);
  void sleep(const Instruction& in, uint32_t lanes);
  void set_pc(uint32_t lanes, uint32_t pc);
  uint32_t enter(const CallSite& site, uint32_t lanes, uint32_t caller, uint32_t back);  // returns the new frame's base
  void leave(uint32_t lanes, uint32_t frame);
  void end(uint32_t lanes);
  void call_builtin(const Instruction& in, const CallSite& site, uint32_t lanes);
  std::string text_at(uint64_t address, const Instruction& in, uint32_t lane);
  std::string printed(const std::string& format, uint64_t values, const Instruction& in, uint32_t lane);
  bool collect(const Instruction& in, uint32_t lanes, uint32_t pc);
  void settle();  // completes collectives at which all lanes have arrived
  void complete(uint32_t lanes);
  void arrive(const Instruction& in, uint32_t lanes, uint32_t pc);

  Machine& machine_;
  Block& block_;
  const Program& program_;
  const Memory& memory_ = Memory::instance();
  uint32_t* base_[4] = {};
  uint8_t* shared_ = nullptr;
  uint64_t shared_bytes_ = 0;
  uint64_t local_ = 0;  // local memory of lane 0
  uint32_t number_ = 0;
  uint32_t turn_ = 0;  // the lane that comes first
  uint32_t live_ = 0, ready_ = 0, waiting_ = 0, asleep_ = 0;
  uint32_t pc_[kLanes] = {}, frame_of_[kLanes] = {};
  uint64_t wake_[kLanes] = {};
  uint32_t at_barrier_[16] = {}, barrier_votes_ = 0;
  bool is_weak_ = false, is_crowded_ = false;
  uint32_t ran_last_ = 0;  // lanes for which others of the warp have waited too long
  uint64_t patience_ = 0;  // instructions that the others have waited
  std::vector<Frame> frames_;
  uint32_t* stack_ = nullptr;                   // words of registers
  std::vector<std::vector<HeldStore>> stores_;  // weak memory
  std::vector<LaneView> views_, fenced_;        // per lane: what it must see, and what it had to see at its last fence
  uint32_t has_fenced_ = 0;
  Races* races_ = nullptr;  // null: races are not detected
  uint32_t race_slot_ = 0;
  alignas(64) uint32_t special_[kSpecialWords] = {};
};

}  // namespace brokkr::ptx
