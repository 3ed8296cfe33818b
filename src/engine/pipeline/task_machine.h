// Runs programs over task queues (schedule/task_loop.h) on CPU threads with one warp each, or on a GPU. The machine
// owns the memory; the host reads and writes it only through this interface.
//
// A run ends when all its warps have returned. It can be paused: workers that see the pause word (ProgramMemory::stop)
// leave between two tasks, and all queues keep their state; a run with ProgramMemory::resumed continues [Kerbl18, 5.4.2
// and 8.2]. An abort also ends waits inside queues, whose content is then undefined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "pipeline/machine_backend.h"

namespace brokkr {

// The code of a plan. On the CPU it is a function for one warp. On a GPU it is a kernel for cudaLaunchKernel; its only
// argument is the plan, and its blocks have TaskMachine::warps_per_block warps.
template <class Plan>
struct TaskKernel {
  void (*on_cpu)(const Plan&, int warp) = nullptr;
  const void* on_gpu = nullptr;
};

enum class TaskEnd : uint8_t {
  done,     // all warps returned by themselves
  paused,   // warps were asked to leave between two tasks; perhaps no task is left
  aborted,  // warps had to leave immediately: the program's state is undefined
};

struct TaskRun {
  TaskEnd end = TaskEnd::done;
  double ms = 0;  // from the time when all warps had started to the end of the last one
};

struct TaskLimits {
  double pause_ms = -1;      // time until the run is asked to pause; negative: never
  double abort_ms = 600000;  // time until it is aborted
};

class TaskMachine {
 public:
  virtual ~TaskMachine() = default;

  const std::string name;    // "cpu", "emulated", "cuda", "simt"
  const std::string detail;  // instruction set ("v4"), or the GPU's name
  const std::string build;   // build of kernels: an instruction set, "emulated", "cuda" or "simt"
  const uint32_t warps_per_block;

  bool is_gpu() const { return name == "cuda" || name == "simt"; }
  // The maximum number of warps that can run at the same time. On a GPU, more warps would deadlock.
  virtual uint32_t max_warps(const void* on_gpu) const = 0;
  // The number of warps that keeps the machine busy: one per core, or all that a GPU can run at the same time.
  virtual uint32_t usual_warps(const void* on_gpu) const = 0;

  // Counts all later allocations within `budget`; error messages name `field`. Memory of a GPU counts like memory of
  // the host.
  void use_budget(std::shared_ptr<MemoryBudget> budget, std::string field) {
    budget_ = std::move(budget);
    field_ = std::move(field);
  }
  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }  // null: nothing is counted

  // Returns zeroed memory, aligned to 64 bytes. Throws std::runtime_error if memory is short or the budget is spent.
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

  // The first word ends every wait; the second ends a run between two tasks. Both are 0 at the start of each run. A
  // program may write the second one itself.
  virtual uint32_t* abort_word() = 0;
  virtual uint32_t* pause_word() = 0;
  // Asks the current run to pause. May be called from any thread; returns immediately and does not affect later runs.
  virtual void request_pause() = 0;

  // Runs warps 0 .. warps - 1 of the plan and waits for their end. Throws std::runtime_error if a GPU fails.
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

// A zero-initialized array in the machine's memory. The machine must outlive it.
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

// `name`: "cpu", "emulated", "cuda", "simt", or "auto" for a GPU if there is one, otherwise the CPU. `isa` is the
// instruction set of "cpu" ("v4"). If `isa` is empty, we choose the best one that was built and that this computer
// runs. "auto" with an instruction set is the CPU. Throws std::invalid_argument if this build or computer lacks the
// machine, or if the instruction set belongs to another machine.
std::unique_ptr<TaskMachine> make_task_machine(const std::string& name, const std::string& isa = {});

// Exists only in builds with CUDA. Returns null if there is no GPU.
std::unique_ptr<TaskMachine> make_cuda_task_machine();

// The simulated device: our CUDA kernels on a model of SIMT cores. It is a library that is loaded on first use
// (src/research/simt/device). Programs link only this file of it.
class SimtDevice {
 public:
  virtual ~SimtDevice() = default;
  // Configures the machines that are made afterwards. `config` names a machine of src/research/simt or a configuration
  // file, and cycles are counted. If it is empty there is no cycle model, and the device runs at full speed on
  // `threads` host threads (0: one per core). Throws std::runtime_error.
  virtual void set_up(const std::string& config, int threads) = 0;
  virtual std::unique_ptr<MachineBackend> make_machine() = 0;
  virtual std::unique_ptr<TaskMachine> make_task_machine() = 0;
  // The CUDA kernel table of a room: "lab", "trace" or "reyes". Throws std::runtime_error.
  virtual const void* kernels(std::string_view room) = 0;
  // The cycles of kernels since the last set_up, as JSON; empty if no cycles are counted.
  virtual std::string report() = 0;
  // Points to a simt::DeviceControl.
  virtual void* control() = 0;
};

// Throws std::runtime_error with the reason if the device cannot be loaded.
SimtDevice& simt_device();
// The reason why the device cannot be loaded; empty if it can.
std::string why_no_simt_device();

}  // namespace brokkr
