// Kernels written in PTX on a timed machine, without nvcc.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ptx/ptx_kernel.h"
#include "simt/timed_machine.h"

namespace brokkr::simt::test {

// One core with times that are easy to calculate with.
inline Config plain_machine() {
  Config c;
  c.name = "plain";
  c.latency = {.integer = 4,
               .multiply = 4,
               .floating = 4,
               .special = 8,
               .divide = 16,
               .doubles = 8,
               .control = 4,
               .collective = 4,
               .shared = 4,
               .constant = 4,
               .load = 4};
  c.memory = {.channels = 1,
              .bytes_per_cycle = 32,
              .latency = 100,
              .segment = 32,
              .line = 128,
              .banks = 32,
              .atomic_cycles = 4};
  return c;
}

inline Config with(Config c, PolicyKind kind, uint32_t ways) {
  c.policy = kind;
  c.ways = ways;
  return c;
}

inline Statistics time_kernel(const ptx::Program& program, const Config& config, ptx::test::Words& words,
                              uint32_t blocks = 1, uint32_t threads = 32) {
  auto* parameters = static_cast<std::byte*>(ptx::Memory::instance().allocate(8, ptx::kParamRange));
  const uint64_t address = reinterpret_cast<uint64_t>(words.at);
  std::memcpy(parameters, &address, 8);
  ptx::Launch launch;
  launch.program = &program;
  launch.kernel = program.find("kernel");
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.parameters = parameters;
  TimedMachine machine(config, program);
  const Statistics s = machine.run(launch);
  ptx::Memory::instance().free(parameters);
  return s;
}

inline Statistics time_body(const std::string& body, const Config& config, uint32_t threads = 32, uint32_t blocks = 1) {
  ptx::test::Words words(8192);
  return time_kernel(*ptx::test::kernel_of(body), config, words, blocks, threads);
}

}  // namespace brokkr::simt::test
