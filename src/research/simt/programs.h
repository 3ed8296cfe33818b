// The programs that the machine times: kernels of src/research/simt/kernels. The CPU computes each result independently
// for comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "base/memory_budget.h"
#include "ptx/program.h"
#include "simt/timed_machine.h"

namespace brokkr::simt {

// A program's device: memory, and timed launches.
struct Grid {
  uint32_t x = 1, y = 1;
};

class Runner {
 public:
  // Throws std::runtime_error for invalid PTX, with its line.
  Runner(const Config& config, std::string ptx);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Device memory, zeroed or with copied content. It lives as long as the runner.
  template <class T>
  T* buffer(size_t count) {
    return static_cast<T*>(allocate(count * sizeof(T)));
  }
  template <class T>
  T* buffer(const std::vector<T>& from) {
    T* const to = buffer<T>(from.size());
    if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
    return to;
  }

  template <class... Arguments>
  void launch(std::string_view kernel, Grid grid, Grid block, const Arguments&... arguments) {
    std::vector<std::vector<std::byte>> bytes;
    (bytes.push_back(bytes_of(&arguments, sizeof arguments)), ...);
    run(kernel, grid, block, bytes);
  }

  // The number of a kernel's blocks that all cores hold at the same time.
  uint32_t resident_blocks(std::string_view kernel, uint32_t threads) const;

  // Total over all launches.
  const Statistics& statistics() const { return statistics_; }
  const Config& config() const { return config_; }
  const ptx::Program& program() const { return *program_; }
  TimedMachine& machine() { return machine_; }
  // Ends the first launch after this many cycles and skips later ones, so results are incomplete; 0: no limit.
  void stop_after(uint64_t cycles) { max_cycles_ = cycles; }
  bool was_stopped() const { return stopped_; }
  void count_done(uint64_t pieces) { statistics_.done += pieces; }

 private:
  static std::vector<std::byte> bytes_of(const void* from, size_t count);
  void* allocate(size_t bytes);
  void run(std::string_view kernel, Grid grid, Grid block, const std::vector<std::vector<std::byte>>& arguments);

  Config config_;
  std::unique_ptr<ptx::Program> program_;
  TimedMachine machine_;
  std::vector<void*> memory_;
  Statistics statistics_;
  uint64_t max_cycles_ = 0;
  bool stopped_ = false;
};

// The generated scenes of rays (simt/rays/ray_runs.h), named after those of [Steffen12, Table 7.5] that they resemble.
enum class RayPlace : uint8_t { conference, atrium, fairyforest };
const std::vector<std::string>& ray_place_names();  // indexed by RayPlace

struct ProgramSize {
  uint32_t scale = 1;                     // 1: the size for tests; the work grows with it
  RayPlace place = RayPlace::conference;  // scene of rays
  uint32_t triangles = 2000;              // triangles of the scene of rays
  uint32_t width = 64;                    // rays: pixels of a side
  uint32_t stay_percent = 50;             // rays by tasks: percentage of a warp's lanes that stay together
  uint32_t grid = 128;                    // rays through GrUG: cells per side of its grid
  std::shared_ptr<MemoryBudget> budget;   // for the scene of rays and data derived from it; null: unlimited
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

// Runs a program on a machine. `cycles`: stop after this many cycles, without a result; 0: run to the end. Calls `show`
// occasionally with the current step and its progress.
Statistics time_program(const ProgramInfo& program, const Config& config, const ProgramSize& size, uint64_t cycles = 0,
                        const ShowProgress& show = {});

// The parameters of the branch of [Steffen12, Alg. 4] that the figures of chapter 8.3 vary.
struct BranchRun {
  uint32_t warps = 32;           // warps of one block
  uint32_t long_percent = 50;    // percentage of threads in a diverging warp that take the longer path
  uint32_t warps_percent = 100;  // percentage of warps that diverge
  uint32_t ratio = 10;           // ratio of the longer path's iterations to the shorter one's
  uint32_t shorter = 20, end = 0;
  bool drawn = false;  // the threads of the longer path are random, instead of the first ones of each warp
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
void run_rays_tasks_own(Runner&, const ProgramSize&);
void run_rays_groups(Runner&, const ProgramSize&);

// Reports a program's result that differs from the CPU's.
template <class T>
void expect_same(const char* program, const T* found, const std::vector<T>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (found[i] != expected[i]) fail("{}: value {} is {}, and the CPU's is {}", program, i, found[i], expected[i]);
  }
}

// Pseudo-random numbers that are the same on every system [Steele14].
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  uint32_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return uint32_t(z >> 32);
  }
  uint32_t below(uint32_t n) { return uint32_t(uint64_t(next()) * n >> 32); }
  float unit() { return float(next() >> 8) * 0x1p-24f; }

 private:
  uint64_t state_;
};

}  // namespace brokkr::simt
