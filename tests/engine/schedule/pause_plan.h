// A program that asks to be paused again and again, as data for host and machine (pause_program.h).
#pragma once

#include <cstdint>

#include "pipeline/task_machine.h"

namespace brokkr::pause_test {

// `seeds` tasks, each of which makes another one, `generations` times in all. Task number n of generation g is g *
// seeds + n.
struct Plan {
  void* memory = nullptr;
  uint32_t capacity = 0, records = 0;  // of each queue, and of the pool of large payloads
  uint32_t *abort = nullptr, *pause = nullptr;
  uint32_t resumed = 0;
  uint32_t seeds = 0, generations = 0;
  uint32_t pause_after = 0;   // a pause is asked for after each so many tasks
  uint32_t* times = nullptr;  // [seeds * generations]: how often each task ran
  uint32_t* ran = nullptr;    // [3]: tasks that ran, tasks that found no room, and payloads that were not whole
};

struct Kernel {
  size_t (*bytes)(uint32_t capacity, uint32_t workers, uint32_t records);
  size_t (*open_at)(uint32_t capacity, uint32_t records);
  TaskKernel<Plan> run;
};
// The same program with payloads that a slot holds, and with payloads that are records of a pool.
struct Kernels {
  Kernel small, large;
};

}  // namespace brokkr::pause_test
