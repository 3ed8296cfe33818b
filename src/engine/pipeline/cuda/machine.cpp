#include "pipeline/cuda/machine.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/cuda/device_frame.h"
#include "pipeline/cuda/launch.h"
#include "pipeline/cuda/linked_kernel.h"
#include "pipeline/cuda/memory.h"
#include "pipeline/cuda/resolve.h"
#include "pipeline/cuda/squares.h"
#include "pipeline/cuda/watch.h"
#include "pipeline/launch_memory.h"
#include "plan/launch_plan.h"

namespace brokkr {
namespace {

// Counts of a frame in pinned memory, written by its last kernel.
struct HostCounts {
  PinnedBuffer memory;
  size_t used = 0;

  static size_t space(const DeviceBuffer& buffer) { return (buffer.bytes() + 63) / 64 * 64; }

  // Reserves space for a copy of `buffer`, made at the end of each frame.
  template <class T>
  const T* keep(const DeviceBuffer& buffer, GatherTable& table) {
    table.add(buffer.as<void>(), memory.device() + used, buffer.bytes());
    const T* host = reinterpret_cast<const T*>(memory.host() + used);
    used += space(buffer);
    return host;
  }
};

// The kernel with the fewest features that include `features`. BROKKR_CUDA_KERNEL=all in the environment selects the
// kernel `all`, or one with more.
const FrameKernel& kernel_with(uint32_t features) {
  const char* wanted = std::getenv("BROKKR_CUDA_KERNEL");
  if (wanted != nullptr && std::strcmp(wanted, "all") == 0)
    features |= kEveryFeature & ~uint32_t(kFeatureVertexPrograms);
  return *std::find_if(std::begin(kFrameKernels), std::end(kFrameKernels),
                       [&](const FrameKernel& kernel) { return (features & ~kernel.features) == 0; });
}

// Planes of the last launch in host memory.
struct HostCopy {
  std::vector<RegionState> state;
  std::vector<uint32_t> color, color_high, more_colors, visible, depth_id, overdraw, stamps;
  std::vector<float> depth, positions;
  std::vector<uint8_t> stencil;
};

class CudaMachine : public MachineBackend {
 public:
  CudaMachine() {
    check_cuda(cudaSetDevice(0), "device 0");
    check_cuda(cudaGetDeviceProperties(&properties_, 0), "device properties");
    if (properties_.cooperativeLaunch == 0)
      throw MachineError(
          "CUDA: this device or its driver has no cooperative launches, which run all blocks of a frame at once; use "
          "the CPU");
    shared_bytes_ = cuda_shared_bytes();
    prepare_kernels();
    int kilohertz = 0;
    if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0) == cudaSuccess && kilohertz > 0)
      slowness_ = std::max(1.0, kFastKilohertz / kilohertz);
    cudaGetLastError();
    abort_ = std::make_unique<DeviceAbort>();
    watch_ = std::make_unique<FrameWatch>();
    launcher_ = std::make_unique<CudaLauncher>(shared_bytes_, properties_.multiProcessorCount);
  }

  LaunchShape shape(const RenderOptions& options) const override {
    LaunchShape s;
    const int resident = blocks_per_sm_ * properties_.multiProcessorCount;
    s.blocks = options.workers > 0 ? std::min(options.workers, resident)
                                   : resident;  // all blocks must be resident because they wait for each other
    s.warps = kCudaWarpsPerBlock;
    s.width = 32;
    s.memory_limit = std::max<size_t>(size_t(512) << 20, properties_.totalGlobalMem / 16);
    return s;
  }

