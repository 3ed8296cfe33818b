// Times of memory accesses: on chip, in spawn memory, or off chip.
#include <algorithm>

#include "ptx/memory.h"
#include "ptx/program.h"
#include "simt/timed_machine.h"

namespace brokkr::simt {
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
  // Call parameters are registers in a program compiled for a device.
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
