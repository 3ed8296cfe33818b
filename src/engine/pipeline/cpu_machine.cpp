#include "pipeline/cpu_machine.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "base/processors.h"
#include "shader/compiled.h"

namespace brokkr {

#define X(isa)                   \
  inline namespace isa {         \
  extern const CpuKernel kernel; \
  }
BROKKR_HAVE_ISA_LIST
#undef X

const CpuKernel* find_cpu_kernel(const std::string& isa) {
#define X(build) \
  if (isa == #build) return &build::kernel;
  BROKKR_HAVE_ISA_LIST
#undef X
  return nullptr;
}

namespace {

// Returns true if one order-free phase draws everything, and only clears come before it: nothing reads what it leaves
// in the planes except for a later launch or a read-back.
bool ends_with_only_draws(const DrawPlan& plan) {
  bool drawn = false;
  for (const PhaseRecord& phase : plan.phases) {
    if (phase.kind == PhaseKind::finish) continue;
    if (drawn || (phase.kind != PhaseKind::clear && phase.kind != PhaseKind::order_free)) return false;
    drawn = phase.kind == PhaseKind::order_free;
  }
  return drawn;
}

}  // namespace

CpuMachine::CpuMachine(const std::string& isa)
    : isa_(isa.empty() ? best_cpu_isa() : isa), kernel_(find_cpu_kernel(isa_)) {
  if (kernel_ == nullptr)
    throw std::invalid_argument("isa: '" + isa_ + "' is not built into this program; see `brokkr machines`");
  if (!cpu_supports(isa_))
    throw std::invalid_argument("isa: this processor does not run '" + isa_ + "'; see `brokkr machines`");
}

std::unique_ptr<shader::CodeMaker> CpuMachine::make_code_maker() const {
  return std::make_unique<shader::CompiledShaders>(isa_, kernel_->width);
}

LaunchShape CpuMachine::shape(const RenderOptions& options) const {
  LaunchShape s;
  s.width = kernel_->width;
  s.blocks = options.workers > 0 ? options.workers : usable_processors();
  s.warps = kernel_->max_warps == 1
                ? 1
                : std::min(kernel_->max_warps, options.warps_per_block > 0 ? options.warps_per_block : 2);
  s.shared_bytes = (kernel_->shared_bytes + 63) / 64 * 64;
  return s;
}

// A zeroed rasterizer queue is empty, and new memory is zero, so it need not be touched.
void CpuMachine::make_memory(bool keeps_planes) {
  const std::unique_ptr<LaunchMemory<ZeroedMemory>> last = keeps_planes ? std::move(memory_) : nullptr;
  memory_.reset();
  memory_ = std::make_unique<LaunchMemory<ZeroedMemory>>(plan_->memory);
  if (last) memory_->take_planes(*last);
  fill_free_blocks(memory_->free_blocks(), plan_->memory.store_blocks);
  vertices_of_ = {};
}

// Restores the initial state after a launch that did not finish.
void CpuMachine::reset_memory() {
  fill_free_blocks(memory_->free_blocks(), plan_->memory.store_blocks);
  memory_->queues().reset();
  for (const ZeroedMemory* zero : {&memory_->distribution, &memory_->direct}) {
    if (zero->bytes() != 0) std::memset(zero->as<void>(), 0, zero->bytes());
  }
}

// Copies the frame's positions and varyings for a launch that writes them, unless they were copied before.
void CpuMachine::copy_vertices(const PreparedFrame::Impl& frame, const PlanTables& tables) {
  const LaunchMemory<ZeroedMemory>& m = *memory_;
  const std::pair versions(frame.version, frame.vertices_version);
  if (m.vertex_positions.bytes() == 0 || vertices_of_ == versions) return;
  std::memcpy(m.vertex_positions.as<void>(), tables.frame.positions.get(), m.vertex_positions.bytes());
  if (m.vertex_varyings.bytes() != 0)
    std::memcpy(m.vertex_varyings.as<void>(), tables.programs.varyings.get(), m.vertex_varyings.bytes());
  vertices_of_ = versions;
}

void CpuMachine::start(const PreparedFrame::Impl& frame, const std::shared_ptr<const LaunchPlan>& plan,
                       const RenderOptions& options) {
  plan_ = plan;
  if (!memory_ || !(memory_->shape == plan->memory))
    make_memory(frame.part.stays);
  else if (dirty_)
    reset_memory();
  dirty_ = true;
  const LaunchMemory<ZeroedMemory>& m = *memory_;
  const PlanTables tables = host_tables(frame, *plan);
  copy_vertices(frame, tables);
  data_ = m.data(*plan, tables, options, &abort_);
  if (!frame.part.is_some() && ends_with_only_draws(*plan->draws)) {
    data_.raster.targets.shown = use_.shown;
    data_.raster.targets.drops_depth = !use_.needs.depth;
  }
  // Sets the state in which every launch begins.
  const bool goes_on = frame.part.content != nullptr || frame.part.stays;
  RegionState state = initial_region();
  if (goes_on) state.bits = 0;  // content is kept: nothing is left to clear
  std::fill_n(data_.raster.targets.region_state.get(), plan->memory.regions, state);
  for (const ZeroedMemory* zero : m.zeroed(goes_on)) {
    if (zero->bytes() != 0) std::memset(zero->as<void>(), 0, zero->bytes());
  }
  for (const ZeroedMemory* ones : m.filled()) {
    if (!frame.part.stays && ones->bytes() != 0) std::memset(ones->as<void>(), 0xff, ones->bytes());
  }
  if (frame.part.content != nullptr) {
    const TargetTables& t = data_.raster.targets;
    write_planes(*plan->targets, *frame.part.content,
                 {t.region_state, t.color, t.color_high, t.more_colors, t.depth, t.stencil, t.visible_id, t.depth_id});
  }
  abort_ = {};
  const LaunchShape& shape = plan->shape;
  launch_ = {&data_, m.shared.as<std::byte>(), shape.shared_bytes, shape.blocks, shape.warps};
  work_ = [this](int i) { kernel_->run_warp(launch_, i / launch_.warps, i % launch_.warps); };
  begin_ = std::chrono::steady_clock::now();
  caller_works_ = takes_turns(frame, options);
  pool_.start(shape.blocks * shape.warps, work_, caller_works_ ? WorkerPool::First::caller : WorkerPool::First::thread);
}

// While a loop of a program runs, a warp gives no turns. So launches with such programs leave the caller free to watch.
bool CpuMachine::takes_turns(const PreparedFrame::Impl& frame, const RenderOptions& options) {
  return !(options.shading == Shading::program && frame.programs.has_loops()) &&
         !(options.vertex_stage == VertexShading::pipeline && frame.vertices.has_loops());
}

void CpuMachine::work(HostTurn turn) {
  if (!caller_works_) return;
  CpuLaunch launch = launch_;
  launch.turn = turn;
  kernel_->run_warp(launch, 0, 0);
  // The warps of a block meet, so those that have begun need the others. Blocks do not.
  if (launch.warps == 1) pool_.withdraw();
}

void CpuMachine::request(AbortLevel word) {
  std::atomic_ref<uint32_t>(abort_.level).store(word, std::memory_order_relaxed);
  std::atomic_ref<uint32_t>(abort_.leave).store(word >= kAbortLeave, std::memory_order_relaxed);
}

LaunchCounts CpuMachine::finish(bool aborted, Statistics& s) {
  s.launch_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
  s.machine = isa_ == "emulated" ? "emulated" : "cpu";
  s.isa = isa_;
  s.store_bytes = memory_->store_bytes();
  s.target_bytes = memory_->target_bytes();
  dirty_ = aborted;
  return {.counters = data_.counters,
          .region_fragments = data_.raster.region_fragments,
          .stage_ns = data_.stage_ns,
          .trace = data_.trace,
          .trace_stride = kTraceCapacity,
          .trace_count = data_.trace_count};
}

HostPlanes CpuMachine::planes(const PlaneNeeds&) {
  const TargetTables& t = data_.raster.targets;
  const ZeroedMemory& positions = memory_->vertex_positions;
  return {t.region_state,
          t.color,
          t.color_high,
          t.more_colors,
          t.depth,
          t.stencil,
          t.visible_id,
          t.depth_id,
          t.overdraw,
          t.stamps,
          positions.bytes() != 0 ? positions.as<float>() : nullptr};
}

std::vector<TargetImage> CpuMachine::read_back() {
  return read_planes(*plan_->targets, planes(PlaneNeeds::all()), &pool_, usable_processors());
}

TargetSquares& CpuMachine::squares() {
  const LaunchMemory<ZeroedMemory>& m = *memory_;
  squares_.use({m.color.as<uint32_t>(), m.color_high.as<uint32_t>(), m.more_colors.as<uint32_t>(),
                m.depth.as<uint32_t>(), m.stencil.as<uint32_t>()},
               *plan_->targets);
  return squares_;
}

}  // namespace brokkr
