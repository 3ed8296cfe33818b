// A program that requests a pause again and again, as data for host and machine (pause_program.h).
#pragma once

#include <cstdint>

#include "pipeline/task_machine.h"

namespace brokkr::pause_test {

// `seeds` tasks, each of which creates another one, for `generations` generations. Task n of generation g is g * seeds
// + n.
struct Plan {
  void* memory = nullptr;
  uint32_t capacity = 0, records = 0;  // of each queue, and of the pool of large payloads
  uint32_t *abort = nullptr, *pause = nullptr;
  uint32_t resumed = 0;
  uint32_t seeds = 0, generations = 0;
  uint32_t pause_after = 0;   // a pause is requested after this many tasks
  uint32_t* times = nullptr;  // [seeds * generations]: how often each task ran
  uint32_t* ran = nullptr;    // [3]: tasks that ran, tasks that found no room, and damaged payloads
};

struct Kernel {
  size_t (*bytes)(uint32_t capacity, uint32_t workers, uint32_t records);
  size_t (*open_at)(uint32_t capacity, uint32_t records);
  TaskKernel<Plan> run;
};
// The same program with payloads in the slots, with payloads as records of a pool, and with queues of each block's own.
struct Kernels {
  Kernel small, large, own;
};

}  // namespace brokkr::pause_test
