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
  if (kernel.min_blocks == 0) return all;
  return std::min(all, std::max(1u, config_.registers / (kernel.max_threads * kernel.min_blocks)));
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

void TimedMachine::run_cycles(uint64_t max_cycles) {
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
    if (max_cycles != 0 && next >= max_cycles) {
      cycle_ = max_cycles;
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

Statistics TimedMachine::run(const ptx::Launch& launch, uint64_t max_cycles) {
  begin(launch);
  run_cycles(max_cycles);
  // The cycle of the last instructions counts too.
  if (max_cycles == 0 || cycle_ < max_cycles) ++cycle_;
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

// Filling of cores: with blocks of the launch, with their warps, and with warps of spawned threads.

namespace {

constexpr uint32_t kPointerBytes = 4;  // bytes of a state's address in the formation memory

}  // namespace

void TimedMachine::begin(const ptx::Launch& launch) {
  cores_.clear();
  statistics_ = {};
  timeline_ = {};
  launch_ = &launch;
  spawns_ = spawns(*launch.kernel);
  next_block_ = ages_ = cycle_ = reported_ = 0;
  memory_ = std::make_unique<MemoryModel>(config_, statistics_);
  const uint32_t by_registers = config_.registers / registers_of_thread(*launch.kernel);
  max_threads_ = std::min(config_.threads, by_registers) / config_.warp * config_.warp;
  const uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  const uint32_t needed = (threads + config_.warp - 1) / config_.warp * config_.warp;
  const uint32_t shared = launch.program->static_shared + launch.dynamic_shared;
  if (max_threads_ < config_.warp || (config_.block_scheduling && needed > max_threads_)) {
    throw ptx::Fault("a block of " + std::to_string(threads) + " threads with " +
                     std::to_string(registers_of_thread(*launch.kernel)) + " registers does not fit a core of " +
                     config_.name);
  }
  if (shared > config_.shared)
    throw ptx::Fault("a block with " + std::to_string(shared) + " bytes of shared memory does not fit a core of " +
                     config_.name);
  for (uint32_t i = 0; i < config_.cores; ++i)
    cores_.push_back(std::make_unique<Core>(i, config_.schedulers, config_.warp));
  if (spawns_) make_spawn_memory();
}

// Reserves the states of all threads that a core can hold, and the warps being formed. The part that exceeds the
// on-chip memory is off chip [Steffen12, 5.5].
void TimedMachine::make_spawn_memory() {
  if (config_.spawn.bytes == 0)
    throw ptx::Fault("the kernel spawns threads, and " + config_.name + " has no spawn memory (spawn.bytes)");
  core_spawn_bytes_ = uint64_t(max_threads_) * config_.spawn.state_bytes;
  const uint64_t formation = uint64_t(SpawnUnit::places(max_threads_, config_.warp, locations_)) * kPointerBytes;
  spawn_on_chip_ = core_spawn_bytes_ + formation <= config_.spawn.bytes;
  spawn_bytes_ = core_spawn_bytes_ * config_.cores;
  ptx::Memory::instance().free(spawn_begin_);
  spawn_begin_ =
      static_cast<uint8_t*>(ptx::Memory::instance().allocate(spawn_bytes_, ptx::kGlobalRange, nullptr, true));
  if (spawn_begin_ == nullptr) throw ptx::Fault("no memory for the states of threads");
  for (auto& core : cores_) {
    core->spawn = std::make_unique<SpawnUnit>(max_threads_, config_.warp, locations_);
    for (uint32_t slot = max_threads_; slot-- > 0;) core->free_slots.push_back(slot);
  }
}

uint32_t TimedMachine::free_threads(const Core& core) const { return max_threads_ - core.threads; }

void TimedMachine::place(Core& core, ResidentBlock& block, uint32_t number, uint64_t cycle) {
  ptx::Warp& warp = block.block->warps[number];
  auto w = std::make_unique<ResidentWarp>();
  w->warp = &warp;
  w->block = &block;
  w->whole = warp.live();
  w->age = ages_++;
  w->policy = make_policy(config_.policy, config_.ways, flow_, warp.live());
  if (config_.overlap) w->board.assign(names_.count(), 0);
  core.threads += config_.warp;
  ResidentWarp& resident = *w;
  core.add(std::move(w));
  if (spawns_ && !block.spawned) {
    const uint32_t first = number * config_.warp;
    for (uint32_t l = 0; l < config_.warp; ++l) {
      if ((resident.whole >> l & 1) == 0) continue;
      const uint32_t slot = core.free_slots.back();
      core.free_slots.pop_back();
      const uint64_t state = reinterpret_cast<uint64_t>(spawn_begin_) + core.number * core_spawn_bytes_ +
                             uint64_t(slot) * config_.spawn.state_bytes;
      resident.threads[l] = {state, {block.block->number, first + l}, slot};
    }
  }
  prepare(core, resident, cycle);
}

// Partial warps start when all threads of the launch have ended, no warp is full, and the core has none that it could
// issue [Steffen12, 5.4].
bool TimedMachine::can_flush(const Core& core, uint64_t cycle) const {
  if (core.spawn == nullptr || core.spawn->has_warp() || !core.spawn->has_part()) return false;
  if (next_block_ < launch_->blocks() || core.launched_blocks != 0) return core.warps.empty() && core.waiting.empty();
  return core.next_event(cycle) > cycle;
}

// Spawned threads have priority [Steffen12, 5.4].
bool TimedMachine::add_spawned(Core& core, uint64_t cycle) {
  if (core.spawn == nullptr || free_threads(core) < config_.warp) return false;
  if (!core.spawn->has_warp() && !can_flush(core, cycle)) return false;
  const bool whole = core.spawn->has_warp();
  FormedWarp formed = whole ? core.spawn->take() : core.spawn->flush();
  ++statistics_.spawned_warps;
  if (!whole) ++statistics_.flushed_warps;
  auto block = std::make_unique<ResidentBlock>();
  block->launch = std::make_unique<ptx::Launch>(*launch_);
  block->launch->kernel = &program_.function_at(formed.pc);
  block->spawned = true;
  block->warps_left = 1;
  const uint32_t count = uint32_t(formed.threads.size());
  block->block = std::make_unique<ptx::Block>(services_, *block->launch, formed.threads[0].identity.block, count);
  ptx::Warp& warp = block->block->warps.front();
  for (uint32_t l = 0; l < count; ++l)
    warp.identify(*launch_, l, formed.threads[l].identity.block, formed.threads[l].identity.thread);
  core.blocks.push_back(std::move(block));
  place(core, *core.blocks.back(), 0, cycle);
  std::copy(formed.threads.begin(), formed.threads.end(), core.warps.back()->threads);
  return true;
}

// Places warps of blocks that have started.
void TimedMachine::place_warps(Core& core, uint64_t cycle) {
  while (!core.waiting.empty() && free_threads(core) >= config_.warp &&
         (!spawns_ || core.free_slots.size() >= config_.warp)) {
    const auto [block, number] = core.waiting.front();
    core.waiting.erase(core.waiting.begin());
    place(core, *block, number, cycle);
  }
}

bool TimedMachine::add_block(Core& core, uint64_t cycle) {
  if (next_block_ >= launch_->blocks() || !core.waiting.empty()) return false;
  const uint32_t threads = launch_->block[0] * launch_->block[1] * launch_->block[2];
  const uint32_t warps = (threads + config_.warp - 1) / config_.warp;
  const uint32_t shared = program_.static_shared + launch_->dynamic_shared;
  const uint32_t room = config_.block_scheduling ? warps * config_.warp : config_.warp;
  if (free_threads(core) < room || core.shared + shared > config_.shared) return false;
  if (config_.block_scheduling && core.launched_blocks >= config_.blocks) return false;
  if (spawns_ && core.free_slots.size() < room) return false;
  auto block = std::make_unique<ResidentBlock>();
  block->block = std::make_unique<ptx::Block>(services_, *launch_, uint32_t(next_block_++));
  block->warps_left = warps;
  core.shared += shared;
  ++core.launched_blocks;
  statistics_.launched += threads;
  for (uint32_t i = 0; i < warps; ++i) core.waiting.emplace_back(block.get(), i);
  core.blocks.push_back(std::move(block));
  place_warps(core, cycle);
  return true;
}

bool TimedMachine::fill(Core& core, uint64_t cycle) {
  bool any = false;
  while (core.spawn != nullptr && core.spawn->has_warp() && add_spawned(core, cycle)) any = true;
  place_warps(core, cycle);
  // One block per turn, so that the first blocks are spread over all cores.
  if (add_block(core, cycle)) {
    core.has_room = true;
    return true;
  }
  return (can_flush(core, cycle) && add_spawned(core, cycle)) || any;
}

// One issue of a warp: an instruction for each of its groups.

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

// Threads in a function that the unit of fixed hardware executes: the unit takes one thread per cycle, in turn with
// other warps, and these threads take no issues. Returns the cycle in which the last of them has its result; `w.next`
// is what the warp issues then.
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

// Requests of programs to the machine: spawning threads, and decisions at branches.

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
