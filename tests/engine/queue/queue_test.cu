// The queue's scripts and stress plans on the CUDA machine.
#include <gtest/gtest.h>

#include "machine/cuda_memory.h"
#include "queue_harness.h"
#include "queue_model.h"
#include "queue_workers.h"

namespace brokkr::queue_test {
namespace {

constexpr int kBlockWarps = 4;

template <int kWords>
__global__ void script_kernel(Script<kWords> script) {
  Warp w;
  for (int i = 0; i < script.steps; ++i) {
    queue_workers::run_step(w, script.memory, script.step[i], script.result[i]);
  }
}
template <int kWords>
__global__ void worker_kernel(Plan<kWords> plan, int workers) {
  Warp w;
  const int worker = int(blockIdx.x) * kBlockWarps + int(threadIdx.x / 32);
  if (worker < workers) queue_workers::run_worker(w, plan, worker);
}
template <int kWords>
__global__ void recycle_kernel(Recycling<kWords> plan, int workers) {
  Warp w;
  const int worker = int(blockIdx.x) * kBlockWarps + int(threadIdx.x / 32);
  if (worker < workers) queue_workers::recycle(w, plan, worker);
}

class CudaQueue : public testing::TestWithParam<Discipline> {
 protected:
  template <int kWords>
  void random_script(int queues, uint32_t capacity, uint32_t start) {
    constexpr int kSteps = 3000;
    const auto storage = cuda_test::allocate(QueueMemory<kWords>::bytes(queues, capacity));
    const auto step = std::static_pointer_cast<Step>(cuda_test::allocate(kSteps * sizeof(Step)));
    const auto result = std::static_pointer_cast<Result>(cuda_test::allocate(kSteps * sizeof(Result)));
    const auto m = QueueMemory<kWords>::layout(storage.get(), queues, capacity, GetParam());
    if (start != 0) m.reset(start);  // otherwise it is zeroed
    QueueModel model(queues, capacity, 32);
    std::mt19937 random(capacity * 31u + uint32_t(queues));
    std::vector<Result> expected;
    for (uint32_t i = 0; i < kSteps; ++i) {
      step.get()[i] = model.random_step(random, i * 32);
      expected.push_back(model.run(step.get()[i]));
    }
    script_kernel<kWords><<<1, 32>>>({m, step.get(), result.get(), kSteps});
    cuda_test::wait();
    for (size_t i = 0; i < kSteps; ++i) {
      ASSERT_EQ(difference(step.get()[i], result.get()[i], expected[i]), "")
          << "step " << i << ", operation " << int(step.get()[i].op) << ", " << kWords << " words, capacity "
          << capacity << ", start " << start;
    }
  }

  template <int kWords>
  std::string stress(StressCase c) {
    c.discipline = GetParam();
    c.start = 0u - uint32_t(c.producers) * c.per_producer / uint32_t(2 * c.queues);  // tickets wrap around half-way
    return run_stress<kWords>(c, cuda_test::allocate, [](const Plan<kWords>& plan, int workers) {
      worker_kernel<kWords><<<(workers + kBlockWarps - 1) / kBlockWarps, 32 * kBlockWarps>>>(plan, workers);
      return cuda_test::wait(plan.memory.abort);
    });
  }
  void stress_all(const StressCase& c) {
    EXPECT_EQ(stress<1>(c), "");
    EXPECT_EQ(stress<4>(c), "");
    EXPECT_EQ(stress<16>(c), "");
  }
};

TEST_P(CudaQueue, AgreesWithAModel) {
  for (const uint32_t start : {0u, 0u - 1u, 0u - 777u}) {
    random_script<1>(1, 2, start);
    random_script<1>(4, 32, start);
    random_script<4>(2, 64, start);
    random_script<16>(4, 128, start);
    random_script<16>(1, 4, start);
  }
}

TEST_P(CudaQueue, OneToOne) { stress_all({.producers = 1, .consumers = 1, .per_producer = 5000, .capacity = 128}); }

TEST_P(CudaQueue, ManyToMany) {
  stress_all({.producers = 32, .consumers = 32, .per_producer = 2000, .capacity = 64});
  stress_all(
      {.producers = 64, .consumers = 32, .per_producer = 2000, .capacity = 4096, .put = Put::lanes, .get = Get::mixed});
}

TEST_P(CudaQueue, OscillatesBetweenFullAndEmpty) {
  for (const uint32_t capacity : {2u, 32u}) {
    for (const Get get : {Get::uniform, Get::lanes, Get::mixed}) {
      stress_all(
          {.producers = 8, .consumers = 8, .per_producer = 1000, .capacity = capacity, .put = Put::lanes, .get = get});
    }
  }
}

TEST_P(CudaQueue, ScatterToManyQueues) {
  for (const int queues : {1, 4, 64}) {
    stress_all({.producers = 32,
                .consumers = 64,
                .per_producer = 2000,
                .queues = queues,
                .capacity = 1024,
                .put = Put::scatter,
                .get = Get::lanes});
  }
}

TEST_P(CudaQueue, StoreOfSlots) {
  for (const uint32_t slots : {32u, 1024u}) {
    EXPECT_EQ(run_recycling<1>(slots, 64, 500, GetParam(), 0u - slots / 2 - 64u, cuda_test::allocate,
                               [](const Recycling<1>& plan, int workers) {
                                 recycle_kernel<1>
                                     <<<(workers + kBlockWarps - 1) / kBlockWarps, 32 * kBlockWarps>>>(plan, workers);
                                 return cuda_test::wait(plan.memory.abort);
                               }),
              "")
        << slots << " slots";
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaQueue, testing::Values(Discipline::linearizable, Discipline::distributor),
                         [](const auto& test) {
                           return test.param == Discipline::linearizable ? "linearizable" : "distributor";
                         });

}  // namespace
}  // namespace brokkr::queue_test
