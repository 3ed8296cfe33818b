// Persistent host threads. A launch on the CPU machine makes one call on each of them, and one on the caller's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace brokkr {

// After a fork, the child's pool starts its own threads at the next start, and does not wait for the parent's calls.
class WorkerPool {
 public:
  WorkerPool();
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Who makes the call work(0).
  enum class First { thread, caller };

  // Runs work(0) ... work(count - 1) at the same time, each on a separate thread, so they may wait for each other.
  // Returns without waiting; `work` must stay alive until `wait` has returned. With First::caller the caller must call
  // work(0) itself, before it waits; so one thread less must be woken. Throws std::runtime_error if the system has no
  // more threads; then no call has begun.
  void start(int count, const std::function<void(int)>& work, First first = First::thread);
  // Does the same with First::caller, calls work(0) and waits for all.
  void run(int count, const std::function<void(int)>& work);
  // Withdraws the calls that no thread has begun, so that `wait` does not wait for threads to wake up. A caller that
  // has worked may use it if the calls that have begun end without the others.
  void withdraw();
  // Waits at most `timeout_ms` for all calls to return (negative: without limit). Returns true if all have returned.
  bool wait(double timeout_ms);

 private:
  struct Crew;
  bool is_forked() const;
  void renew();

  uint64_t process_;
  std::shared_ptr<Crew> crew_;
};

}  // namespace brokkr
