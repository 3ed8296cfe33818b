// Where programs over task queues (schedule/task_loop.h) run: real threads of the CPU with one warp each, or a GPU.
// Memory is the machine's; the host writes and reads it through this interface only.
//
// A run ends when all its warps have returned. It can be paused: workers that see a pause word, which they have as
// ProgramMemory::stop, leave between two tasks, and all queues stay as they are; a run with ProgramMemory::resumed goes
// on [Kerbl18, 5.4.2 and 8.2]. An abort ends also waits within queues, whose content then is undefined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/memory_budget.h"

namespace brokkr {

// What runs a plan: a function of one warp, or a kernel for cudaLaunchKernel with the plan as its one argument, in
// blocks of TaskMachine::warps_per_block warps.
template <class Plan>
struct TaskKernel {
  void (*on_cpu)(const Plan&, int warp) = nullptr;
  const void* on_gpu = nullptr;
};

enum class TaskEnd : uint8_t {
  done,     // all warps returned by themselves
  paused,   // they were asked to leave between two tasks; perhaps none is left
  aborted,  // they had to leave at once: what the program holds is undefined
};

struct TaskRun {
  TaskEnd end = TaskEnd::done;
  double ms = 0;  // from the moment when all warps had begun to the end of the last
};

struct TaskLimits {
  double pause_ms = -1;      // after so long the run is asked to pause; negative: never
  double abort_ms = 600000;  // and after so long it is aborted
};

class TaskMachine {
 public:
  virtual ~TaskMachine() = default;

  const std::string name;    // "cpu", "emulated", "cuda", "simt"
  const std::string detail;  // instruction set ("v4"), or the GPU's name
  const std::string build;   // of kernels: an instruction set, "emulated", "cuda" or "simt"
  const uint32_t warps_per_block;

  bool is_gpu() const { return name == "cuda" || name == "simt"; }
  // The number of warps that can run at the same time; on a GPU more warps would wait for each other for ever.
  virtual uint32_t most_warps(const void* on_gpu) const = 0;
  // As many as keep the machine busy: one per core, or all that a GPU runs at once.
  virtual uint32_t usual_warps(const void* on_gpu) const = 0;

  // What is allocated from now on counts within `budget`, as `field` in its messages. Memory of a GPU counts as that of
  // the host does.
  void use_budget(std::shared_ptr<MemoryBudget> budget, std::string field) {
    budget_ = std::move(budget);
    field_ = std::move(field);
  }
  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }  // null: nothing is counted

  // Zeroed memory, aligned to 64 bytes. Throws std::runtime_error where there is not enough, or no more is allowed.
  std::shared_ptr<void> allocate(size_t bytes) {
    auto held = std::make_shared<HeldMemory>(budget_, bytes, field_);
    std::shared_ptr<void> memory = make_memory(bytes);
    void* const address = memory.get();
    return {address, [memory = std::move(memory), held = std::move(held)](void*) mutable {
              memory.reset();
              held.reset();
            }};
  }
  virtual void upload(void* to, const void* from, size_t bytes) = 0;
  virtual void download(void* to, const void* from, size_t bytes) = 0;
  virtual void clear(void* memory, size_t bytes) = 0;

  // The word that ends every wait, and the one that ends a run between two tasks; 0 at the beginning of each run. A
  // program may write the second one itself.
  virtual uint32_t* abort_word() = 0;
  virtual uint32_t* pause_word() = 0;
  // Asks the run under way to pause. From any thread; returns at once. A run that begins later is not concerned.
  virtual void request_pause() = 0;

  // Runs warps 0 .. warps - 1 of the plan and waits for their end. Throws std::runtime_error for a GPU that fails.
  template <class Plan>
  TaskRun run(const TaskKernel<Plan>& program, const Plan& plan, uint32_t warps, const TaskLimits& limits) {
    static_assert(std::is_trivially_copyable_v<Plan>);
    return launch(
        warps, limits, [&](int warp) { program.on_cpu(plan, warp); }, program.on_gpu, &plan);
  }

 protected:
  TaskMachine(std::string its_name, std::string its_detail, std::string its_build, uint32_t warps)
      : name(std::move(its_name)), detail(std::move(its_detail)), build(std::move(its_build)), warps_per_block(warps) {}
  virtual std::shared_ptr<void> make_memory(size_t bytes) = 0;
  virtual TaskRun launch(uint32_t warps, const TaskLimits& limits, const std::function<void(int)>& on_cpu,
                         const void* on_gpu, const void* plan) = 0;

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::string field_;
};

// An array in the machine's memory, zeroed at first. The machine must outlive it.
template <class T>
class TaskArray {
 public:
  TaskArray(TaskMachine& machine, size_t count)
      : machine_(&machine), memory_(machine.allocate(count * sizeof(T))), count_(count) {}
  TaskArray(TaskMachine& machine, const std::vector<T>& values) : TaskArray(machine, values.size()) {
    if (!values.empty()) machine.upload(data(), values.data(), values.size() * sizeof(T));
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  size_t size() const { return count_; }
  void clear() const { machine_->clear(data(), count_ * sizeof(T)); }
  std::vector<T> values(size_t first, size_t count) const {
    std::vector<T> result(count);
    if (count > 0) machine_->download(result.data(), data() + first, count * sizeof(T));
    return result;
  }
  std::vector<T> values() const { return values(0, count_); }

 private:
  TaskMachine* machine_;
  std::shared_ptr<void> memory_;
  size_t count_;
};

// "cpu", "emulated", "cuda", "simt", or "auto": a GPU if there is one, otherwise the CPU. `isa` is the instruction set
// of "cpu" ("v4"); empty: the best that was built and that this computer runs; "auto" with an instruction set is the
// CPU. Throws std::invalid_argument for what this build or computer lacks, and for an instruction set of other
// machines.
std::unique_ptr<TaskMachine> make_task_machine(const std::string& name, const std::string& isa = {});

// In builds with CUDA; nullptr where there is no GPU.
std::unique_ptr<TaskMachine> make_cuda_task_machine();

}  // namespace brokkr
