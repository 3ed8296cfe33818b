// Tests of the other rows of [Kerbl18, Table 4.1]. Rows without a test need a GPU: `brokkr queues balanced` measures
// "highly scalable", and ptxas reports the "low resource footprint" (docs/research/queues.md).
#include <gtest/gtest.h>

#include "observed_queues.h"
#include "queue/threads.h"

namespace brokkr::queue_test {
namespace {

class QueueProperty : public testing::TestWithParam<QueueKind> {
 protected:
  void SetUp() override {
    if (kThreadSanitizer) GTEST_SKIP() << "one thread plays all parts";
  }
  const QueueTraits& traits = queue_traits(GetParam());

  std::unique_ptr<AnyQueue> make(uint32_t capacity, uint32_t threads) const {
    return make_queue(GetParam(), {.capacity = capacity, .threads = threads, .homes = 1, .segment = 16});
  }
  // Returns true if `program` ends when it runs alone.
  static bool ends(AnyQueue& queue, const std::function<void()>& program) {
    Interleaving alone(1);
    RandomTurns turns(1, 1);
    alone.run([&](int) { program(); }, turns, [&] { queue.abort(); }, 20000);
    return !alone.gave_up();
  }
};

TEST_P(QueueProperty, TableAgreesUnlessADifferenceIsNamed) {
  const auto values = [](const QueueClaims& c) {
    return std::array{c.scalable,      c.fair,      c.linearizable, c.low_footprint,
                      c.static_memory, c.paradigms, c.multi_queue,  c.multi_element};
  };
  EXPECT_EQ(GetParam(), traits.kind);
  if (values(traits.table) != values(traits.here)) {
    EXPECT_STRNE(traits.difference, "");
  }
}

TEST_P(QueueProperty, MultiQueueAnswersEmptyAndFull) {
  const auto empty = make(16, 1);
  uint32_t value = 0;
  Outcome outcome = Outcome::done;
  const bool answers_empty = ends(*empty, [&] { outcome = empty->dequeue(0, value); });
  EXPECT_EQ(answers_empty, traits.here.multi_queue == Claim::yes) << traits.name;
  EXPECT_EQ(outcome, answers_empty ? Outcome::refused : Outcome::aborted);

  const auto full = make(16, 1);
  const bool answers_full = ends(*full, [&] {
    for (uint32_t i = 0; i < 10000 && (outcome = full->enqueue(0, i)) == Outcome::done;) ++i;
  });
  EXPECT_EQ(answers_full, traits.here.multi_queue == Claim::yes) << traits.name;
  EXPECT_EQ(outcome, answers_full ? Outcome::refused : Outcome::aborted);
}

// Lanes of a warp may run one after another, as on a GPU. A lane that finds nothing must let the next lane enqueue its
// element.
TEST_P(QueueProperty, EveryLaneOfAWarpMayUseIt) {
  const auto queue = make(16, 4);
  uint32_t value = 0;
  const bool ended = ends(*queue, [&] {
    for (int loop = 0, got = 0; got < 2 && loop < 10; ++loop) {
      for (uint32_t lane = 0; lane < 2; ++lane) got += queue->dequeue(lane, value) == Outcome::done;
      for (uint32_t lane = 2; lane < 4 && loop == 0; ++lane) queue->enqueue(lane, lane);
    }
  });
  if (ended) {
    EXPECT_GE(value, 2u);
  }
  EXPECT_EQ(ended, traits.here.paradigms == Claim::yes) << traits.name;
}

TEST_P(QueueProperty, StaticMemoryTakesNothingFromAPool) {
  const auto queue = make(64, 1);
  const uint32_t before = queue->allocated();
  for (uint32_t burst = 0; burst < 50; ++burst) {
    for (uint32_t i = 0; i < 40; ++i) ASSERT_EQ(queue->enqueue(0, burst + i), Outcome::done);
    for (uint32_t i = 0, value = 0; i < 40; ++i) {
      ASSERT_EQ(queue->dequeue(0, value), Outcome::done);
      ASSERT_EQ(value, burst + i);
    }
  }
  if (traits.here.static_memory == Claim::yes) {
    EXPECT_EQ(queue->allocated(), 0u) << traits.name;
  } else {
    EXPECT_GT(queue->allocated(), before) << traits.name;
  }
}

// Two threads take several elements at a time from a queue of consecutive numbers. If the queue has an operation for
// that, each thread gets neighbours.
bool takes_neighbours(QueueKind kind) {
  const auto queue = make_queue(kind, {.capacity = 32, .threads = 2, .homes = 1, .segment = 16});
  Interleaving threads(2);
  for (uint32_t seed = 0; seed < 300; ++seed) {
    queue->reset();
    for (uint32_t i = 0; i < 24; ++i) queue->enqueue(0, i);
    RandomTurns turns(2, seed);
    bool neighbours = true;
    threads.run(
        [&](int t) {
          uint32_t value[4];
          for (int loop = 0; loop < 3; ++loop) {
            const int got = queue->dequeue_many(uint32_t(t), value, 4);
            for (int i = 1; i < got; ++i) neighbours = neighbours && value[i] == value[0] + uint32_t(i);
          }
        },
        turns, [&] { queue->abort(); });
    if (threads.gave_up() || !neighbours) return false;
  }
  return true;
}

TEST_P(QueueProperty, SeveralElementsAtOnceAreNeighbours) {
  EXPECT_EQ(takes_neighbours(GetParam()), traits.here.multi_element == Claim::yes) << traits.name;
}

// The worst case for a thread: after each of its accesses, another thread completes whole operations.
class Harassment : public TurnPolicy {
 public:
  bool pair_done = false;  // the other thread has done an enqueue and a dequeue in this turn
  size_t victim_steps = 0;
  int next(int current, bool waits, const std::vector<bool>& finished) override {
    if (finished[0] || finished[1]) return finished[0] ? (finished[1] ? -1 : 1) : 0;
    if (current == 0) {
      ++victim_steps;
      pair_done = false;
      return 1;
    }
    return waits || pair_done ? 0 : 1;
  }
};

// Returns the accesses of one operation under harassment, or `limit` if it did not end.
size_t harassed_steps(QueueKind kind, bool enqueue, size_t limit) {
  const auto queue = make_queue(kind, {.capacity = 64, .threads = 2, .homes = 1, .segment = 1024});
  for (uint32_t i = 0; i < 32; ++i) queue->enqueue(0, i);
  Interleaving threads(2);
  Harassment policy;
  bool over = false;
  size_t steps = 0;
  threads.run(
      [&](int t) {
        uint32_t value = 0;
        if (t == 0) {
          const Outcome outcome = enqueue ? queue->enqueue(0, 1000) : queue->dequeue(0, value);
          steps = outcome == Outcome::done ? policy.victim_steps : limit;
          over = true;
          return;
        }
        while (!over) {
          if (queue->enqueue(1, 1) == Outcome::aborted || queue->dequeue(1, value) == Outcome::aborted) return;
          policy.pair_done = true;
        }
      },
      policy, [&] { queue->abort(), over = true; }, limit * 40);
  return threads.gave_up() ? limit : std::min(steps, limit);
}

TEST_P(QueueProperty, FairQueuesLetNobodyStarve) {
  constexpr size_t kLimit = 2000;
  const size_t most = std::max(harassed_steps(GetParam(), true, kLimit), harassed_steps(GetParam(), false, kLimit));
  RecordProperty("accesses", int(most));
  if (traits.here.fair == Claim::yes) {
    EXPECT_LE(most, 24u) << traits.name;
  }
  // An operation that needs a successful compare-and-swap never ends while others keep winning it.
  const bool optimistic = GetParam() == QueueKind::msq || GetParam() == QueueKind::shcq ||
                          GetParam() == QueueKind::tzq || GetParam() == QueueKind::nsfq;
  if (optimistic) {
    EXPECT_EQ(most, kLimit) << traits.name << " is known to starve";
  }
}

INSTANTIATE_TEST_SUITE_P(Every, QueueProperty, testing::ValuesIn(all_queues()),
                         [](const auto& about) { return std::string("Q") + queue_traits(about.param).name; });

}  // namespace
}  // namespace brokkr::queue_test
