// The broker's guarantees while excess claims are still to be reverted (queue/broker_queue.h): a few threads, in every
// order of turns with few suspensions.
// A refused dequeuer holds the count below the queue's length until it takes its claim back, so that enqueuers receive
// more promises than the capacity meanwhile. The last such dequeuer then finds that the count exceeds the capacity, so
// the queue is not empty and it must claim again. It takes the element that the enqueuer without a slot waits for. The
// same holds with enqueuers and dequeuers exchanged. So promises beyond the capacity end, and no thread waits for room.
#define BROKKR_ISA_IS_observed 4
#define BROKKR_ISA observed

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "interleaving.h"
#include "queue/broker_queue.h"
#include "threads.h"

namespace brokkr::queue_test {
namespace {

enum class Do { put, get, get_all };  // n times one element; get_all: n elements or none

struct Part {
  Do what;
  int n;
};
struct Promises {
  std::string name;
  int initial;  // elements at the start
  std::vector<Part> parts;
  int least, most;  // the promised number of elements in the queue, at some moment in some order
};
std::ostream& operator<<(std::ostream& out, const Promises& one) { return out << one.name; }

class BrokerPromises : public testing::TestWithParam<std::tuple<Promises, Discipline>> {
 protected:
  static constexpr uint32_t kCapacity = 2, kStart = 0u - 3u;
  using Memory = QueueMemory<1>;
  using Queue = BrokerQueues<1, Hooked>;

  void SetUp() override {
    if (kThreadSanitizer) GTEST_SKIP() << "one thread plays all parts";
    storage_ = allocate(Memory::bytes(1, kCapacity));
    memory_ = Memory::layout(storage_.get(), 1, kCapacity, std::get<1>(GetParam()), &abort_);
  }

  void play(const Part& part, uint32_t first) {
    const Queue queue(memory_);
    if (part.what == Do::get_all) {
      get_all(part.n);
      return;
    }
    for (int i = 0; i < part.n && abort_ == 0; ++i) {
      uint32_t element[1][1] = {{first + uint32_t(i)}};
      if (part.what == Do::put) {
        if (queue.enqueue_from_lane(0, element, 1) == 1) accepted_.push_back(first + uint32_t(i));
      } else if (queue.dequeue_to_lane(0, element, 1) == 1) {
        taken_.push_back(element[0][0]);
      }
    }
  }
  // Like BrokerQueues::claim_all and take, which need whole warps.
  void get_all(int n) {
    Broker<Hooked> broker(memory_.control[0], kCapacity);
    if (!broker.claim_all(n)) return;
    const uint32_t p = broker.draw_dequeue(n);
    for (uint32_t i = p; i != p + uint32_t(n); ++i) {
      uint32_t* const slot = memory_.slots + size_t(i & (kCapacity - 1)) * Memory::kSlotWords;
      const uint32_t vacant = i & (0u - kCapacity);
      for (int spin = 0; Watched<uint32_t, Hooked>(*slot).load(kAcquire) != vacant + 1; ++spin) {
        if (abort_ != 0) return;
        Hooked::pause(spin);
      }
      taken_.push_back(slot[1]);
      Watched<uint32_t, Hooked>(*slot).store(vacant + kCapacity, kRelease);
    }
  }

  // One run. Returns "" if all threads end and every element comes out or is still in the queue.
  std::string run(const Promises& one, Interleaving& threads, TurnPolicy& turns) {
    memory_.reset(kStart);
    abort_ = 0;
    accepted_.clear();
    taken_.clear();
    play({Do::put, one.initial}, 100);
    threads.run([&](int i) { play(one.parts[size_t(i)], uint32_t(i) * 10); }, turns, [&] { abort_ = 1; }, 2000);
    if (threads.gave_up()) return "a thread waits for ever";
    const auto length = int32_t(memory_.control->count);
    if (length < 0 || length > int(kCapacity)) return "the count is " + std::to_string(length) + " at the end";
    play({Do::get, int(kCapacity) + 1}, 0);
    std::sort(accepted_.begin(), accepted_.end());
    std::sort(taken_.begin(), taken_.end());
    return accepted_ == taken_ ? ""
                               : std::to_string(accepted_.size()) + " elements in, " + std::to_string(taken_.size()) +
                                     " out, or others";
  }

