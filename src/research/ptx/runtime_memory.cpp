// Device memory: allocation, copies, fills; arrays and their surfaces.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "ptx/memory.h"
#include "ptx/runtime.h"

namespace brokkr::ptx {
namespace {

bool is_host_memory(const void* p) { return !Memory::instance().holds(p, kGlobalRange); }

void copy(void* to, const void* from, size_t bytes) { std::memmove(to, from, bytes); }

// The range must lie within one device allocation.
bool is_sound(const void* p, size_t bytes) {
  const Range& r = Memory::instance().range_of(reinterpret_cast<uint64_t>(p));
  return r.end == 0 || (!r.freed && reinterpret_cast<uint64_t>(p) + bytes <= r.end);
}

}  // namespace
}  // namespace brokkr::ptx

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return call("cudaMalloc", [&] {
    *memory = bytes == 0 ? nullptr : Memory::instance().allocate(bytes, kGlobalRange);
    return bytes != 0 && *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}
cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned) { return cudaMalloc(memory, bytes); }
cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) { return cudaMalloc(memory, bytes); }
cudaError_t cudaFree(void* memory) {
  if (memory != nullptr) Queue::instance().wait_all();
  Memory::instance().free(memory);
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return cudaFree(memory); }
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  return call("cudaHostAlloc", [&] {
    *memory = Memory::instance().allocate(std::max<size_t>(bytes, 1), kPinnedRange);
    return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}
cudaError_t cudaMallocHost(void** memory, size_t bytes) { return cudaHostAlloc(memory, bytes, 0); }
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return Memory::instance().holds(host, kPinnedRange) ? cudaSuccess : note(cudaErrorInvalidValue);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p) {
  *a = cudaPointerAttributes{};
  const Range& r = Memory::instance().range_of(reinterpret_cast<uint64_t>(p));
  a->type = r.kind == kGlobalRange   ? cudaMemoryTypeDevice
            : r.kind == kPinnedRange ? cudaMemoryTypeHost
                                     : cudaMemoryTypeUnregistered;
  a->devicePointer = r.kind != 0 ? const_cast<void*>(p) : nullptr;
  a->hostPointer = r.kind == kPinnedRange ? const_cast<void*>(p) : nullptr;
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return call("cudaMemcpy", [&] {
    if (!is_sound(to, bytes) || !is_sound(from, bytes)) return cudaErrorInvalidValue;
    Queue::instance().wait(Queue::instance().legacy);
    copy(to, from, bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return call("cudaMemcpyAsync", [&] {
    if (!is_sound(to, bytes) || !is_sound(from, bytes)) return cudaErrorInvalidValue;
    Queue::instance().order_copy(stream_of(stream), [=] { copy(to, from, bytes); });
    return cudaSuccess;
  });
}
cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return call("cudaMemset", [&] {
    if (!is_sound(memory, bytes) || (is_host_memory(memory) && bytes != 0)) return cudaErrorInvalidValue;
    Queue::instance().wait(Queue::instance().legacy);
    std::memset(memory, value, bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  return call("cudaMemsetAsync", [&] {
    if (!is_sound(memory, bytes)) return cudaErrorInvalidValue;
    Queue::instance().order_copy(stream_of(stream), [=] { std::memset(memory, value, bytes); });
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return call("cudaMemcpyToSymbol", [&] {
    const auto [memory, size] = variable_of(symbol);
    if (offset + bytes > size) return cudaErrorInvalidValue;
    return cudaMemcpy(static_cast<char*>(memory) + offset, from, bytes, kind);
  });
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return call("cudaMemcpyFromSymbol", [&] {
    const auto [memory, size] = variable_of(symbol);
    if (offset + bytes > size) return cudaErrorInvalidValue;
    return cudaMemcpy(to, static_cast<const char*>(memory) + offset, bytes, kind);
  });
}
cudaError_t cudaGetSymbolAddress(void** memory, const void* symbol) {
  return call("cudaGetSymbolAddress", [&] {
    *memory = variable_of(symbol).first;
    return cudaSuccess;
  });
}

// Arrays are pitched memory with 32-bit elements; surfaces refer to them.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height,
                            unsigned) {
  return call("cudaMallocArray", [&] {
    if ((format->x + format->y + format->z + format->w) != 32) return cudaErrorNotSupported;
    auto* s = new Surface;
    s->pitch = width * 4;
    s->height = std::max<size_t>(height, 1);
    s->data = static_cast<uint8_t*>(Memory::instance().allocate(s->pitch * s->height, kGlobalRange, nullptr, true));
    *array = reinterpret_cast<cudaArray_t>(s);
    return s->data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  auto* s = reinterpret_cast<Surface*>(array);
  if (s == nullptr) return cudaSuccess;
  Memory::instance().free(s->data);
  delete s;
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind) {
  return call("cudaMemcpy2DFromArray", [&] {
    const auto* s = reinterpret_cast<const Surface*>(array);
    if (x + width > s->pitch || y + height > s->height) return cudaErrorInvalidValue;
    Queue::instance().wait(Queue::instance().legacy);
    for (size_t i = 0; i < height; ++i)
      copy(static_cast<char*>(to) + i * pitch, s->data + (y + i) * s->pitch + x, width);
    return cudaSuccess;
  });
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* description) {
  if (description->resType != cudaResourceTypeArray) return note(cudaErrorNotSupported);
  *surface = reinterpret_cast<cudaSurfaceObject_t>(description->res.array.array);
  return cudaSuccess;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return cudaSuccess; }

}  // extern "C"
