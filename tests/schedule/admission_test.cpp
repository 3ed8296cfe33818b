// What a task needs before it starts, and what may be drawn when some have ended.
#include <gtest/gtest.h>

#include "schedule_launch.h"

namespace brokkr::schedule_test {
namespace {

class Admissions : public testing::TestWithParam<std::string> {
 protected:
  Programs programs = programs_of(GetParam());
};

TEST_P(Admissions, ATaskStartsWithAllBlocksThatItMayNeed) {
  constexpr uint32_t kEach = 7;
  struct Row {
    uint32_t free_blocks;
    int want;
    uint32_t tasks;
  };
  for (const Row& row : {Row{0, 1, 0}, Row{1, 1, 0}, Row{6, 1, 0}, Row{7, 1, 1}, Row{6, 3, 0}, Row{7, 3, 1},
                         Row{20, 3, 1}, Row{21, 3, 3}, Row{500, 3, 3}, Row{500, 8, 8}}) {
    const Admission got = programs.admit(row.free_blocks, kEach, row.want);
    EXPECT_EQ(got.tasks, row.tasks) << row.want << " of " << row.free_blocks;
    EXPECT_EQ(got.stock, row.tasks * kEach) << row.want << " of " << row.free_blocks;
    EXPECT_EQ(got.refused, row.tasks == 0) << row.want << " of " << row.free_blocks;
  }
}

TEST_P(Admissions, NothingAboveTheWatermarkCountsAsComplete) {
  constexpr uint32_t kTasks = 10, kBatches = 38;
  for (uint32_t complete = 0; complete < kTasks; ++complete) {
    const Mark mark = programs.mark(complete, kTasks, kBatches);
    EXPECT_EQ(mark.tasks, complete);
    EXPECT_EQ(mark.batches, complete * 4);
  }
  EXPECT_EQ(programs.mark(kTasks, kTasks, kBatches).batches, kBatches) << "the last task has fewer batches";
}

INSTANTIATE_TEST_SUITE_P(Machines, Admissions, testing::ValuesIn(machine_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace brokkr::schedule_test
