// The resources that a task needs before it starts, and the triangles that may be drawn after some tasks have ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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

// All workers may take this many at once, and the ring must hold them all. If no task is in progress, one may start for
// any ring.
TEST_P(Admissions, TasksUnderWayFitTheirRing) {
  constexpr uint32_t kWindow = 64;
  for (const int workers : {1, 3, 16}) {
    for (const int want : {1, 2, 4}) {
      const uint32_t most = kWindow - uint32_t(workers * want);
      if (most > 0) {
        EXPECT_TRUE(programs.has_room(kWindow, most, workers, want)) << workers << " workers, " << want << " tasks";
      }
      EXPECT_FALSE(programs.has_room(kWindow, most + 1, workers, want)) << workers << " workers, " << want << " tasks";
      EXPECT_TRUE(programs.has_room(kWindow, 0, workers, want)) << workers << " workers, " << want << " tasks";
    }
  }
}

TEST_P(Admissions, ABlockOfTheStoreHasOneOwner) {
  std::mt19937 random(3);
  for (int again = 0; again < 200; ++again) {
    const uint32_t tasks = 1 + uint32_t(random()) % 4, each = 1 + uint32_t(random()) % 9;
    std::vector<uint32_t> used(tasks), owners(tasks * each);
    for (uint32_t& n : used) n = uint32_t(random()) % (each + 1);
    programs.settle(int(tasks), each, used.data(), owners.data());
    EXPECT_EQ(owners, std::vector<uint32_t>(owners.size(), 1)) << tasks << " tasks of " << each << " blocks";
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

// The watermark is the first incomplete task, whatever the order in which tasks end. If tasks are only counted, it is 0
// until all are complete. Runs are longer than a warp, and the ring wraps around several times.
TEST_P(Admissions, TheWatermarkStandsAtTheFirstTaskThatIsNotComplete) {
  constexpr uint32_t kWindow = 128, kTasks = 417;
  std::mt19937 random(7);
  for (int again = 0; again < 20; ++again) {
    std::vector<TasksDone> under_way, ranges;
    std::vector<bool> complete(kTasks);
    std::vector<uint32_t> expected;
    uint32_t next = 0, mark = 0;
    while (mark < kTasks) {
      const uint32_t count =
          std::min({1 + uint32_t(random()) % uint32_t(programs.width), kTasks - next, mark + kWindow - next});
      if (count != 0 && random() % 3 != 0) {
        under_way.push_back({next, count});
        next += count;
        continue;
      }
      if (under_way.empty()) continue;
      std::swap(under_way[random() % under_way.size()], under_way.back());
      const TasksDone range = under_way.back();
      under_way.pop_back();
      std::fill_n(complete.begin() + range.first, range.count, true);
      while (mark < kTasks && complete[mark]) ++mark;
      ranges.push_back(range);
      expected.push_back(mark);
    }
    std::vector<uint32_t> marks(ranges.size());
    programs.complete(kTasks, kWindow, false, ranges.data(), int(ranges.size()), marks.data());
    EXPECT_EQ(marks, expected);
    std::fill(expected.begin(), expected.end() - 1, 0u);
    programs.complete(kTasks, kWindow, true, ranges.data(), int(ranges.size()), marks.data());
    EXPECT_EQ(marks, expected) << "counted";
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Admissions, testing::ValuesIn(machine_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace brokkr::schedule_test
