// The machine tests on one build of the CPU machine.
#include "block_answers.h"
#include "lane_answers.h"
#include "machine_entries.h"

BROKKR_MACHINE_BEGIN
namespace machine_workers {

static void run_answer(const LaneInput& in, LaneAnswers& out) {
  Warp w;
  answer(w, in, out);
}

struct Storage {
  Keys keys;
  Barrier barrier;
};

static void run_share_keys(const BlockInput& in, BlockAnswers& out, void* storage, int warps, int warp) {
  Storage& s = *static_cast<Storage*>(storage);
  Block<Keys> block;
  block.warps = warps;
  block.warp.index = warp;
  block.shared = &s.keys;
  block.barrier = &s.barrier;
  share_keys(block, in, out);
}

static void run_increment_masked(const uint32_t* from, uint32_t* to, uint32_t mask) {
  Warp w;
  const Mask m = Warp::lanes_of(mask);
  w.store(to, w.load(from, m, 0u) + Uint(1u), m);
}

machine_test::MachineEntries machine() {
  return {kWidth, kWidth == 32 ? 8 : 1, sizeof(Storage), run_answer, run_share_keys, run_increment_masked};
}

}  // namespace machine_workers
BROKKR_MACHINE_END
