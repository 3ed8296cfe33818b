// The stages of differentiable rendering on a CUDA device.
#include <vector>

#include "brokkr/errors.h"
#include "diff/device.h"
#include "diff/stages.h"
#include "pipeline/cuda/machine.h"
#include "pipeline/cuda/memory.h"

namespace brokkr {
namespace {

constexpr uint32_t kWarpsPerBlock = 4;

template <class Stage>
__global__ void __launch_bounds__(32 * kWarpsPerBlock) run_stage(const typename Stage::Data data, uint32_t parts) {
  const uint32_t part = blockIdx.x * kWarpsPerBlock + threadIdx.x / 32;
  if (part < parts) Stage::run(data, {part, parts});
}

template <class Stage>
void launch(const void* data, uint32_t parts) {
  run_stage<Stage><<<(parts + kWarpsPerBlock - 1) / kWarpsPerBlock, 32 * kWarpsPerBlock>>>(
      *static_cast<const typename Stage::Data*>(data), parts);
}

class CudaDiffDevice : public DiffDevice {
 public:
  CudaDiffDevice() {
    if (!cuda_is_available()) throw MachineError("machine: there is no CUDA device; use the machine cpu");
    check_cuda(cudaSetDevice(0), "device 0");
    int processors = 0;
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "device properties");
    warps_ = uint32_t(processors) * kWarpsPerProcessor;
  }

  uint32_t warps() const override { return warps_; }

  void* upload(const void* host, size_t bytes) override {
    DeviceBuffer& buffer = next();
    buffer.upload(host, bytes, "arrays of gradients");
    return buffer.as<void>();
  }
  void* zeroed(size_t bytes) override {
    DeviceBuffer& buffer = next();
    if (buffer.bytes() < bytes) {
      buffer = DeviceBuffer();  // frees the old memory before the new one is allocated
      buffer = DeviceBuffer(bytes, "arrays of gradients");
    } else {
      buffer.clear("arrays of gradients");
    }
    return buffer.as<void>();
  }
  void download(void* host, const void* device, size_t bytes) override {
    brokkr::download(static_cast<const std::byte*>(device), bytes, static_cast<std::byte*>(host));
  }
  void run(DiffStage stage, const void* data, uint32_t parts) override {
    switch (stage) {
#define X(name, type) \
  case DiffStage::name: launch<Stage_##name>(data, parts); break;
      BROKKR_DIFF_STAGES(X)
#undef X
    }
    check_cuda(cudaGetLastError(), "gradients");
  }
  void end_call() override { used_ = 0; }

 private:
  static constexpr uint32_t kWarpsPerProcessor = 32;

  DeviceBuffer& next() {
    if (used_ == buffers_.size()) buffers_.emplace_back();
    return buffers_[used_++];
  }

  uint32_t warps_ = 0;
  std::vector<DeviceBuffer> buffers_;
  size_t used_ = 0;
};

}  // namespace

std::unique_ptr<DiffDevice> make_diff_device() { return std::make_unique<CudaDiffDevice>(); }

}  // namespace brokkr
