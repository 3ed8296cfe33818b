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

machine_test::MachineEntries machine() {
  return {kWidth, kWidth == 32 ? 8 : 1, sizeof(Storage), run_answer, run_share_keys};
}

}  // namespace machine_workers
BROKKR_MACHINE_END