  std::string compiled_isa() const override { return "sm_" + std::to_string(architecture()); }
  std::unique_ptr<shader::CodeMaker> make_code_maker() const override {
    return std::make_unique<LinkedPrograms>(architecture());
  }
  void use_code(const shader::CodeMaker* made) override {
    uses_linked_ = false;
    if (made == nullptr) return;
    const auto& programs = static_cast<const LinkedPrograms&>(*made);  // safe: make_code_maker created it
    if (!linked_ || linked_->number() != programs.number()) {
      launcher_->forget_graph();
      linked_.reset();
      auto kernel = std::make_unique<LinkedKernel>(programs);
      if (blocks_that_fit(kernel->kernel()) < blocks_per_sm_)
        throw MachineError("CUDA: fewer blocks of the linked kernel fit a multiprocessor than of the others");
      prefer_shared_memory(kernel->kernel());
      linked_ = std::move(kernel);
    }
    uses_linked_ = true;
  }

  void start(const PreparedFrame::Impl& frame, const std::shared_ptr<const LaunchPlan>& plan,
             const RenderOptions& options) override {
    if (device_is_lost) throw MachineError("CUDA: an earlier frame still hangs on the device; restart the program");
    begin_ = Clock::now();
    transferred_ = transfers();
    ended_ = false;
    if (dirty_) reset_memory();
    const bool goes_on = frame.part.content != nullptr || frame.part.stays;
    const bool same = set_ && plan_ == plan && options_ == options && goes_on_ == goes_on;
    set_ = false;
    goes_on_ = goes_on;
    stays_ = frame.part.stays;
    dirty_ = true;
    plan_ = plan;
    options_ = options;
    const PlanTables& tables = frame_.update(frame, plan);
    if (!same || kernel_ != &chosen_kernel()) {
      const CudaFrame arguments = make_arguments(tables);
      launcher_->set(arguments);
      data_ = arguments.data;
      kernel_ = arguments.kernel;
    }
    set_ = true;
    copy_vertices(frame);
    if (frame.part.content != nullptr) upload_content(*frame.part.content);
    upload_ms_ = Milliseconds(Clock::now() - begin_).count();
    launcher_->start();
    begin_ = Clock::now();
    watch_->begin(data_);
  }

