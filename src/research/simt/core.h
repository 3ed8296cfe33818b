// A core: its resident warps, its schedulers, and its remaining resources.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/block.h"
#include "simt/divergence_model.h"
#include "simt/policy.h"
#include "simt/spawn_unit.h"

namespace brokkr::simt {

constexpr uint64_t kNever = ~uint64_t(0);

// A block of the launch, or the threads of a spawned warp.
struct ResidentBlock {
  std::unique_ptr<ptx::Launch> launch;  // for a spawned warp: the launch of its µ-kernel
  std::unique_ptr<ptx::Block> block;
  uint32_t warps_left = 0;
  bool spawned = false;
};

struct ResidentWarp {
  ptx::Warp* warp = nullptr;
  ResidentBlock* block = nullptr;
  std::unique_ptr<Policy> policy;
  std::vector<Group> next;         // the groups that it issues next
  bool sleeps = false;             // not ready yet
  bool held = false;               // waits at a branch for the performance model
  bool spawns = false;             // the model's decision
  uint32_t at_work = ptx::kLanes;  // upper bound on lanes that do work, as the program declares it (brokkr_simt_lanes)
  uint32_t spawned_from = 0;       // lanes that have spawned a thread
  uint32_t whole = 0;              // the lanes that it started with
  uint32_t scheduler = 0, place = 0;  // its scheduler in the core, and its index there
  uint64_t age = 0;                   // number of the warp in starting order
  std::vector<uint64_t> board;        // per register: the cycle from which its value is available
  uint32_t held_pc = 0, held_threads[2] = {};
  uint64_t held_since = 0;
  SpawnedThread threads[ptx::kLanes];
};

struct Scheduler {
  std::vector<ResidentWarp*> warps;
  // The cycle from which each warp may issue, kept apart because all are scanned each cycle; kNever: its lanes wait for
  // others.
  std::vector<uint64_t> ready;
  size_t last = 0;  // index of the last issued warp
  uint64_t free_at = 0;
  uint64_t counted_to = 0;  // cycles already in the statistics
};

struct Core {
  Core(uint32_t n, uint32_t scheduler_count, uint32_t warp) : number(n), schedulers(scheduler_count), model(warp) {}
  uint32_t number;
  std::vector<Scheduler> schedulers;
  std::vector<std::unique_ptr<ResidentWarp>> warps;
  std::vector<std::unique_ptr<ResidentBlock>> blocks;
  std::vector<std::pair<ResidentBlock*, uint32_t>> waiting;  // warps of started blocks, waiting for a slot
  DivergenceModel model;
  std::unique_ptr<SpawnUnit> spawn;
  std::vector<uint32_t> free_slots;                       // for thread states
  uint32_t threads = 0, launched_blocks = 0, shared = 0;  // in use
  uint64_t unit_free = 0;                                 // the cycle in which the memory unit is free
  bool has_room = true;                                   // something has ended since the core was last filled

  // The warp that a scheduler issues at `cycle`, or nullptr. Held warps are chosen only if no other can issue.
  ResidentWarp* pick(Scheduler& s, uint64_t cycle, bool greedy);
  // The first cycle, from `after` on, in which a warp may issue. `after` never decreases.
  uint64_t next_event(uint64_t after) const;
  uint64_t ready_at(const ResidentWarp& w) const { return schedulers[w.scheduler].ready[w.place]; }
  void set_ready(const ResidentWarp& w, uint64_t cycle);
  void take_turn(Scheduler& s, uint64_t until);  // it issues until then
  void add(std::unique_ptr<ResidentWarp> w);
  void remove(const ResidentWarp* w);

 private:
  uint64_t find_event(uint64_t after) const;
  mutable bool has_changed_ = true;  // since the last search for an event
  mutable uint64_t next_event_ = 0;
};

}  // namespace brokkr::simt
