// The builds of the task program: one table per machine of the CPU (reyes/reyes_kernel.cpp) and one for CUDA
// (reyes/reyes_kernel.cu).
#pragma once

#include <string>

#include "pipeline/task_machine.h"
#include "reyes/reyes_plan.h"

namespace brokkr {

// Places and sizes in the memory of the task program, in bytes.
struct ReyesProgramMemory {
  size_t bytes = 0;     // of all of it, zeroed before the first frame
  size_t words_at = 0;  // what is zeroed before every frame: from here to the end
  size_t open_at = 0;   // a word: the number of workers
};

struct ReyesKernels {
  // Throws std::invalid_argument for a capacity that no queue can have.
  ReyesProgramMemory (*memory)(uint32_t queue_capacity, uint32_t workers);
  TaskKernel<ReyesPlan> split, stitch;
};

// The build of a TaskMachine. Throws std::invalid_argument where there is none.
const ReyesKernels& reyes_kernels(const std::string& build);
const ReyesKernels& cuda_reyes_kernels();

}  // namespace brokkr
