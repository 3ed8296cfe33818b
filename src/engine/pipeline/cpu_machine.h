// Launches on the CPU: vector builds with one warp per block, and the emulated machine.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "machine/cpu_isa.h"
#include "machine/worker_pool.h"
#include "machine/zeroed_memory.h"
#include "pipeline/cpu_kernel.h"
#include "pipeline/launch_memory.h"
#include "pipeline/machine_backend.h"

namespace brokkr {

// Finds a build of the kernel by name: "v2", "v3", "v4", "neon" or "emulated". Null if this program does not contain
// it.
const CpuKernel* find_cpu_kernel(const std::string& isa);

class CpuMachine : public MachineBackend {
 public:
  // isa: a build of the kernel, or "" for the best one. Throws std::invalid_argument if the build does not exist or
  // does not run on this processor.
  explicit CpuMachine(const std::string& isa);

  LaunchShape shape(const RenderOptions& options) const override;
  std::string compiled_isa() const override { return isa_ == "emulated" ? "" : isa_; }
  std::unique_ptr<shader::CodeMaker> make_code_maker() const override;
  void start(const PreparedFrame::Impl& frame, const std::shared_ptr<const LaunchPlan>& plan,
             const RenderOptions& options) override;
  void work(HostTurn turn) override;
  bool wait(double ms) override { return pool_.wait(ms); }
  void request(AbortLevel word) override;
  LaunchCounts finish(bool aborted, Statistics& statistics) override;
  HostPlanes planes(const PlaneNeeds& needs) override;
  std::vector<TargetImage> read_back() override;
  WorkerPool* pool() override { return &pool_; }
  void use_planes(const PlaneUse& use) override { use_ = use; }
  TargetSquares& squares() override;

 private:
  void make_memory(bool keeps_planes);
  void reset_memory();
  void copy_vertices(const PreparedFrame::Impl& frame, const PlanTables& tables);
  static bool takes_turns(const PreparedFrame::Impl& frame, const RenderOptions& options);

  std::string isa_;
  const CpuKernel* kernel_;
  std::unique_ptr<LaunchMemory<ZeroedMemory>> memory_;
  std::pair<uint64_t, uint64_t> vertices_of_;  // the frame's versions that copy_vertices copied
  bool dirty_ = false;  // a launch that did not finish left elements and reservations in the queues
  PlaneUse use_;
  // The last launch:
  std::shared_ptr<const LaunchPlan> plan_;
  LaunchData data_{};
  AbortWords abort_{};
  HostSquares squares_;
  CpuLaunch launch_{};
  std::function<void(int)> work_;
  bool caller_works_ = false;  // runs the first warp
  std::chrono::steady_clock::time_point begin_;
  WorkerPool pool_;  // destroyed first: its threads must end before the memory is freed
};

}  // namespace brokkr
