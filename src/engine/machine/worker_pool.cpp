#include "machine/worker_pool.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/forked.h"
#include "base/processors.h"

namespace brokkr {
namespace {

// A thread polls this often for the next launch before it falls asleep, for about 25 microseconds in total. Frames
// follow each other sooner than that, and it takes about as long to wake a thread. More polls would occupy a core that
// others need.
constexpr int kLooks = 500;

void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

// The threads and the state that they share.
struct WorkerPool::Crew {
  std::mutex mutex;
  std::condition_variable go, done;
  std::vector<std::thread> threads;
  const std::function<void(int)>* work = nullptr;
  std::atomic<uint64_t> generation = 0;  // changes under the lock
  int count = 0, running = 0;
  bool stop = false;

  void run(size_t number, uint64_t seen) {
    std::unique_lock lock(mutex);
    for (;;) {
      go.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      if (number >= size_t(count)) continue;
      const auto* const its_work = work;
      const int looks = count <= usable_processors() ? kLooks : 0;
      lock.unlock();
      (*its_work)(int(number));
      lock.lock();
      const bool is_last = --running == 0;
      lock.unlock();
      if (is_last) done.notify_all();
      for (int look = 0; look < looks && generation.load(std::memory_order_relaxed) == seen; ++look) rest();
      lock.lock();
    }
  }
};

WorkerPool::WorkerPool() : process_(process_number()), crew_(std::make_shared<Crew>()) {}

WorkerPool::~WorkerPool() {
  if (is_forked()) {
    leave_behind(std::move(crew_));
    return;
  }
  {
    const std::lock_guard lock(crew_->mutex);
    crew_->stop = true;
  }
  crew_->go.notify_all();
  for (std::thread& t : crew_->threads) t.join();
}

bool WorkerPool::is_forked() const { return process_ != process_number(); }

void WorkerPool::renew() {
  leave_behind(std::exchange(crew_, std::make_shared<Crew>()));
  process_ = process_number();
}

void WorkerPool::start(int count, const std::function<void(int)>& work) {
  if (is_forked()) renew();
  Crew& crew = *crew_;
  {
    const std::lock_guard lock(crew.mutex);
    try {
      while (crew.threads.size() < size_t(count)) {
        crew.threads.emplace_back(
            [&crew, number = crew.threads.size(), seen = crew.generation.load()] { crew.run(number, seen); });
      }
    } catch (const std::system_error&) {
      throw std::runtime_error("workers: the system gives " + std::to_string(crew.threads.size()) +
                               " threads and not " + std::to_string(count) + "; use fewer workers");
    }
    crew.work = &work;
    crew.count = crew.running = count;
    ++crew.generation;
  }
  crew.go.notify_all();
}

bool WorkerPool::wait(double timeout_ms) {
  if (is_forked()) return true;
  Crew& crew = *crew_;
  std::unique_lock lock(crew.mutex);
  const auto finished = [&] { return crew.running == 0; };
  if (timeout_ms < 0) {
    crew.done.wait(lock, finished);
    return true;
  }
  return crew.done.wait_for(lock, std::chrono::duration<double, std::milli>(timeout_ms), finished);
}

}  // namespace brokkr
