// Requests of programs to the machine: spawning threads, and decisions at branches.
#include <algorithm>

#include "ptx/memory.h"
#include "ptx/program.h"
#include "simt/timed_machine.h"

namespace brokkr::simt {
namespace {

struct NamedIntrinsic {
  const char* name;
  Intrinsic intrinsic;
};
constexpr NamedIntrinsic kIntrinsics[] = {
    {"brokkr_simt_spawn", Intrinsic::spawn},     {"brokkr_simt_state", Intrinsic::state},
    {"brokkr_simt_diverge", Intrinsic::diverge}, {"brokkr_simt_reconverge", Intrinsic::reconverge},
    {"brokkr_simt_lanes", Intrinsic::lanes},
};

}  // namespace

void TimedMachine::find_intrinsics() {
  for (const ptx::CallSite& site : program_.calls) {
    const std::string& name = program_.functions[site.function].name;
    Intrinsic which = Intrinsic::none;
    for (const NamedIntrinsic& each : kIntrinsics) {
      if (name == each.name) which = each.intrinsic;
    }
    if (site.builtin == ptx::Builtin::foreign && which == Intrinsic::none)
      throw std::runtime_error("function " + name + " is not a function of the SIMT machine");
    intrinsics_.push_back(which);
  }
  // Any kernel may be a spawn target.
  for (const ptx::Function& f : program_.functions) locations_ += f.entry && f.defined;
  in_unit_.resize(program_.code.size());
  for (const ptx::Function& f : program_.functions) {
    if (is_of_unit(f)) std::fill(in_unit_.begin() + f.begin, in_unit_.begin() + f.end, true);
  }
}

bool TimedMachine::is_of_unit(const ptx::Function& f) const {
  return config_.fixed.depth != 0 && f.defined && !f.entry && f.name.find("fixed_unit_") != std::string::npos;
}

bool TimedMachine::spawns(const ptx::Function& kernel) const {
  for (uint32_t pc = kernel.begin; pc < kernel.end; ++pc) {
    if (intrinsic_at(pc) == Intrinsic::spawn) return true;
  }
  return false;
}

Intrinsic TimedMachine::intrinsic_at(uint32_t pc) const {
  const ptx::Instruction& in = program_.code[pc];
  return in.kind == ptx::Kind::call ? intrinsics_[in.target] : Intrinsic::none;
}

const ptx::Function& TimedMachine::kernel_named(const ptx::Warp& warp, const ptx::Instruction& in, uint32_t lane,
                                                uint64_t address) {
  const ptx::Range& r = ptx::Memory::instance().range_of(address);
  std::string name;
  for (; address >= r.begin && address < r.end; ++address) {
    const char c = *reinterpret_cast<const char*>(address);
    if (c == '\0') break;
    name += c;
  }
  const ptx::Function* f = program_.find(name);
  if (f == nullptr || !f->entry || !f->defined)
    warp.fail(in, 1u << lane, "spawn: '" + name.substr(0, 80) + "' is not a kernel of the program");
  return *f;
}

// diverge(predicate, path1, path2, after, store, restore): a warp whose threads agree continues immediately.
void TimedMachine::hold(Core& core, ResidentWarp& w, const Group& g, uint64_t cycle) {
  const ptx::Instruction& in = program_.code[g.pc];
  uint32_t taken = 0;
  for (uint32_t m = g.lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    taken += uint32_t(w.warp->argument_of(in, l, 0) & 0xffffffff) != 0;
  }
  const uint32_t first = uint32_t(__builtin_ctz(g.lanes)), all = uint32_t(__builtin_popcount(g.lanes));
  w.spawns = false;
  if (taken == 0 || taken == all) return;
  const auto number = [&](size_t i) { return uint32_t(w.warp->argument_of(in, first, i)); };
  w.held = true;
  w.held_pc = g.pc;
  w.held_since = cycle;
  w.held_threads[0] = taken;
  w.held_threads[1] = all - taken;
  core.model.arrive(g.pc, {number(1), number(2), number(3), number(4), number(5)}, taken, all - taken);
}

uint64_t TimedMachine::call(ptx::Warp& warp, const ptx::Instruction& in, uint32_t lane, const uint64_t* arguments) {
  switch (intrinsics_[in.target]) {
    case Intrinsic::spawn: {
      if ((warp_->spawned_from >> lane & 1) != 0)
        warp.fail(in, 1u << lane, "spawn: a thread may spawn only one thread, which continues in its place");
      SpawnedThread thread = warp_->threads[lane];
      thread.state = arguments[1];
      // Usually a lane names the same kernel as the lane before it.
      const bool again = !requests_.empty() && requests_.back().name == arguments[0];
      const uint32_t pc = again ? requests_.back().pc : kernel_named(warp, in, lane, arguments[0]).begin;
      requests_.push_back({arguments[0], pc, thread});
      warp_->spawned_from |= 1u << lane;
      return 0;
    }
    case Intrinsic::state:
      if (!spawns_) warp.fail(in, 1u << lane, "state: only programs that spawn threads have states");
      return warp_->threads[lane].state;
    case Intrinsic::diverge: return warp_->spawns;
    // Returns 1 if threads of the warp have left it, or if it is a spawned warp that started before it was full.
    case Intrinsic::reconverge: {
      const uint32_t whole = warp_->block->spawned ? ptx::kAllLanes >> (ptx::kLanes - config_.warp) : warp_->whole;
      return warp_->warp->live() != whole || warp_->spawned_from != 0;
    }
    case Intrinsic::lanes: warp_->at_work = uint32_t(arguments[0]); return 0;
    case Intrinsic::none: break;
  }
  return 0;
}

// Stores the pointers of all threads that an instruction spawned, at consecutive places.
uint64_t TimedMachine::finish_spawn(Core& core, uint64_t cycle) {
  const auto is_before = [](const Request& a, const Request& b) { return a.pc < b.pc; };
  if (!std::is_sorted(requests_.begin(), requests_.end(), is_before))
    std::stable_sort(requests_.begin(), requests_.end(), is_before);
  uint64_t done = cycle;
  for (size_t i = 0; i < requests_.size();) {
    const uint32_t pc = requests_[i].pc;
    threads_.clear();
    for (; i < requests_.size() && requests_[i].pc == pc; ++i) threads_.push_back(requests_[i].thread);
    addresses_.clear();
    for (const uint32_t place : core.spawn->spawn(pc, threads_)) addresses_.push_back(uint64_t(place) * 4);
    const ptx::Traits store{ptx::Work::store, ptx::Space::shared, 4, false};
    done = std::max(done, on_chip(core, addresses_, store, config_.spawn.conflicts, cycle));
    statistics_.spawn.written += threads_.size() * 4;
    statistics_.requested_written += threads_.size() * 4;
  }
  statistics_.spawned += requests_.size();
  requests_.clear();
  core.has_room = true;
  return done;
}

}  // namespace brokkr::simt
