#include "pipeline/cpu_machine.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>

#include "pipeline/read_back.h"

namespace brokkr {

#define BROKKR_DECLARE_KERNEL(isa)  \
  inline namespace isa {            \
  extern const CpuKernel kernel;    \
  }
#if defined(BROKKR_HAVE_ISA_V2)
BROKKR_DECLARE_KERNEL(v2)
#endif
#if defined(BROKKR_HAVE_ISA_V3)
BROKKR_DECLARE_KERNEL(v3)
#endif
#if defined(BROKKR_HAVE_ISA_V4)
BROKKR_DECLARE_KERNEL(v4)
#endif
#if defined(BROKKR_HAVE_ISA_NEON)
BROKKR_DECLARE_KERNEL(neon)
#endif
#if defined(BROKKR_HAVE_ISA_EMULATED)
BROKKR_DECLARE_KERNEL(emulated)
#endif

const CpuKernel* find_cpu_kernel(const std::string& isa) {
#if defined(BROKKR_HAVE_ISA_V2)
  if (isa == "v2") return &v2::kernel;
#endif
#if defined(BROKKR_HAVE_ISA_V3)
  if (isa == "v3") return &v3::kernel;
#endif
#if defined(BROKKR_HAVE_ISA_V4)
  if (isa == "v4") return &v4::kernel;
#endif
#if defined(BROKKR_HAVE_ISA_NEON)
  if (isa == "neon") return &neon::kernel;
#endif
#if defined(BROKKR_HAVE_ISA_EMULATED)
  if (isa == "emulated") return &emulated::kernel;
#endif
  return nullptr;
}

bool cpu_supports(const std::string& isa) {
  if (find_cpu_kernel(isa) == nullptr) return false;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
  if (isa == "v2" || isa == "emulated") return v2;
  if (isa == "v3") return v3;
  return isa == "v4" && v4;
#else
  return true;
#endif
}

std::string best_cpu_isa() {
  for (const char* isa : {"v4", "v3", "v2", "neon"}) {
    if (cpu_supports(isa)) return isa;
  }
  throw std::runtime_error("CPU machine: no build of the pipeline runs on this processor; rebuild with BROKKR_ISAS for it");
}

// Memory of launches of one layout, kept from frame to frame.
struct CpuMachine::Memory {
  LaunchLayout layout;
  int blocks = 0, warps = 0;
  bool ids = false, overdraw = false, trace = false;
  ZeroedMemory color, color_high, depth, stencil, order, visible_id, depth_id, overdraw_plane, region_state, region_fragments;
  ZeroedMemory store, free_memory, queue_memory, rasterizers, pending_block, pending_mask, sort, gates;
  ZeroedMemory control, task_done, distribution, counters, stage_ns, trace_records, trace_count, shared;
  QueueMemory<1> free_blocks;
  QueueMemory<2> queues;
  size_t shared_stride = 0;
  uint32_t gate_count = 0;

  uint64_t store_bytes() const {
    return store.bytes() + free_memory.bytes() + queue_memory.bytes() + rasterizers.bytes() + pending_block.bytes() +
           pending_mask.bytes() + sort.bytes() + control.bytes() + task_done.bytes() + distribution.bytes() + shared.bytes();
  }
  uint64_t target_bytes() const {
    return color.bytes() + color_high.bytes() + depth.bytes() + stencil.bytes() + order.bytes() + visible_id.bytes() +
           depth_id.bytes() + overdraw_plane.bytes() + region_state.bytes() + region_fragments.bytes();
  }

