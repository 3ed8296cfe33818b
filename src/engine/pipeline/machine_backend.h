// The Renderer's view of a machine: start a launch, wait for it, finish it, read it back.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "machine/host_turn.h"
#include "machine/worker_pool.h"
#include "pipeline/launch_data.h"
#include "plan/prepare.h"
#include "plan/target_squares.h"

namespace brokkr {

// The kernel's counts in host memory, valid until the next launch.
struct LaunchCounts {
  const uint64_t* counters = nullptr;  // kCounters
  const uint64_t* region_fragments = nullptr;
  const uint64_t* stage_ns = nullptr;  // blocks * Stage::count
  const TraceRecord* trace = nullptr;  // blocks * trace_stride; null: no trace
  size_t trace_stride = kTraceCapacity;
  const uint32_t* trace_count = nullptr;
};

// Planes in host memory (target/target_tables.h). Null planes are absent from the pictures.
struct HostPlanes {
  const RegionState* region_state = nullptr;
  const uint32_t *color = nullptr, *color_high = nullptr, *more_colors = nullptr;
  const float* depth = nullptr;
  const uint8_t* stencil = nullptr;
  const uint32_t *visible_id = nullptr, *depth_id = nullptr, *overdraw = nullptr, *stamps = nullptr;
  // Four floats per vertex, as the launch's vertex programs left them; null: the launch drew the frame's own positions.
  const float* positions = nullptr;
};

// The planes that will be read.
struct PlaneNeeds {
  bool color = false, more_colors = false, depth = false, stencil = false, ids = false, overdraw = false,
       stamps = false, positions = false;
  // Everything that pictures need, which are no positions.
  static PlaneNeeds all() { return {true, true, true, true, true, true, true}; }
};

// The reads that follow a launch.
struct PlaneUse {
  PlaneNeeds needs = PlaneNeeds::all();
  ShownColors shown{};  // where colours may go at once; regions whose colours did have kShown
};

class MachineBackend {
 public:
  virtual ~MachineBackend() = default;
  // The number of blocks, warps and lanes of a launch with these options.
  virtual LaunchShape shape(const RenderOptions& options) const = 0;
  // The target for which shaders are compiled: a build of the kernel, or a device. Empty: shaders are not compiled.
  virtual std::string compiled_isa() const { return {}; }
  // Creates the compiler of shaders; null if this machine has none.
  virtual std::unique_ptr<shader::CodeMaker> make_code_maker() const { return nullptr; }
  // Sets the compiled code that later launches use; null: none. Throws std::runtime_error if it cannot be used.
  virtual void use_code(const shader::CodeMaker* /*made*/) {}
  // Sets the reads that follow later launches.
  virtual void use_planes(const PlaneUse& /*use*/) {}
  // Starts a launch and returns. Clears the remains of an aborted launch first.
  virtual void start(const PreparedFrame::Impl& frame, const std::shared_ptr<const LaunchPlan>& plan,
                     const RenderOptions& options) = 0;
  // Lets the calling thread work for the started launch, which calls `turn` every few milliseconds. Returns when it has
  // nothing left to do, or at once if only the machine's own threads work. Call it before `wait`.
  virtual void work(HostTurn /*turn*/) {}
  // Waits at most `ms` milliseconds for the launch to end (negative: without limit). Returns true if it has ended.
  virtual bool wait(double ms) = 0;
  // Asks the running launch to end. Returns immediately.
  virtual void request(AbortLevel word) = 0;
  // Call after the launch has ended. Returns its counts and fills the statistics that only the machine knows.
  // `aborted`: the launch was asked to end.
  virtual LaunchCounts finish(bool aborted, Statistics& statistics) = 0;
  // The planes of the last launch, valid until the next one. They include at least the needed ones.
  virtual HostPlanes planes(const PlaneNeeds& needs) = 0;
  // Reads back the pictures of the last launch.
  virtual std::vector<TargetImage> read_back() = 0;
  // The threads that read-back may use after a launch; null: only the calling thread.
  virtual WorkerPool* pool() { return nullptr; }
  // The content of the last launch's targets, from which the next launch can continue (FramePart::stays).
  virtual TargetSquares& squares() = 0;
  // Renderer::resolve_to_surface for the last launch.
  virtual bool resolve_to_surface(uint32_t /*target*/, uint32_t /*layer*/, unsigned long long /*surface*/) {
    return false;
  }
};

// Returns true if a launch on the CPU ends within milliseconds, whatever it draws. The calling thread then draws alone.
bool is_short(const PreparedFrame::Impl& frame, const RenderOptions& options);

// Adds a launch's counts and times to the sums of launches that draw slices of the same frame.
void add_launch(const Statistics& launch, Statistics& sums);

// Fills the statistics that follow from the plan and the counts.
void fill_statistics(const PreparedFrame::Impl& frame, const LaunchPlan& plan, const LaunchCounts& counts,
                     Statistics& s);

// Converts planes to pictures in rows (read_back.cpp). Pixels whose clear is still pending, in an aborted frame, appear
// cleared. If there is a pool, `threads` of its threads share the work.
std::vector<TargetImage> read_planes(const TargetPlan& plan, const HostPlanes& planes, WorkerPool* pool = nullptr,
                                     int threads = 1);

// Throws std::invalid_argument unless the planes exist and fit their memory.
void check_read_back(const PreparedFrame::Impl& frame, const RenderOptions& options, const ReadBack& wanted);
PlaneNeeds needs_of(const ReadBack& wanted);
// Layers `first` .. first + count - 1 of a target, which planes hold as layers `first_held` .. first_held + count - 1.
struct HeldLayers {
  uint32_t first_held, first, count;
};
struct HeldPlanes {
  const TargetPlan& plan;
  const HostPlanes& planes;
  HeldLayers layers;
};
// The caller's memory for colours that are words as the planes of a launch with these options hold them; null if there
// is none. `held`: the launch's layers.
ShownColors shown_colors(const PreparedFrame::Impl& frame, const RenderOptions& options, const ReadBack& wanted,
                         const HeldLayers& held);
// Converts layers to their places in the caller's memory, among the wanted layers (read_into.cpp).
void read_into(const PreparedFrame::Impl& frame, const HeldPlanes& held_planes, const ReadBack& wanted,
               WorkerPool* pool, int threads);

// Calls work(0) .. work(threads - 1), the first on the calling thread and the others on threads of the pool. If the
// total number of `pixels` is small, calls only work(0).
void run_parts(WorkerPool* pool, int threads, uint64_t pixels, const std::function<void(int)>& work);

// Planes that pictures can be written to.
struct WritablePlanes {
  RegionState* region_state;
  uint32_t *color, *color_high, *more_colors;
  float* depth;
  uint8_t* stencil;
  uint32_t *visible_id, *depth_id;  // null: absent
};
// The inverse of read_planes: writes pictures to planes and leaves no clear pending.
void write_planes(const TargetPlan& plan, const std::vector<TargetImage>& images, const WritablePlanes& planes);

}  // namespace brokkr
