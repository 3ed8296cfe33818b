#include "simt/core.h"

#include <algorithm>

#include "ptx/program.h"

namespace brokkr::simt {

uint64_t stack_cost(const BranchCost& cost, const BranchCount& count) {
  return uint64_t(count.warps) * (uint64_t(cost.path1) + cost.path2 + cost.after);
}

// Threads are spawned twice: at the start of their path, and where the paths meet.
uint64_t spawn_cost(const BranchCost& cost, const BranchCount& count, uint32_t warp) {
  const auto warps_of = [&](uint32_t threads) { return uint64_t((threads + warp - 1) / warp); };
  const uint64_t one = warps_of(count.threads1), two = warps_of(count.threads2);
  const uint64_t paths = one * (uint64_t(cost.path1) + cost.after) + two * (uint64_t(cost.path2) + cost.after);
  const uint64_t out = uint64_t(count.warps) * cost.store + (one + two) * cost.restore;
  const uint64_t back = (one + two) * (uint64_t(cost.store) + cost.restore);
  return paths + out + back;
}

void DivergenceModel::arrive(uint32_t pc, const BranchCost& cost, uint32_t threads1, uint32_t threads2) {
  Line& line = lines_[pc];
  line.cost = cost;
  ++line.count.warps;
  line.count.threads1 += threads1;
  line.count.threads2 += threads2;
  line.spawns = spawn_cost(line.cost, line.count, warp_) < stack_cost(line.cost, line.count);
}

bool DivergenceModel::leave(uint32_t pc, uint32_t threads1, uint32_t threads2) {
  Line& line = lines_[pc];
  --line.count.warps;
  line.count.threads1 -= threads1;
  line.count.threads2 -= threads2;
  return line.spawns;
}

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
  throw ptx::Fault("spawn memory is full: more threads are alive than fit a core");
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

ResidentWarp* Core::pick(Scheduler& s, uint64_t cycle, bool greedy) {
  const size_t count = s.warps.size();
  ResidentWarp *chosen = nullptr, *held = nullptr;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t index = s.last + (greedy ? 0 : 1) + i;
    if (index >= count) index -= count;
    if (s.ready[index] > cycle) continue;
    ResidentWarp* const w = s.warps[index];
    if (w->held) {
      if (held == nullptr || w->held_since < held->held_since) held = w;
      continue;
    }
    if (greedy && i > 0 && chosen != nullptr && chosen->age < w->age) continue;
    chosen = w, at = index;
    if (!greedy || i == 0) break;
  }
  if (chosen != nullptr) {
    s.last = at;
    return chosen;
  }
  return held;
}

uint64_t Core::next_event(uint64_t after) const {
  if (has_changed_) next_event_ = find_event(after);
  has_changed_ = false;
  return std::max(next_event_, after);
}

// A ready warp is the minimum, so the search begins at the warp whose turn is next.
uint64_t Core::find_event(uint64_t after) const {
  uint64_t next = kNever;
  for (const Scheduler& s : schedulers) {
    const uint64_t least = std::max(s.free_at, after);
    if (least >= next) continue;
    const size_t count = s.warps.size();
    for (size_t i = 0; i < count; ++i) {
      const size_t at = s.last + 1 + i;
      const uint64_t ready = s.ready[at < count ? at : at - count];
      if (ready == kNever) continue;
      next = std::min(next, std::max(ready, least));
      if (next == least) break;
    }
    if (next == after) break;
  }
  return next;
}

void Core::set_ready(const ResidentWarp& w, uint64_t cycle) {
  schedulers[w.scheduler].ready[w.place] = cycle;
  has_changed_ = true;
}

void Core::take_turn(Scheduler& s, uint64_t until) {
  s.free_at = s.counted_to = until;
  has_changed_ = true;
}

void Core::add(std::unique_ptr<ResidentWarp> w) {
  const auto least = std::min_element(schedulers.begin(), schedulers.end(), [](const Scheduler& a, const Scheduler& b) {
    return a.warps.size() < b.warps.size();
  });
  w->scheduler = uint32_t(least - schedulers.begin());
  w->place = uint32_t(least->warps.size());
  least->warps.push_back(w.get());
  least->ready.push_back(kNever);
  warps.push_back(std::move(w));
  has_changed_ = true;
}

void Core::remove(const ResidentWarp* w) {
  Scheduler& s = schedulers[w->scheduler];
  s.warps.erase(s.warps.begin() + w->place);
  s.ready.erase(s.ready.begin() + w->place);
  for (size_t i = w->place; i < s.warps.size(); ++i) s.warps[i]->place = uint32_t(i);
  // The warp after it has the next turn.
  if (w->place <= s.last && s.last > 0) --s.last;
  if (s.last >= s.warps.size()) s.last = 0;
  has_changed_ = true;
  std::erase_if(warps, [&](const auto& each) { return each.get() == w; });
}

}  // namespace brokkr::simt
