#include "simt/core.h"

#include <algorithm>

namespace brokkr::simt {

ResidentWarp* Core::pick(Scheduler& s, uint64_t cycle, bool greedy) {
  const size_t count = s.warps.size();
  ResidentWarp *chosen = nullptr, *held = nullptr;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t index = s.last + (greedy ? 0 : 1) + i;
    if (index >= count) index %= count;
    ResidentWarp* const w = s.warps[index];
    if (w->ready_at > cycle) continue;
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

// The least is known as soon as a warp is ready: the search begins at the one that is next in turn.
uint64_t Core::next_event(uint64_t after) const {
  uint64_t next = kNever;
  for (const Scheduler& s : schedulers) {
    const uint64_t least = std::max(s.free_at, after);
    if (least >= next) continue;
    const size_t count = s.warps.size();
    for (size_t i = 0; i < count; ++i) {
      const size_t at = s.last + 1 + i;
      const uint64_t ready = s.warps[at < count ? at : (at - count) % count]->ready_at;
      if (ready == kNever) continue;
      next = std::min(next, std::max(ready, least));
      if (next == least) break;
    }
  }
  return next;
}

void Core::add(std::unique_ptr<ResidentWarp> w) {
  const auto least = std::min_element(schedulers.begin(), schedulers.end(), [](const Scheduler& a, const Scheduler& b) {
    return a.warps.size() < b.warps.size();
  });
  least->warps.push_back(w.get());
  warps.push_back(std::move(w));
}

void Core::remove(const ResidentWarp* w) {
  for (Scheduler& s : schedulers) {
    const auto at = std::find(s.warps.begin(), s.warps.end(), w);
    if (at == s.warps.end()) continue;
    const size_t index = size_t(at - s.warps.begin());
    s.warps.erase(at);
    // The warp behind it is the next in turn.
    if (index <= s.last && s.last > 0) --s.last;
    if (s.last >= s.warps.size()) s.last = 0;
  }
  std::erase_if(warps, [&](const auto& each) { return each.get() == w; });
}

}  // namespace brokkr::simt
