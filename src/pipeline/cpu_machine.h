// Launches on the CPU: the vector builds with one warp per block, and the emulated machine.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "machine/worker_pool.h"
#include "machine/zeroed_memory.h"
#include "pipeline/cpu_kernel.h"
#include "pipeline/launch_layout.h"
#include "pipeline/launch_memory.h"
#include "pipeline/machine_backend.h"

namespace brokkr {

// A build of the kernel that this program contains, by name: "v2", "v3", "v4", "neon" or "emulated". Null: not built.
const CpuKernel* find_cpu_kernel(const std::string& isa);
// Whether this processor runs it.
bool cpu_supports(const std::string& isa);
// The best that is built and runs here. Throws std::runtime_error if none does.
std::string best_cpu_isa();

class CpuMachine : public MachineBackend {
 public:
  // isa: "" for the best. Throws std::invalid_argument for what is not built or does not run here.
  explicit CpuMachine(const std::string& isa);

  LaunchShape shape(const RenderOptions& options) const override;
  void launch(const PreparedFrame::Impl& frame, const PhasePlan& plan, const LaunchLayout& layout,
              const LaunchShape& shape, const RenderOptions& options, std::atomic<uint32_t>& abort_request,
              RenderResult& result, bool read_back) override;

 private:
  void reset_queues();

  std::string isa_;
  const CpuKernel* kernel_;
  std::unique_ptr<LaunchMemory<ZeroedMemory>> memory_;
  bool used_ = false;   // some launch has used memory_
  bool dirty_ = false;  // an aborted frame left elements and reservations in the queues
  WorkerPool pool_;
};

}  // namespace brokkr
