// Calls through registers, and blocks on several threads of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ptx/ptx_kernel.h"

namespace brokkr::ptx {
namespace {

using test::kernel_of;
using test::run;
using test::Words;

// double_it(x), add_seven(x), and a table of both functions.
const std::string kFunctions = R"(
.func (.param .b32 r) double_it(.param .b32 x)
{
.reg .b32 %r<4>;
ld.param.u32 %r1, [x];
add.u32 %r2, %r1, %r1;
st.param.b32 [r], %r2;
ret;
}
.func (.param .b32 r) add_seven(.param .b32 x)
{
.reg .b32 %r<4>;
ld.param.u32 %r1, [x];
add.u32 %r2, %r1, 7;
st.param.b32 [r], %r2;
ret;
}
.func other(.param .b64 x)
{
ret;
}
.global .align 8 .u64 table[3] = {double_it, add_seven, other};
)";

// words[i] = table[pick](i), where %r2 is `pick`.
std::string calls(const std::string& pick) {
  return "mov.u32 %r1, %tid.x;\n" + pick + R"(
mul.wide.u32 %rd1, %r2, 8;
mov.u64 %rd2, table;
add.u64 %rd3, %rd2, %rd1;
ld.global.u64 %rd4, [%rd3];
{
.param .b32 argument;
.param .b32 result;
st.param.b32 [argument], %r1;
prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
call (result), %rd4, (argument), prototype_0;
ld.param.b32 %r3, [result];
}
mul.wide.u32 %rd5, %r1, 4;
add.u64 %rd6, %rd0, %rd5;
st.global.u32 [%rd6], %r3;
)";
}

TEST(PtxCalls, LanesOfOneWarpCallWhatTheirRegistersSay) {
  const auto program = kernel_of(calls("and.b32 %r2, %r1, 1;"), kFunctions);
  Words words(32);
  ASSERT_EQ(run(*program, words, 1, 32), "");
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(words.at[l], l % 2 == 0 ? 2 * l : l + 7) << l;
}

TEST(PtxCalls, AFunctionOfOtherArgumentsIsAFault) {
  Words words(32);
  const std::string other = run(*kernel_of(calls("mov.u32 %r2, 2;"), kFunctions), words, 1, 32);
  EXPECT_NE(other.find("call of an address that is not a function with these arguments"), std::string::npos) << other;
  EXPECT_NE(other.find("prototype_0"), std::string::npos) << other;
}

// words[0]: additions of all threads; words[1 + number]: how often each number was drawn.
const std::string kDraw = R"(
mov.u32 %r1, 0;
again:
atom.global.add.u32 %r2, [%rd0], 1;
mul.wide.u32 %rd1, %r2, 4;
add.u64 %rd2, %rd0, %rd1;
red.global.add.u32 [%rd2+4], 1;
atom.global.max.u32 %r3, [%rd0+65536], %r2;
atom.global.cas.b32 %r4, [%rd0+65540], %r2, %r1;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 16;
@%p1 bra again;
)";

TEST(PtxCrew, AtomicsOfBlocksOnSeveralThreadsLoseNothing) {
  constexpr uint32_t kBlocks = 8, kThreads = 64, kDraws = kBlocks * kThreads * 16;
  const auto program = kernel_of(kDraw);
  for (const int threads : {1, 4}) {
    Words words(32768);
    Settings s;
    s.threads = threads;
    ASSERT_EQ(run(*program, words, kBlocks, kThreads, s), "");
    EXPECT_EQ(words.at[0], kDraws);
    EXPECT_EQ(std::count(words.at + 1, words.at + 1 + kDraws, 1u), kDraws);
    EXPECT_EQ(words.at[16384], kDraws - 1);
  }
}

// Block 0 waits for a word that the last block releases, and reads the data that the last block wrote before.
const std::string kPass = R"(
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra take;
setp.ne.u32 %p2, %r2, 0;
@%p2 bra end;
st.global.u32 [%rd0+64], 42;
st.release.gpu.global.u32 [%rd0], 1;
bra end;
take:
ld.acquire.gpu.global.u32 %r3, [%rd0];
setp.eq.u32 %p3, %r3, 0;
@%p3 nanosleep.u32 20;
@%p3 bra take;
ld.global.u32 %r4, [%rd0+64];
mul.wide.u32 %rd1, %r2, 4;
add.u64 %rd2, %rd0, %rd1;
st.global.u32 [%rd2+128], %r4;
end:
)";

TEST(PtxCrew, ABlockWaitsForOneOfAnotherThread) {
  Settings s;
  s.threads = 2;
  Words words(128);
  ASSERT_EQ(run(*kernel_of(kPass), words, 2, 32, s), "");
  EXPECT_EQ(std::count(words.at + 32, words.at + 64, 42u), 32);
}

TEST(PtxCrew, AFaultOfOneThreadEndsAll) {
  Settings s;
  s.threads = 4;
  Words words(16);
  // Block 3 traps; the others would spin for ever.
  const std::string fault = run(*kernel_of("mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 trap;\n"
                                           "again:\nld.relaxed.gpu.global.u32 %r2, [%rd0];\n"
                                           "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra again;"),
                                words, 4, 32, s);
  EXPECT_EQ(fault.substr(0, 4), "trap") << fault;
}

TEST(PtxCrew, LanesAreCountedOverAllThreads) {
  const auto program = kernel_of(kDraw);
  std::vector<uint64_t> lanes[2];
  for (const int threads : {1, 3}) {
    Words words(32768);
    Settings s;
    s.threads = threads;
    Machine machine(s);
    machine.count_lanes(true);
    auto* parameters = static_cast<std::byte*>(Memory::instance().allocate(8, kParamRange));
    const uint64_t address = reinterpret_cast<uint64_t>(words.at);
    std::memcpy(parameters, &address, 8);
    Launch launch;
    launch.program = program.get();
    launch.kernel = program->find("kernel");
    launch.grid[0] = 6;
    launch.block[0] = 64;
    launch.resident_blocks = 4;
    launch.parameters = parameters;
    machine.run(launch);
    Memory::instance().free(parameters);
    lanes[threads == 1 ? 0 : 1] = machine.profile().lanes_of_each();
  }
  EXPECT_EQ(lanes[0], lanes[1]);
  EXPECT_EQ(lanes[0][1], 6u * 64);
}

}  // namespace
}  // namespace brokkr::ptx
