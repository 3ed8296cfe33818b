// One frame on the device: reset memory, run the pipeline, copy counts to the host. The three kernels form a CUDA
// graph, which is created once and launched with one call; between frames only changed arguments are set.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "pipeline/cuda/kernel.h"
#include "pipeline/cuda/memory.h"

namespace brokkr {

// Memory that is set at the start of a frame. Sizes are in words of 4 bytes; addresses are multiples of 16.
struct ResetTable {
  static constexpr int kSpans = 16;
  struct Span {
    uint32_t* words;
    uint64_t count;
    uint32_t value;
  };
  Span span[kSpans];  // unused spans have a count of 0
  RegionState* regions;
  uint64_t region_count;
  RegionState region;

  // Throws std::logic_error if there are too many spans.
  void add(void* memory, size_t bytes, uint32_t value);
};

// Words that are copied to pinned host memory at the end of a frame.
struct GatherTable {
  static constexpr int kSpans = 8;
  struct Span {
    const uint32_t* from;
    uint32_t* to;
    uint64_t count;
  };
  Span span[kSpans];

  void add(const void* from, void* to, size_t bytes);
};

struct CudaFrame {
  ResetTable reset{};
  LaunchData data{};
  GatherTable gather{};
  const FrameKernel* kernel = nullptr;
  int blocks = 0;
};

// The words in device memory that tell the blocks of a running frame to end (ScheduleTables::abort, and the queues'
// abort word). Blocks read them often; if they were in host memory, every read would cross the bus and take about a
// microsecond. The host writes them with a copy on a separate stream, which a copy engine executes beside the kernel.
// They are 0 when a frame begins.
class DeviceAbort {
 public:
  DeviceAbort();
  ~DeviceAbort();
  DeviceAbort(const DeviceAbort&) = delete;
  DeviceAbort& operator=(const DeviceAbort&) = delete;

  AbortWords* device() const { return words_.as<AbortWords>(); }
  // Writes kAbortFinish or kAbortLeave and returns immediately.
  void request(AbortLevel word) { write(word); }
  // Writes kAbortNot and waits until the copy is complete.
  void clear();

 private:
  void write(AbortLevel word);

  DeviceBuffer words_;
  PinnedBuffer values_;  // one constant per AbortLevel, the sources of copies
  cudaStream_t stream_ = nullptr;
};

// Launches frames cooperatively, because blocks of a frame wait for each other. A device or driver that cannot run all
// of them at the same time refuses the launch.
class CudaLauncher {
 public:
  // Blocks use `shared_bytes` of dynamic shared memory; helper kernels fill `multiprocessors`. If no graph can be
  // created, or the environment has BROKKR_CUDA_GRAPH=0, kernels are launched one after another.
  CudaLauncher(size_t shared_bytes, int multiprocessors);
  ~CudaLauncher();
  CudaLauncher(const CudaLauncher&) = delete;
  CudaLauncher& operator=(const CudaLauncher&) = delete;

  // Sets the arguments of the kernels for the next `start`. Must not be called while a frame runs. Throws
  // std::runtime_error.
  void set(const CudaFrame& frame);
  // Call before the kernel of the last frame is unloaded, and not while a frame runs.
  void forget_graph() { drop_graph(); }
  // Submits the frame to the device and returns immediately. Throws std::runtime_error; the message says so if not all
  // blocks can run at the same time.
  void start();
  // Returns true if the frame is complete. Throws std::runtime_error if it failed.
  bool finished();
  // The time in milliseconds that the pipeline's kernel alone took in a finished frame.
  double kernel_ms();

 private:
  struct Launch;
  void make_graph();
  void start_graph();
  void start_kernels();
  void check_launch(cudaError_t error, const char* what) const;
  void drop_graph();
  void give_up_graph(const std::string& reason);

  size_t shared_bytes_;
  unsigned helper_blocks_;
  bool use_graph_;
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  cudaGraphNode_t reset_ = nullptr, pipeline_ = nullptr, gather_ = nullptr;
  const FrameKernel* graph_kernel_ = nullptr;
  CudaFrame frame_;
  bool changed_ = true;  // arguments differ from those of the executable graph
  // Two events around the pipeline's kernel, and two around the whole frame.
  cudaEvent_t kernel_begin_ = nullptr, kernel_end_ = nullptr, frame_begin_ = nullptr, frame_end_ = nullptr;
};

}  // namespace brokkr
