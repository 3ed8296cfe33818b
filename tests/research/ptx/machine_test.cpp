// The interpreter's handling of lanes: they diverge and meet, wait for each other, and stop with a message if they
// cannot go on.
#include <gtest/gtest.h>

#include "ptx_kernel.h"

namespace brokkr::ptx::test {
namespace {

constexpr const char* kThread =
    "mov.u32 %r0, %tid.x; mov.u32 %r2, %laneid; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n";

std::string fault_of(const std::string& body, uint32_t blocks = 1, uint32_t threads = 32, Settings settings = {}) {
  Words words(256);
  return run(*kernel_of(kThread + body), words, blocks, threads, settings);
}

TEST(PtxMachine, LanesPartAndMeet) {
  const auto program = kernel_of(std::string(kThread) +
                                 "and.b32 %r3, %r2, 3; mov.u32 %r4, 0;\n"
                                 "again: add.u32 %r4, %r4, %r3; sub.u32 %r3, %r3, 1; setp.gt.s32 %p0, %r3, 0;\n"
                                 "@%p0 bra again; redux.sync.add.s32 %r5, %r4, -1;\n"
                                 "mad.lo.u32 %r6, %r4, 1000, %r5; st.global.u32 [%rd1], %r6;");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Words words(32);
    Settings settings;
    settings.seed = seed;
    ASSERT_EQ(run(*program, words, 1, 32, settings), "");
    for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(words.at[l], (l % 4) * (l % 4 + 1) / 2 * 1000 + 8 * 10) << l;
  }
}

// Half of a warp spins until the other half has written. On a GPU since Volta both make progress.
TEST(PtxMachine, ALaneMayWaitForAnother) {
  const std::string body =
      "setp.lt.u32 %p0, %r2, 16; @%p0 bra last;\n"
      "again: ld.acquire.gpu.global.u32 %r3, [%rd0]; setp.eq.u32 %p1, %r3, 0; @%p1 bra again; bra end;\n"
      "last: setp.eq.u32 %p2, %r2, 3; @%p2 st.release.gpu.global.u32 [%rd0], 1; end:";
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Settings settings;
    settings.seed = seed;
    settings.limit = 10'000'000;
    EXPECT_EQ(fault_of(body, 1, 32, settings), "");
  }
}

TEST(PtxMachine, ACollectiveThatNotAllLanesReachIsADeadlock) {
  const std::string fault = fault_of(
      "setp.lt.u32 %p0, %r2, 5; @%p0 bra end; vote.sync.ballot.b32 %r3, %p0, -1; st.global.u32 [%rd1], %r3; bra out;\n"
      "end: bar.sync 1; out:");
  EXPECT_TRUE(fault.starts_with("deadlock: no lane can continue")) << fault;
  EXPECT_NE(fault.find("lanes 0-4, waits at a barrier"), std::string::npos) << fault;
  EXPECT_NE(fault.find("lanes 5-31, waits for lanes"), std::string::npos) << fault;
  EXPECT_NE(fault.find("vote.sync.ballot.b32"), std::string::npos) << fault;
}

TEST(PtxMachine, LanesThatHaveEndedAreNotWaitedFor) {
  EXPECT_EQ(fault_of("setp.lt.u32 %p0, %r2, 5; @%p0 bra end; vote.sync.ballot.b32 %r3, %p0, -1; end:"), "");
}

TEST(PtxMachine, ABarrierCountsVotes) {
  const auto program = kernel_of(std::string(kThread) +
                                 "setp.lt.u32 %p0, %r0, 40; bar.red.popc.u32 %r3, 0, %p0; st.global.u32 [%rd1], %r3;");
  Words words(96);
  ASSERT_EQ(run(*program, words, 1, 96), "");
  EXPECT_EQ(words.copy(), std::vector<uint32_t>(96, 40));
}

