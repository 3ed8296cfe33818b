// Kernels written in PTX and run by the interpreter alone, without nvcc and the CUDA runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ptx/machine.h"
#include "ptx/memory.h"
#include "ptx/program.h"
#include "ptx/settings.h"

namespace brokkr::ptx::test {

// The body of a kernel with one parameter, the address of `words` in %rd0. Registers: %r0-%r31, %rd0-%rd31, %f0-%f31,
// %p0-%p31; 1024 words of shared memory named `shared`.
inline std::unique_ptr<Program> kernel_of(const std::string& body, const std::string& before = "") {
  return build_program(".version 9.0\n.target sm_90\n.address_size 64\n" + before +
                       ".visible .entry kernel(.param .u64 words)\n{\n"
                       ".reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<32>;\n.reg .pred %p<32>;\n"
                       ".shared .align 16 .b8 shared[4096];\n"
                       "ld.param.u64 %rd0, [words];\n" +
                       body + "\nret;\n}\n");
}

struct Words {
  explicit Words(size_t n)
      : count(n), at(static_cast<uint32_t*>(Memory::instance().allocate(n * 4, kGlobalRange, nullptr, true))) {}
  ~Words() { Memory::instance().free(at); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  std::vector<uint32_t> copy() const { return {at, at + count}; }

  const size_t count;
  uint32_t* const at;
};

// Runs the kernel over `words`. Returns the fault that ended it, or an empty string.
inline std::string run(const Program& program, Words& words, uint32_t blocks, uint32_t threads,
                       const Settings& settings = {}) {
  auto* parameters = static_cast<std::byte*>(Memory::instance().allocate(8, kParamRange));
  const uint64_t address = reinterpret_cast<uint64_t>(words.at);
  std::memcpy(parameters, &address, 8);
  Launch launch;
  launch.program = &program;
  launch.kernel = program.find("kernel");
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.resident_blocks = 4;
  launch.parameters = parameters;
  std::string fault;
  try {
    Machine(settings).run(launch);
  } catch (const Fault& what) {
    fault = what.what();
  }
  Memory::instance().free(parameters);
  return fault;
}

}  // namespace brokkr::ptx::test
