// Runs experiments with queues and scheduling: a machine for programs of tasks (pipeline/task_machine.h), and the build
// of the experiments for it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/plans.h"

namespace brokkr::lab {

class LabMachine {
 public:
  LabMachine(std::unique_ptr<TaskMachine> machine, const LabKernels& its_kernels)
      : machine_(std::move(machine)),
        name(machine_->name),
        detail(machine_->detail),
        kernels(its_kernels),
        warps_per_block(machine_->warps_per_block) {}

 private:
  std::unique_ptr<TaskMachine> machine_;

 public:
  const std::string name;    // "cpu", "emulated", "cuda"
  const std::string detail;  // instruction set ("v4"), or the GPU's name
  const LabKernels& kernels;
  const uint32_t warps_per_block;

  TaskMachine& tasks() { return *machine_; }
  bool is_gpu() const { return machine_->is_gpu(); }
  uint32_t width() const { return uint32_t(kernels.width); }  // lanes per warp
  const QueueKernels& queue(QueueKind kind) const { return kernels.queue[size_t(kind)]; }
  uint32_t max_warps(const void* on_gpu) const { return machine_->max_warps(on_gpu); }

  std::shared_ptr<void> allocate(size_t bytes) { return machine_->allocate(bytes); }
  void upload(void* to, const void* from, size_t bytes) { machine_->upload(to, from, bytes); }
  void download(void* to, const void* from, size_t bytes) { machine_->download(to, from, bytes); }
  void clear(void* memory, size_t bytes) { machine_->clear(memory, bytes); }
  // Zeroes the memory and initializes an empty queue in it.
  void prepare_queue(QueueKind kind, void* memory, const QueueShape& shape);

  // The word that ends every wait; 0 at the start of each run.
  uint32_t* abort_word() { return machine_->abort_word(); }
  // Runs all warps of the plan. Returns the milliseconds from the moment when all have started to the end of the last
  // one, or a negative value if the run was aborted after `seconds`.
  template <class Plan>
  double run(const LabKernel<Plan>& kernel, const Plan& plan, double seconds) {
    const TaskRun run = machine_->run(kernel, plan, plan.crew.warps, {-1, 1000 * seconds});
    return run.end == TaskEnd::aborted ? -1.0 : run.ms;
  }
};

// A zero-initialized array in the machine's memory.
template <class T>
class LabArray : public TaskArray<T> {
 public:
  LabArray(LabMachine& machine, size_t count) : TaskArray<T>(machine.tasks(), count) {}
  LabArray(LabMachine& machine, const std::vector<T>& values) : TaskArray<T>(machine.tasks(), values) {}
};

// The smallest power of two >= n, 2 .. 2^31.
inline uint32_t power_above(uint64_t n) { return uint32_t(std::bit_ceil(std::clamp<uint64_t>(n, 2, 1u << 31))); }

// Same arguments as make_task_machine.
std::unique_ptr<LabMachine> make_lab_machine(const std::string& name, const std::string& isa = {});

}  // namespace brokkr::lab
