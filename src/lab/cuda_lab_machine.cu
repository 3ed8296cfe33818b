// Experiments with queues and scheduling on the first GPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lab/lab_machine.h"
#include "pipeline/cuda/memory.h"

namespace brokkr::lab {
namespace {

constexpr uint32_t kWarpsPerBlock = 8;

class CudaLabMachine : public LabMachine {
 public:
  explicit CudaLabMachine(const cudaDeviceProp& device)
      : LabMachine("cuda", device.name, cuda_lab_kernels(), kWarpsPerBlock),
        multiprocessors_(uint32_t(device.multiProcessorCount)) {
    check_cuda(cudaHostAlloc(reinterpret_cast<void**>(&abort_), sizeof(uint32_t), cudaHostAllocMapped), "abort word");
    check_cuda(cudaHostGetDevicePointer(reinterpret_cast<void**>(&abort_on_device_), abort_, 0), "abort word");
    check_cuda(cudaEventCreate(&begin_), "event");
    check_cuda(cudaEventCreate(&end_), "event");
  }
  ~CudaLabMachine() override {
    if (device_is_lost) return;
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaFreeHost(abort_);
  }

  uint32_t most_warps(const void* on_gpu) const override {
    int blocks = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, on_gpu, 32 * kWarpsPerBlock, 0), "occupancy");
    return uint32_t(blocks) * multiprocessors_ * kWarpsPerBlock;
  }

  std::shared_ptr<void> allocate(size_t bytes) override {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, std::max<size_t>(bytes, 1)), "memory of a queue experiment");
    clear(memory, bytes);
    return {memory, [](void* p) {
              if (!device_is_lost) cudaFree(p);
            }};
  }
  void upload(void* to, const void* from, size_t bytes) override {
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "upload");
  }
  void download(void* to, const void* from, size_t bytes) override {
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "download");
  }
  void clear(void* memory, size_t bytes) override { check_cuda(cudaMemset(memory, 0, bytes), "clear"); }

  void prepare_queue(QueueKind kind, void* memory, const QueueShape& shape) override {
    // Aligned to 64 bytes, and zeroed.
    const size_t bytes = queue(kind).bytes(shape);
    std::vector<QueueLine> image((bytes + sizeof(QueueLine) - 1) / sizeof(QueueLine));
    queue(kind).prepare(image.data(), shape);
    upload(memory, image.data(), bytes);
  }
  uint32_t* abort_word() override { return abort_on_device_; }

 private:
  struct alignas(64) QueueLine {
    std::byte bytes[64]{};
  };
  uint32_t multiprocessors_;
  uint32_t *abort_ = nullptr, *abort_on_device_ = nullptr;
  cudaEvent_t begin_{}, end_{};

  double launch(uint32_t warps, double seconds, const std::function<void(int)>&, const void* on_gpu,
                const void* plan) override {
    *static_cast<volatile uint32_t*>(abort_) = 0;
    void* arguments[] = {const_cast<void*>(plan)};
    const unsigned blocks = (warps + kWarpsPerBlock - 1) / kWarpsPerBlock;
    check_cuda(cudaEventRecord(begin_), "event");
    // Warps wait for each other: cooperative, so that a device that cannot run all of them at once refuses.
    check_cuda(cudaLaunchCooperativeKernel(on_gpu, dim3(blocks), dim3(32 * kWarpsPerBlock), arguments, 0, nullptr),
               "launch");
    check_cuda(cudaEventRecord(end_), "event");
    constexpr std::chrono::seconds kToLeave(60);  // for warps to see the abort word
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    bool in_time = true;
    for (cudaError_t state = cudaEventQuery(end_); state != cudaSuccess; state = cudaEventQuery(end_)) {
      if (state != cudaErrorNotReady) check_cuda(state, "kernel");
      if (in_time && std::chrono::steady_clock::now() > deadline) {
        in_time = false;
        *static_cast<volatile uint32_t*>(abort_) = 1;
      }
      if (std::chrono::steady_clock::now() > deadline + kToLeave) {
        device_is_lost = true;
        throw std::runtime_error("CUDA: an experiment hangs and does not end; start the program anew");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin_, end_), "event");
    return in_time ? double(ms) : -1.0;
  }
};

}  // namespace

std::unique_ptr<LabMachine> make_cuda_lab_machine() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return nullptr;
  cudaDeviceProp device{};
  check_cuda(cudaGetDeviceProperties(&device, 0), "device");
  return std::make_unique<CudaLabMachine>(device);
}

}  // namespace brokkr::lab
