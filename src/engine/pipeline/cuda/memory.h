// Memory of the CUDA machine: on the device, and pinned on the host. Every error is a std::runtime_error that names the
// failed operation.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "machine/table_pointer.h"

namespace brokkr {

inline void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next call does not report it
  throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(error));
}

// A kernel did not end when asked. Calls that wait for the device would then never return, so its memory, streams and
// events are not released before the process ends.
inline std::atomic<bool> device_is_lost = false;

// Bytes copied between host and device by this thread, without abort words and the words of FrameWatch.
struct Transfers {
  uint64_t up = 0, down = 0;
};
inline Transfers& transfers() {
  static thread_local Transfers all;
  return all;
}

// Waits for transfers. Frames run on a stream that does not synchronize with others, and a transfer from pageable
// memory or a memset may still run when its call returns: nothing may read the memory before this function has
// returned.
inline void finish_transfers(const char* what) { check_cuda(cudaStreamSynchronize(cudaStreamLegacy), what); }

// Zeroed device memory.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(size_t bytes, const char* what) : DeviceBuffer() {
    if (bytes == 0) return;
    bytes_ = bytes;
    if (cudaMalloc(&data_, bytes) != cudaSuccess) {
      cudaGetLastError();
      throw std::runtime_error(std::string("CUDA: ") + what + ": no device memory for " + std::to_string(bytes >> 20) +
                               " MiB; use fewer rasterizers, a smaller store or smaller targets");
    }
    clear(what);
  }
  ~DeviceBuffer() {
    if (!device_is_lost) cudaFree(data_);
  }
  DeviceBuffer(DeviceBuffer&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)), bytes_(std::exchange(o.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& o) noexcept {
    DeviceBuffer gone(std::move(*this));
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  size_t bytes() const { return bytes_; }

  // Copies host memory to the buffer, which grows if necessary.
  void upload(const void* host, size_t bytes, const char* what) {
    if (bytes == 0) return;
    if (bytes_ < bytes) {
      *this = DeviceBuffer();  // frees the old memory before the new one is allocated
      *this = DeviceBuffer(bytes, what);
    }
    check_cuda(cudaMemcpy(data_, host, bytes, cudaMemcpyHostToDevice), what);
    finish_transfers(what);
    transfers().up += bytes;
  }
  void clear(const char* what) {
    if (bytes_ == 0) return;
    check_cuda(cudaMemset(data_, 0, bytes_), what);
    finish_transfers(what);
  }
  template <class T>
  const T* hold(TablePointer<const T> host, size_t count) {
    if (host.address == nullptr || count == 0) return nullptr;
    upload(host.address, count * sizeof(T), "upload");
    return as<T>();
  }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// Pinned host memory that kernels write to.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(size_t bytes) : PinnedBuffer() {
    check_cuda(cudaHostAlloc(&host_, bytes, cudaHostAllocMapped), "pinned host memory");
    bytes_ = bytes;
    std::memset(host_, 0, bytes);
    check_cuda(cudaHostGetDevicePointer(&device_, host_, 0), "pinned host memory");
  }
  ~PinnedBuffer() {
    if (!device_is_lost) cudaFreeHost(host_);
  }
  PinnedBuffer(PinnedBuffer&& o) noexcept { *this = std::move(o); }
  PinnedBuffer& operator=(PinnedBuffer&& o) noexcept {
    std::swap(host_, o.host_);
    std::swap(device_, o.device_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  std::byte* host() const { return static_cast<std::byte*>(host_); }
  std::byte* device() const { return static_cast<std::byte*>(device_); }
  size_t bytes() const { return bytes_; }

 private:
  void *host_ = nullptr, *device_ = nullptr;
  size_t bytes_ = 0;
};

// Copies `count` values from device memory.
template <class T>
void download(const T* device, size_t count, T* host) {
  if (count == 0) return;
  check_cuda(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost), "read-back");
  transfers().down += count * sizeof(T);
}
template <class T>
std::vector<T> download(const DeviceBuffer& buffer) {
  std::vector<T> host(buffer.bytes() / sizeof(T));
  download(buffer.as<const T>(), host.size(), host.data());
  return host;
}

}  // namespace brokkr
