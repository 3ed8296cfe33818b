// Programs on real threads: no policy loses a task; aggregation, refusals, and programs with several task types.
#include <gtest/gtest.h>

#include <algorithm>

#include "schedule_launch.h"

namespace brokkr::schedule_test {
namespace {

class TaskPrograms : public testing::TestWithParam<std::string> {
 protected:
  Programs programs() const { return programs_of(GetParam()); }
};

void launch(int workers, void (*work)(void*, int), void* data) {
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) threads.emplace_back([=] { work(data, i); });
  for (std::thread& t : threads) t.join();
}

TEST_P(TaskPrograms, EveryTaskRunsOnce) {
  const Programs all = programs();
  for (int p = 0; p < all.count; ++p) {
    Launch r(all, all.all[p].name);
    const uint32_t n = 300;
    for (uint32_t i = 0; i < n; ++i) r.seeds.push_back({i % 4, (i * 37) % 1500, 0, i & 1u});
    r.workers = 4;
    r.respawns = 2000;
    r.capacity = 512;
    r.shared.assign(size_t(r.program().shared), 1);
    r.user.assign(10, 1);
    r.go();
    EXPECT_EQ(r.log.size(), n + r.respawns) << r.program().name;
    EXPECT_EQ(r.refusals, 0u) << r.program().name;
    std::vector<uint32_t> times(n);
    for (const uint32_t id : r.log) ++times[id];
    EXPECT_GE(*std::min_element(times.begin(), times.end()), 1u) << r.program().name;
  }
}

TEST_P(TaskPrograms, TasksOfOneTypeFillTheWarp) {
  const uint32_t width = uint32_t(programs().width);
  const auto lanes_per_call = [&](const char* name) {
    Launch r(programs(), name);
    for (uint32_t i = 0; i < 16 * width; ++i) r.seeds.push_back({0, 0, 0, i & 1u});
    r.capacity = 1024;
    r.go();
    EXPECT_EQ(r.lanes, 16 * width);
    return double(r.lanes) / r.calls;
  };
  EXPECT_EQ(lanes_per_call("kinds apart"), width);
  EXPECT_EQ(lanes_per_call("kinds mixed"), width / 2.0);  // two types share each batch of taken tasks
}

TEST_P(TaskPrograms, AFullQueueIsReportedToWhoEnqueues) {
  for (const uint32_t workers : {1u, 3u}) {
    Launch r(programs(), "round-robin");
    for (uint32_t i = 0; i < 500; ++i) r.seeds.push_back({i % 4, 0, 0, 0});
    r.capacity = 16;
    r.workers = workers;
    r.go();
    if (workers == 1) {  // all are put before the first is taken
      EXPECT_EQ(r.log.size(), 4 * 16u);
    }
    EXPECT_EQ(r.log.size() + r.refused.size(), 500u);
    EXPECT_EQ(r.refusals, r.refused.size());
    std::vector<uint32_t> all = r.log;
    all.insert(all.end(), r.refused.begin(), r.refused.end());
    std::sort(all.begin(), all.end());
    for (uint32_t i = 0; i < 500; ++i) EXPECT_EQ(all[i], i);
  }
}

TEST_P(TaskPrograms, SeveralTaskTypesThatMakeEachOther) {
  const uint32_t n = 20000;
  const uint64_t sum = uint64_t(n) * (n + 1) / 2;
  for (const int workers : {1, 4})
    EXPECT_EQ(programs().halving(HalvingQueues::per_type, n, workers, launch), sum) << workers << " workers";
  EXPECT_EQ(programs().halving(HalvingQueues::monolithic, n, 4, launch), sum) << "one sorted queue";
}

// All tasks find room in the queues of the worker that makes them, as those of the program are too small.
TEST_P(TaskPrograms, WorkersHaveQueuesOfTheirOwn) {
  for (const int workers : {1, 4})
    EXPECT_EQ(programs().halving(HalvingQueues::own, 1000, workers, launch), 500500u) << workers << " workers";
}

INSTANTIATE_TEST_SUITE_P(Machines, TaskPrograms, testing::ValuesIn(machine_names()),
                         [](const auto& machine) { return machine.param; });

}  // namespace
}  // namespace brokkr::schedule_test
