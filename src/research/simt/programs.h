// The programs that the machine times: kernels of src/research/simt/kernels. The CPU computes each result independently
// for comparison.
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
  const char* module;  // module that contains the kernels
  const char* title;
  // Throws std::runtime_error if the result differs from the CPU's.
  void (*run)(Runner& runner, const ProgramSize& size);
};

const std::vector<ProgramInfo>& programs();
// Throws std::runtime_error that lists the known names.
const ProgramInfo& find_program(const std::string& name);

// The PTX of a module. Throws std::runtime_error if Brokkr was built without nvcc.
std::string module_text(std::string_view module);
bool has_modules();

using ShowProgress = std::function<void(const std::string&)>;

// Runs a program on a machine. `cycles`: stop after so many, without a result; 0: run to the end. `show` is called
// occasionally with what runs and its progress.
Statistics time_program(const ProgramInfo& program, const Config& config, const ProgramSize& size, uint64_t cycles = 0,
                        const ShowProgress& show = {});

// The parameters of the branch of [Steffen12, Alg. 4] that the figures of chapter 8.3 vary.
struct BranchRun {
  uint32_t warps = 32;           // warps of one block
  uint32_t long_percent = 50;    // percentage of threads in a diverging warp that take the longer path
  uint32_t warps_percent = 100;  // percentage of warps that diverge
  uint32_t ratio = 10;           // ratio of the longer path's iterations to the shorter one's
  uint32_t shorter = 20, end = 0;
  bool drawn = false;  // threads of the longer path are drawn at random, instead of the first ones of each warp
  // 0: the stack; 1: diverge and reconverge; 2: diverge only; 3: threads are always spawned, and never at the meeting.
  uint32_t model = 0;
};
void run_branch(Runner& runner, const BranchRun& run);

// Grouped by source file.
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
