// The builds of the path tracer: one for each machine of the CPU (trace/trace_kernel.cpp) and one for CUDA
// (trace/trace_kernel.cu).
#pragma once

#include <cstddef>

#include "pipeline/task_machine.h"
#include "trace/tables.h"

namespace brokkr::trace {

struct TraceKernels {
  int width = 0;  // lanes of a warp
  TaskKernel<TracePlan> run;
  // Of the program's memory for queues of `capacity` regions, and where its count of open tasks lies.
  size_t (*bytes)(bool adaptive, uint32_t capacity, uint32_t workers) = nullptr;
  size_t (*open_at)(bool adaptive, uint32_t capacity) = nullptr;
};

// Of TaskMachine::build. Throws std::invalid_argument for a build that this program has not.
const TraceKernels& trace_kernels(const std::string& build);

const TraceKernels& cuda_trace_kernels();

}  // namespace brokkr::trace
