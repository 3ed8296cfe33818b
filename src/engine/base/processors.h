// The processors that the system lets this process use, and the control groups that limit them.
#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <system_error>
#include <vector>

namespace brokkr {

// Processors that this process can keep busy, at least 1: those that it may run on, and no more than the quotas of the
// control groups that it is in (cpu.max of version 2, cpu.cfs_quota_us of version 1), rounded up. `root` is where /proc
// and /sys lie.
int usable_processors(const std::filesystem::path& root);
// The same of this computer, as it was when it was asked first.
int usable_processors();

// Calls visit(folder) for the process's control group of `controller` ("memory", "cpu") and for all that it lies in.
void each_control_group(const std::filesystem::path& root, const std::string& controller,
                        const std::function<void(const std::filesystem::path&)>& visit);

// Independent pieces of work on several threads.

// Calls work(0) .. work(count - 1), each once and in no order, on up to `workers` threads, of which the caller's is
// one; that one calls `watch(i)` after each piece of its own. Where the system gives no more threads, there are fewer.
// An exception of either is thrown again once all threads are done; no new piece is begun after it.
template <class Work, class Watch>
void parallel_for(int count, int workers, const Work& work, const Watch& watch) {
  std::atomic<int> next{0};
  const auto run = [&](const auto& after) {
    try {
      for (int i = next++; i < count; i = next++) {
        work(i);
        after(i);
      }
    } catch (...) {
      next = count;
      throw;
    }
  };
  std::vector<std::future<void>> others;  // their destructors wait
  try {
    while (int(others.size()) + 1 < std::min(workers, count))
      others.push_back(std::async(std::launch::async, run, [](int) {}));
  } catch (const std::system_error&) {
  }
  run(watch);
  for (std::future<void>& other : others) other.get();
}

template <class Work>
void parallel_for(int count, int workers, const Work& work) {
  parallel_for(count, workers, work, [](int) {});
}

}  // namespace brokkr