 private:
  std::shared_ptr<void> storage_;
  Memory memory_;
  uint32_t abort_ = 0;
  std::vector<uint32_t> accepted_, taken_;
};

TEST_P(BrokerPromises, AreKeptInEveryOrderOfTurns) {
  const Promises& one = std::get<0>(GetParam());
  EveryTurn turns(3);
  Interleaving threads(int(one.parts.size()));
  size_t runs = 0;
  for (; turns.begin(); ++runs) ASSERT_EQ(run(one, threads, turns), "") << "order " << runs;
  EXPECT_GT(runs, 100u);
}

// Promises alone: no thread waits for a slot.
TEST_P(BrokerPromises, EndWithinTheCapacity) {
  const Promises& one = std::get<0>(GetParam());
  EveryTurn turns(4);
  Interleaving threads(int(one.parts.size()));
  int least = one.initial, most = one.initial;
  for (size_t runs = 0; turns.begin(); ++runs) {
    QueueControl control{};
    control.count = uint32_t(one.initial);
    int promised = one.initial;
    const auto play = [&](int thread) {
      const Part& part = one.parts[size_t(thread)];
      Broker<Hooked> broker(control, kCapacity);
      for (int i = 0; i < part.n; ++i) {
        if (part.what == Do::put) {
          promised += broker.claim_room(1);
        } else if (part.what == Do::get) {
          promised -= broker.claim_elements(1);
        } else if (broker.claim_all(part.n)) {
          promised -= part.n;
        }
        least = std::min(least, promised);
        most = std::max(most, promised);
        if (part.what == Do::get_all) break;
      }
    };
    threads.run(
        play, turns, [] {}, 2000);
    ASSERT_FALSE(threads.gave_up()) << "order " << runs;
    ASSERT_GE(promised, 0) << "order " << runs;
    ASSERT_LE(promised, int(kCapacity)) << "order " << runs;
    ASSERT_EQ(int32_t(control.count), promised) << "order " << runs;
  }
  EXPECT_EQ(least, one.least);
  EXPECT_EQ(most, one.most);
}

const Promises kPromises[] = {
    {"EnqueuersAtTheLastSlot", 1, {{Do::put, 1}, {Do::put, 1}, {Do::put, 1}}, 1, 2},
    {"DequeuersAtTheLastElement", 1, {{Do::get, 1}, {Do::get, 1}, {Do::get, 1}}, 0, 1},
    {"EnqueuersWhileADequeuerIsRefused", 1, {{Do::get, 1}, {Do::get, 1}, {Do::put, 4}}, 0, 3},
    {"DequeuersWhileAnEnqueuerIsRefused", 1, {{Do::put, 1}, {Do::put, 1}, {Do::get, 4}}, -1, 2},
    {"EnqueuersWhileAClaimOfAllIsRefused", 2, {{Do::get_all, 2}, {Do::get_all, 2}, {Do::put, 5}}, 0, 4},
};

INSTANTIATE_TEST_SUITE_P(Queue, BrokerPromises,
                         testing::Combine(testing::ValuesIn(kPromises),
                                          testing::Values(Discipline::linearizable, Discipline::distributor)),
                         [](const auto& test) {
                           const bool exact = std::get<1>(test.param) == Discipline::linearizable;
                           return std::get<0>(test.param).name + (exact ? "_linearizable" : "_distributor");
                         });

// Locks the only element's slot before one access of a dequeue. It returns the slot with another element when the
// dequeue waits, or by `unlock`. It acts as a maintainer that exchanges elements (schedule/task_loop.h) and is delayed
// as long as possible.
class Exchange : public StepHook {
 public:
  Exchange(uint32_t* slot, int at) : slot_(slot), at_(at) {}
  void step() override {
    if (accesses_++ != at_) return;
    uint32_t ticket = 1;
    locked_ = device_atomic<uint32_t>(*slot_).compare_exchange_strong(ticket, locked_ticket(ticket), kAcqRel);
  }
  void pause(int) override { unlock(); }
  void unlock() {
    if (!locked_) return;
    locked_ = false;
    slot_[1] = 222;
    device_atomic<uint32_t>(*slot_).store(1u, kRelease);
  }
  bool was_reached() const { return accesses_ > at_; }

 private:
  uint32_t* slot_;
  int at_, accesses_ = 0;
  bool locked_ = false;
};

TEST(BrokerLocks, ADequeueThatLocksAndAnExchangeExcludeEachOther) {
  constexpr uint32_t kCapacity = 4;
  using Memory = QueueMemory<1>;
  uint32_t abort = 0;
  const std::shared_ptr<void> storage = allocate(Memory::bytes(1, kCapacity));
  Memory memory = Memory::layout(storage.get(), 1, kCapacity, Discipline::distributor, &abort);
  const BrokerQueues<1, Hooked> queue(memory);
  int exchanged = 0;
  for (int at = 0;; ++at) {
    memory.reset(0);
    uint32_t element[1][1] = {{111}};
    ASSERT_EQ(queue.enqueue_from_lane(0, element, 1), 1);
    Exchange exchange(memory.slots, at);
    hook = &exchange;
    const int taken = queue.dequeue_to_lane<true>(0, element, 1);
    hook = nullptr;
    exchange.unlock();
    if (!exchange.was_reached()) break;
    EXPECT_EQ(taken, 1);
    EXPECT_TRUE(element[0][0] == 111 || element[0][0] == 222) << element[0][0];
    exchanged += element[0][0] == 222;
    EXPECT_EQ(memory.slots[0], kCapacity) << "the slot is not free after an exchange at access " << at;
  }
  EXPECT_GT(exchanged, 0);
}

}  // namespace
}  // namespace brokkr::queue_test
