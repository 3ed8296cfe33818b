// Runs of a figure on several host threads, each with its own machine.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "base/processors.h"
#include "simt/figures.h"

namespace brokkr::simt {
namespace {

// Each run holds a program's memory: a scene of a million triangles, thousands of warps.
constexpr unsigned kMostThreads = 4;

}  // namespace

void for_each_run(size_t count, const std::function<void(size_t)>& run) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr fault;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        run(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (fault == nullptr) fault = std::current_exception();
        next = count;
      }
    }
  };
  const size_t threads = std::min<size_t>(count, std::clamp(unsigned(usable_processors()), 1u, kMostThreads));
  std::vector<std::thread> others;
  for (size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  if (fault != nullptr) std::rethrow_exception(fault);
}

}  // namespace brokkr::simt
