// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>

#include "machine/worker_pool.h"

namespace brokkr::lab {

// Calls work(0) .. work(count - 1), each once and in no order, on up to `workers` threads. The first exception is
// thrown again once all threads are done; no new piece is begun after it.
template <class Work>
void parallel_for(int count, int workers, const Work& work) {
  std::atomic<int> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const std::function<void(int)> run = [&](int) {
    for (int i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        next = count;
      }
    }
  };
  WorkerPool pool;
  pool.start(std::clamp(workers, 1, std::max(1, count)), run);
  pool.wait(-1);
  if (error) std::rethrow_exception(error);
}

}  // namespace brokkr::lab
