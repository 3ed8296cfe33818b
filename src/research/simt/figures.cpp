#include "simt/figures.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "base/failure.h"
#include "base/processors.h"

namespace brokkr::simt {

const std::vector<FigureInfo>& figures() {
  static const std::vector<FigureInfo> all = {
      {"2.3", "active lanes of rays, by the stack", figure_stack_lanes},
      {"8.1", "limits: independent lanes, and MIMD, relative to the stack", figure_limits},
      {"8.2", "two ways, with each variant of the stack", figure_two_ways},
      {"8.3", "2 to 32 ways", figure_more_ways},
      {"8.4", "two ways, and warps of half the size", figure_half_warps},
      {"8.5", "two ways with real memory", figure_real_memory},
      {"8.6", "active lanes of rays with µ-kernels", figure_spawn_lanes},
      {"8.7", "million rays per second, for three scenes", figure_rays},
      {"8.8", "active lanes of rays with µ-kernels and bank conflicts", figure_conflict_lanes},
      {"8.9", "rays with ideal memory", figure_ideal_rays},
      {"8.10", "a branch, by the number of threads that take the long path", figure_branch_threads},
      {"8.11", "a branch, by the number of warps that diverge", figure_branch_warps},
      {"8.12", "a branch without reconverge, by the length of the code after it", figure_without_reconverge},
      {"table-8.1", "memory traffic of an image", table_traffic},
      {"table-7.4", "resources of a ray's thread", table_resources},
      {"A.10", "instructions of rays through GrUG", figure_grug_instructions},
      {"A.11", "rays that have ended, through GrUG", figure_grug_rays},
      {"table-A.1", "the fixed hardware of GrUG", table_grug_unit},
      {"software", "rays by µ-kernels in software: tasks on bucket queues", figure_software},
      {"A.1", "queues on a CPU of twenty cores [Kerbl18]", figure_queue_pairs},
  };
  return all;
}

const FigureInfo& find_figure(const std::string& name) {
  std::string names;
  for (const FigureInfo& f : figures()) {
    if (name == f.name) return f;
    names += std::string(names.empty() ? "" : ", ") + f.name;
  }
  fail("there is no figure '{}'; the figures are {}", name.substr(0, 40), names);
}

// Runs the parts of a figure on several host threads, each with its own machine.

namespace {

// Limits memory: a run may hold a scene of a million triangles and thousands of warps.
constexpr unsigned kMaxThreads = 4;

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
  const size_t threads = std::min<size_t>(count, std::clamp(unsigned(usable_processors()), 1u, kMaxThreads));
  std::vector<std::thread> others;
  for (size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  if (fault != nullptr) std::rethrow_exception(fault);
}

}  // namespace brokkr::simt
