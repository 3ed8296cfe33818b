#include "pipeline/cuda/launch.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace brokkr {
namespace {

// The device, or its driver, cannot run all blocks of a frame at the same time.
struct NotTogether : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr int kHelperThreads = 256;
// The last kernel may have to reset planes; copying counts needs few blocks.
constexpr unsigned gather_blocks(unsigned helper_blocks) { return (helper_blocks + 15) / 16; }

__device__ uint64_t first_of_thread() { return uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ uint64_t all_threads() { return uint64_t(gridDim.x) * blockDim.x; }

__global__ void __launch_bounds__(kHelperThreads) reset_frame(const __grid_constant__ ResetTable table) {
  const uint64_t first = first_of_thread(), step = all_threads();
  for (const ResetTable::Span& span : table.span) {
    const uint4 value = make_uint4(span.value, span.value, span.value, span.value);
    uint4* wide = reinterpret_cast<uint4*>(span.words);
    for (uint64_t i = first; i < span.count / 4; i += step) wide[i] = value;
    const uint64_t rest = span.count / 4 * 4 + first;
    if (rest < span.count) span.words[rest] = span.value;  // at most three words remain, for the first threads
  }
  for (uint64_t i = first; i < table.region_count; i += step) table.regions[i] = table.region;
}

__global__ void __launch_bounds__(kHelperThreads) gather_counts(const __grid_constant__ GatherTable table) {
  const uint64_t first = first_of_thread(), step = all_threads();
  for (const GatherTable::Span& span : table.span) {
    for (uint64_t i = first; i < span.count; i += step) span.to[i] = span.from[i];
  }
}

template <class Span, size_t n>
Span& unused(Span (&spans)[n]) {
  for (Span& span : spans) {
    if (span.count == 0) return span;
  }
  throw std::logic_error("CUDA: more than the " + std::to_string(n) + " pieces of memory that a table holds");
}

}  // namespace

void ResetTable::add(void* memory, size_t bytes, uint32_t value) {
  if (bytes != 0) unused(span) = {static_cast<uint32_t*>(memory), bytes / 4, value};
}

void GatherTable::add(const void* from, void* to, size_t bytes) {
  if (bytes != 0) unused(span) = {static_cast<const uint32_t*>(from), static_cast<uint32_t*>(to), bytes / 4};
}

DeviceAbort::DeviceAbort() : words_(sizeof(AbortWords), "abort word"), values_(3 * sizeof(AbortWords)) {
  for (const AbortLevel level : {kAbortNot, kAbortFinish, kAbortLeave}) {
    const AbortWords words{level, level >= kAbortLeave};
    std::memcpy(values_.host() + level * sizeof words, &words, sizeof words);
  }
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  clear();  // the first copy on a stream initializes it, so make one before any frame runs
}

DeviceAbort::~DeviceAbort() {
  if (stream_ != nullptr && !device_is_lost) cudaStreamDestroy(stream_);
}

void DeviceAbort::write(AbortLevel word) {
  check_cuda(cudaMemcpyAsync(device(), values_.host() + word * sizeof(AbortWords), sizeof(AbortWords),
                             cudaMemcpyHostToDevice, stream_),
             "abort word");
}

void DeviceAbort::clear() {
  write(kAbortNot);
  check_cuda(cudaStreamSynchronize(stream_), "abort word");
}

// The three kernels of a frame as parameters of graph nodes.
struct CudaLauncher::Launch {
  void* reset_arguments[1];
  void* pipeline_arguments[1];
  void* gather_arguments[1];
  cudaKernelNodeParams reset{}, pipeline{}, gather{};

  Launch(const CudaFrame& frame, unsigned helper_blocks, size_t shared_bytes)
      : reset_arguments{const_cast<ResetTable*>(&frame.reset)},
        pipeline_arguments{const_cast<LaunchData*>(&frame.data)},
        gather_arguments{const_cast<GatherTable*>(&frame.gather)} {
    reset.func = reinterpret_cast<void*>(reset_frame);
    reset.gridDim = dim3(helper_blocks);
    reset.blockDim = dim3(kHelperThreads);
    reset.kernelParams = reset_arguments;
    gather = reset;
    gather.gridDim = dim3(gather_blocks(helper_blocks));
    gather.func = reinterpret_cast<void*>(gather_counts);
    gather.kernelParams = gather_arguments;
    pipeline.func = reinterpret_cast<void*>(frame.kernel->entry);
    pipeline.gridDim = dim3(unsigned(frame.blocks));
    pipeline.blockDim = dim3(kCudaWarpsPerBlock * 32);
    pipeline.sharedMemBytes = unsigned(shared_bytes);
    pipeline.kernelParams = pipeline_arguments;
  }
};

CudaLauncher::CudaLauncher(size_t shared_bytes, int multiprocessors)
    : shared_bytes_(shared_bytes), helper_blocks_(unsigned(multiprocessors) * 4) {
  const char* wanted = std::getenv("BROKKR_CUDA_GRAPH");
  use_graph_ = wanted == nullptr || std::strcmp(wanted, "0") != 0;
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  for (cudaEvent_t* event : {&kernel_begin_, &kernel_end_, &frame_begin_, &frame_end_})
    check_cuda(cudaEventCreate(event), "event");
}

CudaLauncher::~CudaLauncher() {
  if (device_is_lost) return;
  drop_graph();
  for (cudaEvent_t event : {kernel_begin_, kernel_end_, frame_begin_, frame_end_}) cudaEventDestroy(event);
  cudaStreamDestroy(stream_);
}

void CudaLauncher::drop_graph() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
  if (graph_ != nullptr) cudaGraphDestroy(graph_);
  executable_ = nullptr;
  graph_ = nullptr;
}

