// Decisions over whole trees: leaves that are rated together give the same order as leaves that are asked one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "schedule_launch.h"

namespace brokkr::schedule_test {
namespace {

class TaskTrees : public testing::TestWithParam<std::string> {};

std::vector<uint32_t> order_of(const Programs& programs, const std::string& name) {
  Launch r(programs, name);
  uint32_t draw = 1;
  for (uint32_t i = 0; i < 700; ++i) {
    draw = draw * 1664525u + 1013904223u;
    r.seeds.push_back({draw >> 8, i, 0, draw >> 31});
  }
  r.capacity = 1024;
  r.respawns = 300;
  r.go();
  EXPECT_EQ(r.log.size(), 1000u) << name;
  EXPECT_EQ(r.refusals, 0u) << name;
  return r.log;
}

TEST_P(TaskTrees, AreRatedTogetherAsOneByOne) {
  const Programs programs = programs_of(GetParam());
  for (const char* name : {"nested", "many kinds"})
    EXPECT_EQ(order_of(programs, name), order_of(programs, std::string(name) + ", one by one")) << name;
}

TEST_P(TaskTrees, TiesGoToTheFirstChild) {
  const Programs programs = programs_of(GetParam());
  for (const char* name : {"tied", "tied, one by one"}) {
    Launch r(programs, name);
    for (uint32_t i = 0; i < 20; ++i) r.seeds.push_back({0, 0, 0, i % 2});
    r.go();
    ASSERT_EQ(r.log.size(), 20u) << name;
    EXPECT_EQ(r.seeds[r.log[0]].kind, 0u) << name;
  }
}

// A measurement without checks. It gives the rows of docs/research/results/schedule/decisions.csv, which
// docs/research/scheduling.md explains.
TEST_P(TaskTrees, DISABLED_DecisionsPerSecond) {
  const Programs programs = programs_of(GetParam());
  for (const std::string shape : {"fifo", "discretized", "discretized 80", "nested", "many kinds"}) {
    for (const bool together : {false, true}) {
      const bool both = shape == "nested" || shape == "many kinds";
      if (!both && !together) continue;
      double least = 1e30;
      int leaves = 0;
      for (int run = 0; run < 5; ++run) {
        Launch r(programs, shape + (both && !together ? ", one by one" : ""));
        leaves = r.program().leaves;
        for (uint32_t i = 0; i < 64; ++i) r.seeds.push_back({i * 0x3ffffu, 0, 0, i & 1u});
        r.capacity = 256;
        r.respawns = 20000;
        const std::clock_t begin = std::clock();
        r.go();
        least = std::min(least, double(std::clock() - begin) / CLOCKS_PER_SEC / double(r.calls));
      }
      std::printf("decisions,%s,%d,%s,%d,%s,%.3f\n", GetParam().c_str(), programs.width, shape.c_str(), leaves,
                  together ? "one reduction" : "bucket by bucket", 1e-6 / least);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, TaskTrees, testing::ValuesIn(machine_names()),
                         [](const auto& machine) { return machine.param; });

}  // namespace
}  // namespace brokkr::schedule_test
