// A machine as the Renderer sees it.
#pragma once

#include <algorithm>
#include <atomic>

#include "brokkr/renderer.h"
#include "pipeline/launch_layout.h"

namespace brokkr {

// How long an aborted launch may go on with what is there (abort word 1) before it drops that too (2). With what the
// host and a last portion of work take, it ends within 100 ms of the request.
inline constexpr double kFinishMs = 20;

// The same for a launch that its frame budget ends: a tenth of the budget, so that frames take the time that they were
// given.
inline double finish_ms(double frame_budget_ms) { return std::min(kFinishMs, 0.1 * frame_budget_ms); }

class MachineBackend {
 public:
  virtual ~MachineBackend() = default;
  // Blocks, warps and lanes that a launch with these options has.
  virtual LaunchShape shape(const RenderOptions& options) const = 0;
  // One launch. Fills statistics, and targets where read_back says so. Watches abort_request while it runs.
  virtual void launch(const PreparedFrame::Impl& frame, const PhasePlan& plan, const LaunchLayout& layout,
                      const LaunchShape& shape, const RenderOptions& options, std::atomic<uint32_t>& abort_request,
                      RenderResult& result, bool read_back) = 0;
  // Renderer::resolve_to_surface of the last launch.
  virtual bool resolve_to_surface(uint32_t /*target*/, uint32_t /*layer*/, unsigned long long /*surface*/) {
    return false;
  }
};

// What the kernel counted, as it lies in memory after a launch.
struct LaunchCounts {
  const uint64_t* counters = nullptr;  // kCounters
  const RasterizerState* rasterizers = nullptr;
  const uint64_t* region_fragments = nullptr;
  const uint64_t* stage_ns = nullptr;  // blocks * Stage::count
  const TraceRecord* trace = nullptr;
  const uint32_t* trace_count = nullptr;
  uint32_t trace_capacity = 0;
  uint64_t start_ns = 0;  // of the trace's time
};

void fill_statistics(const PreparedFrame::Impl& frame, const PhasePlan& plan, const LaunchLayout& layout,
                     const LaunchShape& shape, const LaunchCounts& counts, Statistics& s);

}  // namespace brokkr
