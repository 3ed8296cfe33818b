// A core: its resident warps, its schedulers, and its remaining resources.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ptx/block.h"
#include "simt/config.h"

namespace brokkr::simt {

// Decides whether new threads or the stack should execute a branch [Steffen12, chapter 6].

// The costs of a branch that are known before it runs: instructions of its two paths up to their meeting, of the rest
// of the program, and of storing and restoring a thread's state.
struct BranchCost {
  uint32_t path1 = 0, path2 = 0, after = 0, store = 0, restore = 0;
};
struct BranchCount {
  uint32_t warps = 0, threads1 = 0, threads2 = 0;  // waiting at the branch
};

// Issues until all threads are done, by [Steffen12, eq. 6.1] and [Steffen12, eq. 6.2].
uint64_t stack_cost(const BranchCost& cost, const BranchCount& count);
uint64_t spawn_cost(const BranchCost& cost, const BranchCount& count, uint32_t warp);

// The table of a core's branches.
class DivergenceModel {
 public:
  explicit DivergenceModel(uint32_t warp) : warp_(warp) {}
  void arrive(uint32_t pc, const BranchCost& cost, uint32_t threads1, uint32_t threads2);
  // A warp continues and is no longer counted. Returns true if its threads spawn. The decision uses the counts of the
  // last arrival, so that warps that waited together decide alike.
  bool leave(uint32_t pc, uint32_t threads1, uint32_t threads2);

 private:
  struct Line {
    BranchCost cost;
    BranchCount count;
    bool spawns = false;
  };
  uint32_t warp_;
  std::unordered_map<uint32_t, Line> lines_;
};

// Warps of spawned threads [Steffen12, chapter 5]: threads for the same µ-kernel gather until they fill a warp, or
// until a core has nothing else to do.

// A thread of a launch, independent of where it runs.
struct ThreadIdentity {
  uint32_t block = 0, thread = 0;
};
struct SpawnedThread {
  uint64_t state = 0;  // the pointer it was spawned with
  ThreadIdentity identity;
  uint32_t slot = 0;  // slot of its state in spawn memory
};
struct FormedWarp {
  uint32_t pc = 0;
  std::vector<SpawnedThread> threads;
};

// The table of warps being formed, one line per µ-kernel, in the memory that holds their threads.
class SpawnUnit {
 public:
  // `threads` per core, `locations`: number of spawn targets.
  SpawnUnit(uint32_t threads, uint32_t warp, uint32_t locations);
  // Size of the formation memory in threads: twice the maximum content, so that new warps do not overwrite warps being
  // read [Steffen12, 5.1.2].
  static uint32_t places(uint32_t threads, uint32_t warp, uint32_t locations);

  // Adds the threads of one spawn instruction. Returns the places where their pointers are stored, as at most two
  // ranges.
  std::vector<uint32_t> spawn(uint32_t pc, const std::vector<SpawnedThread>& threads);
  bool has_warp() const { return !full_.empty(); }
  bool has_part() const { return waiting_ != 0; }
  FormedWarp take();   // the first full warp
  FormedWarp flush();  // the partial warp with the lowest pc

 private:
  struct Line {
    uint32_t first = 0, second = 0;  // places of the next thread and of the next warp
    uint32_t count = 0;
  };
  struct Full {
    uint32_t pc, last;  // place of the last thread
    uint32_t count;
  };
  uint32_t next_free();
  FormedWarp read(const Full& warp);

  uint32_t warp_;
  std::vector<SpawnedThread> memory_;
  std::vector<uint32_t> used_;  // number of threads in each warp's places
  std::map<uint32_t, Line> lines_;
  std::deque<Full> full_;
  uint32_t free_ = 0;
  uint32_t waiting_ = 0;  // threads in all lines
};

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
  bool held = false;               // waits at a branch for the decision of the performance model
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
  uint64_t fixed_free = 0;                                // the same of the unit of fixed hardware
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
