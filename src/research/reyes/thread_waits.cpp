#include "reyes/thread_waits.h"

#include <time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace brokkr {

ThreadWaits thread_waits() {
  ThreadWaits waits;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error)) {
    // Linux's /proc/PID/schedstat: time on a processor, time in its queue, and number of turns.
    std::ifstream file(at->path() / "schedstat");
    uint64_t ran = 0, waited = 0;
    if (file >> ran >> waited) waits[at->path().filename().string()] = waited;
  }
  return waits;
}

double longest_wait_ms(const ThreadWaits& before, const ThreadWaits& after) {
  uint64_t longest = 0;
  for (const auto& [thread, waited] : after) {
    const auto its = before.find(thread);
    const uint64_t then = its == before.end() ? 0 : its->second;
    longest = std::max(longest, waited > then ? waited - then : 0);
  }
  return double(longest) * 1e-6;
}

double processor_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
}

}  // namespace brokkr
