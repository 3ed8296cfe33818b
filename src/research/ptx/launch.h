// What a kernel is started with, and what ends it before its time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "ptx/program.h"

namespace brokkr::ptx {

// What ends a launch: an access out of bounds, a deadlock, a trap. The text says where.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Launch {
  const Program* program = nullptr;
  const Function* kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;
  uint32_t resident_blocks = 1;           // that share the device
  const std::byte* parameters = nullptr;  // device memory

  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
};

constexpr uint32_t kLocalBytes = 1 << 14;   // local memory of a thread
constexpr uint32_t kStackWords = 1u << 22;  // registers of a warp: touched as far as calls go

}  // namespace brokkr::ptx