  Memory(const LaunchLayout& l, const LaunchShape& shape, const CpuKernel& kernel, bool keep_ids, bool keep_overdraw, bool keep_trace,
         uint32_t blits)
      : layout(l), blocks(shape.blocks), warps(shape.warps), ids(keep_ids), overdraw(keep_overdraw), trace(keep_trace), gate_count(blits) {
    const size_t samples = size_t(l.samples), r = size_t(l.rasterizers);
    color = {samples * 4, "colour plane"};
    if (l.any_half) color_high = {samples * 4, "colour plane"};
    depth = {samples * 4, "depth plane"};
    stencil = {samples, "stencil plane"};
    order = {samples * 4, "key plane"};
    if (ids) {
      visible_id = {samples * 4, "identifier plane"};
      depth_id = {samples * 4, "identifier plane"};
    }
    if (overdraw) overdraw_plane = {samples * 4, "overdraw plane"};
    region_state = {size_t(l.regions) * sizeof(RegionState), "region states"};
    region_fragments = {size_t(l.regions) * 8, "region counts"};
    store = {size_t(l.store_blocks) * sizeof(TriangleBlock), "triangle store"};
    free_memory = {QueueMemory<1>::bytes(1, l.queue_capacity), "queue of free blocks"};
    queue_memory = {QueueMemory<2>::bytes(l.rasterizers, l.queue_capacity), "rasterizer queues"};
    rasterizers = {r * sizeof(RasterizerState), "rasterizers"};
    pending_block = {r * l.store_blocks * 4 + 256, "pending lists"};
    pending_mask = {r * l.store_blocks * 4 + 256, "pending lists"};
    sort = {size_t(blocks) * l.sort_capacity * 8 + 256, "sort buffers"};
    gates = {size_t(gate_count) * 8 + 8, "blit gates"};
    control = {sizeof(ScheduleControl), "schedule"};
    task_done = {size_t(l.window) * 4, "task window"};
    distribution = {size_t(blocks * warps) * (2 * r + 32) * 4, "distribution buffers"};
    counters = {kCounters * 8, "counters"};
    stage_ns = {size_t(blocks) * size_t(Stage::count) * 8, "stage times"};
    if (trace) trace_records = {size_t(blocks) * kTraceCapacity * sizeof(TraceRecord), "trace"};
    trace_count = {size_t(blocks) * 4, "trace"};
    shared_stride = (kernel.shared_bytes + 63) / 64 * 64;
    shared = {size_t(blocks) * shared_stride, "block storage"};
    fill_queues();
  }

  void fill_queues() {
    free_blocks = QueueMemory<1>::layout(free_memory.as<void>(), 1, layout.queue_capacity);
    queues = QueueMemory<2>::layout(queue_memory.as<void>(), layout.rasterizers, layout.queue_capacity);
    free_blocks.reset();
    queues.reset();
    // All blocks are free: as after that many enqueues.
    for (uint32_t i = 0; i < layout.store_blocks; ++i) {
      free_blocks.slots[size_t(i) * QueueMemory<1>::kSlotWords] = 1;
      free_blocks.slots[size_t(i) * QueueMemory<1>::kSlotWords + 1] = i;
    }
    free_blocks.control->tail = layout.store_blocks;
    free_blocks.control->counts = (uint64_t(layout.store_blocks) << 32) + layout.store_blocks;
    std::memset(distribution.as<void>(), 0, distribution.bytes());
  }

