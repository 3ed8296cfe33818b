#include "pipeline/cuda_machine.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "pipeline/cuda_kernel.h"
#include "pipeline/launch_memory.h"
#include "pipeline/read_back.h"

namespace brokkr {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(error));
}

// Zeroed device memory.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(size_t bytes, const char* what) : bytes_(bytes) {
    if (bytes == 0) return;
    if (cudaMalloc(&data_, bytes) != cudaSuccess) {
      cudaGetLastError();
      throw std::runtime_error(std::string("CUDA: ") + what + ": no device memory for " +
                               std::to_string(bytes >> 20) +
                               " MiB; use fewer rasterizers, a smaller store or smaller targets");
    }
    check(cudaMemset(data_, 0, bytes), what);
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(DeviceBuffer&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)), bytes_(std::exchange(o.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  size_t bytes() const { return bytes_; }

  // Holds a copy of host memory.
  template <class T>
  const T* hold(const T* host, size_t count) {
    if (host == nullptr || count == 0) return nullptr;
    if (bytes_ < count * sizeof(T)) *this = DeviceBuffer(count * sizeof(T), "frame");
    check(cudaMemcpy(data_, host, count * sizeof(T), cudaMemcpyHostToDevice), "upload");
    return static_cast<const T*>(data_);
  }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

template <class T>
std::vector<T> download(const DeviceBuffer& buffer) {
  std::vector<T> host(buffer.bytes() / sizeof(T));
  if (!host.empty())
    check(cudaMemcpy(host.data(), buffer.as<void>(), host.size() * sizeof(T), cudaMemcpyDeviceToHost),
          "read-back");
  return host;
}

// A prepared frame in device memory.
struct DeviceFrame {
  uint64_t version = 0;
  DeviceBuffer draws, runs, batch_run, views, materials, textures, texels, phases, indices, positions,
      normals, texcoords, models;
  FrameTables tables{};

  void update(const PreparedFrame::Impl& f, const PhasePlan& plan) {
    const FrameTables host = f.tables(plan);
    if (version != f.version) {
      tables.runs = runs.hold(host.runs, f.runs.size());
      tables.batch_run = batch_run.hold(host.batch_run, f.batch_run.size());
      tables.views = views.hold(host.views, f.views.size());
      tables.materials = materials.hold(host.materials, f.materials.size());
      tables.textures = textures.hold(host.textures, f.textures.size());
      tables.texels = texels.hold(host.texels, f.texels.size());
      tables.indices = indices.hold(host.indices, f.own_indices ? f.indices.size() : f.frame->indices.size());
      tables.positions = positions.hold(
          host.positions, 4 * (f.own_positions ? f.positions.size() : f.frame->positions.size()));
      tables.normals = normals.hold(host.normals, 3 * f.frame->normals.size());
      tables.texcoords = texcoords.hold(host.texcoords, 2 * f.frame->texcoords.size());
      tables.models = models.hold(host.models, 16 * f.frame->models.size());
      version = f.version;
    }
    tables.draws = draws.hold(host.draws, plan.draws.size());
    tables.phases = phases.hold(host.phases, plan.phases.size());
    tables.batches = host.batches;
    tables.draw_count = host.draw_count;
    tables.phase_count = host.phase_count;
    tables.blit_count = host.blit_count;
    std::copy(host.light, host.light + 3, tables.light);
  }
};

class CudaMachine : public MachineBackend {
 public:
  CudaMachine() {
    check(cudaSetDevice(0), "device 0");
    check(cudaGetDeviceProperties(&properties_, 0), "device properties");
    shared_bytes_ = cuda_shared_bytes();
    check(cudaFuncSetAttribute(run_frame, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes_)),
          "shared memory of a block");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm_, run_frame, kCudaWarpsPerBlock * 32,
                                                        shared_bytes_),
          "occupancy");
    if (blocks_per_sm_ < 1)
      throw std::runtime_error("CUDA: a block of the pipeline does not fit this device; use --machine cpu");
    check(cudaHostAlloc(reinterpret_cast<void**>(&abort_), sizeof(uint32_t), cudaHostAllocMapped),
          "abort flag");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    check(cudaEventCreate(&begin_), "event");
    check(cudaEventCreate(&end_), "event");
  }
  ~CudaMachine() override {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
    cudaFreeHost(abort_);
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
    const MemoryShape memory_shape{shape.blocks,
                                   shape.warps,
                                   options.keep_ids,
                                   options.shading == Shading::overdraw,
                                   options.trace,
                                   blits,
                                   0};
    if (!memory_ || !memory_->layout.same_memory(layout) || !(memory_->shape == memory_shape)) {
      memory_.reset();
      memory_ = std::make_unique<LaunchMemory<DeviceBuffer>>(layout, memory_shape);
      reset_queues();
    }
    LaunchMemory<DeviceBuffer>& m = *memory_;
    frame_.update(frame, plan);
    LaunchData data = m.data(plan, layout, shape, options);
    data.raster.frame = frame_.tables;
    TargetTables& t = data.raster.targets;
    t.targets = targets_.hold(layout.targets.data(), layout.targets.size());
    t.bin_owner = bin_owner_.hold(layout.bin_owner.data(), layout.bin_owner.size());
    t.first_own_region =
        first_own_region_.hold(layout.first_own_region.data(), layout.first_own_region.size());
    t.own_regions = own_regions_.hold(layout.own_regions.data(), layout.own_regions.size());
    *abort_ = 0;
    check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&data.schedule.abort), abort_, 0), "abort flag");
    data.raster.abort = data.schedule.abort;

    for (DeviceBuffer* zero : m.zeroed()) {
      if (zero->bytes() != 0) check(cudaMemsetAsync(zero->as<void>(), 0, zero->bytes(), stream_), "reset");
    }
    for (DeviceBuffer* id : {&m.visible_id, &m.depth_id}) {
      if (id->bytes() != 0) check(cudaMemsetAsync(id->as<void>(), 0xff, id->bytes(), stream_), "reset");
    }
    const std::vector<RegionState> regions(size_t(layout.regions), initial_region());
    check(cudaMemcpy(m.region_state.as<void>(), regions.data(), regions.size() * sizeof(RegionState),
                     cudaMemcpyHostToDevice),
          "reset");

    check(cudaEventRecord(begin_, stream_), "event");
    run_frame<<<shape.blocks, shape.warps * 32, shared_bytes_, stream_>>>(data);
    check(cudaGetLastError(), "launch");
    check(cudaEventRecord(end_, stream_), "event");
    const auto start = std::chrono::steady_clock::now();
    double aborted_at = 0;
    for (int spin = 0;; ++spin) {
      const cudaError_t state = cudaEventQuery(end_);
      if (state == cudaSuccess) break;
      if (state != cudaErrorNotReady) check(state, "frame");
      const double ms =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      if (!result.aborted &&
          (abort_request.load() != 0 || (options.frame_budget_ms > 0 && ms > options.frame_budget_ms))) {
        *reinterpret_cast<volatile uint32_t*>(abort_) = 1;
        result.aborted = true;
        aborted_at = ms;
      }
      if (result.aborted && ms > aborted_at + kFinishMs) *reinterpret_cast<volatile uint32_t*>(abort_) = 2;
      if (spin > 1000) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_), "event");

    const auto counters = download<uint64_t>(m.counters);
    const auto rasterizers = download<RasterizerState>(m.rasterizers);
    const auto fragments = download<uint64_t>(m.region_fragments);
    const auto stage_ns = download<uint64_t>(m.stage_ns);
    const auto trace = download<TraceRecord>(m.trace);
    const auto trace_count = download<uint32_t>(m.trace_count);
    uint64_t first = ~uint64_t(0);
    for (size_t b = 0; b < trace_count.size() && !trace.empty(); ++b) {
      if (trace_count[b] > 0) first = std::min(first, trace[b * kTraceCapacity].begin_ns);
    }
    Statistics& s = result.statistics;
    s.machine = "cuda";
    s.isa = "sm_" + std::to_string(properties_.major * 10 + properties_.minor);
    s.frame_ms = ms;
    s.store_bytes = m.store_bytes();
    s.target_bytes = m.target_bytes();
    fill_statistics(frame, plan, layout, shape,
                    {counters.data(), rasterizers.data(), fragments.data(), stage_ns.data(),
                     trace.empty() ? nullptr : trace.data(), trace_count.data(), kTraceCapacity, first},
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
      result.targets = read_back(layout, {state.data(), color.data(), color_high.data(), depth.data(),
                                          stencil.data(), plane(visible), plane(depth_id), plane(over)});
      s.read_back_ms =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - read_begin).count();
    }
    if (result.aborted) memory_.reset();  // elements and reservations of an aborted frame are gone
  }

 private:
  void reset_queues() {
    LaunchMemory<DeviceBuffer>& m = *memory_;
    std::vector<uint64_t> host((m.free_memory.bytes() + 63) / 8 + 8);
    void* aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(host.data()) + 63) / 64 * 64);
    fill_free_blocks(QueueMemory<1>::layout(aligned, 1, m.layout.queue_capacity), m.layout.store_blocks);
    check(cudaMemcpy(m.free_memory.as<void>(), aligned, m.free_memory.bytes(), cudaMemcpyHostToDevice),
          "reset");
  }

  cudaDeviceProp properties_{};
  size_t shared_bytes_ = 0;
  int blocks_per_sm_ = 0;
  uint32_t* abort_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::unique_ptr<LaunchMemory<DeviceBuffer>> memory_;
  DeviceFrame frame_;
  DeviceBuffer targets_, bin_owner_, first_own_region_, own_regions_;
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
    all.push_back({MachineKind::cuda, p.name, "sm_" + std::to_string(p.major * 10 + p.minor), 32,
                   p.multiProcessorCount, i == 0, i == 0 ? "" : "only device 0 is used"});
  }
  return all;
}

}  // namespace brokkr
