// The builds of the path tracer: one per CPU machine (trace/trace_kernel.cpp) and one for CUDA (trace/trace_kernel.cu).
#pragma once

#include <cstddef>

#include "trace/tables.h"

namespace brokkr::trace {

// Offsets and sizes in the task program's memory, in bytes.
struct TraceMemory {
  size_t bytes = 0;    // total, zeroed before the first run
  size_t open_at = 0;  // offset of two words: the number of workers, then the number of open tasks
  // Adaptive sampling: two 64-bit words, the halvings of the upper bound of errors and the patience before the next one
  // (DecreasingPriorities).
  size_t halvings_at = 0, patience_at = 0;
};

// The same as TaskKernel of a TaskMachine, without its headers: their code must not be compiled for one instruction
// set.
struct TraceKernels {
  int width = 0;  // lanes per warp
  void (*on_cpu)(const TracePlan&, int warp) = nullptr;
  const void* on_gpu = nullptr;
  // capacity: per queue, a power of two in 4 .. 2^28.
  TraceMemory (*memory)(bool adaptive, uint32_t capacity, uint32_t workers) = nullptr;
};

const TraceKernels& cuda_trace_kernels();

}  // namespace brokkr::trace
