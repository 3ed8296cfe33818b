#include "machine/worker_pool.h"

#include <chrono>

namespace brokkr {
namespace {

// Looks for the next launch before a thread falls asleep, some 25 microseconds: frames follow each other sooner than
// that, and to wake a thread takes about as long. More keep a core from others for longer.
constexpr int kLooks = 500;

void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  go_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void WorkerPool::start(int count, const std::function<void(int)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    count_ = running_ = count;
    while (threads_.size() < size_t(count)) {
      threads_.emplace_back([this, number = threads_.size(), seen = generation_.load()] { run(number, seen); });
    }
    ++generation_;
  }
  go_.notify_all();
}

bool WorkerPool::wait(double timeout_ms) {
  std::unique_lock lock(mutex_);
  const auto finished = [&] { return running_ == 0; };
  if (timeout_ms < 0) {
    done_.wait(lock, finished);
    return true;
  }
  return done_.wait_for(lock, std::chrono::duration<double, std::milli>(timeout_ms), finished);
}

void WorkerPool::run(size_t number, uint64_t seen) {
  std::unique_lock lock(mutex_);
  for (;;) {
    go_.wait(lock, [&] { return stop_ || generation_ != seen; });
    if (stop_) return;
    seen = generation_;
    if (number >= size_t(count_)) continue;
    const auto* work = work_;
    const int looks = count_ <= int(std::thread::hardware_concurrency()) ? kLooks : 0;
    lock.unlock();
    (*work)(int(number));
    lock.lock();
    const bool is_last = --running_ == 0;
    lock.unlock();
    if (is_last) done_.notify_all();
    for (int look = 0; look < looks && generation_.load(std::memory_order_relaxed) == seen; ++look) rest();
    lock.lock();
  }
}

}  // namespace brokkr