  static constexpr uint32_t kTraceCapacity = 1u << 16;
};

CpuMachine::CpuMachine(const std::string& isa) : isa_(isa.empty() ? best_cpu_isa() : isa), kernel_(find_cpu_kernel(isa_)) {
  if (kernel_ == nullptr) throw std::invalid_argument("isa: '" + isa_ + "' is not built into this program; see `brokkr machines`");
  if (!cpu_supports(isa_)) throw std::invalid_argument("isa: this processor does not run '" + isa_ + "'; see `brokkr machines`");
}

LaunchShape CpuMachine::shape(const RenderOptions& options) const {
  LaunchShape s;
  s.width = kernel_->width;
  s.blocks = options.workers > 0 ? options.workers : std::max(1, int(std::thread::hardware_concurrency()));
  s.warps = kernel_->max_warps == 1 ? 1 : std::min(kernel_->max_warps, options.warps_per_block > 0 ? options.warps_per_block : 2);
  return s;
}

void CpuMachine::launch(const PreparedFrame::Impl& frame, const PhasePlan& plan, const LaunchLayout& layout, const LaunchShape& shape,
                        const RenderOptions& options, std::atomic<uint32_t>& abort_request, RenderResult& result, bool read_back_targets) {
  const bool overdraw = options.shading == Shading::overdraw;
  const FrameTables tables = frame.tables(plan);
  if (!memory_ || !memory_->layout.same_memory(layout) || memory_->blocks != shape.blocks || memory_->warps != shape.warps ||
      memory_->ids != options.keep_ids || memory_->overdraw != overdraw || memory_->trace != options.trace ||
      memory_->gate_count < tables.blit_count) {
    memory_.reset();
    memory_ = std::make_shared<Memory>(layout, shape, *kernel_, options.keep_ids, overdraw, options.trace, tables.blit_count);
  }
  Memory& m = *memory_;

  LaunchData data{};
  RasterTables& r = data.raster;
  r.frame = tables;
  r.targets = {layout.targets.data(), layout.bin_owner.data(), layout.first_own_region.data(), layout.own_regions.data(),
               m.region_state.as<RegionState>(), m.color.as<uint32_t>(), m.color_high.as<uint32_t>(), m.depth.as<float>(),
               m.stencil.as<uint8_t>(), m.order.as<uint32_t>(), m.visible_id.as<uint32_t>(), m.depth_id.as<uint32_t>(),
               m.overdraw_plane.as<uint32_t>(), layout.region, std::countr_zero(unsigned(layout.region)),
               std::countr_zero(unsigned(layout.bin)), uint32_t(layout.rasterizers)};
  r.blocks = m.store.as<TriangleBlock>();
  r.store_blocks = layout.store_blocks;
  r.free_blocks = m.free_blocks;
  r.queues = m.queues;
  r.rasterizers = m.rasterizers.as<RasterizerState>();
  r.pending_block = m.pending_block.as<uint32_t>();
  r.pending_mask = m.pending_mask.as<uint32_t>();
  r.sort_scratch = m.sort.as<uint64_t>();
  r.sort_capacity = layout.sort_capacity;
  r.gates = m.gates.as<uint32_t>();
  r.region_fragments = m.region_fragments.as<uint64_t>();
  r.shading = options.shading;
  r.quads = options.shading == Shading::material && frame.has_materials;
  data.schedule = {m.control.as<ScheduleControl>(), m.task_done.as<uint32_t>(), layout.window, layout.tasks, layout.task_batches, plan.batches,
                   uint32_t(layout.rasterizers), layout.task_batches * uint32_t(kBlocksPerBatch), options.policy,
                   options.ownership == Ownership::stealing};
  data.distribution_scratch = m.distribution.as<uint32_t>();
  data.reuse_all = options.reuse == ReuseMode::warp;
  data.reuse_transforms = options.reuse == ReuseMode::automatic && kernel_->width == 32;
  data.counters = m.counters.as<uint64_t>();
  data.stage_ns = m.stage_ns.as<uint64_t>();
  data.trace = m.trace_records.as<TraceRecord>();
  data.trace_count = m.trace_count.as<uint32_t>();
  data.trace_capacity = Memory::kTraceCapacity;

  // What every launch begins with.
  RegionState cleared{};
  cleared.bits = kClearColor | kClearDepth | kClearStencil;
  cleared.depth = 1.0f;
  std::fill_n(m.region_state.as<RegionState>(), layout.regions, cleared);
  for (ZeroedMemory* zero : {&m.region_fragments, &m.rasterizers, &m.gates, &m.control, &m.task_done, &m.counters, &m.stage_ns,
                             &m.trace_count, &m.shared}) {
    std::memset(zero->as<void>(), 0, zero->bytes());
  }
  for (ZeroedMemory* id : {&m.visible_id, &m.depth_id}) {
    if (id->bytes() != 0) std::memset(id->as<void>(), 0xff, id->bytes());
  }
  if (m.overdraw_plane.bytes() != 0) std::memset(m.overdraw_plane.as<void>(), 0, m.overdraw_plane.bytes());

  CpuLaunch launch{&data, m.shared.as<std::byte>(), m.shared_stride, shape.blocks, shape.warps};
  const std::function<void(int)> work = [&](int i) { kernel_->run_warp(launch, i / shape.warps, i % shape.warps); };
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); };
  pool_.start(shape.blocks * shape.warps, work);
  std::atomic_ref<uint32_t> abort_flag(m.control.as<ScheduleControl>()->abort);
  for (;;) {
    const double left = options.frame_budget_ms > 0 ? options.frame_budget_ms - elapsed() : 1e9;
    if (abort_request.load(std::memory_order_relaxed) != 0 || left <= 0) {
      abort_flag.store(1, std::memory_order_relaxed);
      result.aborted = true;
      pool_.wait(-1);
      break;
    }
    if (pool_.wait(std::min(left, 10.0))) break;
  }
  const double frame_ms = elapsed();

  LaunchCounts counts{data.counters, r.rasterizers, r.region_fragments, data.stage_ns, data.trace, data.trace_count, data.trace_capacity,
                      uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(begin.time_since_epoch()).count())};
  Statistics& s = result.statistics;
  s.machine = isa_ == "emulated" ? "emulated" : "cpu";
  s.isa = isa_;
  s.frame_ms = frame_ms;
  s.store_bytes = m.store_bytes();
  s.target_bytes = m.target_bytes();
  fill_statistics(frame, plan, layout, shape, counts, s);
  if (read_back_targets) {
    const auto read_begin = Clock::now();
    result.targets = read_back(layout, {r.targets.region_state, r.targets.color, r.targets.color_high, r.targets.depth, r.targets.stencil,
                                        r.targets.visible_id, r.targets.depth_id, r.targets.overdraw});
    s.read_back_ms = std::chrono::duration<double, std::milli>(Clock::now() - read_begin).count();
  }
  if (result.aborted) m.fill_queues();  // elements and reservations of an aborted frame are gone
}

}  // namespace brokkr
