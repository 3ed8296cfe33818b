// The checker itself, and its verdict on the queues: histories from interleaved threads and from real ones.
#include "linearizability.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "histories.h"
#include "queue/interleaving.h"
#include "queue/threads.h"

namespace brokkr::queue_test {
namespace {

Operation put(uint32_t value, uint64_t called, uint64_t returned, bool done = true) {
  return {true, done, value, called, returned};
}
Operation got(uint32_t value, uint64_t called, uint64_t returned) { return {false, true, value, called, returned}; }
Operation empty(uint64_t called, uint64_t returned) { return {false, false, 0, called, returned}; }

TEST(LinearizabilityChecker, AcceptsWhatAQueueDoes) {
  EXPECT_TRUE(is_linearizable({}, 0));
  EXPECT_TRUE(is_linearizable({put(1, 1, 2), put(2, 3, 4), got(1, 5, 6), got(2, 7, 8), empty(9, 10)}, 2));
  // Concurrent enqueues may come out in any order, a dequeue may overlap its enqueue.
  EXPECT_TRUE(is_linearizable({put(1, 1, 4), put(2, 2, 3), got(2, 5, 6), got(1, 7, 8)}, 0));
  EXPECT_TRUE(is_linearizable({put(1, 1, 4), got(1, 2, 3)}, 0));
  EXPECT_TRUE(is_linearizable({put(1, 1, 2), empty(3, 6), got(1, 4, 5)}, 0));
  EXPECT_TRUE(is_linearizable({put(1, 1, 2), put(2, 3, 6, false), got(1, 4, 5)}, 1));
}

TEST(LinearizabilityChecker, RejectsWhatNoQueueDoes) {
  EXPECT_FALSE(is_linearizable({got(1, 1, 2)}, 0)) << "from nowhere";
  EXPECT_FALSE(is_linearizable({put(1, 1, 2), got(1, 3, 4), got(1, 5, 6)}, 0)) << "twice";
  EXPECT_FALSE(is_linearizable({put(1, 1, 2), empty(3, 4)}, 0)) << "lost";
  EXPECT_FALSE(is_linearizable({got(1, 1, 2), put(1, 3, 4)}, 0)) << "before its time";
  EXPECT_FALSE(is_linearizable({put(1, 1, 2), put(2, 3, 4), got(2, 5, 6), got(1, 7, 8)}, 0)) << "out of order";
  EXPECT_FALSE(is_linearizable({put(1, 1, 2, false)}, 1)) << "full without elements";
  EXPECT_FALSE(is_linearizable({put(1, 1, 2), put(2, 3, 4)}, 1)) << "more than fit";
  // The broker work distributor does this [Kerbl18, 4.3.2]: a dequeue has reserved an element and takes it late.
  EXPECT_FALSE(is_linearizable({put(1, 1, 2), got(2, 3, 12), empty(4, 5), put(2, 6, 7), got(1, 8, 9)}, 0));
}

constexpr uint32_t kThreads = 3;

// Returns a history of interleaved threads that no correct queue allows, or "" if `runs` runs show none.
std::string search_interleavings(QueueKind kind, uint32_t runs) {
  const HistoryCase c = history_case(kind, kThreads);
  const auto queue = make_queue(kind, c.shape);
  Interleaving threads(kThreads);
  for (uint32_t seed = 0; seed < runs; ++seed) {
    queue->reset();
    std::mt19937 random(seed * 31 + uint32_t(kind));
    std::vector<std::vector<bool>> program;
    for (uint32_t i = 0; i < kThreads; ++i) program.push_back(random_program(kind, random, 4 + random() % 3));
    std::vector<std::vector<Operation>> record(kThreads);
    uint64_t moment = 0;
    RandomTurns turns(kThreads, uint32_t(random()));
    threads.run(
        [&](int i) {
          run_program(*queue, uint32_t(i), program[size_t(i)], record[size_t(i)], [&] { return ++moment; });
        },
        turns, [&] { queue->abort(); });
    if (threads.gave_up()) return "seed " + std::to_string(seed) + ": hangs";
    std::vector<Operation> history;
    for (const auto& part : record) history.insert(history.end(), part.begin(), part.end());
    if (!is_linearizable(history, c.bound)) return "seed " + std::to_string(seed) + describe(history);
  }
  return "";
}

class QueueLinearizability : public testing::TestWithParam<QueueKind> {
 protected:
  const QueueTraits& traits = queue_traits(GetParam());
};

TEST_P(QueueLinearizability, InterleavedThreads) {
  if (kThreadSanitizer) GTEST_SKIP() << "one thread plays all parts";
  const std::string found = search_interleavings(GetParam(), 5000);
  if (traits.here.linearizable == Claim::yes) {
    EXPECT_EQ(found, "") << traits.name;
  } else {
    EXPECT_NE(found, "") << traits.name << " is known not to be linearizable, and was not caught";
    EXPECT_EQ(found.find("hangs"), std::string::npos) << found;
  }
}

// Real threads with disturbed timing: at random, one sleeps or yields before an access.
class Jitter : public StepHook {
 public:
  explicit Jitter(uint32_t seed) : random_(seed) {}
  void step() override {
    const uint32_t r = uint32_t(random_());
    if (r % 128 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(r >> 8 & 127));
    } else if (r % 16 == 1) {
      std::this_thread::yield();
    }
  }
  void pause(int) override { std::this_thread::yield(); }

