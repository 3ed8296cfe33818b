#include "ptx/block.h"

#include <algorithm>
#include <cstring>

#include "ptx/collective.h"
#include "ptx/machine.h"

namespace brokkr::ptx {

Block::Block(Machine& machine, const Launch& l, uint32_t n) : launch(l), number(n), machine_(machine) {
  index[0] = n % l.grid[0];
  index[1] = n / l.grid[0] % l.grid[1];
  index[2] = n / l.grid[0] / l.grid[1];
  const uint32_t threads = l.block[0] * l.block[1] * l.block[2], lanes = machine.warp_lanes,
                 count = (threads + lanes - 1) / lanes;
  shared_bytes = l.program->static_shared + l.dynamic_shared;
  local_bytes = size_t(count) * kLanes * kLocalBytes;
  shared = static_cast<uint8_t*>(machine.take(kSharedRange, shared_bytes + 1, this));
  local = static_cast<uint8_t*>(machine.take(kLocalRange, local_bytes, this));
  if (machine.races != nullptr) machine.races->begin_shared(shared, shared_bytes);
  for (uint32_t i = 0; i < count; ++i) warps.emplace_back(machine, *this, i, threads);
}

Block::Block(Machine& machine, const Launch& l, uint32_t n, uint32_t threads)
    : launch(l), number(n), local_bytes(size_t(kLanes) * kLocalBytes), machine_(machine) {
  local = static_cast<uint8_t*>(machine.take(kLocalRange, local_bytes, this));
  warps.emplace_back(machine, *this, 0, threads);
}

Block::~Block() {
  for (const HeldStore& s : held_) write(s);
  if (shared != nullptr) machine_.give(kSharedRange, shared_bytes + 1, shared);
  machine_.give(kLocalRange, local_bytes, local);
}

void Block::hold(const HeldStore& s) {
  commit_if([&](const HeldStore& other) { return other.overlaps(s.to, s.bytes); });
  if (held_.size() >= 4 * size_t(machine_.settings.held_stores)) {
    const size_t i = machine_.random.below(uint32_t(held_.size()));
    write(held_[i]);
    held_.erase(held_.begin() + std::ptrdiff_t(i));
  }
  held_.push_back(s);
}

void Block::write(const HeldStore& s) {
  if (machine_.settings.stale_loads) {
    machine_.history.overwrite(s.to, s.bytes, number, seen);
    machine_.history.drop_messages(s.to, s.bytes);
  }
  std::memcpy(s.to, s.value, s.bytes);
}

bool Block::ended() const {
  return std::all_of(warps.begin(), warps.end(), [](const Warp& w) { return w.ended(); });
}

void Block::settle_barrier(uint32_t id, uint32_t least) {
  uint32_t there = 0, votes = 0, live = 0;
  for (const Warp& w : warps) {
    there += uint32_t(__builtin_popcount(w.at_barrier_[id]));
    votes += uint32_t(__builtin_popcount(w.at_barrier_[id] & w.barrier_votes_));
    live += uint32_t(__builtin_popcount(w.live_));
  }
  if (there == 0 || there < (least == 0 ? live : least)) return;
  for (Warp& w : warps) {
    if (w.at_barrier_[id] != 0) release(w, id, votes, there);
  }
}

void Block::give_vote(Warp& w, const Instruction& in, uint32_t lane, uint32_t votes, uint32_t there) const {
  uint32_t* const d = w.stack_ + w.frame_of_[lane] + (in.d >> 2);
  const auto set = [&](bool bit) { *d = (*d & ~(1u << lane)) | uint32_t(bit) << lane; };
  switch (BarrierVote(in.mode)) {
    case BarrierVote::count: d[lane] = votes; break;
    case BarrierVote::all: set(votes == there); break;
    case BarrierVote::any: set(votes != 0); break;
    case BarrierVote::none: break;
  }
}

void Block::release(Warp& w, uint32_t id, uint32_t votes, uint32_t there) {
  const uint32_t lanes = w.at_barrier_[id], first = uint32_t(__builtin_ctz(lanes));
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    const Instruction& in = launch.program->code[w.pc_[l]];
    if (w.pc_[l] != w.pc_[first]) {
      machine_.warn("lanes of a warp meet at two instructions of a barrier:\n    " +
                    launch.program->describe(w.pc_[first]) + "\n    " + launch.program->describe(w.pc_[l]));
    }
    if (in.d != kNowhere) give_vote(w, in, l, votes, there);
  }
  for (uint32_t m = lanes; m != 0; m &= m - 1) ++w.pc_[__builtin_ctz(m)];
  w.at_barrier_[id] = 0;
  w.ready_ |= lanes;
  w.meet_block(lanes, false);
}

void Block::settle_barriers() {
  for (uint32_t id = 0; id < 16; ++id) settle_barrier(id, barrier_least[id]);
}

}  // namespace brokkr::ptx
