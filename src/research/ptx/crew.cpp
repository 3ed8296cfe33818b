// Runs a launch on several host threads: each runs its own blocks on its own machine. Lanes of a warp and warps of a
// block stay on one thread. Blocks share memory, which is then accessed with the host's atomics (access.cpp). Features
// that need a repeatable order or a global view use one thread: seeds, weak memory, race detection.
#include <algorithm>
#include <exception>
#include <thread>

#include "ptx/machine.h"

namespace brokkr::ptx {

size_t Machine::crew_of(const Launch& launch) const {
  if (adversarial || settings.held_stores > 0 || settings.stale_loads || settings.races) return 1;
  const uint64_t blocks = std::min<uint64_t>(launch.blocks(), launch.resident_blocks);
  return size_t(std::clamp<uint64_t>(uint64_t(std::max(settings.threads, 1)), 1, blocks));
}

void Machine::run_crew(const Launch& launch, size_t crew) {
  Crowd crowd;
  crowd.clock = now();
  std::vector<Machine*> machines = {this};
  while (helpers_.size() + 1 < crew) helpers_.push_back(std::make_unique<Machine>(settings));
  for (size_t i = 1; i < crew; ++i) {
    Machine& helper = *helpers_[i - 1];
    helper.executed_ = 0;
    helper.profile_.keep(profile_.is_kept());
    helper.begin(launch);
    machines.push_back(&helper);
  }
  for (size_t i = 0; i < crew; ++i) {
    machines[i]->crowd_ = &crowd;
    machines[i]->share_ = (launch.resident_blocks + crew - 1 - i) / crew;
  }
  std::vector<std::exception_ptr> faults(crew);
  const auto work = [&](size_t i) {
    try {
      machines[i]->run_all(launch);
    } catch (...) {
      faults[i] = std::current_exception();
      crowd.stop.store(true, std::memory_order_relaxed);
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < crew; ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& t : threads) t.join();
  for (Machine* m : machines) m->crowd_ = nullptr;
  for (size_t i = 1; i < crew; ++i) {
    executed_ += machines[i]->executed_;
    profile_.add(machines[i]->profile_);
  }
  // The clock continues from its current value.
  slept_ = std::max(slept_, crowd.clock.load() - std::min(crowd.clock.load(), executed_));
  for (const std::exception_ptr& fault : faults) {
    if (fault != nullptr) std::rethrow_exception(fault);
  }
}

}  // namespace brokkr::ptx
