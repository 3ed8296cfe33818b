// A block's answers to a case: the same code on every machine, run by all warps of the block.
#pragma once

#include "block_case.h"
#include "machine/machine.h"

BROKKR_MACHINE_BEGIN
namespace machine_workers {
using namespace machine_test;

using Keys = KeyBuffer<kKeySamples>;

BROKKR_FN void share_keys(Block<Keys>& block, const BlockInput& in, BlockAnswers& out) {
  Warp& w = block.warp;
  Keys& keys = *block.shared;
  const int first = w.index * w.width, stride = block.warps * w.width;
  for (int at = first; at < kKeySamples; at += stride) keys.set(w, at, Uint(~0u), Uint(~0u));
  block.sync();
  for (int n = first; n < BlockInput::kKeys; n += stride) {
    const Mask m = w.lanes_of(in.mask[n / 32] >> (n % 32));
    const Uint depth = w.load(in.depth + n), order = w.load(in.order + n);
    if (n / 32 % 2 == 0) {
      keys.take_min(w, 32 * in.where[n / 32] + n % 32, depth, order, m);
    } else {
      keys.take_min_at(w, w.load(in.scattered + n), depth, order, m);
    }
  }
  block.sync();
  for (int at = first; at < kKeySamples; at += stride) {
    w.store(out.depth + at, keys.depth(w, at));
    w.store(out.order + at, keys.order(w, at));
  }
  // Every warp announces itself and sees all others after the barrier.
  for (uint32_t& phase : out.phases) {
    w.once([&] { device_atomic<uint32_t>(phase).fetch_add(1u, kRelaxed); });
    block.sync();
    w.once([&] {
      if (device_atomic<uint32_t>(phase).load(kRelaxed) != uint32_t(block.warps)) {
        device_atomic<uint32_t>(out.early).fetch_add(1u, kRelaxed);
      }
    });
  }
}

}  // namespace machine_workers
BROKKR_MACHINE_END
