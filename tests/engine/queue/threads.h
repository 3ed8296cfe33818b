// Threads for the workers of queue tests, and memory for them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "base/sanitizers.h"

namespace brokkr::queue_test {

inline constexpr bool kThreadSanitizer = BROKKR_THREAD_SANITIZER != 0;

inline std::shared_ptr<void> allocate(size_t bytes) {
  void* p = ::operator new(bytes, std::align_val_t(64));
  std::memset(p, 0, bytes);
  return {p, [](void* q) { ::operator delete(q, std::align_val_t(64)); }};
}

// Runs work(0) .. work(workers - 1) on separate threads. If *progress does not change for 20 s, it aborts them and
// returns false. On a busy computer, where every wait costs a time slice, they may well take longer than that in total.
template <class Work>
bool run_threads(int workers, uint32_t* abort, uint32_t* progress, Work work) {
  std::atomic<int> running = workers;
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&, i] {
      work(i);
      running.fetch_sub(1);
    });
  }
  using Clock = std::chrono::steady_clock;
  const auto now_at = [&] { return std::atomic_ref<uint32_t>(*progress).load(std::memory_order_relaxed); };
  uint32_t last = now_at();
  auto moved = Clock::now();
  bool in_time = true;
  while (running.load() > 0 && in_time) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (const uint32_t at = now_at(); at != last) {
      last = at;
      moved = Clock::now();
    }
    in_time = Clock::now() - moved < std::chrono::seconds(20);
  }
  if (!in_time) std::atomic_ref<uint32_t>(*abort).store(1);
  for (std::thread& t : threads) t.join();
  return in_time;
}

}  // namespace brokkr::queue_test