 private:
  std::minstd_rand random_;
};

// Like search_interleavings, for real threads and for at most `seconds`.
std::string search_threads(QueueKind kind, uint32_t rounds, double seconds) {
  const HistoryCase c = history_case(kind, kThreads);
  const auto queue = make_queue(kind, c.shape);
  std::vector<std::vector<bool>> program(kThreads);
  std::vector<std::vector<Operation>> record(kThreads);
  std::atomic<uint64_t> moment = 0;
  std::atomic<uint32_t> round = 0, ready = 0, finished = 0;
  std::atomic<bool> stop = false;
  const auto wait_for = [&](const std::atomic<uint32_t>& word, uint32_t value) {
    while (word.load() != value && !stop.load()) std::this_thread::yield();
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Jitter jitter(i * 7919 + uint32_t(kind) + 1);
      hook = &jitter;
      for (uint32_t r = 1; r <= rounds; ++r) {
        wait_for(round, r);
        if (stop.load()) return;
        ready.fetch_add(1);
        wait_for(ready, kThreads * r);  // all threads begin together
        run_program(*queue, i, program[i], record[i], [&] { return moment.fetch_add(1); });
        finished.fetch_add(1);
      }
    });
  }
  std::string found;
  std::mt19937 random(uint32_t(kind) + 17);
  const auto begin = std::chrono::steady_clock::now();
  for (uint32_t r = 1; r <= rounds && found.empty(); ++r) {
    queue->reset();
    for (auto& p : program) p = random_program(kind, random, 4 + random() % 3);
    round.store(r);
    while (finished.load() != kThreads * r) std::this_thread::sleep_for(std::chrono::microseconds(20));
    std::vector<Operation> history;
    for (const auto& part : record) history.insert(history.end(), part.begin(), part.end());
    if (!is_linearizable(history, c.bound)) found = "round " + std::to_string(r) + describe(history);
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds) break;
  }
  stop.store(true);
  for (std::thread& t : threads) t.join();
  return found;
}

TEST_P(QueueLinearizability, RealThreads) {
  if (traits.here.linearizable == Claim::yes) {
    EXPECT_EQ(search_threads(GetParam(), kThreadSanitizer ? 100 : 300, 1.0), "") << traits.name;
  }
}

// GQ misses a complete element while an earlier enqueue is slow. Real threads show this too.
TEST(QueueLinearizabilityOfThreads, GottliebsQueueIsCaught) {
  EXPECT_NE(search_threads(QueueKind::gq, 100000, 20.0), "");
}

INSTANTIATE_TEST_SUITE_P(Every, QueueLinearizability, testing::ValuesIn(all_queues()),
                         [](const auto& about) { return std::string("Q") + queue_traits(about.param).name; });

}  // namespace
}  // namespace brokkr::queue_test
