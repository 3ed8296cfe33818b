#include "simt/runner.h"

#include <algorithm>

#include "base/failure.h"
#include "ptx/memory.h"
#include "ptx/program.h"

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

uint32_t Runner::resident_warps(std::string_view kernel) const {
  const ptx::Function* f = program_->find(kernel);
  if (f == nullptr || !f->entry || !f->defined) fail("the program has no kernel '{}'", kernel);
  const uint32_t by_registers = config_.registers / machine_.registers_of_thread(*f);
  uint32_t warps = std::min(config_.threads, by_registers) / config_.warp;
  // One block per warp.
  if (config_.block_scheduling) warps = std::min(warps, config_.blocks);
  if (warps == 0) fail("a warp of {} does not fit a core of {}", kernel, config_.name);
  return warps * config_.cores;
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
  const Statistics s = machine_.run(launch, most_cycles_);
  ptx::Memory::instance().free(parameters);
  stopped_ = most_cycles_ != 0 && s.cycles >= most_cycles_;
  statistics_.add(s);
}

}  // namespace brokkr::simt
