// Fills a core: with blocks of the launch, with their warps, and with warps of spawned threads.
#include <algorithm>

#include "ptx/memory.h"
#include "ptx/program.h"
#include "simt/timed_machine.h"

namespace brokkr::simt {
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
  threads_most_ = std::min(config_.threads, by_registers) / config_.warp * config_.warp;
  const uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  const uint32_t needed = (threads + config_.warp - 1) / config_.warp * config_.warp;
  const uint32_t shared = launch.program->static_shared + launch.dynamic_shared;
  if (threads_most_ < config_.warp || (config_.block_scheduling && needed > threads_most_)) {
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

// Reserves the states of all threads that a core can hold, and the warps being formed. What exceeds the on-chip memory
// is placed off chip [Steffen12, 5.5].
void TimedMachine::make_spawn_memory() {
  if (config_.spawn.bytes == 0)
    throw ptx::Fault("the kernel spawns threads, and " + config_.name + " has no spawn memory (spawn.bytes)");
  core_spawn_bytes_ = uint64_t(threads_most_) * config_.spawn.state_bytes;
  const uint64_t formation = uint64_t(SpawnUnit::places(threads_most_, config_.warp, locations_)) * kPointerBytes;
  spawn_on_chip_ = core_spawn_bytes_ + formation <= config_.spawn.bytes;
  spawn_bytes_ = core_spawn_bytes_ * config_.cores;
  ptx::Memory::instance().free(spawn_begin_);
  spawn_begin_ =
      static_cast<uint8_t*>(ptx::Memory::instance().allocate(spawn_bytes_, ptx::kGlobalRange, nullptr, true));
  if (spawn_begin_ == nullptr) throw ptx::Fault("no memory for the states of threads");
  for (auto& core : cores_) {
    core->spawn = std::make_unique<SpawnUnit>(threads_most_, config_.warp, locations_);
    for (uint32_t slot = threads_most_; slot-- > 0;) core->free_slots.push_back(slot);
  }
}

uint32_t TimedMachine::free_threads(const Core& core) const { return threads_most_ - core.threads; }

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

}  // namespace brokkr::simt
