// Runs programs of tasks on the threads of a CPU. You define task types, trees and policies, and need not build Brokkr.
// docs/guide/tasks.md explains such programs; task_tree.h defines the members of tasks and policies.
//
// This header is installed as <brokkr/tasks.h>, with the CMake target brokkr::tasks. All of it is compiled for one
// instruction set, which that target chooses.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "schedule/policies.h"
#include "schedule/task_loop.h"

BROKKR_MACHINE_BEGIN

// A program that runs tasks of the tree `Root`. The tasks share a context. Each worker is a thread and a warp.
// kOwnSlots: slots of each queue of a worker's own (OwnQueues), which hold tasks where they were made; 0: it has none.
//
// Context has `template <class Worker> void seed(Worker&)`, which enqueues the first tasks. Every worker calls it once,
// before its first task. worker.number() tells workers apart.
template <class Root, class Context, uint32_t kOwnSlots = 0>
class TaskProgram {
 public:
  // `context` must outlive the program. capacity: tasks per queue, a power of two in 4 .. 2^28. workers: 0 for one per
  // processor. Throws std::invalid_argument for another capacity, and std::bad_alloc.
  explicit TaskProgram(Context& context, uint32_t capacity = 1u << 14, uint32_t workers = 0)
      : context_(context), workers_(workers != 0 ? workers : std::max(1u, std::thread::hardware_concurrency())) {
    const size_t bytes = (ProgramMemory<Root>::bytes(capacity, workers_) + 63) / 64 * 64;
    space_.reset(std::aligned_alloc(64, bytes));
    if (space_ == nullptr) throw std::bad_alloc();
    std::memset(space_.get(), 0, bytes);
    memory_ = ProgramMemory<Root>::layout(space_.get(), capacity);
    memory_.stop = &stop_;
    memory_.queues.abort = &abort_;
    *memory_.open = workers_;
  }

  // Runs until no task is queued or running, and returns true; or until `stop` is called, and returns false. The next
  // call then continues with the queued tasks. Throws std::system_error if there are no threads.
  bool run() {
    system_atomic<uint32_t>(stop_).store(0, kRelaxed);
    std::vector<std::jthread> threads;
    try {
      for (uint32_t number = 1; number < workers_; ++number) threads.emplace_back([this, number] { work(number); });
    } catch (...) {
      system_atomic<uint32_t>(stop_).store(1, kRelaxed);
      throw;
    }
    work(0);
    threads.clear();
    memory_.resumed = true;
    return device_atomic<uint32_t>(*memory_.open).load(kAcquire) == 0;
  }

  // Workers leave between two tasks. May be called by tasks and by any thread.
  void stop() { system_atomic<uint32_t>(stop_).store(1, kRelaxed); }

  // The number of enqueues that found their queue full. The task that tried was told.
  uint32_t refused() const { return *memory_.refused; }

 private:
  struct Free {
    void operator()(void* space) const { std::free(space); }
  };
  void work(uint32_t number) {
    Warp w;
    if constexpr (kOwnSlots != 0) {
      using Own = OwnQueues<Root, kOwnSlots>;
      const auto own = std::make_unique<Own>();
      Worker<Root, Context, Own>(w, memory_, context_, number, own.get()).run();
    } else {
      Worker<Root, Context>(w, memory_, context_, number).run();
    }
  }

  Context& context_;
  uint32_t workers_, stop_ = 0, abort_ = 0;
  std::unique_ptr<void, Free> space_;
  ProgramMemory<Root> memory_;
};

BROKKR_MACHINE_END
