// Times that can be calculated by hand. A kernel begins with a load of its parameter (4 cycles) and ends with a ret.
#include <gtest/gtest.h>

#include <thread>

#include "timed.h"

namespace brokkr::simt::test {
namespace {

uint64_t cycles(const std::string& body, const Config& c = plain_machine(), uint32_t threads = 32) {
  return time_body(body, c, threads).cycles;
}

constexpr const char* kTwoAdds = "add.u32 %r1, %r0, 1; add.u32 %r2, %r0, 1;";
constexpr const char* kChain = "add.u32 %r1, %r0, 1; add.u32 %r2, %r1, 1;";

// Issued at cycles 0, 4, 8, 12.
TEST(SimtTiming, AWarpHasOneInstructionUnderWay) { EXPECT_EQ(cycles(kTwoAdds), 13u); }

// The second warp issues one cycle after the first.
TEST(SimtTiming, WarpsTakeTurns) {
  EXPECT_EQ(cycles(kTwoAdds, plain_machine(), 64), 14u);
  EXPECT_EQ(cycles(kTwoAdds, plain_machine(), 128), 16u);
  // Eight warps fill all cycles: 8 times 4 instructions.
  EXPECT_EQ(cycles(kTwoAdds, plain_machine(), 256), 32u);
}

TEST(SimtTiming, SchedulersIssueAtOnce) {
  Config c = plain_machine();
  c.schedulers = 2;
  EXPECT_EQ(cycles(kTwoAdds, c, 64), 13u);
  EXPECT_EQ(cycles(kTwoAdds, c, 512), 32u);
}

TEST(SimtTiming, FewLanesTakeSeveralCyclesForAWarp) {
  Config c = plain_machine();
  c.lanes = 8;
  EXPECT_EQ(cycles(kTwoAdds, c, 32), 13u);  // as before: 4 cycles each
  EXPECT_EQ(cycles(kTwoAdds, c, 64), 29u);  // two warps alternate; the last of eight instructions issues at 28
}

// Issue cycles: 0 the parameter, 1 and 2 the additions, 3 the ret.
TEST(SimtTiming, AScoreboardLetsIndependentInstructionsFollow) {
  Config c = plain_machine();
  c.overlap = true;
  EXPECT_EQ(cycles(kTwoAdds, c), 4u);
  // The second addition waits for the first: the instructions issue at 0, 1, 5, 6.
  EXPECT_EQ(cycles(kChain, c), 7u);
}

TEST(SimtTiming, AJumpHoldsUpWhatFollows) {
  Config c = plain_machine();
  c.overlap = true;
  // Issue cycles: 0 the parameter, 1 the jump, 5 the ret.
  EXPECT_EQ(cycles("bra next; next:", c), 6u);
}

TEST(SimtTiming, UnitsHaveTimesOfTheirOwn) {
  EXPECT_EQ(cycles("sqrt.rn.f32 %f1, %f0;"), 4u + 8 + 1);
  EXPECT_EQ(cycles("div.u32 %r1, %r0, 3;"), 4u + 16 + 1);
  EXPECT_EQ(cycles("mul.f32 %f1, %f0, %f0;"), 4u + 4 + 1);
}

// A function of three instructions, which lanes below 9 skip if `some` do.
Statistics with_unit(uint32_t depth, bool some, uint32_t threads = 32) {
  const std::string function =
      ".func (.param .u32 out) fixed_unit_twice(.param .u32 in)\n{\n.reg .b32 %a<4>;\n"
      "ld.param.u32 %a0, [in];\nadd.u32 %a1, %a0, %a0;\nst.param.u32 [out], %a1;\nret;\n}\n";
  const std::string call =
      "{ .param .u32 p; .param .u32 r; st.param.u32 [p], %r2; call.uni (r), fixed_unit_twice, (p); "
      "ld.param.u32 %r4, [r]; }\n";
  const std::string body = std::string("mov.u32 %r2, %laneid; mov.u32 %r4, 0;") +
                           (some ? "setp.lt.u32 %p0, %r2, 9; @%p0 bra skip;" : "") + call +
                           "skip: mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r4;";
  Config c = plain_machine();
  c.fixed.depth = depth;
  ptx::test::Words words(8192);
  const auto program = ptx::test::kernel_of(body, function);
  const Statistics s = time_kernel(*program, c, words, 1, threads);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(words.at[i], some && i < 9 ? 0 : 2 * i);
  return s;
}
// Parameter, laneid, a move, st.param, call: 20 cycles. The unit takes 32 threads and has the last result after its
// depth. ld.param, the address and the store follow.
TEST(SimtTiming, AUnitOfFixedHardwareTakesAThreadPerCycle) {
  EXPECT_EQ(with_unit(7, false).cycles, 20u + 31 + 7 + 4 * 4 + 1);
  EXPECT_EQ(with_unit(7, false).fixed, 32u);
  // Every lane of a second warp waits for the first.
  EXPECT_EQ(with_unit(7, false, 64).cycles, 20u + 63 + 7 + 4 * 4 + 1);
  EXPECT_EQ(with_unit(7, true).fixed, 23u);
  // Without the unit, the function's four instructions are issued.
  EXPECT_EQ(with_unit(0, false).cycles, 20u + 4 * 4 + 4 * 4 + 1);
  EXPECT_EQ(with_unit(0, false).fixed, 0u);
  EXPECT_EQ(with_unit(0, false).instructions, with_unit(7, false).instructions + 4);
}

// All latencies differ, so that a mistaken class changes the result.
TEST(SimtTiming, EachClassHasALatencyOfItsOwn) {
  Config c = plain_machine();
  c.latency = {.integer = 3,
               .multiply = 5,
               .floating = 7,
               .special = 11,
               .divide = 13,
               .doubles = 17,
               .control = 19,
               .collective = 23,
               .shared = 29,
               .constant = 31,
               .load = 37};
  c.l1 = {CacheConfig::Kind::perfect, 0, 0, 0};
  // The time after the parameter and before the cycle of the ret.
  const auto takes = [&](const std::string& body) { return cycles(body, c) - 31 - 1; };
  EXPECT_EQ(takes("add.u32 %r1, %r0, 1;"), 3u);
  EXPECT_EQ(takes("mul.lo.u32 %r1, %r0, 3;"), 5u);
  EXPECT_EQ(takes("fma.rn.f32 %f1, %f0, %f0, %f0;"), 7u);
  EXPECT_EQ(takes("rcp.rn.f32 %f1, %f0;"), 11u);
  EXPECT_EQ(takes("rem.u32 %r1, %r0, 3;"), 13u);
  EXPECT_EQ(takes(".reg .f64 %d<2>; add.f64 %d1, %d0, %d0;"), 17u);
  EXPECT_EQ(takes("bra next; next:"), 19u);
  EXPECT_EQ(takes("vote.sync.any.pred %p1, %p0, -1;"), 23u);
  EXPECT_EQ(takes("ld.shared.u32 %r4, [shared];"), 29u);
  EXPECT_EQ(takes("ld.param.u64 %rd1, [words];"), 31u);
  EXPECT_EQ(takes("ld.global.u32 %r1, [%rd0];"), 37u);
}

// Lanes read words `stride` apart. Two instructions calculate the address.
std::string shared_load(uint32_t stride) {
  return "mov.u32 %r2, %laneid; mul.lo.u32 %r3, %r2, " + std::to_string(4 * stride) +
         "; add.u32 %r3, %r3, 0; ld.shared.u32 %r4, [%r3];";
}
TEST(SimtTiming, BanksMakeLanesWait) {
  const uint64_t without = 4 * 5 + 1;  // five instructions, then ret
  EXPECT_EQ(cycles(shared_load(1)), without);
  EXPECT_EQ(cycles(shared_load(0)), without);  // all read one word
  EXPECT_EQ(cycles(shared_load(2)), without + 1);
  EXPECT_EQ(cycles(shared_load(8)), without + 7);
  EXPECT_EQ(cycles(shared_load(32)), without + 31);
  EXPECT_EQ(cycles(shared_load(31)), without);
  EXPECT_EQ(time_body(shared_load(32), plain_machine()).conflicts, 31u);
}

std::string global_load(uint32_t bytes_apart) {
  return "mov.u32 %r2, %laneid; mul.wide.u32 %rd1, %r2, " + std::to_string(bytes_apart) +
         "; add.u64 %rd1, %rd0, %rd1; ld.global.u32 %r4, [%rd1];";
}
// Four instructions take 4 cycles each. The segments then pass one after another through a channel that moves one per
// cycle, arrive 100 cycles later, and take 4 more.
TEST(SimtTiming, SegmentsFollowEachOtherThroughAChannel) {
  EXPECT_EQ(cycles(global_load(0)), 16u + 1 + 100 + 4 + 1);
  EXPECT_EQ(cycles(global_load(4)), 16u + 4 + 100 + 4 + 1);
  EXPECT_EQ(cycles(global_load(32)), 16u + 32 + 100 + 4 + 1);
  const Statistics s = time_body(global_load(32), plain_machine());
  EXPECT_EQ(s.off_chip.read, 32u * 32);
  EXPECT_EQ(s.requested_read, 32u * 4);
}

TEST(SimtTiming, ChannelsWorkAtOnce) {
  Config c = plain_machine();
  c.memory.bytes_per_cycle = 8;  // four cycles for a segment
  EXPECT_EQ(cycles(global_load(128), c), 16u + 32 * 4 + 100 + 4 + 1);
  c.memory.channels = 4;
  // Eight segments for each channel. The last channel's first segment is requested after three others.
  EXPECT_EQ(cycles(global_load(128), c), 16u + 3 + 8 * 4 + 100 + 4 + 1);
}

TEST(SimtTiming, NobodyWaitsForAStore) {
  const std::string store = "mov.u32 %r2, %laneid; st.global.u32 [%rd0], %r2;";
  EXPECT_EQ(cycles(store), 4u + 4 + 4 + 1);
}

// The second access finds the line in the cache.
TEST(SimtTiming, ACacheAnswersTheSecondTime) {
  Config c = plain_machine();
  c.l1 = {CacheConfig::Kind::sets, 1024, 2, 6};
  const uint64_t one = 4 + (1 + 100 + 4), two = one + 6 + 4;
  EXPECT_EQ(cycles("ld.global.u32 %r1, [%rd0];", c), one + 1);
  EXPECT_EQ(cycles("ld.global.u32 %r1, [%rd0]; ld.global.u32 %r2, [%rd0+64];", c), two + 1);
  c.l1.kind = CacheConfig::Kind::perfect;
  EXPECT_EQ(cycles("ld.global.u32 %r1, [%rd0];", c), 4u + 6 + 4 + 1);
}

// Four sets of two ways: lines 512 bytes apart share a set, and the third line replaces the first.
TEST(SimtTiming, ASetHoldsAsManyLinesAsItHasWays) {
  Config c = plain_machine();
  c.l1 = {CacheConfig::Kind::sets, 1024, 2, 6};
  const uint64_t miss = 1 + 100 + 4, hit = 6 + 4;
  const auto loads = [&](std::initializer_list<uint32_t> places) {
    std::string body;
    for (const uint32_t p : places) body += "ld.global.u32 %r1, [%rd0+" + std::to_string(p) + "];";
    return cycles(body, c) - 4 - 1;
  };
  EXPECT_EQ(loads({0, 512, 0}), 2 * miss + hit);
  EXPECT_EQ(loads({0, 128, 256, 0}), 3 * miss + hit);  // each line has its own set
  EXPECT_EQ(loads({0, 512, 1024, 0}), 4 * miss);
  EXPECT_EQ(loads({0, 512, 0, 1024, 0}), 3 * miss + 2 * hit);  // the second line was used longest ago
  c.l1.kind = CacheConfig::Kind::none;
  EXPECT_EQ(loads({0, 0, 0}), 3 * miss);
}

TEST(SimtTiming, TheLargeCacheIsBehindTheSmallOnes) {
  Config c = plain_machine();
  c.l1 = {CacheConfig::Kind::sets, 1024, 2, 6};
  c.l2 = {CacheConfig::Kind::sets, 4096, 2, 20};
  const uint64_t memory = 1 + 100 + 20 + 4, large = 20 + 4, small = 6 + 4;
  const std::string load = "ld.global.u32 %r1, [%rd0];";
  EXPECT_EQ(cycles(load, c), 4 + memory + 1);
  EXPECT_EQ(cycles(load + load, c), 4 + memory + small + 1);
  // After two other lines of its set, the line is only in the large cache. There no other line uses its set of 16.
  const std::string others = "ld.global.u32 %r1, [%rd0+512]; ld.global.u32 %r1, [%rd0+1024];";
  EXPECT_EQ(cycles(load + others + load, c), 4 + 3 * memory + large + 1);
  c.l2.kind = CacheConfig::Kind::perfect;
  EXPECT_EQ(cycles(load, c), 4 + large + 1);
}

// The old value and the new one are two segments, and the answer takes 102 cycles. Each of 32 lanes takes 4 cycles in
// turn.
TEST(SimtTiming, AtomicsAtOneAddressTakeTurns) {
  EXPECT_EQ(cycles("atom.global.add.u32 %r1, [%rd0], 1;"), 4u + 32 * 4 + 102 + 4 + 1);
  Config c = plain_machine();
  c.memory.atomic_cycles = 0;
  EXPECT_EQ(cycles("atom.global.add.u32 %r1, [%rd0], 1;", c), 4u + 102 + 4 + 1);
}

// The second core's segments wait two cycles for the channel, and its lanes wait for all lanes of the first core.
TEST(SimtTiming, AtomicsOfOtherCoresTakeTheirTurnsToo) {
  Config c = plain_machine();
  c.cores = 2;
  EXPECT_EQ(time_body("atom.global.add.u32 %r1, [%rd0], 1;", c, 32, 2).cycles, 4u + 64 * 4 + 104 + 4 + 1);
  // On chip, each core has its own unit.
  const std::string on_chip = "atom.shared.add.u32 %r1, [shared], 1;";
  EXPECT_EQ(time_body(on_chip, c, 32, 2).cycles, 4u + 31 + 4 + 1);
  EXPECT_EQ(cycles(on_chip, c, 64), 4u + 32 + 31 + 4 + 1);  // the second warp finds the unit busy
}

TEST(SimtTiming, ABarrierWaitsForTheSlowestWarp) {
  // Warp 1 runs one more division and reaches the barrier 16 cycles later.
  const std::string body =
      "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra meet; div.u32 %r1, %r0, 3; meet: bar.sync 0;";
  // Issue cycles of warp 1: 1 parameter, 5 mov, 9 setp, 13 bra, 17 div, 33 barrier, 37 ret. Warp 0 continues with it.
  EXPECT_EQ(cycles(body, plain_machine(), 64), 38u);
}

TEST(SimtTiming, TheClockCountsCycles) {
  ptx::test::Words words(64);
  time_kernel(*ptx::test::kernel_of("mov.u32 %r1, %clock; mov.u32 %r2, %clock; sub.u32 %r3, %r2, %r1; "
                                    "st.global.u32 [%rd0], %r3;"),
              plain_machine(), words);
  EXPECT_EQ(words.at[0], 4u);
}

TEST(SimtTiming, BlocksThatDoNotFitWait) {
  Config c = plain_machine();
  const uint64_t one = cycles(kTwoAdds, c, 256);
  c.blocks = 1;
  EXPECT_EQ(time_body(kTwoAdds, c, 256, 3).cycles, 3 * one);
  c.blocks = 8;
  c.threads = 256;
  EXPECT_EQ(time_body(kTwoAdds, c, 256, 3).cycles, 3 * one);
  c.cores = 3;
  EXPECT_EQ(time_body(kTwoAdds, c, 256, 3).cycles, one);
}

TEST(SimtTiming, ABlockThatIsTooLargeIsRefused) {
  Config c = plain_machine();
  c.threads = 32;
  EXPECT_THROW(time_body(kTwoAdds, c, 64), ptx::Fault);
  c = plain_machine();
  c.shared = 64;
  EXPECT_THROW(time_body(kTwoAdds, c, 32), ptx::Fault);
}

// Each issue slot belongs to one class.
TEST(SimtTiming, EveryCycleIsCountedOnce) {
  Config c = plain_machine();
  c.cores = 2, c.schedulers = 2;
  const Statistics s =
      time_body("mov.u32 %r2, %laneid; setp.lt.u32 %p0, %r2, 5; @%p0 bra end; sqrt.rn.f32 %f1, %f0; end:", c, 96);
  uint64_t all = 0, over_time = 0;
  for (const uint64_t n : s.occupancy) all += n;
  for (const Occupancy& w : s.windows) {
    for (const uint64_t n : w) over_time += n;
  }
  EXPECT_EQ(all, s.cycles * 4);
  EXPECT_EQ(over_time, all);
  EXPECT_EQ(s.occupancy[occupancy_class(27)], 3u);  // the root of 27 lanes of each warp
}

TEST(SimtTiming, TheSameRunTakesTheSameTime) {
  const std::string body = global_load(64) + "atom.global.add.u32 %r1, [%rd0], 1; bar.sync 0;";
  const Statistics a = time_body(body, plain_machine(), 256, 4), b = time_body(body, plain_machine(), 256, 4);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.occupancy, b.occupancy);
}

// Machines on several threads of the host are independent: a run of a figure takes the same cycles as alone.
TEST(SimtTiming, MachinesOfSeveralThreadsAreEachByThemselves) {
  const std::string body =
      "mov.u32 %r2, %laneid; and.b32 %r3, %r2, 3; again: atom.global.add.u32 %r1, [%rd0], 1;"
      "sub.u32 %r3, %r3, 1; setp.gt.s32 %p0, %r3, 0; @%p0 bra again; bar.sync 0;";
  const Statistics alone = time_body(body, plain_machine(), 128, 4);
  std::vector<Statistics> all(4);
  std::vector<std::thread> threads;
  for (Statistics& s : all) threads.emplace_back([&] { s = time_body(body, plain_machine(), 128, 4); });
  for (std::thread& t : threads) t.join();
  for (const Statistics& s : all) {
    EXPECT_EQ(s.cycles, alone.cycles);
    EXPECT_EQ(s.windows, alone.windows);
  }
}

TEST(SimtTiming, AnInstructionThatNobodyKnowsNamesItselfAndItsLine) {
  try {
    time_body("add.u32 %r1, %r0, 1;\nfrobnicate.u32 %r1, %r0;", plain_machine());
    FAIL();
  } catch (const ptx::Fault& what) {
    EXPECT_NE(std::string(what.what()).find("frobnicate"), std::string::npos) << what.what();
    EXPECT_NE(std::string(what.what()).find("PTX line"), std::string::npos) << what.what();
  }
}

}  // namespace
}  // namespace brokkr::simt::test
