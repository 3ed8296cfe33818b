#include "pipeline/cuda/machine.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/cuda/device_frame.h"
#include "pipeline/cuda/launch.h"
#include "pipeline/cuda/memory.h"
#include "pipeline/cuda/resolve.h"
#include "pipeline/launch_memory.h"
#include "pipeline/read_back.h"

namespace brokkr {
namespace {

// Counts of a frame in pinned memory, where its last kernel leaves them.
struct HostCounts {
  PinnedBuffer memory;
  size_t used = 0;

  // Space for a copy of `buffer` at the end of each frame.
  template <class T>
  const T* keep(const DeviceBuffer& buffer, GatherTable& table) {
    table.add(buffer.as<void>(), memory.device() + used, buffer.bytes());
    const T* host = reinterpret_cast<const T*>(memory.host() + used);
    used += (buffer.bytes() + 63) / 64 * 64;
    return host;
  }
};

class CudaMachine : public MachineBackend {
 public:
  CudaMachine() {
    check_cuda(cudaSetDevice(0), "device 0");
    check_cuda(cudaGetDeviceProperties(&properties_, 0), "device properties");
    shared_bytes_ = cuda_shared_bytes();
    check_cuda(cudaFuncSetAttribute(run_frame, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes_)),
               "shared memory of a block");
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm_, run_frame, kCudaWarpsPerBlock * 32,
                                                             shared_bytes_),
               "occupancy");
    if (blocks_per_sm_ < 1)
      throw std::runtime_error("CUDA: a block of the pipeline does not fit this device; use --machine cpu");
    // Blocks wait for each other, so that as many must run as the occupancy promised: ask for the division of on-chip
    // memory that it counted on.
    const size_t wanted = size_t(blocks_per_sm_) * (shared_bytes_ + properties_.reservedSharedMemPerBlock);
    const size_t most = std::max<size_t>(properties_.sharedMemPerMultiprocessor, 1);
    check_cuda(cudaFuncSetAttribute(run_frame, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    int(std::min<size_t>((wanted * 100 + most - 1) / most, 100))),
               "shared memory of a block");
    abort_ = std::make_unique<AbortWord>();
    launcher_ = std::make_unique<CudaLauncher>(shared_bytes_, properties_.multiProcessorCount);
  }

  LaunchShape shape(const RenderOptions& options) const override {
    LaunchShape s;
    const int resident = blocks_per_sm_ * properties_.multiProcessorCount;
    s.blocks = options.workers > 0 ? std::min(options.workers, resident)
                                   : resident;  // blocks wait for each other: all must be resident
    s.warps = kCudaWarpsPerBlock;
    s.width = 32;
    s.memory_limit = std::max<size_t>(size_t(512) << 20, properties_.totalGlobalMem / 16);
    return s;
  }

  void launch(const PreparedFrame::Impl& frame, const PhasePlan& plan, const LaunchLayout& layout,
              const LaunchShape& shape, const RenderOptions& options, std::atomic<uint32_t>& abort_request,
              RenderResult& result, bool read_back_targets) override {
    const uint32_t blits = frame.tables(plan).blit_count;
    const MemoryShape memory_shape{
        shape.blocks, shape.warps, options.keep_ids, options.shading == Shading::overdraw, options.trace, blits, 0};
    if (!memory_ || !memory_->layout.same_memory(layout) || !(memory_->shape == memory_shape)) {
      memory_.reset();
      memory_ = std::make_unique<LaunchMemory<DeviceBuffer>>(layout, memory_shape);
      reset_queues();
    }
    LaunchMemory<DeviceBuffer>& m = *memory_;
    frame_.update(frame, plan);
    CudaFrame launch;
    std::memset(static_cast<void*>(&launch), 0, sizeof launch);  // padding too: frames are compared by bytes
    launch.blocks = shape.blocks;
    launch.data = m.data(plan, layout, shape, options);
    LaunchData& data = launch.data;
    data.raster.frame = frame_.tables;
    TargetTables& t = data.raster.targets;
    t.targets = targets_.hold(layout.targets);
    t.bin_owner = bin_owner_.hold(layout.bin_owner);
    t.first_own_region = first_own_region_.hold(layout.first_own_region);
    t.own_regions = own_regions_.hold(layout.own_regions);
    data.schedule.abort = data.raster.abort = abort_->device();

    for (DeviceBuffer* zero : m.zeroed()) launch.reset.add(zero->as<void>(), zero->bytes(), 0);
    for (DeviceBuffer* id : {&m.visible_id, &m.depth_id}) launch.reset.add(id->as<void>(), id->bytes(), 0xffffffffu);
    launch.reset.regions = m.region_state.as<RegionState>();
    launch.reset.region_count = layout.regions;
    launch.reset.region = initial_region();

    size_t count_bytes = 0;
    for (const DeviceBuffer* b : {&m.counters, &m.rasterizers, &m.region_fragments, &m.stage_ns, &m.trace_count})
      count_bytes += (b->bytes() + 63) / 64 * 64;
    if (counts_.memory.bytes() < count_bytes) counts_.memory = PinnedBuffer(count_bytes);
    counts_.used = 0;
    const auto* counters = counts_.keep<uint64_t>(m.counters, launch.gather);
    const auto* rasterizers = counts_.keep<RasterizerState>(m.rasterizers, launch.gather);
    const auto* fragments = counts_.keep<uint64_t>(m.region_fragments, launch.gather);
    const auto* stage_ns = counts_.keep<uint64_t>(m.stage_ns, launch.gather);
    const auto* trace_count = counts_.keep<uint32_t>(m.trace_count, launch.gather);

    try {
      run(launch, options, abort_request, result);
    } catch (...) {
      memory_.reset();
      throw;
    }

    const auto trace = download<TraceRecord>(m.trace);
    uint64_t first = ~uint64_t(0);
    for (size_t b = 0; b < size_t(shape.blocks) && !trace.empty(); ++b) {
      if (trace_count[b] > 0) first = std::min(first, trace[b * kTraceCapacity].begin_ns);
    }
    Statistics& s = result.statistics;
    s.machine = "cuda";
    s.isa = "sm_" + std::to_string(properties_.major * 10 + properties_.minor);
    s.frame_ms = launcher_->kernel_ms();
    s.store_bytes = m.store_bytes();
    s.target_bytes = m.target_bytes();
    fill_statistics(frame, plan, layout, shape,
                    {counters, rasterizers, fragments, stage_ns, trace.empty() ? nullptr : trace.data(), trace_count,
                     kTraceCapacity, first},
                    s);
    if (read_back_targets) {
      const auto read_begin = std::chrono::steady_clock::now();
      const auto state = download<RegionState>(m.region_state);
      const auto color = download<uint32_t>(m.color), color_high = download<uint32_t>(m.color_high);
      const auto depth = download<float>(m.depth);
      const auto stencil = download<uint8_t>(m.stencil);
      const auto visible = download<uint32_t>(m.visible_id), depth_id = download<uint32_t>(m.depth_id),
                 over = download<uint32_t>(m.overdraw);
      const auto plane = [](const std::vector<uint32_t>& v) { return v.empty() ? nullptr : v.data(); };
      result.targets = read_back(layout, {state.data(), color.data(), color_high.data(), depth.data(), stencil.data(),
                                          plane(visible), plane(depth_id), plane(over)});
      s.read_back_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - read_begin).count();
    }
    shown_targets_ = layout.targets;
    if (result.aborted) memory_.reset();  // elements and reservations of an aborted frame are gone
  }

  bool resolve_to_surface(uint32_t target, uint32_t layer, unsigned long long surface) override {
    if (!memory_ || target >= shown_targets_.size()) return false;  // an aborted frame is gone
    const LaunchMemory<DeviceBuffer>& m = *memory_;
    brokkr::resolve_to_surface({m.region_state.as<RegionState>(), m.color.as<uint32_t>(), m.color_high.as<uint32_t>(),
                                shown_targets_[target], layer, m.layout.region},
                               surface, nullptr);
    return true;
  }

 private:
  // Starts the frame and waits for it, never blocked: the abort word must follow requests and the budget.
  void run(const CudaFrame& launch, const RenderOptions& options, std::atomic<uint32_t>& abort_request,
           RenderResult& result) {
    const auto start = std::chrono::steady_clock::now();
    double drop_at = 0;
    uint32_t asked = 0;
    launcher_->start(launch);
    while (!launcher_->finished()) {
      const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      const bool spent = options.frame_budget_ms > 0 && ms > options.frame_budget_ms;
      if (!result.aborted && (spent || abort_request.load() != 0)) {
        abort_->request(asked = 1);
        result.aborted = true;
        drop_at = ms + (spent ? finish_ms(options.frame_budget_ms) : kFinishMs);
      }
      if (asked == 1 && ms > drop_at) abort_->request(asked = 2);
      // The end of a short frame is seen at once, that of a long one within a hundredth of its time.
      if (ms > 5) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    if (asked != 0) abort_->clear();
  }

  void reset_queues() {
    LaunchMemory<DeviceBuffer>& m = *memory_;
    std::vector<uint64_t> host((m.free_memory.bytes() + 63) / 8 + 8);
    void* aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(host.data()) + 63) / 64 * 64);
    fill_free_blocks(QueueMemory<1>::layout(aligned, 1, m.layout.queue_capacity), m.layout.store_blocks);
    m.free_memory.upload(aligned, m.free_memory.bytes(), "queue of free blocks");
  }

  cudaDeviceProp properties_{};
  size_t shared_bytes_ = 0;
  int blocks_per_sm_ = 0;
  std::unique_ptr<AbortWord> abort_;
  std::unique_ptr<LaunchMemory<DeviceBuffer>> memory_;
  DeviceFrame frame_;
  DeviceTable targets_, bin_owner_, first_own_region_, own_regions_;
  HostCounts counts_;
  std::vector<TargetRecord> shown_targets_;  // of the last launch
  std::unique_ptr<CudaLauncher> launcher_;   // goes first
};

}  // namespace

bool cuda_is_available() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return count > 0;
}

std::unique_ptr<MachineBackend> make_cuda_machine() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    throw std::runtime_error(std::string("machine: no CUDA device (") +
                             (error != cudaSuccess ? cudaGetErrorString(error) : "none found") +
                             "); use --machine cpu");
  }
  return std::make_unique<CudaMachine>();
}

std::vector<MachineInfo> find_cuda_machines() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    return {{MachineKind::cuda, "CUDA", "", 32, 0, false,
             error != cudaSuccess ? cudaGetErrorString(error) : "no device found"}};
  }
  std::vector<MachineInfo> all;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p{};
    if (cudaGetDeviceProperties(&p, i) != cudaSuccess) continue;
    all.push_back({MachineKind::cuda, p.name, "sm_" + std::to_string(p.major * 10 + p.minor), 32, p.multiProcessorCount,
                   i == 0, i == 0 ? "" : "only device 0 is used"});
  }
  return all;
}

}  // namespace brokkr
