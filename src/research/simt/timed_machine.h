// The SIMT machine: runs a launch of a PTX program on the cores of a Config, and counts cycles.
//
// The interpreter (src/research/ptx) executes an instruction when it is issued, and its time is computed separately. So
// values never depend on time, except for clocks and for communication of threads through memory. The same launch
// always takes the same cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/machine.h"
#include "simt/config.h"
#include "simt/core.h"
#include "simt/flow.h"
#include "simt/memory_model.h"
#include "simt/statistics.h"

namespace brokkr::simt {

// An issued instruction, as a test or a trace sees it.
struct IssueEvent {
  uint64_t cycle = 0;
  uint32_t core = 0;
  uint64_t warp = 0;  // the warp's age
  Group group;
};

struct RunProgress {
  uint64_t cycle = 0;
  uint64_t begun = 0, blocks = 0;  // number of blocks in the launch
};

// Functions of src/research/simt/kernels/intrinsics.h.
enum class Intrinsic : uint8_t { none, spawn, state, diverge, reconverge, lanes };

class TimedMachine : private ptx::Foreign {
 public:
  // The program must outlive the machine. Throws std::runtime_error if a machine for µ-kernels lacks spawn memory.
  TimedMachine(const Config& config, const ptx::Program& program);
  ~TimedMachine() override;
  TimedMachine(const TimedMachine&) = delete;
  TimedMachine& operator=(const TimedMachine&) = delete;

  // Runs to the end, or for `max_cycles` cycles if that is not 0. Throws ptx::Fault.
  Statistics run(const ptx::Launch& launch, uint64_t max_cycles = 0);

  std::function<void(const IssueEvent&)> on_issue;
  // Called occasionally with a run's progress.
  std::function<void(const RunProgress&)> on_progress;
  uint32_t registers_of_thread(const ptx::Function& kernel) const;
  uint32_t blocks_that_fit(const ptx::Function& kernel, uint32_t threads, uint32_t dynamic_shared) const;  // per core
  uint32_t threads_of_core() const { return max_threads_; }

 private:
  // Filling of cores.
  void begin(const ptx::Launch& launch);
  void make_spawn_memory();
  bool fill(Core& core, uint64_t cycle);
  bool add_block(Core& core, uint64_t cycle);
  bool add_spawned(Core& core, uint64_t cycle);
  bool can_flush(const Core& core, uint64_t cycle) const;
  void place_warps(Core& core, uint64_t cycle);
  void place(Core& core, ResidentBlock& block, uint32_t number, uint64_t cycle);
  uint32_t free_threads(const Core& core) const;

  // One issue of a warp.
  void issue(Core& core, Scheduler& s, ResidentWarp& w, uint64_t cycle);
  uint64_t execute(Core& core, ResidentWarp& w, const Group& g, uint64_t cycle);
  void prepare(Core& core, ResidentWarp& w, uint64_t cycle);
  void wake_block(Core& core, const ResidentBlock& block, uint64_t cycle);
  void retire(Core& core, ResidentWarp& w, uint64_t cycle);
  uint64_t pass_unit(Core& core, ResidentWarp& w, uint64_t cycle);
  uint64_t operands_at(const ResidentWarp& w, uint32_t pc, bool results) const;

  // The time of an access.
  uint64_t access_done(Core& core, const ptx::Warp& warp, uint32_t pc, uint32_t lanes, uint64_t cycle);
  uint64_t on_chip(Core& core, const std::vector<uint64_t>& addresses, const ptx::Traits& t, bool conflicts,
                   uint64_t cycle);
  void count_request(const ptx::Traits& t, uint64_t lanes);

  // Requests of programs.
  void find_intrinsics();
  uint64_t call(ptx::Warp& warp, const ptx::Instruction& in, uint32_t lane, const uint64_t* arguments) override;
  const ptx::Function& kernel_named(const ptx::Warp& warp, const ptx::Instruction& in, uint32_t lane, uint64_t address);
  Intrinsic intrinsic_at(uint32_t pc) const;
  bool is_of_unit(const ptx::Function& f) const;
  bool spawns(const ptx::Function& kernel) const;
  void hold(Core& core, ResidentWarp& w, const Group& g, uint64_t cycle);
  uint64_t finish_spawn(Core& core, uint64_t cycle);

  void count_to(const Core& core, Scheduler& s, uint64_t cycle);
  void count_to(Core& core, uint64_t cycle);
  void report_progress();
  void run_cycles(uint64_t max_cycles);
  void choose_turns();
  [[noreturn]] void report_deadlock() const;

  Config config_;
  const ptx::Program& program_;
  Flow flow_;
  RegisterNames names_;
  std::vector<std::vector<RegisterUse>> uses_;                  // per instruction
  std::vector<Intrinsic> intrinsics_;                           // per call site
  std::vector<bool> in_unit_;                                   // per instruction: of a unit of fixed hardware
  mutable std::map<const ptx::Function*, uint32_t> registers_;  // cached results
  bool spawns_ = false;                                         // the launched kernel spawns threads
  uint32_t locations_ = 0;                                      // number of spawn targets

  ptx::Machine services_;
  Statistics statistics_;
  Timeline timeline_;
  std::unique_ptr<MemoryModel> memory_;
  std::vector<std::unique_ptr<Core>> cores_;
  struct Turn {
    Core* core;
    Scheduler* scheduler;
    ResidentWarp* warp;
  };
  std::vector<Turn> turns_;  // turns of one cycle
  const ptx::Launch* launch_ = nullptr;
  uint64_t next_block_ = 0, ages_ = 0, cycle_ = 0, reported_ = 0;
  uint32_t max_threads_ = 0;  // per core, as its registers allow
  uint8_t* spawn_begin_ = nullptr;
  uint64_t spawn_bytes_ = 0, core_spawn_bytes_ = 0;
  bool spawn_on_chip_ = true;
  // These are valid during the execution of an instruction.
  Core* core_ = nullptr;
  ResidentWarp* warp_ = nullptr;
  struct Request {
    uint64_t name;  // address of the kernel's name
    uint32_t pc;
    SpawnedThread thread;
  };
  std::vector<Request> requests_;
  std::vector<SpawnedThread> threads_;
  std::vector<uint64_t> addresses_;
  // The destinations of an access's lanes.
  struct Places {
    std::vector<uint64_t> shared, spawn, far;
  };
  Places places_;
};

}  // namespace brokkr::simt
