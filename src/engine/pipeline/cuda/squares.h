// TargetSquares in GPU memory.
#pragma once

#include <cuda_runtime.h>

#include "pipeline/cuda/memory.h"
#include "plan/target_squares.h"

namespace brokkr {

class CudaSquares final : public LaunchSquares {
 public:
  CudaSquares();
  ~CudaSquares() override;
  CudaSquares(const CudaSquares&) = delete;
  CudaSquares& operator=(const CudaSquares&) = delete;

  void pack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, void* to) override;
  void unpack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, const void* from) override;
  void* memory(size_t bytes) override;
  void to_host(const void* memory, void* host, size_t bytes) override;
  void from_host(void* memory, const void* host, size_t bytes) override;
  void* stream() override { return stream_; }
  bool finished() override;

 private:
  void copy(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, uint32_t* packed, bool packs);

  DeviceBuffer tiles_, memory_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace brokkr
