#include "ptx/races.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "ptx/memory.h"
#include "ptx/program.h"

namespace brokkr::ptx {
namespace {

constexpr uint32_t kMaxReports = 20;
constexpr uint32_t kAnyStep = ~0u;

uint64_t address_of(const uint8_t* at) { return reinterpret_cast<uint64_t>(at); }

}  // namespace

// The later epoch includes everything in the earlier one.
void Races::join(Clock& clock, const Clock& other) {
  if (clock.epoch != other.epoch) {
    if (clock.epoch < other.epoch) clock = other;
  } else if (clock.lanes == other.lanes) {
    clock.step = std::max(clock.step, other.step);
  } else if (clock.lanes == 0) {
    clock = other;
  } else if (other.lanes != 0) {
    clock.lanes |= other.lanes;
    clock.step = kAnyStep;
  }
}

void Races::join(View& view, const View& other) {
  if (view.size() < other.size()) view.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) {
    if (view[i] != other[i]) join(view[i], other[i]);
  }
}

uint32_t Races::add_warp(uint32_t block) {
  uint32_t warp = uint32_t(warps_.size());
  if (free_.empty()) {
    warps_.emplace_back();
  } else {
    warp = free_.back();
    free_.pop_back();
  }
  WarpState& w = warps_[warp];
  w.block = block;
  ++w.epoch;
  w.view.clear();
  w.parted = 0;
  for (uint32_t l = 0; l < kLanes; ++l) w.fenced[l] = nullptr, w.pending[l] = nullptr;
  return warp;
}

const Races::View& Races::view_of(const WarpState& w, uint32_t lane) const {
  return (w.parted >> lane & 1) != 0 ? w.lane_views[lane] : w.view;
}

Races::View Races::released(WarpState& w, uint32_t warp, uint32_t lane) {
  View view = view_of(w, lane);
  if (view.size() <= warp) view.resize(warp + 1);
  join(view[warp], {w.epoch, 1u << lane, w.steps[lane]++});
  return view;
}

void Races::acquire(WarpState& w, uint32_t lane, const View& message) {
  if ((w.parted >> lane & 1) == 0) {
    w.lane_views[lane] = w.view;
    w.parted |= 1u << lane;
  }
  join(w.lane_views[lane], message);
}

void Races::meet_warp(uint32_t warp, uint32_t lanes) {
  WarpState& w = warps_[warp];
  for (uint32_t m = lanes & w.parted; m != 0; m &= m - 1) join(w.view, w.lane_views[__builtin_ctz(m)]);
  w.parted &= ~lanes;
  ++w.epoch;
}

void Races::arrive(uint32_t warp, uint32_t lanes, View& joined) {
  meet_warp(warp, lanes);
  WarpState& w = warps_[warp];
  join(joined, w.view);
  if (joined.size() <= warp) joined.resize(warp + 1);
  join(joined[warp], {w.epoch, 0, 0});
}

void Races::depart(uint32_t warp, const View& joined) {
  WarpState& w = warps_[warp];
  join(w.view, joined);
  for (uint32_t m = w.parted; m != 0; m &= m - 1) join(w.lane_views[__builtin_ctz(m)], joined);
}

Races::Word& Races::word_of(uint64_t address) {
  const uint64_t number = address / 4 / kPageWords;
  if (number != last_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_number_ = number;
    last_page_ = page.get();
  }
  return last_page_->words[address / 4 % kPageWords];
}

void Races::begin_shared(const uint8_t* shared, uint32_t bytes) {
  for (uint64_t a = address_of(shared); a < address_of(shared) + bytes; a += 4) {
    Word& word = word_of(a);
    word = Word();
    word.is_shared = true;
  }
}

Races::Access Races::access_of(const Who& who, uint8_t bytes, uint8_t mode) const {
  Access a;
  const WarpState& w = warps_[who.warp];
  a.epoch = w.epoch, a.step = w.steps[who.lane], a.pc = who.pc;
  a.lanes = 1u << who.lane;
  a.warp = uint16_t(who.warp);
  a.lane = uint8_t(who.lane);
  a.bytes = bytes & 15;
  a.strong = (mode & kStrong) != 0;
  a.narrow = (mode & kOfBlock) != 0;
  return a;
}

bool Races::is_ordered(const Access& before, const Access& now) const {
  const WarpState& w = warps_[now.warp];
  const View& view = view_of(w, now.lane);
  const Clock known = before.warp < view.size() ? view[before.warp] : Clock();
  const bool same_warp = before.warp == now.warp;
  if (before.epoch < (same_warp ? w.epoch : known.epoch)) return true;
  uint32_t lanes = same_warp ? now.lanes : 0;
  if (before.epoch == known.epoch && before.step <= known.step) lanes |= known.lanes;
  return before.one_for_all ? (before.lanes & lanes) != 0 : (before.lanes & ~lanes) == 0;
}

void Races::check(const Access& before, const Access& now, uint64_t address) {
  if ((before.bytes & now.bytes) == 0) return;
  const bool apart = warps_[before.warp].block != warps_[now.warp].block;
  const bool atomic = before.strong && now.strong && !(apart && (before.narrow || now.narrow));
  if (atomic || is_ordered(before, now)) return;
  report(now.pc, before.pc,
         "race " + Memory::instance().describe(address) + ":\n    " + describe(now) + "\n    " + describe(before));
}

