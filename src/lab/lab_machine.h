// Where experiments with queues and scheduling run: real threads of the CPU with one warp each, or a GPU. Memory is the
// machine's; the host writes and reads it through this interface only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/lab_kernels.h"

namespace brokkr::lab {

class LabMachine {
 public:
  virtual ~LabMachine() = default;

  const std::string name;    // "cpu", "emulated", "cuda"
  const std::string detail;  // instruction set ("v4"), or the GPU's name
  const LabKernels& kernels;
  const uint32_t warps_per_block;

  bool is_gpu() const { return name == "cuda"; }
  uint32_t width() const { return uint32_t(kernels.width); }  // lanes of a warp
  const QueueKernels& queue(QueueKind kind) const { return kernels.queue[size_t(kind)]; }
  // The number of warps that can run at the same time; on a GPU more warps would wait for each other for ever.
  virtual uint32_t most_warps(const void* on_gpu) const = 0;

  // Zeroed memory. Throws std::runtime_error where there is not enough.
  virtual std::shared_ptr<void> allocate(size_t bytes) = 0;
  virtual void upload(void* to, const void* from, size_t bytes) = 0;
  virtual void download(void* to, const void* from, size_t bytes) = 0;
  virtual void clear(void* memory, size_t bytes) = 0;
  // Zeroes the memory and makes it an empty queue.
  virtual void prepare_queue(QueueKind kind, void* memory, const QueueShape& shape) = 0;

  // The word that ends every wait; 0 at the beginning of each run.
  virtual uint32_t* abort_word() = 0;
  // Runs all warps of the plan. Returns the milliseconds from the moment when all have begun to the end of the last; a
  // negative value where the run was ended after `seconds`.
  template <class Plan>
  double run(const LabKernel<Plan>& kernel, const Plan& plan, double seconds) {
    return launch(
        plan.crew.warps, seconds, [&](int warp) { kernel.on_cpu(plan, warp); }, kernel.on_gpu, &plan);
  }

 protected:
  LabMachine(std::string its_name, std::string its_detail, const LabKernels& its_kernels, uint32_t warps)
      : name(std::move(its_name)), detail(std::move(its_detail)), kernels(its_kernels), warps_per_block(warps) {}
  virtual double launch(uint32_t warps, double seconds, const std::function<void(int)>& on_cpu, const void* on_gpu,
                        const void* plan) = 0;
};

// An array in the machine's memory, zeroed at first.
template <class T>
class LabArray {
 public:
  LabArray(LabMachine& machine, size_t count)
      : machine_(machine), memory_(machine.allocate(count * sizeof(T))), count_(count) {}
  LabArray(LabMachine& machine, const std::vector<T>& values) : LabArray(machine, values.size()) {
    if (!values.empty()) machine.upload(data(), values.data(), values.size() * sizeof(T));
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  void clear() const { machine_.clear(data(), count_ * sizeof(T)); }
  std::vector<T> values(size_t first, size_t count) const {
    std::vector<T> result(count);
    if (count > 0) machine_.download(result.data(), data() + first, count * sizeof(T));
    return result;
  }

 private:
  LabMachine& machine_;
  std::shared_ptr<void> memory_;
  size_t count_;
};

// The power of two that is not below n, 2 .. 2^31.
inline uint32_t power_above(uint64_t n) { return uint32_t(std::bit_ceil(std::clamp<uint64_t>(n, 2, 1u << 31))); }

// "cpu", "emulated", "cuda", or "auto": a GPU if there is one, otherwise the CPU. `isa` is the instruction set of "cpu"
// ("v4"); empty: the best that was built and that this computer runs; "auto" with an instruction set is the CPU. Throws
// std::invalid_argument for what this build or computer lacks, and for an instruction set of other machines.
std::unique_ptr<LabMachine> make_lab_machine(const std::string& name, const std::string& isa = {});

// In builds with CUDA; nullptr where there is no GPU.
std::unique_ptr<LabMachine> make_cuda_lab_machine();

}  // namespace brokkr::lab
