// The lanes that each policy groups: issue counts that can be calculated by hand, and results that no policy changes.
#include <gtest/gtest.h>

#include "timed.h"

namespace brokkr::simt::test {
namespace {

std::string adds(uint32_t n) {
  std::string all;
  for (uint32_t i = 0; i < n; ++i) all += "add.u32 %r4, %r4, 1;\n";
  return all;
}
constexpr const char* kLane =
    "mov.u32 %r2, %laneid; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd0, %rd1; mov.u32 %r4, 0;\n";
constexpr const char* kStore = "st.global.u32 [%rd1], %r4;";
constexpr uint32_t kAround = 1 + 4 + 2;  // the parameter, kLane, kStore, ret

struct Outcome {
  uint64_t steps = 0;
  std::vector<uint32_t> words;
};
Outcome run(const std::string& body, PolicyKind kind, uint32_t ways = 2) {
  ptx::test::Words words(64);
  const Statistics s =
      time_kernel(*ptx::test::kernel_of(kLane + body + kStore), with(plain_machine(), kind, ways), words);
  std::vector<uint32_t> all = words.copy();
  all.resize(32);
  return {s.steps, all};
}
uint64_t steps(const std::string& body, PolicyKind kind, uint32_t ways = 2) { return run(body, kind, ways).steps; }

// Even lanes take one path, odd lanes the other; both have eight instructions.
const std::string kIfElse = "and.b32 %r3, %r2, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra even;\n" + adds(7) +
                            "bra join; even:\n" + adds(8) + "join:\n";

TEST(SimtPolicy, TheStackRunsBothPathsInTurn) { EXPECT_EQ(steps(kIfElse, PolicyKind::pdom), kAround + 3 + 8 + 8); }

TEST(SimtPolicy, ParallelEntriesRunAtOnce) {
  EXPECT_EQ(steps(kIfElse, PolicyKind::parallel), kAround + 3 + 8);
  EXPECT_EQ(steps(kIfElse, PolicyKind::ahead), kAround + 3 + 8);
  EXPECT_EQ(steps(kIfElse, PolicyKind::independent), kAround + 3 + 8);
}

// A nest with four paths: two-way divergence runs them in pairs, four-way runs all.
TEST(SimtPolicy, EntriesOfANestAreParallelToo) {
  const auto inner = [](const std::string& name) {
    return "and.b32 %r3, %r2, 2; setp.eq.u32 %p1, %r3, 0; @%p1 bra a" + name + ";\n" + adds(7) + "bra b" + name +
           "; a" + name + ":\n" + adds(8) + "b" + name + ":\n";
  };
  const std::string nest = "and.b32 %r3, %r2, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra even;\n" + inner("1") +
                           "bra join; even:\n" + inner("2") + "bra join; join:\n";
  EXPECT_EQ(steps(nest, PolicyKind::pdom), kAround + 3 + 2 * (3 + 8 + 8 + 1));
  EXPECT_EQ(steps(nest, PolicyKind::parallel, 4), kAround + 3 + (3 + 8 + 1));
  EXPECT_LT(steps(nest, PolicyKind::parallel, 2), steps(nest, PolicyKind::pdom));
}

// A loop of three instructions that lane i runs i + 1 times: all lanes wait for the last.
TEST(SimtPolicy, ALoopRunsAsOftenAsItsLongestLane) {
  const std::string loop =
      "add.u32 %r3, %r2, 1; again: add.u32 %r4, %r4, 2; sub.u32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 0; @%p0 bra "
      "again;\n";
  for (const PolicyKind kind : {PolicyKind::pdom, PolicyKind::parallel, PolicyKind::independent})
    EXPECT_EQ(steps(loop, kind), kAround + 1 + 4 * 32) << int(kind);
  const Outcome o = run(loop, PolicyKind::pdom);
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(o.words[l], 2 * (l + 1));
}

// Half of the lanes run long in the first loop, the others in the second.
const std::string kTwoLoops =
    "setp.lt.u32 %p0, %r2, 16; selp.u32 %r3, 10, 1, %p0; selp.u32 %r5, 1, 10, %p0;\n"
    "first: add.u32 %r4, %r4, 1; sub.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra first;\n"
    "second: add.u32 %r4, %r4, 3; sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra second;\n";

TEST(SimtPolicy, LanesWorkAheadOfThoseThatAreInALoop) {
  const uint64_t stack = kAround + 3 + 4 * (10 + 10);
  EXPECT_EQ(steps(kTwoLoops, PolicyKind::pdom), stack);
  EXPECT_EQ(steps(kTwoLoops, PolicyKind::parallel), stack);  // no path is parallel to a loop
  EXPECT_EQ(steps(kTwoLoops, PolicyKind::ahead), kAround + 3 + 4 * 11);
  EXPECT_EQ(steps(kTwoLoops, PolicyKind::spatial), kAround + 3 + 4 * 11);
}

// Spatial subdivision does not help lanes that diverge within a half.
TEST(SimtPolicy, SpatialSubdivisionIsByHalves) {
  EXPECT_EQ(steps(kIfElse, PolicyKind::spatial), steps(kIfElse, PolicyKind::pdom));
  const std::string halves =
      "setp.lt.u32 %p0, %r2, 16; @%p0 bra even;\n" + adds(7) + "bra join; even:\n" + adds(8) + "join:\n";
  EXPECT_EQ(steps(halves, PolicyKind::spatial), kAround + 2 + 8 + 0u);
}

TEST(SimtPolicy, LanesLapInALoopAndRunTogether) {
  // Two rounds of the two loops: lanes in their second round run the first loop together with lanes that are still in
  // it.
  const std::string rounds =
      "mov.u32 %r6, 3; round:\n" + kTwoLoops + "sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra round;\n";
  const uint64_t stack = steps(rounds, PolicyKind::pdom);
  EXPECT_EQ(stack, kAround + 1 + 3 * (3 + 4 * 20 + 3));
  EXPECT_LE(steps(rounds, PolicyKind::ahead), stack * 6 / 10);
}

// Every way in which lanes can affect each other, under every policy.
TEST(SimtPolicy, NoPolicyChangesAResult) {
  const std::string meet =
      "and.b32 %r3, %r2, 3; setp.lt.u32 %p0, %r3, 2; @%p0 bra low; add.u32 %r4, %r4, 100; low:\n"
      "bar.warp.sync -1; redux.sync.add.s32 %r5, %r3, -1; add.u32 %r4, %r4, %r5; bar.sync 0;\n"
      "setp.eq.u32 %p1, %r3, 1; @%p1 bra end;\n";
  const std::string exits = "setp.lt.u32 %p0, %r2, 7; @%p0 ret; shl.b32 %r4, %r2, 1;\n";
  for (const std::string& body : {kIfElse, kTwoLoops, meet + adds(3) + "end:\n", exits}) {
    const Outcome first = run(body, PolicyKind::pdom);
    for (const PolicyKind kind :
         {PolicyKind::parallel, PolicyKind::ahead, PolicyKind::spatial, PolicyKind::independent}) {
      for (const uint32_t ways : {2u, 8u, 32u})
        EXPECT_EQ(run(body, kind, ways).words, first.words) << int(kind) << ways;
    }
  }
}

TEST(SimtPolicy, FunctionsReturnToTheirCallers) {
  const std::string function =
      ".func (.param .u32 out) twice(.param .u32 in)\n{\n.reg .b32 %a<4>;\n.reg .pred %q<2>;\nld.param.u32 %a0, [in];\n"
      "and.b32 %a1, %a0, 1; setp.eq.u32 %q0, %a1, 0; @%q0 bra even;\nshl.b32 %a2, %a0, 1; st.param.u32 [out], %a2; "
      "ret;\n"
      "even: st.param.u32 [out], %a0; ret;\n}\n";
  const std::string call =
      "{ .param .u32 p; .param .u32 r; st.param.u32 [p], %r2; call.uni (r), twice, (p); ld.param.u32 %r4, [r]; }\n";
  const std::string body = "setp.lt.u32 %p0, %r2, 9; @%p0 bra skip;\n" + call + "skip:\n";
  for (const PolicyKind kind : {PolicyKind::pdom, PolicyKind::parallel, PolicyKind::ahead, PolicyKind::spatial}) {
    ptx::test::Words words(64);
    time_kernel(*ptx::test::kernel_of(kLane + body + kStore, function), with(plain_machine(), kind, 4), words);
    for (uint32_t l = 0; l < 32; ++l)
      EXPECT_EQ(words.at[l], l < 9 ? 0 : l % 2 == 0 ? l : 2 * l) << int(kind) << " " << l;
  }
}

// Lane 0 may exit early, so the paths meet only at the vote. The code after the vote is issued once.
TEST(SimtPolicy, LanesThatMeetAtACollectiveAreOnePath) {
  const auto cycles = [](const std::string& behind) {
    const std::string body =
        "mov.u32 %r2, %laneid; setp.lt.u32 %p0, %r2, 1; setp.gt.u32 %p1, %r2, 99; @%p0 bra work;\n"
        "back: vote.sync.ballot.b32 %r3, %p0, -1;\n" +
        behind + "ret;\nwork: @%p1 bra leave; bra back;\nleave: trap;";
    return time_body(body, plain_machine()).cycles;
  };
  EXPECT_EQ(cycles("add.u32 %r1, %r2, 1; add.u32 %r1, %r1, 1;") - cycles(""), 2u * 4);
}

TEST(SimtPolicy, ADeadlockSaysWhereLanesWait) {
  try {
    run("setp.lt.u32 %p0, %r2, 5; @%p0 bra end; vote.sync.ballot.b32 %r3, %p0, -1; bra out; end: bar.sync 1; out:\n",
        PolicyKind::pdom);
    FAIL();
  } catch (const ptx::Fault& what) {
    EXPECT_NE(std::string(what.what()).find("lanes 0-4, waits at a barrier"), std::string::npos) << what.what();
  }
}

}  // namespace
}  // namespace brokkr::simt::test
