// Every queue under real threads. No element is lost or duplicated, and each producer's elements stay in order. A
// consumer sees all that the producer wrote before it enqueued; ThreadSanitizer checks that.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "observed_queues.h"
#include "queue/threads.h"

namespace brokkr::queue_test {
namespace {

struct StressSizes {
  uint32_t producers, consumers, per_producer;
  QueueShape shape;
};

// Returns an empty string if all went well.
std::string stress_queue(QueueKind kind, StressSizes c) {
  c.shape.threads = c.producers + c.consumers;
  c.shape.homes = kind == QueueKind::bsq ? 2 : 1;
  const auto queue = make_queue(kind, c.shape);
  const uint32_t total = c.producers * c.per_producer;
  const bool blocking = queue_traits(kind).here.multi_queue == Claim::no;
  std::vector<uint32_t> message(total, 0);  // plain memory that goes with each element
  std::vector<std::vector<uint32_t>> log(c.consumers);
  std::atomic<uint32_t> taken = 0;
  std::atomic<int> spoiled = 0;
  uint32_t abort = 0, progress = 0;
  const auto work = [&](int worker) {
    const uint32_t me = uint32_t(worker);
    if (me < c.producers) {
      for (uint32_t i = 0; i < c.per_producer; ++i) {
        const uint32_t id = me * c.per_producer + i;
        message[id] = id * 3 + 1;
        for (Outcome o = queue->enqueue(me, id); o != Outcome::done; o = queue->enqueue(me, id)) {
          if (o == Outcome::aborted || std::atomic_ref<uint32_t>(abort).load() != 0) return;
          std::this_thread::yield();
        }
      }
      return;
    }
    auto& mine = log[me - c.producers];
    mine.reserve(total);
    for (uint32_t value = 0;;) {
      // If a dequeue waits for its element, the threads must not request more elements than there will be.
      const uint32_t before = blocking ? taken.fetch_add(1) : taken.load();
      if (before >= total || std::atomic_ref<uint32_t>(abort).load() != 0) return;
      const Outcome outcome = queue->dequeue(me, value);
      if (outcome == Outcome::aborted) return;
      if (outcome == Outcome::refused) {
        std::this_thread::yield();
        continue;
      }
      if (!blocking) taken.fetch_add(1);
      std::atomic_ref<uint32_t>(progress).fetch_add(1);
      mine.push_back(value);
      if (value >= total || message[value] != value * 3 + 1) spoiled.fetch_add(1);
    }
  };
  std::atomic<bool> over = false;
  std::thread watcher([&] {
    while (!over.load() && std::atomic_ref<uint32_t>(abort).load() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!over.load()) queue->abort();
  });
  const bool in_time = run_threads(int(c.shape.threads), &abort, &progress, work);
  over.store(true);
  watcher.join();
  std::string error;
  if (!in_time) error += "; hangs";
  if (spoiled.load() != 0) error += "; " + std::to_string(spoiled.load()) + " elements without what came with them";
  std::vector<uint32_t> seen(total, 0);
  for (const auto& mine : log) {
    std::vector<int64_t> last(c.producers, -1);
    for (const uint32_t value : mine) {
      if (value >= total) continue;
      ++seen[value];
      int64_t& before = last[value / c.per_producer];
      // In BSQ, elements that found their home full may overtake others. In BIQ, elements may do so if threads are late
      // by a lap.
      if (before >= int64_t(value) && kind != QueueKind::bsq && kind != QueueKind::biq)
        error += "; " + std::to_string(value) + " after " + std::to_string(before);
      before = value;
      if (error.size() > 300) return error;
    }
  }
  for (uint32_t id = 0; id < total; ++id) {
    if (seen[id] != 1)
      return error + "; element " + std::to_string(id) + " came " + std::to_string(seen[id]) + " times";
  }
  return error;
}

class EveryQueueStress : public testing::TestWithParam<QueueKind> {};

TEST_P(EveryQueueStress, SmallAndOftenFull) {
  const uint32_t n = kThreadSanitizer ? 150 : 400;
  EXPECT_EQ(stress_queue(GetParam(), {2, 2, n, {.capacity = 4, .segment = 2}}), "");
}

TEST_P(EveryQueueStress, LargeAndManyThreads) {
  const uint32_t n = kThreadSanitizer ? 300 : 4000;
  EXPECT_EQ(stress_queue(GetParam(), {3, 3, n, {.capacity = 1024, .segment = 64}}), "");
}

INSTANTIATE_TEST_SUITE_P(Every, EveryQueueStress, testing::ValuesIn(all_queues()),
                         [](const auto& about) { return std::string("Q") + queue_traits(about.param).name; });

}  // namespace
}  // namespace brokkr::queue_test
