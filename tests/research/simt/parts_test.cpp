// Caches, banks, coalescing, warps of spawned threads, the performance model and configurations, each tested
// separately.
#include <gtest/gtest.h>

#include "simt/core.h"
#include "simt/memory_model.h"
#include "timed.h"

namespace brokkr::simt::test {
namespace {

TEST(SimtParts, ACacheForgetsWhatWasUsedLongestAgo) {
  Cache cache({CacheConfig::Kind::sets, 256, 2, 0}, 64);  // two sets of two lines
  EXPECT_FALSE(cache.access(0, false, true).hit);
  EXPECT_FALSE(cache.access(128, false, true).hit);
  EXPECT_TRUE(cache.access(32, false, true).hit);
  EXPECT_FALSE(cache.access(256, false, true).hit);  // replaces 128
  EXPECT_TRUE(cache.access(0, true, true).hit);
  EXPECT_FALSE(cache.access(128, false, true).hit);        // replaces 256
  EXPECT_TRUE(cache.access(256, false, true).wrote_back);  // replaces 0, which is dirty
  EXPECT_FALSE(cache.access(64, false, false).hit);
  EXPECT_FALSE(cache.access(64, false, false).hit);  // the line was not loaded
}

TEST(SimtParts, BanksServeAWordToManyAndManyWordsInTurn) {
  EXPECT_EQ(bank_cycles({0, 4, 8, 12}, 4, 16), 1u);
  EXPECT_EQ(bank_cycles({0, 0, 0, 2}, 2, 16), 1u);
  EXPECT_EQ(bank_cycles({0, 64, 128, 4}, 4, 16), 3u);
  EXPECT_EQ(bank_cycles({0, 16, 32, 48}, 16, 16), 4u);  // four words each, without conflicts
  EXPECT_EQ(bank_cycles({0, 64, 128, 192}, 16, 16), 16u);
}

TEST(SimtParts, SegmentsAreAskedForOnce) {
  std::vector<uint64_t> out;
  coalesce({0, 4, 60, 64, 30}, 4, 32, out);
  EXPECT_EQ(out, (std::vector<uint64_t>{0, 32, 64}));  // bytes 30 to 33 are in two segments that were already requested
}

std::vector<SpawnedThread> threads_of(uint32_t first, uint32_t count) {
  std::vector<SpawnedThread> all;
  for (uint32_t i = 0; i < count; ++i) all.push_back({first + i, {0, first + i}, first + i});
  return all;
}

// [Steffen12, 5.3]: threads that do not fit the warp begin the next one, at the second address.
TEST(SimtParts, SpawnedThreadsFillWarps) {
  SpawnUnit unit(16, 4, 2);
  EXPECT_EQ(SpawnUnit::places(16, 4, 2), 2u * (16 + 4));
  EXPECT_EQ(unit.spawn(100, threads_of(0, 3)), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(unit.spawn(50, threads_of(3, 2)), (std::vector<uint32_t>{8, 9}));
  EXPECT_FALSE(unit.has_warp());
  EXPECT_EQ(unit.spawn(100, threads_of(5, 3)), (std::vector<uint32_t>{3, 4, 5}));
  ASSERT_TRUE(unit.has_warp());
  const FormedWarp full = unit.take();
  EXPECT_EQ(full.pc, 100u);
  ASSERT_EQ(full.threads.size(), 4u);
  EXPECT_EQ(full.threads[3].state, 5u);
  EXPECT_FALSE(unit.has_warp());
  // Remaining parts: the lowest pc comes first.
  ASSERT_TRUE(unit.has_part());
  const FormedWarp low = unit.flush(), high = unit.flush();
  EXPECT_EQ(low.pc, 50u);
  EXPECT_EQ(low.threads.size(), 2u);
  EXPECT_EQ(high.pc, 100u);
  EXPECT_EQ(high.threads[1].state, 7u);
  EXPECT_FALSE(unit.has_part());
}

TEST(SimtParts, PlacesAreUsedAgain) {
  SpawnUnit unit(16, 4, 1);
  for (uint32_t i = 0; i < 100; ++i) {
    unit.spawn(1, threads_of(4 * i, 4));
    ASSERT_TRUE(unit.has_warp());
    EXPECT_EQ(unit.take().threads[0].state, 4 * i);
  }
}

// [Steffen12, eq. 6.1] and [Steffen12, eq. 6.2] with 8 warps. One thread in four takes the long path.
TEST(SimtParts, TheModelComparesIssues) {
  const BranchCost cost{.path1 = 1000, .path2 = 10, .after = 20, .store = 4, .restore = 6};
  const BranchCount count{8, 64, 192};
  EXPECT_EQ(stack_cost(cost, count), 8u * 1030);
  EXPECT_EQ(spawn_cost(cost, count, 32), 2u * 1020 + 6u * 30 + 8u * 4 + 8u * 6 + 8u * 10);
  DivergenceModel model(32);
  for (uint32_t i = 0; i < 7; ++i) model.arrive(5, cost, 8, 24);
  EXPECT_TRUE(model.leave(5, 8, 24));
  // A single warp gains only work.
  DivergenceModel alone(32);
  alone.arrive(5, cost, 8, 24);
  EXPECT_FALSE(alone.leave(5, 8, 24));
}

std::string refusal(const std::string& text) {
  try {
    read_config(text, "my.json");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(SimtParts, AMachineIsAFileWhoseFaultsAreNamed) {
  EXPECT_EQ(refusal(R"({"cores": 4, "memory": {"channels": 2}})"), "");
  EXPECT_NE(refusal(R"({"coers": 4})").find("my.json: coers is not a field (did you mean 'cores'?)"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"memory": {"channels": 0}})").find("memory.channels is not a whole number of 1"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"policy": "mimd"})").find("pdom, parallel"), std::string::npos);
  EXPECT_NE(refusal(R"({"l1": {"kind": "sets"}})").find("needs ways"), std::string::npos);
  EXPECT_NE(refusal(R"({"lanes": 32, "warp": 16})").find("lanes is more than warp"), std::string::npos);
  EXPECT_EQ(refusal(""), refusal(" \n"));
  EXPECT_NE(refusal("").find("my.json: field 'JSON': it is empty; write"), std::string::npos);
  EXPECT_NE(refusal("{\"cores\":\n").find("my.json: field 'JSON': parse error at line 2, column 1: "),
            std::string::npos);
  EXPECT_EQ(refusal("{").find("json.exception"), std::string::npos);
  for (const std::string& name : config_names()) EXPECT_EQ(find_config(name).name, name);
  EXPECT_THROW(find_config("thesis-9"), std::runtime_error);
}

// Each thread of this kernel spawns a child, which writes the state that it inherited.
constexpr const char* kSpawning = R"(
.extern .func brokkr_simt_spawn(.param .b64 kernel_name, .param .b64 state);
.extern .func (.param .b64 out) brokkr_simt_state();
.global .align 1 .b8 child_name[6] = {99, 104, 105, 108, 100, 0};
.visible .entry child(.param .u64 words) {
.reg .b32 %c<4>; .reg .b64 %cd<8>;
ld.param.u64 %cd0, [words]; mov.u32 %c0, %tid.x;
{ .param .b64 r; call.uni (r), brokkr_simt_state, (); ld.param.b64 %cd1, [r]; }
ld.u32 %c1, [%cd1]; mul.wide.u32 %cd2, %c0, 4; add.u64 %cd2, %cd0, %cd2; st.global.u32 [%cd2], %c1; ret;
}
)";
constexpr const char* kSpawnBody = R"(
mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 3;
{ .param .b64 r; call.uni (r), brokkr_simt_state, (); ld.param.b64 %rd1, [r]; }
st.u32 [%rd1], %r1; mov.u64 %rd2, child_name; cvta.global.u64 %rd2, %rd2;
{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd2; st.param.b64 [b], %rd1; call.uni brokkr_simt_spawn, (a, b); }
)";

TEST(SimtParts, AThreadGoesOnAsItsChild) {
  const auto program = ptx::test::kernel_of(kSpawnBody, kSpawning);
  Config c = plain_machine();
  ptx::test::Words words(128);
  EXPECT_THROW(time_kernel(*program, c, words, 1, 100), ptx::Fault);  // there is no spawn memory
  c.spawn = {.bytes = 65536, .state_bytes = 16, .conflicts = false};
  const Statistics s = time_kernel(*program, c, words, 1, 100);
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(words.at[i], 3 * i) << i;
  EXPECT_EQ(s.spawned, 100u);
  EXPECT_EQ(s.spawned_warps, 4u);
  EXPECT_EQ(s.flushed_warps, 1u);  // the last four threads do not fill a warp
  // A machine without timing has no such functions.
  EXPECT_NE(ptx::test::run(*program, words, 1, 32).find("brokkr_simt_state is a function of a machine"),
            std::string::npos);
}

}  // namespace
}  // namespace brokkr::simt::test
