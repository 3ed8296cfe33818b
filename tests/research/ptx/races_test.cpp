// Two threads and a word: the operations that order their accesses, and those that do not.
#include <gtest/gtest.h>

#include <cstring>

#include "ptx_kernel.h"

namespace brokkr::ptx::test {
namespace {

struct Case {
  const char* name;
  const char* body;
  bool race;
  uint32_t blocks = 1, threads = 64;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Thread 0 of the launch does `first`; then the thread that %p1 names does `second`.
constexpr const char* kThreads =
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %laneid; setp.eq.u32 %p0, %r0, 0;\n";
// The same for two blocks: %p2 is thread 0 of block 0, %p3 of block 1.
constexpr const char* kBlocks =
    "setp.eq.u32 %p4, %r1, 0; and.pred %p2, %p0, %p4; not.pred %p5, %p4; and.pred %p3, %p0, %p5;\n";

const Case kCases[] = {
    {"StoresOfTwoWarps", "st.global.u32 [%rd0], %r0;", true},
    {"AllLanesStoreTheSame", "st.shared.u32 [shared], %r1; ld.shared.u32 %r3, [shared];", false, 1, 32},
    {"OneOfTheLanesWins", "st.shared.u32 [shared], %r0; bar.warp.sync -1; ld.shared.u32 %r3, [shared];", false, 1, 32},
    {"TheOthersDoNotKnowWhich", "st.shared.u32 [shared], %r0; ld.shared.u32 %r3, [shared];", true, 1, 32},
    // The first block reads last and is ordered after no other thread.
    {"AReaderIsNotForgottenForOthers", "ld.global.u32 %r3, [%rd0]; bar.sync 0; @%p2 st.global.u32 [%rd0], %r0;", true,
     2, 256},
    {"ReadersOfTheBlockHaveMet", "ld.global.u32 %r3, [%rd0]; bar.sync 0; @%p2 st.global.u32 [%rd0], %r0;", false, 1,
     256},
    {"AnAtomicIsNotForgottenForOthers",
     "red.relaxed.gpu.global.add.u32 [%rd0], 1; bar.sync 0; @%p2 ld.global.u32 %r3, [%rd0];", true, 2},
    {"AtomicsOfTheBlockHaveMet",
     "red.relaxed.gpu.global.add.u32 [%rd0], 1; bar.sync 0; @%p2 ld.global.u32 %r3, [%rd0];", false},
    {"LoadsOfTwoWarps", "ld.global.u32 %r3, [%rd0];", false},
    {"ABarrierBetween", "@%p0 st.global.u32 [%rd0], %r0; bar.sync 0; ld.global.u32 %r3, [%rd0];", false},
    {"NoBarrierBetween", "@%p0 st.global.u32 [%rd0], %r0; ld.global.u32 %r3, [%rd0];", true},
    {"AStoreAfterLoadsNeedsABarrierToo",
     "@%p0 st.shared.u32 [shared], %r0; bar.sync 0; ld.shared.u32 %r3, [shared]; @%p0 st.shared.u32 [shared], %r0;",
     true},
    {"WarpSyncOrdersTheLanesOfAWarp",
     "@%p0 st.shared.u32 [shared], %r0; bar.warp.sync -1; ld.shared.u32 %r3, [shared];", false, 1, 32},
    {"AVoteOrdersNothing",
     "@%p0 st.shared.u32 [shared], %r0; vote.sync.any.pred %p6, %p0, -1; ld.shared.u32 %r3, [shared];", true, 1, 32},
    {"WarpSyncDoesNotOrderWarps", "@%p0 st.shared.u32 [shared], %r0; bar.warp.sync -1; ld.shared.u32 %r3, [shared];",
     true, 1, 64},
    {"AtomicsAreNoRace", "red.relaxed.gpu.global.add.u32 [%rd0], 1;", false, 2},
    {"AnAtomicAndAStore", "@%p2 st.global.u32 [%rd0], %r0; @%p3 red.relaxed.gpu.global.add.u32 [%rd0], 1;", true, 2},
    {"AtomicsOfABlockAreNotAtomicForOthers", "red.relaxed.cta.global.add.u32 [%rd0], 1;", true, 2},
    {"BytesOfAWordAreApart", "cvt.u64.u32 %rd1, %r0; add.u64 %rd1, %rd0, %rd1; st.global.u8 [%rd1], %r0;", false},
    {"ReleaseAndAcquire",
     "@%p2 st.global.u32 [%rd0], %r0; @%p2 st.release.gpu.global.u32 [%rd0+4], 1; @!%p3 bra end;\n"
     "again: ld.acquire.gpu.global.u32 %r3, [%rd0+4]; setp.eq.u32 %p6, %r3, 0; @%p6 bra again;\n"
     "ld.global.u32 %r4, [%rd0]; end:",
     false, 2},
    {"NoRelease",
     "@%p2 st.global.u32 [%rd0], %r0; @%p2 st.relaxed.gpu.global.u32 [%rd0+4], 1; @!%p3 bra end;\n"
     "again: ld.acquire.gpu.global.u32 %r3, [%rd0+4]; setp.eq.u32 %p6, %r3, 0; @%p6 bra again;\n"
     "ld.global.u32 %r4, [%rd0]; end:",
     true, 2},
    {"NoAcquire",
     "@%p2 st.global.u32 [%rd0], %r0; @%p2 st.release.gpu.global.u32 [%rd0+4], 1; @!%p3 bra end;\n"
     "again: ld.relaxed.gpu.global.u32 %r3, [%rd0+4]; setp.eq.u32 %p6, %r3, 0; @%p6 bra again;\n"
     "ld.global.u32 %r4, [%rd0]; end:",
     true, 2},
    {"FencesInTheirPlace",
     "@%p2 st.global.u32 [%rd0], %r0; fence.acq_rel.gpu; @%p2 st.relaxed.gpu.global.u32 [%rd0+4], 1; @!%p3 bra end;\n"
     "again: ld.relaxed.gpu.global.u32 %r3, [%rd0+4]; setp.eq.u32 %p6, %r3, 0; @%p6 bra again;\n"
     "fence.acq_rel.gpu; ld.global.u32 %r4, [%rd0]; end:",
     false, 2},
    {"AFenceTooLate",
     "@%p2 st.relaxed.gpu.global.u32 [%rd0+4], 1; fence.acq_rel.gpu; @%p2 st.global.u32 [%rd0], %r0; @!%p3 bra end;\n"
     "again: ld.relaxed.gpu.global.u32 %r3, [%rd0+4]; setp.eq.u32 %p6, %r3, 0; @%p6 bra again;\n"
     "fence.acq_rel.gpu; ld.global.u32 %r4, [%rd0]; end:",
     true, 2},
    {"AnExchangeGoesOnWithARelease",
     "@%p2 st.global.u32 [%rd0], %r0; @%p2 red.release.gpu.global.add.u32 [%rd0+4], 1; @!%p3 bra end;\n"
     "atom.relaxed.gpu.global.add.u32 %r5, [%rd0+4], 2;\n"
     "again: ld.acquire.gpu.global.u32 %r3, [%rd0+4]; setp.ne.u32 %p6, %r3, 3; @%p6 bra again;\n"
     "ld.global.u32 %r4, [%rd0]; end:",
     false, 2},
    // Lane 1 writes and lane 0 publishes. Only bar.warp.sync orders the two.
    {"ARoleOfAnotherLaneIsNotReleased",
     "setp.eq.u32 %p7, %r0, 1; and.pred %p7, %p7, %p4; @%p7 st.global.u32 [%rd0], %r0;\n"
     "@%p2 st.release.gpu.global.u32 [%rd0+4], 1; @!%p3 bra end;\n"
     "again: ld.acquire.gpu.global.u32 %r3, [%rd0+4]; setp.eq.u32 %p6, %r3, 0; @%p6 bra again;\n"
     "ld.global.u32 %r4, [%rd0]; end:",
     true, 2, 32},
    // Lanes 0 and 1 release; lane 2 has written.
    {"WhoKnowsTwoLanesDoesNotKnowAThird",
     "setp.eq.u32 %p7, %r0, 2; and.pred %p7, %p7, %p4; @%p7 st.global.u32 [%rd0], %r0;\n"
     "setp.lt.u32 %p8, %r0, 2; and.pred %p8, %p8, %p4; @%p8 red.release.gpu.global.add.u32 [%rd0+4], 1;\n"
     "@!%p3 bra end;\n"
     "again: ld.acquire.gpu.global.u32 %r3, [%rd0+4]; setp.ne.u32 %p6, %r3, 2; @%p6 bra again;\n"
     "ld.global.u32 %r4, [%rd0]; end:",
     true, 2, 32},
    {"AWarpThatMetIsReleased",
     "setp.eq.u32 %p7, %r0, 1; and.pred %p7, %p7, %p4; @%p7 st.global.u32 [%rd0], %r0; bar.warp.sync -1;\n"
     "@%p2 st.release.gpu.global.u32 [%rd0+4], 1; @!%p3 bra end;\n"
     "again: ld.acquire.gpu.global.u32 %r3, [%rd0+4]; setp.eq.u32 %p6, %r3, 0; @%p6 bra again;\n"
     "ld.global.u32 %r4, [%rd0]; end:",
     false, 2, 32},
    {"SharedMemoryThatNobodyWrote", "@%p0 ld.shared.u32 %r3, [shared+8];", true, 1, 32},
    {"SharedMemoryOfAnEarlierBlockIsNotWritten",
     "setp.eq.u32 %p7, %r1, 0; @%p7 st.shared.u32 [shared+8], %r0; @!%p7 ld.shared.u32 %r3, [shared+8];", true, 8, 1},
};

class Race : public testing::TestWithParam<Case> {};

TEST_P(Race, IsFoundWhereThereIsOne) {
  const auto program = kernel_of(std::string(kThreads) + kBlocks + GetParam().body);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Words words(64);
    Settings settings;
    settings.races = true;
    settings.seed = seed;
    const std::string fault = run(*program, words, GetParam().blocks, GetParam().threads, settings);
    EXPECT_EQ(fault.starts_with("race"), GetParam().race) << "seed " << seed << ": " << fault;
    EXPECT_TRUE(GetParam().race || fault.empty()) << fault;
  }
}

INSTANTIATE_TEST_SUITE_P(Ptx, Race, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace brokkr::ptx::test
