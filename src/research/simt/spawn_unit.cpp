#include "simt/spawn_unit.h"

#include "ptx/program.h"

namespace brokkr::simt {

uint32_t SpawnUnit::places(uint32_t threads, uint32_t warp, uint32_t locations) {
  const uint32_t whole = (threads + warp - 1) / warp * warp;
  return 2 * (whole + (locations == 0 ? 0 : locations - 1) * warp);
}

// Each µ-kernel's overflow line is reserved before it is needed, so each takes two more warps.
SpawnUnit::SpawnUnit(uint32_t threads, uint32_t warp, uint32_t locations)
    : warp_(warp), memory_(places(threads, warp, locations) + 2 * locations * warp), used_(memory_.size() / warp) {}

uint32_t SpawnUnit::next_free() {
  const uint32_t count = uint32_t(used_.size());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = (free_ + i) % count;
    if (used_[at] != 0) continue;
    used_[at] = 1;  // reserved
    free_ = at + 1;
    return at * warp_;
  }
  throw ptx::Fault("spawn memory is full: more threads are alive than a core has room for");
}

std::vector<uint32_t> SpawnUnit::spawn(uint32_t pc, const std::vector<SpawnedThread>& threads) {
  const auto [at, fresh] = lines_.try_emplace(pc);
  Line& line = at->second;
  if (fresh) {
    line.first = next_free();
    line.second = next_free();
  }
  std::vector<uint32_t> where;
  for (const SpawnedThread& t : threads) {
    memory_[line.first] = t;
    where.push_back(line.first++);
    ++waiting_;
    if (++line.count < warp_) continue;
    waiting_ -= warp_;
    full_.push_back({pc, line.first - 1, warp_});
    line.first = line.second;
    line.count = 0;
    line.second = next_free();
  }
  return where;
}

FormedWarp SpawnUnit::read(const Full& warp) {
  FormedWarp formed{warp.pc, {}};
  for (uint32_t i = warp.last + 1 - warp.count; i <= warp.last; ++i) formed.threads.push_back(memory_[i]);
  used_[warp.last / warp_] = 0;
  return formed;
}

FormedWarp SpawnUnit::take() {
  const Full warp = full_.front();
  full_.pop_front();
  return read(warp);
}

FormedWarp SpawnUnit::flush() {
  for (auto& [pc, line] : lines_) {
    if (line.count == 0) continue;
    const FormedWarp formed = read({pc, line.first - 1, line.count});
    line.first = line.second;
    line.second = next_free();
    waiting_ -= line.count;
    line.count = 0;
    return formed;
  }
  return {};
}

}  // namespace brokkr::simt
