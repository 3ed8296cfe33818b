// Two-dimensional memory that kernels write through a handle.
#pragma once

#include <cstdint>

namespace brokkr::ptx {

struct Surface {
  uint8_t* data = nullptr;
  uint64_t pitch = 0, height = 0;
};

// A handle is the surface's address; 0: none.
inline const Surface* surface_of(uint64_t handle) { return reinterpret_cast<const Surface*>(handle); }

}  // namespace brokkr::ptx
