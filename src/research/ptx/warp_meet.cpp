// Where lanes of a warp wait for each other.
#include <string>

#include "ptx/collective.h"
#include "ptx/machine.h"
#include "ptx/warp.h"

namespace brokkr::ptx {

// Returns true if the lanes may continue immediately. Otherwise they wait; a caller's `pc_` tells where.
bool Warp::collect(const Instruction& in, uint32_t lanes) {
  const uint32_t* const masks = words(in.m);
  const uint32_t first = uint32_t(__builtin_ctz(lanes));
  const uint32_t mask = masks[first];
  bool same = true;
  if ((in.m & 3) != kConstant) {
    for (uint32_t m = lanes; m != 0; m &= m - 1) same &= masks[__builtin_ctz(m)] == mask;
  }
  if (same && (mask & live_) == lanes) {
    in.run(*this, in, lanes);
    if (Collective(in.mode) == Collective::sync_warp) meet_warp(lanes);
    return true;
  }
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    if ((masks[l] >> l & 1) == 0) fail(in, 1u << l, "the mask of the collective does not name the lane itself");
  }
  ready_ &= ~lanes;
  waiting_ |= lanes;
  settle();
  return false;
}

void Warp::settle() {
  const auto mask_of = [&](uint32_t l) { return *word_of(program_.code[pc_[l]].m, l); };
  for (uint32_t todo = waiting_; todo != 0;) {
    const uint32_t first = uint32_t(__builtin_ctz(todo));
    const uint8_t mode = program_.code[pc_[first]].mode;
    const uint32_t mask = mask_of(first);
    uint32_t there = 0;
    for (uint32_t m = waiting_; m != 0; m &= m - 1) {
      const uint32_t l = uint32_t(__builtin_ctz(m));
      if (program_.code[pc_[l]].mode == mode && mask_of(l) == mask) there |= 1u << l;
    }
    todo &= ~there;
    if ((mask & live_ & ~there) == 0) complete(there);
  }
}

// Lanes are at one instruction, or at several of the same kind, each with its own operands.
void Warp::complete(uint32_t lanes) {
  const uint32_t first = uint32_t(__builtin_ctz(lanes));
  const Instruction* in[kLanes] = {};
  bool one_frame = true;
  uint32_t others = 0;
  for (uint32_t m = lanes; m != 0; m &= m - 1) {
    const uint32_t l = uint32_t(__builtin_ctz(m));
    in[l] = &program_.code[pc_[l]];
    one_frame &= frame_of_[l] == frame_of_[first];
    if (in[l] != in[first]) others |= 1u << l;
  }
  const bool sync = Collective(in[first]->mode) == Collective::sync_warp;
  if (one_frame && others == 0) {
    uint32_t* const kept = base_[kFrame];
    base_[kFrame] = stack_ + frame_of_[first];
    in[first]->run(*this, *in[first], lanes);
    base_[kFrame] = kept;
  } else {
    if (others != 0) {
      machine_.warn("lanes of a warp meet at two instructions:\n    " + program_.describe(pc_[first]) + "\n    " +
                    program_.describe(pc_[__builtin_ctz(others)]));
    }
    collect_mixed(*this, in, lanes);
  }
  if (sync) meet_warp(lanes);
  for (uint32_t m = lanes; m != 0; m &= m - 1) ++pc_[__builtin_ctz(m)];
  waiting_ &= ~lanes;
  ready_ |= lanes;
}

void Warp::arrive(const Instruction& in, uint32_t lanes, uint32_t pc) {
  const uint32_t id = words(in.a)[__builtin_ctz(lanes)];
  if (id >= 16) fail(in, lanes, "barrier " + std::to_string(id) + " of 16");
  const uint32_t least = in.b == kNowhere ? 0 : words(in.b)[__builtin_ctz(lanes)];
  meet_block(lanes, true);
  set_pc(lanes, pc);
  ready_ &= ~lanes;
  at_barrier_[id] |= lanes;
  if (in.c != kNowhere) barrier_votes_ = (barrier_votes_ & ~lanes) | (bits(in.c, in.c_negated) & lanes);
  block_.barrier_least[id] = least;
  block_.settle_barrier(id, least);
}

}  // namespace brokkr::ptx
