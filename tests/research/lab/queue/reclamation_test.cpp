// LCRQ and WFQ reuse memory once no thread refers to it. No memory is reused too early, however many threads hold some.
// An operation costs the same however many threads the queue admits.
#include <gtest/gtest.h>

#include "observed_queues.h"
#include "queue/threads.h"

namespace brokkr::queue_test {
namespace {

class Reclamation : public testing::TestWithParam<QueueKind> {};

// Returns the accesses to shared memory per enqueue and dequeue of one thread, in a queue that admits `threads`
// threads. Elements come in bursts of several rings.
double accesses_per_pair(QueueKind kind, uint32_t threads) {
  const auto queue = make_queue(kind, {.capacity = 256, .threads = threads, .homes = 1, .segment = 16});
  constexpr uint32_t kBursts = 1000, kBurst = 64;
  Interleaving alone(1);
  RandomTurns turns(1, 1);
  uint32_t wrong = 0;
  const size_t accesses = alone.run(
      [&](int) {
        for (uint32_t burst = 0, value = 0; burst < kBursts; ++burst) {
          for (uint32_t i = 0; i < kBurst; ++i) wrong += queue->enqueue(0, i) != Outcome::done;
          for (uint32_t i = 0; i < kBurst; ++i) wrong += queue->dequeue(0, value) != Outcome::done || value != i;
        }
      },
      turns, [&] { queue->abort(); }, size_t(kBursts) * kBurst * 1000);
  EXPECT_FALSE(alone.gave_up());
  EXPECT_EQ(wrong, 0u);
  return double(accesses) / (kBursts * kBurst);
}

TEST_P(Reclamation, CostsFewReadsHoweverManyThreadsThereAre) {
  if (kThreadSanitizer) GTEST_SKIP() << "one thread plays all parts";
  EXPECT_LT(accesses_per_pair(GetParam(), 1024), 2 * accesses_per_pair(GetParam(), 1));
}

// Every thread but the first begins an operation and is suspended once it has named the ring that it works on. The
// first thread then advances the queue, so that each other thread holds a different ring.
class HoldAndSleep : public TurnPolicy {
 public:
  bool hand_over = false;  // the first thread has advanced the queue
  int next(int current, bool, const std::vector<bool>& finished) override {
    if (finished[0]) {
      while (current < int(finished.size()) && finished[size_t(current)]) ++current;
      return current < int(finished.size()) ? current : -1;
    }
    if (current == 0) {
      if (!hand_over) return 0;
      hand_over = false;
      steps_ = 0;
      return ++asleep_;
    }
    return ++steps_ < kNamed ? current : 0;
  }

 private:
  static constexpr int kNamed = 4;  // reads the end, writes the name, reads the end again
  int asleep_ = 0, steps_ = 0;
};

TEST(RingPool, SufficesWhere1024ThreadsHoldOneEach) {
  if (kThreadSanitizer) GTEST_SKIP() << "one thread plays all parts";
  constexpr uint32_t kMaxThreads = 1024, kCapacity = 64;
  const auto queue =
      make_queue(QueueKind::lcrq, {.capacity = kCapacity, .threads = kMaxThreads, .homes = 1, .segment = 4});
  Interleaving threads(kMaxThreads);
  HoldAndSleep policy;
  uint32_t refused = 0, wrong = 0, late = 0;
  threads.run(
      [&](int t) {
        uint32_t value = 0;
        if (t != 0) {
          late += queue->dequeue(uint32_t(t), value) != Outcome::refused;
          return;
        }
        for (uint32_t sleeper = 1; sleeper < kMaxThreads; ++sleeper) {
          policy.hand_over = true;
          // The first thread continues until the list has a new ring and it has left the old one.
          const uint32_t before = queue->allocated();
          uint32_t in = 0;
          while (queue->allocated() == before && refused == 0) refused += queue->enqueue(0, in++) != Outcome::done;
          for (uint32_t i = 0; i < in; ++i) wrong += queue->dequeue(0, value) != Outcome::done || value != i;
          if (refused + wrong > 0) return;
        }
        for (uint32_t i = 0; i < kCapacity; ++i) refused += queue->enqueue(0, i) != Outcome::done;
        for (uint32_t i = 0; i < kCapacity; ++i) wrong += queue->dequeue(0, value) != Outcome::done || value != i;
      },
      policy, [&] { queue->abort(); }, 50000000);
  EXPECT_FALSE(threads.gave_up());
  EXPECT_EQ(refused, 0u) << "the pool has too few rings";
  EXPECT_EQ(wrong, 0u) << "a ring was used again while a thread named it";
  EXPECT_EQ(late, 0u);
}

// 1024 real threads and few slots per ring: many rings are retired and reused while threads hold others.
TEST_P(Reclamation, LosesNothingUnder1024Threads) {
  constexpr uint32_t kProducers = 512, kConsumers = 512;
  const uint32_t each = kThreadSanitizer ? 4 : 20, total = kProducers * each;
  const auto queue =
      make_queue(GetParam(), {.capacity = 512, .threads = kProducers + kConsumers, .homes = 1, .segment = 4});
  std::vector<uint32_t> seen(total, 0);
  std::atomic<uint32_t> taken = 0;
  uint32_t abort = 0, progress = 0;
  const auto over = [&] { return std::atomic_ref<uint32_t>(abort).load() != 0; };
  const bool in_time = run_threads(int(kProducers + kConsumers), &abort, &progress, [&](int worker) {
    const auto me = uint32_t(worker);
    if (me < kProducers) {
      for (uint32_t i = 0; i < each; ++i) {
        while (queue->enqueue(me, me * each + i) != Outcome::done) {
          if (over()) return queue->abort();
          std::this_thread::yield();
        }
      }
      return;
    }
    uint32_t value = 0;
    while (taken.load() < total) {
      if (queue->dequeue(me, value) == Outcome::done) {
        if (value < total) std::atomic_ref<uint32_t>(seen[value]).fetch_add(1);
        taken.fetch_add(1);
        std::atomic_ref<uint32_t>(progress).fetch_add(1);
      } else {
        if (over()) return queue->abort();
        std::this_thread::yield();
      }
    }
  });
  EXPECT_TRUE(in_time);
  for (uint32_t i = 0; i < total; ++i) ASSERT_EQ(seen[i], 1u) << i;
}

INSTANTIATE_TEST_SUITE_P(Rings, Reclamation, testing::Values(QueueKind::lcrq, QueueKind::wfq),
                         [](const auto& about) { return std::string("Q") + queue_traits(about.param).name; });

}  // namespace
}  // namespace brokkr::queue_test
