// The builds of the path tracer: one for each machine of the CPU (trace/trace_kernel.cpp) and one for CUDA
// (trace/trace_kernel.cu).
#pragma once

#include <cstddef>

#include "trace/tables.h"

namespace brokkr::trace {

// Places and sizes in the memory of the task program, in bytes.
struct TraceMemory {
  size_t bytes = 0;    // of all of it, zeroed before the first run
  size_t open_at = 0;  // a word: the number of workers, then that of open tasks
  // Two words of 64 bits where sampling is adaptive: halvings of the upper bound of errors, and the patience before the
  // next one (DecreasingPriorities).
  size_t halvings_at = 0, patience_at = 0;
};

// What a TaskMachine runs, as its TaskKernel; without the headers of that, of which no code may be compiled for one
// instruction set.
struct TraceKernels {
  int width = 0;  // lanes of a warp
  void (*on_cpu)(const TracePlan&, int warp) = nullptr;
  const void* on_gpu = nullptr;
  // capacity: of each queue, a power of two in 4 .. 2^28.
  TraceMemory (*memory)(bool adaptive, uint32_t capacity, uint32_t workers) = nullptr;
};

const TraceKernels& cuda_trace_kernels();

}  // namespace brokkr::trace