// Adds the access. It joins equal accesses of other lanes of the warp. It replaces accesses ordered before it, because
// everything ordered after this access is also ordered after those.
void Races::keep(Accesses& known, const Access& now) const {
  const auto kind = [](const Access& a) { return a.bytes | a.strong << 4 | a.narrow << 5; };
  for (Access& a : known) {
    if (a.warp != now.warp || a.epoch != now.epoch || kind(a) != kind(now)) continue;
    const uint32_t lanes = a.lanes | now.lanes;
    a = now;
    a.lanes = lanes;
    std::swap(a, known.front());
    return;
  }
  std::erase_if(known, [&](const Access& a) {
    const bool weaker = now.strong && (!a.strong || (now.narrow && !a.narrow));
    return !weaker && (a.bytes & ~now.bytes) == 0 && is_ordered(a, now);
  });
  if (known.size() >= kMaxAccesses) known.erase(known.begin() + 1);
  known.push_back(now);
  std::swap(known.front(), known.back());
}

void Races::touch(const Who& who, const uint8_t* at, const void* value, uint32_t bytes, uint8_t mode, Does does) {
  const uint64_t begin = address_of(at);
  for (uint64_t a = begin & ~uint64_t(3); a < begin + bytes; a += 4) {
    const uint64_t from = std::max(a, begin), to = std::min(a + 4, begin + bytes);
    const auto of_word = uint8_t(((1u << (to - from)) - 1) << (from - a));
    Word& word = word_of(a);
    Access now = access_of(who, of_word, mode);
    if (does != Does::stores && word.is_shared && (of_word & ~word.written) != 0)
      report(who.pc, who.pc, "read of shared memory that nobody has written:\n    " + describe(now));
    if (does == Does::stores) std::memcpy(&now.value, static_cast<const uint8_t*>(value) + (from - begin), to - from);
    // Several lanes store in one instruction: one of them wins.
    const bool again = does == Does::stores && !word.stores.empty() && is_same_step(word.stores.front(), now);
    if (again) {
      const Access& last = word.stores.front();
      now.one_for_all = last.bytes == now.bytes && last.value == now.value;
      if (now.one_for_all) now.lanes |= last.lanes;
    } else {
      for (const Access& store : word.stores) check(store, now, a);
    }
    if (does == Does::loads) {
      keep(word.loads, now);
      continue;
    }
    for (const Access& load : word.loads) check(load, now, a);
    if (now.strong) {
      keep(word.stores, now);
    } else {
      // Earlier accesses are ordered before it, or have been reported.
      std::erase_if(word.stores, [&](const Access& store) { return (store.bytes & ~now.bytes) == 0; });
      word.stores.insert(word.stores.begin(), now);
    }
    word.written |= of_word;
  }
}

// An acquire takes over the view that a release left with the word; a relaxed access keeps that view for a later fence.
void Races::read_message(const Who& who, const uint8_t* at, uint8_t mode) {
  if ((mode & kStrong) == 0) return;
  const auto message = messages_.find(address_of(at) & ~uint64_t(3));
  if (message == messages_.end()) return;
  WarpState& w = warps_[who.warp];
  if ((mode & kAcquire) != 0) return acquire(w, who.lane, message->second);
  std::unique_ptr<View>& pending = w.pending[who.lane];
  if (pending == nullptr) pending = std::make_unique<View>();
  join(*pending, message->second);
}

// `keep`: an exchange continues the release sequence of another thread.
void Races::write_message(const Who& who, const uint8_t* at, uint8_t mode, bool keep) {
  const uint64_t address = address_of(at) & ~uint64_t(3);
  WarpState& w = warps_[who.warp];
  const bool release = (mode & kRelease) != 0;
  if (!keep) messages_.erase(address);
  if (!release && (w.fenced[who.lane] == nullptr || (mode & kStrong) == 0)) return;
  join(messages_[address], release ? released(w, who.warp, who.lane) : *w.fenced[who.lane]);
}

void Races::load(const Who& who, const uint8_t* at, uint32_t bytes, uint8_t mode) {
  read_message(who, at, mode);
  touch(who, at, nullptr, bytes, mode, Does::loads);
}

void Races::store(const Who& who, const uint8_t* at, const void* value, uint32_t bytes, uint8_t mode) {
  touch(who, at, value, bytes, mode, Does::stores);
  write_message(who, at, mode, false);
}

void Races::exchange(const Who& who, const uint8_t* at, uint32_t bytes, uint8_t mode) {
  read_message(who, at, mode);
  touch(who, at, nullptr, bytes, mode, Does::exchanges);
  write_message(who, at, mode, true);
}

void Races::fence(uint32_t warp, uint32_t lane) {
  WarpState& w = warps_[warp];
  if (w.pending[lane] != nullptr) acquire(w, lane, *w.pending[lane]);
  w.pending[lane] = nullptr;
  w.fenced[lane] = std::make_unique<View>(released(w, warp, lane));
}

std::string Races::describe(const Access& a) const {
  return "block " + std::to_string(warps_[a.warp].block) + ", warp " + std::to_string(a.warp) + ", lane " +
         std::to_string(a.lane) + ": " + program_.describe(a.pc);
}

// Reports each pair of instructions once.
void Races::report(uint32_t pc, uint32_t other, const std::string& what) {
  if (!reported_.emplace(std::min(pc, other), std::max(pc, other)).second || reported_.size() > kMaxReports) return;
  std::fprintf(stderr, "ptx: %s\n", what.c_str());
}

}  // namespace brokkr::ptx
