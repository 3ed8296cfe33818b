// Programs that the machine times: kernels of src/simt/kernels, each with a result that the CPU finds in its own way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "simt/runner.h"

namespace brokkr::simt {

struct ProgramSize {
  uint32_t scale = 1;                    // 1: what a test runs; the work grows with it
  uint32_t triangles = 2000;             // of rays
  uint32_t width = 64;                   // of rays: pixels of a side
  uint32_t stay_percent = 50;            // of rays by tasks: lanes that stay together, of a warp's
  std::shared_ptr<MemoryBudget> budget;  // of rays: of the scene and what is made of it; null: without a limit
};

struct ProgramInfo {
  const char* name;
  const char* module;  // of kernels
  const char* title;
  // Throws std::runtime_error where the result is not the CPU's.
  void (*run)(Runner& runner, const ProgramSize& size);
};

const std::vector<ProgramInfo>& programs();
// Throws std::runtime_error that names those there are.
const ProgramInfo& find_program(const std::string& name);

// The PTX of a module. Throws std::runtime_error where Brokkr was built without nvcc.
std::string module_text(std::string_view module);
bool has_modules();

using ShowProgress = std::function<void(const std::string&)>;

// Runs a program on a machine; `cycles`: at most so many, and then without a result; 0: to its end. `show`: told now
// and then what runs, and how far it has come.
Statistics time_program(const ProgramInfo& program, const Config& config, const ProgramSize& size, uint64_t cycles = 0,
                        const ShowProgress& show = {});

// The branch of [Steffen12, Alg. 4], with what the figures of its chapter 8.3 change.
struct BranchRun {
  uint32_t warps = 32;           // of one block
  uint32_t long_percent = 50;    // threads of a warp that diverges that take the longer path
  uint32_t warps_percent = 100;  // warps that diverge
  uint32_t ratio = 10;           // iterations of the longer path over those of the shorter
  uint32_t shorter = 20, end = 0;
  bool drawn = false;  // threads of the longer path are drawn, not the first ones of each warp
  // 0: the stack; 1: diverge and reconverge; 2: diverge alone; 3: threads are always spawned, and never to the meeting.
  uint32_t model = 0;
};
void run_branch(Runner& runner, const BranchRun& run);

// run functions, by file.
void run_even(Runner&, const ProgramSize&);
void run_loop(Runner&, const ProgramSize&);
void run_branch_stack(Runner&, const ProgramSize&);
void run_branch_model(Runner&, const ProgramSize&);
void run_bitonic(Runner&, const ProgramSize&);
void run_search(Runner&, const ProgramSize&);
void run_laplace(Runner&, const ProgramSize&);
void run_queens(Runner&, const ProgramSize&);
void run_aes(Runner&, const ProgramSize&);
void run_match(Runner&, const ProgramSize&);
void run_neural(Runner&, const ProgramSize&);
void run_storage(Runner&, const ProgramSize&);
void run_rays_loops(Runner&, const ProgramSize&);
void run_rays_spawned(Runner&, const ProgramSize&);
void run_rays_warp(Runner&, const ProgramSize&);
void run_rays_tasks(Runner&, const ProgramSize&);

}  // namespace brokkr::simt
