#include "pipeline/cuda/machine.h"

#include <algorithm>
#include <chrono>
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

namespace brokkr {
namespace {

// Counts of a frame in pinned memory, where its last kernel leaves them.
struct HostCounts {
  PinnedBuffer memory;
  size_t used = 0;

  static size_t space(const DeviceBuffer& buffer) { return (buffer.bytes() + 63) / 64 * 64; }

  // Space for a copy of `buffer` at the end of each frame.
  template <class T>
  const T* keep(const DeviceBuffer& buffer, GatherTable& table) {
    table.add(buffer.as<void>(), memory.device() + used, buffer.bytes());
    const T* host = reinterpret_cast<const T*>(memory.host() + used);
    used += space(buffer);
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
    abort_ = std::make_unique<DeviceAbort>();
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

  void start(const PreparedFrame::Impl& frame, const std::shared_ptr<const LaunchPlan>& plan,
             const RenderOptions& options) override {
    // A launch that was cut off leaves elements and reservations, so that its memory is dropped.
    if (dirty_) {
      memory_.reset();
      abort_->clear();
    }
    const bool same = memory_ && plan_ == plan && options_ == options;
    dirty_ = true;
    plan_ = plan;
    options_ = options;
    const PlanTables& tables = frame_.update(frame, plan);
    if (!same) launcher_->set(arguments(tables));
    begin_ = Clock::now();
    launcher_->start();
  }

  // The host thread never blocks here: the abort word must follow requests and the budget.
  bool wait(double ms) override {
    const Clock::time_point begin = Clock::now();
    while (!launcher_->finished()) {
      const Clock::time_point now = Clock::now();
      if (ms >= 0 && now - begin >= Milliseconds(ms)) return false;
      // The end of a short frame is seen at once, that of a long one within a hundredth of its time.
      if (now - begin_ > Milliseconds(5)) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return true;
  }

  void request(AbortLevel word) override { abort_->request(word); }

  LaunchCounts finish(bool aborted, Statistics& s) override {
    dirty_ = aborted;
    s.machine = "cuda";
    s.isa = "sm_" + std::to_string(properties_.major * 10 + properties_.minor);
    s.launch_ms = launcher_->kernel_ms();
    s.store_bytes = memory_->store_bytes();
    s.target_bytes = memory_->target_bytes();
    trace_ = download<TraceRecord>(memory_->trace);
    LaunchCounts counts = counts_;
    counts.trace = trace_.empty() ? nullptr : trace_.data();
    return counts;
  }

  std::vector<TargetImage> read_back() override {
    const LaunchMemory<DeviceBuffer>& m = *memory_;
    const auto state = download<RegionState>(m.region_state);
    const auto color = download<uint32_t>(m.color), color_high = download<uint32_t>(m.color_high);
    const auto depth = download<float>(m.depth);
    const auto stencil = download<uint8_t>(m.stencil);
    const auto visible = download<uint32_t>(m.visible_id), depth_id = download<uint32_t>(m.depth_id),
               over = download<uint32_t>(m.overdraw);
    const auto plane = [](const std::vector<uint32_t>& v) { return v.empty() ? nullptr : v.data(); };
    return read_planes(*plan_->targets, {state.data(), color.data(), color_high.data(), depth.data(), stencil.data(),
                                         plane(visible), plane(depth_id), plane(over)});
  }

  bool resolve_to_surface(uint32_t target, uint32_t layer, unsigned long long surface) override {
    if (dirty_ || !memory_ || target >= plan_->targets->targets.size()) return false;
    const LaunchMemory<DeviceBuffer>& m = *memory_;
    brokkr::resolve_to_surface({m.region_state.as<RegionState>(), m.color.as<uint32_t>(), m.color_high.as<uint32_t>(),
                                plan_->targets->targets[target], layer, plan_->targets->region},
                               surface, nullptr);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;

  // What the kernels of a launch of plan_ and options_ work with, in memory of its shape.
  CudaFrame arguments(const PlanTables& tables) {
    if (!memory_ || !(memory_->shape == plan_->memory)) {
      memory_.reset();
      memory_ = std::make_unique<LaunchMemory<DeviceBuffer>>(plan_->memory);
      upload_free_blocks();
    }
    const LaunchMemory<DeviceBuffer>& m = *memory_;
    CudaFrame frame;
    frame.blocks = plan_->shape.blocks;
    frame.data = m.data(*plan_, tables, options_, abort_->device());
    for (const DeviceBuffer* zero : m.zeroed()) frame.reset.add(zero->as<void>(), zero->bytes(), 0);
    for (const DeviceBuffer* id : {&m.visible_id, &m.depth_id})
      frame.reset.add(id->as<void>(), id->bytes(), kNoPrimitive);
    frame.reset.regions = m.region_state.as<RegionState>();
    frame.reset.region_count = m.shape.regions;
    frame.reset.region = initial_region();

    size_t bytes = 0;
    for (const DeviceBuffer* b : {&m.counters, &m.rasterizers, &m.region_fragments, &m.stage_ns, &m.trace_count})
      bytes += HostCounts::space(*b);
    if (host_.memory.bytes() < bytes) host_.memory = PinnedBuffer(bytes);
    host_.used = 0;
    counts_.counters = host_.keep<uint64_t>(m.counters, frame.gather);
    counts_.rasterizers = host_.keep<RasterizerState>(m.rasterizers, frame.gather);
    counts_.region_fragments = host_.keep<uint64_t>(m.region_fragments, frame.gather);
    counts_.stage_ns = host_.keep<uint64_t>(m.stage_ns, frame.gather);
    counts_.trace_count = host_.keep<uint32_t>(m.trace_count, frame.gather);
    return frame;
  }

  void upload_free_blocks() {
    LaunchMemory<DeviceBuffer>& m = *memory_;
    std::vector<uint64_t> host((m.free_memory.bytes() + 63) / 8 + 8);
    void* aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(host.data()) + 63) / 64 * 64);
    fill_free_blocks(QueueMemory<1>::layout(aligned, 1, m.shape.queue_capacity), m.shape.store_blocks);
    m.free_memory.upload(aligned, m.free_memory.bytes(), "queue of free blocks");
  }

  cudaDeviceProp properties_{};
  size_t shared_bytes_ = 0;
  int blocks_per_sm_ = 0;
  std::unique_ptr<DeviceAbort> abort_;
  std::unique_ptr<LaunchMemory<DeviceBuffer>> memory_;
  bool dirty_ = false;  // a launch did not finish
  DeviceFrame frame_;
  HostCounts host_;
  // The last launch.
  std::shared_ptr<const LaunchPlan> plan_;
  RenderOptions options_;
  LaunchCounts counts_;
  std::vector<TraceRecord> trace_;
  Clock::time_point begin_;
  std::unique_ptr<CudaLauncher> launcher_;  // destroyed first
};

}  // namespace

namespace {

// Why there is no device. The runtime calls a driver that is not there one that is too old.
std::string why_no_device(cudaError_t error) {
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess && version == 0) return "no NVIDIA driver was found";
  return error != cudaSuccess ? cudaGetErrorString(error) : "no device was found";
}

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
    throw std::runtime_error("machine: no CUDA device (" + why_no_device(error) + "); use --machine cpu");
  }
  return std::make_unique<CudaMachine>();
}

std::vector<MachineInfo> find_cuda_machines() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    return {{MachineKind::cuda, "CUDA", "", 32, 0, false, why_no_device(error)}};
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
