// The machine tests on one build of the CPU machine.
#include "block_answers.h"
#include "lane_answers.h"
#include "machine_entries.h"
#include "target/pixel.h"

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

static void run_collective(Warp& w, int nth) {
  const Mask m = w.first_lanes(2);
  uint32_t words[32] = {};
  Block<Keys> block;
  switch (nth) {
    case 0: w.any(m); break;
    case 1: w.all(m); break;
    case 2: w.ballot(m); break;
    case 3: w.count(m); break;
    case 4: w.inclusive_count(m); break;
    case 5: w.shuffle(Uint(1u), w.lane()); break;
    case 6: w.broadcast(Uint(1u), 0); break;
    case 7: w.inclusive_sum(Uint(1u)); break;
    case 8: w.reduce_add(Uint(1u)); break;
    case 9: w.reduce_min(Uint(1u)); break;
    case 10: w.reduce_max(Uint(1u)); break;
    case 11: w.compress_store(words, Uint(1u), m); break;
    case 12: w.for_lanes(m, [](int) {}); break;
    case 13: w.once([] {}); break;
    case 14: w.uniform([] { return 1; }); break;
    case 15: w.sync(); break;
    case 16: block.sync(); break;
  }
}
static void run_alone(int caller, int collective) {
  Warp w;
  const auto collect = [&] { run_collective(w, collective); };
  switch (caller) {
    case 0: w.once(collect); break;
    case 1: w.for_lanes(w.first_lanes(1), [&](int) { collect(); }); break;
    case 2: w.for_distinct(Uint(0u), true, [&](auto, Mask) { collect(); }); break;
    case 3:
      w.uniform([&] {
        collect();
        return 1;
      });
      break;
  }
}

static bool are_wrong_codes(Uint bits) {
  const Float color = minimum(as_float(bits), 1.0f);
  return Warp::any(srgb_code(color) != unorm8(srgb_from_linear(color)));
}

static uint32_t wrong_srgb_codes() {
  constexpr uint32_t kStride = 509, kNear = 64;
  const Uint lane = as_uint(Warp::lane());
  uint32_t wrong = 0;
  for (uint32_t first = 0; first <= SrgbCodes::kOne; first += kStride * uint32_t(kWidth))
    wrong += are_wrong_codes(first + lane * kStride) ? 1 : 0;
  for (const uint32_t step : kSrgbSteps) {
    for (uint32_t at = step - kNear; at < step + kNear; at += uint32_t(kWidth))
      wrong += are_wrong_codes(at + lane) ? 1 : 0;
  }
  return wrong;
}

static uint32_t wrong_srgb_lights() {
  uint32_t wrong = 0;
  for (uint32_t first = 0; first < 256; first += uint32_t(kWidth)) {
    const Uint code = as_uint(Warp::lane()) + first;
    const Float formula = linear_from_srgb(to_float(as_int(code)) * (1.0f / 255.0f));
    wrong += Warp::any(as_uint(light_of_code(code)) != as_uint(formula)) ? 1 : 0;
  }
  return wrong;
}

machine_test::MachineEntries machine() {
  return {kWidth,    kWidth == 32 ? 8 : 1, sizeof(Storage),  run_answer, run_share_keys, run_increment_masked,
          run_alone, wrong_srgb_codes,     wrong_srgb_lights};
}

}  // namespace machine_workers
BROKKR_MACHINE_END
