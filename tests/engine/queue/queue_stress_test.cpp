// Many warps on real threads: no element is lost or duplicated, and each producer's elements stay in order, with every
// function.
#include <gtest/gtest.h>

#include "cpu_machines.h"
#include "queue_harness.h"

namespace brokkr::queue_test {
namespace {

class QueueStress : public testing::TestWithParam<std::tuple<CpuMachine, Discipline>> {
 protected:
  void SetUp() override {
    const CpuMachine& cpu = std::get<0>(GetParam());
    if (!cpu.runs) GTEST_SKIP() << "this processor lacks " << cpu.name;
    machine = cpu.machine();
  }
  template <int kWords>
  std::string stress(StressCase c) {
    c.discipline = std::get<1>(GetParam());
    if (kThreadSanitizer) c.per_producer = std::max(c.per_producer / 20, 200u);
    c.start = 0u - uint32_t(c.producers) * c.per_producer / uint32_t(2 * c.queues);  // tickets wrap around half-way
    return run_stress<kWords>(c, allocate, [&](const Plan<kWords>& plan, int workers) {
      return run_threads(workers, plan.memory.abort, &plan.memory.control->head,
                         [&](int i) { machine.entries<kWords>().run_worker(plan, i); });
    });
  }
  // Elements of 4, 16 and 64 bytes.
  void stress_all(const StressCase& c) {
    EXPECT_EQ(stress<1>(c), "");
    EXPECT_EQ(stress<4>(c), "");
    EXPECT_EQ(stress<16>(c), "");
  }
  QueueMachine machine{};
};

TEST_P(QueueStress, OneToOne) { stress_all({.producers = 1, .consumers = 1, .per_producer = 20000, .capacity = 128}); }

TEST_P(QueueStress, ManyToMany) { stress_all({.producers = 3, .consumers = 3, .per_producer = 2000, .capacity = 64}); }

TEST_P(QueueStress, OscillatesBetweenFullAndEmpty) {
  for (const uint32_t capacity : {2u, 4u}) {
    for (const Get get : {Get::uniform, Get::lanes, Get::mixed}) {
      stress_all(
          {.producers = 2, .consumers = 2, .per_producer = 500, .capacity = capacity, .put = Put::lanes, .get = get});
    }
  }
}

TEST_P(QueueStress, WarpsInAndOut) {
  for (const uint32_t capacity : {32u, 1024u}) {
    stress_all({.producers = 2,
                .consumers = 2,
                .per_producer = 20000,
                .capacity = capacity,
                .put = Put::lanes,
                .get = Get::lanes});
  }
}

TEST_P(QueueStress, WarpsInElementsOut) {
  stress_all({.producers = 2, .consumers = 3, .per_producer = 2000, .capacity = 16, .put = Put::lanes});
  stress_all({.producers = 3, .consumers = 2, .per_producer = 2000, .capacity = 16, .get = Get::lanes});
}

TEST_P(QueueStress, ScatterToManyQueues) {
  for (const int queues : {1, 4, 64}) {
    stress_all({.producers = 2,
                .consumers = 2,
                .per_producer = 10000,
                .queues = queues,
                .capacity = 128,
                .put = Put::scatter,
                .get = Get::lanes});
  }
}

TEST_P(QueueStress, ReservedAmongOthers) {
  for (const uint32_t capacity : {8u, 64u}) {
    stress_all({.producers = 2,
                .consumers = 3,
                .per_producer = 2000,
                .queues = 2,
                .capacity = capacity,
                .put = Put::lanes,
                .get = Get::mixed});
    stress_all({.producers = 2,
                .consumers = 3,
                .per_producer = 2000,
                .capacity = capacity,
                .put = Put::uniform,
                .get = Get::all});
  }
}

TEST_P(QueueStress, StoreOfSlots) {
  const auto recycle = [&](auto words, uint32_t slots) {
    constexpr int kWords = decltype(words)::value;
    return run_recycling<kWords>(slots, 4, kThreadSanitizer ? 300 : 4000, std::get<1>(GetParam()), 0u - slots / 2 - 64u,
                                 allocate, [&](const Recycling<kWords>& plan, int workers) {
                                   return run_threads(workers, plan.memory.abort, &plan.memory.control->head,
                                                      [&](int i) { machine.entries<kWords>().recycle(plan, i); });
                                 });
  };
  for (const uint32_t slots : {32u, 128u}) {
    EXPECT_EQ(recycle(std::integral_constant<int, 1>(), slots), "") << slots << " slots";
    EXPECT_EQ(recycle(std::integral_constant<int, 4>(), slots), "") << slots << " slots";
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, QueueStress,
                         testing::Combine(testing::ValuesIn(cpu_machines()),
                                          testing::Values(Discipline::linearizable, Discipline::distributor)),
                         [](const auto& test) {
                           const bool exact = std::get<1>(test.param) == Discipline::linearizable;
                           return std::string(std::get<0>(test.param).name) +
                                  (exact ? "_linearizable" : "_distributor");
                         });

}  // namespace
}  // namespace brokkr::queue_test
