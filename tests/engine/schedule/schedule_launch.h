// Runs the tests' programs on every machine of this build that the processor supports.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "schedule_plan.h"

#define BROKKR_SCHEDULE_MACHINE(isa)         \
  namespace brokkr::isa::schedule_programs { \
  schedule_test::Programs programs();        \
  }
#if defined(BROKKR_SCHEDULE_CPU)
BROKKR_SCHEDULE_MACHINE(BROKKR_SCHEDULE_CPU)
#endif
#if defined(BROKKR_SCHEDULE_EMULATED)
BROKKR_SCHEDULE_MACHINE(emulated)
#endif
#undef BROKKR_SCHEDULE_MACHINE

namespace brokkr::schedule_test {

struct Machine {
  std::string name;
  Programs programs;
};

inline std::vector<Machine> machines() {
  std::vector<Machine> all;
#if defined(BROKKR_SCHEDULE_CPU)
  all.push_back({"cpu", BROKKR_SCHEDULE_CPU::schedule_programs::programs()});
#endif
#if defined(BROKKR_SCHEDULE_EMULATED)
  all.push_back({"emulated", emulated::schedule_programs::programs()});
#endif
  return all;
}

inline std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const Machine& m : machines()) names.push_back(m.name);
  return names;
}
inline Programs programs_of(const std::string& machine) {
  for (const Machine& m : machines()) {
    if (m.name == machine) return m.programs;
  }
  std::abort();
}

// One run of a program: its inputs and its results.
class Launch {
 public:
  Launch(const Programs& programs, const std::string& name) {
    for (int i = 0; i < programs.count; ++i) {
      if (programs.all[i].name == name) program_ = &programs.all[i];
    }
    if (program_ == nullptr) std::abort();
  }
  const Program& program() const { return *program_; }

  std::vector<Job> seeds;
  uint32_t workers = 1, maintainers = 1, capacity = 256, respawns = 0, work_ns = 0;
  bool uneven = false;
  uint64_t begun_ns = 0;         // see Plan
  std::vector<uint64_t> shared;  // first words of the tree's shared state
  std::vector<uint64_t> user;

  // Results.
  std::vector<uint32_t> log, refused;
  uint32_t refusals = 0, calls = 0, lanes = 0;
  uint64_t longest_ns = 0;
  std::vector<uint64_t> snapshot;  // see Plan; requested by giving it 6 words

  // Keys of the jobs in the order in which they ran.
  std::vector<uint32_t> keys() const {
    std::vector<uint32_t> result;
    for (const uint32_t id : log) result.push_back(seeds[id].key);
    return result;
  }

  void go() {
    for (size_t i = 0; i < seeds.size(); ++i) seeds[i].id = uint32_t(i);
    Plan plan;
    plan.capacity = capacity;
    plan.workers = workers;
    plan.maintainers = maintainers;
    plan.seeds = seeds.data();
    plan.seed_count = uint32_t(seeds.size());
    plan.respawns = respawns;
    plan.work_ns = work_ns;
    plan.uneven = uneven;
    plan.begun_ns = begun_ns;
    const size_t bytes = (program_->bytes(capacity, workers) + 63) / 64 * 64;
    const std::unique_ptr<void, void (*)(void*)> memory(std::aligned_alloc(64, bytes), std::free);
    std::memset(memory.get(), 0, bytes);
    plan.memory = memory.get();
    std::vector<uint32_t> order(seeds.size() + respawns), lost(seeds.size() + 1);
    uint32_t ran = 0, respawned = 0, counts[2] = {};
    plan.log = order.data();
    plan.ran = &ran;
    plan.respawned = &respawned;
    plan.lanes = counts;
    plan.refused_ids = lost.data();
    plan.longest_ns = &longest_ns;
    plan.snapshot = snapshot.empty() ? nullptr : snapshot.data();
    plan.shared = program_->shared_of(plan);
    program_->prepare(plan);
    std::copy(shared.begin(), shared.end(), program_->shared_of(plan));
    std::copy(user.begin(), user.end(), program_->user_of(plan));
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < workers; ++i) threads.emplace_back([&, i] { program_->run(plan, int(i)); });
    for (std::thread& t : threads) t.join();
    log.assign(order.begin(), order.begin() + ran);
    refused.assign(lost.begin() + 1, lost.begin() + 1 + lost[0]);
    refusals = program_->refused_of(plan);
    calls = counts[0];
    lanes = counts[1];
  }

 private:
  const Program* program_ = nullptr;
};

}  // namespace brokkr::schedule_test
