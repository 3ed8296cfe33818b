// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

namespace brokkr::lab {

// Calls work(0) .. work(count - 1), each once and in no order, on up to `workers` threads. An exception is thrown again
// once all threads are done; no new piece is begun after it.
template <class Work>
void parallel_for(int count, int workers, const Work& work) {
  std::atomic<int> next{0};
  std::vector<std::future<void>> threads;
  for (int t = 0; t < std::clamp(workers, 1, std::max(1, count)); ++t) {
    threads.push_back(std::async(std::launch::async, [&] {
      try {
        for (int i = next++; i < count; i = next++) work(i);
      } catch (...) {
        next = count;
        throw;
      }
    }));
  }
  for (std::future<void>& thread : threads) thread.get();
}

}  // namespace brokkr::lab
