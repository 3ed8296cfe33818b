// One issue of a warp: an instruction for each of its groups.

#include <algorithm>

#include "ptx/memory.h"
#include "ptx/program.h"
#include "simt/timed_machine.h"

namespace brokkr::simt {

using ptx::Kind;
using ptx::Work;

// The cycle in which all registers that an instruction reads (with `results`: writes) are available.
uint64_t TimedMachine::operands_at(const ResidentWarp& w, uint32_t pc, bool results) const {
  uint64_t at = 0;
  for (const RegisterUse& u : uses_[pc]) {
    if (results == !u.is_read) at = std::max(at, w.board[u.number]);
  }
  return at;
}

// Threads in a function of the unit of fixed hardware: the unit takes one per cycle, in turn with other warps', and
// they take no issues. Returns the cycle in which the last of them has its result; `w.next` is what the warp issues
// then.
uint64_t TimedMachine::pass_unit(Core& core, ResidentWarp& w, uint64_t cycle) {
  const auto is_inside = [&](const Group& g) { return in_unit_[g.pc]; };
  uint32_t passed = 0;
  while (std::any_of(w.next.begin(), w.next.end(), is_inside)) {
    for (const Group& g : w.next) {
      if (!is_inside(g)) continue;
      passed |= g.lanes;
      w.warp->issue(g.lanes);
      w.policy->moved(*w.warp, g);
    }
    w.next.clear();
    w.policy->choose(*w.warp, w.next);
  }
  if (passed == 0) return cycle;
  const uint32_t threads = uint32_t(__builtin_popcount(passed));
  statistics_.fixed += threads;
  const uint64_t begin = std::max(cycle, core.fixed_free);
  core.fixed_free = begin + threads;
  return begin + threads - 1 + config_.fixed.depth;
}

// Determines what the warp issues next, and the earliest cycle for that.
void TimedMachine::prepare(Core& core, ResidentWarp& w, uint64_t cycle) {
  const uint64_t wakes = w.warp->wake();
  w.next.clear();
  w.sleeps = w.held = false;
  w.policy->choose(*w.warp, w.next);
  if (config_.fixed.depth != 0) cycle = pass_unit(core, w, cycle);
  if (w.next.empty()) {
    w.sleeps = wakes != kNever;
    core.set_ready(w, w.sleeps ? std::max(wakes, cycle) : kNever);
    return;
  }
  uint64_t ready = cycle;
  if (config_.overlap) {
    for (const Group& g : w.next) ready = std::max({ready, operands_at(w, g.pc, false), operands_at(w, g.pc, true)});
  }
  core.set_ready(w, ready);
  if (spawns_ && w.next.size() == 1 && intrinsic_at(w.next[0].pc) == Intrinsic::diverge)
    hold(core, w, w.next[0], cycle);
}

// Returns the cycle in which the result is available.
uint64_t TimedMachine::execute(Core& core, ResidentWarp& w, const Group& g, uint64_t cycle) {
  const ptx::Instruction& in = program_.code[g.pc];
  const ptx::Traits& t = program_.traits[g.pc];
  const uint32_t active = w.warp->guarded(in, g.lanes);
  const Latencies& l = config_.latency;
  uint64_t done = cycle;
  switch (t.work) {
    case Work::integer: done += l.integer; break;
    case Work::multiply: done += l.multiply; break;
    case Work::floating: done += l.floating; break;
    case Work::special: done += l.special; break;
    case Work::divide: done += l.divide; break;
    case Work::doubles: done += l.doubles; break;
    case Work::control: done += l.control; break;
    case Work::collective: done += l.collective; break;
    case Work::fence: done += l.load; break;
    case Work::load:
    case Work::store:
    case Work::atomic:
      done = active == 0 || t.bytes == 0 ? cycle + l.integer : access_done(core, *w.warp, g.pc, active, cycle);
      break;
  }
  core_ = &core, warp_ = &w;
  w.warp->issue(g.lanes);
  if (!requests_.empty()) done = std::max(done, finish_spawn(core, cycle));
  w.policy->moved(*w.warp, g);
  if (config_.overlap) {
    for (const RegisterUse& u : uses_[g.pc]) {
      if (!u.is_read) w.board[u.number] = std::max(w.board[u.number], done);
    }
  }
  ++statistics_.instructions;
  statistics_.lanes += uint64_t(__builtin_popcount(g.lanes));
  if (on_issue) on_issue({cycle, core.number, w.age, g});
  return done;
}

void TimedMachine::issue(Core& core, Scheduler& s, ResidentWarp& w, uint64_t cycle) {
  count_to(core, s, cycle);
  if (w.sleeps) return prepare(core, w, cycle);
  if (w.held) {
    // If no other warp can issue, the one that has waited longest continues.
    w.held = false;
    w.spawns = core.model.leave(w.held_pc, w.held_threads[0], w.held_threads[1]);
    ++(w.spawns ? statistics_.diverge_spawn : statistics_.diverge_pdom);
  }
  const uint32_t live = w.warp->live();
  uint64_t done = cycle;
  uint32_t lanes = 0;
  bool meets = false, jumps = false;
  for (const Group& g : w.next) {
    const ptx::Instruction& in = program_.code[g.pc];
    meets |= in.kind == Kind::barrier || in.kind == Kind::end || in.kind == Kind::leave;
    jumps |= in.kind != Kind::plain && in.kind != Kind::collective;
    lanes += uint32_t(__builtin_popcount(g.lanes));
    done = std::max(done, execute(core, w, g, cycle));
  }
  const uint32_t takes = config_.issue_cycles();
  ++statistics_.steps;
  lanes = std::clamp(w.at_work, 1u, lanes);
  statistics_.worked += lanes;
  timeline_.count_range(cycle, cycle + takes, occupancy_class(lanes * 32 / config_.warp), 1);
  core.take_turn(s, cycle + takes);
  // Without a scoreboard, a warp has one instruction in flight. With one, only jumps delay the next instruction.
  const uint64_t next = std::max(cycle + takes, !config_.overlap || jumps ? done : cycle + takes);
  ResidentBlock& block = *w.block;
  const uint32_t died = live & ~w.warp->live();
  for (uint32_t m = spawns_ ? died & ~w.spawned_from : 0; m != 0; m &= m - 1)
    core.free_slots.push_back(w.threads[__builtin_ctz(m)].slot);
  if (w.warp->ended()) {
    retire(core, w, cycle);
  } else {
    prepare(core, w, next);
  }
  if (meets || died != 0) wake_block(core, block, next);
  if (block.warps_left == 0) std::erase_if(core.blocks, [&](const auto& b) { return b.get() == &block; });
}

// A barrier may have released warps of the block.
void TimedMachine::wake_block(Core& core, const ResidentBlock& block, uint64_t cycle) {
  for (auto& other : core.warps) {
    if (other->block != &block || core.ready_at(*other) != kNever || other->warp->ready() == 0) continue;
    other->policy->met(*other->warp);
    prepare(core, *other, cycle);
  }
}

void TimedMachine::retire(Core& core, ResidentWarp& w, uint64_t cycle) {
  // Until this cycle, the schedulers did not idle for lack of warps.
  if (core.warps.size() == 1) count_to(core, cycle);
  ResidentBlock& block = *w.block;
  --block.warps_left;
  core.has_room = true;
  // The threads of a block leave together if blocks are scheduled as a whole.
  const bool whole_blocks = config_.block_scheduling && !block.spawned;
  if (!whole_blocks) core.threads -= config_.warp;
  if (block.warps_left == 0 && !block.spawned) {
    core.shared -= program_.static_shared + launch_->dynamic_shared;
    --core.launched_blocks;
    if (whole_blocks) core.threads -= uint32_t(block.block->warps.size()) * config_.warp;
  }
  core.remove(&w);
}

// Times of memory accesses: on chip, in spawn memory, or off chip.

namespace {

using ptx::Space;
using ptx::Work;

constexpr uint32_t kTransferBytes = 128;  // moved by the on-chip memory per cycle without conflicts

// The device address of a thread's local memory: interleaved word by word with that of the other lanes.
uint64_t interleaved(const ptx::Warp& warp, uint32_t lane, uint64_t address) {
  const uint64_t offset = address - warp.local_begin(lane), first = warp.local_begin(0);
  return first + offset / 4 * (4 * ptx::kLanes) + lane * 4 + offset % 4;
}

AccessKind kind_of(Work work) {
  return work == Work::load ? AccessKind::load : work == Work::store ? AccessKind::store : AccessKind::atomic;
}

}  // namespace

void TimedMachine::count_request(const ptx::Traits& t, uint64_t lanes) {
  const uint64_t bytes = lanes * t.bytes;
  if (t.work != Work::store) statistics_.requested_read += bytes;
  if (t.work != Work::load) statistics_.requested_written += bytes;
}

// The unit starts an access after it has accepted the previous one.
uint64_t TimedMachine::on_chip(Core& core, const std::vector<uint64_t>& addresses, const ptx::Traits& t, bool conflicts,
                               uint64_t cycle) {
  const uint32_t whole = std::max<uint32_t>(1, uint32_t(addresses.size()) * t.bytes / kTransferBytes);
  uint32_t turns =
      conflicts && config_.memory.banks != 0 ? bank_cycles(addresses, t.bytes, config_.memory.banks) : whole;
  if (t.work == Work::atomic) turns = std::max(turns, memory_->atomic_turns(addresses));
  const uint64_t begin = config_.memory.unit_per_lane ? cycle : std::max(cycle, core.unit_free);
  core.unit_free = begin + turns;
  statistics_.conflicts += turns > whole ? turns - whole : 0;
  return begin + turns - 1 + config_.latency.shared;
}

uint64_t TimedMachine::access_done(Core& core, const ptx::Warp& warp, uint32_t pc, uint32_t lanes, uint64_t cycle) {
  const ptx::Instruction& in = program_.code[pc];
  const ptx::Traits& t = program_.traits[pc];
  // In a program compiled for a device, call parameters are registers.
  if (t.space == Space::parameter || t.space == Space::constant) return cycle + config_.latency.constant;
  const ptx::Memory& all = ptx::Memory::instance();
  auto& [shared, spawn, far] = places_;
  for (auto* const each : {&shared, &spawn, &far}) each->clear();
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    const uint64_t address = warp.address_of(in, t, l);
    if (t.space == Space::shared) {
      shared.push_back(address);
    } else if (address - reinterpret_cast<uint64_t>(spawn_begin_) < spawn_bytes_) {
      spawn.push_back(address);
    } else {
      const uint32_t kind = all.range_of(address).kind;
      if (kind == ptx::kSharedRange) {
        shared.push_back(address);
      } else {
        far.push_back(kind == ptx::kLocalRange ? interleaved(warp, l, address) : address);
      }
    }
  }
  uint64_t done = cycle;
  if (!shared.empty()) done = std::max(done, on_chip(core, shared, t, true, cycle));
  if (!spawn.empty()) {
    Traffic& traffic = statistics_.spawn;
    (t.work == Work::load ? traffic.read : traffic.written) += spawn.size() * t.bytes;
    count_request(t, spawn.size());
    if (spawn_on_chip_) {
      done = std::max(done, on_chip(core, spawn, t, config_.spawn.conflicts, cycle));
    } else {
      far.insert(far.end(), spawn.begin(), spawn.end());
    }
  }
  if (far.empty()) return done;
  if (spawn.empty() || spawn_on_chip_) count_request(t, far.size());
  const uint64_t begin = std::max(cycle, core.unit_free);
  const bool ideal = config_.memory.instant || config_.memory.unit_per_lane;
  core.unit_free = begin;
  if (!ideal) {
    coalesce(far, t.bytes, config_.memory.line, addresses_);
    core.unit_free += addresses_.size();
  }
  const uint64_t arrives = memory_->access(core.number, kind_of(t.work), far, t.bytes, ideal ? cycle : begin);
  // Nothing waits for a store.
  const uint64_t answered = t.work == Work::store ? cycle : arrives;
  return std::max(done, answered + config_.latency.load);
}

}  // namespace brokkr::simt
