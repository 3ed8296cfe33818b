// A pointer in the tables of a launch.
#pragma once

#include <type_traits>

#if defined(__CUDACC__)
#define BROKKR_POINTER_FN __host__ __device__ __forceinline__
#else
#define BROKKR_POINTER_FN inline
#endif

namespace brokkr {

// Returns a T*. Tables point to memory of the whole launch. On CUDA the compiler gets this hint at every use and emits
// loads of global memory. Without the hint it would emit generic loads, which determine the address space at run time.
template <class T>
struct TablePointer {
  TablePointer() = default;
  BROKKR_POINTER_FN constexpr TablePointer(T* p) : address(p) {}

  BROKKR_POINTER_FN constexpr T* get() const {
#if defined(__CUDA_ARCH__)
    __builtin_assume(__isGlobal(address));
#endif
    return address;
  }
  BROKKR_POINTER_FN constexpr operator T*() const { return get(); }
  BROKKR_POINTER_FN constexpr T* operator->() const { return get(); }

  T* address;
};
static_assert(std::is_trivially_copyable_v<TablePointer<int>>);

}  // namespace brokkr

#undef BROKKR_POINTER_FN
