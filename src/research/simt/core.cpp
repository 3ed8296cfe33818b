#include "simt/core.h"

#include <algorithm>

namespace brokkr::simt {

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

// A ready warp gives the minimum at once: the search begins at the warp whose turn is next.
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
