// Where experiments with queues and scheduling run: real threads of the CPU with one warp each, or a GPU. Memory is the
// machine's; the host writes and reads it through this interface only.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lab/schedule_plan.h"

namespace brokkr::lab {

enum class Workload : uint32_t { mix, rank };

class LabMachine {
 public:
  virtual ~LabMachine() = default;

  virtual std::string name() const = 0;    // "cpu", "emulated", "cuda"
  virtual std::string detail() const = 0;  // instruction set, or the GPU's name
  virtual int width() const = 0;           // lanes of a warp
  virtual int warps_per_block() const = 0;
  // The number of warps that can run at the same time; on a GPU more warps would wait for each other for ever.
  virtual int most_warps(QueueKind kind, Workload workload) const = 0;

  // Zeroed memory. Throws std::runtime_error where there is not enough.
  virtual std::shared_ptr<void> allocate(size_t bytes) = 0;
  virtual void upload(void* to, const void* from, size_t bytes) = 0;
  virtual void download(void* to, const void* from, size_t bytes) = 0;
  virtual void clear(void* memory, size_t bytes) = 0;

  virtual size_t queue_bytes(QueueKind kind, const QueueShape& shape) const = 0;
  // Zeroes the memory and makes it an empty queue.
  virtual void prepare_queue(QueueKind kind, void* memory, const QueueShape& shape) = 0;

  // The word that ends every wait; 0 at the beginning of each run.
  virtual uint32_t* abort_word() = 0;
  // Runs all warps of the plan. Returns the milliseconds from the moment when all have begun to the end of the last; a
  // negative value where the run was ended after `seconds`.
  virtual double run(QueueKind kind, const MixPlan& plan, double seconds) = 0;
  virtual double run(QueueKind kind, const RankPlan& plan, double seconds) = 0;
  virtual double run(const AtomicPlan& plan, double seconds) = 0;

  // The memory that the plan's program needs. Throws std::invalid_argument for a capacity that no queue can have.
  virtual ProgramStart program_start(const SchedulePlan& plan) const = 0;
  virtual double run(const SchedulePlan& plan, double seconds) = 0;
};

// "cpu", "emulated", "cuda", or "auto": a GPU if there is one, otherwise the CPU. Throws std::invalid_argument for what
// this build or computer lacks.
std::unique_ptr<LabMachine> make_lab_machine(const std::string& name);

// In builds with CUDA; nullptr where there is no GPU.
std::unique_ptr<LabMachine> make_cuda_lab_machine();

}  // namespace brokkr::lab