  // The host thread never blocks here, because the abort word must follow requests and the budget. A hung frame ends
  // with a std::runtime_error and a report on stderr.
  bool wait(double ms) override {
    const Clock::time_point begin = Clock::now();
    while (!launcher_->finished()) {
      const Clock::time_point now = Clock::now();
      if (options_.gpu_timeout_s > 0 && watch_->stands_still(patience_s())) give_up();
      if (ms >= 0 && now - begin >= Milliseconds(ms)) return false;
      // Polls without sleeping for a short frame; for a long frame, notices its end within a hundredth of its time.
      if (now - begin_ > Milliseconds(5)) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return true;
  }

  void request(AbortLevel word) override { abort_->request(word); }

  LaunchCounts finish(bool aborted, Statistics& s) override {
    dirty_ = aborted;
    ended_ = true;
    s.machine = kCudaName;
    s.isa = compiled_isa();
    s.kernel = kernel_->name;
    if (uses_linked_ && kernel_ != &linked_->kernel()) {
      s.shaders = "interpreted";
      s.shaders_problem = "the kernels for compiled programs draw neither targets of several samples nor stamps";
    }
    s.launch_ms = launcher_->kernel_ms();
    s.store_bytes = memory_->store_bytes();
    s.target_bytes = memory_->target_bytes();
    s.upload_ms = upload_ms_;
    LaunchCounts counts = counts_;
    if (memory_->trace.bytes() != 0) download_trace(counts);
    s.upload_bytes = transfers().up - transferred_.up;
    s.download_bytes = transfers().down - transferred_.down + host_.used;
    return counts;
  }

  HostPlanes planes(const PlaneNeeds& needs) override {
    const LaunchMemory<DeviceBuffer>& m = *memory_;
    HostCopy& h = copy_;
    h = {};
    h.state = download<RegionState>(m.region_state);
    if (needs.color) {
      h.color = download<uint32_t>(m.color);
      h.color_high = download<uint32_t>(m.color_high);
    }
    if (needs.more_colors) h.more_colors = download<uint32_t>(m.more_colors);
    if (needs.depth) h.depth = download<float>(m.depth);
    if (needs.stencil) h.stencil = download<uint8_t>(m.stencil);
    if (needs.ids) {
      h.visible = download<uint32_t>(m.visible_id);
      h.depth_id = download<uint32_t>(m.depth_id);
    }
    if (needs.overdraw) h.overdraw = download<uint32_t>(m.overdraw);
    if (needs.stamps) h.stamps = download<uint32_t>(m.stamps);
    if (needs.positions) h.positions = download<float>(m.vertex_positions);
    const auto plane = [](const auto& values) { return values.empty() ? nullptr : values.data(); };
    return {h.state.data(),    h.color.data(),   h.color_high.data(), h.more_colors.data(),
            h.depth.data(),    h.stencil.data(), plane(h.visible),    plane(h.depth_id),
            plane(h.overdraw), plane(h.stamps),  plane(h.positions)};
  }

  std::vector<TargetImage> read_back() override {
    std::vector<TargetImage> images = read_planes(*plan_->targets, planes(PlaneNeeds::all()));
    copy_ = {};
    return images;
  }

  TargetSquares& squares() override {
    const LaunchMemory<DeviceBuffer>& m = *memory_;
    squares_.use({m.color.as<uint32_t>(), m.color_high.as<uint32_t>(), m.more_colors.as<uint32_t>(),
                  m.depth.as<uint32_t>(), m.stencil.as<uint32_t>()},
                 *plan_->targets);
    return squares_;
  }

  bool resolve_to_surface(uint32_t target, uint32_t layer, unsigned long long surface) override {
    if (!ended_ || target >= plan_->targets->targets.size()) return false;
    const LaunchMemory<DeviceBuffer>& m = *memory_;
    brokkr::resolve_to_surface({m.region_state.as<RegionState>(), m.color.as<uint32_t>(), m.color_high.as<uint32_t>(),
                                plan_->targets->targets[target], layer, plan_->targets->region},
                               surface, nullptr);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;

  // --gpu-timeout is meant for GPUs. A slower device, such as the PTX interpreter, may run for the same number of
  // cycles.
  static constexpr double kFastKilohertz = 500e3;
  double patience_s() const { return options_.gpu_timeout_s * slowness_; }

  // Ends a frame that makes no progress, and throws.
  [[noreturn]] void give_up() {
    constexpr double kMaxMs = 3000;  // time for blocks to see the abort word and leave
    const FrameWords& words = watch_->words();
    const std::string text = progress_text(words);
    std::fprintf(stderr, "brokkr: a frame on the GPU makes no progress:\n%s", report_text(words).c_str());
    request(kAbortLeave);
    const Clock::time_point asked = Clock::now();
    while (!device_is_lost && !launcher_->finished()) {
      if (Clock::now() - asked > Milliseconds(kMaxMs)) device_is_lost = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.4g", patience_s());
    throw MachineError(std::string("CUDA: the frame made no progress for ") + seconds + " s (" + text + ") and " +
                       (device_is_lost ? "does not end; restart the program" : "was ended") +
                       "; a larger gpu_timeout_s waits longer");
  }

  int architecture() const { return properties_.major * 10 + properties_.minor; }
  const FrameKernel& chosen_kernel() const {
    const uint32_t features = features_of(*plan_, options_);
    const bool suffices = uses_linked_ && (features & ~linked_->kernel().features) == 0;
    return suffices ? linked_->kernel() : kernel_with(features);
  }

  // Gives every kernel the shared memory of its blocks, and finds how many blocks of each kernel fit on a
  // multiprocessor.
  void prepare_kernels() {
    blocks_per_sm_ = INT_MAX;
    for (const FrameKernel& kernel : kFrameKernels) blocks_per_sm_ = std::min(blocks_per_sm_, blocks_that_fit(kernel));
    if (blocks_per_sm_ < 1) throw MachineError("CUDA: a block of the pipeline does not fit this device; use the CPU");
    for (const FrameKernel& kernel : kFrameKernels) prefer_shared_memory(kernel);
  }
  static void set(const FrameKernel& kernel, cudaFuncAttribute attribute, size_t value) {
    check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel.entry), attribute, int(value)),
               "shared memory of a block");
  }
  int blocks_that_fit(const FrameKernel& kernel) const {
    int fit = 0;
    set(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes_);
    check_cuda(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel.entry, kCudaWarpsPerBlock * 32, shared_bytes_),
        "occupancy");
    return fit;
  }
  // Requests the division of on-chip memory that the occupancy query assumed. Blocks wait for each other, so all blocks
  // that the query promised must run together.
  void prefer_shared_memory(const FrameKernel& kernel) const {
    const size_t wanted = size_t(blocks_per_sm_) * (shared_bytes_ + properties_.reservedSharedMemPerBlock);
    const size_t sm_bytes = std::max<size_t>(properties_.sharedMemPerMultiprocessor, 1);
    set(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
        std::min<size_t>((wanted * 100 + sm_bytes - 1) / sm_bytes, 100));
  }

  // Removes what an unfinished launch left behind: elements, reservations, masks. Planes and memory are kept.
  void reset_memory() {
    abort_->clear();
    if (!memory_) return;
    upload_free_blocks();
    memory_->queue_memory.clear("rasterizer queues");
    memory_->distribution.clear("distribution buffers");
    memory_->direct.clear("key plane");
  }

  // Copies the parts of the traces that blocks have written.
  void download_trace(LaunchCounts& counts) {
    const size_t blocks = memory_->shape.blocks;
    size_t longest = 0;
    for (size_t b = 0; b < blocks; ++b) longest = std::max<size_t>(longest, counts.trace_count[b]);
    trace_.resize(blocks * longest);
    for (size_t b = 0; b < blocks; ++b) {
      download(memory_->trace.as<const TraceRecord>() + b * kTraceCapacity, counts.trace_count[b],
               trace_.data() + b * longest);
    }
    counts.trace = trace_.data();
    counts.trace_stride = longest;
  }

  // Copies the frame's positions and varyings for a launch that writes them, unless they were copied before.
  void copy_vertices(const PreparedFrame::Impl& frame) {
    LaunchMemory<DeviceBuffer>& m = *memory_;
    const std::pair versions(frame.version, frame.vertices_version);
    if (m.vertex_positions.bytes() == 0 || vertices_of_ == versions) return;
    const PlanTables host = host_tables(frame, *plan_);
    m.vertex_positions.upload(host.frame.positions.address, m.vertex_positions.bytes(), "vertices");
    m.vertex_varyings.upload(host.programs.varyings.address, m.vertex_varyings.bytes(), "varyings");
    vertices_of_ = versions;
  }

  void make_memory() {
    vertices_of_ = {};
    const std::unique_ptr<LaunchMemory<DeviceBuffer>> last = stays_ ? std::move(memory_) : nullptr;
    memory_.reset();
    memory_ = std::make_unique<LaunchMemory<DeviceBuffer>>(plan_->memory);
    if (last) memory_->take_planes(*last);
    upload_free_blocks();
  }

  // The kernel arguments for a launch of plan_ and options_, in memory of its shape.
  CudaFrame make_arguments(const PlanTables& tables) {
    if (!memory_ || !(memory_->shape == plan_->memory)) {
      make_memory();
    }
    const LaunchMemory<DeviceBuffer>& m = *memory_;
    CudaFrame frame;
    frame.blocks = plan_->shape.blocks;
    frame.kernel = &chosen_kernel();
    frame.data = m.data(*plan_, tables, options_, abort_->device());
    for (const DeviceBuffer* zero : m.zeroed(goes_on_)) frame.reset.add(zero->as<void>(), zero->bytes(), 0);
    for (const DeviceBuffer* ones : m.filled()) {
      if (!goes_on_) frame.reset.add(ones->as<void>(), ones->bytes(), kNoPrimitive);
    }
    frame.reset.regions = m.region_state.as<RegionState>();
    frame.reset.region_count = m.shape.regions;
    frame.reset.region = initial_region();
    if (goes_on_) frame.reset.region.bits = 0;  // content is kept: nothing is left to clear

    size_t bytes = 0;
    for (const DeviceBuffer* b : {&m.counters, &m.region_fragments, &m.stage_ns, &m.trace_count})
      bytes += HostCounts::space(*b);
    if (host_.memory.bytes() < bytes) host_.memory = PinnedBuffer(bytes);
    host_.used = 0;
    counts_.counters = host_.keep<uint64_t>(m.counters, frame.gather);
    counts_.region_fragments = host_.keep<uint64_t>(m.region_fragments, frame.gather);
    counts_.stage_ns = host_.keep<uint64_t>(m.stage_ns, frame.gather);
    counts_.trace_count = host_.keep<uint32_t>(m.trace_count, frame.gather);
    return frame;
  }

  // Uploads the content of the targets that a rank continues from.
  void upload_content(const std::vector<TargetImage>& content) {
    LaunchMemory<DeviceBuffer>& m = *memory_;
    const auto words = [](const DeviceBuffer& b) { return std::vector<uint32_t>(b.bytes() / sizeof(uint32_t)); };
    std::vector<RegionState> state(m.region_state.bytes() / sizeof(RegionState));
    std::vector<uint32_t> color = words(m.color), high = words(m.color_high), more = words(m.more_colors),
                          visible = words(m.visible_id), depth_id = words(m.depth_id);
    std::vector<float> depth(m.depth.bytes() / sizeof(float));
    std::vector<uint8_t> stencil(m.stencil.bytes());
    const auto plane = [](std::vector<uint32_t>& values) { return values.empty() ? nullptr : values.data(); };
    std::fill(visible.begin(), visible.end(), kNoPrimitive);
    std::fill(depth_id.begin(), depth_id.end(), kNoPrimitive);
    write_planes(*plan_->targets, content,
                 {state.data(), color.data(), plane(high), plane(more), depth.data(), stencil.data(), plane(visible),
                  plane(depth_id)});
    const auto upload = [](DeviceBuffer& buffer, const auto& values) {
      buffer.upload(values.data(), std::min(buffer.bytes(), values.size() * sizeof(values[0])), "targets of ranks");
    };
    upload(m.color, color);
    upload(m.color_high, high);
    upload(m.more_colors, more);
    upload(m.depth, depth);
    upload(m.stencil, stencil);
    upload(m.visible_id, visible);
    upload(m.depth_id, depth_id);
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
  double slowness_ = 1;  // relative to a GPU's clock; 1 for a GPU
  std::unique_ptr<DeviceAbort> abort_;
  std::unique_ptr<LaunchMemory<DeviceBuffer>> memory_;
  bool dirty_ = false;    // a launch did not finish
  bool ended_ = false;    // the last launch has ended, finished or aborted: the planes hold its result
  bool goes_on_ = false;  // the last launch started from given content of the targets (plan/part.h)
  bool stays_ = false;    // that content is what the previous launch left in memory
  bool set_ = false;      // the launcher has the arguments for plan_ and options_
  DeviceFrame frame_;
  std::unique_ptr<LinkedKernel> linked_;  // of the last launch, if it was linked
  bool uses_linked_ = false;
  HostCounts host_;
  HostCopy copy_;        // the planes that `planes` returned
  CudaSquares squares_;  // of the last launch
  // The last launch:
  std::shared_ptr<const LaunchPlan> plan_;
  RenderOptions options_;
  LaunchCounts counts_;
  std::pair<uint64_t, uint64_t> vertices_of_;  // the frame's versions that copy_vertices copied
  std::vector<TraceRecord> trace_;
  LaunchData data_{};
  const FrameKernel* kernel_ = nullptr;
  Transfers transferred_;  // totals before the last launch
  double upload_ms_ = 0;
  Clock::time_point begin_;
  std::unique_ptr<FrameWatch> watch_;
  std::unique_ptr<CudaLauncher> launcher_;  // destroyed first
};

}  // namespace

namespace {

// Explains why there is no device. (The runtime reports a missing driver as one that is too old.)
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
    throw MachineError("machine: no CUDA device (" + why_no_device(error) + "); use the CPU");
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
