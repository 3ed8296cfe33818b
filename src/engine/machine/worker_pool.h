// Persistent host threads: a launch on the CPU machine makes one call on each of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace brokkr {

// In a forked process a pool makes threads of its own with the next start; what the parent had started is not waited
// for.
class WorkerPool {
 public:
  WorkerPool();
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs work(0) ... work(count - 1), each on a thread of its own, all at the same time (they may wait for each other).
  // Returns without waiting; `work` must stay alive until `wait` has returned. Throws std::runtime_error where the
  // system has no more threads; then none has begun.
  void start(int count, const std::function<void(int)>& work);
  // Waits at most `timeout_ms` for all calls to return (negative: without limit). Returns true if they have.
  bool wait(double timeout_ms);

 private:
  struct Crew;
  bool is_forked() const;
  void renew();

  uint64_t process_;
  std::shared_ptr<Crew> crew_;
};

}  // namespace brokkr
