#include "ptx/queue.h"

#include <cuda_runtime_api.h>

#include <cstdio>

#include "ptx/runtime.h"
#include "ptx/settings.h"

namespace brokkr::ptx {

Queue& Queue::instance() {
  static Queue& queue = *new Queue;  // its thread ends with the process
  return queue;
}

Queue::Queue() {
  if (!settings().synchronous) std::thread([this] { work(); }).detach();
}

void Queue::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ordered_.wait(lock, [&] { return !operations_.empty(); });
    const Operation operation = std::move(operations_.front());
    operations_.pop_front();
    lock.unlock();
    operation.run();
    lock.lock();
    --operation.stream->pending;
    --under_way_;
    finished_.notify_all();
  }
}

void Queue::order(Stream& stream, std::function<void()> operation) {
  if (settings().synchronous) return operation();
  const std::lock_guard lock(mutex_);
  ++stream.pending;
  ++under_way_;
  operations_.push_back({&stream, std::move(operation)});
  ordered_.notify_one();
}

void Queue::order_copy(Stream& stream, std::function<void()> operation) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_locked(stream)) {
      ++stream.pending;
      ++under_way_;
      operations_.push_back({&stream, std::move(operation)});
      ordered_.notify_one();
      return;
    }
  }
  operation();
}

void Queue::run(const Launch& launch) {
  if (fault() != 0) return;
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t executed = machine.executed();
  try {
    if (hooks().run) {
      hooks().run(launch);
    } else {
      machine.run(launch);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ptx: %s: %s\n", launch.kernel->name.c_str(), error.what());
    const std::string_view what = error.what();
    const std::lock_guard lock(mutex_);
    fault_ = what.starts_with("access")                                     ? cudaErrorIllegalAddress
             : what.starts_with("misaligned")                               ? cudaErrorMisalignedAddress
             : what.starts_with("assertion")                                ? cudaErrorAssert
             : what.starts_with("deadlock") || what.starts_with("given up") ? cudaErrorLaunchTimeout
                                                                            : cudaErrorLaunchFailure;
  }
  if (settings().verbose > 0) {
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double n = double(machine.executed() - executed);
    std::fprintf(stderr, "ptx: %s: %u blocks of %u, %.0f warp instructions in %.3f s, %.1f million/s\n",
                 launch.kernel->name.c_str(), launch.grid[0] * launch.grid[1] * launch.grid[2],
                 launch.block[0] * launch.block[1] * launch.block[2], n, s, n / s / 1e6);
  }
}

void Queue::record(Event& event, Stream& stream) {
  {
    const std::lock_guard lock(mutex_);
    event.recorded = true;
    ++event.waits_for;
  }
  order_copy(stream, [this, &event] {
    mark(event);
    const std::lock_guard lock(mutex_);
    --event.waits_for;
  });
}

void Queue::mark(Event& event) {
  const std::lock_guard lock(mutex_);
  event.recorded = true;
  event.time = std::chrono::steady_clock::now();
}

bool Queue::done(const Event& event) {
  const std::lock_guard lock(mutex_);
  return event.waits_for == 0;
}

void Queue::wait(const Event& event) {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return event.waits_for == 0; });
}

bool Queue::idle_locked(const Stream& stream) const {
  if (stream.pending != 0) return false;
  if (&stream == &legacy) {
    for (const Stream* s : streams_) {
      if (s->blocking && s->pending != 0) return false;
    }
    return true;
  }
  return !stream.blocking || legacy.pending == 0;
}

bool Queue::idle(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  return idle_locked(stream);
}

void Queue::wait(const Stream& stream) {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return idle_locked(stream); });
}

void Queue::wait_all() {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return under_way_ == 0; });
}

int Queue::fault() {
  const std::lock_guard lock(mutex_);
  return fault_;
}

Stream* Queue::add_stream(bool blocking) {
  const std::lock_guard lock(mutex_);
  auto* stream = new Stream{blocking, 0};
  streams_.insert(stream);
  return stream;
}

void Queue::remove(Stream* stream) {
  wait(*stream);
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
  delete stream;
}

}  // namespace brokkr::ptx
