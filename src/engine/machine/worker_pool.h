// Host threads that are kept: a launch of the CPU machine gives one call to each of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace brokkr {

class WorkerPool {
 public:
  WorkerPool() = default;
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs work(0) ... work(count - 1), each on a thread of its own, all at the same time (they may wait for each other).
  // Returns without waiting; `work` must stay alive until `wait` has returned.
  void start(int count, const std::function<void(int)>& work);
  // Waits until all have returned, at most `timeout_ms` (negative: for ever). Returns whether they have.
  bool wait(double timeout_ms);

 private:
  void run(size_t number, uint64_t seen);

  std::mutex mutex_;
  std::condition_variable go_, done_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<uint64_t> generation_ = 0;  // changes under the lock
  int count_ = 0, running_ = 0;
  bool stop_ = false;
};

}  // namespace brokkr
