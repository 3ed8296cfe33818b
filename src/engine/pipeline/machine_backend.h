// A machine as the Renderer sees it: a launch is started, waited for, finished, and then read back.
#pragma once

#include <memory>
#include <string>

#include "machine/worker_pool.h"
#include "pipeline/launch_data.h"
#include "plan/prepare.h"
#include "plan/target_squares.h"

namespace brokkr {

// The kernel's counts, in host memory until the next launch.
struct LaunchCounts {
  const uint64_t* counters = nullptr;  // kCounters
  const uint64_t* region_fragments = nullptr;
  const uint64_t* stage_ns = nullptr;  // blocks * Stage::count
  const TraceRecord* trace = nullptr;  // blocks * trace_stride; null: no trace
  size_t trace_stride = kTraceCapacity;
  const uint32_t* trace_count = nullptr;
};

class MachineBackend {
 public:
  virtual ~MachineBackend() = default;
  // Blocks, warps and lanes that a launch with these options has.
  virtual LaunchShape shape(const RenderOptions& options) const = 0;
  // What code of run-time shaders is for: a build of the kernel, or a device; empty: none is made.
  virtual std::string compiled_isa() const { return {}; }
  // What makes it; null: nothing does.
  virtual std::unique_ptr<shader::CodeMaker> make_code_maker() const { return nullptr; }
  // Launches from now on use what one of these has made; null: none. Throws std::runtime_error where they cannot.
  virtual void use_code(const shader::CodeMaker* /*made*/) {}
  // Begins a launch and returns. Leftovers of a launch that was cut off are cleared first.
  virtual void start(const PreparedFrame::Impl& frame, const std::shared_ptr<const LaunchPlan>& plan,
                     const RenderOptions& options) = 0;
  // Waits for its end, at most `ms` (negative: for ever). Returns whether it has ended.
  virtual bool wait(double ms) = 0;
  // Asks the running launch to end. Returns at once.
  virtual void request(AbortLevel word) = 0;
  // Called after the end: fills its counts, and the statistics that only the machine knows. `aborted`: the launch was
  // asked to end.
  virtual LaunchCounts finish(bool aborted, Statistics& statistics) = 0;
  // The pictures of the last launch.
  virtual std::vector<TargetImage> read_back() = 0;
  // What the targets of the last launch hold. The next one can go on with it (FramePart::stays).
  virtual TargetSquares& squares() = 0;
  // Renderer::resolve_to_surface of the last launch.
  virtual bool resolve_to_surface(uint32_t /*target*/, uint32_t /*layer*/, unsigned long long /*surface*/) {
    return false;
  }
};

// Fills the statistics that follow from the plan and the counts.
void fill_statistics(const PreparedFrame::Impl& frame, const LaunchPlan& plan, const LaunchCounts& counts,
                     Statistics& s);

// Planes in host memory (target/target_tables.h). Null planes are left out of the pictures.
struct HostPlanes {
  const RegionState* region_state = nullptr;
  const uint32_t *color = nullptr, *color_high = nullptr, *more_colors = nullptr;
  const float* depth = nullptr;
  const uint8_t* stencil = nullptr;
  const uint32_t *visible_id = nullptr, *depth_id = nullptr, *overdraw = nullptr, *stamps = nullptr;
};
// From planes to pictures in rows (read_back.cpp). Clears that still wait (an aborted frame) appear as done. With a
// pool, `threads` of it share the work.
std::vector<TargetImage> read_planes(const TargetPlan& plan, const HostPlanes& planes, WorkerPool* pool = nullptr,
                                     int threads = 1);

// The planes that pictures can be put back into.
struct WritablePlanes {
  RegionState* region_state;
  uint32_t *color, *color_high, *more_colors;
  float* depth;
  uint8_t* stencil;
  uint32_t *visible_id, *depth_id;  // null: not kept
};
// The other way round: targets as read_planes gave them, with nothing left to clear.
void write_planes(const TargetPlan& plan, const std::vector<TargetImage>& images, const WritablePlanes& planes);

}  // namespace brokkr
