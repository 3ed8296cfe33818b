// Memory that a kernel and the host share, for tests.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace brokkr::cuda_test {

inline void require(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

// Allocates zeroed memory.
inline std::shared_ptr<void> allocate(size_t bytes) {
  void* p = nullptr;
  require(cudaMallocManaged(&p, bytes), "cudaMallocManaged");
  require(cudaMemset(p, 0, bytes), "cudaMemset");
  require(cudaDeviceSynchronize(), "cudaMemset");
  return {p, [](void* q) { cudaFree(q); }};
}
template <class T>
std::shared_ptr<T> make() {
  return std::static_pointer_cast<T>(allocate(sizeof(T)));
}

// Waits for the last launched kernel. After `seconds`, far more than any kernel takes, it sets *abort and returns
// false.
inline bool wait(uint32_t* abort = nullptr, int seconds = 300) {
  require(cudaGetLastError(), "launch");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (abort != nullptr && cudaStreamQuery(nullptr) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() > deadline) {
      *static_cast<volatile uint32_t*>(abort) = 1;
      require(cudaDeviceSynchronize(), "aborted kernel");
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  require(cudaDeviceSynchronize(), "kernel");
  return true;
}

}  // namespace brokkr::cuda_test
