// Streams, events, and the thread that executes submitted operations.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "ptx/machine.h"
#include "ptx/settings.h"

namespace brokkr::ptx {

struct Stream {
  bool blocking = true;  // synchronizes with stream 0
  uint64_t pending = 0;  // operations that are not complete
};
struct Event {
  bool recorded = false;
  uint64_t waits_for = 0;  // records that are pending
  std::chrono::steady_clock::time_point time;
};

class Queue {
 public:
  static Queue& instance();

  // Runs operations in submission order on the queue's thread; with BROKKR_PTX_SYNC=1 immediately.
  void order(Stream& stream, std::function<void()> operation);
  // Runs the copy immediately if the stream has no pending operations, even while kernels of other streams run, like a
  // copy engine.
  void order_copy(Stream& stream, std::function<void()> operation);
  void run(const Launch& launch);  // on the queue's thread; records a fault
  void record(Event& event, Stream& stream);
  void mark(Event& event);  // as part of an operation
  bool done(const Event& event);
  void wait(const Event& event);
  bool idle(const Stream& stream);
  void wait(const Stream& stream);  // including the streams that it waits for
  void wait_all();
  int fault();  // cudaError_t of the failed launch; 0: none

  Stream* add_stream(bool blocking);
  void remove(Stream* stream);
  Stream legacy;
  Machine machine{settings()};

 private:
  struct Operation {
    Stream* stream;
    std::function<void()> run;
  };
  Queue();
  void work();
  bool idle_locked(const Stream& stream) const;

  std::mutex mutex_;
  std::condition_variable ordered_, finished_;
  std::deque<Operation> operations_;
  std::set<Stream*> streams_;
  uint64_t under_way_ = 0;
  int fault_ = 0;
};

}  // namespace brokkr::ptx
