// Pointers to slots: an element is whole and belongs to one thread in every order of accesses, and FIFO order holds.
#define BROKKR_ISA_IS_observed 4
#define BROKKR_ISA observed

#include "lab/queue/slot_pointers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "lab/queue/queue_shape.h"
#include "queue/interleaving.h"

namespace brokkr::queue_test {
namespace {

struct SlotMemory {
  uint32_t abort = 0;
  std::vector<QueueControl> bytes;
  SlotMemory(uint32_t capacity, uint32_t words)
      : bytes((slot_pointer_bytes(capacity, words) + sizeof(QueueControl) - 1) / sizeof(QueueControl)) {}
  std::byte* data() { return reinterpret_cast<std::byte*>(bytes.data()); }
};

TEST(SlotPointers, RefusesWhenFullOrEmptyAndKeepsTheOrder) {
  constexpr uint32_t kCapacity = 4, kWords = 7;
  SlotMemory memory(kCapacity, kWords);
  const SlotPointers<> queue(memory.data(), kCapacity, kWords, &memory.abort);
  EXPECT_EQ(queue.oldest(), nullptr);
  for (uint32_t lap = 0; lap < 3; ++lap) {
    for (uint32_t i = 0; i < kCapacity; ++i) {
      uint32_t* const words = queue.room();
      ASSERT_NE(words, nullptr);
      for (uint32_t k = 0; k < kWords; ++k) words[k] = 100 * lap + 10 * i + k;
      queue.publish(words);
    }
    EXPECT_EQ(queue.room(), nullptr);
    for (uint32_t i = 0; i < kCapacity; ++i) {
      uint32_t* const words = queue.oldest();
      ASSERT_NE(words, nullptr);
      for (uint32_t k = 0; k < kWords; ++k) EXPECT_EQ(words[k], 100 * lap + 10 * i + k);
      queue.release(words);
    }
    EXPECT_EQ(queue.oldest(), nullptr);
  }
}

// Three threads in 500 orders: each element is made in place word by word, with another thread's turn between two
// words.
TEST(SlotPointers, ElementsAreWholeInEveryOrder) {
  constexpr uint32_t kCapacity = 2, kWords = 3, kEach = 4;
  constexpr int kCrew = 3;
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    SlotMemory memory(kCapacity, kWords);
    const SlotPointers<Hooked> queue(memory.data(), kCapacity, kWords, &memory.abort);
    std::map<uint32_t, int> taken;
    int torn = 0;
    Interleaving threads(kCrew);
    RandomTurns turns(kCrew, seed);
    threads.run(
        [&](int thread) {
          for (uint32_t i = 0; i < kEach; ++i) {
            uint32_t* words = nullptr;
            for (int spin = 0; (words = queue.room()) == nullptr && memory.abort == 0; ++spin) Hooked::pause(spin);
            if (words == nullptr) return;
            for (uint32_t k = 0; k < kWords; ++k) {
              Hooked::step();
              words[k] = uint32_t(thread) * kEach + i;
            }
            queue.publish(words);
            for (int spin = 0; (words = queue.oldest()) == nullptr && memory.abort == 0; ++spin) Hooked::pause(spin);
            if (words == nullptr) return;
            const uint32_t first = words[0];
            for (uint32_t k = 1; k < kWords; ++k) {
              Hooked::step();
              torn += words[k] != first;
            }
            queue.release(words);
            ++taken[first];
          }
        },
        turns, [&] { memory.abort = 1; });
    ASSERT_FALSE(threads.gave_up()) << "seed " << seed;
    ASSERT_EQ(torn, 0) << "seed " << seed;
    ASSERT_EQ(taken.size(), size_t(kCrew) * kEach) << "seed " << seed;
    for (const auto& [element, times] : taken) ASSERT_EQ(times, 1) << "seed " << seed << ", element " << element;
  }
}

}  // namespace
}  // namespace brokkr::queue_test
