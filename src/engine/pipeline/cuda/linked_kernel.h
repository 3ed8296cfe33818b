// A kernel with a frame's programs linked in, loaded on the device.
#pragma once

#include <cuda_runtime.h>

#include "pipeline/cuda/kernel.h"
#include "pipeline/cuda/linked_programs.h"
#include "pipeline/cuda/memory.h"

namespace brokkr {

class LinkedKernel {
 public:
  // Loads the linked image of `programs`, which must be ready. Throws std::runtime_error.
  explicit LinkedKernel(const LinkedPrograms& programs) : number_(programs.number()) {
    check_cuda(cudaLibraryLoadData(&library_, programs.image().data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
               "linked programs");
    const bool has_vertices = programs.has_vertices();
    cudaKernel_t entry = nullptr;
    const cudaError_t error =
        cudaLibraryGetKernel(&entry, library_, has_vertices ? "run_frame_linked_vertices" : "run_frame_linked");
    if (error != cudaSuccess) cudaLibraryUnload(library_);
    check_cuda(error, "linked programs");
    kernel_ = {has_vertices ? "linked-vertices" : "linked",
               has_vertices ? kLinkedFeatures | kFeatureVertexPrograms : kLinkedFeatures,
               reinterpret_cast<void (*)(LaunchData)>(entry)};
  }
  ~LinkedKernel() {
    if (!device_is_lost) cudaLibraryUnload(library_);
  }
  LinkedKernel(const LinkedKernel&) = delete;
  LinkedKernel& operator=(const LinkedKernel&) = delete;

  const FrameKernel& kernel() const { return kernel_; }
  uint64_t number() const { return number_; }  // LinkedPrograms::number

 private:
  uint64_t number_;
  cudaLibrary_t library_ = nullptr;
  FrameKernel kernel_{};
};

}  // namespace brokkr
