// The builds of the task program: one table per CPU machine (reyes/reyes_kernel.cpp) and one for CUDA
// (reyes/reyes_kernel.cu).
#pragma once

#include "reyes/reyes_plan.h"

namespace brokkr {

// Offsets and sizes in the task program's memory, in bytes.
struct ReyesProgramMemory {
  size_t bytes = 0;     // total, zeroed before the first frame
  size_t words_at = 0;  // from here to the end, memory is zeroed before every frame
  size_t open_at = 0;   // a word: the number of workers
  // Two 64-bit words: halvings of the upper bound of priorities, and the patience before the next one
  // (DecreasingPriorities).
  size_t halvings_at = 0, patience_at = 0;
};

// The same as TaskKernel of a TaskMachine, without its headers: their code must not be compiled for one instruction
// set.
struct ReyesKernel {
  void (*on_cpu)(const ReyesPlan&, int warp) = nullptr;
  const void* on_gpu = nullptr;
};

struct ReyesKernels {
  // queue_capacity: a power of two in 4 .. 2^28.
  ReyesProgramMemory (*memory)(uint32_t queue_capacity, uint32_t workers);
  ReyesKernel split, stitch;
};

// The build for a TaskMachine; null if there is none.
const ReyesKernels* find_reyes_kernels(const char* build);
const ReyesKernels& cuda_reyes_kernels();

}  // namespace brokkr
