// One frame on the device: memory reset, pipeline, counts copied to the host. The three kernels are a CUDA graph that
// is made once and launched with one call; between frames only arguments that differ are set.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "pipeline/cuda/kernel.h"
#include "pipeline/cuda/memory.h"

namespace brokkr {

// Memory that is set when a frame begins. Sizes in words of 4 bytes; addresses are multiples of 16.
struct ResetTable {
  static constexpr int kSpans = 16;
  struct Span {
    uint32_t* words;
    uint64_t count;
    uint32_t value;
  };
  Span span[kSpans];  // spans that are not used have a count of 0
  RegionState* regions;
  uint64_t region_count;
  RegionState region;

  // Throws std::logic_error where there are too many.
  void add(void* memory, size_t bytes, uint32_t value);
};

// Words that are copied to pinned host memory when a frame ends.
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

// The words in device memory that tell blocks of a running frame to end (ScheduleTables::abort, and that of queues).
// Blocks read them often: in host memory every read would cross the bus and take about a microsecond. The host writes
// them with a copy on a stream of its own, which a copy engine carries out beside the kernel. They are 0 when a frame
// begins.
class DeviceAbort {
 public:
  DeviceAbort();
  ~DeviceAbort();
  DeviceAbort(const DeviceAbort&) = delete;
  DeviceAbort& operator=(const DeviceAbort&) = delete;

  AbortWords* device() const { return words_.as<AbortWords>(); }
  // Writes kAbortFinish or kAbortLeave and returns at once.
  void request(AbortLevel word) { write(word); }
  // Writes kAbortNot and waits until it is there.
  void clear();

 private:
  void write(AbortLevel word);

  DeviceBuffer words_;
  PinnedBuffer values_;  // for every AbortLevel: sources of copies, never changed
  cudaStream_t stream_ = nullptr;
};

// Blocks of a frame wait for each other, so that its launch is cooperative: a device or driver that cannot run all of
// them at once refuses it.
class CudaLauncher {
 public:
  // Blocks of `shared_bytes` dynamic shared memory; helper kernels fill `multiprocessors`. Where a graph cannot be
  // made, or BROKKR_CUDA_GRAPH=0 is in the environment, kernels are launched one after the other.
  CudaLauncher(size_t shared_bytes, int multiprocessors);
  ~CudaLauncher();
  CudaLauncher(const CudaLauncher&) = delete;
  CudaLauncher& operator=(const CudaLauncher&) = delete;

  // The arguments of the kernels that `start` launches from now on. Not while a frame runs. Throws std::runtime_error.
  void set(const CudaFrame& frame);
  // The kernel of the last frame is about to go. Not while a frame runs.
  void forget_graph() { drop_graph(); }
  // Gives the frame to the device and returns at once. Throws std::runtime_error, one that says so where its blocks
  // cannot all run at once.
  void start();
  // Whether all of it is done. Throws std::runtime_error where the frame failed.
  bool finished();
  // The time of the pipeline's kernel alone, in a finished frame.
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
  bool changed_ = true;  // the executable graph has other arguments
  // Around the pipeline's kernel, and around the whole frame.
  cudaEvent_t kernel_begin_ = nullptr, kernel_end_ = nullptr, frame_begin_ = nullptr, frame_end_ = nullptr;
};

}  // namespace brokkr