TEST(PtxMachine, FaultsNameWhatAndWhere) {
  const struct {
    const char *body, *begin, *place;
  } cases[] = {
      {"st.global.u32 [%rd0+1024], %r0;", "access out of bounds to 4 bytes", "lane 0: kernel, PTX line"},
      {"st.global.u32 [%rd0+2], %r0;", "misaligned access to 4 bytes", "st.global.u32"},
      {"st.shared.u32 [shared+8192], %r0;", "access out of bounds to 4 bytes", "st.shared.u32"},
      {"mov.u64 %rd2, 0; ld.global.u32 %r3, [%rd2];", "access out of bounds to 4 bytes", "there is no allocation"},
      {"setp.eq.u32 %p0, %r2, 7; @%p0 trap;", "trap", "lane 7"},
      {"tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f0, %f1}];", "instruction that the interpreter does not know",
       "tex.2d.v4.f32.f32"},
      {"bar.warp.sync 2;", "the mask of the collective does not name the lane itself", "bar.warp.sync"},
  };
  for (const auto& c : cases) {
    const std::string fault = fault_of(c.body);
    EXPECT_TRUE(fault.starts_with(c.begin)) << c.body << " -> " << fault;
    EXPECT_NE(fault.find(c.place), std::string::npos) << c.body << " -> " << fault;
  }
}

// Lanes access neighbouring words, the same words in another order, scattered ones, or one word; all lanes or some.
// Loads and stores of 32 and 64 bits and of vectors, in global and shared memory, and by generic addresses.
TEST(PtxMachine, AccessesOfAllLanesAreThoseOfEachLane) {
  const std::string set = "mad.lo.u32 %r4, %r0, 17, 5; st.global.u32 [%rd1], %r4;\n";
  const char* const orders[] = {"mov.u32 %r5, %r0;", "sub.u32 %r5, 31, %r0;",
                                "mul.lo.u32 %r5, %r0, 7; and.b32 %r5, %r5, 31;", "mov.u32 %r5, 13;"};
  const auto source = [](int order, uint32_t l) {
    return order == 0 ? l : order == 1 ? 31 - l : order == 2 ? l * 7 % 32 : 13;
  };
  for (int order = 0; order < 4; ++order) {
    for (const uint32_t mask : {~0u, 0x0f0ff0f1u, 0x80000000u, 0x00000003u}) {
      SCOPED_TRACE("order " + std::to_string(order) + ", lanes " + std::to_string(mask));
      const auto program =
          kernel_of(kThread + set + "bar.warp.sync -1;" + orders[order] +
                    "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd2, %rd0, %rd2; mov.u32 %r6, 9; mov.u32 %r7, 9; mov.u32 %r8, "
                    "9; mov.u32 %r9, 9;\n"
                    "mov.u32 %r10, " +
                    std::to_string(mask) +
                    "; shr.u32 %r10, %r10, %r0; and.b32 %r10, %r10, 1; setp.ne.u32 %p0, %r10, 0;\n"
                    "@%p0 ld.global.u32 %r6, [%rd2];\n"
                    "mov.u32 %r11, shared; shl.b32 %r12, %r5, 3; add.u32 %r12, %r11, %r12; shl.b32 %r13, %r0, 3; "
                    "add.u32 %r13, %r11, %r13;\n"
                    "st.shared.v2.u32 [%r13], {%r4, %r0}; bar.warp.sync -1;\n"
                    "@%p0 ld.shared.v2.u32 {%r7, %r8}, [%r12];\n"
                    "cvta.shared.u64 %rd3, %r12; @%p0 ld.u64 %rd4, [%rd3]; @%p0 cvt.u32.u64 %r9, %rd4;\n"
                    "add.u64 %rd5, %rd1, 128; st.global.u32 [%rd5], %r6; st.global.u32 [%rd5+128], %r7; st.global.u32 "
                    "[%rd5+256], %r8;\n"
                    "st.global.u32 [%rd5+384], %r9; @%p0 st.global.u32 [%rd2+640], %r0;");
      Words words(256);
      ASSERT_EQ(run(*program, words, 1, 32), "");
      std::vector<uint32_t> last(32, 0);  // the lane with the highest number stores last
      for (uint32_t l = 0; l < 32; ++l) {
        const uint32_t from = source(order, l);
        const bool is_active = (mask >> l & 1) != 0;
        if (is_active) last[from] = l;
        EXPECT_EQ(words.at[32 + l], is_active ? from * 17 + 5 : 9) << l;
        EXPECT_EQ(words.at[64 + l], is_active ? from * 17 + 5 : 9) << l;
        EXPECT_EQ(words.at[96 + l], is_active ? from : 9) << l;
        EXPECT_EQ(words.at[128 + l], is_active ? from * 17 + 5 : 9) << l;
      }
      for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(words.at[160 + l], last[l]) << l;
    }
  }
}