void CudaLauncher::give_up_graph(const std::string& reason) {
  cudaGetLastError();
  drop_graph();
  use_graph_ = false;
  std::fprintf(stderr, "brokkr: %s; kernels are launched one by one\n", reason.c_str());
}

void CudaLauncher::check_launch(cudaError_t error, const char* what) const {
  if (error == cudaErrorCooperativeLaunchTooLarge) {
    cudaGetLastError();
    throw NotTogether("CUDA: the device cannot run all " + std::to_string(frame_.blocks) +
                      " blocks of a frame at once (another program may hold a part of it); use fewer workers");
  }
  check_cuda(error, what);
}

void CudaLauncher::make_graph() {
  const Launch launch(frame_, helper_blocks_, shared_bytes_);
  cudaGraphNode_t begin, end;
  check_cuda(cudaGraphCreate(&graph_, 0), "graph");
  check_cuda(cudaGraphAddKernelNode(&reset_, graph_, nullptr, 0, &launch.reset), "graph: reset");
  check_cuda(cudaGraphAddEventRecordNode(&begin, graph_, &reset_, 1, kernel_begin_), "graph: event");
  check_launch(cudaGraphAddKernelNode(&pipeline_, graph_, &begin, 1, &launch.pipeline), "graph: pipeline");
  cudaLaunchAttributeValue together{};
  together.cooperative = 1;
  check_launch(cudaGraphKernelNodeSetAttribute(pipeline_, cudaLaunchAttributeCooperative, &together),
               "graph: cooperative launch");
  check_cuda(cudaGraphAddEventRecordNode(&end, graph_, &pipeline_, 1, kernel_end_), "graph: event");
  check_cuda(cudaGraphAddKernelNode(&gather_, graph_, &end, 1, &launch.gather), "graph: counts");
  check_launch(cudaGraphInstantiateWithFlags(&executable_, graph_, 0), "graph");
  graph_kernel_ = frame_.kernel;
}

void CudaLauncher::start_graph() {
  if (graph_kernel_ != frame_.kernel) drop_graph();
  if (executable_ == nullptr) {
    make_graph();
  } else if (changed_) {
    const Launch launch(frame_, helper_blocks_, shared_bytes_);
    const auto set = [&](cudaGraphNode_t node, const cudaKernelNodeParams& params) {
      check_launch(cudaGraphExecKernelNodeSetParams(executable_, node, &params), "graph: arguments");
    };
    set(reset_, launch.reset);
    set(pipeline_, launch.pipeline);
    set(gather_, launch.gather);
  }
  changed_ = false;
  check_launch(cudaGraphLaunch(executable_, stream_), "graph launch");
}

void CudaLauncher::start_kernels() {
  const Launch launch(frame_, helper_blocks_, shared_bytes_);
  const cudaKernelNodeParams& pipeline = launch.pipeline;
  reset_frame<<<helper_blocks_, kHelperThreads, 0, stream_>>>(frame_.reset);
  check_cuda(cudaEventRecord(kernel_begin_, stream_), "event");
  check_launch(cudaLaunchCooperativeKernel(pipeline.func, pipeline.gridDim, pipeline.blockDim, pipeline.kernelParams,
                                           pipeline.sharedMemBytes, stream_),
               "launch");
  check_cuda(cudaEventRecord(kernel_end_, stream_), "event");
  gather_counts<<<gather_blocks(helper_blocks_), kHelperThreads, 0, stream_>>>(frame_.gather);
  check_cuda(cudaGetLastError(), "launch");
}

void CudaLauncher::set(const CudaFrame& frame) {
  frame_ = frame;
  changed_ = true;
}

void CudaLauncher::start() {
  check_cuda(cudaEventRecord(frame_begin_, stream_), "event");
  if (use_graph_) {
    try {
      start_graph();
    } catch (const NotTogether&) {
      drop_graph();  // a launch without a graph would fail as well
      throw;
    } catch (const std::runtime_error& error) {
      // No part of the frame has started. If the device itself failed, the next call reports that.
      give_up_graph(error.what());
    }
  }
  if (!use_graph_) start_kernels();
  // Events inside a graph report its previous launch until the current one reaches them. We therefore poll this event,
  // which is outside the graph.
  check_cuda(cudaEventRecord(frame_end_, stream_), "event");
}

bool CudaLauncher::finished() {
  const cudaError_t state = cudaEventQuery(frame_end_);
  if (state == cudaErrorNotReady) return false;
  check_cuda(state, "frame");
  return true;
}

double CudaLauncher::kernel_ms() {
  float ms = 0;
  if (cudaEventElapsedTime(&ms, kernel_begin_, kernel_end_) == cudaSuccess) return ms;
  cudaGetLastError();
  check_cuda(cudaEventElapsedTime(&ms, frame_begin_, frame_end_), "event");
  return ms;
}

}  // namespace brokkr
