// Runs task programs on the first GPU.
#include "pipeline/task_machine.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "pipeline/cuda/machine.h"
#include "pipeline/cuda/memory.h"

namespace brokkr {
namespace {

constexpr uint32_t kWarpsPerBlock = 8;

class CudaTaskMachine : public TaskMachine {
 public:
  explicit CudaTaskMachine(const cudaDeviceProp& device)
      : TaskMachine(kCudaName, device.name, kCudaName, kWarpsPerBlock),
        multiprocessors_(uint32_t(device.multiProcessorCount)),
        words_(2 * sizeof(uint32_t)) {
    check_cuda(cudaEventCreate(&begin_), "event");
    check_cuda(cudaEventCreate(&end_), "event");
  }
  ~CudaTaskMachine() override {
    if (device_is_lost) return;
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  uint32_t max_warps(const void* on_gpu) const override {
    int blocks = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, on_gpu, 32 * kWarpsPerBlock, 0), "occupancy");
    return uint32_t(blocks) * multiprocessors_ * kWarpsPerBlock;
  }
  uint32_t usual_warps(const void* on_gpu) const override { return max_warps(on_gpu); }

  void upload(void* to, const void* from, size_t bytes) override {
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "upload");
  }
  void download(void* to, const void* from, size_t bytes) override {
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "download");
  }
  void clear(void* memory, size_t bytes) override { check_cuda(cudaMemset(memory, 0, bytes), "clear"); }

  uint32_t* abort_word() override { return reinterpret_cast<uint32_t*>(words_.device()); }
  uint32_t* pause_word() override { return abort_word() + 1; }
  void request_pause() override { host_word(1) = 1; }

 private:
  uint32_t multiprocessors_;
  PinnedBuffer words_;  // abort word, pause word
  cudaEvent_t begin_{}, end_{};

  volatile uint32_t& host_word(int i) const { return reinterpret_cast<volatile uint32_t*>(words_.host())[i]; }

  std::shared_ptr<void> make_memory(size_t bytes) override {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, std::max<size_t>(bytes, 1)), "memory of a program of tasks");
    clear(memory, bytes);
    return {memory, [](void* p) {
              if (!device_is_lost) cudaFree(p);
            }};
  }
  TaskRun launch(uint32_t warps, const TaskLimits& limits, const std::function<void(int)>&, const void* on_gpu,
                 const void* plan) override {
    host_word(0) = 0;
    host_word(1) = 0;
    void* arguments[] = {const_cast<void*>(plan)};
    const unsigned blocks = (warps + kWarpsPerBlock - 1) / kWarpsPerBlock;
    check_cuda(cudaEventRecord(begin_), "event");
    // Warps wait for each other. A cooperative launch makes a device refuse if it cannot run all of them at the same
    // time.
    check_cuda(cudaLaunchCooperativeKernel(on_gpu, dim3(blocks), dim3(32 * kWarpsPerBlock), arguments, 0, nullptr),
               "launch");
    check_cuda(cudaEventRecord(end_), "event");
    using Clock = std::chrono::steady_clock;
    constexpr double kToLeave = 60000;  // ms for warps to see the abort word
    const auto start = Clock::now();
    bool in_time = true;
    for (cudaError_t state = cudaEventQuery(end_); state != cudaSuccess; state = cudaEventQuery(end_)) {
      if (state != cudaErrorNotReady) check_cuda(state, "kernel");
      const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      if (limits.pause_ms >= 0 && ms > limits.pause_ms) host_word(1) = 1;
      if (in_time && ms > limits.abort_ms) {
        in_time = false;
        host_word(1) = 1;
        host_word(0) = 1;
      }
      if (ms > limits.abort_ms + kToLeave) {
        device_is_lost = true;
        throw std::runtime_error("CUDA: a task program hangs and does not end; restart Brokkr");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "event");
    return {!in_time ? TaskEnd::aborted : host_word(1) != 0 ? TaskEnd::paused : TaskEnd::done, double(ms)};
  }
};

}  // namespace

std::unique_ptr<TaskMachine> make_cuda_task_machine() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    cudaGetLastError();
    return nullptr;
  }
  cudaDeviceProp device{};
  check_cuda(cudaGetDeviceProperties(&device, 0), "device");
  return std::make_unique<CudaTaskMachine>(device);
}

}  // namespace brokkr
