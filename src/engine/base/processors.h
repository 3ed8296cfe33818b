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

// The number of processors that this process can keep busy, at least 1: those that it may run on, limited by the quotas
// of its control groups (cpu.max of version 2, cpu.cfs_quota_us of version 1), rounded up. `root` is the folder that
// contains /proc and /sys.
int usable_processors(const std::filesystem::path& root);
// The same number for this computer. It is computed at the first call.
int usable_processors();

// Calls visit(folder) for the process's control group of `controller` ("memory", "cpu") and for all groups around it.
void each_control_group(const std::filesystem::path& root, const std::string& controller,
                        const std::function<void(const std::filesystem::path&)>& visit);

// Independent pieces of work on several threads.

// Calls work(0) .. work(count - 1), each once and in no order, on up to `workers` threads. The caller's thread is one
// of them; it calls `watch(i)` after each of its pieces. If the system gives fewer threads, uses fewer. After an
// exception in either function, no new piece starts, and the exception is thrown again when all threads are done.
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
