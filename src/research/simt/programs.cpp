#include "simt/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/failure.h"
#include "base/nearest_name.h"
#include "ptx/memory.h"
#include "ptx/program.h"

#if defined(BROKKR_HAVE_SIMT_KERNELS)
#include "simt_kernels.inc"  // kKernelModules
#endif

namespace brokkr::simt {

Runner::Runner(const Config& config, std::string ptx)
    : config_(config), program_(ptx::build_program(std::move(ptx))), machine_(config_, *program_) {}

Runner::~Runner() {
  for (void* m : memory_) ptx::Memory::instance().free(m);
  for (const auto& [name, variable] : program_->variables) ptx::Memory::instance().free(variable.first);
}

std::vector<std::byte> Runner::bytes_of(const void* from, size_t count) {
  std::vector<std::byte> bytes(count);
  std::memcpy(bytes.data(), from, count);
  return bytes;
}

void* Runner::allocate(size_t bytes) {
  void* const memory = ptx::Memory::instance().allocate(std::max<size_t>(bytes, 1), ptx::kGlobalRange, nullptr, true);
  if (memory == nullptr) fail("the device has no memory of {} bytes left; set BROKKR_PTX_MEMORY_MIB", bytes);
  memory_.push_back(memory);
  return memory;
}

uint32_t Runner::resident_blocks(std::string_view kernel, uint32_t threads) const {
  const ptx::Function* f = program_->find(kernel);
  if (f == nullptr || !f->entry || !f->defined) fail("the program has no kernel '{}'", kernel);
  const uint32_t blocks = machine_.blocks_that_fit(*f, threads, 0);
  if (blocks == 0) fail("a block of {} threads of {} does not fit a core of {}", threads, kernel, config_.name);
  return blocks * config_.cores;
}

void Runner::run(std::string_view kernel, Grid grid, Grid block, const std::vector<std::vector<std::byte>>& arguments) {
  if (stopped_) return;
  const ptx::Function* f = program_->find(kernel);
  if (f == nullptr || !f->entry || !f->defined) fail("the program has no kernel '{}'", kernel);
  if (f->parameters.size() != arguments.size())
    fail("kernel {} has {} parameters, not {}", kernel, f->parameters.size(), arguments.size());
  auto* const parameters = static_cast<std::byte*>(
      ptx::Memory::instance().allocate(std::max(1u, f->parameter_bytes), ptx::kParamRange, nullptr, true));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (f->parameters[i].bytes != arguments[i].size())
      fail("parameter {} of {} has {} bytes, not {}", i, kernel, f->parameters[i].bytes, arguments[i].size());
    std::memcpy(parameters + f->parameters[i].offset, arguments[i].data(), arguments[i].size());
  }
  ptx::Launch launch;
  launch.program = program_.get();
  launch.kernel = f;
  launch.grid[0] = grid.x, launch.grid[1] = grid.y;
  launch.block[0] = block.x, launch.block[1] = block.y;
  launch.parameters = parameters;
  const Statistics s = machine_.run(launch, max_cycles_);
  ptx::Memory::instance().free(parameters);
  stopped_ = max_cycles_ != 0 && s.cycles >= max_cycles_;
  statistics_.add(s);
}

namespace {

constexpr ProgramInfo kPrograms[] = {
    {"aes", "aes", "AES-128 of blocks of 16 bytes", run_aes},
    {"bfs", "search", "breadth-first search, one launch per level", run_search},
    {"bs", "bitonic", "bitonic sort of 512 numbers per block", run_bitonic},
    {"lps", "laplace", "Laplace's equation on a grid: a Jacobi step", run_laplace},
    {"mum", "match", "exact matching of DNA by sorted suffixes", run_match},
    {"nn", "neural", "a neural network of three layers", run_neural},
    {"nqu", "queens", "N queens by backtracking", run_queens},
    {"ray", "rays", "primary rays through a kd-tree, by loops", run_rays_loops},
    {"sto", "storage", "MD5 of pieces of a file", run_storage},
    {"even", "even", "an if and an else of equal length", run_even},
    {"loop", "loop", "two loops with lengths that differ between threads", run_loop},
    {"branch", "branch", "a branch followed by a loop, on the stack", run_branch_stack},
    {"branch-model", "branch", "the same, where a performance model may spawn threads", run_branch_model},
    {"ray-spawn", "rays", "primary rays, each loop a µ-kernel", run_rays_spawned},
    {"ray-warp", "ray_tasks", "primary rays by the path tracer's own loop", run_rays_warp},
    {"ray-grug", "ray_groups", "primary rays through GrUG, by loops", run_rays_groups},
    {"ray-tasks", "ray_tasks", "primary rays, each loop a task type on bucket queues", run_rays_tasks},
    {"ray-tasks-own", "ray_tasks_own", "the same, with queues of each block in shared memory", run_rays_tasks_own},
};

}  // namespace

const std::vector<ProgramInfo>& programs() {
  static const std::vector<ProgramInfo> all(std::begin(kPrograms), std::end(kPrograms));
  return all;
}

const ProgramInfo& find_program(const std::string& name) {
  std::vector<std::string> names;
  for (const ProgramInfo& p : programs()) {
    if (name == p.name) return p;
    names.emplace_back(p.name);
  }
  fail("there is no program '{}'{}; `brokkr simt --list` shows them all", name.substr(0, 40),
       did_you_mean(name, names));
}

bool has_modules() {
#if defined(BROKKR_HAVE_SIMT_KERNELS)
  return true;
#else
  return false;
#endif
}

std::string module_text(std::string_view module) {
#if defined(BROKKR_HAVE_SIMT_KERNELS)
  for (const KernelModule& m : kKernelModules) {
    if (module == m.name) return {m.begin, m.end};
  }
#endif
  fail("the kernels of '{}' are not in this program: it was built without nvcc (-DBROKKR_SIMT=ON requires it)", module);
}

Statistics time_program(const ProgramInfo& program, const Config& config, const ProgramSize& size, uint64_t cycles,
                        const ShowProgress& show) {
  Runner runner(config, module_text(program.module));
  runner.stop_after(cycles);
  if (show) {
    const std::string what = fmt::format("{} on {}", program.name, config.name);
    show(what);
    runner.machine().on_progress = [&show, what](const RunProgress& p) {
      show(fmt::format("{}: cycle {}, {} of {} blocks have begun", what, p.cycle, p.begun, p.blocks));
    };
  }
  program.run(runner, size);
  return runner.statistics();
}

}  // namespace brokkr::simt
