// The results of queues, step by step: against a model, when full and empty, and in the states that a suspended warp
// leaves in the middle of an operation.
#include <gtest/gtest.h>

#include "cpu_machines.h"
#include "queue_model.h"

namespace brokkr::queue_test {
namespace {

// A step like `s` with other elements.
Step with(Op op, int n, uint32_t lanes = 0, uint32_t id = 0, int queue = 0) { return {op, queue, n, lanes, id}; }

class QueueSemantics : public testing::TestWithParam<std::tuple<CpuMachine, Discipline>> {
 protected:
  static constexpr int kWords = 4;
  void SetUp() override {
    const CpuMachine& cpu = std::get<0>(GetParam());
    if (!cpu.runs) GTEST_SKIP() << "this processor lacks " << cpu.name;
    machine = cpu.machine();
  }
  bool linearizable() const { return std::get<1>(GetParam()) == Discipline::linearizable; }
  template <int kOther = kWords>
  QueueMemory<kOther> memory(int queues, uint32_t capacity, uint32_t start) {
    storage = allocate(QueueMemory<kOther>::bytes(queues, capacity));
    auto m = QueueMemory<kOther>::layout(storage.get(), queues, capacity, std::get<1>(GetParam()), &abort_flag);
    m.reset(start);
    return m;
  }
  template <int kOther>
  Result run(const QueueMemory<kOther>& m, const Step& step) {
    Result r{};
    machine.entries<kOther>().run_script({m, &step, &r, 1});
    return r;
  }
  template <int kOther>
  void random_scripts(int queues, uint32_t capacity, uint32_t start) {
    const auto m = memory<kOther>(queues, capacity, start);
    // No other thread is here, so a waiting operation would wait for ever. After an abort, it returns at once with a
    // result that may differ from the model's. An operation that never waits ignores the abort.
    abort_flag = 1;
    QueueModel model(queues, capacity, machine.width);
    std::mt19937 random(capacity * 31u + uint32_t(queues));
    for (uint32_t i = 0; i < 3000; ++i) {
      const Step s = model.random_step(random, i * 32);
      ASSERT_EQ(difference(s, run(m, s), model.run(s)), "")
          << "step " << i << ", operation " << int(s.op) << " of " << s.n << ", queue " << s.queue << ", " << kOther
          << " words, capacity " << capacity << ", start " << start;
    }
    abort_flag = 0;
  }
  // Runs `step` in a thread. It expects that the step waits until `event` happens, or that it does not wait. Returns
  // the step's result.
  template <class F>
  Result run_until(const QueueMemory<kWords>& m, const Step& step, bool waits, F event) {
    Result result{};
    std::atomic<bool> ended = false;
    const auto poll = [&](int milliseconds) {
      for (int i = 0; i < milliseconds && !ended.load(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return ended.load();
    };
    std::thread thread([&] {
      result = run(m, step);
      ended.store(true);
    });
    const bool waited = !poll(waits ? 20 : 60000);
    EXPECT_EQ(waited, waits) << "operation " << int(step.op);
    event();
    const bool ends = poll(60000);
    EXPECT_TRUE(ends) << "operation " << int(step.op) << " still waits a minute after the event";
    if (!ends || waited != waits) std::atomic_ref<uint32_t>(abort_flag).store(1);  // otherwise the following steps hang
    thread.join();
    return result;
  }
  static void add(uint32_t& count, int n) { std::atomic_ref<uint32_t>(count).fetch_add(uint32_t(n)); }
  static void draw(uint32_t& counter) { std::atomic_ref<uint32_t>(counter).fetch_add(1); }

  QueueMachine machine{};
  std::shared_ptr<void> storage;
  uint32_t abort_flag = 0;
};

TEST_P(QueueSemantics, AgreesWithAModel) {
  for (const uint32_t start : {0u, 0u - 1u, 0u - 777u}) {
    random_scripts<1>(1, 2, start);
    random_scripts<1>(4, 32, start);
    random_scripts<4>(2, 64, start);
    random_scripts<16>(4, 128, start);
    random_scripts<16>(1, 4, start);
  }
}

TEST_P(QueueSemantics, ZeroedMemoryIsEmptyAndResetToZeroIsTheSame) {
  const auto m = memory(3, 8, 0);
  const std::vector<char> reset(static_cast<char*>(storage.get()),
                                static_cast<char*>(storage.get()) + QueueMemory<kWords>::bytes(3, 8));
  EXPECT_EQ(std::count(reset.begin(), reset.end(), 0), long(reset.size()));
  EXPECT_EQ(run(m, with(Op::dequeue, 1, 0, 0, 2)).value, 0u);
}

TEST_P(QueueSemantics, AWholeRoundOfTicketsInElementsOfEveryLane) {
  const auto m = memory(1, 32, 0u - 16u);
  const uint32_t all = machine.width == 32 ? ~0u : (1u << machine.width) - 1u;
  for (int fill = 0; fill < 32 / machine.width; ++fill) {
    EXPECT_EQ(run(m, with(Op::enqueue_lanes, 0, all, uint32_t(fill * 100))).value, all);
  }
  EXPECT_EQ(run(m, with(Op::enqueue_lanes, 0, all, 999)).value, 0u) << "full";
  EXPECT_EQ(run(m, with(Op::enqueue, 1)).value, 0u) << "full";
  EXPECT_EQ(run(m, with(Op::size, 0)).value, 32u);
  EXPECT_EQ(run(m, with(Op::dequeue_lanes, 1)).value, 1u);
  EXPECT_EQ(run(m, with(Op::enqueue_lanes, 0, all, 999)).value, 1u) << "room for lane 0 alone";
}

// A dequeuer that has drawn its ticket before the enqueuer has stored the element.
TEST_P(QueueSemantics, DequeueWaitsForAPromisedElement) {
  for (const Op op : {Op::dequeue, Op::dequeue_lanes, Op::dequeue_all}) {
    const auto m = memory(1, 4, 0u - 1u);
    add(m.control->count, 1);
    draw(m.control->tail);
    const Result r = run_until(m, with(op, 1), true, [&] {
      uint32_t* slot = m.slots + 3 * QueueMemory<kWords>::kSlotWords;
      for (int k = 0; k < kWords; ++k) slot[1 + k] = word_of(5u, k);
      std::atomic_ref<uint32_t>(slot[0]).store(0u - 4u + 1u, std::memory_order_release);
    });
    EXPECT_EQ(r.value, 1u);
    EXPECT_EQ(r.id[0], 5u);
    EXPECT_EQ(m.slots[3 * QueueMemory<kWords>::kSlotWords], 0u) << "the slot waits for enqueue 3";
  }
}

// An enqueuer gets a slot whose last element is still being read.
TEST_P(QueueSemantics, EnqueueWaitsUntilTheSlotIsRead) {
  for (const Op op : {Op::enqueue, Op::enqueue_lanes, Op::scatter}) {
    const auto m = memory(1, 2, 0);
    for (uint32_t i = 0; i < 2; ++i) ASSERT_EQ(run(m, with(Op::enqueue, 1, 0, 40 + i)).value, 1u);
    add(m.control->count, -1);
    draw(m.control->head);
    run_until(m, with(op, 0, 1, 42), true, [&] {
      EXPECT_EQ(m.slots[1], 40u) << "overwritten before it was read";
      std::atomic_ref<uint32_t>(m.slots[0]).store(2u, std::memory_order_release);
    });
    const Result out = run(m, with(Op::dequeue_lanes, 2));
    EXPECT_EQ(out.value, 2u);
    EXPECT_EQ(out.id[0], 41u);
    EXPECT_EQ(out.id[1], 42u);
  }
}

// A dequeuer has been promised the only element and has not drawn its ticket: the queue is not empty yet.
TEST_P(QueueSemantics, EmptyIsAnsweredWhenItCanBeObserved) {
  for (const Op op : {Op::dequeue, Op::dequeue_lanes}) {
    const auto m = memory(1, 4, 0u - 1u);
    ASSERT_EQ(run(m, with(Op::enqueue, 1)).value, 1u);
    add(m.control->count, -1);
    const Result r = run_until(m, with(op, 1), linearizable(), [&] { draw(m.control->head); });
    EXPECT_EQ(r.value, 0u);
  }
}

// An enqueuer has been promised the last slot and has not drawn its ticket: the queue is not full yet.
TEST_P(QueueSemantics, FullIsAnsweredWhenItCanBeObserved) {
  for (const Op op : {Op::enqueue, Op::enqueue_lanes}) {
    const auto m = memory(1, 2, 0u - 1u);
    ASSERT_EQ(run(m, with(Op::enqueue, 1)).value, 1u);
    add(m.control->count, 1);
    const Result r = run_until(m, with(op, 1, 1), linearizable(), [&] { draw(m.control->tail); });
    EXPECT_EQ(r.value, 0u);
  }
}

// Tickets are numbers modulo 2^32: the later ticket may be the smaller number.
TEST_P(QueueSemantics, TicketsAreComparedByTheirDifference) {
  constexpr uint32_t kCapacity = 8;
  for (const uint32_t head : {0u, 5u, 0u - 3u, 0x7ffffffcu}) {
    for (uint32_t length = 0; length <= kCapacity; ++length) {
      QueueControl control{};
      control.head = head;
      control.tail = head + length;
      EXPECT_EQ(machine.observed_full(control, kCapacity), length == kCapacity) << head << " and " << length;
      EXPECT_EQ(machine.observed_empty(control, kCapacity), length == 0) << head << " and " << length;
    }
  }
}

// An enqueuer claims a slot that does not exist, and finds room when it takes the claim back.
TEST_P(QueueSemantics, AClaimOfAllCountsOnWhatMustStillCome) {
  const auto m = memory(1, 2, 0);
  for (uint32_t i = 0; i < 2; ++i) ASSERT_EQ(run(m, with(Op::enqueue, 1, 0, 40 + i)).value, 1u);
  EXPECT_EQ(run(m, with(Op::dequeue_all, 3)).value, 0u);
  EXPECT_EQ(run(m, with(Op::size, 0)).value, 2u) << "a refusal leaves the count as it was";
  add(m.control->count, 1);
  const Result r = run_until(m, with(Op::dequeue_all, 3), true, [&] {
    while (std::atomic_ref<uint32_t>(m.slots[0]).load(std::memory_order_acquire) != 2) std::this_thread::yield();
    add(m.control->count, -1);
    add(m.control->count, 1);
    draw(m.control->tail);
    for (int k = 0; k < kWords; ++k) m.slots[1 + k] = word_of(42u, k);
    std::atomic_ref<uint32_t>(m.slots[0]).store(3u, std::memory_order_release);
  });
  EXPECT_EQ(r.value, 3u);
  EXPECT_EQ(r.id[2], 42u);
}

TEST_P(QueueSemantics, AnAbortEndsEveryWait) {
  const auto abort = [&] { std::atomic_ref<uint32_t>(abort_flag).store(1); };
  for (const Op op : {Op::dequeue, Op::dequeue_lanes, Op::dequeue_all, Op::enqueue, Op::enqueue_lanes, Op::scatter}) {
    std::atomic_ref<uint32_t>(abort_flag).store(0);
    const auto m = memory(1, 2, 0);
    const bool puts = op == Op::enqueue || op == Op::enqueue_lanes || op == Op::scatter;
    if (puts) {
      std::atomic_ref<uint32_t>(m.slots[0]).store(77u);  // a ticket that no thread has
    } else {
      add(m.control->count, 1);
    }
    const Result r = run_until(m, with(op, 1, 1), true, abort);
    if (op != Op::enqueue_lanes) {
      EXPECT_EQ(r.value, 0u) << int(op);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, QueueSemantics,
                         testing::Combine(testing::ValuesIn(cpu_machines()),
                                          testing::Values(Discipline::linearizable, Discipline::distributor)),
                         [](const auto& test) {
                           const bool exact = std::get<1>(test.param) == Discipline::linearizable;
                           return std::string(std::get<0>(test.param).name) +
                                  (exact ? "_linearizable" : "_distributor");
                         });

TEST(QueueMemory, RefusesWhatNoQueueCanHave) {
  for (const uint32_t capacity : {0u, 1u, 3u, 100u, 1u << 29}) {
    EXPECT_THROW(QueueMemory<1>::bytes(1, capacity), std::invalid_argument) << capacity;
  }
  EXPECT_THROW(QueueMemory<1>::bytes(0, 16), std::invalid_argument);
  alignas(64) char memory[1024];
  EXPECT_THROW(QueueMemory<1>::layout(nullptr, 1, 16), std::invalid_argument);
  EXPECT_THROW(QueueMemory<1>::layout(memory + 8, 1, 16), std::invalid_argument);
  EXPECT_EQ(QueueMemory<1>::layout(memory, 1, 16).slots, reinterpret_cast<uint32_t*>(memory + 192));
  EXPECT_EQ(QueueMemory<16>::bytes(1000, 256), 1000u * (192u + 256u * 68u));
}

}  // namespace
}  // namespace brokkr::queue_test
