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
  std::atomic<int> running = 0;          // changes under the lock
  int first = 0, end = 0;                // thread i makes the call first + i, if that is below `end`
  int waiting = 0;                       // calls that no thread has begun
  bool stop = false;

  int looks() const { return end <= usable_processors() ? kLooks : 0; }

  void run(int number, uint64_t seen) {
    std::unique_lock lock(mutex);
    for (;;) {
      go.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      const int its_call = first + number;
      if (its_call >= end) continue;
      const auto* const its_work = work;
      const int its_looks = looks();
      --waiting;
      lock.unlock();
      (*its_work)(its_call);
      lock.lock();
      const bool is_last = --running == 0;
      lock.unlock();
      if (is_last) done.notify_all();
      for (int look = 0; look < its_looks && generation.load(std::memory_order_relaxed) == seen; ++look) rest();
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

void WorkerPool::start(int count, const std::function<void(int)>& work, First first) {
  if (is_forked()) renew();
  Crew& crew = *crew_;
  const int caller_calls = first == First::caller ? 1 : 0, thread_calls = count - caller_calls;
  {
    const std::lock_guard lock(crew.mutex);
    try {
      while (crew.threads.size() < size_t(thread_calls)) {
        crew.threads.emplace_back(
            [&crew, number = int(crew.threads.size()), seen = crew.generation.load()] { crew.run(number, seen); });
      }
    } catch (const std::system_error&) {
      throw std::runtime_error("workers: the system gives " +
                               std::to_string(crew.threads.size() + size_t(caller_calls)) + " threads and not " +
                               std::to_string(count) + "; use fewer workers");
    }
    crew.work = &work;
    crew.first = caller_calls;
    crew.end = count;
    crew.running = crew.waiting = thread_calls;
    if (thread_calls == 0) return;
    ++crew.generation;
  }
  crew.go.notify_all();
}

void WorkerPool::run(int count, const std::function<void(int)>& work) {
  start(count, work, First::caller);
  struct Wait {  // for the threads, which use `work`, even if the caller's own call throws
    WorkerPool& pool;
    ~Wait() { pool.wait(-1); }
  } wait{*this};
  work(0);
}

void WorkerPool::withdraw() {
  if (is_forked()) return;
  Crew& crew = *crew_;
  if (crew.running.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(crew.mutex);
  crew.running -= std::exchange(crew.waiting, 0);
  crew.end = crew.first;  // threads that wake up find no call
}

bool WorkerPool::wait(double timeout_ms) {
  if (is_forked()) return true;
  Crew& crew = *crew_;
  // A caller that has worked waits only for the others to finish their last pieces, which takes little time.
  const int looks = crew.first > 0 && timeout_ms != 0 ? crew.looks() : 0;
  for (int look = 0; look < looks && crew.running.load(std::memory_order_relaxed) != 0; ++look) rest();
  std::unique_lock lock(crew.mutex);
  const auto finished = [&] { return crew.running == 0; };
  if (timeout_ms < 0) {
    crew.done.wait(lock, finished);
    return true;
  }
  return crew.done.wait_for(lock, std::chrono::duration<double, std::milli>(timeout_ms), finished);
}

}  // namespace brokkr
