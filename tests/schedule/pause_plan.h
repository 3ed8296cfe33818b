// A program that asks to be paused again and again, as data for host and machine (pause_program.h).
#pragma once

#include <cstdint>

#include "pipeline/task_machine.h"

namespace brokkr::pause_test {

// `seeds` tasks, each of which makes another one, `generations` times in all. Task number n of generation g is g *
// seeds + n.
struct Plan {
  void* memory = nullptr;
  uint32_t capacity = 0;
  uint32_t *abort = nullptr, *pause = nullptr;
  uint32_t resumed = 0;
  uint32_t seeds = 0, generations = 0;
  uint32_t pause_after = 0;   // a pause is asked for after each so many tasks
  uint32_t* times = nullptr;  // [seeds * generations]: how often each task ran
  uint32_t* ran = nullptr;    // [2]: tasks that ran, and tasks that found their queue full
};

struct Kernel {
  size_t (*bytes)(uint32_t capacity, uint32_t workers);
  size_t (*open_at)(uint32_t capacity);
  TaskKernel<Plan> run;
};

}  // namespace brokkr::pause_test
