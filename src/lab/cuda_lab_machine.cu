// Queue experiments on the first GPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "lab/lab_kernels.h"
#include "lab/lab_machine.h"

namespace brokkr::lab {
namespace {

constexpr int kWarpsPerBlock = 8;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(error));
}

class CudaLabMachine : public LabMachine {
 public:
  CudaLabMachine() {
    check(cudaGetDeviceProperties(&device_, 0), "device");
    check(cudaHostAlloc(reinterpret_cast<void**>(&abort_), sizeof(uint32_t), cudaHostAllocMapped), "abort word");
    check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&abort_on_device_), abort_, 0), "abort word");
    check(cudaEventCreate(&begin_), "event");
    check(cudaEventCreate(&end_), "event");
  }
  ~CudaLabMachine() override {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaFreeHost(abort_);
  }

  std::string name() const override { return "cuda"; }
  std::string detail() const override { return device_.name; }
  int width() const override { return 32; }
  int warps_per_block() const override { return kWarpsPerBlock; }
  int most_warps(QueueKind kind, Workload workload) const override {
    const CudaQueueKernels kernels = cuda_queue_kernels(kind);
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, workload == Workload::mix ? kernels.mix : kernels.rank,
                                                        32 * kWarpsPerBlock, 0),
          "occupancy");
    return blocks * device_.multiProcessorCount * kWarpsPerBlock;
  }

  std::shared_ptr<void> allocate(size_t bytes) override {
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<size_t>(bytes, 1)), "memory of a queue experiment");
    clear(memory, bytes);
    return {memory, [](void* p) { cudaFree(p); }};
  }
  void upload(void* to, const void* from, size_t bytes) override {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "upload");
  }
  void download(void* to, const void* from, size_t bytes) override {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "download");
  }
  void clear(void* memory, size_t bytes) override { check(cudaMemset(memory, 0, bytes), "clear"); }

  size_t queue_bytes(QueueKind kind, const QueueShape& shape) const override {
    return cuda_queue_kernels(kind).bytes(shape);
  }
  void prepare_queue(QueueKind kind, void* memory, const QueueShape& shape) override {
    // Aligned to 64 bytes, and zeroed.
    std::vector<QueueLine> image((queue_bytes(kind, shape) + sizeof(QueueLine) - 1) / sizeof(QueueLine));
    cuda_queue_kernels(kind).prepare(image.data(), shape);
    upload(memory, image.data(), queue_bytes(kind, shape));
  }
  uint32_t* abort_word() override { return abort_on_device_; }

  double run(QueueKind kind, const MixPlan& plan, double seconds) override {
    return launch(cuda_queue_kernels(kind).mix, plan, seconds);
  }
  double run(QueueKind kind, const RankPlan& plan, double seconds) override {
    return launch(cuda_queue_kernels(kind).rank, plan, seconds);
  }
  double run(const AtomicPlan& plan, double seconds) override { return launch(cuda_atomics_kernel(), plan, seconds); }
  ProgramStart program_start(const SchedulePlan& plan) const override {
    return cuda_schedule_kernel(plan.program).start(plan);
  }
  double run(const SchedulePlan& plan, double seconds) override {
    return launch(cuda_schedule_kernel(plan.program).run, plan, seconds);
  }

 private:
  struct alignas(64) QueueLine {
    std::byte bytes[64]{};
  };
  cudaDeviceProp device_{};
  uint32_t *abort_ = nullptr, *abort_on_device_ = nullptr;
  cudaEvent_t begin_{}, end_{};

  template <class Plan>
  double launch(const void* kernel, Plan plan, double seconds) {
    *static_cast<volatile uint32_t*>(abort_) = 0;
    void* arguments[] = {&plan};
    const unsigned blocks = (plan.crew.warps + kWarpsPerBlock - 1) / kWarpsPerBlock;
    check(cudaEventRecord(begin_), "event");
    check(cudaLaunchKernel(kernel, dim3(blocks), dim3(32 * kWarpsPerBlock), arguments, 0, nullptr), "launch");
    check(cudaEventRecord(end_), "event");
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    bool in_time = true;
    for (cudaError_t state = cudaEventQuery(end_); state != cudaSuccess; state = cudaEventQuery(end_)) {
      if (state != cudaErrorNotReady) check(state, "kernel");
      if (in_time && std::chrono::steady_clock::now() > deadline) {
        in_time = false;
        *static_cast<volatile uint32_t*>(abort_) = 1;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_), "event");
    return in_time ? double(ms) : -1.0;
  }
};

}  // namespace

std::unique_ptr<LabMachine> make_cuda_lab_machine() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return nullptr;
  return std::make_unique<CudaLabMachine>();
}

}  // namespace brokkr::lab
