// The builds of the task program: one table per machine of the CPU (reyes/reyes_kernel.cpp) and one for CUDA
// (reyes/reyes_kernel.cu).
#pragma once

#include "reyes/reyes_plan.h"

namespace brokkr {

// Places and sizes in the memory of the task program, in bytes.
struct ReyesProgramMemory {
  size_t bytes = 0;     // of all of it, zeroed before the first frame
  size_t words_at = 0;  // what is zeroed before every frame: from here to the end
  size_t open_at = 0;   // a word: the number of workers
  // Two words of 64 bits: halvings of the upper bound of priorities, and the patience before the next one
  // (DecreasingPriorities).
  size_t halvings_at = 0, patience_at = 0;
};

// What a TaskMachine runs, as its TaskKernel; without the headers of that, of which no code may be compiled for one
// instruction set.
struct ReyesKernel {
  void (*on_cpu)(const ReyesPlan&, int warp) = nullptr;
  const void* on_gpu = nullptr;
};

struct ReyesKernels {
  // queue_capacity: a power of two in 4 .. 2^28.
  ReyesProgramMemory (*memory)(uint32_t queue_capacity, uint32_t workers);
  ReyesKernel split, stitch;
};

// The build of a TaskMachine; null where there is none.
const ReyesKernels* find_reyes_kernels(const char* build);
const ReyesKernels& cuda_reyes_kernels();

}  // namespace brokkr