// The lane with the wrong address is named, also if it is neither the first nor the last.
TEST(PtxMachine, AWrongAddressAmongManyNamesItsLane) {
  const std::string move = "mov.u64 %rd2, %rd1; setp.eq.u32 %p0, %r2, 21;\n";
  for (const char* const access :
       {"ld.global.u32 %r3, [%rd2];", "st.global.u32 [%rd2], %r0;", "atom.global.add.u32 %r3, [%rd2], 1;"}) {
    const std::string out = fault_of(move + "@%p0 add.u64 %rd2, %rd2, 4096;" + access);
    EXPECT_TRUE(out.starts_with("access out of bounds to 4 bytes")) << out;
    EXPECT_NE(out.find("lane 21: kernel"), std::string::npos) << out;
    const std::string odd = fault_of(move + "@%p0 add.u64 %rd2, %rd2, 2;" + access);
    EXPECT_TRUE(odd.starts_with("misaligned access to 4 bytes")) << odd;
    EXPECT_NE(odd.find("lane 21: kernel"), std::string::npos) << odd;
  }
}

TEST(PtxMachine, ALivelockIsGivenUp) {
  Settings settings;
  settings.limit = 1000;
  EXPECT_TRUE(fault_of("again: bra again;", 1, 32, settings).starts_with("given up after"));
}

TEST(PtxMachine, AnUnreadableModuleNamesItsLine) {
  try {
    kernel_of("add.u32 %r0, %r1, %missing;");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "PTX line 12: name '%missing'");
  }
}

// A flag that is published without order: with some seed, a thread must see the flag but not the word.
TEST(PtxMachine, WeakMemoryFindsAMissingReleaseOrAcquire) {
  const auto wrong = [](const char* store, const char* load) {
    const auto program = kernel_of(std::string("mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r9, 0;\n"
                                               "setp.eq.u32 %p0, %r1, 0; @%p0 bra writer;\n"
                                               "reader: ") +
                                   load +
                                   " %r3, [%rd0+512]; setp.le.u32 %p1, %r3, %r9; @%p1 bra reader;\n"
                                   "ld.relaxed.gpu.global.u32 %r4, [%rd0]; setp.lt.u32 %p2, %r4, %r3;\n"
                                   "@%p2 red.relaxed.gpu.global.add.u32 [%rd0+768], 1; mov.u32 %r9, %r3;\n"
                                   "setp.lt.u32 %p3, %r3, 200; @%p3 bra reader; bra end;\n"
                                   "writer: add.u32 %r9, %r9, 1; st.relaxed.gpu.global.u32 [%rd0], %r9; " +
                                   store + " [%rd0+512], %r9; setp.lt.u32 %p3, %r9, 200; @%p3 bra writer; end:");
    uint32_t sum = 0;
    for (uint64_t seed = 1; seed < 10; ++seed) {
      Words words(256);
      Settings settings;
      settings.seed = seed, settings.held_stores = 6, settings.stale_loads = true;
      EXPECT_EQ(run(*program, words, 2, 1, settings), "");
      sum += words.at[192];
    }
    return sum;
  };
  EXPECT_EQ(wrong("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32"), 0u);
  EXPECT_GT(wrong("st.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32"), 0u);
  EXPECT_GT(wrong("st.release.gpu.global.u32", "ld.relaxed.gpu.global.u32"), 0u);
}

}  // namespace
}  // namespace brokkr::ptx::test
