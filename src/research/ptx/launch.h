// The parameters of a kernel launch, and the faults that end it early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "ptx/program.h"

namespace brokkr::ptx {

// Ends a launch: an access out of bounds, a deadlock, a trap. The text tells where.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Launch {
  const Program* program = nullptr;
  const Function* kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;
  uint32_t resident_blocks = 1;           // blocks that share the device
  const std::byte* parameters = nullptr;  // in device memory

  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
};

constexpr uint32_t kLocalBytes = 1 << 14;   // local memory per thread
constexpr uint32_t kStackWords = 1u << 22;  // registers per warp: touched only as far as calls nest

}  // namespace brokkr::ptx
