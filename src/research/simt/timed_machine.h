// The SIMT machine: runs a launch of a PTX program on cores that a Config describes, and counts cycles.
//
// An instruction is executed when it is issued, by the interpreter (src/ptx), and its time is reckoned apart; so values
// never depend on time, but for clocks and for what threads do to each other through memory. The same launch takes the
// same cycles, always.
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
#include "simt/registers.h"
#include "simt/statistics.h"

namespace brokkr::simt {

// What an instruction is issued for, as a test or a trace sees it.
struct IssueEvent {
  uint64_t cycle = 0;
  uint32_t core = 0;
  uint64_t warp = 0;  // its age
  Group group;
};

struct RunProgress {
  uint64_t cycle = 0;
  uint64_t begun = 0, blocks = 0;  // blocks of the launch
};

// Functions of src/simt/kernels/intrinsics.h.
enum class Intrinsic : uint8_t { none, spawn, state, diverge, reconverge, lanes };

class TimedMachine : private ptx::Foreign {
 public:
  // The program must outlive the machine. Throws std::runtime_error for a µ-kernel machine without spawn memory.
  TimedMachine(const Config& config, const ptx::Program& program);
  ~TimedMachine() override;
  TimedMachine(const TimedMachine&) = delete;
  TimedMachine& operator=(const TimedMachine&) = delete;

  // To its end, or for so many cycles where these are not 0. Throws ptx::Fault.
  Statistics run(const ptx::Launch& launch, uint64_t most_cycles = 0);

  std::function<void(const IssueEvent&)> on_issue;
  // Now and then: how far a run has come.
  std::function<void(const RunProgress&)> on_progress;
  uint32_t registers_of_thread(const ptx::Function& kernel) const;
  uint32_t blocks_that_fit(const ptx::Function& kernel, uint32_t threads, uint32_t dynamic_shared) const;  // a core
  uint32_t threads_of_core() const { return threads_most_; }

 private:
  // fill.cpp: who comes into a core.
  void begin(const ptx::Launch& launch);
  void make_spawn_memory();
  bool fill(Core& core, uint64_t cycle);
  bool add_block(Core& core, uint64_t cycle);
  bool add_spawned(Core& core, uint64_t cycle);
  bool can_flush(const Core& core, uint64_t cycle) const;
  void place_warps(Core& core, uint64_t cycle);
  void place(Core& core, ResidentBlock& block, uint32_t number, uint64_t cycle);
  uint32_t free_threads(const Core& core) const;

  // issue.cpp: an instruction of a warp.
  void issue(Core& core, Scheduler& s, ResidentWarp& w, uint64_t cycle);
  uint64_t execute(Core& core, ResidentWarp& w, const Group& g, uint64_t cycle);
  void prepare(Core& core, ResidentWarp& w, uint64_t cycle);
  void wake_block(Core& core, const ResidentBlock& block, uint64_t cycle);
  void retire(Core& core, ResidentWarp& w, uint64_t cycle);
  uint64_t operands_at(const ResidentWarp& w, uint32_t pc, bool results) const;

  // access.cpp: the time that one takes.
  uint64_t access_done(Core& core, const ptx::Warp& warp, uint32_t pc, uint32_t lanes, uint64_t cycle);
  uint64_t on_chip(Core& core, const std::vector<uint64_t>& addresses, const ptx::Traits& t, bool conflicts,
                   uint64_t cycle);
  void count_request(const ptx::Traits& t, uint64_t lanes);

  // intrinsics.cpp
  void find_intrinsics();
  uint64_t call(ptx::Warp& warp, const ptx::Instruction& in, uint32_t lane, const uint64_t* arguments) override;
  const ptx::Function& kernel_named(const ptx::Warp& warp, const ptx::Instruction& in, uint32_t lane, uint64_t address);
  Intrinsic intrinsic_at(uint32_t pc) const;
  bool spawns(const ptx::Function& kernel) const;
  void hold(Core& core, ResidentWarp& w, const Group& g, uint64_t cycle);
  uint64_t finish_spawn(Core& core, uint64_t cycle);

  void count_to(const Core& core, Scheduler& s, uint64_t cycle);
  void count_to(Core& core, uint64_t cycle);
  void report_progress();
  void run_cycles(uint64_t most_cycles);
  void choose_turns();
  [[noreturn]] void report_deadlock() const;

  Config config_;
  const ptx::Program& program_;
  Flow flow_;
  RegisterNames names_;
  std::vector<std::vector<RegisterUse>> uses_;                  // of each instruction
  std::vector<Intrinsic> intrinsics_;                           // of each call site
  mutable std::map<const ptx::Function*, uint32_t> registers_;  // that are known
  bool spawns_ = false;                                         // whether the launched kernel does
  uint32_t locations_ = 0;                                      // that threads are spawned to

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
  std::vector<Turn> turns_;  // of a cycle
  const ptx::Launch* launch_ = nullptr;
  uint64_t next_block_ = 0, ages_ = 0, cycle_ = 0, reported_ = 0;
  uint32_t threads_most_ = 0;  // of a core, by its registers too
  uint8_t* spawn_begin_ = nullptr;
  uint64_t spawn_bytes_ = 0, core_spawn_bytes_ = 0;
  bool spawn_on_chip_ = true;
  // While an instruction is executed.
  Core* core_ = nullptr;
  ResidentWarp* warp_ = nullptr;
  struct Request {
    uint64_t name;  // where the kernel's is
    uint32_t pc;
    SpawnedThread thread;
  };
  std::vector<Request> requests_;
  std::vector<SpawnedThread> threads_;
  std::vector<uint64_t> addresses_;
  // Of an access: where its lanes go.
  struct Places {
    std::vector<uint64_t> shared, spawn, far;
  };
  Places places_;
};

}  // namespace brokkr::simt
