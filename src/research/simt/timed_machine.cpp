#include "simt/timed_machine.h"

#include <algorithm>

#include "ptx/memory.h"
#include "ptx/program.h"

namespace brokkr::simt {
namespace {

ptx::Settings quiet_settings(const Config& config) {
  ptx::Settings s;
  s.multiprocessors = int(config.cores);
  return s;
}

}  // namespace

TimedMachine::TimedMachine(const Config& config, const ptx::Program& program)
    : config_(config), program_(program), flow_(program), services_(quiet_settings(config)) {
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) uses_.push_back(names_.uses_of(program, pc));
  services_.foreign = this;
  services_.warp_lanes = config.warp;
  find_intrinsics();
}

TimedMachine::~TimedMachine() {
  cores_.clear();  // their blocks return memory to services_
  ptx::Memory::instance().free(spawn_begin_);
}

// Functions that a kernel may call need registers in addition to the kernel's own. If the kernel promises how many
// blocks share a core, the compiler limits registers accordingly and spills to local memory. PTX does not contain those
// accesses, so they cost nothing here.
uint32_t TimedMachine::registers_of_thread(const ptx::Function& kernel) const {
  const auto registers_of = [&](const ptx::Function& f) {
    const auto [known, fresh] = registers_.try_emplace(&f, 0);
    if (fresh) known->second = flow_.registers(f);
    return known->second;
  };
  uint32_t kernels = registers_of(kernel), called = 0;
  for (const ptx::Function& f : program_.functions) {
    if (!f.defined || is_of_unit(f)) continue;
    if (!f.entry) called = std::max(called, registers_of(f));
    if (f.entry && spawns(kernel)) kernels = std::max(kernels, registers_of(f));
  }
  const uint32_t all = std::max(1u, kernels + called);
  if (kernel.least_blocks == 0) return all;
  return std::min(all, std::max(1u, config_.registers / (kernel.most_threads * kernel.least_blocks)));
}

uint32_t TimedMachine::blocks_that_fit(const ptx::Function& kernel, uint32_t threads, uint32_t dynamic_shared) const {
  const uint32_t room = (threads + config_.warp - 1) / config_.warp * config_.warp;
  const uint32_t shared = program_.static_shared + dynamic_shared;
  const uint32_t by_registers = config_.registers / registers_of_thread(kernel);
  const uint32_t by_threads = std::min(config_.threads, by_registers) / config_.warp * config_.warp / room;
  const uint32_t by_shared = shared == 0 ? by_threads : config_.shared / shared;
  return std::min({by_threads, by_shared, config_.block_scheduling ? config_.blocks : by_threads});
}

// The answer whether warps can issue does not change as long as no warp starts or ends.
void TimedMachine::count_to(const Core& core, Scheduler& s, uint64_t cycle) {
  if (cycle <= s.counted_to) return;
  timeline_.count_range(s.counted_to, cycle, core.warps.empty() ? kIdle : kStalled, 1);
  s.counted_to = cycle;
}

void TimedMachine::count_to(Core& core, uint64_t cycle) {
  for (Scheduler& s : core.schedulers) count_to(core, s, cycle);
}

void TimedMachine::report_progress() {
  constexpr uint64_t kIssues = 1 << 21;  // some seconds
  if (!on_progress || statistics_.steps - reported_ < kIssues) return;
  reported_ = statistics_.steps;
  on_progress({cycle_, next_block_, launch_->blocks()});
}

void TimedMachine::run_cycles(uint64_t most_cycles) {
  for (;;) {
    uint64_t next = kNever;
    bool any = false;
    for (auto& core : cores_) {
      if (core->has_room) {
        core->has_room = false;
        count_to(*core, cycle_);
        fill(*core, cycle_);
      }
      uint64_t core_next = core->next_event(cycle_);
      if (core_next > cycle_ && can_flush(*core, cycle_)) {
        count_to(*core, cycle_);
        fill(*core, cycle_);
        core_next = core->next_event(cycle_);
      }
      any |= !core->warps.empty();
      next = std::min(next, core_next);
    }
    if (!any) return;
    if (next == kNever) report_deadlock();
    if (most_cycles != 0 && next >= most_cycles) {
      cycle_ = most_cycles;
      return;
    }
    cycle_ = next;
    services_.set_clock(cycle_);
    report_progress();
    choose_turns();
    for (const Turn& t : turns_) issue(*t.core, *t.scheduler, *t.warp, cycle_);
  }
}

// Decides which warps issue in this cycle: an issue affects other warps' turns only from the next cycle on. Thousands
// of warps do not fit in the host's caches, so each is prefetched.
void TimedMachine::choose_turns() {
  turns_.clear();
  for (auto& core : cores_) {
    if (core->next_event(cycle_) > cycle_) continue;
    for (Scheduler& s : core->schedulers) {
      if (s.free_at > cycle_ || s.warps.empty()) continue;
      ResidentWarp* const w = core->pick(s, cycle_, config_.greedy);
      if (w == nullptr) continue;
      __builtin_prefetch(w);
      turns_.push_back({core.get(), &s, w});
    }
  }
  for (const Turn& t : turns_) {
    t.warp->warp->prefetch();
    __builtin_prefetch(t.warp->next.data());
    __builtin_prefetch(t.warp->policy.get());
  }
  for (const Turn& t : turns_) {
    for (const Group& g : t.warp->next) {
      const ptx::Instruction& in = program_.code[g.pc];
      for (const ptx::Place p : {in.a, in.b, in.c, in.d}) {
        if (p == ptx::kNowhere || (p & 3) != ptx::kFrame) continue;
        // A row of 32 words is two cache lines.
        const uint32_t* const row = t.warp->warp->predicate_of(p, uint32_t(__builtin_ctz(g.lanes)));
        __builtin_prefetch(row);
        __builtin_prefetch(row + ptx::kLanes / 2);
      }
    }
  }
}

Statistics TimedMachine::run(const ptx::Launch& launch, uint64_t most_cycles) {
  begin(launch);
  run_cycles(most_cycles);
  // The cycle of the last instructions counts too.
  if (most_cycles == 0 || cycle_ < most_cycles) ++cycle_;
  for (auto& core : cores_) count_to(*core, cycle_);
  statistics_.cycles = cycle_;
  timeline_.finish(statistics_);
  cores_.clear();
  return statistics_;
}

void TimedMachine::report_deadlock() const {
  std::string text = "deadlock: no lane can continue";
  for (const auto& core : cores_) {
    for (const auto& w : core->warps) text += w->warp->state();
  }
  throw ptx::Fault(text);
}

}  // namespace brokkr::simt
