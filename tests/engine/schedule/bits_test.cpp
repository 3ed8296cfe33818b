// The bits of rasterizers: a decision that reads them finds all work and reads no more bits than needed.
#include <gtest/gtest.h>

#include <functional>

#include "schedule_launch.h"

namespace brokkr::schedule_test {
namespace {

class Bits : public testing::TestWithParam<std::string> {
 protected:
  Programs programs = programs_of(GetParam());
};

// With fewer rasterizers than are read together, with one more than a word has bits, and with more words than a warp
// has lanes.
TEST_P(Bits, LeadADecisionToTheOneThatHasWork) {
  for (const uint32_t rasterizers : {1u, 33u, 128u, 510u, 1100u, 3000u}) {
    for (const Work work : {Work::elements, Work::awake, Work::end}) {
      for (uint32_t begin = 0; begin < rasterizers; begin += 1 + rasterizers / 29) {
        for (uint32_t r = 0; r < rasterizers; r += 1 + rasterizers / 37) {
          ASSERT_EQ(programs.find(rasterizers, begin, r, work), int(r))
              << "of " << rasterizers << " from " << begin << " on, work " << int(work);
        }
        ASSERT_EQ(programs.find(rasterizers, begin, rasterizers, work), -1) << "of " << rasterizers;
      }
    }
  }
}

void launch_threads(int workers, void (*work)(void*, int), void* data) {
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) threads.emplace_back(work, data, i);
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Bits, LeaveNoElementBehind) {
  for (const uint32_t rasterizers : {1u, 64u})
    EXPECT_EQ(programs.take(rasterizers, 5000, 3, launch_threads), 15000u) << rasterizers << " rasterizers";
}

INSTANTIATE_TEST_SUITE_P(Machines, Bits, testing::ValuesIn(machine_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace brokkr::schedule_test
