#include "base/forked.h"

#include <pthread.h>

#include <atomic>
#include <utility>

namespace brokkr {
namespace {

std::atomic<uint64_t> forks{0};

// Registered before main, and therefore before any fork that matters.
const int registered = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

struct Remains {
  std::shared_ptr<void> what;
  Remains* next;
};
std::atomic<Remains*> all_remains{nullptr};

}  // namespace

uint64_t process_number() { return forks.load(std::memory_order_relaxed); }

// The list has no lock, because another thread could hold a lock at the fork. It stays reachable, so that no leak is
// reported.
void leave_behind(std::shared_ptr<void> remains) {
  auto* const one = new Remains{std::move(remains), all_remains.load()};
  while (!all_remains.compare_exchange_weak(one->next, one)) {
  }
}

}  // namespace brokkr
