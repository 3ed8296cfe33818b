// Softshell's scheduler runs any program of tasks. No task is lost, small tasks share packages, packages are sorted by
// priority, and their memory is freed.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "softshell_launch.h"

namespace brokkr {
#define X(isa)                         \
  inline namespace isa {               \
  namespace softshell_programs {       \
  softshell_test::Programs programs(); \
  }                                    \
  }
BROKKR_HAVE_ISA_LIST
#undef X
}  // namespace brokkr

#include "pipeline/cpu_machine.h"

namespace brokkr::softshell_test {
namespace {

class Softshell : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() != "emulated" && !cpu_supports(GetParam())) GTEST_SKIP() << "not this processor's";
#define X(isa) \
  if (GetParam() == #isa) programs = isa::softshell_programs::programs();
    BROKKR_HAVE_ISA_LIST
#undef X
  }
  Programs programs{};
};

std::vector<std::string> builds() {
  std::vector<std::string> all;
#define X(isa) all.push_back(#isa);
  BROKKR_HAVE_ISA_LIST
#undef X
  return all;
}

void launch(int workers, void (*work)(void*, int), void* data) {
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) threads.emplace_back([=] { work(data, i); });
  for (std::thread& t : threads) t.join();
}

TEST_P(Softshell, TasksThatMakeEachOtherAllRun) {
  const uint32_t n = 20000;
  for (const int workers : {2, 4}) {  // the first worker sorts
    EXPECT_EQ(programs.halving(n, workers, launch), uint64_t(n) * (n + 1) / 2) << workers << " workers";
  }
}

TEST_P(Softshell, SmallTasksOfOneTypeSharePackages) {
  const uint32_t width = uint32_t(programs.width), n = 16 * width;
  // However few tasks are made at a time, a waiting package takes more until it is full.
  for (const int at_once : {1, 3, int(width)}) {
    const Packed all = programs.pack(n, at_once, 1, 1024, launch);
    EXPECT_EQ(all.tasks, n);
    EXPECT_EQ(all.calls, 16u) << at_once << " at once";
    EXPECT_EQ(all.left_over, 0u);
  }
}

TEST_P(Softshell, PackagesThatAreTakenMeanwhileLoseNothing) {
  const uint32_t n = 30000;
  const Packed all = programs.pack(n, 1, 4, 1u << 15, launch);
  EXPECT_EQ(all.refused, 0u);
  EXPECT_EQ(all.tasks, n);
  EXPECT_EQ(all.sum, uint64_t(n) * (n + 1) / 2);
  EXPECT_EQ(all.left_over, 0u);
}

TEST_P(Softshell, AFullQueueIsReportedToWhoEnqueues) {
  const uint32_t width = uint32_t(programs.width);
  const Packed all = programs.pack(100 * width, int(width), 1, 16, launch);
  EXPECT_EQ(all.tasks, 16 * width);
  EXPECT_EQ(all.refused, 84 * width);
  EXPECT_EQ(all.left_over, 0u);
}

TEST_P(Softshell, PackagesAreSortedByPriority) {
  const int n = 400, width = programs.width;
  std::vector<uint32_t> priority(size_t{400});
  for (int i = 0; i < n; ++i) priority[size_t(i)] = uint32_t(i * 7919 % 65521);
  const auto inversions = [&](std::vector<uint32_t> p, int passes) {
    programs.sort(p.data(), n, passes);
    int64_t wrong = 0;
    for (int i = 2 * width; i < n; ++i) {  // the sorter leaves the packages near the front unchanged
      for (int j = i + 1; j < n; ++j) wrong += p[size_t(i)] < p[size_t(j)];
    }
    std::sort(p.begin(), p.end());
    std::vector<uint32_t> expected = priority;
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(p, expected);  // no task is lost or duplicated
    return wrong;
  };
  const int64_t before = inversions(priority, 0);
  EXPECT_GT(before, n);
  EXPECT_LT(inversions(priority, 1), before);
  EXPECT_EQ(inversions(priority, n), 0);
}

INSTANTIATE_TEST_SUITE_P(Builds, Softshell, testing::ValuesIn(builds()), [](const auto& build) { return build.param; });

}  // namespace
}  // namespace brokkr::softshell_test
