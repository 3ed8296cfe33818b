// Decisions over whole trees: leaves that are rated together give the order of leaves that are asked one by one.
#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(Machines, TaskTrees, testing::ValuesIn(machine_names()),
                         [](const auto& machine) { return machine.param; });

}  // namespace
}  // namespace brokkr::schedule_test
