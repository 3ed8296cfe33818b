// Every collective and lane function of the CPU's machines against scalar answers.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "block_oracle.h"
#include "lane_oracle.h"
#include "machine_entries.h"

#define BROKKR_TEST_MACHINE(isa)           \
  namespace brokkr::isa::machine_workers { \
  machine_test::MachineEntries machine();  \
  }
#if defined(BROKKR_HAVE_ISA_V2)
BROKKR_TEST_MACHINE(v2)
#endif
#if defined(BROKKR_HAVE_ISA_V3)
BROKKR_TEST_MACHINE(v3)
#endif
#if defined(BROKKR_HAVE_ISA_V4)
BROKKR_TEST_MACHINE(v4)
#endif
#if defined(BROKKR_HAVE_ISA_NEON)
BROKKR_TEST_MACHINE(neon)
#endif
#if defined(BROKKR_HAVE_ISA_EMULATED)
BROKKR_TEST_MACHINE(emulated)
#endif

namespace brokkr::machine_test {
namespace {

struct Cpu {
  const char* name;
  bool runs;  // on this processor
  MachineEntries (*machine)();
};
const Cpu kCpus[] = {
#if defined(BROKKR_HAVE_ISA_V2)
    {"v2", __builtin_cpu_supports("sse4.2") != 0, v2::machine_workers::machine},
#endif
#if defined(BROKKR_HAVE_ISA_V3)
    {"v3", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), v3::machine_workers::machine},
#endif
#if defined(BROKKR_HAVE_ISA_V4)
    {"v4",
     __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq"),
     v4::machine_workers::machine},
#endif
#if defined(BROKKR_HAVE_ISA_NEON)
    {"neon", true, neon::machine_workers::machine},
#endif
#if defined(BROKKR_HAVE_ISA_EMULATED)
    {"emulated", true, emulated::machine_workers::machine},
#endif
};

class Machine : public testing::TestWithParam<Cpu> {
 protected:
  void SetUp() override {
    if (!GetParam().runs) GTEST_SKIP() << "this processor lacks " << GetParam().name;
    machine = GetParam().machine();
  }
  MachineEntries machine{};
};

TEST_P(Machine, AnswersAsScalarsDo) {
  const auto out = std::make_unique<LaneAnswers>();
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const LaneInput in = random_input(seed, machine.width);
    clear(*out);
    machine.answer(in, *out);
    ASSERT_EQ(check(machine.width, in, *out), "") << "case " << seed;
  }
}

// exp2, log2 and pow are approximations, but give the same bits on every machine.
TEST_P(Machine, ApproximatesAsTheEmulatedWarpDoes) {
#if defined(BROKKR_HAVE_ISA_EMULATED)
  const auto out = std::make_unique<LaneAnswers>(), emulated = std::make_unique<LaneAnswers>();
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const LaneInput in = random_input(seed, machine.width);
    clear(*out);
    clear(*emulated);
    machine.answer(in, *out);
    emulated::machine_workers::machine().answer(random_input(seed, 32), *emulated);
    for (int lane = 0; lane < machine.width; ++lane) {
      ASSERT_EQ(out->exp2[lane], emulated->exp2[lane]) << in.exponent[lane];
      ASSERT_EQ(out->log2[lane], emulated->log2[lane]) << in.base[lane];
      ASSERT_EQ(out->power[lane], emulated->power[lane]) << in.base[lane] << " to " << in.exponent[lane];
    }
  }
#else
  GTEST_SKIP() << "this build has no emulated machine";
#endif
}

TEST_P(Machine, WarpsOfABlockShareAKeyBuffer) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const auto in = std::make_unique<BlockInput>(random_block_input(seed));
    for (int warps = 1; warps <= machine.max_warps; warps *= 2) {
      const auto out = std::make_unique<BlockAnswers>();
      const std::unique_ptr<void, void (*)(void*)> storage(std::aligned_alloc(64, (machine.storage + 63) / 64 * 64),
                                                           std::free);
      std::memset(storage.get(), 0, machine.storage);
      std::vector<std::thread> threads;
      for (int i = 0; i < warps; ++i) {
        threads.emplace_back([&, i] { machine.share_keys(*in, *out, storage.get(), warps, i); });
      }
      for (std::thread& t : threads) t.join();
      ASSERT_EQ(check(*in, *out, warps), "") << "case " << seed << ", " << warps << " warps";
    }
  }
}

// A buffer may end where the address space ends: a masked access does not touch the other lanes' words.
TEST_P(Machine, MaskedAccessKeepsToItsLanes) {
  const auto page = size_t(sysconf(_SC_PAGESIZE));
  void* const mapped = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  char* const memory = static_cast<char*>(mapped);
  ASSERT_EQ(mprotect(memory, page, PROT_NONE), 0);
  ASSERT_EQ(mprotect(memory + 2 * page, page, PROT_NONE), 0);
  auto* const begin = reinterpret_cast<uint32_t*>(memory + page);
  const auto words = int(page / 4);
  for (int i = 0; i < words; ++i) begin[i] = uint32_t(i);
  for (int n = 1; n < machine.width; ++n) {
    // The last n words, then the first n words, next to the page that must not be touched.
    const uint32_t low = (1u << n) - 1u, high = low << (machine.width - n);
    uint32_t* const first = begin - (machine.width - n);
    uint32_t* const last = begin + (words - n);
    machine.increment_masked(last, last, low);
    machine.increment_masked(first, first, high);
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(last[i], uint32_t(words - n + i) + 1u) << n << " lanes, word " << i;
      ASSERT_EQ(begin[i], uint32_t(i) + 1u) << n << " lanes, word " << i;
      last[i]--;
      begin[i]--;
    }
    ASSERT_EQ(begin[n], uint32_t(n));
    ASSERT_EQ(last[-1], uint32_t(words - n) - 1u);
  }
  munmap(mapped, 3 * page);
}

TEST_P(Machine, TheTableOfSrgbCodesHasTheCodesOfTheFormula) { EXPECT_EQ(machine.wrong_srgb_codes(), 0u); }
TEST_P(Machine, TheTableOfSrgbLightsHasTheColorsOfTheFormula) { EXPECT_EQ(machine.wrong_srgb_lights(), 0u); }

// On CUDA the other lanes would never arrive.
TEST_P(Machine, EndsWhereALaneAloneCallsACollective) {
#if defined(NDEBUG)
  if (std::string(GetParam().name) != "emulated") GTEST_SKIP() << "not looked for in builds without assertions";
#endif
  for (int caller = 0; caller < kCallers; ++caller) {
    for (int collective = 0; collective < kCollectives; ++collective) {
      EXPECT_DEATH(machine.act_alone(caller, collective), "a collective is called where one lane acts alone")
          << "caller " << caller << ", collective " << collective;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Machine, testing::ValuesIn(kCpus),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace brokkr::machine_test
