#include "pipeline/cpu_machine.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>

#include "pipeline/read_back.h"

namespace brokkr {

#define BROKKR_DECLARE_KERNEL(isa) \
  inline namespace isa {           \
  extern const CpuKernel kernel;   \
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
  const bool v3 =
      v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512cd");
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
  throw std::runtime_error(
      "CPU machine: no build of the pipeline runs on this processor; rebuild with BROKKR_ISAS for it");
}

CpuMachine::CpuMachine(const std::string& isa)
    : isa_(isa.empty() ? best_cpu_isa() : isa), kernel_(find_cpu_kernel(isa_)) {
  if (kernel_ == nullptr)
    throw std::invalid_argument("isa: '" + isa_ + "' is not built into this program; see `brokkr machines`");
  if (!cpu_supports(isa_))
    throw std::invalid_argument("isa: this processor does not run '" + isa_ + "'; see `brokkr machines`");
}

void CpuMachine::reset_queues() {
  dirty_ = false;
  const LaunchMemory<ZeroedMemory>& m = *memory_;
  fill_free_blocks(QueueMemory<1>::layout(m.free_memory.as<void>(), 1, m.layout.queue_capacity), m.layout.store_blocks);
  // Rasterizer queues are empty when their memory is zero; new memory is, and need not be touched.
  if (used_) QueueMemory<2>::layout(m.queue_memory.as<void>(), m.layout.rasterizers, m.layout.queue_capacity).reset();
  std::memset(m.distribution.as<void>(), 0, m.distribution.bytes());
}

LaunchShape CpuMachine::shape(const RenderOptions& options) const {
  LaunchShape s;
  s.width = kernel_->width;
  s.blocks = options.workers > 0 ? options.workers : std::max(1, int(std::thread::hardware_concurrency()));
  s.warps = kernel_->max_warps == 1
                ? 1
                : std::min(kernel_->max_warps, options.warps_per_block > 0 ? options.warps_per_block : 2);
  return s;
}

void CpuMachine::launch(const PreparedFrame::Impl& frame, const PhasePlan& plan, const LaunchLayout& layout,
                        const LaunchShape& shape, const RenderOptions& options, std::atomic<uint32_t>& abort_request,
                        RenderResult& result, bool read_back_targets) {
  const FrameTables tables = frame.tables(plan);
  const MemoryShape memory_shape{shape.blocks,
                                 shape.warps,
                                 options.keep_ids,
                                 options.shading == Shading::overdraw,
                                 options.trace,
                                 tables.blit_count,
                                 (kernel_->shared_bytes + 63) / 64 * 64};
  if (!memory_ || !memory_->layout.same_memory(layout) || !(memory_->shape == memory_shape)) {
    memory_.reset();
    memory_ = std::make_unique<LaunchMemory<ZeroedMemory>>(layout, memory_shape);
    used_ = false;
    reset_queues();
    used_ = true;
  }
  if (dirty_) reset_queues();
  LaunchMemory<ZeroedMemory>& m = *memory_;
  LaunchData data = m.data(plan, layout, shape, options);
  uint32_t abort_word = 0;
  RasterTables& r = data.raster;
  r.frame = tables;
  r.targets.targets = layout.targets.data();
  r.targets.bin_owner = layout.bin_owner.data();
  r.targets.first_own_region = layout.first_own_region.data();
  r.targets.own_regions = layout.own_regions.data();
  data.schedule.abort = r.abort = &abort_word;

  // What every launch begins with.
  std::fill_n(r.targets.region_state, layout.regions, initial_region());
  for (ZeroedMemory* zero : m.zeroed()) {
    if (zero->bytes() != 0) std::memset(zero->as<void>(), 0, zero->bytes());
  }
  for (ZeroedMemory* id : {&m.visible_id, &m.depth_id}) {
    if (id->bytes() != 0) std::memset(id->as<void>(), 0xff, id->bytes());
  }

  CpuLaunch launch{&data, m.shared.as<std::byte>(), memory_shape.shared_bytes, shape.blocks, shape.warps};
  const std::function<void(int)> work = [&](int i) { kernel_->run_warp(launch, i / shape.warps, i % shape.warps); };
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); };
  pool_.start(shape.blocks * shape.warps, work);
  std::atomic_ref<uint32_t> abort_flag(abort_word);
  for (;;) {
    const double left = options.frame_budget_ms > 0 ? options.frame_budget_ms - elapsed() : 1e9;
    if (abort_request.load(std::memory_order_relaxed) != 0 || left <= 0) {
      abort_flag.store(1, std::memory_order_relaxed);
      result.aborted = true;
      if (!pool_.wait(left <= 0 ? finish_ms(options.frame_budget_ms) : kFinishMs)) {
        abort_flag.store(2, std::memory_order_relaxed);
        pool_.wait(-1);
      }
      break;
    }
    if (pool_.wait(std::min(left, 10.0))) break;
  }
  const double frame_ms = elapsed();

  LaunchCounts counts{data.counters,
                      r.rasterizers,
                      r.region_fragments,
                      data.stage_ns,
                      data.trace,
                      data.trace_count,
                      data.trace_capacity,
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
    result.targets = read_back(layout,
                               {r.targets.region_state, r.targets.color, r.targets.color_high, r.targets.depth,
                                r.targets.stencil, r.targets.visible_id, r.targets.depth_id, r.targets.overdraw},
                               &pool_, int(std::thread::hardware_concurrency()));
    s.read_back_ms = std::chrono::duration<double, std::milli>(Clock::now() - read_begin).count();
  }
  dirty_ = result.aborted;
}

}  // namespace brokkr
