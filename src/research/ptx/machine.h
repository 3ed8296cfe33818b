// The machine: blocks of a launch, and the turns that their warps take on one thread of the host, or on several: then
// each of these has blocks of its own, and whatever two blocks share are words that the host's atomics access.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ptx/block.h"
#include "ptx/launch.h"
#include "ptx/memory.h"
#include "ptx/profile.h"
#include "ptx/races.h"
#include "ptx/random.h"
#include "ptx/settings.h"
#include "ptx/weak.h"

namespace brokkr::ptx {

// Functions that a machine adds: brokkr_simt_NAME, declared and not defined in the module.
struct Foreign {
  virtual ~Foreign() = default;
  // For one lane; returns its result.
  virtual uint64_t call(Warp& warp, const Instruction& in, uint32_t lane, const uint64_t* arguments) = 0;
};

// What the machines of a launch on several threads of the host have in common.
struct Crowd {
  std::atomic<uint64_t> next_block{0}, clock{0};
  std::atomic<bool> stop{false};  // one of them has failed
};

// One launch at a time.
class Machine {
 public:
  explicit Machine(const Settings& s) : settings(s), profile_(s) {}
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  void run(const Launch& launch);  // throws Fault

  uint64_t now() const;  // nanoseconds
  uint64_t executed() const { return executed_; }
  void warn(const std::string& what);

  // Memory of blocks and warps that have ended is used again.
  uint32_t* take_stack();
  void give_stack(uint32_t* stack) { stacks_.push_back(stack); }
  void* take(RangeKind kind, size_t bytes, const void* owner);  // throws Fault
  void give(RangeKind kind, size_t bytes, void* memory);

  const Settings settings;
  Random random;
  StoreHistory history;
  bool adversarial = false;
  std::unique_ptr<Races> races;  // nullptr: not looked for
  // Of each instruction of the program: how often it ran, and for how many lanes; nullptr: not counted.
  uint64_t *counts = nullptr, *lane_counts = nullptr;
  Foreign* foreign = nullptr;    // nullptr: its functions are refused
  uint32_t warp_lanes = kLanes;  // lanes of a warp that have threads
  // Counts the next launches, and what the last one has counted.
  void count_lanes(bool on) { profile_.keep(on); }
  const Profile& profile() const { return profile_; }
  // Whether other threads of the host run blocks of the same launch.
  bool is_crowded() const { return crowd_ != nullptr; }
  // For a machine that runs the blocks itself: what clocks show.
  void set_clock(uint64_t cycles) { executed_ = cycles; }

 private:
  [[noreturn]] void report_deadlock(const std::string& what) const;
  void begin(const Launch& launch);
  bool take_turns(uint64_t& next);  // of all warps, once; `next`: when the first sleeper wakes
  bool turn(Warp& w, uint64_t& next);
  void run_blocks(const Launch& launch);
  void run_all(const Launch& launch);
  size_t crew_of(const Launch& launch) const;
  void run_crew(const Launch& launch, size_t crew);  // crew.cpp
  uint64_t next_block();
  void pass(uint64_t nanoseconds);  // without an instruction

  std::deque<std::unique_ptr<Block>> blocks_;
  Crowd* crowd_ = nullptr;
  std::vector<std::unique_ptr<Machine>> helpers_;  // for other threads
  uint64_t started_ = 0, share_ = 0;               // blocks of this launch: begun, and at most at once
  Profile profile_;
  std::vector<uint32_t*> stacks_;
  std::map<std::pair<RangeKind, size_t>, std::vector<void*>> free_;
  uint64_t executed_ = 0, slept_ = 0;
  std::vector<std::string> warned_;
};

}  // namespace brokkr::ptx
