// Memory as a warp's lanes see it when it differs from the host's memory (weak memory), and accesses that are checked
// for races.
#include <cstring>

#include "ptx/machine.h"
#include "ptx/program.h"
#include "ptx/warp.h"

namespace brokkr::ptx {

Races::Who Warp::who(const Instruction& in, uint32_t lane) const {
  return {race_slot_, lane, uint32_t(&in - program_.code.data())};
}

void Warp::weak_load(uint32_t lane, const uint8_t* from, void* value, uint32_t bytes, bool acquire) {
  commit(lane, from, bytes);
  std::memcpy(value, from, bytes);
  if (!machine_.settings.stale_loads) return;
  machine_.history.look_back({from, value, bytes, acquire}, views_[lane], block_.seen, machine_.random);
}

LaneView Warp::view_now(uint32_t lane) const {
  LaneView view = views_[lane];
  view.synchronize_with(block_.number, machine_.history.now());
  return view;
}

// A lane's own local memory, accessed through a generic address.
bool Warp::is_local(const uint8_t* at) const {
  return reinterpret_cast<uint64_t>(at) - local_ < uint64_t(kLanes) * kLocalBytes;
}

void Warp::watched_load(const Instruction& in, uint32_t lane, const uint8_t* from, void* value, uint32_t bytes) {
  const bool local = is_local(from);
  if (races_ != nullptr && !local) races_->load(who(in, lane), from, bytes, in.mode);
  if (is_weak_ && !local) return weak_load(lane, from, value, bytes, (in.mode & kAcquire) != 0);
  std::memcpy(value, from, bytes);
}

void Warp::watched_store(const Instruction& in, uint32_t lane, uint8_t* to, const void* value, uint32_t bytes) {
  const bool local = is_local(to);
  if (races_ != nullptr && !local) races_->store(who(in, lane), to, value, bytes, in.mode);
  if (is_weak_ && !local) return weak_store(lane, to, value, bytes, (in.mode & kRelease) != 0);
  std::memcpy(to, value, bytes);
}

void Warp::weak_store(uint32_t lane, uint8_t* to, const void* value, uint32_t bytes, bool release) {
  if (release) commit(lane);
  commit(lane, to, bytes);
  // Stores become visible after a random number of the device's instructions: some at once, some soon, some late.
  HeldStore s{to, uint8_t(bytes), machine_.now() + (uint64_t(1) << machine_.random.below(21)), {}};
  std::memcpy(s.value, value, bytes);
  std::vector<HeldStore>& held = stores_[lane];
  const size_t most = size_t(machine_.settings.held_stores);
  const bool fenced = (has_fenced_ >> lane & 1) != 0;
  if (release || fenced || most == 0 || machine_.random.below(2) == 0) {
    block_.write(s);
    if (release && machine_.settings.stale_loads) machine_.history.send(to, view_now(lane), false);
    if (!release && fenced && machine_.settings.stale_loads) machine_.history.send(to, fenced_[lane], false);
    return;
  }
  if (held.size() >= most) {
    const size_t i = machine_.random.below(uint32_t(held.size()));
    block_.write(held[i]);
    held.erase(held.begin() + std::ptrdiff_t(i));
  }
  held.push_back(s);
}

void Warp::before_atomic(const Instruction& in, uint32_t lane, const uint8_t* to, uint32_t bytes) {
  if (is_local(to)) return;
  const bool acquire = (in.mode & kAcquire) != 0, release = (in.mode & kRelease) != 0;
  if (races_ != nullptr) races_->exchange(who(in, lane), to, bytes, in.mode);
  if (!is_weak_) return;
  if (release) commit(lane);
  commit(lane, to, bytes);
  if (!machine_.settings.stale_loads) return;
  if (acquire) machine_.history.receive(to, views_[lane]);
  machine_.history.overwrite(to, bytes, block_.number, block_.seen);
  if (release) machine_.history.send(to, view_now(lane), true);
  if (!release && (has_fenced_ >> lane & 1) != 0) machine_.history.send(to, fenced_[lane], true);
}

void Warp::commit(uint32_t lane) {
  for (const HeldStore& s : stores_[lane]) block_.write(s);
  stores_[lane].clear();
  block_.commit_if([](const HeldStore&) { return true; });
}

void Warp::commit(uint32_t lane, const uint8_t* at, uint32_t bytes) {
  std::vector<HeldStore>& held = stores_[lane];
  for (size_t i = 0; i < held.size();) {
    if (held[i].overlaps(at, bytes)) {
      block_.write(held[i]);
      held.erase(held.begin() + std::ptrdiff_t(i));
    } else {
      ++i;
    }
  }
  block_.commit_if([&](const HeldStore& s) { return s.overlaps(at, bytes); });
}

void Warp::commit_due() {
  if (!is_weak_) return;
  const uint64_t now = machine_.now();
  for (uint32_t l = 0; l < kLanes; ++l) {
    std::vector<HeldStore>& held = stores_[l];
    for (size_t i = 0; i < held.size();) {
      if (held[i].until <= now) {
        block_.write(held[i]);
        held.erase(held.begin() + std::ptrdiff_t(i));
      } else {
        ++i;
      }
    }
  }
  block_.commit_if([&](const HeldStore& s) { return s.until <= now; });
}

void Warp::fence(uint32_t lanes) {
  if (is_crowded()) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    if (races_ != nullptr) races_->fence(race_slot_, l);
    if (!is_weak_) continue;
    commit(l);
    views_[l].synchronize(machine_.history.now());  // as if it had acquired everything that it has read
    fenced_[l] = views_[l];
    has_fenced_ |= 1u << l;
  }
}

void Warp::meet_warp(uint32_t lanes) {
  if (races_ != nullptr) races_->meet_warp(race_slot_, lanes);
  meet_weakly(lanes, false);
}

void Warp::meet_block(uint32_t lanes, bool arriving) {
  if (races_ != nullptr && arriving) races_->arrive(race_slot_, lanes, block_.joined);
  if (races_ != nullptr && !arriving) races_->depart(race_slot_, block_.joined);
  meet_weakly(lanes, true);
}

void Warp::meet_weakly(uint32_t lanes, bool whole_block) {
  if (!is_weak_) return;
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    for (const HeldStore& s : stores_[l]) {
      if (s.to >= shared_ && s.to < shared_ + shared_bytes_) {
        block_.write(s);
      } else {
        block_.hold(s);
      }
    }
    stores_[l].clear();
  }
  LaneView joined;
  joined.synchronize_with(block_.number, machine_.history.now());
  for (uint32_t m = lanes; m != 0; m &= m - 1) joined.join(views_[__builtin_ctz(m)]);
  if (whole_block) {
    block_.met.join(joined);
    joined = block_.met;
  }
  for (uint32_t m = lanes; m != 0; m &= m - 1) views_[__builtin_ctz(m)] = joined;
}

}  // namespace brokkr::ptx
